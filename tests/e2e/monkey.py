#!/usr/bin/env python3
"""monkey.py: keys, mouse and sizes at random: the screen lives, answers ?, quits with 0. TAP.

usage: tests/e2e/monkey.py [SEED…]    ACTIONS=5000 for more of them

Seed 1 plays on the live screen, 2 on a recorded session, and so on through START. The same seed does the same.
Nothing that ends or suspends the program is among it, nor what would let it write outside its folder.
"""
import concurrent.futures
import itertools
import os
import random
import shlex
import sys
import tempfile
import time

from serving import M1TOP, ROOT, Tap

sys.path.insert(0, os.path.join(ROOT, "tests", "screens"))
from pane import Pane, has_tmux  # noqa: E402

ACTIONS = int(os.environ.get("ACTIONS", 250))
SETTLE_EVERY = 10  # actions, then what was typed has been read
SIM = "--backend sim:seed=7,cores=12,smmu=1"
STAT = f"{shlex.quote(M1TOP)} stat {SIM},clock=virtual -I 100 -o recorded.csv"
REPLAY = f"{shlex.quote(M1TOP)} replay recorded.csv --config kept.json"
# Each kind of session that is replayed, and a word that its Cores view always shows.
START = {
    "live": f"{shlex.quote(M1TOP)} {SIM} -d 0.02 --config kept.json --history 1M",
    "recorded": f"{STAT} -n 300; {REPLAY}",
    "software only": f"cp software.csv recorded.csv; {REPLAY}",
    "metrics only": f"{STAT} -n 9 -M IPC; {REPLAY}",
    "tasks": f"{STAT} -n 30 --by task; {REPLAY}",
    "devices": f"{STAT} -n 30 -e SMMU_CYCLES,cycles; {REPLAY}",
    "one frame": f"{STAT} -n 1 -e cycles; {REPLAY}",
    "cut off": f"{STAT} -n 30; truncate -s -37 recorded.csv; {REPLAY}",
    "damaged later": f"{STAT} -n 30; sed -i '900s/,/,x/7' recorded.csv; {REPLAY}",
    "functions": f"{shlex.quote(M1TOP)} --backend sim:functions=5,cores=6 -d 0.05 --config kept.json",
}

# No main metric can be formed of it.
SOFTWARE = """# m1top session 1
# host vm kernel 6.1.0 backend perf interval_ms 100 started 2026-11-25T13:02:31.202+00:00
# machine "Two cores" cpuid=AuthenticAMD-25-11-1 simulated=0
# type cpu pmu= counters=0 width=64 slot_is_counter=0 first_fit=0
# cpu 0 type=cpu cluster=0 midr=0x0
# cpu 1 type=cpu cluster=0 midr=0x0
# set 1 type=cpu slot=0 pmu=software event=context-switches config=0x3 width=64 unit= scale=1
tick,time_s,cpu,type,pmu,slot,pid,event,count,enabled_ns,running_ns,quality,error
""" + "".join(f"{n},{n / 10:.9f},{cpu},cpu,software,0,,context-switches,{356 * n},100000000,100000000,ok,\n"
              for n in range(1, 6) for cpu in (0, 1))

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
    sizes = itertools.cycle([(80, 24), (81, 24)])

    def usable():
        # where the screen is too small keys do nothing; the bar shows some of the first views, the last, or both
        if pane.shows("Cores") or pane.shows("Heat") or pane.shows("Messages"):
            return True
        # a size that changes and is back within 250 ms tmux clears, and does not report
        pane.resize(*next(sizes))
        time.sleep(.5)
        return False

    if pane.size[0] < 60 or pane.size[1] < 14:  # what is seen may be of the size before
        time.sleep(.5)
        pane.resize(*next(sizes))
        time.sleep(.5)
    pane.until(usable, "no screen of a size to use")
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
        with open(os.path.join(folder, "software.csv"), "w", encoding="utf-8") as file:
            file.write(SOFTWARE)
        pane = Pane(folder)
        done = []
        try:
            before = pane.left_behind()
            pane.type(f"clear; {list(START.values())[(seed - 1) % len(START)]}; echo it ended with $?\r".encode())
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
    seeds = [int(seed) for seed in sys.argv[1:]] or range(1, len(START) + 1)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for seed, faults in zip(seeds, pool.map(monkey, seeds)):
            tap.test(f"{ACTIONS} actions of seed {seed}, {list(START)[(seed - 1) % len(START)]}", faults)
    tap.end()


if __name__ == "__main__":
    main()
