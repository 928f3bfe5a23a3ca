#!/usr/bin/env python3
"""monkey.py: keys, mouse and sizes at random: the screen lives, answers ?, quits with 0. TAP.

usage: tests/e2e/monkey.py [SEED…]    ACTIONS=5000 for more of them

Odd seeds play on the live screen, even ones on a recorded session. The same seed does the same.
Nothing that ends or suspends the program is among it, nor what would let it write outside its folder.
"""
import concurrent.futures
import os
import random
import sys
import tempfile

from serving import M1TOP, ROOT, Tap

sys.path.insert(0, os.path.join(ROOT, "tests", "screens"))
from pane import Pane, has_tmux  # noqa: E402

ACTIONS = int(os.environ.get("ACTIONS", 250))
SETTLE_EVERY = 10  # actions, then what was typed has been read
SIM = "--backend sim:seed=7,cores=12,smmu=1"
COMMANDS = [f"'{M1TOP}' stat {SIM},clock=virtual -I 100 -n 300 -o recorded.csv; "
            f"'{M1TOP}' replay recorded.csv --config kept.json",
            f"'{M1TOP}' {SIM} -d 0.02 --config kept.json --history 1M"]

KEYS = ("Tab S-Tab Enter Esc Space ↑ ↓ ← → S-← S-→ PgUp PgDn Home End F1 F4 Ctrl-L Ctrl-R "
        "Ctrl-N Ctrl-P BSpace DC IC F2 F12").split()
LETTERS = [chr(c) for c in range(33, 127) if chr(c) not in "q/"] + list("é€𝄞") + ["/cpu1\r", "/mis"]
SIZES = [(80, 24), (120, 40), (40, 10), (39, 9), (1, 1), (2, 50), (200, 1), (300, 100), (60, 14)]
# Ctrl-C, Ctrl-\\ and Ctrl-Z end it; Ctrl-U and rubbing out let other file names be typed; Ctrl-S and
# Ctrl-Q: stopped.py.
BYTES = [c for c in range(256) if c not in b"\x03\x08\x11\x13\x15\x1a\x1c\x7fq/"]
MOUSE = [0, 0, 0, 1, 2, 3, 32, 35, 64, 65, 64, 65, 128]


def press(rng, pane):
    pane.press(*rng.choices(KEYS, k=rng.randint(1, 4)))


def letters(rng, pane):
    pane.type("".join(rng.choices(LETTERS, k=rng.randint(1, 5))).encode())


def point(rng, pane):
    width, height = pane.size
    x, y = rng.randint(1, width + 2), rng.randint(1, height + 2)
    for _ in range(rng.choice([1, 1, 2])):
        pane.mouse(rng.choice(MOUSE), x, y)


def point_old(rng, pane):
    pane.type(b"\033[M" + bytes(rng.choice(BYTES) for _ in range(3)))


def resize(rng, pane):
    pane.resize(*rng.choice(SIZES))


def garbage(rng, pane):
    pane.type(bytes(rng.choices(BYTES, k=rng.randint(1, 12))))


# What it does, and how often.
DOES = {press: 10, letters: 12, point: 8, point_old: 1, resize: 2, garbage: 1}


def act(rng, pane):
    """One action. @return its name"""
    does = rng.choices(list(DOES), DOES.values())[0]
    does(rng, pane)
    return does.__name__


def leaves(pane):
    """From wherever it is: to Help, and out."""
    pane.resize(80, 24)
    pane.wait("Cores")  # where the screen is too small keys do nothing
    pane.press("Esc")
    pane.until(pane.taken, "keys are not read")
    pane.press("Esc", "Esc", "Ctrl-L")
    pane.press("?")
    pane.wait("Help   Esc")
    pane.press("Esc", "q")
    pane.wait("it ended with 0")


def monkey(seed):
    """@return what is wrong"""
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix=f"m1top-monkey-{seed}-") as folder:
        with open(os.path.join(folder, "kept.json"), "w", encoding="utf-8") as file:
            file.write("{}")
        pane = Pane(folder)
        done = []
        try:
            before = pane.left_behind()
            pane.type(f"clear; {COMMANDS[seed % 2]}; echo it ended with $?\r".encode())
            pane.until(lambda: pane.about("#{alternate_on}") == "1", "no screen")
            for n in range(ACTIONS):
                done.append(act(rng, pane))
                if n % SETTLE_EVERY == 0:
                    pane.until(pane.taken, "keys are not read")
                if not pane.child():
                    return [f"it ended after {n} actions, {done[-10:]}\n{pane.screen().rstrip()}"]
            leaves(pane)
            if pane.left_behind() != before:
                return [f"{pane.left_behind()}, before: {before}"]
        except AssertionError as error:
            return [str(error)]
        finally:
            pane.close()
    return []


def main():
    tap = Tap()
    if not has_tmux():
        print("1..0 # SKIP tmux is not installed")
        return
    seeds = [int(seed) for seed in sys.argv[1:]] or [1, 2]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for seed, faults in zip(seeds, pool.map(monkey, seeds)):
            tap.test(f"{ACTIONS} actions of seed {seed}", faults)
    tap.end()


if __name__ == "__main__":
    main()
