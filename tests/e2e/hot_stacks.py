#!/usr/bin/env python3
"""hot_stacks.py: key w of Hot writes the stacks behind its rows, folded; they add up as the rows do. TAP."""
import collections
import os
import re
import sys
import tempfile

from serving import M1TOP, ROOT, Tap

sys.path.insert(0, os.path.join(ROOT, "tests", "screens"))
from pane import Pane, has_tmux  # noqa: E402

SIMULATED = "--backend sim:seed=7,clock=virtual,halt=12,functions=5 -d 0.5"


def write(pane, path, says):
    pane.press("w")
    pane.wait("write folded stacks to")
    pane.press("C-u")
    pane.type(path.encode())
    pane.press("Enter")
    pane.wait(says)


def shares(path):
    """@return by function: share of the stacks that it is in"""
    total, found = 0, collections.Counter()
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            stack, count = re.fullmatch(r"([^;]+(?:;[^;]+)*) (\d+)\n", line).groups()
            total += int(count)
            for name in set(stack.split(";")[1:]):
                found[name] += int(count)
    return {name: count / total for name, count in found.items()}


def shown(pane):
    """@return by function of the program: its share (%) on the screen"""
    return {name: float(share) for share, name in re.findall(r"^[ ▸] +(?:\d+ +)?([\d.]+) % +[\d.]+ +\S+ +(?!k )(\w+)", pane.screen(), re.M)}


def stacks(pane, folder):
    """they are refused until stacks are recorded"""
    pane.press("w")
    pane.wait("no stacks are recorded yet")
    return []


def as_shown(pane, folder):
    """a function with its callees has the share that the screen shows, so have those that it calls"""
    path = os.path.join(folder, "one.folded")
    pane.press("c")
    pane.wait("main +")
    pane.press("Enter")
    pane.wait("restore_file")
    write(pane, path, "wrote")
    written, rows = shares(path), shown(pane)
    if len(rows) < 3 or any(abs(100 * written.get(name, 0) - share) > .06 for name, share in rows.items()):
        yield f"{rows}\n{written}"


def existing(pane, folder):
    """a file that exists is left alone"""
    write(pane, os.path.join(folder, "one.folded"), "exists")
    return []


def main():
    tap = Tap()
    if not has_tmux():
        print("1..0 # SKIP tmux is not installed")
        return
    with tempfile.TemporaryDirectory(prefix="m1top-stacks-") as folder, Pane(folder) as pane:
        pane.type(f"{M1TOP} {SIMULATED}\r".encode())
        pane.wait("halted")
        pane.press("5", "G", "H")
        pane.wait("100 %")
        for step in (stacks, as_shown, existing):
            tap.test(step.__doc__, step(pane, folder))
        pane.press("q")
    tap.end()


main()
