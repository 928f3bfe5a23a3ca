#!/usr/bin/env python3
"""lost_records.py: tasks and [unattributed] add up to the exact count, to the unit, in every format and filter, when records
of context switches were lost: on the simulation, and of a command beside a counter that it inherits.
LOST_RUNS=20 LOST_LOAD=25 in the environment: so many runs, beside so many busy loops. TAP."""
import csv
import ctypes
import json
import multiprocessing
import os
import platform
import re
import struct
import subprocess
import sys

import serving
from serving import M1TOP
from task_truth import check, touch

RUNS = int(os.environ.get("LOST_RUNS", "3"))
LOAD = int(os.environ.get("LOST_LOAD", "0"))
PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241}
DISABLED, INHERIT, ENABLE_ON_EXEC = 1 << 0, 1 << 1, 1 << 12
N_CHILDREN, N_ROUNDS, N_PAGES = 12, 10, 20
SIM = "sim:seed={seed},records=32,clock=virtual,tasks=20,cgroups=8,functions=5"


def fields(line):
    return next(csv.reader([line]))


def of_x(text):
    """@return (rows, [unattributed]) of -x; lines begin with the task's name, then the core type if there are several"""
    rows, lost = 0, 0
    for line in text.splitlines():
        at = [i for i, field in enumerate(fields(line)) if re.fullmatch(r"\d+", field)]
        if not at:
            continue
        value = int(fields(line)[at[0]])
        if "[unattributed]" in line:
            lost += value
        else:
            rows += value
    return rows, lost


def of_j(text):
    rows, lost, qualities = 0, 0, set()
    for line in text.splitlines():
        one = json.loads(line)
        value = int(float(one["counter-value"]))
        if "[unattributed]" in (one.get(key) for key in ("thread", "process", "command", "cgroup", "function")):
            lost += value
        else:
            rows += value
            qualities.add(one["quality"])
    check((qualities <= {"partial"}) if lost else (qualities <= {"ok", "scaled"}), qualities, lost)
    return rows, lost


def of_folded(text):
    lines = [line.rpartition(" ") for line in text.splitlines()]
    return (sum(int(line[2]) for line in lines if line[0] != "[unattributed]"),
            sum(int(line[2]) for line in lines if line[0] == "[unattributed]"))


FORMATS = {"-x,": of_x, "-j": of_j}


def stat(*options):
    done = subprocess.run([M1TOP, "stat", *options], capture_output=True, text=True, check=False)
    check(done.returncode == 0, options, done.stderr)
    return done.stdout


def session(options):
    """@return (rows, [unattributed]), and the cores' counts, of a session"""
    rows, lost, cores = 0, 0, 0
    for line in stat(*options, "--by", "task", "--format", "csv").splitlines():
        if line[0] in "#t":
            continue
        _, _, _, _, _, _, pid, event, count, _, _, quality, _ = fields(line)
        if event != "CORE_ACTIVE_CYCLE":
            continue
        if not pid:
            cores += int(count)
        elif pid == "-1":
            lost += int(count)
        else:
            rows += int(count)
            check(quality == "partial" or not int(count), line)
    return rows, lost, cores


def simulated():
    """in every format and filter, rows and [unattributed] are what the cores counted"""
    for seed in range(1, RUNS + 1):
        counting = ["--backend", SIM.format(seed=seed), "-e", "cycles", "-n", "2", "-d", ".1"]
        truth = sum(int(fields(line)[3]) for line in stat(*counting, "--by", "type", "-x,").splitlines())
        for by in ("task", "process", "command", "cgroup", "function"):
            for filters in ([], ["--top", "3"], ["--cgroup", "/"], ["--cgroup", "/", "--top", "2"]):
                for form, parse in FORMATS.items():
                    rows, lost = parse(stat(*counting, "--by", by, form, *filters))
                    idle = 0 if "--cgroup" not in filters else truth - rows - lost
                    check(rows + lost + idle == truth and idle >= 0, seed, by, form, filters, rows, lost, truth)
                    check(lost > 0 or (by == "function" and "--cgroup" not in filters), seed, by, form, filters)
        check(sum(of_folded(stat(*counting, "--by", "function", "--format", "folded"))) == truth, seed, "folded")
        rows, lost, cores = session(counting)
        check(rows + lost == cores == truth and lost > 0, seed, "csv", rows, lost, cores, truth)
    print(f"# {RUNS} seeds")


