#!/usr/bin/env python3
"""tracepoints.py: SUBSYSTEM:NAME is counted as by perf stat, listed, and refused with the reason. TAP.

tracefs is mounted and taken away in mount namespaces of their own.
"""
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

from serving import M1TOP, ROOT, Tap, for_every_user

sys.path.insert(0, os.path.join(ROOT, "tests", "screens"))
from pane import Pane, has_tmux  # noqa: E402

CALLS = 1234
# perf mounts tracefs itself where it is missing
NAMESPACE = ["unshare", "-m", "--propagation", "private", "sh", "-c"]
MOUNT = "{ test -e /sys/kernel/tracing/events || mount -t tracefs none /sys/kernel/tracing; } && "
MOUNTED = MOUNT + 'exec "$0" "$@"'
UNMOUNT = "{ umount -lat tracefs; mount -t tmpfs none /sys/kernel; } && "
GONE = UNMOUNT + 'exec "$0" "$@"'
ELSEWHERE = UNMOUNT + 'mkdir /sys/kernel/else && mount -t tracefs none /sys/kernel/else && exec "$0" "$@"'
FORBIDDEN = MOUNT + 'exec setpriv --reuid=65534 --regid=65534 --clear-groups "$0" "$@"'
EVENT = "syscalls:sys_enter_getppid"
WORK = ["python3", "-c", f"import os\nfor _ in range({CALLS}): os.getppid()"]


def run(place, *words):
    return subprocess.run([*NAMESPACE, place, *words], capture_output=True, text=True, check=False, timeout=240)


def count(program, *words, place=MOUNTED):
    done = run(place, *program, "stat", "-x,", *words, "-e", EVENT, "--", *WORK)
    for line in (done.stdout + done.stderr).splitlines():
        cells = line.split(",")
        if EVENT in cells:
            return int(cells[cells.index(EVENT) - 2])
    return done.stdout + done.stderr


def of_the_command():
    """a command's, as perf counts them"""
    for program in [[M1TOP]] + [["perf"]] * bool(shutil.which("perf")):
        got = count(program)
        if got != CALLS:
            yield f"{program}: {got} calls of {CALLS}"


def mounted_elsewhere():
    """a command's, where tracefs is mounted in another place"""
    got = count([M1TOP], place=ELSEWHERE)
    if got != CALLS:
        yield f"{got} calls of {CALLS}"


def of_the_machine():
    """the machine's"""
    got = count([M1TOP], "-a", "--by", "system")
    if not isinstance(got, int) or got < CALLS:
        yield f"{got} calls of {CALLS}"


def of_tasks():
    """a row for each command"""
    done = run(MOUNTED, M1TOP, "stat", "-x,", "--by", "command", "-e", EVENT, "--", *WORK)
    counts = [int(count) for count in re.findall(rf",(\d+),,{EVENT},", done.stdout)]
    # what ran before a switch without a record is [unattributed]
    if CALLS not in counts and (sum(counts) != CALLS or "not recorded" not in done.stderr):
        yield done.stdout + done.stderr


def in_a_session():
    """read back from a session by their names"""
    done = run(MOUNTED, "sh", "-c", f'"{M1TOP}" stat --format csv -d 0.2 -n 1 -e "{EVENT},context-switches" | '
               f'"{M1TOP}" replay --to-stat -x, -')
    if EVENT not in done.stdout:
        yield done.stdout + done.stderr


def listed():
    """listed by subsystem"""
    done = run(MOUNTED, M1TOP, "list", "events", "sched:")
    names = [line.split()[0] for line in done.stdout.splitlines()[1:]]
    there = run(MOUNTED, "sh", "-c", "ls /sys/kernel/tracing/events/sched/*/id").stdout.split()
    if not names or sorted(names) != sorted("sched:" + name.split("/")[-2] for name in there):
        yield done.stdout + done.stderr


def picked():
    """found in the picker by subsystem, and counted"""
    if not has_tmux():
        return []
    with tempfile.TemporaryDirectory(prefix="m1top-tracepoints-") as folder:
        with Pane(folder) as pane:
            pane.type((shlex.join([*NAMESPACE, MOUNTED, M1TOP, "-I", "200", "--budget", "100"]) + "\r").encode())
            pane.wait("? help")
            pane.press("e")
            pane.wait("event  ")
            pane.type(b"sched:sched_switch")
            pane.wait("sched:sched_switch ")
            pane.press("Enter")
            pane.wait("counts sched:sched_switch")
    return []


def refused():
    """refused with the reason: no such name, no tracefs, no rights"""
    folder = for_every_user()
    m1top = ["env", f"M1TOP_EVENTS={folder}/events", f"{folder}/m1top"]
    for place, event, says in (
            (MOUNTED, "sched:none_such", 'no tracepoint is named "sched:none_such"'),
            (MOUNTED, "sched:../sched/sched_switch", "the only modifiers are"),
            (GONE, EVENT, "no tracefs is mounted"),
            (FORBIDDEN, EVENT, "/events cannot be read: Permission denied")):
        done = run(place, *m1top, "stat", "-e", event, "true")
        if done.returncode != (3 if place == FORBIDDEN else 2) or says not in done.stderr:
            yield f"{event}: {done.returncode} {done.stdout}{done.stderr}"
    shutil.rmtree(folder)


def why_not():
    if os.geteuid() != 0:
        return "tracefs is root's"
    done = run(MOUNTED, "ls", "/sys/kernel/tracing/events/" + EVENT.replace(":", "/") + "/id")
    return done.stderr.strip() if done.returncode else ""


def main():
    tap = Tap()
    why = why_not()
    if why:
        print(f"1..0 # SKIP {why}")
        return
    for step in (of_the_command, mounted_elsewhere, of_the_machine, of_tasks, in_a_session, listed, picked, refused):
        tap.test(step.__doc__, step())
    tap.end()


main()
