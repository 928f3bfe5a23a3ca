#!/usr/bin/env python3
"""check_documents.py: what README and docs say of the source is so: the order of folders, files, functions"""
import os
import re

import check_includes
import source


def order(readme):
    """The README's folders, from the top down, are those of check_includes.py."""
    told = re.findall(r"^\| `src/([\w/]+)` \|", readme, re.MULTILINE)
    listed = [folder for folders in check_includes.LEVELS for folder in folders]
    for folder in sorted({*listed} - {*told}):
        yield f"README.md: no row for src/{folder}"
    levels = [(check_includes.home(folder)[1], folder) for folder in told if folder in listed]
    for (above, first), (below, second) in zip(levels, levels[1:]):
        if below < above:
            yield f"README.md: src/{second} stands below src/{first}, which it may include"


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
    if len(found) < 90:
        yield f"docs/architecture.md: only {len(found)} functions are named"
    for file, function in found:
        if not os.path.exists(file):
            yield f"docs/architecture.md: there is no {file}"
        elif not re.search(rf"^[\w *]*\b{function}\(", source.read(file), re.MULTILINE):
            yield f"docs/architecture.md: {file} has no function {function}"


def main():
    tap = source.Tap()
    tap.test("README's folders are in the order of their levels", order(source.read("README.md")))
    for name in source.files("*.md"):
        tap.test(f"{name} names files that are there", lost(name, source.read(name)))
    tap.test("the walks go through functions that are there", astray(source.read("docs/architecture.md")))
    tap.end()


if __name__ == "__main__":
    os.chdir(source.ROOT)
    main()