def served():
    """beside a core that answers late, commands and cgroups of each scrape are what the cores counted"""
    for seed in range(1, RUNS + 1):
        late = f"sim:seed={seed},records=32,tasks=20,cgroups=8,slow={seed % 8}:120ms"
        with serving.Server("--backend", late, "-e", "cycles", "-I", "50", "--tasks", "50", "--cgroups", "50") as server:
            for n_frames in range(4, 20, 3):
                samples = server.wait(n_frames)
                for core_type in "EP":
                    one = {"type": core_type, "event": "CORE_ACTIVE_CYCLE"}
                    sums = {kind: sum(serving.of(samples, f"m1top_{kind}events_total", **one).values())
                            for kind in ("", "task_", "cgroup_")}
                    check(len(set(sums.values())) == 1 and sums[""], seed, core_type, sums)
            check(samples[("m1top_task_switches_lost_total",)] > 0, seed, "no record was lost")


# ---- of a command ----

def work():
    for _ in range(N_CHILDREN):
        if not os.fork():
            for _ in range(N_ROUNDS):
                touch(N_PAGES)
                os.sched_yield()
            os._exit(0)
    for _ in range(N_CHILDREN):
        os.wait()


def inherited(pid):
    """@return a counter of the page faults of a process, from its exec on, and of what it starts: -e page-faults of perf stat"""
    attr = struct.pack("=IIQQQQQ", 1, 128, 2, 0, 0, 1, DISABLED | INHERIT | ENABLE_ON_EXEC).ljust(128, b"\0")
    return ctypes.CDLL(None).syscall(PERF_EVENT_OPEN[platform.machine()], attr, pid, -1, -1, 8)


def command(*options):
    """@return what stat prints of a command, and its exact count; 0: its process was seen too late"""
    with subprocess.Popen([M1TOP, "stat", "-e", "page-faults", *options, "--", sys.executable, __file__, "work"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        counters, exact = {}, 0
        while process.poll() is None and not exact:
            with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as file:
                for pid in set(map(int, file.read().split())) - set(counters):
                    counters[pid] = inherited(pid)
            exact = any(struct.unpack("=QQ", os.read(fd, 16))[1] for fd in counters.values() if fd >= 0)
        text, said = process.communicate()
        check(process.returncode == 0, said)
    exact = sum(struct.unpack("=QQ", os.read(fd, 16))[0] for fd in counters.values() if fd >= 0)
    for fd in counters.values():
        if fd >= 0:
            os.close(fd)
    return text, exact


def compare(by, options, parse):
    n, figures = RUNS if LOAD else 1, []
    for _ in range(20 * n):
        text, exact = command("--by", by, *options)
        if exact:
            rows, lost = parse(text)
            figures.append(f"{rows} + {lost}")
            check(rows + lost == exact > N_CHILDREN * N_ROUNDS * N_PAGES, by, options, figures[-1], "of", exact, text)
        if len(figures) == n:
            break
    check(figures, "its process was always seen too late")
    print(f"# --by {by} {' '.join(options)}: {', '.join(figures)}")


def spin():
    while True:
        pass


def of_a_command():
    """tasks of a command and [unattributed] are what a counter says that it inherits"""
    if platform.machine() not in PERF_EVENT_OPEN or not serving.may_count_all():
        return "whole CPUs may not be counted"
    load = [multiprocessing.Process(target=spin, daemon=True) for _ in range(LOAD)]
    for one in load:
        one.start()
    try:
        with open("/proc/mounts", encoding="utf-8") as mounts:
            has_cgroups = " cgroup2 " in mounts.read()  # a container may have none
        for by in ("task", "process", "command", *["cgroup"] * has_cgroups, "function"):
            for form, parse in FORMATS.items():
                compare(by, [form], parse)
        compare("function", ["--format", "folded"], of_folded)
        compare("process", ["-x,", "--top", "5"], of_x)
    finally:
        for one in load:
            one.kill()
    return None


if __name__ == "__main__":
    if sys.argv[1:] == ["work"]:
        work()
    else:
        serving.run([simulated, served, of_a_command])
