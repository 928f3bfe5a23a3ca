#!/usr/bin/env python3
"""perf_stat.py: stat -x and -j beside perf stat: the same fields, separators and units. TAP.

What perf 6.1 prints for each case is kept in tests/perf_stat/NAME.txt, with the figures replaced by
their form; BLESS=1 makes these from the installed perf. m1top is compared with them always, the
installed perf where it is of the same version. docs/perf-stat.md lists what differs and why: that
is the table NOT_ALIKE here.
"""
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile

import serving

ROOT = serving.ROOT
KEPT = os.path.join(ROOT, "tests", "perf_stat")
PERF_VERSION = "6.1"
EVENTS = "context-switches,page-faults,cpu-clock,cpu-migrations"
FOLDER = tempfile.mkdtemp(prefix="m1top-perf-stat-")
FILE = os.path.join(FOLDER, "file")

spec = importlib.util.spec_from_file_location("totals", os.path.join(ROOT, "tests/parsers/totals.py"))
totals = importlib.util.module_from_spec(spec)
spec.loader.exec_module(totals)

# What ours is made into before it is compared: what differs on purpose.
NOT_ALIKE = [
    # beside perf's members there are our own
    (re.compile(r', "type" : "cpu"(, "slot" : N, "quality" : "\w+")?(, "error-pct" : N)?(?=})'), ""),
    # a physical core is named by its CPUs
    (re.compile(r'"(cluster|socket|core)" : "\w+"'), r'"\1" : "ID"'),
]

# Of both: figures by their form. Order matters.
FORM = [
    (re.compile(r"^# started on [A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$"), "# started on DATE"),
    (re.compile(r"^ {4,5}\d{1,2}\.\d{9}\b"), "TIME"),
    (re.compile(r'"interval" : \d+\.\d{9}\b'), '"interval" : TIME'),
    (re.compile(r"\bS\d+(-D\d+)?(-C\d+)?\b"), "ID"),
    (re.compile(r"\b\d+\.\d{6}\b"), "N.6"),
    (re.compile(r"\b\d+\.\d{3}\b"), "N.3"),
    (re.compile(r"\b\d+\.\d{2}\b"), "N.2"),
    (re.compile(r"(?<![.\w\"])\d+\b(?!\")"), "N"),
    (re.compile(r'(?<=[,"; \t])[KMG]?/sec'), "/sec"),
]


def formed(text, ours):
    out = []
    for line in text.splitlines():
        for pattern, form in FORM + (NOT_ALIKE if ours else []):
            line = pattern.sub(form, line)
        out.append(line)
    return out


# name, options of both, perf's own, ours, what of the output is compared
CASES = [
    ("csv_core", "-x, -I 100 -a -A", "", "", "interval"),
    ("csv_all", "-x, -I 100 -a", "", "--by system", "interval"),
    ("csv_per_core", "-x, -I 100 -a --per-core", "", "", "interval"),
    ("csv_per_socket", "-x, -I 100 -a --per-socket", "", "", "interval"),
    ("csv_semicolon", "-x; -I 100 -A", "-a", "", "interval"),
    ("csv_tab", "-x \\t -I 100 -A", "-a", "", "interval"),
    ("csv_summary", "-x, -I 100 -a -A --summary", "", "", "all"),
    ("csv_summary_all", "-x, -I 100 -a --summary", "", "--by system", "all"),
    ("csv_summary_plain", "-x, -I 100 -A --summary --no-csv-summary", "-a", "", "all"),
    ("csv_total", "-x, -a -A", "", "", "all"),
    ("json_total", "-j -a -A", "", "", "all"),
    ("csv_file", f"-x, -I 100 -a -A -o {FILE}", "", "--format perf", "file"),
    ("csv_append", f"-x, -I 100 -a -A --append -o {FILE}", "", "--format perf", "file"),
    ("csv_log_fd", "-x, -I 100 -a -A --log-fd 5", "", "", "fd"),
    ("json_core", "-j -I 100 -a -A", "", "", "interval"),
    ("json_all", "-j -I 100 -a", "", "--by system", "interval"),
    ("json_per_core", "-j -I 100 -a --per-core", "", "", "interval"),
    ("json_summary", "-j -I 100 -a -A --summary", "", "", "all"),
]


