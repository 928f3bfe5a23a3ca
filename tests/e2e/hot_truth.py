#!/usr/bin/env python3
"""hot_truth.py: what stat --by function says of programs whose functions, and callers of a function, have known parts of page
faults and CPU time, alone, of two at once, and beside perf record; of own tasks also without rights. TAP."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

from serving import M1TOP, for_every_user
from task_truth import check, never_idle, start

HERE = os.path.dirname(os.path.abspath(__file__))
FAULTS, CLOCK = "page-faults", "cpu-clock"
# Errors hold for 95 of 100: twice as much for all but 1 of 10000.
TIMES = 2
LOST_MAX = .05
SAMPLES_MIN = 50


class Lost(Exception):
    """Other programs had the counters, or the machine was too busy: counts of tasks are not all there."""


def build(folder, name, source="hot_truth.c", *flags):
    """@return path of the program, or None without a compiler"""
    path = os.path.join(folder, name)
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if not compiler:
        return None
    subprocess.run([compiler, "-O1", "-g", "-std=gnu11", "-include", "stdbool.h", *flags, "-o", path, f"{HERE}/{source}"], check=True)
    return path


def parse_truth(text):
    """@return by function of a program: page faults and CPU time in ns"""
    return {name: (int(faults), int(ns)) for name, faults, ns in re.findall(r"^(hot_\w+) (\d+) (\d+)$", text, re.M)}


def lost_of(messages):
    """@return context switches without a record, and all: some virtual machines' kernels hide a few"""
    found = re.search(r"(\d+) of (\d+) context switches were not recorded", messages)
    return (int(found[1]), int(found[2])) if found else (0, 1)


