#!/usr/bin/env python3
"""cpusets.py: m1top where it may not run on each CPU that it counts: in a cpuset with one of them, as of a container with
--cpuset-cpus, and where sched_setaffinity is forbidden; and CPUs that are isolated or not there. TAP."""
import contextlib
import ctypes
import os
import re
import shlex
import struct
import subprocess
import sys
import tempfile

import serving
from serving import M1TOP, ROOT, Server, may_count_all

sys.path.insert(0, os.path.join(ROOT, "tests", "screens"))
from pane import Pane, has_tmux  # noqa: E402

PYTHON = sys.executable or "python3"
# of cgroup v1 and v2, where the latter has the controller
ROOTS = ("/sys/fs/cgroup/cpuset", "/sys/fs/cgroup")
# a task of the last CPU, which touches a page, waits and begins again
WORK = ("import mmap, os, time\n"
        "os.sched_setaffinity(0, {%d})\n"
        "open('/proc/self/comm', 'w').write('outside')\n"
        "print(flush=True)\n"
        "while os.getppid() == %d:\n"
        " mmap.mmap(-1, 4096)[0] = 1\n"
        " time.sleep(.001)\n")
INTERVALS = "-n", "5", "-I", "200"  # a CPU that is late for one is counted in the next
ISOLATED = "/sys/devices/system/cpu/isolated"
NR_SETAFFINITY = {"x86_64": 203, "aarch64": 122}


def check(truth, *why):
    if not truth:
        raise AssertionError(" ".join(str(part) for part in why))


def write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def find_root():
    for root in ROOTS:
        with contextlib.suppress(OSError):
            if os.path.exists(root + "/cpuset.mems") or "cpuset" in open(root + "/cgroup.subtree_control").read():
                return root
    return None


@contextlib.contextmanager
def cpuset(cpus):
    """A cpuset below the root, removed at the end. Gives None where none can be made."""
    root, path = find_root(), None
    try:
        path = tempfile.mkdtemp(prefix="m1top-test-", dir=root) if root else None
        if path:
            write(path + "/cpuset.cpus", cpus)
            write(path + "/cpuset.mems", "0")
    except OSError:
        if path:
            os.rmdir(path)
        path = None
    try:
        yield path
    finally:
        if path:
            serving.remove_cgroup(path)


def first_and_last():
    cpus = sorted(os.sched_getaffinity(0))
    return (cpus[0], cpus[-1]) if len(cpus) > 1 else None


def inside(path):
    """@return for preexec_fn: the process is moved there before its exec"""
    return lambda: write(path + "/cgroup.procs", str(os.getpid()))


def stat(*args, preexec=None):
    done = subprocess.run([M1TOP, "stat", *args], capture_output=True, text=True, timeout=250, check=False,
                          preexec_fn=preexec)
    check(done.returncode == 0 and "offline" not in done.stderr, done.returncode, done.stderr)
    return done


def check_cores(out, cpus):
    """The clock of each CPU advances as time does, whoever reads it."""
    got = {int(cpu): float(ms) for cpu, ms in re.findall(r",CPU(\d+),([\d.]+),msec,cpu-clock,", out)}
    for cpu in cpus:
        check(cpu in got, cpu, "is not counted:", out)
        check(abs(float(re.search(rf",CPU{cpu},.*,([\d.]+),CPUs utilized", out)[1]) - 1) < .05, out)


def needs(path):
    if not first_and_last():
        return "one CPU"
    if not path:
        return "no cpuset can be made here"
    return None if may_count_all() else "no counting here"


