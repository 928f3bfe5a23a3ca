#!/usr/bin/env python3
"""waiting.py: how long tasks ran, waited for a CPU and slept, as stat and its log say, beside /proc/PID/schedstat read by this
test: of more loops than CPUs, of sleepers, of a cgroup with a limit; by core beside a schedstat of this test's own. TAP."""
import contextlib
import csv
import datetime
import json
import os
import re
import signal
import subprocess
import tempfile
import threading
import time

import serving
from serving import M1TOP
from task_truth import check, read, start

N_CPUS = len(os.sched_getaffinity(0))
TIMES = RUN, WAIT, SLEEP = "run-time", "wait-time", "sleep-time"
METRICS = "run_share", "wait_share", "sleep_share"
POINTS = .02
N_FRAMES = 10
INTERVAL_MS = 500
WAITING = "--by", "task", "-M", "waiting"


def loop():
    while True:
        pass


def naps(ms):
    while True:
        time.sleep(ms / 1e3)


@contextlib.contextmanager
def running(*bodies):
    """@return pids of children that do this until the end"""
    pids = [start(*body) for body in bodies]
    try:
        yield pids
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def why_not():
    with contextlib.suppress(OSError):
        if int(read("/proc/self/schedstat").split()[0]):
            return None if serving.may_count_all() else "no counting here"
    return "the kernel has no schedstat"


class Truth(threading.Thread):
    """Reads schedstat of these threads all the time."""

    def __init__(self, pids):
        super().__init__()
        self.pids, self.readings, self.ends = pids, [], threading.Event()

    def run(self):
        while not self.ends.wait(.005):
            self.readings.append((time.time(), {pid: [int(n) for n in read(f"/proc/{pid}/schedstat").split()[:2]] for pid in self.pids}))

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        self.join()

    def bounds(self, frame, pid, at):
        """@return the least and the most (ns) that m1top can have read for the frame: between its end and its coming here"""
        before = [totals for when, totals in self.readings if when <= frame.ended_s - .002]
        after = [totals for when, totals in self.readings if when >= frame.came_s]
        return (before or [self.readings[0][1]])[-1][pid][at], (after or [self.readings[-1][1]])[0][pid][at]


class Frame:
    def __init__(self, ended_s):
        self.ended_s, self.came_s, self.times = ended_s, time.time(), {}


def event_of(row):
    """@return one of TIMES; None: another event"""
    return next((time for time in TIMES if row[7] == f"activity/{time}/"), None)


def started_s(line):
    found = re.search(r" started (\S+)", line)
    return datetime.datetime.fromisoformat(found[1]).timestamp() if found else None


