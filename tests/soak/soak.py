#!/usr/bin/env python3
"""soak.py: everything at once, for hours: nothing crashes, nothing hangs, and memory does not grow.

usage: tests/soak/soak.py [HOURS]     Ctrl-C ends it early; SEED=… changes sessions and presses keys as another run did

Three programs live from begin to end: the live screen at 10 ms under random keys, `serve` under attack, `stat` at 1 ms.
Beside them run the fuzzers by turns, and report and replay on recorded sessions with mistakes. What
happened so far, memory and open files go into build/soak/WHEN.csv each minute; the first fault ends it.
"""
import collections
import contextlib
import os
import platform
import random
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time
from http.client import HTTPException

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
os.environ.setdefault("LIMIT_S", "600")  # the pane's; the machine is busy
sys.path[:0] = [os.path.join(ROOT, "tests", "e2e"), os.path.join(ROOT, "tests", "screens")]
import attack  # noqa: E402
import document  # noqa: E402
import monkey  # noqa: E402
import mutations  # noqa: E402
from document import COUNTED, WATCHED  # noqa: E402
from pane import Pane  # noqa: E402
from serving import M1TOP  # noqa: E402

PERIOD_S = 60
JUDGED_FROM_S = 1800
# The last quarter's maximum may be so much above the second quarter's.
MEMORY_GROWS, MEMORY_MIB, FILES = 1.05, 2, 8
LOG_SIZE = ("--log-limit", "8M")
# How many requests each count of the attackers' is.
REQUESTS = (1, 1, 100, 100, 1, 1)
SCREEN = f"{shlex.quote(M1TOP)} {monkey.SIM} -d 0.01 --config kept.json --history 1M"


class Soak:
    def __init__(self, hours):
        self.seconds, self.start = hours * 3600, time.monotonic()
        self.over = threading.Event()
        self.fault, self.is_stopped = None, False
        self.seed = int(os.environ.get("SEED", random.randrange(1 << 32)))
        self.count = dict.fromkeys(COUNTED, 0)
        self.folder = tempfile.TemporaryDirectory(prefix="m1top-soak-")
        self.kept = os.path.join(ROOT, "build", "soak")
        self.csv = os.path.join(self.kept, time.strftime("%Y%m%d-%H%M%S.csv"))
        os.makedirs(self.kept, exist_ok=True)
        with open(self.csv, "w", encoding="utf-8") as file:
            print(time.strftime("# %Y-%m-%d %H:%M, ") + f"{os.cpu_count()} CPUs, {platform.system()} "
                  f"{platform.release()} {platform.machine()}, seed {self.seed}", file=file)
            print("seconds", *COUNTED, *(f"{name}_{of}" for name in WATCHED for of in ("mib", "files")), sep=",",
                  file=file)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def fail(self, why):
        """What comes after the end, or after another fault, does not count."""
        if not self.over.is_set():
            self.fault = why
            self.over.set()

    def work(self, does, *arguments):
        """On a thread of its own, again and again."""
        def run():
            try:
                while not self.over.is_set():
                    does(self, *arguments)
            except Exception as error:  # pylint: disable=broad-except
                self.fail(f"{does.__name__}: {type(error).__name__}: {error}")
        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        return thread


# What it does, each on its thread

