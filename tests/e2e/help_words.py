#!/usr/bin/env python3
"""help_words.py: words that people type into the help's search: each finds its line. TAP.

A word that nothing begins with is reported with the nearest one; Enter presses the key of the marked line."""
import os
import shlex
import sys
import tempfile

import serving

sys.path.insert(0, os.path.join(serving.ROOT, "tests", "screens"))
from pane import Pane, has_tmux  # noqa: E402

# What stands in a line that each of the words finds.
FINDS = {
    "filter": "show only some cores", "why": "the row's largest loss", "details": "of the selected task",
    "mouse": "three rows up or down", "kill": "another signal", "renice": "all its threads",
    "taskset": "affinity", "colour": "--theme", "color": "F2: theme",
    "container": "--by cgroup", "flame": "--format folded", "callgraph": "--format folded",
    "power": "-M package_watts", "temperature": "sensors", "frequency": "FREQ", "pause": "the picture", "freeze": "the picture",
    "compare": "m1top report A B", "record": "m1top -o FILE", "export": "--format csv", "csv": "--format csv",
    "json": "--format csv", "cgroup": "process, thread, command, cgroup", "pid": "task, pid, user",
    "thread": "process, thread, command", "user": "only user mode", "sort": "by the selected column",
    "columns": "choose the columns", "interval": "type the interval", "quit": "Ctrl-C", "exit": "q",
    "theme": "high-contrast", "zoom": "whole session", "graph": "add the selection", "history": "back and forward",
    "log": "start or stop the session log", "replay": "m1top replay FILE", "report": "--html PAGE",
    "prometheus": "m1top serve", "cache": "P: presets", "branch": "P: presets", "tlb": "P: presets",
    "latency": "P: presets", "stall": "largest loss", "ipc": "instructions per cycle", "cpi": "instructions per cycle",
    "bandwidth": "MB/s", "memory": "Uncore", "core": "rows by core", "cluster": "rows by core, cluster",
    "numa": "rows by node", "socket": "rows by node", "package": "rows by node", "smt": "instead of each thread",
    "hotspot": "as in perf top", "function": "source lines", "source": "of the function",
    "multiplex": "previews", "event": "choose the selected counter's event", "metric": "choose metrics",
    "preset": "choose a preset", "baseline": "mean of the last 10 s", "reset": "to zero",
    "excursion": "beyond its threshold", "alarm": "--on acts on it", "search": "as you type", "help": "this help",
    "save": "as configuration", "config": "as configuration", "settings": "theme, interval",
    "screenshot": "m1top replay shows", "heat": "as colour", "sudo": "m1top doctor", "busy": "UTIL",
    "waiting": "WAIT%", "psi": "--sensors",
}


def finds(pane, word, *texts):
    """Type a word into the search; @return why not."""
    pane.press("/")
    pane.wait("search: ")
    pane.type(f"{word}\r".encode())
    pane.wait(f'lines with "{word}"')
    pane.wait("Esc back")  # the prompt is gone
    missing = [text for text in texts if not pane.shows(text)]
    pane.press("Esc")
    pane.wait("/: search")
    return [f"{word} does not find: {text}" for text in missing]


def does(pane, word, text, *leave):
    """Press the key that a word finds, and leave what it shows for the help."""
    pane.press("/")
    pane.type(f"{word}\r\r".encode())
    pane.wait(text)
    for key in leave:
        pane.press(key)
        pane.escape_ends()
    if leave:
        pane.wait("Esc or q: back")
    return []


def main():
    if not has_tmux():
        print("1..0 # SKIP no tmux")
        return False
    tap = serving.Tap()
    with tempfile.TemporaryDirectory(prefix="m1top-help-") as folder:
        with Pane(folder, 160, 60) as pane:
            pane.type(f"{shlex.quote(serving.M1TOP)} --backend sim:seed=7,clock=virtual,halt=12 -d 0.1\r".encode())
            pane.wait("halted")
            pane.press("?")
            pane.wait("/: search")
            tap.test(f"{len(FINDS)} words find their line",
                     (why for word, text in FINDS.items() for why in finds(pane, word, text)))
            tap.test("the nearest word is offered", finds(pane, "qiut", "nothing found: qiut; near: quit"))
            tap.test("Enter presses the key", does(pane, "excursion", "Enter go to its worst", "Esc", "?"))
            tap.test("Enter presses it where it acts", does(pane, "zoom", " visible 1.16", "?"))
            tap.test("or says where it would", does(pane, "renice", "n acts in Task"))
    tap.end()
    return tap.failed


sys.exit(main())
