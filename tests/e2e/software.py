#!/usr/bin/env python3
"""software.py: the live screen of this machine where it has no hardware counters. TAP."""
import os
import shlex
import subprocess
import sys
import tempfile

from serving import M1TOP, ROOT, Tap

sys.path.insert(0, os.path.join(ROOT, "tests", "screens"))
from pane import Pane, has_tmux  # noqa: E402


def no_reason_to_skip():
    """@return None, or why it cannot be tried here"""
    said = subprocess.run([M1TOP, "stat", "-n", "1", "-I", "20"], capture_output=True, text=True, check=False)
    if said.returncode:
        return "nothing can be counted here"
    return None if "no hardware counters" in said.stderr else "this machine has hardware counters"


def first_screen(pane):
    """How busy each core and the machine is, and software events."""
    pane.wait("UTIL")
    pane.wait("load ")
    for heading in ("CTX-SW", "FAULTS", "MIGRATE", "UTIL"):
        pane.wait(heading)


def hot(pane):
    """H on UTIL counts and samples the time of the cores, and UTIL stays selected."""
    if os.geteuid() != 0:
        return
    pane.press("H")
    pane.wait("CPU-CLK  ")
    pane.wait("100 % =")
    pane.press("Esc")
    pane.wait("▸UTIL◂")
    pane.wait("functions by CPU-CLK")
    pane.press("u")
    pane.wait("undone")


def a_free_column(pane):
    """Any digit is a column; what is chosen for it is counted there."""
    pane.press("9")
    pane.wait("column 9  counts nothing: press e")
    pane.press("e")
    pane.wait("column 9: event")
    pane.type(b"minor-faults")
    pane.wait("▸ minor-faults")
    pane.press("Enter")
    pane.wait("column 9 counts minor-faults")
    pane.press("u")
    pane.wait("column 9 is free again")


def no_cycles(pane):
    """No key is named that would count where they go."""
    pane.press("b")
    pane.wait("where cycles go cannot be counted on this machine")


def metrics(pane):
    """What can be counted stands before what cannot."""
    doctor = subprocess.run([M1TOP, "doctor"], capture_output=True, text=True, check=False).stdout
    pane.press("M")
    if "power, temperatures, fans: no hwmon chip" in doctor:
        pane.wait("no sensor is read; see m1top doctor")
    else:
        assert "power, temperatures, fans: " in doctor, doctor
    pane.wait("Tab tick   Esc leave")
    lacks = [" n/s " in line for line in pane.screen().splitlines() if " · " in line]
    assert not lacks[0] and lacks == sorted(lacks), pane.screen()
    pane.press("Esc")
    pane.escape_ends()


def presets(pane):
    """An empty list says why it is empty."""
    pane.press("P")
    pane.wait("presets are made of hardware counters, and this machine has none")
    pane.press("Esc")
    pane.escape_ends()


def events(pane):
    """Groups that can be counted stand first."""
    pane.press("Tab", "Tab", "Tab", "Tab", "Tab", "g")
    pane.wait("what it counts")
    pane.wait("active-time")


def fault_of(step, pane):
    try:
        step(pane)
    except AssertionError as why:
        return [str(why)]
    return []


def main():
    why_not = no_reason_to_skip() or (None if has_tmux() else "no tmux")
    if why_not:
        print(f"1..0 # SKIP {why_not}")
        return False
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="m1top-software-") as folder:
        with Pane(folder, 80, 24) as pane:
            pane.type(f"XDG_CONFIG_HOME=. {shlex.quote(M1TOP)} -d 0.2 --budget 100\r".encode())
            for step in (first_screen, hot, a_free_column, no_cycles, metrics, presets, events):
                tap.test(step.__doc__.split("\n")[0], fault_of(step, pane))
    print(f"1..{tap.n}")
    return tap.failed


sys.exit(main())
