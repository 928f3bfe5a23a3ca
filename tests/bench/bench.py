#!/usr/bin/env python3
"""What m1top costs, beside its peers in the same run; prints the table of docs/bench.md.

usage: tests/bench/bench.py [ROW…]      all rows take some ten minutes; FLOOR names the bare loop

It waits until nothing else runs, WAIT_S seconds at most (600); Ctrl-C measures at once.
"""
import http.client
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

import hot
import pipe
import quiet
import screens
from figures import M1TOP, Missing, against, cpu_of, cpu_of_threads, ms, need, pct, percentile, us, usual

METRICS = os.environ.get("METRICS", "build/release/tests/bench/metrics")
READER = os.environ.get("READER", "build/release/tests/bench/reader")
ANSWER = os.environ.get("ANSWER", "build/release/tests/bench/answer")
SWITCHES = os.environ.get("SWITCHES", "build/release/tests/bench/switches")
FLOOR = os.environ.get("FLOOR", "build/release/tests/bench/floor")
EVENTS = "context-switches,page-faults,cpu-clock,msr/tsc/"
TASK_EVENTS = "page-faults,cpu-clock,cpu-migrations"
SHORT_S, LONG_S, ROUNDS = 1, 6, 5


def perf_command(interval_ms, n_ticks):
    return ["perf", "stat", "-a", "-A", "-x,", "-o", "/dev/null", "-e", EVENTS,
            "-I", str(interval_ms), "--interval-count", str(n_ticks)]


def m1top_command(interval_ms, n_ticks):
    return [M1TOP, "stat", "--format", "csv", "-e", EVENTS,
            "-I", str(interval_ms), "-n", str(n_ticks)]


def floor_command(interval_ms, n_ticks):
    with open("/sys/bus/event_source/devices/msr/type", encoding="ascii") as file:
        msr = int(file.read())
    # PERF_TYPE_SOFTWARE is 1; context switches 3, page faults 2, CPU clock 0
    return [FLOOR, "-I", str(interval_ms), "-n", str(n_ticks), "-e", f"1:3,1:2,1:0,{msr}:0"]


