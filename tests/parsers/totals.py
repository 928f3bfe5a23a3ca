#!/usr/bin/env python3
"""totals.py: what each event of `perf stat -x SEP -I MS` comes to, all intervals together

usage: totals.py SEP BEFORE [FILE]

Written from the section "CSV FORMAT" of perf-stat(1), for whatever prints that form. BEFORE: how
many optional fields there are before the value: 1 with -I, 2 with -A too, 3 with --per-core and the
like. Prints "CPU EVENT TOTAL UNIT", CPU "all" without such a field.
"""
import collections
import sys

Row = collections.namedtuple("Row", "time cpu value unit event runtime_ns percent metric metric_unit")


def rows(lines, sep, before):
    """Every line that counts something; value None where it was not counted."""
    for line in lines:
        field = line.rstrip("\n").split(sep)
        if line.startswith("#") or len(field) < before + 5:
            continue
        value, unit, event, runtime, percent = field[before:before + 5]
        if not event:
            continue  # a further metric of the event before
        time = None if field[0].strip() == "summary" else float(field[0])
        metric, metric_unit = field[before + 5:before + 7] if len(field) >= before + 7 else ("", "")
        yield Row(time, field[1] if before > 1 else "all",
                  None if value.startswith("<") else float(value), unit, event, int(runtime),
                  float(percent), float(metric) if metric else None, metric_unit)


def totals(lines, sep, before):
    ret = {}
    for row in rows(lines, sep, before):
        if row.time is not None and row.value is not None:
            so_far = ret.get((row.cpu, row.event), (0.0, ""))[0]
            ret[row.cpu, row.event] = so_far + row.value, row.unit
    return ret


if __name__ == "__main__":
    with open(sys.argv[3], encoding="utf-8") if len(sys.argv) > 3 else sys.stdin as file:
        sums = totals(file, sys.argv[1], int(sys.argv[2]))
    for (cpu, event), (total, unit) in sorted(sums.items()):
        print(f"{cpu} {event} {total:.2f} {unit}")
