#!/usr/bin/env python3
"""Put the result of a `make soak` into docs/soak.md.

usage: tests/soak/document.py build/soak/WHEN.csv
"""
import csv
import os
import re
import sys

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "soak.md")
FENCE = "```console on another machine\n"
BLOCK = re.compile(rf"^{FENCE}.*?^```\n", re.M | re.S)
WIDTH = 60  # of a plot, characters
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
    return "".join(LEVELS[round(value / max(values) * 8)] for value in parts)


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
                  f"{min(files):.0f} to {max(files):.0f} open files", plot(mib)]
    return "\n".join(lines)


def main():
    with open(PATH, encoding="utf-8") as file:
        text = file.read()
    hours = read(sys.argv[1])[1][-1]["seconds"] / 3600
    block = f"{FENCE}$ make soak HOURS={hours:.3g}\n{summary(sys.argv[1])}\n```\n"
    text, n = BLOCK.subn(lambda _: block, text, count=1)
    if not n:
        sys.exit(f"{PATH} has no block to replace")
    with open(PATH, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main()
