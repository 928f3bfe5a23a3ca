#!/usr/bin/env python3
"""check_tracked.py: every tracked file is built, run, installed, read by a test or referred to by a document"""
import fnmatch
import os
import re

import source

# Files that a rule takes by pattern, and the file that has the rule.
TAKEN = [
    ("Makefile", ["src/*/*.c", "src/*/*/*.c", "src/*/*/*.S", "src/main.c", "tests/unit/*/test_*.c",
                  "tests/unit/*/*/test_*.c", "tests/unit/rig/*.c", "tests/*/run.sh", "tests/e2e/*.sh", "tests/e2e/*.py",
                  "tests/lint/check_*.py", "tests/fuzz/fuzz_*.c", "tests/fuzz/fuzz_*/*", "events/*"]),
    ("tests/cli/run.sh", ["tests/cli/*.cmd"]),
    ("tests/screens/run.sh", ["tests/screens/*.keys"]),
    ("tests/vm/vm.mk", ["tests/vm/guest/*/[0-9][0-9]-*", "tests/vm/guest/bin/*.c", "tests/vm/*/Makefile",
                        "tests/vm/pkg-config"]),
    ("tests/vm/mkinitrd.sh", ["tests/vm/guest/motd"]),
    (".ci/run", ["Makefile"]),
    ("README.md", ["LICENSE"]),
    ("packaging/debian/build.sh", ["packaging/debian/*"]),
    ("kmod/Makefile", ["kmod/Kbuild", "kmod/dkms.conf"]),
    # what git, editors and clang's tools look for
    ("Makefile", ["README.md", ".ci/run", "*.gitignore", ".editorconfig", ".clang-format", ".clang-tidy"]),
]
# Written by a test or its script under another name: golden files.
GOLDEN = [(r"(tests/cli/.*)\.out", r"\1.cmd"), (r"(tests/screens/.*)\.txt", r"\1.keys")]
SIZES = re.compile(r"-(80x24|120x40|200x50|40x10)\.txt$")
BINARY = (".png", ".elf", ".dump")
BUILT = (".ko",)
PATH = re.compile(r"(?<![\w./-])(?:src|tests|packaging|events)/[\w./*-]+")
WORD = re.compile(r"[\w./-]+")


def is_taken(name, names):
    """Does a rule take it by its pattern?"""
    return any(rule in names and fnmatch.fnmatchcase(name, pattern)
               for rule, patterns in TAKEN for pattern in patterns)


def is_golden(name, names, text_of):
    """Is it what a script that exists is compared with?"""
    if any(re.fullmatch(golden, name) and re.sub(golden, script, name) in names for golden, script in GOLDEN):
        return True
    stem = os.path.basename(SIZES.sub("", name))
    return bool(SIZES.search(name)) and any(
        re.search(rf"^sizes {re.escape(stem)}$", text_of[other], re.MULTILINE)
        for other in names if other.endswith(".keys") and os.path.dirname(other) == os.path.dirname(name))


def said_of(text_of):
    """{a word of any file: the files that have it}; a path counts by its last two parts and by its name."""
    said = {}
    for name, text in text_of.items():
        for word in set(WORD.findall(text)):
            parts = word.strip(".").split("/")
            for short in {parts[-1], "/".join(parts[-2:])}:
                said.setdefault(short, set()).add(name)
    return said


def is_named(name, said):
    """Does another file say its name or, of a program or golden file, its name without the ending?"""
    folder, base = os.path.split(name)
    folder = os.path.basename(folder)
    stem = os.path.splitext(base)[0]
    words = [f"{folder}/{base}", f"{folder}/{stem}", stem + ".o"] + [base] * ("." in base)
    if re.match(r"tests/(formats|perf_stat)/", name) or base.endswith(".py"):
        words.append(stem)
    return any(said.get(word, set()) - {name} for word in words)


def strays(names, text_of):
    said = said_of(text_of)
    for name in names:
        if not (is_taken(name, names) or is_golden(name, names, text_of) or is_named(name, said)):
            yield f"{name}: nothing builds, runs, installs, reads or mentions it"


def dangling(names, text_of):
    """Paths in documents where nothing is; words in capitals stand for any name."""
    folders = {os.path.dirname(name) for name in names}
    folders |= {"/".join(folder.split("/")[:n]) for folder in folders for n in range(1, folder.count("/") + 1)}
    for name in names:
        for path in sorted(set(PATH.findall(text_of[name]))) if name.endswith(".md") else ():
            pattern = re.sub(r"(?<![A-Za-z0-9])[A-Z]+(?![A-Za-z0-9])", "*", path.rstrip("./"))
            if not path.endswith(BUILT) and not fnmatch.filter(folders | set(names), pattern):
                yield f"{name}: there is no {path}"


def main():
    tap = source.Tap()
    names = source.files("*")
    text_of = {name: "" if name.endswith(BINARY) else source.read(name) for name in names}
    tap.test("every tracked file is there for something", strays(names, text_of))
    tap.test("documents refer to files that there are", dangling(names, text_of))
    tap.end()


if __name__ == "__main__":
    main()
