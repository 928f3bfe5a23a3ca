#!/usr/bin/env python3
"""inert.py: keys at random in help, lists and prompts: no event, row or order changes behind them, no file is written;
and in each view no key changes Cores without changing what the view shows. TAP.

usage: tests/e2e/inert.py    KEYS=20000 for more keys in all

The machine is simulated and halts, so that its screen stays as it is. Keys that act in a place by its own text are not
pressed there: Enter, Tab, Space and arrows in lists, those that leave it, and those of the picker's preview.
"""
import os
import random
import shlex
import sys
import tempfile

from serving import M1TOP, ROOT, Tap

sys.path.insert(0, os.path.join(ROOT, "tests", "screens"))
from pane import Pane, has_tmux  # noqa: E402
from session200 import read_help  # noqa: E402

KEYS = int(os.environ.get("KEYS", 1500))
RUN = (f"{shlex.quote(M1TOP)} --backend sim:seed=7,clock=virtual,halt=12,functions=5 -d 0.1 --config kept.json; "
       "echo it ended with $?\r")
NAMED = "F3 F4 F5 F6 F7 F8 F9 F11 F12 S-← S-→ IC DC Ctrl-L Ctrl-N Ctrl-P ↑ ↓ PgUp PgDn Home End Ctrl-R".split()
TYPED = [chr(c) for c in range(33, 127)]
# Place: keys that open it, words that it shows, keys that are not pressed in it.
PLACES = {
    "help": ("?", "Help", "?hqE\033"),
    "messages": ("E", "Messages", "?hqE\033"),
    "event list": ("e", ": event", ["Ctrl-R"]),
    "metric list": ("M", "Metrics", []),
    "preset list": ("P", "Presets", "R"),
    "columns": ("C", "Columns of", []),
    "settings": ("F2", "Settings", []),
    "interval": ("d", "interval:", []),
    "filter": ("\\", "filter:", []),
    "search": ("/", "search:", []),
}

# View: keys that lead to it from Cores.
VIEWS = {"Tasks": ["Tab"], "Task": ["Tab", "Enter"], "Hot": ["Tab", "H"], "Metrics": ["Tab"] * 2, "Graph": ["Tab"] * 3, "Heat": ["Tab"] * 4,
         "Events": ["Tab"] * 5}
# Keys of Help that count something else, or open a list or a prompt; t is pressed last.
BY_THEIR_TEXT = "e Enter ] [ x M P b R K U Y u a T C F2 / F3 \\ F4 t".split()
# A key of a view's own that does so.
OWN = {"Hot": "F"}


def started(pane, folder):
    """Start it on a halted machine with an empty configuration."""
    with open(os.path.join(folder, "kept.json"), "w", encoding="utf-8") as file:
        file.write("{}")
    pane.type(f"clear; {RUN}".encode())
    pane.wait("halted")
    settle(pane)


def settle(pane):
    """Until all keys are handled, and the status line has no message."""
    pane.press("F12")
    pane.wait("F12: no such key")
    pane.press("Esc")
    pane.escape_ends()
    pane.until(lambda: not pane.shows("no such key"), "the message stays")


def shown(pane, *keys):
    """Press keys. @return the lines between header and status line, when all are handled"""
    for key in keys:
        pane.press(key)
        if key == "Esc":
            pane.escape_ends()
    for key in ("F11", "F12"):
        pane.press(key)
        pane.wait(f"{key}: no such key")
    return pane.screen().splitlines()[2:-1]


def behind(view):
    """@return keys that change Cores from a view that does not change"""
    with tempfile.TemporaryDirectory(prefix=f"m1top-behind-{view}-") as folder, Pane(folder) as pane:
        try:
            started(pane, folder)
            listed, _ = read_help(pane)
            keys = [key for group in ("Counters", "Picture", "Rows") for key in listed[group] if key not in BY_THEIR_TEXT]
            cores, faults = shown(pane), []
            for key in [*keys, "F", "t"]:  # unfolded again
                if key == OWN.get(view):
                    continue
                before = shown(pane, *VIEWS[view])
                after = shown(pane, key)
                pane.mouse(0, *pane.find("Cores"))
                now = shown(pane, "End")
                if now != cores and after == before:
                    faults.append(f"{key} acts behind {view}")
                cores = now
            return faults if len(keys) > 30 else [f"keys: {keys}"]
        except AssertionError as error:
            return [str(error)]


def play(place):
    """@return what is wrong"""
    key, word, left_out = PLACES[place]
    rng = random.Random(place)
    keys = [k for k in NAMED + TYPED if k not in left_out]
    with tempfile.TemporaryDirectory(prefix=f"m1top-inert-{place.replace(' ', '-')}-") as folder, Pane(folder) as pane:
        try:
            started(pane, folder)
            before, files = pane.screen(), sorted(os.listdir(folder))
            for _ in range(max(1, KEYS // len(PLACES) // 100)):
                pane.press(key)
                pane.wait(word)
                pane.press(*rng.choices(keys, k=100))
                pane.until(pane.taken, "keys are not read")
                # a search first, then its place
                for _ in range(3):
                    pane.press("Esc")
                    pane.escape_ends()
                pane.press("Home", "End")
                settle(pane)
                pane.until(lambda: pane.screen() == before, f"the screen was\n{before}")
            return [] if sorted(os.listdir(folder)) == files else [f"written: {os.listdir(folder)}"]
        except AssertionError as error:
            return [str(error)]


def main():
    tap = Tap()
    if not has_tmux():
        print("1..0 # SKIP tmux is not installed")
        return
    for place in PLACES:
        tap.test(f"keys in {place}", play(place))
    for view in VIEWS:
        tap.test(f"keys in {view}", behind(view))
    tap.end()


if __name__ == "__main__":
    main()
