#!/usr/bin/env python3
"""What m1top costs, beside its peers in the same run; prints the table of docs/bench.md.

usage: tests/bench/bench.py [ROW…]      all rows take some ten minutes; FLOOR names the bare loop
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

import screens
from figures import M1TOP, Missing, cpu_of, ms, need, pct, percentile, ratio, us

METRICS = os.environ.get("METRICS", "build/release/tests/bench/metrics")
READER = os.environ.get("READER", "build/release/tests/bench/reader")
FLOOR = os.environ.get("FLOOR", "build/release/tests/bench/floor")
EVENTS = "context-switches,page-faults,cpu-clock,msr/tsc/"
SHORT_S, LONG_S = 4, 24


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
    ours, ours_start = per_tick(m1top_command)
    floor, _ = per_tick(floor_command)
    yield us(ours), "bare loop", us(floor), ratio(ours, floor), "1.3 ×"
    need("perf")
    perf, perf_start = per_tick(perf_command)
    yield us(ours), "perf stat", us(perf), ratio(ours, perf), "0.25 ×"
    yield ms(ours_start), "perf stat, CPU of starting", ms(perf_start), ratio(ours_start, perf_start), ""


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


def floor_late_us(n_ticks):
    done = subprocess.run(floor_command(1, n_ticks), stdout=subprocess.PIPE, text=True, check=True)
    return float(re.search(r"late_p99_us (\S+)", done.stdout)[1])


def our_late_us(n_ticks):
    with tempfile.TemporaryFile("w+") as out:
        cpu_of(m1top_command(1, n_ticks) + ["--budget", "100"], out)
        out.seek(0)
        return lateness_us(out, 1000)


def row_late():
    """lateness at 1 ms, 99th percentile (median of 7 runs of 2 s, by turns)"""
    pairs = [(our_late_us(2000), floor_late_us(2000)) for _ in range(7)]
    ours, floor = (statistics.median(figures) for figures in zip(*pairs))
    yield f"{ours:.0f} µs", "bare loop", f"{floor:.0f} µs", ratio(ours, floor), "1.5 ×"


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
    """start to the first complete frame, beyond the interval (median of 9)"""
    yield ms(statistics.median(first_row_s() for _ in range(9))), "", "", "", "100 ms"


def row_metrics():
    """100 metrics × 10 cores a tick"""
    out = subprocess.run([METRICS], capture_output=True, text=True, check=True).stdout
    figure = float(re.search(r"metrics_us ([\d.]+)", out)[1])
    yield us(figure / 1e6), "", "", "", "20 µs"


def row_reader():
    """reading a session of 8 cores × 10 counters back, rows a second of CPU (best of 3); its report"""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "log.csv")
        cpu_of([M1TOP, "stat", "--backend", "sim:clock=virtual", "-I", "100", "-n", "9000", "-o", path])
        rates = [float(subprocess.run([READER, path], capture_output=True, text=True, check=True)
                       .stdout.split()[1]) for _ in range(3)]
        yield f"{max(rates) / 1e6:.1f} M rows/s", "", "", "", "2 M at least"
        yield f"{720 / cpu_of([M1TOP, 'report', path]) / 1e3:.1f} M rows/s", "", "", "", ""


class Serving:
    """m1top serve on a free port, and a client that keeps its connection."""

    def __init__(self, *options):
        self.child = subprocess.Popen([M1TOP, "serve", "--listen", "127.0.0.1:0", *options],
                                      stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
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

    def share(self, per_s, seconds=10):
        """CPU of the thread that answers, over one core, while it is scraped so often."""
        used, start = self.cpu(), time.monotonic()
        for i in range(seconds * max(per_s, 1)):
            if per_s:
                self.scrape()
            time.sleep(max(0, start + (i + 1) / max(per_s, 1) - time.monotonic()))
        return (self.cpu() - used) / (time.monotonic() - start)


def row_serve():
    """serve: 100 scrapes a second of 8 simulated cores × 10 counters, at 1 Hz"""
    with Serving("--demo") as ours:
        time.sleep(1.5)
        idle, memory = ours.share(0), ours.memory_mib()
        busy = ours.share(100)
        size = len(ours.scrape())
        yield (f"{pct(busy)} of a core", "unscraped", pct(idle), "", "2 %")
        yield (f"{ours.memory_mib():.1f} MiB", "unscraped", f"{memory:.1f} MiB", "", "32 MiB")
        yield us((busy - idle) / 100) + f" a scrape of {size / 1000:.0f} kB", "", "", "", ""


def row_sweep():
    """discover: 256 ids × all kernels on 2 core types, simulated (best of 3); its report"""
    command = [M1TOP, "discover", "--backend", "sim:seed=1,hidden", "-j"]
    reports = [subprocess.run(command, capture_output=True, check=True).stdout for _ in range(3)]
    sweep = min((json.loads(report) for report in reports), key=lambda it: it["seconds"])
    per_s = sweep["runs"] / sweep["seconds"]
    yield f"{sweep['seconds']:.1f} s, {per_s / 1e3:.0f} k runs/s", "", "", "", ""
    yield f"{len(reports[0]) / 1e6:.1f} MB", "", "", "", ""


ROWS = {
    "tick": (row_tick, ()),
    "late": (row_late, ()),
    **screens.ROWS,
    "start": (row_start, ()),
    "metrics": (row_metrics, ()),
    "serve": (row_serve, ()),
    "reader": (row_reader, ()),
    "sweep": (row_sweep, ()),
}


def lines(function, *told):
    """The lines of a table that a function gives, or why it gives none."""
    title = function.__doc__.format(*told)
    try:
        for cells in function(*told):
            yield f"| {title} | {' | '.join(cells)} |"
    except (Missing, OSError, subprocess.CalledProcessError) as why:
        yield f"| {title} | not measured: {why} | | | | |"


def main():
    wanted = sys.argv[1:] or list(ROWS)
    if not set(wanted) <= set(ROWS):
        sys.exit(f"bench: rows are {' '.join(ROWS)}")
    machine = os.uname()
    print(f"{os.cpu_count()} CPUs, Linux {machine.release} {machine.machine}, "
          f"load {os.getloadavg()[0]:.1f} at the start; start-up is measured by a run of {SHORT_S} s "
          f"and one of {LONG_S} s and not part of a tick.\n")
    print("| what | m1top | beside | its figure | ratio | at most |\n|---|---|---|---|---|---|")
    for name in wanted:
        function, all_told = ROWS[name]
        for told in [(it,) for it in all_told] or [()]:
            for line in lines(function, *told):
                print(line, flush=True)


if __name__ == "__main__":
    main()
