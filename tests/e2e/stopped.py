#!/usr/bin/env python3
"""stopped.py: a terminal that stands still, by Ctrl-S or as nobody reads it, stops nothing else. TAP.

The live screen samples at 10 ms with a log for STOPPED_S seconds (30 in CI, else 4) while it cannot
draw: no tick is missing for that, keys take effect, and it can be ended. A program that was stopped itself has missed
ticks, and what it answered to a key stays.
"""
import concurrent.futures
import csv
import fcntl
import os
import pty
import select
import shlex
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

from serving import M1TOP, ROOT, Tap

sys.path.insert(0, os.path.join(ROOT, "tests", "screens"))
from pane import Pane, has_tmux  # noqa: E402

INTERVAL_S = .01
CORES = 8
LEAVES_SCREEN = b"\033[?1049l"
SHOWS_CURSOR = b"\033[?12l\033[?25h"
CTRL_L, CTRL_Q, CTRL_S = b"\x0c", b"\x11", b"\x13"
HOLE_MAX_S = 2  # beyond ticks that the core threads say they missed; a screen that waits leaves one as long as it waits
END_S = 120
PAUSE_S = 10  # a message of missed ticks appears at most so often
SANITIZED = bool(os.environ.get("SAN"))
STOPPED_S = float(os.environ.get("STOPPED_S", 30 if os.environ.get("CI") and not SANITIZED else 4))


def ahead_of_others():
    """Where it is allowed, what else runs on the machine makes no tick late."""
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    except OSError:
        pass