def each_cpu_is_counted():
    """in a cpuset with one CPU each CPU is counted, and one line names the others"""
    cpus = first_and_last()
    with cpuset(str(cpus[0]) if cpus else "0") as path:
        if needs(path):
            return needs(path)
        done = stat("-x,", "-A", *INTERVALS, "-e", "cpu-clock,page-faults", preexec=inside(path))
        check_cores(done.stdout, cpus)
        outside = sorted(set(range(os.cpu_count())) - {cpus[0]})
        said = re.findall(r"cpu ([\d,-]+): outside of this cpuset, and read from a CPU within it", done.stderr)
        check(len(said) == 1 and int(re.match(r"\d+", said[0])[0]) == outside[0], done.stderr)
        done = subprocess.run([M1TOP, "doctor"], capture_output=True, text=True, timeout=250, check=False,
                              preexec_fn=inside(path))
        check(done.stdout.count("outside of this cpuset") == 1, done.stdout)
        # not where only CPUs within it, or no CPUs, are counted, and not of the CPUs that m1top was started on
        for done in (stat("-n", "1", "-I", "100", "-C", str(cpus[0]), "-e", "cpu-clock", preexec=inside(path)),
                     stat("-e", "cpu-clock", "true", preexec=inside(path)),
                     stat("-n", "1", "-I", "100", "-e", "cpu-clock", preexec=lambda: os.sched_setaffinity(0, {cpus[0]}))):
            check("cpuset" not in done.stderr, done.stderr)
    return None


def tasks_of_other_cpus():
    """by command a task outside of the cpuset has its line, and the lines add up to the machine"""
    cpus = first_and_last()
    with cpuset(str(cpus[0]) if cpus else "0") as path:
        if needs(path):
            return needs(path)
        worker = subprocess.Popen([PYTHON, "-c", WORK % (cpus[1], os.getpid())], stdout=subprocess.PIPE)
        worker.stdout.readline()  # it has its name
        try:
            with serving.tasks_alone():
                out = stat("-x,", "--by", "command", "-n", "8", "-I", "250", "-e", "cpu-clock,page-faults",
                           preexec=inside(path)).stdout
        finally:
            worker.kill()
            worker.communicate()
    check(sum(int(n) for n in re.findall(r",outside,(\d+),,page-faults,", out)) > 10, out)
    rows = [(float(at), float(ms)) for at, ms in re.findall(r"^ *([\d.]+),.*,([\d.]+),msec,cpu-clock,", out, re.M)]
    first, last = min(rows)[0], max(rows)[0]
    total, seconds = sum(ms for at, ms in rows if at > first), last - first
    # a CPU that is late for the last interval is missing there
    check(total > .85 * 1e3 * seconds * os.cpu_count(), total, "ms of", os.cpu_count(), "CPUs for", seconds, "s")
    return None


def served_as_online():
    """serve exports the CPUs outside of the cpuset as online"""
    cpus = first_and_last()
    with cpuset(str(cpus[0]) if cpus else "0") as path:
        if needs(path):
            return needs(path)
        with Server("-I", "200", "-e", "page-faults", preexec_fn=inside(path)) as server:
            samples = server.wait(2)
    for cpu in cpus:
        check(list(serving.of(samples, "m1top_core_online", cpu=str(cpu)).values()) == [1], cpu, samples)
    return None


def cpuset_that_shrinks():
    """a cpuset that shrinks while it counts: each CPU is counted all the same"""
    cpus = first_and_last()
    with cpuset(f"{cpus[0]},{cpus[1]}" if cpus else "0") as path:
        if needs(path):
            return needs(path)
        process = subprocess.Popen([M1TOP, "stat", "-x,", "-A", "-I", "200", "-n", "8", "-e", "cpu-clock"], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=inside(path))
        first = process.stdout.readline()
        write(path + "/cpuset.cpus", str(cpus[0]))
        out, said = process.communicate(timeout=250)
    check(process.returncode == 0 and "offline" not in said, said)
    check_cores("\n".join((first + out).splitlines()[-os.cpu_count():]), cpus)
    return None


def forbid_setaffinity():
    """seccomp: EPERM"""
    code, number = struct.pack, NR_SETAFFINITY[os.uname().machine]
    rules = (code("HBBI", 0x20, 0, 0, 0) + code("HBBI", 0x15, 0, 1, number) + code("HBBI", 0x06, 0, 0, 0x50001) +
             code("HBBI", 0x06, 0, 0, 0x7fff0000))
    kept = ctypes.create_string_buffer(rules)
    program = ctypes.create_string_buffer(code("HxxxxxxP", 4, ctypes.addressof(kept)))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, program, 0, 0):
        raise OSError(ctypes.get_errno(), "seccomp")


