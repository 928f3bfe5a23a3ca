#!/usr/bin/env python3
"""inert.py: keys at random in help, lists and prompts: no event, row or order changes behind them, no file is written. TAP.

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

KEYS = int(os.environ.get("KEYS", 3000))
RUN = (f"{shlex.quote(M1TOP)} --backend sim:seed=7,clock=virtual,halt=12 -d 0.1 --config kept.json; "
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


def play(place):
    """@return what is wrong"""
    key, word, left_out = PLACES[place]
    rng = random.Random(place)
    keys = [k for k in NAMED + TYPED if k not in left_out]
    with tempfile.TemporaryDirectory(prefix=f"m1top-inert-{place.replace(' ', '-')}-") as folder:
        with open(os.path.join(folder, "kept.json"), "w", encoding="utf-8") as file:
            file.write("{}")
        pane = Pane(folder)
        try:
            pane.type(f"clear; {RUN}".encode())
            pane.wait("halted")
            pane.press("Esc")
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
                pane.press("Home", "F12")
                pane.wait("F12: no such key")
                pane.press("End")
                pane.press("Esc")
                pane.escape_ends()
                pane.until(lambda: pane.screen() == before, f"the screen was\n{before}")
            return [] if sorted(os.listdir(folder)) == files else [f"written: {os.listdir(folder)}"]
        except AssertionError as error:
            return [str(error)]
        finally:
            pane.close()


def main():
    tap = Tap()
    if not has_tmux():
        print("1..0 # SKIP tmux is not installed")
        return
    for place in PLACES:
        tap.test(f"keys in {place}", play(place))
    tap.end()


if __name__ == "__main__":
    main()
