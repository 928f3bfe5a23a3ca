#!/usr/bin/env python3
"""check_data.py: event data parses, and the README's table of packages is the one that is installed"""
import csv
import json
import subprocess

import source


def json_faults(name):
    def no_duplicates(pairs):
        keys = [key for key, _ in pairs]
        twice = {key for key in keys if keys.count(key) > 1}
        if twice:
            raise ValueError(f"field twice in one object: {', '.join(sorted(twice))}")
        return dict(pairs)
    try:
        json.loads(source.read(name), object_pairs_hook=no_duplicates)
    except ValueError as fault:
        yield f"{name}: {fault}"


def csv_faults(name):
    widths = {len(row) for row in csv.reader(source.read(name).splitlines())
              if row and not row[0].startswith("#")}
    if len(widths) > 1:
        yield f"{name}: rows of {sorted(widths)} columns"


def readme_faults():
    table = subprocess.run(["packaging/deps.sh", "--table"], cwd=source.ROOT, check=True,
                           capture_output=True, text=True).stdout
    if table not in source.read("README.md"):
        yield "README.md does not hold what `packaging/deps.sh --table` prints:\n" + table


def main():
    tap = source.Tap()
    tap.test("events/**.json parse", (f for name in source.files("events/*.json") for f in json_faults(name)))
    tap.test("events/**.csv are even", (f for name in source.files("events/*.csv") for f in csv_faults(name)))
    if source.files("README.md"):
        tap.test("README.md has the table of packages", readme_faults())
    tap.end()


if __name__ == "__main__":
    main()
