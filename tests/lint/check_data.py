#!/usr/bin/env python3
"""check_data.py: event data parses and is named by the rules of docs/metrics.md, and the README's table of packages
is the one that is installed"""
import csv
import json
import re
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


# What the last word of a metric's name means: its unit, and how its label ends.
KINDS = (
    (r".*_share", r"%", r"%"),
    (r".*_(miss|fail|taken|fill|walk)_ratio", r"%", r"%"),
    (r".*_overhead", r"%", r"%"),
    (r".*_mpki", r"/Kinst", r"MPKI|/K"),
    (r".*_pki", r"/Kinst", r"/K"),
    (r".*_bandwidth", r".*B/s", r"/S"),
    (r".*_watts", r"W", r"WATT"),
    (r".*_latency", r"cycles|ns", r""),
    (r".*_per_.*", r"|cycles|slots", r"/.*"),
)
KNOWN = {"IPC", "CPI", "active_ipc", "Frequency", "Utilisation"}  # and group TopdownL1: as everybody calls them
MISSES = re.compile(r"miss|mispred|mis_pred|refill", re.I)


def unit_of(row):
    return re.sub(r"^[0-9.e+-]*", "", row.get("ScaleUnit", ""))


def kind_faults(metric):
    name, label = metric["MetricName"], metric.get("ShortName", "")
    if name in KNOWN or "TopdownL1" in metric.get("MetricGroup", ""):
        return
    kind = next((kind for kind in KINDS if re.fullmatch(kind[0], name)), None)
    if not kind:
        yield f"{name}: its last word is none that docs/metrics.md has"
        return
    if not re.fullmatch(kind[1], unit_of(metric)):
        yield f"{name}: in {unit_of(metric) or 'no unit'}, not {kind[1]}"
    if not re.search(f"({kind[2]})$", label):
        yield f"{name}: the label {label} does not end with {kind[2]}"
    if kind[1] == "/Kinst" and bool(MISSES.search(metric["MetricExpr"])) != name.endswith("_mpki"):
        yield f"{name}: mpki is for misses and mispredicts, pki for all others"


def is_shortened(label, name):
    """All letters of a label, in order, are the name's."""
    letters = iter(name.lower())
    return all(c in letters for c in label.lower() if c.isalnum())


def label_faults(metric):
    name, label = metric["MetricName"], metric.get("ShortName", "")
    if not label or not is_shortened(re.sub(r"/[KS]$", "", label), name):
        yield f"{name}: the letters of the label {label or '(none)'} are not the name's"


def catalogues():
    """What each CPU's catalogue is made of: the generic files, those of its family, its own."""
    files = source.files("events/*.json")
    folders = {name.rsplit("/", 1)[0] for name in files}
    for folder in folders - {"events/common/common"}:
        family = folder.rsplit("/", 1)[0] + "/common"
        yield folder, [rows(name) for part in ("events/common/common", family, folder)
                       for name in files if name.rsplit("/", 1)[0] == part]


def rows(name):
    return json.loads(source.read(name))


def unique_faults(folder, parts):
    by_name = {}  # a later one replaces an earlier one of its name
    for part in parts:
        for row in part:
            name = row.get("MetricName") or row.get("EventName")
            if name:
                by_name[name] = row
    seen, names = {}, {}
    for name, row in by_name.items():
        label = row.get("ShortName")
        if label and seen.setdefault(label, name) != name:
            yield f"{folder}: {label} is the label of {seen[label]} and of {name}"
        for other in [name, *row.get("Aliases", "").split()] if "MetricName" in row else []:
            if names.setdefault(other.lower(), name) != name:
                yield f"{folder}: {other} is a name of {names[other.lower()]} and of {name}"


def name_faults():
    for name in source.files("events/*.json"):
        for row in rows(name):
            if "MetricName" in row:
                yield from (f"{name}: {fault}" for fault in (*kind_faults(row), *label_faults(row)))
    for folder, parts in catalogues():
        yield from unique_faults(folder, parts)


def csv_faults(name):
    widths = {len(row) for row in csv.reader(source.read(name).splitlines())
              if row and not row[0].startswith("#")}
    if len(widths) > 1:
        yield f"{name}: rows of {sorted(widths)} columns"


def readme_faults():
    table = subprocess.run(["packaging/deps.sh", "--table"], cwd=source.ROOT, check=True,
                           capture_output=True, text=True).stdout
    if table not in source.read("docs/packages.md"):
        yield "docs/packages.md does not hold what `packaging/deps.sh --table` prints:\n" + table


def main():
    tap = source.Tap()
    tap.test("events/**.json parse", (f for name in source.files("events/*.json") for f in json_faults(name)))
    tap.test("events and metrics are named by docs/metrics.md, one label and one name each", name_faults())
    tap.test("events/**.csv are even", (f for name in source.files("events/*.csv") for f in csv_faults(name)))
    if source.files("docs/packages.md"):
        tap.test("docs/packages.md has the table of packages", readme_faults())
    tap.end()


if __name__ == "__main__":
    main()
