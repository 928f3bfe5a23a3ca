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


class Readings(threading.Thread):
    """Calls `read_totals` all the time, which returns {pid or CPU: {event: ns}}."""

    def __init__(self, read_totals):
        super().__init__()
        self.read_totals, self.readings, self.ends = read_totals, [], threading.Event()

    def read(self):
        began_s, totals = time.time(), self.read_totals()
        self.readings.append((began_s, time.time(), totals))

    def run(self):
        while not self.ends.wait(.005):
            self.read()

    def __enter__(self):
        self.read()
        self.start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        self.join()

    def bounds(self, frame, of, event):
        """@return the least and the most (ns) that m1top can have read for the frame: between its end and its coming here"""
        before = [totals for _, ended_s, totals in self.readings if ended_s <= frame.ended_s - .002]
        after = [totals for began_s, _, totals in self.readings if began_s >= frame.came_s]
        return (before or [self.readings[0][2]])[-1][of][event], (after or [self.readings[-1][2]])[0][of][event]


def of_tasks(pids):
    return {pid: dict(zip((RUN, WAIT), map(int, read(f"/proc/{pid}/schedstat").split()))) for pid in pids}


class Frame:
    def __init__(self, ended_s):
        self.ended_s, self.came_s, self.times = ended_s, time.time(), {}


def event_of(row):
    """@return one of TIMES; None: another event"""
    return next((time for time in TIMES if row[7] == f"activity/{time}/"), None)


def started_s(line):
    found = re.search(r" started (\S+)", line)
    return datetime.datetime.fromisoformat(found[1]).timestamp() if found else None


