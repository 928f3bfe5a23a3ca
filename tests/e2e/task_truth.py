#!/usr/bin/env python3
"""task_truth.py: what stat says of each task on the machine, beside what the kernel says of it: in /proc/PID of those that
are there, and to the parent of those that have ended. BURST=5000 in the environment: so many short ones. TAP."""
import csv
import json
import mmap
import os
import re
import subprocess
import threading
import time

import serving
from serving import M1TOP

CLOCK, FAULTS, SWITCHES = "cpu-clock", "page-faults", "context-switches"
EVENTS = (CLOCK, FAULTS, SWITCHES)
N_TASKS = 50
BURST = int(os.environ.get("BURST", "300"))
AT_ONCE = 4
MS = 1000000
# What the two count differently: 1 %, what is under way when the kernel is asked, and of time what lies at a switch between
# the one looking at the clock and the other.
SHARE, SLACK, SWITCH_NS = .01, {CLOCK: .1 * MS, FAULTS: 2, SWITCHES: 1}, 10000
UNATTRIBUTED = "-1"
NAME = "truth"  # of all that are compared, to tell them from others that had the same pid


def check(truth, *why):
    if not truth:
        raise AssertionError(" ".join(str(part) for part in why))


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


# ---- tasks that do what they are made for, and end with the test ----

def spin(ms):
    until = time.thread_time_ns() + ms * MS
    while time.thread_time_ns() < until:
        pass


def touch(n_pages):
    with mmap.mmap(-1, n_pages * mmap.PAGESIZE) as memory:
        memory.madvise(mmap.MADV_NOHUGEPAGE)
        for at in range(0, len(memory), mmap.PAGESIZE):
            memory[at] = 1


def some_work(number):
    for _ in range(6):
        spin(3 + number % 5)
        touch(20 + number)
        if number % 3:
            time.sleep(.0005 * (number % 7))


def start(body, *arguments):
    """@return pid of a child"""
    pid = os.fork()
    if not pid:
        try:
            body(*arguments)
        finally:
            os._exit(0)
    return pid


def never_idle(cpu, life):
    """Some virtual machines' kernels record nothing when an idle task is switched away from: nobody is to be idle."""
    os.close(life[1])
    os.sched_setaffinity(0, [cpu])
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    threading.Thread(target=lambda: (os.read(life[0], 1), os._exit(0)), daemon=True).start()
    while True:
        pass


def waits_works_waits(number, go, done, end):
    for pipe in go, done, end:
        os.close(pipe[pipe is not done])
    if os.read(go[0], 1):
        some_work(number)
        os.write(done[1], b".")
        os.read(end[0], 1)


# ---- what the kernel says ----

def account(pid):
    """@return CPU time in ns, page faults and context switches of a process of one thread that sleeps"""
    while True:
        field = read(f"/proc/{pid}/stat").rpartition(")")[2].split()
        # it has the state before it is switched away from, and runs until then
        if field[0] == "S" and read(f"/proc/{pid}/syscall") != "running\n":
            break
        time.sleep(.001)
    return {CLOCK: int(read(f"/proc/{pid}/schedstat").split()[0]),
            FAULTS: int(field[7]) + int(field[9]),
            SWITCHES: sum(int(n) for n in re.findall(r"ctxt_switches:\s+(\d+)", read(f"/proc/{pid}/status")))}


def interrupts_ns():
    """What the kernel takes for no task's: interrupts, and what the host took; ticks of all CPUs"""
    irq, softirq, steal = (int(n) for n in read("/proc/stat").split()[6:9])
    return (irq + softirq + steal + 1) * 1000 * MS // os.sysconf("SC_CLK_TCK")


# ---- what m1top says ----

