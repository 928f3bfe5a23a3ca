#!/usr/bin/env python3
"""Put the result of a `make soak` into docs/soak.md.

usage: tests/soak/document.py build/soak/WHEN.csv
"""
import csv
import os
import re
import sys

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "soak.md")
BLOCK = re.compile(r"^```\n.*?^```\n", re.M | re.S)
WIDTH, HEIGHT = 60, 4  # of a plot, characters
LEVELS = " ▁▂▃▄▅▆▇█"
WATCHED = {"screen": "the live screen", "serve": "serve", "stat": "stat"}
COUNTED = ("executions", "mutations", "keys", "requests")


def read(path):
    """@return the comments and the rows, as numbers by column"""
    with open(path, encoding="utf-8", newline="") as file:
        lines = file.readlines()
    rows = csv.DictReader(line for line in lines if line[0] != "#")
    return ([line[1:].strip() for line in lines if line[0] == "#"],
            [{name: float(value) for name, value in row.items()} for row in rows])


def plot(values):
    """Bars from 0 to the maximum; a bar is the maximum of its part of the time."""
    n = min(WIDTH, len(values))
    parts = [max(values[len(values) * i // n:len(values) * (i + 1) // n]) for i in range(n)]
    eighths = [round(value / max(values) * HEIGHT * 8) for value in parts]
    return ["".join(LEVELS[min(max(bar - 8 * row, 0), 8)] for bar in eighths).rstrip()
            for row in reversed(range(HEIGHT))]


def summary(path):
    """Totals, and memory by the minute."""
    comments, rows = read(path)
    if not rows:
        return "\n".join(comments)
    last = rows[-1]
    lines = [comments[0], f"{last['seconds'] / 3600:.2f} hours: "
             + ", ".join(f"{last[name]:,.0f} {name}" for name in COUNTED), *comments[1:]]
    for name, what in WATCHED.items():
        mib, files = ([row[f"{name}_{of}"] for row in rows] for of in ("mib", "files"))
        lines += ["", f"memory of {what}: {max(mib):.1f} MiB at most, {mib[-1]:.1f} at the end; "
                  f"{min(files):.0f} to {max(files):.0f} open files", *plot(mib)]
    return "\n".join(lines)


def main():
    with open(PATH, encoding="utf-8") as file:
        text = file.read()
    block = f"```\n{summary(sys.argv[1])}\n```\n"
    with open(PATH, "w", encoding="utf-8") as file:
        file.write(BLOCK.sub(lambda _: block, text, count=1))


if __name__ == "__main__":
    main()
