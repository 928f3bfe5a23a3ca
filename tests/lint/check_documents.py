#!/usr/bin/env python3
"""check_documents.py: what README and docs say of the source is so: the order of folders, files, functions"""
import os
import re

import check_includes
import source


def order(text):
    """The rooms that CONTRIBUTING.md lists, from the top down, are those of check_includes.py."""
    listed = list(dict.fromkeys(folder.split("/")[0] for folders in check_includes.LEVELS for folder in folders))
    told = re.findall(r"^\| `src/(\w+)` \|", text, re.MULTILINE)
    for room in sorted({*listed} ^ {*told}):
        yield f"CONTRIBUTING.md: src/{room} is listed there or in check_includes.py, not in both"
    if sorted(told, key=["cmd", "tui", *listed].index) != told:
        yield f"CONTRIBUTING.md: rooms are not in the order of their levels: {told}"


def lost(name, text):
    """Files of the project that a document names and that are not there."""
    for path in sorted(set(re.findall(r"`((?:src|tests|events|packaging)/[\w./-]+\.\w+)`", text))):
        if not os.path.exists(path) and "NAME" not in path:
            yield f"{name}: there is no {path}"


def steps(text):
    """The walks of docs/architecture.md: (file, function) for each function named behind a file."""
    for step in re.findall(r"^\d+\. (.*(?:\n   .*)*)", text, re.MULTILINE):
        file = None
        for word in re.findall(r"`([^`]+)`", step):
            if word.endswith(".c"):
                file = f"src/{word}"
            elif file and re.fullmatch(r"[a-z]\w+", word):
                yield file, word


def astray(text):
    found = list(steps(text))
    if len(found) < 65:
        yield f"docs/architecture.md: only {len(found)} functions are named"
    for file, function in found:
        if not os.path.exists(file):
            yield f"docs/architecture.md: there is no {file}"
        elif not re.search(rf"^[\w *]*\b{function}\(", source.read(file), re.MULTILINE):
            yield f"docs/architecture.md: {file} has no function {function}"


def main():
    tap = source.Tap()
    tap.test("CONTRIBUTING.md lists the rooms in the order of their levels", order(source.read("CONTRIBUTING.md")))
    for name in source.files("*.md"):
        tap.test(f"{name} names files that are there", lost(name, source.read(name)))
    tap.test("the walks go through functions that are there", astray(source.read("docs/architecture.md")))
    tap.end()


if __name__ == "__main__":
    os.chdir(source.ROOT)
    main()