def counted(*options, enter=(), column=6):
    """@column  of the CSV: 6 pid, 2 CPU  @return N_FRAMES frames, messages"""
    frames, tick, began_s = [], None, None
    with subprocess.Popen([*enter, M1TOP, "stat", "-M", "waiting", *options, "-I", str(INTERVAL_MS), "-n", str(N_FRAMES), "--format", "csv"],
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
            if row[column] and event and row[8]:
                frames[-1].times.setdefault(int(row[column]), dict.fromkeys(TIMES, 0))[event] += int(row[8])
        said = process.stderr.read()
    return frames, said


def compare(of_all, frames, said, truth):
    """Between the first and the last frame in which a task ran: without a row, a frame's times are in the next row."""
    n = 0
    for of in of_all:
        its = [frame for frame in frames if of in frame.times]
        if len(its) < 2:
            continue
        n += 1
        window_ns = (its[-1].ended_s - its[0].ended_s) * 1e9
        for event in truth.readings[0][2][of]:
            first, last = (truth.bounds(frame, of, event) for frame in (its[0], its[-1]))
            share = sum(frame.times[of][event] for frame in its[1:]) / window_ns
            least, most = (last[0] - first[1]) / window_ns, (last[1] - first[0]) / window_ns
            check(least - POINTS <= share <= most + POINTS, event, "of", of, "is", share, "and should be", least, "to", most)
    print(f"# {n} of {len(of_all)} in {len(frames)} frames", flush=True)
    lost = "not recorded" in said
    check(n == len(of_all) or lost, f"{len(of_all) - n} have no two rows")
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
        with Readings(lambda: of_tasks(pids)) as truth:
            frames, said = counted("--by", "task")
    add_up(pids, frames[1:])
    return compare(pids, frames, said, truth)


def limit(folder, quota_us=10000):
    """Let a cgroup have a tenth of a CPU. @return why not"""
    for name, text in ("cpu.max", f"{quota_us} 100000"), ("cpu.cfs_quota_us", str(quota_us)):
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
            with Readings(lambda: of_tasks(pids)) as truth:
                frames, said = counted("--by", "task")
            return compare(pids, frames, said, truth)
    except OSError as error:
        return str(error)
    finally:
        if folder:
            serving.remove_cgroup(folder)


def limited(pids):
    """Let a cgroup of perf's hierarchy have a fifth of a CPU, also one of version 1 with the controller. @return (its folders, why not)"""
    folders = []
    with open("/proc/self/mountinfo", encoding="ascii") as file:
        mounts = [line.split() for line in file if " - cgroup" in line]
    of = {("cgroup2" if mount[mount.index("-") + 1] == "cgroup2" else word): mount[4] for mount in mounts
          for word in mount[-1].split(",")}
    for root in {of.get("perf_event", of.get("cgroup2")), of.get("cpu", of.get("cgroup2"))} - {None}:
        folders.append(f"{root}/m1top-limited-{os.getpid()}")
        try:
            os.mkdir(folders[-1])
        except OSError as error:
            return folders[:-1], str(error)
        for pid in pids:
            with open(f"{folders[-1]}/cgroup.procs", "w", encoding="ascii") as file:
                file.write(str(pid))
    return folders, None if any(limit(folder, 20000) is None for folder in folders) else "no limit of CPU time here"


def throttled_ns(folders):
    for folder in folders:
        with contextlib.suppress(OSError):
            figures = dict(line.split() for line in read(f"{folder}/cpu.stat").splitlines())
            if "throttled_time" in figures or "throttled_usec" in figures:
                return int(figures.get("throttled_time", 0)) + 1000 * int(figures.get("throttled_usec", 0))
    return None


def of_cgroups():
    """by cgroup: its limit, and throttled time as cpu.stat has it; the root has no limit"""
    why = why_not()
    if why:
        return why
    folders = []
    try:
        with running((loop,)) as pids:
            folders, why = limited(pids)
            if why:
                return why
            began_s, before = time.monotonic(), throttled_ns(folders)
            status, output, said = stat("--by", "cgroup", "-M", "waiting", "-j", "-I", "3000")
            share = (throttled_ns(folders) - before) / 1e9 / (time.monotonic() - began_s)
            check(status == 0, said)
            rows = [json.loads(line) for line in output.splitlines()]
            name = "/" + os.path.basename(folders[0])
            ms = {row["event"]: float(row["counter-value"]) / row["interval"] / 1e3 for row in rows if row.get("cgroup") == name
                  and re.fullmatch(r"[\d.]+", row.get("counter-value", ""))}
            check(abs(ms["activity/limit-time/"] - .2) <= POINTS, ms)
            check(abs(ms["activity/throttled-time/"] - share) <= .05, ms, "and should be", share)
            values = {row["metric-name"]: row["metric-value"] for row in rows if row.get("cgroup") == name and "metric-name" in row}
            check(abs(values["limit_share"] - 500 * ms["activity/run-time/"]) <= 100 * POINTS, values, ms)
            check(all(row["counter-value"] == "<not counted>" for row in rows
                      if row.get("cgroup") == "/" and row.get("event") == "activity/limit-time/"), "the root has a limit")
    finally:
        for folder in folders:
            serving.remove_cgroup(folder)
    return None


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


def write_schedstat(path, began_s):
    """Bring it up to now, in one write. @return what each CPU's tasks have waited in all"""
    seconds = time.monotonic() - began_s
    waited = {cpu: 10**12 + int(seconds * waiters * 1e9) for cpu, waiters in WAITERS.items()}
    text = "version 17\ntimestamp 1\n" + "".join(
        f"cpu{cpu} 0 0 0 0 0 0 0 {ns} 0\ndomain0 MC 3 1 2 3\n" for cpu, ns in waited.items())
    with open(path, "r+b", buffering=0) as file:
        file.write(text.encode())
    return {cpu: {WAIT: ns} for cpu, ns in waited.items()}


def lay_over(folder):
    """Make a /proc with an empty schedstat. @return its path, and what starts a program that sees it"""
    os.mkdir(f"{folder}/real")
    for name in os.listdir("/proc"):
        if not name.isdigit() and name != "schedstat":
            os.symlink(f"real/{name}", f"{folder}/{name}")
    with open(f"{folder}/schedstat", "w", encoding="ascii"):
        pass
    return f"{folder}/schedstat", [
        "unshare", *([] if os.geteuid() == 0 else ["-Ur"]), "-m", "--propagation", "private", "sh", "-c",
        f'mount --rbind /proc {folder}/real && mount --rbind {folder} /proc && '
        'export ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0" && exec "$@"', "sh"]  # its folder is not in this /proc


def by_core():
    """by core: what waited for it beside schedstat; it runs or is idle all the time; as metrics of the system they add up"""
    why = why_not()
    if why:
        return why
    with tempfile.TemporaryDirectory() as folder, running((loop,)) as pids:
        path, enter = lay_over(folder)
        began_s = time.monotonic()
        os.sched_setaffinity(pids[0], {CPUS[0]})
        if subprocess.run([*enter, "true"], capture_output=True, check=False).returncode:
            return "no /proc can be mounted"
        with Readings(lambda: write_schedstat(path, began_s)) as truth:
            frames, said = counted(enter=enter, column=2)
            done = subprocess.run([*enter, M1TOP, "stat", "-M", "waiting", "-n", "1", "-o", f"{folder}/log.csv"],
                                  capture_output=True, text=True, timeout=200, check=False)
            check(done.returncode == 0, done.stderr)
        done = subprocess.run([M1TOP, "replay", "--to-stat", "-M", "waiting", "--by", "system", "-j", f"{folder}/log.csv"],
                              capture_output=True, text=True, timeout=200, check=False)
        check(done.returncode == 0, done.stderr)
        why = compare(CPUS, frames, said, truth)
        with open(f"{folder}/log.csv", encoding="ascii") as log:
            rows = [row for row in csv.reader(line for line in log if line[0] not in "#t") if event_of(row) and row[8]]
    sums = {time: 0 for time in TIMES}
    for cpu in CPUS:
        ns = {time: sum(int(row[8]) for row in rows if int(row[2]) == cpu and event_of(row) == time) for time in TIMES}
        window_ns = sum(int(row[9]) for row in rows if int(row[2]) == cpu and event_of(row) == RUN)
        check(abs(ns[RUN] + ns[SLEEP] - window_ns) <= .001 * window_ns, cpu, "runs and idles", ns, "in", window_ns)
        check(cpu != CPUS[0] or ns[RUN] > .9 * window_ns, "with a loop it runs", ns, "in", window_ns)
        sums = {time: sums[time] + ns[time] for time in TIMES}
    shares = [float(row["metric-value"]) for row in map(json.loads, done.stdout.splitlines()) if row.get("metric-name") in METRICS]
    check(len(shares) == 3 and all(abs(share - 100 * ns / sum(sums.values())) < .01 for share, ns in zip(shares, sums.values())),
          shares, "of", sums)
    return why


if __name__ == "__main__":
    with serving.tasks_alone():
        serving.run([of_loops_and_sleepers, of_a_limited_cgroup, of_cgroups, by_all, ended, needs_tasks, by_core])