class Counting:
    """m1top counts the machine until it is stopped; then `task` is by pid, `life` are pids with the time of each that had
    it, `unattributed` and `n_lost` of all."""

    def __init__(self):
        self.process = subprocess.Popen(
            [M1TOP, "stat", "-a", "--by", "task", "-e", ",".join(EVENTS), "-I", "100", "--format", "csv", "--",
             "sh", "-c", "echo it counts >&2; read end; :"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.lines = []
        self.reader = threading.Thread(target=lambda: self.lines.extend(self.process.stdout))
        self.reader.start()
        self.said = ""
        for line in self.process.stderr:
            if line == "it counts\n":
                return
            self.said += line
        self.stop()

    def stop(self):
        self.process.stdin.close()
        self.reader.join()
        self.said += self.process.stderr.read()
        self.process.wait()

    def figures(self):
        self.n_lost = sum(int(n) for line in self.lines for n in re.findall(r"^# tasks .* lost=(\d+)", line))
        is_ours, task, self.life = {UNATTRIBUTED: True}, {}, set()
        for line in self.lines:
            told = re.match(r"# task (\S+) (\d+) .*name=(\S+)", line)
            if told:  # it may be another's pid by now; the number where the record of its name was lost
                is_ours[told[2]] = told[3] in (NAME, f"[{told[2]}]")
                self.life.add((int(told[2]), told[1]))
            if line[0] in "#t":
                continue
            row = next(csv.reader([line]))
            if is_ours.get(row[6]):
                one = task.setdefault(int(row[6]), dict.fromkeys(EVENTS, 0))
                one[row[7]] += int(row[8])
        self.unattributed = task.pop(int(UNATTRIBUTED), dict.fromkeys(EVENTS, 0))
        self.task = task


def counted(body):
    """@body  is called while m1top counts  @return what it returned, what was counted and stolen meanwhile; or why not"""
    life = os.pipe()
    for cpu in os.sched_getaffinity(0):
        start(never_idle, cpu, life)
    try:
        before = interrupts_ns()
        counting = Counting()
        if counting.process.returncode is not None:
            check(counting.process.returncode == 3, counting.said)
            return next(line for line in counting.said.splitlines() if "not permitted" in line)
        truth = body()
        counting.stop()
        check(counting.process.returncode == 0, counting.said)
        counting.figures()
        return truth, counting, interrupts_ns() - before
    finally:
        for end in life:
            os.close(end)


def compare(truth, counting, stolen_ns):
    """None has more than it did, and what is missing of it is nobody's; @truth  by pid"""
    for event in EVENTS:
        slack = {pid: SLACK[event] + (SWITCH_NS * one[SWITCHES] if event == CLOCK else 0) for pid, one in truth.items()}
        got = {pid: counting.task.get(pid, {}).get(event, 0) for pid in truth}
        missing = {pid: truth[pid][event] * (1 - SHARE) - slack[pid] - got[pid] for pid in truth}
        total, nobodys = sum(one[event] for one in truth.values()), counting.unattributed[event]
        as_it_is = sum(abs(got[pid] - truth[pid][event]) <= SHARE * truth[pid][event] + slack[pid] for pid in truth)
        print(f"# {event}: {sum(got.values())} of {total}, {100 * (sum(got.values()) / total - 1):+.3f} %; "
              f"{as_it_is} of {len(truth)} pids within {100 * SHARE:.0f} %; {nobodys} [unattributed]")
        beyond = {pid: got[pid] - truth[pid][event] * (1 + SHARE) - slack[pid] for pid in truth}
        # where records were lost that of another's beginning may be among them, who has had the pid since
        most = SHARE * total + stolen_ns if event == CLOCK else SHARE * total if counting.n_lost else 0
        check(sum(n for n in beyond.values() if n > 0) <= most, event, "too much:", beyond)
        check(sum(n for n in missing.values() if n > 0) <= nobodys, event, "missing:", {pid: n for pid, n in missing.items() if n > 0}, "of nobody:",
              nobodys, counting.said, [line for line in counting.lines if line[0] == "#" and not line.startswith("# task ")])
    print(f"# {counting.n_lost} records lost")


# ---- tests ----

def of_those_that_wait():
    """50 tasks: CPU time as in /proc/PID/schedstat, page faults as in stat, context switches as in status"""
    go, done, end = os.pipe(), os.pipe(), os.pipe()
    pids = [start(waits_works_waits, i, go, done, end) for i in range(N_TASKS)]

    # on a busy machine a task may begin long after it was born: it is not to do so while it is counted
    before = {pid: account(pid) for pid in pids}

    def work():
        os.write(go[1], bytes(N_TASKS))
        for _ in pids:
            os.read(done[0], 1)
        after = {pid: account(pid) for pid in pids}
        return {pid: {event: after[pid][event] - before[pid][event] for event in EVENTS} for pid in pids}

    try:
        got = counted(work)
    finally:
        for fd in (*go, *done, *end):
            os.close(fd)
        for pid in pids:
            os.waitpid(pid, 0)
    return got if isinstance(got, str) else compare(*got)


def of_a_burst():
    """a burst of tasks that live 2 ms: all are counted, as their parent was told"""
    def mother(told):
        living, ended = [], []
        for i in range(BURST + AT_ONCE):
            if i >= AT_ONCE:
                pid, _, usage = os.wait4(living.pop(0), 0)
                ended.append((pid, int((usage.ru_utime + usage.ru_stime) * 1e9), usage.ru_minflt + usage.ru_majflt,
                              usage.ru_nvcsw + usage.ru_nivcsw))
            if i < BURST:
                living.append(start(spin, 2))
        with os.fdopen(told, "w") as file:
            json.dump(ended, file)

    def work():
        told = os.pipe()
        pid = start(mother, told[1])
        os.close(told[1])
        with os.fdopen(told[0]) as file:
            ended = json.load(file)
        os.waitpid(pid, 0)
        by_pid = {}
        for pid, *figures in ended:  # a pid may have been given twice
            of = by_pid.setdefault(pid, dict.fromkeys(EVENTS, 0))
            for event, figure in zip(EVENTS, figures):
                of[event] += figure
        check(len(ended) == BURST, len(ended))
        return by_pid

    got = counted(work)
    if isinstance(got, str):
        return got
    truth, counting, _ = got
    n = sum(pid in truth and pid in counting.task for pid, _ in counting.life)
    check(n + counting.n_lost >= BURST, n, "seen of", BURST, "and", counting.n_lost, "records lost")
    print(f"# {min(n, BURST)} seen of {BURST}")
    return compare(*got)


if __name__ == "__main__":
    with open("/proc/self/comm", "w", encoding="ascii") as comm:
        comm.write(NAME)
    with serving.tasks_alone():
        serving.run([of_those_that_wait, of_a_burst])