def run(command, what):
    """@return the lines that the case is about: of the first interval, and of the summary"""
    read_fd, write_fd = os.pipe()
    done = subprocess.run(["sh", "-c", f"exec 5>&{write_fd}; exec \"$@\"", "-", *command],
                          capture_output=True, text=True, timeout=280, pass_fds=[write_fd],
                          env=dict(os.environ, LC_ALL="C"), check=False)
    os.close(write_fd)
    with os.fdopen(read_fd, encoding="utf-8") as pipe:
        through_fd = pipe.read()
    if what == "fd":
        text = through_fd
    elif what == "file":
        with open(FILE, encoding="utf-8") as file:
            text = file.read()
    else:
        text = done.stdout or done.stderr
    # a busy machine misses ticks
    lines = [line for line in text.splitlines()
             if not line.startswith(("m1top:", "# gap ")) and '"gap-frames"' not in line]
    if done.returncode or not lines:
        raise AssertionError(f"{command}: {done.stderr}")
    return lines


def first_interval(lines):
    """Without the further intervals: how many there are depends on how busy the machine is."""
    stamp, kept = None, []
    for line in lines:
        here = re.match(r'(?:\{"interval" : | +)(\d+\.\d{9})', line)
        if here:
            stamp = stamp or here[1]
        if not here or here[1] == stamp:
            kept.append(line)
        if line.startswith("# started"):
            stamp = None
    return kept


def one(program, case):
    _, both, perfs, ours, what = case
    is_ours = program == serving.M1TOP
    options = (both + " " + (ours if is_ours else perfs)).split()
    command = [program, "stat", *options, "-C", "0", "-e", EVENTS, "--", "sleep", "0.15"]
    text = "\n".join(first_interval(run(command, what)))
    if is_ours and "--per-core" in options:
        text = re.sub(r"\bCPU\d+\b", "ID", text)
    return formed(text, is_ours)


def difference(name, expected, got):
    if expected != got:
        raise AssertionError(f"{name}: expected\n" + "\n".join(expected) + "\nbut got\n" + "\n".join(got))


def kept(name):
    with open(os.path.join(KEPT, name + ".txt"), encoding="utf-8") as file:
        return file.read().splitlines()


def perf_here():
    """@return why it cannot be compared, or None"""
    if not shutil.which("perf"):
        return "perf is not installed"
    said = subprocess.run(["perf", "--version"], capture_output=True, text=True, check=False).stdout
    if not re.search(rf"\b{re.escape(PERF_VERSION)}\b", said):
        return f"not perf {PERF_VERSION}: {said.strip()}"
    tried = subprocess.run(["perf", "stat", "-a", "-e", "cpu-clock", "true"], capture_output=True, check=False)
    return "perf may not count here" if tried.returncode else None


def can_count():
    tried = subprocess.run([serving.M1TOP, "stat", "-n", "1", "-I", "20", "-e", "cpu-clock"],
                           capture_output=True, check=False)
    return tried.returncode == 0


def fresh_file(case):
    if case[4] == "file":
        with open(FILE, "w", encoding="utf-8") as file:
            file.write("# what was there\n")
        if "--append" not in case[1]:
            os.unlink(FILE)


def case_test(case, program):
    def test():
        fresh_file(case)
        if program == "perf":
            why = perf_here()
            if why:
                return why
            got = one("perf", case)
            if os.environ.get("BLESS"):
                with open(os.path.join(KEPT, case[0] + ".txt"), "w", encoding="utf-8") as file:
                    file.write("\n".join(got) + "\n")
            difference(case[0], kept(case[0]), got)
            return None
        if not can_count():
            return "no counting here"
        difference(case[0], kept(case[0]), one(serving.M1TOP, case))
        return None

    test.__doc__ = f"{case[0]}: {'perf' if program == 'perf' else 'm1top'} as kept"
    return test


# ---- lines that have no figure ----

def not_supported():
    """<not supported>: perf's line for an event that this CPU does not have, ours likewise"""
    if not can_count():
        return "no counting here"
    ours = run([serving.M1TOP, "stat", "-x,", "-n", "1", "-I", "50", "-C", "0", "-e", "context-switches:u"], "all")
    difference("ours", ["TIME,CPU0,<not supported>,,context-switches:u,N,N.2,,"], formed(ours[0], True))
    if perf_here():
        return perf_here()
    perfs = [line for line in run(["perf", "stat", "-x,", "-I", "50", "-a", "-A", "-C", "0", "-e",
                                   "cycles", "--", "sleep", ".07"], "all")]
    if "<not supported>" not in perfs[0]:
        return "this machine can count cycles"
    difference("perf's", ["TIME,CPU0,<not supported>,,cycles,N,N.2,,"], formed(perfs[0], False))
    return None