class Screen:
    """The live screen with a log, on a pty that is read only while it `flows`."""

    def __init__(self, folder):
        self.log = os.path.join(folder, "log.csv")
        config = os.path.join(folder, "no-tasks.json")  # which are six times as many rows
        with open(config, "w", encoding="utf-8") as file:
            file.write('{"tasks": false}')
        self.terminal, self.program_side = pty.openpty()
        # one picture is more than a pty holds
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 100, 300, 0, 0))
        self.settings = termios.tcgetattr(self.program_side)
        self.drawn = b""
        self.looked_at = 0  # of the log
        self.flows = threading.Event()
        self.flows.set()
        self.process = subprocess.Popen(
            [M1TOP, "--backend", "sim:seed=3", "-d", str(INTERVAL_S), "--config", config,
             "--budget", "100", "-o", self.log], stdin=self.program_side, stdout=self.program_side,
            stderr=self.program_side, env=dict(os.environ, TERM="xterm-256color"),
            start_new_session=True, preexec_fn=ahead_of_others)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        while self.flows.wait() and self.terminal >= 0:
            if select.select([self.terminal], [], [], .02)[0] and self.flows.is_set():
                self.drawn += os.read(self.terminal, 65536)

    def type(self, keys):
        os.write(self.terminal, keys)

    def takes_nothing(self):
        return not select.select([], [self.program_side], [], 0)[1]

    def repaint(self):
        self.type(CTRL_L)
        return True

    def logged(self, text):
        """Whether it is in what was written since it was asked before: the log grows faster than a busy machine reads all of it."""
        with open(self.log, "rb") as file:
            file.seek(self.looked_at)
            new = file.read()
        self.looked_at += new.rfind(b"\n") + 1
        return text in new

    def end(self):
        """Wait for it. @return did it end by itself?"""
        try:
            self.process.wait(END_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return False
        return True

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        terminal, self.terminal = self.terminal, -1
        self.flows.set()
        self.reader.join()
        os.close(terminal)
        os.close(self.program_side)


def until(holds, limit_s=120):
    end = time.monotonic() + limit_s
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(.02)
    return True


def log_faults(path, at_least_s):
    """What is missing in a log: how many ticks the machine missed, and what may never be."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    gaps = [line for line in lines if line.startswith("# gap")]
    n_missed = sum(int(line.split()[3]) for line in gaps if line.endswith("(missed)"))
    never = [line for line in gaps if not line.endswith("(missed)")]
    # of each core and tick the first counter is enough
    rows = list(csv.DictReader(line for line in lines if line.startswith("tick") or line.split(",", 7)[5:7] == ["0", ""]))
    ticks = {}
    for row in rows:
        ticks.setdefault(int(row["tick"]), set()).add(row["cpu"])
    holes = sorted(set(range(1, max(ticks) + 1)) - set(ticks))
    if holes and not gaps:
        never.append(f"ticks {holes} are missing without a word")
    n_missed += sum(len(cpus) != CORES for cpus in list(ticks.values())[:-1])
    times = sorted(float(row["time_s"]) for row in rows)
    hole_s = max((b - a for a, b in zip(times, times[1:])), default=0)
    if hole_s > HOLE_MAX_S + n_missed * INTERVAL_S:
        never.append(f"nothing for {hole_s:.2f} s")
    if float(rows[-1]["time_s"]) < at_least_s:
        never.append(f"it ends at {rows[-1]['time_s']} s and not after {at_least_s:.2f} s")
    back = subprocess.run([M1TOP, "report", path], capture_output=True, text=True, check=False)
    if back.returncode:
        never.append("report: " + back.stderr.strip())
    return n_missed, never


def ends(screen, has_drawn, faults):
    """It must end, with its terminal as it was."""
    if not screen.end():
        faults.append(f"it did not end in {END_S} s")
    if screen.process.returncode:
        faults.append(f"exit status {screen.process.returncode}")
    if termios.tcgetattr(screen.program_side) != screen.settings:
        faults.append("the terminal's settings are not as they were")
    if has_drawn and not until(lambda: LEAVES_SCREEN in screen.drawn and SHOWS_CURSOR in screen.drawn):
        faults.append("the screen is not as it was")


def ctrl_s(screen, stop):
    screen.type(CTRL_S if stop else CTRL_Q)


def nobody_reads(screen, stop):
    if stop:
        screen.flows.clear()
    else:
        screen.flows.set()


def play(screen, still, leave, faults):
    """Stop the terminal for a while, press keys, leave. @return the least that the log holds"""
    if not until(lambda: b"SIMULATED" in screen.drawn and os.path.exists(screen.log)):
        faults.append("no screen")
        return 0
    seen = time.monotonic()
    still(screen, True)
    if not until(lambda: screen.repaint() and screen.takes_nothing()):
        faults.append("the terminal was not stopped")
    time.sleep(.3)  # who waits for the terminal is waiting by now
    screen.type(b"5mwhile stopped\r")
    time.sleep(STOPPED_S if leave is later else .5)
    if not until(lambda: screen.logged(b'"while stopped"')):
        faults.append("keys did nothing")
    least_s = time.monotonic() - seen - 2 * INTERVAL_S
    leave(screen, still, faults)
    ends(screen, still is ctrl_s or leave is later, faults)
    return least_s


def later(screen, still, faults):
    """It draws again, and what was pressed is to be seen; q leaves."""
    drawn = len(screen.drawn)
    still(screen, False)
    if not until(lambda: b"retired, calls and returns" in screen.drawn[drawn:]):
        faults.append("what the keys did is not shown")
    screen.type(b"q")


def by_term(screen, _still, _faults):
    screen.process.send_signal(signal.SIGTERM)


def by_q(screen, _still, _faults):
    screen.type(b"q")


def case(still, leave):
    """@return what is wrong"""
    faults, n_missed, never = [], 0, ["no log"]
    with tempfile.TemporaryDirectory(prefix="m1top-stopped-") as folder:
        screen = Screen(folder)
        try:
            least_s = play(screen, still, leave, faults)
        finally:
            screen.close()
        if os.path.exists(screen.log):
            n_missed, never = log_faults(screen.log, least_s)
    print(f"# {n_missed} ticks missed by the machine itself", flush=True)
    return faults + never


CASES = [
    (f"Ctrl-S for {STOPPED_S:g} s at 10 ms: no tick is missing in the log for it", ctrl_s, later),
    (f"nobody reads for {STOPPED_S:g} s: likewise", nobody_reads, later),
    ("SIGTERM while Ctrl-S holds ends it, with the terminal as it was", ctrl_s, by_term),
    ("SIGTERM while nobody reads ends it", nobody_reads, by_term),
    ("q while Ctrl-S holds ends it, with the terminal as it was", ctrl_s, by_q),
]


def answer_stays():
    """@return what is wrong"""
    answer = "nothing to undo"
    with tempfile.TemporaryDirectory(prefix="m1top-missed-") as folder:
        with Pane(folder) as pane:
            # without a shell that takes the terminal from a program that is stopped, or tmux as parent, which lets it go on
            command = f"{shlex.quote(M1TOP)} --backend sim:seed=3 -d {INTERVAL_S} --config /dev/null --budget 100"
            pane.type(f"exec sh -c {shlex.quote(command + '; :')}\r".encode())
            pane.wait("SIMULATED")
            pane.press("u")
            pane.wait(answer)
            end = time.monotonic() + 1.2 * PAUSE_S
            while time.monotonic() < end and pane.shows(answer):
                os.kill(pane.child(), signal.SIGSTOP)
                time.sleep(.3)
                os.kill(pane.child(), signal.SIGCONT)
                time.sleep(.3)
            # a virtual machine may be suspended meanwhile, which is said instead
            kept = pane.shows(answer) or pane.shows("the machine was suspended")
            faults = [] if kept else ["the answer is gone:", *pane.screen().splitlines()[-3:]]
            pane.press("E")
            pane.wait("ticks missed")
            return faults


def main():
    os.environ["M1TOP_EVENTS"] = os.path.join(ROOT, "events")
    tap = Tap()
    with concurrent.futures.ThreadPoolExecutor(len(CASES)) as pool:
        for (name, _, _), faults in zip(CASES, pool.map(lambda c: case(*c[1:]), CASES)):
            tap.test(name, faults)
    if has_tmux():
        tap.test("the answer to a key stays when ticks were missed", answer_stays())
    print(f"1..{tap.n}")
    return tap.failed


sys.exit(main())
