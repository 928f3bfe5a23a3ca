#!/usr/bin/env python3
"""task_detail.py: keys of the Task view pin, renice and signal a child, as /proc confirms; what is refused or typed wrong
changes nothing. TAP.

Under sudo is: as root, with SUDO_UID and SUDO_GID, so that m1top acts as that user."""
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

import serving

sys.path.insert(0, os.path.join(serving.ROOT, "tests", "screens"))
from pane import LIMIT_S, Pane, has_tmux  # noqa: E402

CALLER = 1
NICE = os.nice(0)  # that of the tests
# runs often enough to be listed in every interval; two lines and an escape in its command line
WORK = ["python3", "-c", "import time\nwhile True: time.sleep(.02)", "\033[7mnot inverse", "last"]


class Child:
    def __init__(self, uid, command=WORK):
        self.process = subprocess.Popen(command, user=uid, group=uid)
        self.pid = self.process.pid

    def stat(self):
        with open(f"/proc/{self.pid}/stat", encoding="ascii") as file:
            return file.read().rpartition(")")[2].split()

    def nice(self):
        return int(self.stat()[16])

    def cpus(self):
        return os.sched_getaffinity(self.pid)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def until(truth, pane):
    end = time.monotonic() + LIMIT_S
    while not truth():
        if time.monotonic() > end:
            raise AssertionError(pane.screen())
        time.sleep(.02)


def opened(pane, child, who=(f"SUDO_UID={CALLER}", f"SUDO_GID={CALLER}")):
    """Start m1top as the caller with that process alone, and open it."""
    command = shlex.join(["env", *who, f"M1TOP_EVENTS={FOLDER}/events",
                          os.path.join(FOLDER, "m1top"), "-e", "context-switches", "-d", "0.3", "-p", str(child.pid),
                          "--budget", "100"])  # others may switch so often that tasks are left out
    pane.type(f"{command}\r".encode())
    pane.wait("processes")
    pane.until(lambda: any(f" {child.pid} " in line for line in pane.screen().splitlines() if "▸" in line), "no row")
    pane.press("Enter")
    pane.wait(f" {child.pid}   ")


def answer(pane, key, question, text):
    pane.press(key)
    pane.wait(question)
    pane.type(text.encode() + b"\r")


def acts(pane):
    """pins, renices and signals the caller's own process, and says when it has ended"""
    with Child(CALLER) as child:
        opened(pane, child)
        pane.wait("␛[7mnot inverse last")
        pane.wait(f"nice {NICE}")
        cpu = max(child.cpus())
        nicer = min(NICE + 5, 19)
        answer(pane, "n", "nice value for python3", str(nicer))
        until(lambda: child.nice() == nicer, pane)
        pane.wait(f"nice {nicer}")
        answer(pane, "c", "cores for python3", str(cpu))
        until(lambda: child.cpus() == {cpu}, pane)
        pane.wait(f"may run on {cpu}")
        pane.wait(" page faults, ")
        answer(pane, "F9", "signal for python3", "STOP")
        pane.wait("it did not run in this interval")
        pane.wait("━ python3")  # its past is still drawn
        answer(pane, "F9", "signal for python3", "CONT")
        pane.until(lambda: not pane.shows("did not run"), "it does not run again")
        answer(pane, "F9", "signal for python3", "INT")
        until(lambda: child.process.poll() is not None, pane)
        pane.wait("it has ended")
        pane.press("Esc")
        pane.until(lambda: " Task " not in pane.screen().splitlines()[1], "Esc does not go back")


def waits(pane):
    """says how long a process ran and waited for a CPU: two loops on one CPU do nothing else"""
    if not os.path.exists("/proc/self/schedstat"):
        return "the kernel has no schedstat"
    loop = ["sh", "-c", "while :; do :; done"]
    with Child(CALLER, loop) as child, Child(CALLER, loop) as other:
        cpu = {max(child.cpus())}
        os.sched_setaffinity(child.pid, cpu)
        os.sched_setaffinity(other.pid, cpu)
        opened(pane, child)

        def shares():
            found = re.search(r"ran ([\d.]+) %, waited ([\d.]+) % for a CPU", " ".join(pane.screen().split()))
            return [float(share) for share in found.groups()] if found else [0, 0]
        # a hypervisor's time is in neither
        pane.until(lambda: 50 < sum(shares()) < 105 and shares()[1] > 20, "it did something else")


