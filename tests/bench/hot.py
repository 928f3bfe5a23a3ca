"""What sampling costs: a loop on CPU 0 bare and beside m1top stat --by function, perf record and perf top; names of 500 processes."""
import contextlib
import os
import re
import signal
import statistics
import subprocess
import tempfile
import time

from figures import M1TOP, cpu_of_threads, mib, ms, need, pct, usual

LOOP = os.environ.get("LOOP", "build/release/tests/bench/loop")
TURNS, LOOPS = 5, 2  # ten loops in all beside each program


@contextlib.contextmanager
def beside(command):
    """A program that samples all CPUs, until it is interrupted."""
    # at the end of its input perf top does not wait between its pictures
    program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        time.sleep(1.5)
        yield program.pid
    finally:
        program.send_signal(signal.SIGINT)
        program.wait(60)
        program.stdin.close()


def loops_s(kind):
    """At SCHED_FIFO only interrupts stop a loop; it ends before the kernel would let others run for a while."""
    return [int(subprocess.run(["chrt", "-f", "1", LOOP, kind], capture_output=True, check=True).stdout) / 1e9 for _ in range(LOOPS)]


def row_hot(told):
    """a {} samples a second and core"""
    kind, per_s = told.split()[0], told.split()[-1]
    need("perf")
    need("chrt")
    with tempfile.TemporaryDirectory() as folder:
        peers = {"m1top": [M1TOP, "stat", "--budget", "100", "--by", "function", "-e", "cpu-clock", "-F", per_s, "-I", "1000"],
                 "perf record": ["perf", "record", "-a", "-e", "cpu-clock", "-F", per_s, "-o", os.path.join(folder, "data")],
                 "perf top": ["perf", "top", "--stdio", "-e", "cpu-clock", "-F", per_s]}
        slower, share = ({name: [] for name in peers} for _ in range(2))
        for _ in range(TURNS):
            bare = statistics.median(loops_s(kind))
            for name, command in peers.items():
                with beside(command) as pid:
                    used, start = cpu_of_threads(pid), time.monotonic()
                    slower[name] += [loop / bare - 1 for loop in loops_s(kind)]
                    share[name].append((cpu_of_threads(pid) - used) / (time.monotonic() - start))
    limit = pct(max(0, statistics.median(slower["perf record"])) + .01)  # a point more than perf record
    for what, figures, most in (": slowdown", slower, limit), (": CPU of the program", share, ""):
        yield what, usual(pct, figures.pop("m1top")), ", ".join(f"{name} {usual(pct, figures[name])}" for name in figures), most


def symbol_thread(pid):
    """@return CPU time (s) of the thread that reads symbols"""
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/comm", encoding="ascii") as comm:
            if comm.read().strip() == "m1top/symbols":
                with open(f"/proc/{pid}/task/{thread}/schedstat", encoding="ascii") as file:
                    return int(file.read().split()[0]) / 1e9
    return 0.0


def row_names():
    """names for 500 processes, CPU of the symbol thread in 10 s"""
    script = "while :; do i=0; while [ $i -lt 200 ]; do i=$((i+1)); done; sleep 1; done"
    processes = [subprocess.Popen(["sh", "-c", script]) for _ in range(500)]
    try:
        taken, memory = [], []
        for _ in range(3):
            with beside([M1TOP, "stat", "--budget", "100", "--by", "function", "-e", "cpu-clock", "-I", "1000"]) as pid:
                time.sleep(8.5)
                taken.append(symbol_thread(pid))
                with open(f"/proc/{pid}/status", encoding="ascii") as file:
                    memory.append(int(re.search(r"VmHWM:\s+(\d+)", file.read())[1]) / 1024)
        yield "", usual(ms, taken), "", ""
        yield ": memory", mib(statistics.median(memory)), "", ""
    finally:
        for process in processes:
            process.kill()
        for process in processes:
            process.wait()


ROWS = {"hot": (row_hot, [f"{kind} loop beside {per_s}" for kind in ("spin", "memory") for per_s in (1000, 10000)]), "names": (row_names, ())}
