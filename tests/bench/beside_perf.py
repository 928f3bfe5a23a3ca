#!/usr/bin/env python3
"""The same events at the same time through m1top and through perf stat, rates per CPU compared.

usage: tests/bench/beside_perf.py       20 s; M1TOP names the program
exit status 1 when a rate differs by more than its limit: 0.5 % for clocks, 5 % for the others
"""
import csv
import os
import subprocess
import sys
import time

M1TOP = os.environ.get("M1TOP", "./m1top")
EVENTS = "context-switches,page-faults,cpu-clock,msr/tsc/"
LIMIT_PCT = {"cpu-clock": 0.5, "msr/tsc/": 0.5, "context-switches": 5, "page-faults": 5}
INTERVAL_MS, TICKS = 100, 50
PAGE = 4096


def load(cpu):
    """A steady load on one CPU until killed: 2000 rounds a second of one sleep, ten page faults."""
    import mmap
    os.sched_setaffinity(0, {cpu})
    begin = time.monotonic()
    for i in range(1, 10**9):
        area = mmap.mmap(-1, 10 * PAGE)
        for page in range(10):
            area[page * PAGE] = 1
        area.close()
        time.sleep(max(0, begin + i / 2000 - time.monotonic()))


def start_load(cpu):
    pid = os.fork()
    if pid == 0:
        load(cpu)
    return pid


def rates_of_m1top(text):
    """{(cpu, event): events per second of enabled time}"""
    total = {}
    for row in csv.DictReader(line for line in text.splitlines() if not line.startswith("#")):
        count, enabled_ns = total.get((int(row["cpu"]), row["event"]), (0, 0))
        total[int(row["cpu"]), row["event"]] = (count + int(row["count"]),
                                                enabled_ns + int(row["enabled_ns"]))
    return {key: count * 1e9 / ns for key, (count, ns) in total.items()}


def rates_of_perf(text):
    """The same from perf stat -x, -A -I: time,cpu,count,unit,event,running_ns,percent,…"""
    total = {}
    for line in text.splitlines():
        field = line.split(",")
        if len(field) < 7:
            continue
        cpu, event = int(field[1].removeprefix("CPU")), field[4]
        # perf prints the clocks in ms
        count = float(field[2]) * (1e6 if field[3] == "msec" else 1)
        so_far, ns = total.get((cpu, event), (0, 0))
        total[cpu, event] = (so_far + count, ns + int(field[5]))
    return {key: count * 1e9 / ns for key, (count, ns) in total.items()}


def run_both():
    ours = subprocess.Popen([M1TOP, "stat", "-e", EVENTS, "-I", str(INTERVAL_MS), "-n", str(TICKS),
                             "--format", "csv"], stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, text=True)
    perf = subprocess.Popen(["perf", "stat", "-a", "-A", "-x,", "-e", EVENTS, "-I",
                             str(INTERVAL_MS), "--interval-count", str(TICKS)],
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    return ours.communicate()[0], perf.communicate()[1]


def main():
    cpus = sorted(os.sched_getaffinity(0))
    loads = [start_load(cpu) for cpu in cpus]
    try:
        time.sleep(1)
        ours, perf = run_both()
    finally:
        for pid in loads:
            os.kill(pid, 9)
            os.waitpid(pid, 0)
    ours, perf = rates_of_m1top(ours), rates_of_perf(perf)
    too_far = 0
    print("| event | cpu | m1top /s | perf stat /s | difference | limit |\n|---|---|---|---|---|---|")
    for event in EVENTS.split(","):
        for cpu in cpus:
            a, b = ours[cpu, event], perf[cpu, event]
            difference_pct = abs(a / b - 1) * 100
            too_far += difference_pct > LIMIT_PCT[event]
            print(f"| {event} | {cpu} | {a:.6g} | {b:.6g} | {difference_pct:.4f} % "
                  f"| {LIMIT_PCT[event]} % |")
    return 1 if too_far else 0


if __name__ == "__main__":
    sys.exit(main())
