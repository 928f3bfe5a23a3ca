#!/usr/bin/env python3
"""selfcheck.py: m1top doctor --selfcheck -e: what sampling these events adds to each kernel, and whose they are. TAP."""
import re
import subprocess
import sys

from serving import M1TOP, Tap

CANNOT_COUNT = (3, 4)  # not permitted here, nothing to count here
EVENTS = ["page-faults", "context-switches"]
KERNELS = ["add", "l2-miss", "branch-random"]
KERNEL = re.compile(r"  (ok|!|-) +(\S+)((?: +[+-]\d+\.\d\d %){3}) +(\d+\.\d\d) %")
OWN = re.compile(r"     (\S+(?: \S+)*?)(?: +(?:\d+\.\d{3} %|-)){3}")


def rows(text, heading, pattern):
    """Those below a heading that begins so, in order; "kernel" heads columns."""
    section = re.search(rf"^{heading}.*\n((?: .*\n)+)", text, re.M)
    lines = section[1].splitlines() if section else []
    return [pattern.fullmatch(line) or line for line in lines if not re.match(r" +(kernel|every) ", line)]


def wrong_loads(text):
    """each kernel has a row, marked by its own figures"""
    found = rows(text, "What sampling adds to the ", KERNEL)
    if [isinstance(row, re.Match) and row[2] for row in found] != KERNELS:
        return [f"{found} instead of {KERNELS}"]
    wrong = []
    for row in found:
        most, noise = max(float(word) for word in row[3].split() if word != "%"), float(row[4])
        # what is shown as 5.00 may be either
        wanted = "-" if noise > 5 else "!" if most > 5 else "ok"
        if row[1] != wanted and 5 not in (most, noise):
            wrong.append(f"{row[0]}: {wanted}")
    return wrong


def wrong_events(text):
    """only the events of -e are sampled"""
    found = [isinstance(row, re.Match) and row[1] for row in rows(text, "What m1top's own threads took", OWN)]
    return [] if found == ["CPU time", *EVENTS] else [f"{found}"]


def main():
    done = subprocess.run([M1TOP, "doctor", "--selfcheck", "-e", ",".join(EVENTS)], capture_output=True, text=True, check=False)
    if done.returncode in CANNOT_COUNT:
        print(f"1..0 # SKIP {done.stderr.splitlines()[0]}")
        return False
    tap = Tap()
    tap.test("it ends with 0", [] if done.returncode == 0 else [f"{done.returncode}: {done.stderr}"])
    for check in (wrong_loads, wrong_events):
        tap.test(check.__doc__, check(done.stdout))
    print(f"1..{tap.n}")
    return tap.failed


sys.exit(main())