def no_setaffinity():
    """where seccomp forbids sched_setaffinity each CPU is counted"""
    if os.uname().machine not in NR_SETAFFINITY or not first_and_last():
        return "another machine"
    if not may_count_all():
        return "no counting here"
    check_cores(stat("-x,", "-A", *INTERVALS, "-e", "cpu-clock", preexec=forbid_setaffinity).stdout, first_and_last())
    return None


def with_isolated(cpus, *args):
    """@return the command line of m1top where the kernel's list of isolated CPUs is another one"""
    return ["unshare", "-m", "sh", "-c", f"echo {cpus} >$M1TOP_ISOLATED && mount --bind $M1TOP_ISOLATED {ISOLATED} && "
            'exec "$0" "$@"', M1TOP, *args]


def isolated_cpus():
    """isolated CPUs are left out until -C names them, which stat, doctor, serve and the screen say"""
    cpus = first_and_last()
    if not cpus or os.cpu_count() != len(os.sched_getaffinity(0)):
        return "too few CPUs"
    with tempfile.NamedTemporaryFile() as file:
        os.environ["M1TOP_ISOLATED"] = file.name
        if subprocess.run(with_isolated(cpus[1], "help"), capture_output=True, check=False).returncode or not may_count_all():
            return "no mount namespace, or no counting here"

        def said_and_counted(isolated, *args):
            done = subprocess.run(with_isolated(isolated, "stat", "-x,", "-A", *INTERVALS, "-e", "cpu-clock", *args),
                                  capture_output=True, text=True, timeout=250, check=True)
            return done.stderr, {int(cpu) for cpu in re.findall(r",CPU(\d+),", done.stdout)}

        note = (f"cpu {cpus[1]}: isolated (isolcpus, nohz_full or a cpuset partition), and left undisturbed; "
                "-C counts them\n")
        rest = set(range(os.cpu_count())) - {cpus[1]}
        said, counted = said_and_counted(cpus[1])
        check(said.count(note) == 1 and counted == rest, said, counted)
        for args in ("-C", str(cpus[1])), ("-C", f"{cpus[0]},{cpus[1]}"):
            said, counted = said_and_counted(cpus[1], *args)
            check("isolated" not in said and cpus[1] in counted, said, counted)
        # there would be nothing left
        said, counted = said_and_counted(f"0-{os.cpu_count() - 1}")
        check("isolated" not in said and counted == rest | {cpus[1]}, said, counted)
        done = subprocess.run(with_isolated(cpus[1], "doctor"), capture_output=True, text=True, timeout=250, check=False)
        check("  -  " + note in done.stdout, done.stdout)
        # tasks run where they run
        done = subprocess.run(with_isolated(cpus[1], "stat", "-x,", "-e", "page-faults", "true"), capture_output=True,
                              text=True, timeout=250, check=True)
        check("isolated" not in done.stderr, done.stderr)
        with Server("-I", "200", "-e", "page-faults", command=with_isolated(cpus[1])) as server:
            check(note in server.said, server.said)
            online = serving.of(server.wait(2), "m1top_core_online")
            check(len(online) == len(rest), online)
        if has_tmux():
            with tempfile.TemporaryDirectory(prefix="m1top-cpusets-") as folder:
                with Pane(folder) as pane:
                    pane.type((shlex.join(with_isolated(cpus[1], "-e", "page-faults")) + "\r").encode())
                    pane.wait(note.split(" (")[0])
    return None


def absent_cpus():
    """CPUs of -C that are not there are named, and the rest is counted"""
    if not may_count_all():
        return "no counting here"
    n = os.cpu_count()
    done = stat("-x,", "-A", *INTERVALS, "-e", "cpu-clock", "-C", f"0-{n + 3}")
    check(f"cpu {n}-{n + 3}: not online on this machine, left out of -C\n" in done.stderr, done.stderr)
    check({int(cpu) for cpu in re.findall(r",CPU(\d+),", done.stdout)} == os.sched_getaffinity(0), done.stdout)
    return None


if __name__ == "__main__":
    serving.run([each_cpu_is_counted, tasks_of_other_cpus, served_as_online, cpuset_that_shrinks, no_setaffinity, isolated_cpus,
                 absent_cpus])
