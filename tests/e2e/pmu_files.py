#!/usr/bin/env python3
"""pmu_files.py: what is wrong in a PMU's files below /sys is named, and all else is counted. TAP.

A PMU of software's type is laid out over /sys/bus/event_source/devices, in a mount namespace of its own.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from serving import M1TOP, Tap

DEVICES = "/sys/bus/event_source/devices"
ENTER = ["unshare", *([] if os.geteuid() == 0 else ["-Ur"]), "-m", "--propagation", "private", "sh", "-c",
         f'mount --bind "$0" {DEVICES} && exec "$@"']
# root would read all
READS_ITS_OWN = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
GOOD = {"type": "1", "cpumask": "0", "format/event": "config:0-7", "format/flag": "config1:3",
        "events/good": "event=0x0", "events/other": "event=0x2", "events/bad": "event=0x2,flag",
        "events/bad.scale": "0.5", "events/bad.unit": "halves"}
FOLDER, FIFO, GONE, LOOP, SECRET, ZERO, MISSING = (object() for _ in range(7))

# The file that is spoilt, what is in it, and which of the events are gone: "-" none.
KINDS = [
    ("events/bad", "", "bad"),
    ("events/bad", " \n\n", "bad"),
    ("events/bad", FOLDER, "bad"),
    ("events/bad", FIFO, "bad"),
    ("events/bad", GONE, "bad"),
    ("events/bad", LOOP, "bad"),
    ("events/bad", SECRET, "bad"),
    ("events/bad", ZERO, "bad"),
    ("events/bad", "event=0x2," * 500, "bad"),
    ("events/bad", "x" * 5_000_000, "bad"),
    ("events/bad", "junk", "bad"),
    ("events/bad", "event=zz", "bad"),
    ("events/bad", "event=0x100", "bad"),
    ("events/bad", "event=0x2\nflag", "bad"),
    ("events/bad", "event=2\0flag", "bad"),
    ("events/bad", b"\xff\xfe\x00\x01\x02", "bad"),
    ("events/bad", "event=2\x1b[31m", "bad"),
    ("events/" + "l" * 200, "event=0x2", "-"),
    ("events/a\x1b[31mb", "event=0x2", "-"),
    (b"events/a\xffb", "event=0x2", "-"),
    ("events", "a file", "good other bad"),
    ("format/bad", "config:64", "-"),
    ("format/bad", "config:0-64", "-"),
    ("format/bad", "config:7-0", "-"),
    ("format/bad", "config:99999999999999999999", "-"),
    ("format/bad", "config:-1", "-"),
    ("format/bad", "config:", "-"),
    ("format/bad", "config", "-"),
    ("format/bad", "conf:0", "-"),
    ("format/bad", "config1:3 4", "-"),
    ("format/bad", "", "-"),
    ("format/bad", FOLDER, "-"),
    ("format/bad", FIFO, "-"),
    ("format/bad", SECRET, "-"),
    ("format/bad", "config:0," * 1000, "-"),
    ("format/bad", b"\x80\x81", "-"),
    ("format/" + "l" * 200, "config:0", "-"),
    ("events/bad.scale", "junk", "-"),
    ("events/bad.scale", "inf", "-"),
    ("events/bad.scale", "nan", "-"),
    ("events/bad.scale", "1e999", "-"),
    ("events/bad.scale", "0", "-"),
    ("events/bad.scale", "-1", "-"),
    ("events/bad.scale", "", "-"),
    ("events/bad.scale", "1.5 per hour", "-"),
    ("events/bad.scale", FOLDER, "-"),
    ("events/bad.scale", "1" * 5000, "-"),
    ("events/bad.unit", "kilowatthours per fortnight", "-"),
    ("events/bad.unit", FOLDER, "-"),
    ("events/bad.unit", b"\xff", "-"),
    ("events/bad.unit", "a\nb", "-"),
    ("events/bad.per-pkg", FOLDER, "-"),
    ("cpumask", MISSING, "-"),
    ("cpumask", "junk", "-"),
    ("cpumask", "0,x", "-"),
    ("cpumask", "3-0", "-"),
    ("cpumask", "99999999", "-"),
    ("cpumask", b"\x00\x01\x02", "-"),
    ("cpumask", FOLDER, "-"),
    ("type", MISSING, None),
    ("type", "", None),
    ("type", "junk", None),
    ("type", "-1", None),
    ("type", "0x100000000", None),
    ("type", FOLDER, None),
]
# What is odd but not wrong.
FINE = [("format/bad", "config:0-3,2-5"), ("format/bad", "config9:0-3"), ("events/bad.unit", ""), ("events/bad.unit", "µJ"),
        ("identifier", b"\xff\xff"), ("events/.bad", ""), ("events/bad.scale", "2.3283064365386962890625e-10"),
        ("events/bad.snapshot", "1"), ("events/wanted", "event=?,flag=0x1")]


class Tree:
    """The devices of this machine, and one more, madeup."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="m1top-pmus-")
        for name in ("software", "msr", "cpu"):
            if os.path.exists(f"{DEVICES}/{name}"):
                os.symlink(os.path.realpath(f"{DEVICES}/{name}"), f"{self.folder}/{name}")

    def make(self, path=None, content=None):
        """The good PMU with one file spoilt."""
        shutil.rmtree(f"{self.folder}/madeup", ignore_errors=True)
        for name, text in GOOD.items():
            self.put(name, text)
        if path is not None:
            self.put(path, content)

    def put(self, path, content):
        path = os.path.join(os.fsencode(f"{self.folder}/madeup"), os.fsencode(path))
        if os.path.isdir(path):
            shutil.rmtree(path)
        elif os.path.lexists(path):
            os.remove(path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if content is FOLDER:
            os.mkdir(path)
        elif content is FIFO:
            os.mkfifo(path)
        elif content in (GONE, LOOP, ZERO):
            os.symlink({GONE: b"/nowhere", LOOP: path, ZERO: b"/dev/zero"}[content], path)
        elif content is not MISSING:
            with open(path, "wb") as file:
                file.write(b"event=0x2\n" if content is SECRET else
                           (content if isinstance(content, bytes) else content.encode()) + b"\n")
            if content is SECRET:
                os.chmod(path, 0)

    def run(self, *words, env=None):
        return subprocess.run([*ENTER, self.folder, *words], env=dict(os.environ, LC_ALL="C.UTF-8", **(env or {})),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=120,
                              check=False)

    def m1top(self, *words):
        return self.run(*READS_ITS_OWN, M1TOP, *words)

    def counts(self, event):
        """What stat counts of an event, and says."""
        done = self.m1top("stat", "-x,", "-a", "-e", event, "-e", "context-switches", "sleep", "0.02")
        figures = {}
        for line in done.stdout.splitlines():
            _, value, _, name = line.split(",")[:4]
            figures[name] = figures.get(name, 0) + float(value)
        return figures, done


def spoilt(tree, path, content, gone):
    """One spoilt file: what is wrong, as lines."""
    faults = []
    tree.make(path, content)
    last = os.fsdecode(path).split("/")[-1]
    name = re.escape("madeup/" + os.fsdecode(path)) if last.isascii() and last.isprintable() else r"madeup/events/a.*b"
    listed = tree.m1top("list", "pmus", "--json")
    rows = {row["name"]: row for row in json.loads(listed.stdout or "[]")}
    said = re.findall(f"{name}:", listed.stderr)
    if listed.returncode or len(said) != 1:
        faults.append(f"list pmus: {listed.returncode}: {listed.stderr}")
    n_events = 3 - len((gone or "").replace("-", "").split())
    if gone is None:
        if "madeup" in rows:
            faults.append("list pmus: it is there")
    elif int(rows.get("madeup", {"events": -1})["events"]) != n_events:
        faults.append(f"list pmus: {rows.get('madeup')}, not {n_events} events")
    figures, done = tree.counts("madeup/good/" if gone and "good" not in gone else "madeup/event=0/")
    if gone is not None and (done.returncode or len(figures) != 2 or not all(n > 0 for n in figures.values())):
        faults.append(f"stat: {done.returncode}: {done.stdout}")
    if len(re.findall(f"{name}:", done.stderr)) != 1:
        faults.append(f"stat: {done.stderr}")
    doctor = tree.m1top("doctor")
    if len(re.findall(f"{name}:", doctor.stdout)) != 1:
        faults.append(f"doctor: {doctor.stdout}")
    if "bad" in (gone or ""):
        figures, done = tree.counts("madeup/bad/")
        if done.returncode != 2 or not re.search(name, done.stderr) and gone == "bad":
            faults.append(f"stat of what is gone: {done.returncode}: {done.stderr}")
    return [f"{path!r} {str(content)[:30]!r}: {fault}" for fault in faults]


def all_spoilt(tree):
    """each kind of file that is of no use: named once in list pmus, stat and doctor, the rest counted"""
    return [fault for kind in KINDS for fault in spoilt(tree, *kind)]


def all_fine(tree):
    """what is odd and not wrong is not named"""
    faults = []
    for path, content in FINE:
        tree.make(path, content)
        listed = tree.m1top("list", "pmus")
        if listed.returncode or listed.stderr or "madeup" not in listed.stdout:
            faults.append(f"{path} {content}: {listed}")
    return faults


def beside_perf(tree):
    """where perf counts an event of such a PMU, so does m1top"""
    faults = []
    for path, content, _ in KINDS:
        if content in (FIFO, ZERO):  # perf waits for ever
            continue
        tree.make(path, content)
        perf = tree.run("perf", "stat", "-x,", "-a", "-e", "madeup/good/", "sleep", "0.01")
        counted = re.search(r"^[1-9][0-9.]*,", perf.stderr, re.M)
        figures, done = tree.counts("madeup/good/")
        if counted and len(figures) != 2:
            faults.append(f"{path!r} {str(content)[:30]!r}: perf {counted[0]} m1top {done}")
    return faults


def raw_without_scale(tree):
    """without its scale an event is counted as it is, and has no unit"""
    faults = []
    for scale, factor, unit in [("0.5", 0.5, "halves"), ("junk", 1, "")]:
        tree.make("events/bad.scale", scale)
        done = tree.m1top("stat", "-x,", "-a", "-e", "madeup/bad/", "-e", "madeup/other/", "ls")
        rows = [line.split(",")[2:4] for line in done.stdout.splitlines() if "madeup/" in line]
        if len(rows) != 2 or float(rows[0][0]) != factor * float(rows[1][0]) or rows[0][1] != unit:
            faults.append(f"{scale}: {done}")
    return faults


def many(tree):
    """a hundred such files in one PMU, and a PMU that cannot be used beside it"""
    tree.make("events/bad", "")
    for number in range(100):
        tree.put(f"events/bad{number}", "")
    tree.put("../other/type", "junk")
    tree.put("../other/cpumask", "0")
    listed = tree.m1top("list", "pmus")
    figures, done = tree.counts("madeup/good/")
    unknown = tree.m1top("stat", "-e", "other/x/", "true")
    shutil.rmtree(f"{tree.folder}/other")
    return [fault for fault, is_right in [
        (f"list: {listed}", "; …\n" in listed.stderr and "other/type: \"junk\" is not a PMU type" in listed.stderr),
        (f"stat: {done}", len(figures) == 2 and done.stderr.count("madeup/") == 1),
        (f"no such PMU: {unknown}", "other/type: \"junk\" is not a PMU type" in unknown.stderr)] if not is_right]


def main():
    tap = Tap()
    tree = Tree()
    try:
        tree.make()
        probe = tree.counts("madeup/good/")[1]
        if tree.run("true").returncode:
            print("1..0 # SKIP no mount namespace can be made here")
            return
        if probe.returncode == 3 or "not permitted" in probe.stderr:
            print("1..0 # SKIP no CPU may be counted here")
            return
        for step in (all_fine, all_spoilt, raw_without_scale, many):
            tap.test(step.__doc__, step(tree))
        if shutil.which("perf"):
            tap.test(beside_perf.__doc__, beside_perf(tree))
    finally:
        shutil.rmtree(tree.folder)
    tap.end()


sys.exit(main())
