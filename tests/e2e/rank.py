#!/usr/bin/env python3
"""rank.py: key s ranks the cores of a live simulation by the cycles that stat counts as lost in the same interval. TAP."""
import collections
import json
import os
import re
import shlex
import sys
import tempfile

from formats import run
from serving import M1TOP, ROOT, Tap

sys.path.insert(0, os.path.join(ROOT, "tests", "screens"))
from pane import Pane, has_tmux  # noqa: E402

SECONDS = .1
PARTS = "frontend_bound", "backend_bound", "bad_speculation"
MACHINES = "seed=3", "seed=7", "seed=11,tasks=20", "seed=5,cores=24", "seed=9,smt=2"


def lost_by_core(sim, tick):
    """{cpu: lost cycles} of an interval, by stat"""
    lost, cycles = collections.Counter(), {}
    text = run("stat", "-P", "overview", "-M", ",".join(PARTS), "-I", "100", "--by", "core", "-j", "-n", str(tick),
               "--backend", f"sim:clock=virtual,{sim}")
    for line in map(json.loads, text.splitlines()):
        if abs(line.get("interval", 0) / SECONDS - tick) > .5:
            continue
        if line.get("metric-name") in PARTS:
            lost[line["cpu"]] += float(line["metric-value"]) / 100
        if line.get("event") == "CORE_ACTIVE_CYCLE":
            cycles[line["cpu"]] = float(line["counter-value"])
    return {cpu: share * cycles[cpu] for cpu, share in lost.items()}


def ranked(pane, sim):
    """@return what is wrong"""
    pane.type((shlex.join([M1TOP, "--backend", f"sim:clock=virtual,halt=4,{sim}", "-d", str(SECONDS)]) + "\n").encode())
    pane.wait("halted")
    pane.press("s")
    pane.wait("sorted by cycles lost")
    screen = pane.screen()
    pane.press("q")
    pane.until(lambda: pane.child() is None, "m1top does not end")
    shown = re.findall(r"^[ ▸↓↑]+cpu(\d+) ", screen, re.M)
    lost = lost_by_core(sim, round(float(re.search(r" t ([\d.]+) s", screen)[1]) / SECONDS))
    wanted = sorted(lost, key=lost.get, reverse=True)
    shown = shown[:len(lost)]  # further lines describe the selected core
    if len(shown) < 8:
        return [f"few cores are shown\n{screen}"]
    close = [f"{a} before {b}: {lost[a]:.0f}, {lost[b]:.0f}" for a, b in zip(shown, shown[1:])
             if lost[a] < lost[b] * .999]
    return close + ([f"shown {shown}, by stat {wanted}"] if close or set(shown) - set(wanted) else [])


def main():
    tap = Tap()
    if not has_tmux():
        print("1..0 # SKIP no tmux")
        return
    with tempfile.TemporaryDirectory(prefix="m1top-rank-") as folder:
        with Pane(folder) as pane:
            for sim in MACHINES:
                tap.test(sim, ranked(pane, sim))
    tap.end()


if __name__ == "__main__":
    main()