def not_counted():
    """<not counted>: perf's line while disabled, ours of a counter that somebody else has"""
    ours = run([serving.M1TOP, "stat", "--backend", "sim:clock=virtual,steal=0.0@0-9", "-x,", "-n", "1",
                "-C", "0", "-e", "cycles"], "all")
    difference("ours", ["TIME,CPU0,<not counted>,,CORE_ACTIVE_CYCLE,N,N.2,,"], formed(ours[0], True))
    if perf_here():
        return perf_here()
    perfs = run(["perf", "stat", "-x,", "-I", "50", "-a", "-A", "-C", "0", "-D", "-1", "-e",
                 "page-faults", "--", "sleep", ".07"], "all")
    perfs = [line for line in perfs if line != "Events disabled"]
    difference("perf's", ["TIME,CPU0,<not counted>,,page-faults,N,N.2,,"], formed(perfs[0], False))
    return None


def metric_only():
    """--metric-only: perf's heading and lines, but for the metrics themselves"""
    def begins(lines):
        return [line[:line.index("CPU0,") + 5] if "CPU0," in line else ",".join(line.split(",")[:2]) + ","
                for line in lines]

    if not can_count():
        return "no counting here"
    options = ["-x,", "-I", "50", "-A", "-C", "0", "--metric-only"]
    ours = run([serving.M1TOP, "stat", *options, "-e", "cpu-clock", "-M", "busy=cpu\\-clock/1e6", "-n", "1"], "all")
    difference("ours", [" time,cpu,", "TIME,CPU0,"], begins(formed("\n".join(ours), True)))
    assert ours[0] == " time,cpu,busy,", ours
    assert re.fullmatch(r" +\d+\.\d{9},CPU0,\d+\.\d+,", ours[1]), ours
    if perf_here():
        return perf_here()
    perfs = first_interval(run(["perf", "stat", *options, "-a", "-e", "cpu-clock", "--", "sleep", ".07"], "all"))
    difference("perf's", [" time,cpu,", "TIME,CPU0,"], begins(formed("\n".join(perfs), False)))
    return None


# ---- every documented field ----

# perf-stat(1), CSV FORMAT, in its order: what it is, with which option, its form
FIELDS = [
    ("time stamp in fractions of second", "-I", r" *\d+\.\d{9}"),
    ("CPU, core, or socket identifier", "-A", r"CPU\d+(\+\d+)*|S\d+(-D\d+)?(-C\d+)?"),
    ("number of logical CPUs aggregated", "--per-core", r"[1-9]\d*"),
    ("counter value", "", r"\d+(\.\d\d)?|<not (counted|supported)>"),
    ("unit of the counter value or empty", "", r"msec|"),
    ("event name", "", r"[a-z-]+"),
    ("run time of counter", "", r"\d+"),
    ("percentage of measurement time the counter was running", "", r"\d{1,3}\.\d\d"),
    ("metric value", "", r"\d+\.\d\d\d?|"),
    ("unit of metric", "", r"[KMG]?/sec|CPUs utilized|"),
]


def documented_fields(program):
    def test():
        if program == "perf" and perf_here():
            return perf_here()
        if not can_count():
            return "no counting here"
        options = ["-x;", "-I", "100", "-a", "--per-core", "-e", EVENTS]
        lines = run([program, "stat", *options, "--", "sleep", ".25"], "all")
        for line in lines:
            field = line.split(";")
            assert len(field) == len(FIELDS), line
            for got, (what, _, form) in zip(field, FIELDS):
                assert re.fullmatch(form, got), f"{what}: \"{got}\" in {line}"
        return None

    test.__doc__ = f"every field of perf-stat(1) CSV FORMAT has its form: {os.path.basename(program)}"
    return test


# ---- scripts that people have ----

def by_awk(path, before):
    out = subprocess.run(["awk", "-F;", "-v", f"before={before}", "-f",
                          os.path.join(ROOT, "tests/parsers/totals.awk"), path],
                         capture_output=True, text=True, check=True).stdout
    rows = [line.split(" ") for line in out.splitlines()]
    return {(cpu, event): (float(total), unit) for cpu, event, total, unit in rows}


def by_python(path, before):
    with open(path, encoding="utf-8") as file:
        return {key: (round(total, 2), unit) for key, (total, unit) in totals.totals(file, ";", before).items()}


def same_by_both(path, before):
    awk, python = by_awk(path, before), by_python(path, before)
    assert awk.keys() == python.keys() and awk, f"{awk}\n{python}"
    for key, (total, unit) in awk.items():
        assert abs(total - python[key][0]) < 0.011 and unit == python[key][1], f"{key}: {awk[key]} {python[key]}"
    return python