class Anybody:
    """A user without rights, root's nobody or the one that runs the test, and a folder that they can read"""

    def __init__(self, folder):
        self.folder = folder
        self.words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if not os.getuid() else []
        self.environment = dict(os.environ, M1TOP_EVENTS=f"{folder}/events")

    def start(self, *words, **how):
        return subprocess.Popen([*self.words, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd="/",
                                env=self.environment, **how)

    def start_enabled(self, *words):
        """Start a counter, and wait until it counts."""
        ctl, ack = os.pipe(), os.pipe()
        process = self.start(*words, "-D", "-1", "--control", f"fd:{ctl[0]},{ack[1]}", pass_fds=(ctl[0], ack[1]))
        os.close(ctl[0])
        os.close(ack[1])
        os.write(ctl[1], b"enable\n")
        check(os.read(ack[0], 5), process.args)
        os.close(ctl[1])
        os.close(ack[0])
        return process

    def run(self, *words):
        with self.start(*words) as process:
            out, said = process.communicate(timeout=280)
        return process.returncode, out, said

    def stat(self, *words):
        return self.run(f"{self.folder}/m1top", "stat", "--by", "function", *words)

    def lacks(self):
        """@return why functions of own tasks cannot be counted here, or can by everybody"""
        with open("/proc/sys/kernel/perf_event_paranoid", encoding="ascii") as file:
            if int(file.read()) != 2:
                return "perf_event_paranoid is not 2"
        if self.words and not shutil.which("setpriv"):
            return "no setpriv"
        status, _, said = self.stat("-e", FAULTS, "true")
        if status:
            return said.strip().splitlines()[0]
        return None if "only user mode" in said else "this user may count everything"

    def count(self, event, *command, options=()):
        """@return as count()"""
        status, out, said = self.stat("-e", event, *options, "-j", "--", *command)
        check(status == 0, said)
        check("[unattributed]" not in out.replace('"comm" : "[unattributed]"', ""), "no others are counted:", out)
        return [json.loads(line) for line in out.splitlines() if line.startswith("{")], out, 0


def count(event, *command, options=()):
    """@return rows of stat by function, what the command printed, number of switches without a record"""
    with tempfile.NamedTemporaryFile() as out:
        run = subprocess.run([M1TOP, "stat", "--by", "function", "-e", event, *options, "-j", "-o", out.name, "--force", "--", *command],
                             capture_output=True, text=True, check=False)
        check(run.returncode == 0, run.stderr)
        rows = [json.loads(line) for line in out]
    lost, switches = lost_of(run.stderr)
    if lost > LOST_MAX * switches:
        raise Lost(run.stderr)
    enough(sum(row["samples"] for row in rows if row["function"].startswith(("hot_", "leaf"))))
    return rows, run.stdout, lost


def enough(samples):
    if samples < SAMPLES_MIN:
        raise Lost(f"few samples, {samples}: the kernel draws long periods where the machine is busy")


def sleeps(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        return file.read().rpartition(")")[2].split()[0] == "S"


def shares(rows, comm=None):
    """@return by function of a program, or of all: its share of what they have together, with its error"""
    mine = [row for row in rows if row["function"].startswith("hot_") and comm in (row["comm"], None)]
    share = sum(row["share-pct"] for row in mine) / 100
    return {row["function"]: (row["share-pct"] / 100 / share, row["error-pct"] / 100 / share) for row in mine}


def compare(found, truth, which, slack=0):
    whole = sum(row[which] for row in truth.values())
    for name, row in truth.items():
        is_share = row[which] / whole
        share, error = found.get(name, (0, 1))
        print(f"# {name}: {100 * share:.2f} ± {100 * error:.2f} %, is {100 * is_share:.2f} %")
        check(abs(share - is_share) <= TIMES * error + slack, name, share, error, is_share)


def faults_of_functions(program, by=count):
    rows, printed, lost = by(FAULTS, program, "300", "10", "0")
    truth = parse_truth(printed)
    total = sum(int(row["counter-value"]) for row in rows)
    known = sum(row[0] for row in truth.values())
    compare(shares(rows, "hot_truth"), truth, 0)
    # the program's start and end have some, too; what ran before a switch without a record is missing
    check(known * (1 - (4 * LOST_MAX if lost else 0)) <= total <= known + 1000, "all faults are there, to the unit:", total, known)
    check(all(row["object"] == program for row in rows if row["function"].startswith("hot_")))


def time_of_functions(program, by=count):
    rows, printed, _ = by(CLOCK, program, "100", "0", "100000")
    compare(shares(rows, "hot_truth"), parse_truth(printed), 1, .01)


def two_at_once(program, other, by=count):
    rows, printed, _ = by(FAULTS, "/bin/sh", "-c", f"{program} 300 10 0 & {other} 300 10 0 >{other}.out; wait")
    compare(shares(rows, "hot_truth"), parse_truth(printed), 0)
    with open(f"{other}.out", encoding="utf-8") as file:
        compare(shares(rows, "hot_truth2"), parse_truth(file.read()), 0)


def beside_perf(program):
    with tempfile.NamedTemporaryFile() as data:
        rows, printed, _ = count(FAULTS, "perf", "record", "-q", "-e", FAULTS, "-c", "97", "-o", data.name, "--", program, "300", "10", "0")
        script = subprocess.run(["perf", "script", "-i", data.name, "-F", "ip,sym"], capture_output=True, text=True, check=True)
    truth = parse_truth(printed)
    found = shares(rows, "hot_truth")
    compare(found, truth, 0)
    perf = {name: script.stdout.split().count(name) for name in truth}
    for name, n in perf.items():
        share = n / sum(perf.values())
        print(f"# perf: {name} {100 * share:.2f} %")
        check(abs(share - found.get(name, (0, 1))[0]) <= TIMES * found.get(name, (0, 1))[1] + .01, name, share)


def each(rows):
    for row in rows:
        yield row
        yield from each(row.get("callers", ()))


def caller_of(name):
    """by_jump calls last of all: some compilers make a jump of it, which leaves no caller but its own"""
    return "main" if name == "by_jump" else name


def leaf_of(rows):
    return next(row for row in rows if row["function"] == "leaf")


def shares_of_callers(leaf):
    """@return by caller: its share of the function, with its error"""
    found = {}
    for row in leaf["callers"]:
        name, whole = caller_of(row["function"]), leaf["share-pct"]
        share, error = found.get(name, (0, 0))
        found[name] = (share + row["share-pct"] / whole, error + row["error-pct"] / whole)
    return found


def compare_callers(found, truth, slack=0):
    """@param found  share of the count and its error by caller"""
    for name, parts in truth.items():
        is_share = parts / sum(truth.values())
        share, error = found.get(name, (0, 1))
        print(f"# {name}: {100 * share:.2f} ± {100 * error:.2f} %, is {100 * is_share:.2f} %")
        check(abs(share - is_share) <= TIMES * error + slack, name, share, error, is_share)


def callers_of_a_function(program, by=count):
    rows, printed, _ = by(FAULTS, program, "5000", options=["-g"])
    truth = {name: int(faults) for name, faults in re.findall(r"^(\w+) (\d+)$", printed, re.M)}
    for row in each(rows):
        below = row.get("callers")
        check(not below or sum(int(one["counter-value"]) for one in below) == int(row["counter-value"]), "to the unit:", row)
        check(not below or sum(one["samples"] for one in below) == row["samples"], "each sample:", row)
    leaf = leaf_of(rows)
    enough(leaf["samples"])
    for row in leaf["callers"]:
        check(row["function"] == "main" or [one["function"] for one in row.get("callers", ())] == ["main"], "all of main, recursion once:", row)
    compare_callers(shares_of_callers(leaf), truth)


def callers_beside_perf(program):
    with tempfile.NamedTemporaryFile() as data:
        rows, _, _ = count(FAULTS, "perf", "record", "-q", "-g", "-e", FAULTS, "-c", "17", "-o", data.name, "--", program, "500", options=["-g"])
        script = subprocess.run(["perf", "script", "-i", data.name, "-F", "ip,sym"], capture_output=True, text=True, check=True)
    stacks = [[line.split()[1] for line in sample.strip().splitlines()] for sample in script.stdout.split("\n\n") if sample.strip()]
    callers = [caller_of(stack[1]) for stack in stacks if stack[0] == "leaf" and len(stack) > 1]
    compare_callers(shares_of_callers(leaf_of(rows)), {name: callers.count(name) for name in set(callers) if callers.count(name) > 50}, .01)


def total(rows):
    return sum(int(row["counter-value"]) for row in rows)


def as_perf_counts_them(program, anybody):
    """The total is what perf stat counts, to the unit where that is the same in each run."""
    command = ["setarch", "-R", program, "50", "10", "0"]
    perf, ours = set(), set()
    for n in range(20):  # more than four times where runs differ
        if n >= 4 and ours & perf:
            break
        perf.add(int(anybody.run("perf", "stat", "-x,", "-e", f"{FAULTS}:u", "--", *command)[2].split(",")[0]))
        ours.add(total(anybody.count(FAULTS, *command)[0]))
    print(f"# perf {perf}, m1top {ours}")
    check(ours & perf, "some runs are the same")
    check(len(perf) > 1 or ours == perf, "all runs are the same")


def stacks_of_callers(program, anybody):
    status, out, said = anybody.stat("-e", FAULTS, "-g", "--format", "folded", "--", program, "5000")
    check(status == 0 and re.search(r"^callers_truth;(.*;)?main;by_sixty;leaf \d+$", out, re.M), out, said)


def a_session(program, anybody):
    """A session of own tasks is read back: rows of the same sum, and a report"""
    status, log, said = anybody.stat("-e", FAULTS, "--format", "csv", "-I", "100", "--", program, "3000", "10", "0")
    check(status == 0, said)
    enough(sum(map(int, re.findall(r"^# hot .* n=(\d+) .*function=hot_", log, re.M))))
    log = re.sub(r"^hot_\w .*\n", "", log, flags=re.M)  # what the program says itself
    for words in ["replay", "--to-stat", "--by", "function", "--summary", "-j", "-"], ["report", "-j", "-"]:
        done = subprocess.run([M1TOP, *words], input=log, capture_output=True, text=True, timeout=200, check=False)
        check(done.returncode == 0 and "hot_a" in done.stdout and "invalid" not in done.stderr, words, done.stdout, done.stderr)


def names_of_children(program, anybody):
    """What a shell starts has its own name and functions, not the shell's."""
    rows = anybody.count(FAULTS, "/bin/sh", "-c", f"for i in 1 2 3; do {program} 1 10 0 >/dev/null; done", options=["-c", "10"])[0]
    known = [row for row in rows if row["function"].startswith("hot_")]
    check({row["comm"] for row in known} <= {"hot_truth", None} and total(known) > 2700, rows)
    check(not any(row["object"] == "[unknown]" for row in rows), rows)


def as_often_as_asked_for(program, anybody):
    """-c N is exact but for the last part of each process; -F N is followed"""
    def samples(*options):
        rows = anybody.count(FAULTS, program, "300", "10", "0", options=options)[0]
        return sum(row["samples"] for row in rows), total(rows)
    n, whole = samples("-c", "100")
    check(0 <= whole - 100 * n < 200, n, whole)
    check(samples("-F", "5000")[0] > 3 * samples("-F", "100")[0])


def a_process_that_runs(program, anybody):
    """-p: its threads, those that start and end meanwhile, and its children, beside perf stat -p"""
    with anybody.start(program, "10", stdin=subprocess.PIPE) as process:
        process.stdout.readline()
        while not sleeps(process.pid):  # its way there has page faults, too
            time.sleep(.01)
        ours = anybody.start_enabled(f"{anybody.folder}/m1top", "stat", "--by", "function", "-e", FAULTS, "-j", "-p", str(process.pid))
        perf = anybody.start_enabled("perf", "stat", "-x,", "-e", f"{FAULTS}:u", "-p", str(process.pid))
        printed = process.communicate("\n")[0]
        rows = [json.loads(line) for line in ours.communicate(timeout=280)[0].splitlines() if "gap-frames" not in line]
        other = int(perf.communicate(timeout=280)[1].splitlines()[-1].split(",")[0])
    truth = parse_truth(printed)
    compare(shares(rows), truth, 0)
    check(total(rows) == other >= sum(row[0] for row in truth.values()), total(rows), other, truth)


def what_is_refused(program, anybody):
    """What needs whole CPUs says so, and what does not"""
    for words in (["-C", "0", "--", program, "1", "0", "0"], ["--cgroup", "/", "-n", "1"], ["-n", "1"]):
        status, _, said = anybody.stat("-e", FAULTS, *words)
        check(status == 3 and "counting whole CPUs is not permitted" in said and "needs the context" not in said, words, said)
    status, _, said = anybody.run(f"{anybody.folder}/m1top", "stat", "--by", "task", "-e", FAULTS, "--", program, "1", "0", "0")
    check(status == 3 and "with --by function; --by task needs the context switches of whole CPUs: " in said, said)
    status, _, said = anybody.stat("-e", FAULTS, "-p", "1")
    check(status == 3 and (os.getuid() or "process 1 of another user" in said), said)


def tests_of_anybody(folder):
    """@return tests with their arguments, and why there are none"""
    anybody = Anybody(folder)
    why = anybody.lacks()
    program, other, threads = build(folder, "hot_truth"), build(folder, "hot_truth2"), build(folder, "hot_threads", "hot_threads.c", "-pthread")
    callers = build(folder, "callers_truth", "callers_truth.c", "-fno-omit-frame-pointer", "-foptimize-sibling-calls")
    if why or not program:
        return [], why or "no compiler"
    with open(f"{other}.out", "w", encoding="utf-8") as file:
        os.fchmod(file.fileno(), 0o666)
    tests = [(faults_of_functions, program, anybody.count), (time_of_functions, program, anybody.count),
             (two_at_once, program, other, anybody.count), (callers_of_a_function, callers, anybody.count),
             (stacks_of_callers, callers, anybody), (a_session, program, anybody), (names_of_children, program, anybody), (as_often_as_asked_for, program, anybody), (what_is_refused, program, anybody)]
    if shutil.which("perf"):
        tests += [(a_process_that_runs, threads, anybody)] + [(as_perf_counts_them, program, anybody)] * bool(shutil.which("setarch"))
    return tests, None


def attempt(test, *arguments):
    """Whether it holds. Lost records: again."""
    for _ in range(8):
        try:
            test(*arguments)
            return None
        except Lost as lost:
            reason = lost
    return reason


def tests_of_all(folder):
    """@return tests of who may count whole CPUs, and why there are none"""
    program, other = build(folder, "hot_truth"), build(folder, "hot_truth2")
    can = subprocess.run([M1TOP, "stat", "--by", "function", "-e", FAULTS, "-n", "1"], capture_output=True, text=True, check=False)
    if not program or can.returncode:
        return [], "no compiler" if not program else can.stderr.splitlines()[-1]
    callers = build(folder, "callers_truth", "callers_truth.c", "-fno-omit-frame-pointer", "-foptimize-sibling-calls")
    tests = [(faults_of_functions, program), (time_of_functions, program), (two_at_once, program, other),
             (callers_of_a_function, callers)]
    if shutil.which("perf"):
        tests += [(beside_perf, program), (callers_beside_perf, callers)]
    return tests, None


def main():
    os.umask(0o022)  # anybody runs the programs
    open_folder = for_every_user()
    try:
        with tempfile.TemporaryDirectory() as folder:
            return run_both(tests_of_all(folder), tests_of_anybody(open_folder))
    finally:
        shutil.rmtree(open_folder)


def run_both(of_all, of_anybody):
    tests = of_all[0] + of_anybody[0]
    if not tests:
        print(f"1..0 # SKIP {of_all[1]}; {of_anybody[1]}")
        return 0
    for why in filter(None, (of_all[1], of_anybody[1])):
        print(f"# without some: {why}")
    life = os.pipe()
    idlers = [start(never_idle, cpu, life) for cpu in os.sched_getaffinity(0)]
    os.close(life[0])
    failed = 0
    for number, (test, *arguments) in enumerate(tests, 1):
        try:
            lost = attempt(test, *arguments)
            print(f"ok {number} - {test.__name__}{' # SKIP ' + str(lost).strip().splitlines()[-1] if lost else ''}", flush=True)
        except AssertionError as error:
            failed += 1
            print(f"# {error}\nnot ok {number} - {test.__name__}", flush=True)
    os.close(life[1])
    for pid in idlers:
        os.waitpid(pid, 0)
    print(f"1..{len(tests)}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
