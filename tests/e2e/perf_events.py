#!/usr/bin/env python3
"""perf_events.py: what -e accepts, each form run through perf stat and m1top: the same events, in the same order. TAP.

A form that perf refuses must be refused. Where m1top differs, the table says how, as docs/perf-stat.md does; of a later perf
some are the same.
"""
import os
import re
import shutil
import subprocess
import sys

from serving import M1TOP, Tap

SAME = "the same"
# m1top calls an event by one name, and shows the level of each member of {a,b}:u.
ALIASES = {"faults": "page-faults", "cs": "context-switches", "migrations": "cpu-migrations"}
DIFFERENT = [
    ("software/page-faults/", "perf before 7 knows no names of this PMU"),
    ("software/config=2/:u", "perf wants no colon behind a slash"),
    ("software/config=2,freq=100/", "perf knows the term for some PMUs only; ignored here"),
    ("{page-faults", "perf closes the brace itself"),
    ("page-faults:", "perf ignores the colon"),
    ("sched:sched_switch:u", "it happens in the kernel: not counted, where perf says 0"),
    ("duration_time", "no event: every record has its time, and -M 't=duration_time' shows it"),
    ("duration_time,page-faults", "likewise; page-faults is counted"),
    ("mem:0x1000", "breakpoints are not counted"),
    ("page-faults,page-faults", "an event that is named twice has one line"),
    ("msr/tsc/,msr/tsc/", "likewise"),
    ("PAGE-FAULTS", "perf before 7 wants the case of perf list"),
    ("page-faults:h", "the hypervisor alone is not counted"),
    ("page-faults:G", "neither are guests"),
    ("page-faults:I", "nor is the time without idling"),
    ("cycles/freq=100/u", "perf knows the term for some PMUs only; ignored here"),
    ("software//", "perf takes no term for config=0"),
]
FORMS = DIFFERENT + [(form, SAME) for form in """
page-faults
faults
minor-faults,major-faults
cs
context-switches
migrations
cpu-migrations,page-faults
task-clock
cpu-clock
alignment-faults
emulation-faults
page-faults:u
page-faults:k
page-faults:uk
page-faults:ku
page-faults,page-faults:u
{page-faults,minor-faults}
{page-faults,minor-faults}:u
{page-faults,minor-faults:k}:u
{page-faults},minor-faults
minor-faults,{page-faults,major-faults}
{page-faults,major-faults},{minor-faults,cs}
{page-faults,major-faults}:W
{page-faults,major-faults}:S
page-faults:p
page-faults:pp
page-faults:ppp
page-faults:P
page-faults:H
page-faults:up
page-faults:D
page-faults:e
page-faults:b
page-faults:ukh
{page-faults,cs}:D
{page-faults,cs}:e
cycles
instructions:u
cycles/name=mine/
ref-cycles
L1-dcache-loads
L1-dcache-load-misses,dTLB-load-misses
LLC-loads
stalled-cycles-frontend
idle-cycles-frontend
cgroup-switches
sched:sched_sw*
sched:sched_switc?
{page-faults,sched:sched_switch}
raw_syscalls:sys_enter,raw_syscalls:sys_exit
sched:nothing*
software/config=2/
software/config=0x2/
software/config=2/u
software/config=2/pp
software/config=2,name=mine/
software/config=2,period=1000/
software/name=mine,config=2/
software/config=2,name=mine/u
software/config=2/,software/config=3/
{software/config=2/,software/config=5/}
{software/config=2,name=a/,software/config=5,name=b/}:u
software/r2/
msr/tsc/
msr/TSC/
msr/tsc,name=ticks/
msr/event=0/
msr/event=0x0/
msr/config=0/
msr/r0/
msr/tsc/,page-faults
{page-faults,software/config=3/},msr/tsc/
sched:sched_switch
sched:sched_switch,page-faults
dummy
page-faults,,cs
page-faults,
page-faults}
{}
{{page-faults}}
page-faults:x
nothing-of-the-kind
nopmu/config=2/
software/nofield=2/
software/config=zz/
sched:nothing_of_the_kind
""".split()]


def counted(program, form):
    """[(event, is it counted)] of the form, None where it is refused; [] where perf 7 has no CPU that can count one."""
    done = subprocess.run(["sh", "-c", 'exec 3>&1; exec "$@" >/dev/null', "sh", program, "stat", "-x", ";", "--log-fd", "3",
                           "-e", form, "--", "true"], capture_output=True, text=True, check=False)
    rows = [line.split(";") for line in done.stdout.splitlines() if line.count(";") > 3]
    if done.returncode:
        return [] if "No supported events found" in done.stderr else None
    return [(name(row[2]), bool(re.match(r"[0-9]", row[0]))) for row in rows]


def name(event):
    """Without what only one of the two writes: modifiers, and terms that are ignored."""
    event = re.sub(r"(:|(?<=/))[ukpswhdebgi]*$", "", event.lower())
    event = re.sub(r",period=\w+", "", event)
    return ALIASES.get(event, event)


def apart():
    """Start again in a mount namespace, if possible: perf mounts tracefs where it is missing."""
    enter = ["unshare", "-m", "--propagation", "private"]
    if "--apart" not in sys.argv and not subprocess.run([*enter, "true"], capture_output=True, check=False).returncode:
        os.execvp(enter[0], [*enter, sys.executable, *sys.argv, "--apart"])


def main():
    apart()
    tap = Tap()
    if not shutil.which("perf") or subprocess.run(["perf", "stat", "-a", "-e", "cs", "true"], capture_output=True,
                                                  check=False).returncode:
        print("1..0 # SKIP perf is not installed, or may not count here")
        return
    n_same = 0
    for form, how in FORMS:
        by_perf, ours = counted("perf", form), counted(M1TOP, form)
        same = by_perf == ours or by_perf == [] and ours and not any(is_counted for _, is_counted in ours)
        n_same += same
        tap.test(f"{form}" + ("" if how == SAME else f": {how}"),
                 [f"perf: {by_perf}\nm1top: {ours}"] if same != (how == SAME) and not (same and "before 7" in how) else [])
    print(f"# {len(FORMS)} forms: {n_same} the same, {len(FORMS) - n_same} with a documented difference")
    tap.end()


sys.exit(main())