def fuzz(soak):
    """All fuzzers by turns."""
    seconds = max(1, min(60, int(soak.seconds / 8)))
    said = collections.deque(maxlen=60)
    env = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL")}
    with subprocess.Popen(["make", "fuzz", f"SECONDS={seconds}"], cwd=ROOT, env=env, text=True, errors="replace",
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as make:
        for line in make.stdout:
            said.append(line)
            if re.fullmatch(r" *\d+\n", line):
                soak.count["executions"] += int(line)
    if make.returncode:
        raise AssertionError("".join(said))


def mutate(soak, rng, paths):
    wrong = mutations.mutation(rng, paths, soak.kept)
    soak.count["mutations"] += 1
    if wrong:
        raise AssertionError(wrong)


def play(soak, rng, pane, pid):
    for _ in range(monkey.SETTLE_EVERY):
        monkey.act(rng, pane)
    pane.until(lambda: pane.taken() or pane.child() != pid, "keys are not read")
    soak.count["keys"] += monkey.SETTLE_EVERY
    if pane.child() != pid:
        pane.resize(80, 24)
        pane.wait("it ended with")
        raise AssertionError(pane.screen().strip())


def listen(_, server, said):
    """What it says is taken, or its pipe would be full some time."""
    said.append(os.read(server.process.stderr.fileno(), 4096).decode(errors="replace"))
    if not said[-1]:
        raise AssertionError(f"serve ended: {''.join(said)}")


# What is watched

def clear(folder):
    """Away with the logs and sessions that keys wrote some time ago."""
    for entry in os.scandir(folder):
        with contextlib.suppress(FileNotFoundError):
            if entry.name not in ("kept.json", "tmux.conf") and time.time() - entry.stat().st_mtime > PERIOD_S:
                os.unlink(entry.path)


def used(pid):
    """@return memory in MiB and the number of open files"""
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        resident = re.search(r"VmRSS:\s+(\d+)", file.read())
    if not resident:
        raise AssertionError(f"process {pid} ended")
    try:
        return int(resident[1]) / 1024, len(os.listdir(f"/proc/{pid}/fd"))
    except PermissionError:  # only root sees those of serve
        return int(resident[1]) / 1024, 0


def note(soak, pids, attackers):
    """A line for the file, and one to read."""
    soak.count["requests"] = sum(n * times for n, times in zip(attackers.counts, REQUESTS))
    row = [f"{time.monotonic() - soak.start:.0f}", *(str(soak.count[name]) for name in COUNTED)]
    line = f"{int(row[0]) / 60:5.1f} min  " + "  ".join(f"{soak.count[name]:,} {name}" for name in COUNTED)
    for name in WATCHED:
        mib, n_files = used(pids[name])
        row += [f"{mib:.2f}", str(n_files)]
        line += f"  {name} {mib:.1f} MiB {n_files} files"
    with open(soak.csv, "a", encoding="utf-8") as file:
        print(*row, sep=",", file=file)
    print(line, flush=True)


def watch(soak, pids, attackers, server, folder):
    """Until the time is over, something is wrong, or Ctrl-C."""
    period_s, n = min(PERIOD_S, soak.seconds / 12), 0
    while n * period_s < soak.seconds:
        n += 1
        if soak.over.wait(max(0, soak.start + n * period_s - time.monotonic())):
            return
        clear(folder)
        attack.scrape(server)
        note(soak, pids, attackers)


def bounded(rows):
    """@return what grows"""
    quarter = len(rows) // 4
    for name in WATCHED:
        for what, times, more in (("mib", MEMORY_GROWS, MEMORY_MIB), ("files", 1, FILES)):
            values = [row[f"{name}_{what}"] for row in rows]
            before, after = max(values[quarter:2 * quarter]), max(values[-quarter:])
            if after > before * times + more:
                yield f"{name} grows: {before:g} {what} at most in the second quarter, {after:g} in the last"


# From begin to end

def start_screen(folder):
    os.mkdir(folder)
    with open(os.path.join(folder, "kept.json"), "w", encoding="utf-8") as file:
        file.write("{}")
    pane = Pane(folder)
    pane.type(f"clear; {SCREEN}; echo it ended with $?; sleep infinity\r".encode())  # the shell takes no key
    pane.until(lambda: pane.about("#{alternate_on}") == "1", "no screen")
    return pane, pane.child()


def start_stat(soak):
    """On this machine's counters where it may."""
    log = ["-I", "1", "--budget", "100", "-o", soak.path("stat.log"), *LOG_SIZE]
    may = subprocess.run([M1TOP, "stat", "-n", "1", "-I", "1"], check=False, capture_output=True).returncode == 0
    return subprocess.Popen([M1TOP, "stat", *log, *([] if may else ["--demo"])], stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def end(soak, player, pane, processes):
    """All three answer, and end with 0."""
    soak.over.set()
    player.join()
    try:
        monkey.leaves(pane)
        for name, process in processes.items():
            process.terminate()
            if process.wait(120):
                raise AssertionError(f"{name} ended with {process.returncode}")
    except (AssertionError, subprocess.SubprocessError) as error:
        soak.fault = str(error)


def live(soak):
    """All of it, until it is over."""
    with contextlib.ExitStack() as stack:
        sessions = mutations.recordings(soak.folder.name)
        server = stack.enter_context(attack.serve(*LOG_SIZE))
        attackers = attack.Attack(server.port)
        stack.callback(attackers.end)
        stat = stack.enter_context(start_stat(soak))
        stack.callback(stat.terminate)
        pane, screen = start_screen(soak.path(f"keys-{soak.seed}"))
        stack.callback(pane.close)
        stack.callback(soak.over.set)
        soak.work(listen, server, collections.deque(maxlen=20))
        soak.work(fuzz)
        soak.work(mutate, random.Random(soak.seed), sessions)
        player = soak.work(play, random.Random(soak.seed), pane, screen)
        try:
            watch(soak, {"screen": screen, "serve": server.process.pid, "stat": stat.pid}, attackers, server,
                  soak.path(f"keys-{soak.seed}"))
        except (AssertionError, OSError, HTTPException) as error:
            soak.over.wait(60)  # whoever works with what ended knows more
            soak.fail(f"{type(error).__name__}: {error}")
        if not soak.over.is_set():
            end(soak, player, pane, {"serve": server.process, "stat": stat})


def result_of(soak):
    """Judge, write it below the figures. @return whether all is well"""
    rows = document.read(soak.csv)[1]
    grows = list(bounded(rows)) if rows and rows[-1]["seconds"] >= JUDGED_FROM_S else None
    faults = [soak.fault] if soak.fault else grows or []
    said = "\n".join(faults) if faults else "nothing was found" + (
        "; too short to judge whether memory grows" if grows is None else "; memory and open files are bounded")
    with open(soak.csv, "a", encoding="utf-8") as file:
        file.writelines(f"# {line}\n" for line in said.splitlines())
    print(f"\n{document.summary(soak.csv)}\n\n{soak.csv}{' (stopped early)' * soak.is_stopped}")
    return not faults


def soak_for(hours):
    """@return the exit status"""
    soak = Soak(hours)
    try:
        live(soak)
    except KeyboardInterrupt:
        soak.is_stopped = True
    return 0 if result_of(soak) else 1


def main():
    """Ctrl-C comes to us alone: what is started lives in a session of its own, of which nothing is left."""
    pid = os.fork()
    if not pid:
        os.setsid()
        os.setpriority(os.PRIO_PROCESS, 0, 19)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.exit(soak_for(float(sys.argv[1]) if len(sys.argv) > 1 else 2))
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: os.kill(pid, signal.SIGINT))
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    sys.exit(status)


if __name__ == "__main__":
    main()
