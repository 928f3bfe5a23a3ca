#!/usr/bin/env python3
"""without_rights.py: the live screen of a user who may not count whole CPUs: how busy each core is, the user's own tasks
as /proc has them, and the command that gives more; stat still refuses. TAP."""
import contextlib
import os
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

from serving import M1TOP as BUILT, ROOT, Tap

sys.path.insert(0, os.path.join(ROOT, "tests", "screens"))
from pane import Pane, has_tmux  # noqa: E402

USER = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if not os.geteuid() else []
SECCOMP = [sys.executable, os.path.join(ROOT, "tests/e2e/surroundings.py"), "--seccomp"]
LESS = "only utilisation and your own tasks; for all tasks and counters: "
# Runs and touches new pages all the time, under this name.
BURN = """import mmap, os, sys
open("/proc/self/comm", "w").write(sys.argv[1])
test = os.getppid()
while os.getppid() == test:  # it may be killed
    with mmap.mmap(-1, 1 << 22) as pages:
        for at in range(0, 1 << 22, 4096): pages[at] = 1
"""


@contextlib.contextmanager
def burning(name, as_user):
    with subprocess.Popen([*as_user, sys.executable, "-c", f"'{name}'\n{BURN}", name]) as process:
        try:
            yield process.pid
        finally:
            process.kill()


def stat_of(pid):
    """@return page faults and ns of CPU time so far"""
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        field = file.read().rpartition(")")[2].split()
    return int(field[7]) + int(field[9]), (int(field[11]) + int(field[12])) * 1e9 / os.sysconf("SC_CLK_TCK")


def number(text):
    """"3.25k" as a number"""
    return float(text.rstrip("kM")) * {"k": 1e3, "M": 1e6}.get(text[-1], 1)


def row_of(pane, pid):
    """@return CPU% and page faults per second of a process in Tasks; None while they are not there"""
    row = re.search(rf"^.? +{pid} \S+ +\S.*?burner-own.*? +([\d.]+) [\d-]+ +([\d.]+[kM]?) ", pane.screen(), re.M)
    return row and (float(row[1]), number(row[2]))


def own_tasks(pane, pid):
    """Tasks has the user's own, with the CPU time and the page faults that /proc has, and no others"""
    pane.press("Tab")
    pane.wait(" own ")

    def agrees():
        """once, within a factor of 2: how much it runs changes all the time"""
        before, from_ns = stat_of(pid), time.monotonic_ns()
        time.sleep(2)
        after, window_ns = stat_of(pid), time.monotonic_ns() - from_ns
        shown = row_of(pane, pid)
        true = (after[1] - before[1]) / window_ns * 100, (after[0] - before[0]) * 1e9 / window_ns
        return shown and all(figure / 2 <= seen <= figure * 2 for seen, figure in zip(shown, true))

    pane.until(agrees, f"process {pid} never has its figures of /proc")
    said = pane.screen()
    assert not (USER and "burner-root" in said) and "[idle]" not in said, said


def threads_by_place(pane, pid):
    """t shows threads; going back in time shows tasks, too"""
    pane.press("t")
    pane.wait(f" {pid} ")
    pane.press("←")
    pane.wait("kept")

    def earlier():
        """a short window after a stall may have nothing of it"""
        if not pane.shows("burner-own"):
            pane.press("←")
            time.sleep(.5)
        return pane.shows("burner-own")

    pane.until(earlier, "no burner-own in the past")
    pane.press("End")
    pane.wait(" own ")


def cores(pane, _):
    """the screen starts, shows how busy each core is, own tasks below, and the command; a busy machine may delay it"""
    pane.until(lambda: pane.shows(LESS) or pane.shows(" missed "), "neither limits nor ticks that a stall took")
    if not pane.shows(LESS):  # a later message took its place
        pane.press("E")
        pane.wait(LESS)
        pane.press("E")
    if not resource.getrlimit(resource.RLIMIT_RTPRIO)[0]:
        pane.wait("not real-time")
    last = f"cpu{os.sysconf('SC_NPROCESSORS_ONLN') - 1}"
    pane.until(lambda: re.search(rf"^.? +{last} +[\d.]+", pane.screen(), re.M), "a core has no utilisation")
    pane.wait("burner-own")
    # no zero for what no core counts; blank while a core is late
    pane.until(lambda: re.search(r"cpu0 .* n/s +n/s", pane.screen()), "a core says what it cannot count")


def ends(pane, _):
    """the end repeats how to get the rights"""
    pane.press("q")
    pane.wait("m1top: counting whole CPUs is not permitted" if pane.said_why else "perf_event_open is missing")


def refused(pane, _):
    """events by name are refused as before"""
    pane.type(f"clear; {pane.command} -e page-faults\r".encode())
    pane.wait(pane.why)


def may_count(there, m1top):
    done = subprocess.run([*there, m1top, "stat", "-e", "cpu-clock", "-n", "1"], capture_output=True, text=True, check=False)
    return not done.returncode or done.stdout


def fault_of(step, pane, pid):
    try:
        step(pane, pid)
    except AssertionError as why:
        return [str(why)]
    return []


def walk(tap, folder, m1top, name, there):
    if may_count(there, m1top):
        tap.skip(name, "whole CPUs may be counted there")
        return
    tap.test(f"{name}: stat refuses whole CPUs")
    pane = Pane(folder, 120, 40)
    pane.command = "env HOME=/nonexistent " + shlex.join([*there, m1top])
    pane.said_why = "38" not in there
    pane.why = "counting whole CPUs is not permitted" if pane.said_why else "perf_event_open is missing"
    try:
        with burning("burner-own", USER) as pid, burning("burner-root", []):
            pane.type(f"{pane.command} -d 0.5\r".encode())
            for step in (cores, own_tasks, threads_by_place, ends, refused):
                tap.test(f"{name}: {step.__doc__}", fault_of(step, pane, pid))
    finally:
        pane.close()


def main():
    if not has_tmux() or (USER and not shutil.which("setpriv")):
        print("1..0 # SKIP no tmux or no setpriv")
        return
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="m1top-without-rights-") as folder:
        os.chmod(folder, 0o755)
        m1top = shutil.copy(BUILT, folder)
        shutil.copytree(os.environ.pop("M1TOP_EVENTS", os.path.join(ROOT, "events")), os.path.join(folder, "events"))
        os.environ.pop("SUDO_UID", None)
        for name, there in (("a user", []), ("seccomp with EPERM", [*SECCOMP, "1"]), ("seccomp with ENOSYS", [*SECCOMP, "38"])):
            if there and not USER:
                tap.skip(name, "only root filters system calls without no_new_privs, which has messages of its own")
            elif there and os.uname().machine not in ("x86_64", "aarch64"):
                tap.skip(name, "surroundings.py has no seccomp filter for this processor")
            else:
                walk(tap, folder, m1top, name, [*there, *USER])
    tap.end()


if __name__ == "__main__":
    main()
