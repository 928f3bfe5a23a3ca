#!/usr/bin/env python3
"""bench.py: what tests/bench says of a busy machine, and of figures that vary. TAP."""
import contextlib
import io
import os
import sys

from serving import ROOT, Tap

sys.path.append(os.path.join(ROOT, "tests", "bench"))
import document  # noqa: E402
import figures  # noqa: E402
import quiet  # noqa: E402


def waiting(loads, limit_s, pause=lambda _: None):
    """The load that wait() ends with, when it goes through these, and how much it told meanwhile."""
    left, told = list(loads), io.StringIO()
    with contextlib.redirect_stderr(told):
        load = quiet.wait(limit_s, lambda: left.pop(0) if len(left) > 1 else left[0], pause)
    return load, told.getvalue()


def interrupt(_):
    raise KeyboardInterrupt


def pct(value):
    return f"{value} %"


def rows_of(name):
    """Rows of the table of `make bench` in a document."""
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return document.TABLE.search(file.read())[0].splitlines()[2:]


def main():
    tap = Tap()

    def check(name, is_so, told=""):
        tap.test(name, [] if is_so else [f"it is not so {told}"])

    load, told = waiting([.2], 60)
    check("a quiet machine is measured at once", load == .2 and not told, told)
    load, told = waiting([3, 3, 2, 2, .4], 60)
    check("a busy one is waited for, and that is said", load == .4 and "load 3.0" in told, told)
    load, told = waiting([3], 60)
    check("not for ever", load == 3 and "another 5 s" in told and "another 0 s" not in told, told)
    load, told = waiting([3], 60, interrupt)
    check("Ctrl-C measures at once", load == 3 and told.count("load") == 1, told)
    check("figures of a busy machine do not count", "do not count" in quiet.heading(3.0))
    check("those of a quiet one do", "do not count" not in quiet.heading(.4))
    check("nor do they when others worked meanwhile", "do not count" in quiet.ending(.9))
    check("a steady figure is its median", figures.usual(pct, [10, 10.2, 10.9]) == "10.2 %")
    check("one that varies is a range too", figures.usual(pct, [12, 10, 9]) == "10 % (9 % … 12 %)")
    check("peers are compared by medians",
              figures.against(pct, [1, 2, 9], {"htop": [4], "gone": [0]}) == "htop 4 %: 0.50 ×")
    for row, limit in (("4.82 % (3.9 % … 5.1 %) |  | 3 %", "3 %: **missed**"), ("2.9 % |  | 3 %", "3 %"),
                       ("3.5 M |  | 4 M at least", "4 M at least: **missed**"), ("4.5 M |  | 4 M at least", "4 M at least"),
                       ("1 µs | a 1 µs: 1.05 ×, b 3 µs: 0.29 × | 1.15 ×, 0.28 ×", "1.15 ×, 0.28 ×: **missed**"),
                       ("0.7 / 1 / 60 ms |  | 50 ms", "50 ms: **missed**"), ("1 MiB |  |  ", "")):
        got = document.marked(f"| x | {row} |").split("|")[-2].strip()
        check(f"{row}: {limit}", got == limit, got)
    rows, short = rows_of("docs/bench.md"), rows_of("README.md")
    check("limits that were missed are marked in the documents", [document.marked(row) for row in rows + short] == rows + short)
    rows, short = [document.what(row) for row in rows], [document.what(row) for row in short]
    check("docs/bench.md has a row once", len(set(rows)) == len(rows) > 20)
    check("the README has some of them", set(short) < set(rows) and len(short) <= 12,
          set(short) - set(rows))
    tap.end()


if __name__ == "__main__":
    main()