def counted(pids):
    """@return N_FRAMES frames, messages"""
    frames, tick, began_s = [], None, None
    with subprocess.Popen([M1TOP, "stat", *WAITING, "-I", str(INTERVAL_MS), "-n", str(N_FRAMES), "--format", "csv"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            began_s = began_s or started_s(line)
            if line[0] in "#t":
                continue
            row = next(csv.reader([line]))
            if row[0] != tick:
                tick = row[0]
                frames.append(Frame(began_s + float(row[1])))
            event = event_of(row)
            if row[6] and event and row[8] and int(row[6]) in pids:
                frames[-1].times.setdefault(int(row[6]), dict.fromkeys(TIMES, 0))[event] += int(row[8])
        said = process.stderr.read()
    return frames, said


def compare(pids, frames, said, truth):
    """Between the first and the last frame in which a task ran: without a row, a frame's times are in the next row."""
    n = 0
    for pid in pids:
        of = [frame for frame in frames if pid in frame.times]
        if len(of) < 2:
            continue
        n += 1
        window_ns = (of[-1].ended_s - of[0].ended_s) * 1e9
        for at, event in enumerate((RUN, WAIT)):
            first, last = (truth.bounds(frame, pid, at) for frame in (of[0], of[-1]))
            share = sum(frame.times[pid][event] for frame in of[1:]) / window_ns
            least, most = (last[0] - first[1]) / window_ns, (last[1] - first[0]) / window_ns
            check(least - POINTS <= share <= most + POINTS, event, "of", pid, "is", share, "and should be", least, "to", most)
    print(f"# {n} of {len(pids)} tasks in {len(frames)} frames", flush=True)
    lost = "not recorded" in said
    check(n == len(pids) or lost, f"{len(pids) - n} tasks have no two rows")
    return None if n else "records of context switches were lost"


def add_up(pids, frames):
    """In a frame the times of each task add up to the same window, but for those that have waited since before it."""
    for frame in frames:
        windows = {sum(times.values()) for pid, times in frame.times.items() if pid in pids and times[SLEEP]}
        check(len(windows) <= 1, "windows of one frame differ:", windows)


def of_loops_and_sleepers():
    """more loops than CPUs, and sleepers: shares as the kernel has them, which add up to the window"""
    why = why_not()
    if why:
        return why
    with running(*(2 * N_CPUS + 1) * [(loop,)], *[(naps, ms) for ms in (1, 7, 60)]) as pids:
        with Truth(pids) as truth:
            frames, said = counted(pids)
    add_up(pids, frames[1:])
    return compare(pids, frames, said, truth)


def limit(folder):
    """Let a cgroup have a tenth of a CPU. @return why not"""
    for name, text in ("cpu.max", "10000 100000"), ("cpu.cfs_quota_us", "10000"):
        if os.path.exists(f"{folder}/{name}"):
            with open(f"{folder}/{name}", "w", encoding="ascii") as file:
                file.write(text)
            return None
    return "no limit of CPU time here"


def of_a_limited_cgroup():
    """a cgroup with a tenth of a CPU: shares as the kernel has them"""
    why = why_not()
    if why:
        return why
    folder = None
    for root in "/sys/fs/cgroup/cpu", "/sys/fs/cgroup":
        with contextlib.suppress(OSError):
            os.mkdir(f"{root}/m1top-waiting-{os.getpid()}")
            folder = f"{root}/m1top-waiting-{os.getpid()}"
            break
    try:
        why = limit(folder) if folder else "no cgroup can be made"
        if why:
            return why
        with running((loop,), (loop,)) as pids:
            for pid in pids:
                with open(f"{folder}/cgroup.procs", "w", encoding="ascii") as file:
                    file.write(str(pid))
            with Truth(pids) as truth:
                frames, said = counted(pids)
            return compare(pids, frames, said, truth)
    except OSError as error:
        return str(error)
    finally:
        if folder:
            serving.remove_cgroup(folder)


def stat(*options):
    done = subprocess.run([M1TOP, "stat", "-n", "1", *options], capture_output=True, text=True, timeout=200, check=False)
    return done.returncode, done.stdout, done.stderr


def rows_of(output):
    """@return {name and type of a row: {metric: (value, quality)}}"""
    rows = {}
    for line in output.splitlines():
        row = json.loads(line)
        if row.get("metric-name") in METRICS:
            name = next(row[kind] for kind in ("thread", "process", "command", "cgroup") if kind in row)
            rows.setdefault((name, row["type"]), {})[row["metric-name"]] = row["metric-value"], row["metric-quality"]
    return rows


def by_all():
    """by task, process, command and cgroup: shares add up to 100 %"""
    why = why_not()
    if why:
        return why
    with running((loop,), (naps, 5)):
        for by in "task", "process", "command", "cgroup":
            status, output, said = stat("--by", by, "-M", "waiting", "-j")
            check(status == 0, said)
            sums = [sum(float(value) for value, _ in shares.values()) for shares in rows_of(output).values()
                    if all(value is not None for value, _ in shares.values())]
            check(len(sums) > (by == "task") and all(abs(one - 100) < .01 for one in sums), by, sums)
    return None


def ended():
    """threads that end meanwhile are not counted, and what is added up with them is marked"""
    why = why_not()
    if why:
        return why
    with running((loop,)), tempfile.NamedTemporaryFile(mode="r") as log:
        status, _, said = stat(*WAITING, "--force", "-o", log.name, "--", "sh", "-c", "for i in 1 2 3 4 5; do env true; done")
        check(status == 0, said)
        rows = [row for row in csv.reader(line for line in log if line[0] not in "#t") if row[6] and event_of(row) == WAIT]
        check(any(row[11] == "not_counted" and not row[8] for row in rows), "no task ended")
        done = subprocess.run([M1TOP, "replay", "--to-stat", *WAITING, "-j", log.name], capture_output=True, text=True,
                              timeout=200, check=False)
        check(done.returncode == 0, done.stderr)
        check(rows_of(done.stdout), "no metrics in the replay")
    return None


def needs_tasks():
    """of a command, and by core without /proc/schedstat, it is refused with the reason"""
    why = why_not()
    if why:
        return why
    cases = [(("-M", "waiting", "true"), "by core and by task")]
    if not os.path.exists("/proc/schedstat"):
        cases += [((*options, "-o", "/dev/null"), "no /proc/schedstat") for options in (("-M", "waiting"), ("-e", "wait-time"))]
    for options, reason in cases:
        status, _, said = stat(*options)
        check(status == 2 and reason in said and "use --by task" in said, options, status, said)
    return None


# ---- by core ----

CPUS = sorted(os.sched_getaffinity(0))
# How many wait for each CPU in a schedstat of this test's own, as not every kernel has one.
WAITERS = {cpu: .25 + at for at, cpu in enumerate(CPUS)}


def schedstat(seconds):
    return "version 17\ntimestamp 1\n" + "".join(
        f"cpu{cpu} 0 0 0 0 0 0 0 {10**12 + int(seconds * waiters * 1e9)} 0\ndomain0 MC 3 1 2 3\n" for cpu, waiters in WAITERS.items())


class Schedstat(threading.Thread):
    """Lays a /proc with such a schedstat over the real one, for programs started by `enter`, and lets it grow."""

    def __init__(self, folder):
        super().__init__()
        self.path, self.ends = f"{folder}/schedstat", threading.Event()
        os.mkdir(f"{folder}/real")
        for name in os.listdir("/proc"):
            if not name.isdigit() and name != "schedstat":
                os.symlink(f"real/{name}", f"{folder}/{name}")
        with open(self.path, "w", encoding="ascii") as file:
            file.write(schedstat(0))
        self.enter = ["unshare", *([] if os.geteuid() == 0 else ["-Ur"]), "-m", "--propagation", "private", "sh", "-c",
                      f'mount --rbind /proc {folder}/real && mount --rbind {folder} /proc && exec "$@"', "sh"]

    def run(self):
        began_s = time.monotonic()
        with open(self.path, "r+b", buffering=0) as file:
            while not self.ends.wait(.002):
                os.pwrite(file.fileno(), schedstat(time.monotonic() - began_s).encode(), 0)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        self.join()


def shares_of_a_core(rows, cpu):
    """@return shares of its windows by event, and whether each of two adds up to its window"""
    its = [row for row in rows if int(row[2]) == cpu and not row[6] and event_of(row)]
    sums = {time: sum(int(row[8]) for row in its if event_of(row) == time) for time in TIMES}
    window_ns = sum(int(row[9]) for row in its if event_of(row) == RUN)
    check(its and all(row[11] == "ok" for row in its), its)
    return {time: ns / window_ns for time, ns in sums.items()}


def by_core():
    """by core: what waited for it beside schedstat; it runs or is idle all the time; as metrics of the system they add up"""
    why = why_not()
    if why:
        return why
    with tempfile.TemporaryDirectory() as folder, Schedstat(folder) as made, running((loop,)) as pids:
        os.sched_setaffinity(pids[0], {CPUS[0]})
        if subprocess.run([*made.enter, "true"], capture_output=True, check=False).returncode:
            return "no /proc can be mounted"
        done = subprocess.run([*made.enter, M1TOP, "stat", "-M", "waiting", "-I", "500", "-n", "5", "--format", "csv"],
                              capture_output=True, text=True, timeout=200, check=False)
        check(done.returncode == 0, done.stderr)
        rows = [row for row in csv.reader(line for line in done.stdout.splitlines() if line[0] not in "#t") if row[0] != "1"]
        for cpu, waiters in WAITERS.items():
            share = shares_of_a_core(rows, cpu)
            check(abs(share[WAIT] - waiters) <= POINTS, cpu, "is waited for", share, "and should be", waiters)
            check(abs(share[RUN] + share[SLEEP] - 1) <= .001, cpu, "runs and idles", share)
            check(cpu != CPUS[0] or share[RUN] > .9, "with a loop it runs", share)
        done = subprocess.run([*made.enter, M1TOP, "stat", "-M", "waiting", "-n", "1", "--by", "system", "-j"],
                              capture_output=True, text=True, timeout=200, check=False)
        values = [float(row["metric-value"]) for row in map(json.loads, done.stdout.splitlines()) if row.get("metric-name") in METRICS]
        mean = sum(WAITERS.values()) / len(WAITERS)
        check(len(values) == 3 and abs(sum(values) - 100) < .01, values, done.stderr)
        check(abs(values[1] - 100 * mean / (1 + mean)) <= 100 * POINTS, values, "where", mean, "wait for each")
    return None


if __name__ == "__main__":
    with serving.tasks_alone():
        serving.run([of_loops_and_sleepers, of_a_limited_cgroup, by_all, ended, needs_tasks, by_core])
