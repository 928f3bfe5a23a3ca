"""A pipe between two cgroups, perf bench sched pipe, bare and while it is counted: by task, by cgroup, by perf."""
import contextlib
import os
import re
import subprocess
import sys
import time

from figures import M1TOP, Missing, against, cpu_of_threads, need, pct, us, usual

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
from cgroups import enter, groups  # noqa: E402

EVENTS = "page-faults,cpu-clock,cpu-migrations,context-switches"
LOOPS, ROUNDS = 200000, 5


def seconds_a_loop(folders):
    """Both ends on one CPU, each in a cgroup of its own."""
    with subprocess.Popen(["taskset", "-c", "0", "perf", "bench", "sched", "pipe", "-l", str(LOOPS)],
                          stdout=subprocess.PIPE, text=True, preexec_fn=lambda: enter(folders[0], 0)) as bench:
        other = []
        while not other and bench.poll() is None:
            with open(f"/proc/{bench.pid}/task/{bench.pid}/children", encoding="ascii") as file:
                other = file.read().split()
        if other:
            enter(folders[-1], other[0])
        took = re.search(r"([\d.]+) usecs/op", bench.communicate()[0])
        if not took:
            raise Missing("perf bench sched pipe failed")
        return float(took[1]) / 1e6


def counted(command, folders):
    """@return seconds a loop while the command counts, its share of a CPU and its descriptors"""
    program = subprocess.Popen([*command, "sh", "-c", "echo it counts >&2; read end"], text=True,
                               stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = ""
    for line in program.stderr:
        if line == "it counts\n":
            break
        said += line
    try:
        used, start = cpu_of_threads(program.pid), time.monotonic()
        loop_s = seconds_a_loop(folders)
        share = (cpu_of_threads(program.pid) - used) / (time.monotonic() - start)
        return loop_s, share, len(os.listdir(f"/proc/{program.pid}/fd"))
    except OSError as error:
        raise Missing(f"{command[0]}: {said.strip() or error}") from error
    finally:
        with contextlib.suppress(BrokenPipeError):
            program.communicate("\n")


def row_cgroups(n):
    """perf bench sched pipe between two of {} cgroups"""
    need("perf")
    m1top = [M1TOP, "stat", "-a", "--budget", "100", "-e", EVENTS, "-d", "1", "--by"]
    with groups([f"/{i}" for i in range(n)]) as folder:
        if not folder:
            raise Missing("no cgroup can be made here")
        folders = list(folder.values())
        names = ",".join(path[1:] for path in folder)
        commands = {"m1top": [*m1top, "cgroup"], "m1top by task": [*m1top, "task"],
                    "perf stat --for-each-cgroup": ["perf", "stat", "-a", "-e", EVENTS, "-o", "/dev/null", "--for-each-cgroup", names]}
        bare, got = [], {name: [] for name in commands}
        for _ in range(ROUNDS):
            bare.append(seconds_a_loop(folders))
            for name, command in commands.items():
                got[name].append(counted(command, folders))
    loop, share, n_fds = ({name: [one[i] for one in figures] for name, figures in got.items()} for i in range(3))
    yield "", usual(us, loop.pop("m1top")), against(us, [one[0] for one in got["m1top"]], {**loop, "bare": bare}), "1.05 ×"
    yield ": CPU of the program", usual(pct, share.pop("m1top")), against(pct, [one[1] for one in got["m1top"]], share), ""
    ours = n_fds.pop("m1top")
    yield ": descriptors", usual(str, ours), against(str, ours, n_fds), ""


ROWS = {"cgroups": (row_cgroups, (2, 20, 100))}