FAULTS = 30 * 8192
WORK = ("import mmap\nfor i in range(30):\n m = mmap.mmap(-1, 8192 * 4096)\n m.madvise(15)\n"
        " for j in range(0, len(m), 4096): m[j] = 1\n m.close()\n")


def nested(options, before, ours_only):
    """perf around m1top around a command with known page faults: the same scripts read both.
    @return totals by program"""
    paths = {name: os.path.join(FOLDER, name + ".csv") for name in ("perf", "m1top")}
    for path in paths.values():
        if os.path.exists(path):
            os.unlink(path)
    events = ["-x;", "-I", "100", "-e", "page-faults,context-switches,cpu-clock"]
    command = [serving.M1TOP, "stat", "-a", *events, *ours_only, *options, "--format", "perf", "-o", paths["m1top"], "--",
               sys.executable, "-c", WORK]
    if not perf_here():
        command = ["perf", "stat", *events, "-a", *options, "-o", paths["perf"], "--", *command]
    else:
        del paths["perf"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stderr
    return {name: same_by_both(path, before) for name, path in paths.items()}


def written():
    """Return what both wrote, to find the reason of a difference in."""
    text = ""
    for name in ("perf", "m1top"):
        with open(os.path.join(FOLDER, name + ".csv"), encoding="utf-8") as file:
            text += f"{name}:\n{file.read()}"
    return text


def clock_is_the_run_time(before):
    """cpu-clock, added up by the scripts, is the run time that m1top writes beside it."""
    run_ns, total_ms = {}, {}
    with open(os.path.join(FOLDER, "m1top.csv"), encoding="utf-8") as file:
        for row in totals.rows(file, ";", before):
            if row.event == "cpu-clock" and row.value is not None:
                run_ns[row.cpu] = run_ns.get(row.cpu, 0) + row.runtime_ns
                total_ms[row.cpu] = total_ms.get(row.cpu, 0) + row.value
    assert run_ns, "no cpu-clock"
    for cpu, ns in run_ns.items():
        assert abs(total_ms[cpu] - ns / 1e6) < .02 * ns / 1e6 + 20, f"{cpu}: {total_ms[cpu]:.0f} ms, {ns} ns"


def scripts_read_both(options, before, ours_only, name):
    def test():
        if not can_count():
            return "no counting here"
        got = nested(options, before, ours_only)
        ours = got["m1top"]
        faults = sum(total for (_, event), (total, _) in ours.items() if event == "page-faults")
        assert faults >= FAULTS, f"{faults} page faults of {FAULTS}"
        clock_is_the_run_time(before)
        if "perf" not in got:
            return perf_here()
        perfs = got["perf"]
        assert ours.keys() == perfs.keys(), f"{ours}\n{perfs}"
        for key, (total, unit) in perfs.items():
            # perf's window holds ours, and m1top's start besides, long under a sanitizer
            assert unit == ours[key][1] and ours[key][0] <= total, f"{key}: perf {perfs[key]}, m1top {ours[key]}\n{written()}"
        return None

    test.__doc__ = f"an awk and a Python script written from perf's documentation: {name}"
    return test


def intervals_make_the_summary():
    """what the scripts add up is what --summary says, on every CPU"""
    if not can_count():
        return "no counting here"
    lines = run([serving.M1TOP, "stat", "-x;", "-I", "20", "-n", "20", "--summary", "-e",
                 "page-faults,context-switches,cpu-clock"], "all")
    sums = totals.totals(lines, ";", 2)
    said = {(row.cpu, row.event): row.value for row in totals.rows(lines, ";", 2) if row.time is None}
    assert sums.keys() == said.keys() and said, lines[-3:]
    for key, value in said.items():
        assert abs(value - sums[key][0]) <= (.11 if key[1] == "cpu-clock" else 0), f"{key}: {value}, {sums[key]}"
    return None


if __name__ == "__main__":
    try:
        serving.run([case_test(case, program) for case in CASES for program in ("perf", serving.M1TOP)]
                    + [not_supported, not_counted, metric_only,
                       documented_fields("perf"), documented_fields(serving.M1TOP),
                       scripts_read_both(["-A"], 2, [], "by CPU"),
                       scripts_read_both([], 1, ["--by", "system"], "the whole machine"),
                       intervals_make_the_summary])
    finally:
        shutil.rmtree(FOLDER)
