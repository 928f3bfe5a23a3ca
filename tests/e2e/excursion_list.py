#!/usr/bin/env python3
"""excursion_list.py: Enter on an excursion goes to the window that has the value and the task of the list. TAP."""
import json
import os
import re
import shlex
import sys
import tempfile

import serving

sys.path.insert(0, os.path.join(serving.ROOT, "tests", "screens"))
from pane import Pane, has_tmux  # noqa: E402

N = 10
HEADINGS = {"stall_share": "STALL%", "bubble_share": "BUBBLE%", "branch_mpki": "BR-MPKI", "l1d_tlb_mpki": "DTLB-MPKI"}
ITEM = re.compile(r"▸ .*?(cpu\d+) +(\w+) +~?([\d.]+) > \S+ %?(?:/Kinst)? *(\S*) *│")


def cell(screen, heading, row):
    """The figure below a heading in the line of a row, and the task of the row; (0, "") while it is drawn."""
    lines = screen.splitlines()
    head = next((line for line in lines if " TASK" in line and heading in line), "")
    line = next((line for line in lines if re.match(rf"▸? *{row} ", line)), "")
    found = re.search(r"(?:^| )[~▲]*([\d.]+)$", line[:head.find(heading) + len(heading)])
    return (float(found[1]), line[head.index("TASK"):].strip()) if found else (0, "")


def marked(screen):
    """@return number of the marked item; None: none"""
    items = [line for line in screen.splitlines() if re.search(r"│ [ ▸] .* cpu\d", line)]
    return next((i for i, line in enumerate(items) if "▸" in line), None)


def land(pane, n):
    """Press Enter on the n-th excursion. @return why list and window differ"""
    pane.press("X")
    pane.wait("Enter go to its worst")
    pane.press(*["↓"] * n)
    pane.until(lambda: marked(pane.screen()) == n, f"item {n} is not marked")
    found = ITEM.search(pane.screen())
    if not found:
        return [f"item {n} cannot be read", *pane.screen().splitlines()[:12]]
    row, metric, value, task = found.groups()
    pane.press("Enter")
    pane.wait("PAST")

    def differs():
        shown, runs = cell(pane.screen(), HEADINGS[metric], row)
        return abs(shown - float(value)) > .006 * float(value) or runs != task

    pane.until(lambda: not differs(), f"item {n}: {row} {metric} {value} {task}; its window shows another one")
    pane.press("End")
    pane.until(lambda: not pane.shows("PAST"), "it is not live again")
    return []


def main():
    if not has_tmux():
        print("1..0 # SKIP no tmux")
        return False
    tap = serving.Tap()
    with tempfile.TemporaryDirectory(prefix="m1top-excursions-") as folder:
        with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as file:
            json.dump({"columns": ["ipc", "-bar", "-history", *HEADINGS]}, file)
        with Pane(folder, 240, 50) as pane:
            pane.type(f"{shlex.quote(serving.M1TOP)} --backend sim:seed=7,clock=virtual,halt=600 -d 0.1 "
                      "--config config.json\r".encode())
            pane.wait("halted")
            tap.test(f"{N} excursions: value and task of the list", (why for n in range(N) for why in land(pane, n)))
    tap.end()
    return tap.failed


sys.exit(main())