def per_tick(command_of, interval_ms=10):
    """Return CPU (s) a tick and CPU of the start, from a short and a long run."""
    n_short, n_long = (seconds * 1000 // interval_ms for seconds in (SHORT_S, LONG_S))
    short, long = cpu_of(command_of(interval_ms, n_short)), cpu_of(command_of(interval_ms, n_long))
    tick = (long - short) / (n_long - n_short)
    return tick, short - tick * n_short


def row_tick():
    """CPU a tick, all cores, 10 ms, four events"""
    need("perf")
    commands = {"m1top": m1top_command, "bare loop": floor_command, "perf stat": perf_command}
    ticks, starts = {name: [] for name in commands}, {name: [] for name in commands}
    for _ in range(ROUNDS):
        for name, command_of in commands.items():
            tick, start = per_tick(command_of)
            ticks[name].append(tick)
            starts[name].append(start)
    ours, ours_start = ticks.pop("m1top"), starts.pop("m1top")
    del starts["bare loop"]
    yield "", usual(us, ours), against(us, ours, ticks), "1.15 ×, 0.28 ×"
    yield ": of starting", usual(ms, ours_start), against(ms, ours_start, starts), ""


def lateness_us(csv, interval_us):
    """Return the 99th percentile of read time behind deadline, from a session log.

    A deadline stands in the log once a second (`# own`, behind the rows of its tick); the others
    follow from it by the interval, ticks that were missed included.
    """
    reads, first_us, missed, tick = {}, None, 0, 1
    for line in csv:
        own = re.match(r"# own (\S+)", line)
        gap = re.match(r"# gap \S+ (\d+) frames", line)
        if own and first_us is None:
            first_us = float(own[1]) * 1e6 - (int(tick) - 1 + missed) * interval_us
        elif gap:
            missed += int(gap[1])
        elif line[0].isdigit():
            tick, time_s, cpu = line.split(",", 3)[:3]
            reads[tick, cpu] = float(time_s) * 1e6 - (int(tick) - 1 + missed) * interval_us
    if first_us is None:
        raise Missing("no deadline in the log")
    return percentile(list(reads.values()), .99) - first_us


LATE_S = 2  # a run of lateness


def floor_late_us(interval_ms, *before):
    done = subprocess.run([*before, *floor_command(interval_ms, LATE_S * 1000 // interval_ms)], stdout=subprocess.PIPE, text=True,
                          check=True)
    return float(re.search(r"late_p99_us (\S+)", done.stdout)[1])


def our_late_us(interval_ms, *options):
    with tempfile.TemporaryFile("w+") as out:
        cpu_of([*m1top_command(interval_ms, LATE_S * 1000 // interval_ms), "--budget", "100", *options], out)
        out.seek(0)
        return lateness_us(out, interval_ms * 1000)


def whole_us(late_us):
    return f"{late_us:.0f} µs"


def row_late(interval_ms, n_busy):
    """lateness at {} ms beside {} busy loops, 99th percentile (7 runs of 2 s, by turns)"""
    peers = {"--no-real-time": lambda: our_late_us(interval_ms, "--no-real-time"),
             "bare loop": lambda: floor_late_us(interval_ms),
             "bare loop under chrt -f 1": lambda: floor_late_us(interval_ms, "chrt", "-f", "1")}
    need("chrt")
    ours, theirs = [], {name: [] for name in peers}
    with quiet.busy(n_busy):
        for _ in range(7):
            ours.append(our_late_us(interval_ms))
            for name, late_us in peers.items():
                theirs[name].append(late_us())
    yield "", usual(whole_us, ours), against(whole_us, ours, theirs), "1.15 × of bare loop" if not n_busy else ""


def first_row_s():
    """Seconds from starting `stat` to its first row, beyond the interval."""
    start = time.monotonic()
    with subprocess.Popen(m1top_command(100, 1), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True) as child:
        for line in child.stdout:
            if line[0].isdigit():
                passed = time.monotonic() - start
                child.communicate()
                return passed - .1
    raise Missing("no row")


def row_start():
    """start to the first complete frame, beyond the interval (9 runs)"""
    yield "", usual(ms, [first_row_s() for _ in range(9)]), "", "100 ms"


def row_metrics():
    """100 metrics × 10 cores a tick"""
    out = subprocess.run([METRICS], capture_output=True, text=True, check=True).stdout
    figure = float(re.search(r"metrics_us ([\d.]+)", out)[1])
    yield "", us(figure / 1e6), "", "20 µs"


def millions(rate):
    return f"{rate / 1e6:.1f} M rows/s"


def row_reader():
    """a session of 8 cores × 10 counters, 720 000 rows (5 runs)"""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "log.csv")
        cpu_of([M1TOP, "stat", "--backend", "sim:clock=virtual", "-I", "100", "-n", "9000", "-o", path])
        rates = [float(subprocess.run([READER, path], capture_output=True, text=True, check=True)
                       .stdout.split()[1]) for _ in range(5)]
        yield ": read back, rows a second of CPU", usual(millions, rates), "", "10 M at least"
        reports = [720e3 / cpu_of([M1TOP, "report", path]) for _ in range(5)]
        yield ": report, rows a second of CPU", usual(millions, reports), "", "5 M at least"


class Serving:
    """A program that serves on a free port, m1top serve unless told otherwise, and a client that keeps its connection."""

    def __init__(self, *options, program=(M1TOP, "serve", "--listen", "127.0.0.1:0")):
        self.child = subprocess.Popen([*program, *options], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for line in self.child.stderr:
            port = re.search(r"serving http://127.0.0.1:(\d+)/", line)
            if port:
                self.client = http.client.HTTPConnection("127.0.0.1", int(port[1]))
                return
        raise Missing("serve did not start")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.terminate()
        self.child.communicate()

    def scrape(self):
        self.client.request("GET", "/metrics")
        return self.client.getresponse().read()

    def cpu(self):
        with open(f"/proc/{self.child.pid}/schedstat", encoding="ascii") as file:
            return int(file.read().split()[0]) / 1e9

    def memory_mib(self):
        with open(f"/proc/{self.child.pid}/status", encoding="ascii") as file:
            return int(re.search(r"VmHWM:\s+(\d+)", file.read())[1]) / 1024

    def share(self, per_s, seconds=3):
        """CPU of the thread that answers, over one core, while it is scraped so often."""
        used, start = self.cpu(), time.monotonic()
        for i in range(seconds * max(per_s, 1)):
            if per_s:
                self.scrape()
            time.sleep(max(0, start + (i + 1) / max(per_s, 1) - time.monotonic()))
        return (self.cpu() - used) / (time.monotonic() - start)


def row_serve():
    """serve, 8 simulated cores × 10 counters at 1 Hz"""
    with Serving("--demo") as ours:
        time.sleep(1.5)
        idle = [ours.share(0) for _ in range(2)]
        memory = ours.memory_mib()
        size = len(ours.scrape())
        with Serving(str(size), program=(ANSWER,)) as bare:
            busy, least = zip(*[(ours.share(100), bare.share(100)) for _ in range(5)])
        a_scrape = (statistics.median(busy) - statistics.median(idle)) / 100
        yield (": 100 scrapes a second, share of a CPU", usual(pct, busy),
               f"{against(pct, busy, {'bare socket': least})}, unscraped {usual(pct, idle)}", "2 ×")
        yield f": a scrape of {size / 1000:.0f} kB", us(a_scrape), "", ""
        yield ": memory", f"{ours.memory_mib():.1f} MiB", f"unscraped {memory:.1f} MiB", "32 MiB"


def switching(per_s, seconds=3):
    """CPU (s) that so many switches a second take for themselves, and how many there were."""
    done = subprocess.run([SWITCHES, str(per_s), str(seconds)], capture_output=True, text=True,
                          check=True)
    figures = dict(line.split() for line in done.stdout.splitlines())
    return float(figures["cpu_s"]), int(figures["switches"])


def served(per_s, *options):
    """The same and m1top beside it."""
    with Serving("-e", TASK_EVENTS, *options) as ours:
        time.sleep(.5)
        before = cpu_of_threads(ours.child.pid)
        cpu_s, switches = switching(per_s)
        return cpu_s + cpu_of_threads(ours.child.pid) - before, switches


def counted_by_perf(per_s, seconds=3):
    """The same as perf's task."""
    done = subprocess.run(["perf", "stat", "-o", "/dev/null", "-e", TASK_EVENTS, SWITCHES, str(per_s),
                           str(seconds)], capture_output=True, text=True, check=True)
    figures = dict(line.split() for line in done.stdout.splitlines())
    return float(figures["cpu_s"]), int(figures["switches"])


def row_tasks(per_s):
    """counts by task, at {} switches a second"""
    need("perf")
    ours, perf = [], []
    for _ in range(ROUNDS):
        alone, _ = switching(per_s)
        off, _ = served(per_s)
        on, n = served(per_s, "--tasks", "10")
        peer, _ = counted_by_perf(per_s)
        ours.append((on - off) / n)
        perf.append((peer - alone) / n)
    yield ": CPU a switch", usual(us, ours), against(us, ours, {"perf stat of these two": perf}), ""
    share = [s * per_s for s in ours]
    yield ": share of a CPU", usual(pct, share), "", ""


def row_sweep():
    """discover: 256 ids × all kernels on 2 core types, simulated (3 runs)"""
    command = [M1TOP, "discover", "--backend", "sim:seed=1,hidden", "-j"]
    reports = [subprocess.run(command, capture_output=True, check=True).stdout for _ in range(3)]
    sweeps = [json.loads(report) for report in reports]
    yield "", usual(lambda s: f"{s:.1f} s", [it["seconds"] for it in sweeps]), "", ""
    per_s = [it["runs"] / it["seconds"] for it in sweeps]
    yield ": runs a second", usual(lambda n: f"{n / 1e3:.0f} k", per_s), "", ""
    yield ": its report", f"{len(reports[0]) / 1e6:.1f} MB", "", ""


ROWS = {
    "tick": (row_tick, ()),
    "late": (row_late, ((1, 0), (10, 0), (1, 12), (10, 12))),
    **screens.ROWS,
    "start": (row_start, ()),
    "metrics": (row_metrics, ()),
    "serve": (row_serve, ()),
    "tasks": (row_tasks, (1000, 10000, 100000)),
    **hot.ROWS,
    **pipe.ROWS,
    "reader": (row_reader, ()),
    "sweep": (row_sweep, ()),
}


def lines(function, *told):
    """The lines of a table that a function gives, or why it gives none."""
    title = function.__doc__.format(*told)
    try:
        for what, *cells in function(*told):
            yield f"| {title}{what} | {' | '.join(cells)} |"
    except (Missing, OSError, subprocess.CalledProcessError) as why:
        yield f"| {title} | not measured: {why} | | |"


def measure(wanted):
    print("| what | m1top | beside | at most |\n|---|---|---|---|")
    for name in wanted:
        function, all_told = ROWS[name]
        for told in [it if isinstance(it, tuple) else (it,) for it in all_told] or [()]:
            for line in lines(function, *told):
                print(line, flush=True)


def main():
    wanted = sys.argv[1:] or list(ROWS)
    if not set(wanted) <= set(ROWS):
        sys.exit(f"bench: rows are {' '.join(ROWS)}")
    load = quiet.wait(float(os.environ.get("WAIT_S", "600")))
    print(quiet.heading(load), flush=True)
    others = quiet.Others()
    measure(wanted)
    print(quiet.ending(others.share()))


if __name__ == "__main__":
    main()
