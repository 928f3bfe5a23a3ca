#!/usr/bin/env python3
"""Put a table of `make bench` into docs/bench.md, and what the README has of it into the README.

usage: make bench | tee FILE; tests/bench/document.py FILE
"""
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
HEAD = "| what | m1top | beside | at most |\n|---|---|---|---|\n"
TABLE = re.compile(re.escape(HEAD) + r"(?:\|.*\n)+")
MISSED = ": **missed**"
LOAD = re.compile(r"^.*CPUs, Linux .*load .* at the start\..*\n", re.M)


def what(line):
    return line.split("|")[1].strip()


def numbers(text, pattern=r"(-?[\d.]+)"):
    return [float(number) for number in re.findall(pattern, text)]


def marked(line):
    """The row, its limit marked where the figure misses it. Of a key the longest time counts; a limit in × is of the
    peer at the same place."""
    _, name, ours, beside, limit, _ = line.replace(MISSED, "").split("|")
    limits, got = numbers(limit), numbers(ours.split("(")[0])[-1:]
    if "×" in limit:
        got = numbers(beside, r"([\d.]+) ×")
    if any(figure < most if "at least" in limit else figure > most for figure, most in zip(got, limits)):
        limit = limit.rstrip() + MISSED + " "
    return "|".join(["", name, ours, beside, limit, ""])


def replace(name, heading, lines):
    """@lines  {what: line}: all of a table, or for None those that it has"""
    path = os.path.join(ROOT, name)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    there = [what(line) for line in TABLE.search(text)[0].splitlines()[2:]]
    chosen = lines.values() if name.startswith("docs") else [lines[it] for it in there if it in lines]
    text = TABLE.sub(lambda _: HEAD + "".join(f"{line}\n" for line in chosen), text, count=1)
    with open(path, "w", encoding="utf-8") as file:
        file.write(LOAD.sub(lambda _: heading, text, count=1))


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    table, heading = TABLE.search(text), LOAD.search(text)
    if not table or not heading:
        sys.exit(f"{sys.argv[1]}: no table of make bench")
    lines = {what(line): marked(line) for line in table[0].splitlines()[2:]}
    for name in ("docs/bench.md", "README.md"):
        replace(name, heading[0], lines)


if __name__ == "__main__":
    main()
