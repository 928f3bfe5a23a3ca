#!/usr/bin/env python3
"""kills.py: kill -9 at random moments while a session is written: every file reads, little is lost

usage: tests/e2e/kills.py [COUNT]     KILLS=200 sets COUNT too, SEED the moments

Each round starts m1top on the simulation, `stat -o` or the live screen with its log, plain or
compressed, kills it, and reads the file back with `replay`. Of what was there at the moment of the
kill at most a second may be missing.
"""
import contextlib
import csv
import glob
import os
import pty
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

import serving

LOST_MAX_S = 1.0
SLACK_S = 0.6  # start-up, the interval; and how long a busy machine keeps its threads waiting
INTERVAL_S = .02


def start(m1top, live, path):
    options = ["--backend", "sim:seed=3", "-o", path]
    if not live:
        return subprocess.Popen([m1top, "stat", "-I", "20", *options],
                                stderr=subprocess.DEVNULL), None
    master, slave = pty.openpty()
    env = dict(os.environ, TERM="xterm", LINES="24", COLUMNS="80")
    process = subprocess.Popen([m1top, "-d", "0.02", *options], stdin=slave, stdout=slave,
                               stderr=slave, env=env, start_new_session=True)
    os.close(slave)
    return process, master


def drain(master, until):
    """Take what the screen draws, or it would stand still; until the moment has come."""
    import select
    while True:
        left = until - time.monotonic()
        if left <= 0:
            return
        if master is None:
            time.sleep(left)
        elif select.select([master], [], [], left)[0]:
            try:
                os.read(master, 65536)
            except OSError:
                time.sleep(max(0, until - time.monotonic()))
                return


def wait_for(path, master, process):
    """Until the file is there: the session has begun."""
    end = time.monotonic() + 120
    while not (os.path.exists(path) and os.path.getsize(path)):
        if process.poll() is not None or time.monotonic() > end:
            return False
        drain(master, time.monotonic() + 0.01)
    return True


def runs(pid):
    """How often its threads have run."""
    n = 0
    for path in glob.glob(f"/proc/{pid}/task/*/schedstat"):
        with contextlib.suppress(OSError), open(path, encoding="ascii") as file:
            n += int(file.read().split()[2])
    return n


class Lateness:
    """The longest that the machine kept a thread of ours or the whole process waiting meanwhile."""

    def __init__(self, pid):
        self.pid, self.longest_s, self.since, self.over = pid, 0, time.monotonic(), threading.Event()
        self.thread = threading.Thread(target=self.watch)

    def watch(self):
        at = ran_at = self.since
        n_runs, is_over = runs(self.pid), False
        while not is_over:
            is_over = self.over.wait(.01)  # a stall just before it counts, too
            at, before, n_before, n_runs = time.monotonic(), at, n_runs, runs(self.pid)
            self.longest_s = max(self.longest_s, at - before - .01, at - ran_at - INTERVAL_S)
            ran_at = ran_at if n_runs and n_runs == n_before else at  # 0: the kernel does not tell

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()


def last_time(text):
    rows = [line for line in text.splitlines() if line and line[0] not in "#t"]
    return float(next(csv.reader([rows[-1]]))[1]) if rows else 0.0


def one(m1top, folder, n, rng):
    """@return None, or what is wrong"""
    live, packed = bool(n & 1), bool(n & 2) and not serving.lacks("compressed")
    path = os.path.join(folder, f"{n}.csv" + (".zst" if packed else ""))
    process, master = start(m1top, live, path)
    began = wait_for(path, master, process)
    with Lateness(process.pid) as lateness:
        at = time.monotonic()
        if began:
            drain(master, at + rng.uniform(0, 2.5))
        ran_s = time.monotonic() - at
        process.send_signal(signal.SIGKILL)
    lost_max_s = LOST_MAX_S + SLACK_S + 4 * lateness.longest_s
    process.wait()
    if master is not None:
        os.close(master)
    what = f"{'live' if live else 'stat'}{' .zst' if packed else ''} after {ran_s:.3f} s"
    if not began:
        return f"{what}: no file"
    back = subprocess.run([m1top, "replay", "--to-stat", "--format", "csv", path],
                          capture_output=True, text=True, check=False)
    if packed and not back.stdout and ran_s < lost_max_s:
        return None  # not yet a whole block
    if back.returncode:
        return f"{what}: {back.stderr.strip()}"
    lost_s = ran_s - last_time(back.stdout)
    if lost_s > lost_max_s:
        return f"{what}: the last {lost_s:.3f} s are missing"
    return None


def main():
    count = int(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("KILLS", "12"))
    rng = random.Random(int(os.environ.get("SEED", "1")))
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    m1top = os.environ.get("M1TOP", os.path.join(root, "m1top"))
    os.environ["M1TOP_EVENTS"] = os.path.join(root, "events")
    with tempfile.TemporaryDirectory() as folder:
        wrong = [text for text in (one(m1top, folder, n, rng) for n in range(count)) if text]
    for text in wrong:
        print("# " + text)
    print(f"{'not ok' if wrong else 'ok'} 1 - {count} kills: every file reads, "
          f"at most {LOST_MAX_S:.0f} s is missing")
    print("1..1")
    return bool(wrong)


sys.exit(main())