def changes_nothing(pane):
    """Esc and invalid answers change nothing"""
    with Child(CALLER) as child:
        opened(pane, child)
        before = child.cpus()
        for key, question, text, said in (("n", "nice value", "20", "-20 to 19"), ("n", "nice value", "", "-20 to 19"),
                                          ("c", "cores for", "9999", "nothing was done"),
                                          ("c", "cores for", "", "nothing was done"),
                                          ("c", "cores for", "0,nowhere", "nothing was done"),
                                          ("F9", "signal for", "TERMINATE", "nothing was done"),
                                          ("F9", "signal for", "0", "nothing was done"),
                                          ("F9", "signal for", "", "nothing was done")):
            answer(pane, key, question, text)
            pane.wait(said)
            pane.press("Space", "Space")  # clears the message
            pane.wait("live again")
        for key in ("c", "n", "F9"):
            pane.press(key)
            pane.wait("Esc: leave")
            pane.type(b"9\033")
            pane.until(lambda: not pane.shows("Esc: leave"), "Esc does not leave the prompt")
        assert child.process.poll() is None and child.nice() == NICE and child.cpus() == before, pane.screen()


def refused(pane):
    """another user's process: the reason, the owner, and the command for root"""
    with Child(0) as child:
        opened(pane, child)
        before = child.cpus()
        for key, question, text, remedy in (("n", "nice value", "5", f"sudo renice -n 5 $(ls /proc/{child.pid}/task)"),
                                            ("c", "cores for", "0", f"sudo taskset -acp 0 {child.pid}"),
                                            ("F9", "signal for", "KILL", f"sudo kill -KILL {child.pid}")):
            answer(pane, key, question, text)
            reason = f"Operation not permitted: the task belongs to root, and m1top acts as uid {CALLER}"
            pane.until(lambda: reason in (said := " ".join(pane.screen().split())) and remedy in said, remedy)
        assert child.process.poll() is None and child.nice() == NICE and child.cpus() == before, pane.screen()


def root_acts(pane):
    """from a root shell the same keys work for another user's process"""
    try:
        os.setpriority(os.PRIO_PROCESS, 0, NICE - 1)
        os.setpriority(os.PRIO_PROCESS, 0, NICE)
    except PermissionError as why:
        return f"not even root may here: {why}"
    with Child(CALLER) as child:
        opened(pane, child, ("-u", "SUDO_UID"))
        cpu = min(child.cpus())
        answer(pane, "n", "nice value for python3", str(NICE - 3))
        until(lambda: child.nice() == NICE - 3, pane)
        answer(pane, "c", "cores for python3", str(cpu))
        until(lambda: child.cpus() == {cpu}, pane)
        answer(pane, "F9", "signal for python3", "KILL")
        until(lambda: child.process.poll() is not None, pane)
    return None


def in_table(pane):
    """a wide Tasks table shows the command line, and the owner of a task that has ended"""
    with Child(CALLER) as child:
        opened(pane, child)
        pane.press("Esc")
        pane.until(lambda: any(f" {child.pid} daemon " in line and "while True" in line
                               for line in pane.screen().splitlines()), "no command line")
        child.process.kill()
        child.process.wait()
        pane.press("Space")
        pane.wait("frozen")
        assert f" {child.pid} daemon " in pane.screen() or str(child.pid) not in pane.screen(), pane.screen()


def in_pane(test):
    def run():
        folder = tempfile.mkdtemp(prefix="m1top-task-", dir="/tmp")
        os.chmod(folder, 0o777)
        pane = Pane(folder, 140, 40)
        try:
            return test(pane) or []
        finally:
            pane.close()
            shutil.rmtree(folder)
    run.__doc__, run.__name__ = test.__doc__, test.__name__
    return run


def can_count():
    done = subprocess.run([serving.M1TOP, "stat", "-n", "1", "-I", "20", "--by", "task", "-e", "context-switches"],
                          capture_output=True, check=False)
    return done.returncode == 0


if __name__ == "__main__":
    if os.geteuid() or not has_tmux() or not can_count():
        print("1..0 # SKIP needs root, tmux and perf")
        sys.exit(0)
    FOLDER = serving.for_every_user()
    try:
        serving.run([in_pane(test) for test in (acts, waits, changes_nothing, refused, root_acts, in_table)])
    finally:
        shutil.rmtree(FOLDER)
