#!/usr/bin/env python3
"""events_import.py: m1top events import, from a tree, tars, a list of perf's and perf itself. TAP."""
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time

from serving import M1TOP, Tap

ENV = {name: value for name, value in os.environ.items() if name not in ("M1TOP_EVENTS", "SUDO_UID", "SUDO_GID")}


def check(truth, *why):
    if not truth:
        raise AssertionError(" ".join(str(part) for part in why))


class Place:
    """A home folder for what is imported, a tree to import, and a folder of programs before $PATH."""

    def __init__(self, folder):
        self.folder = folder
        self.env = dict(ENV, XDG_DATA_HOME=self.at("home"), XDG_CONFIG_HOME=self.at("config"), TMPDIR=self.at("tmp"),
                        PATH=f"{self.at('bin')}:{os.environ['PATH']}")
        os.mkdir(self.at("bin"))
        os.mkdir(self.at("tmp"))
        doctor = self.run("doctor").stdout
        self.cpuid = re.search(r"processor (\S+)", doctor)[1]
        self.arch = "arm64" if self.cpuid.startswith("0x") else "x86"
        self.kept = self.at("home", "m1top", "imported", self.cpuid)

    def at(self, *names):
        return os.path.join(self.folder, *names)

    def run(self, *words, env=None, given=None):
        return subprocess.run([M1TOP, *words], env=env or self.env, input=given, text=True, cwd=self.folder,
                              stdin=None if given else subprocess.DEVNULL, capture_output=True, check=False)

    def imported(self, *words, given=None):
        """An import that has to succeed; what it said."""
        done = self.run("events", "import", *words, given=given)
        check(done.returncode == 0 and not done.stderr, words, done)
        check(self.kept in done.stdout, done.stdout)
        self.nothing_is_left()
        return done.stdout

    def nothing_is_left(self):
        left = [*os.listdir(os.path.dirname(self.kept)), *os.listdir(self.at("tmp"))]
        check(left == [self.cpuid], "left behind:", left)

    def refused(self, *words, why, given=None):
        """An import that has to fail, and leave everything as it was."""
        before = self.files()
        done = self.run("events", "import", *words, given=given)
        check(done.returncode == 2 and why in done.stderr and not done.stdout, words, done)
        check(self.files() == before, "what was there before has changed", self.files())
        self.nothing_is_left()

    def files(self):
        """{name: text} of all that is kept."""
        found = {}
        for folder, _, names in os.walk(self.at("home")):
            for name in names:
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    found[os.path.relpath(os.path.join(folder, name), self.at("home"))] = file.read()
        return found

    def write(self, name, text, mode=0o644):
        os.makedirs(os.path.dirname(self.at(name)), exist_ok=True)
        with open(self.at(name), "w", encoding="utf-8") as file:
            file.write(text if isinstance(text, str) else json.dumps(text, indent=1))
        os.chmod(self.at(name), mode)

    def make_tree(self, top, event):
        """Linux's, with this machine's model, whose events are software's, and another model."""
        arch = f"{top}/tools/perf/pmu-events/arch/{self.arch}"
        other = "0x00000000430f0010" if self.arch == "arm64" else "Other-1-1"
        self.write(f"{arch}/mapfile.csv", "Family-model,Version,Filename,EventType\n"
                   f"{other},v1,other,core\n{self.cpuid},v1,vendor/model,core\n")
        self.write(f"{arch}/vendor/model/memory.json", [
            {"EventName": event, "ConfigCode": "0x2", "Unit": "software", "BriefDescription": "Page faults"},
            {"MetricName": f"{event}_each", "MetricExpr": f"{event} / page\\-faults", "MetricGroup": "Imported",
             "BriefDescription": "Twice the same"}])
        self.write(f"{arch}/other/memory.json", [{"EventName": "OTHERS", "EventCode": "1"}])

    def lists(self, name):
        """Is there an event of this name?"""
        return self.run("list", "events", name).stdout.startswith("NAME")


def nothing_yet(place):
    """doctor says what is missing, and the line that gets it"""
    place.write("bin/perf", "#!/bin/sh\necho perf version 6.12.117\n", 0o755)
    said = place.run("doctor").stdout
    check(f"no event files of this model, {place.cpuid}; to get them: m1top events import\n" in said, said)
    place.write("bin/perf", "#!/bin/sh\necho perf version 6.1.187\n", 0o755)
    said = place.run("doctor").stdout
    line = re.search(r"to get them: (.*)", said)
    check(line and re.search(r"m1top events import (/usr/src/|FROM)", line[1]), said)


def from_a_tree(place):
    """from Linux's source: this model's files and no others; its events are listed and counted"""
    place.make_tree("linux", "imported.faults")
    check(not place.lists("imported.faults"), "it is known already")
    said = place.imported("linux")
    check(said.startswith(f"{place.cpuid}: {place.arch}/vendor/model, 1 events, 1 metrics\n2 files, "), said)
    check(sorted(place.files()) == [f"m1top/imported/{place.cpuid}/{place.arch}/{name}" for name in
                                    ("mapfile.csv", "vendor/model/memory.json")], place.files())
    check(place.lists("imported.faults"), "not listed")
    check(place.lists("context-switches"), "m1top's own events are gone")
    said = place.run("doctor").stdout
    check(f"imported: {place.kept}\n" in said and "no event files of" not in said, said)
    counted = place.run("stat", "-x,", "-e", "imported.faults,page-faults", "-M", "Imported", "ls")
    if counted.returncode == 3:
        return
    figures = {line.split(",")[2].removesuffix(":u"): line.split(",") for line in counted.stdout.splitlines() if ",," in line}
    check(counted.returncode == 0 and len(figures) == 2, counted)
    check(int(figures["imported.faults"][0]) == int(figures["page-faults"][0]) > 0, figures)
    check(figures["imported.faults"][-2:] == ["1.00", "imported.faults_each"], figures)


def from_tars(place):
    """from tars of it, of its arch folder, compressed"""
    arch = place.at("linux/tools/perf/pmu-events/arch")
    for number, (name, folder, member) in enumerate([("all.tar", place.folder, "linux"),
                                                     ("all.tar.gz", place.folder, "linux"),
                                                     ("all.tar.xz", place.folder, "./linux"),
                                                     ("arch.tar", os.path.dirname(arch), "arch"),
                                                     ("within:it.tar", arch, place.arch)]):
        if name.endswith("xz") and not shutil.which("xz"):
            continue
        place.make_tree("linux", f"tarred.{number}")
        subprocess.run(["tar", "--force-local", "-caf", place.at(name), "-C", folder, member], check=True)
        check("vendor/model, 1 events" in place.imported(name), name)
        check(place.lists(f"tarred.{number}") and not place.lists("imported.faults"), name)


LIST = [
    {"EventName": "context-switches", "EventAlias": "cs", "EventType": "Software event"},
    {"Unit": "software", "Topic": "memory", "EventName": "listed.faults", "EventType": "Kernel PMU event",
     "BriefDescription": "Page faults", "Encoding": "software/config=0x2,period=0x64/"},
    {"MetricGroup": "One", "MetricName": "listed_m", "MetricExpr": "listed.faults * 2", "BriefDescription": "m"},
    {"MetricGroup": "Two", "MetricName": "listed_m", "MetricExpr": "listed.faults * 2", "BriefDescription": "m"}]


def from_a_list(place):
    """from what perf list -j printed: a file and standard input"""
    place.write("list.json", LIST)
    check("perf-0, 1 events, 1 metrics" in place.imported("list.json"), "list.json")
    check(place.lists("listed.faults") and not place.lists("tarred.0"), "list.json")
    said = json.loads(place.run("list", "metrics", "listed_m", "--json").stdout)
    check(said[0]["groups"] == "One;Two", said)
    place.make_tree("linux", "imported.faults")
    place.imported("linux")
    place.imported("-", given=json.dumps(LIST))
    check(place.lists("listed.faults"), "standard input")


def from_perf(place):
    """from the installed perf, 6.3 and later"""
    place.write("bin/perf", "#!/bin/sh\ncase $1 in --version) echo perf version 6.3.0 ;;\n"
                f"list) [ \"$*\" = 'list -j pmu metric' ] && cat '{place.at('list.json')}' ;; esac\n", 0o755)
    LIST[1]["EventName"] = "asked.faults"
    place.write("list.json", LIST)
    place.imported()
    check(place.lists("asked.faults"), "it was not asked")
    place.write("list.json", LIST[:1])
    place.refused(why=f"perf 6.3.0 knows no events of {place.cpuid}: give Linux's source, or a tar of it")
    place.write("bin/perf", "#!/bin/sh\necho perf version 6.2.16\n", 0o755)
    place.refused(why="perf 6.2.16 cannot list its events as JSON, 6.3 and later can: give Linux's source")


def what_fails(place):
    """what cannot be taken is named, and what was imported before stays"""
    place.make_tree("linux", "imported.faults")
    place.imported("linux")
    model = f"linux/tools/perf/pmu-events/arch/{place.arch}/vendor/model"
    place.write(f"{model}/other.json", "[\n {\"EventName\": 3}]\n")
    place.refused("linux", why=f"{model}/other.json: $[0].EventName: not a string")
    subprocess.run(["tar", "-cf", place.at("bad.tar"), "-C", place.folder, "linux"], check=True)
    place.refused("bad.tar", why=f"m1top: bad.tar: {place.arch}/vendor/model/other.json: $[0].EventName: not a string")
    place.write("bad.json", "[{\"EventName\": \"a\"},\n x]")
    place.refused("bad.json", why="m1top: bad.json:2: not valid JSON from here")
    place.refused("-", given="[{", why="m1top: standard input:1: not valid JSON from here")
    place.write("text", "neither this nor that\n")
    place.refused("text", why="m1top: text: ")
    place.refused("gone", why="m1top: gone: No such file")
    os.makedirs(place.at("empty"))
    place.refused("empty", why=f"m1top: empty/{place.arch}/mapfile.csv: No such file")
    shutil.rmtree(place.at("linux", "tools", "perf", "pmu-events", "arch", place.arch, "vendor"))
    place.refused("linux", why="vendor/model: No such file")
    check(place.lists("imported.faults"), "it is gone")


SECRET = "root's own"


def hostile(place):
    """[(name, why it is refused; None: it is harmless, members)]: a member is (name, text) or a TarInfo."""
    arch, cpuid, outside = place.arch, place.cpuid, place.at("outside")
    events = json.dumps([{"EventName": "hostile.event", "ConfigCode": "0x2", "Unit": "software"}])

    def row(folder):
        return (f"{arch}/mapfile.csv", f"{cpuid},v1,{folder},core\n")

    def link(name, target, kind=tarfile.SYMTYPE):
        member = tarfile.TarInfo(name)
        member.type, member.linkname = kind, target
        return member

    def sized(name, mib):
        member = tarfile.TarInfo(name)
        member.size = mib << 20
        return member

    good = [row("v/m"), (f"{arch}/v/m/a.json", events)]
    found = [(f"folder {folder}", "leads out of the tree", [row(folder), (f"{arch}/v/m/a.json", events)])
             for folder in ("..", "../..", "v/../../x", "../../../../../tmp/X", f"{outside}", "/", "v//m", "../" * 20 + "tmp/X",
                            f"v/m/../../../..{outside}")]
    found += [(f"{what} to {target}", "links and devices", [row("v/m"), link(f"{arch}/{name}", target, kind)])
              for name, target, kind, what in [
                  ("v/m/a.json", place.at("secret.json"), tarfile.SYMTYPE, "symlink"),
                  ("v/m/a.json", "../../../secret.json", tarfile.SYMTYPE, "symlink"),
                  ("v/m/a.json", place.at("secret.json"), tarfile.LNKTYPE, "hard link"),
                  ("v/m.json", outside, tarfile.SYMTYPE, "folder's symlink"),
                  ("v/m/a.json", "", tarfile.FIFOTYPE, "FIFO"),
                  ("v/m/a.json", "", tarfile.CHRTYPE, "device"),
                  ("v/m/a.json", "", tarfile.BLKTYPE, "block device")]]
    found += [
        ("map is a symlink", "links and devices", [link(f"{arch}/mapfile.csv", place.at("secret.csv")), good[1]]),
        ("65 MiB in a file", "more than 64 MiB", [row("v/m"), sized(f"{arch}/v/m/a.json", 65)]),
        ("2 GiB in a file", "more than 64 MiB", [row("v/m"), sized(f"{arch}/v/m/a.json", 2048)]),
        ("66 MiB in files", "more than 64 MiB", [row("v/m"), *(sized(f"{arch}/v/m/{n}.json", 1) for n in range(66))]),
        ("20 001 files", "more than 64 MiB", [row("v/m"), *((f"{arch}/v/m/{n}.json", "[]") for n in range(20001))]),
        ("members of ..", "contains .[.][.].", [*good, (f"../{arch}/v/m/a.json", events), ("../../up.json", events)]),
        ("absolute members", None, [*good, (f"{outside}/{arch}/v/m/b.json", events), (f"{outside}/b.json", events)]),
        ("a symlink that is no event file", None, [*good, link(f"{arch}/v/m/link", outside)]),
        ("members behind a symlink", None, [*good, link(f"{arch}/v/l", outside), (f"{arch}/v/l/c.json", events)]),
        ("set-uid", None, [row("v/m"), (f"{arch}/v/m/a.json", events, 0o6777)]),
        ("owned by another", None, [row("v/m"), (f"{arch}/v/m/a.json", events, 0o644, 12345)]),
        ("a member twice", None, [*good, good[1]]),
        ("no map", "not an archive of event files", [good[1]]),
        ("no events", "not an archive of event files", [good[0]]),
        ("a folder as file", "Is a directory", [row("v/m"), link(f"{arch}/v/m/d.json", "", tarfile.DIRTYPE), good[1]]),
        ("a NUL", "NUL|UTF-8", [row("v/m"), (f"{arch}/v/m/a.json", "[\0]")]),
        ("not JSON", "not valid JSON", [row("v/m"), (f"{arch}/v/m/a.json", "[{,")]),
    ]
    return found


def write_tar(path, members):
    with tarfile.open(path, "w:gz" if path.endswith("gz") else "w") as tar:
        for member in members:
            if isinstance(member, tarfile.TarInfo):
                tar.addfile(member, Zeros(member.size) if member.size else None)
                continue
            info = tarfile.TarInfo(member[0])
            info.size = len(member[1].encode())
            info.mode, info.uid = (*member[2:], 0o644, 0)[:2] if len(member) > 2 else (0o644, 0)
            info.uid = member[3] if len(member) > 3 else 0
            tar.addfile(info, io.BytesIO(member[1].encode()))


class Zeros:
    """A file of zeros, which compress well."""

    def __init__(self, size):
        self.left = size

    def read(self, size):
        size = min(size, self.left)
        self.left -= size
        return bytes(size)


def hostile_archives(place):
    """hostile archives write nothing outside, unpack 64 MiB at most, and copy no file that only root may read"""
    place.write("secret.json", [{"EventName": "secret.event", "ConfigCode": "0x2", "Unit": "software",
                                 "BriefDescription": SECRET}], 0o600)
    place.write("secret.csv", f"{place.cpuid},v1,v/m,core\n# {SECRET}\n", 0o600)
    os.makedirs(place.at("outside"), exist_ok=True)
    cases = hostile(place)
    check(len(cases) >= 30, len(cases))
    for number, (name, why, members) in enumerate(cases):
        archive = f"hostile{number}.tar.gz"
        write_tar(place.at(archive), members)
        before = place.files()
        done = place.run("events", "import", archive)
        kept = place.files()
        check(not os.listdir(place.at("outside")), name, "wrote outside", os.listdir(place.at("outside")))
        check(not os.path.exists("/tmp/X"), name, "wrote /tmp/X")
        check(SECRET not in str(kept), name, "copied the secret")
        place.nothing_is_left()
        if why:
            check(done.returncode in (1, 2) and re.search(why, done.stderr), name, done)
            check(done.stderr.startswith(f"m1top: {archive}: "), name, done.stderr)
            check(kept == before, name, "what was there before has changed")
        else:
            check(done.returncode == 0, name, done)
        os.remove(place.at(archive))
    print(f"# {len(cases)} hostile archives")


def hostile_trees(place):
    """a link in a tree is refused, whoever may read what it names"""
    place.make_tree("linked", "linked.faults")
    model = f"linked/tools/perf/pmu-events/arch/{place.arch}/vendor/model"
    os.symlink(place.at("secret.json"), place.at(model, "secret.json"))
    place.refused("linked", why="secret.json: is a symbolic link, or lies behind one")
    shutil.move(place.at(model), place.at("moved"))
    os.remove(place.at("moved/secret.json"))
    os.symlink(place.at("moved"), place.at(model))
    place.refused("linked", why="memory.json: is a symbolic link, or lies behind one")


def other_layouts(place):
    """a level too high or too low is found; vendors' own formats are named with what converts them"""
    place.make_tree("above/linux-6.12", "level.faults")
    arch = place.at("above/linux-6.12/tools/perf/pmu-events/arch")
    for level in ("above", "above/linux-6.12", "above/linux-6.12/tools", "above/linux-6.12/tools/perf",
                  "above/linux-6.12/tools/perf/pmu-events", arch, os.path.join(arch, place.arch)):
        check("vendor/model, 1 events" in place.imported(level), level)
    for sign, tool in [("perfmon/scripts/create_perf_json.py", "create_perf_json.py --outdir"),
                       ("telemetry/tools/perf_json_generator/generate.py", "generate.py LINUX/tools/perf --telemetry-files"),
                       ("data/pmu/common_armv8.json", "generate.py of Arm's telemetry-solution")]:
        place.write(sign, "")
        place.refused(sign.split("/")[0], why=tool)
    place.write("skylake_core.json", {"Header": {}, "Events": []})
    place.refused("skylake_core.json", why="give the folder that contains all of them")


def interrupted(place):
    """Ctrl-C, TERM and HUP end it, what it started with it; nothing is left, nothing has changed"""
    place.write("bin/perf", "#!/bin/sh\ncase $1 in --version) echo perf version 6.3.0 ;; *) exec sleep 1000 ;; esac\n",
                0o755)
    place.write("bin/tar", "#!/bin/sh\nexec sleep 1000\n", 0o755)
    place.write("all.tar", "an archive\n")
    before = place.files()
    for words in [[], ["-"], ["all.tar"]]:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with subprocess.Popen([M1TOP, "events", "import", *words], env=place.env, cwd=place.folder,
                                  stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as importing:
                # the thread sanitizer has a file of its own there for a moment
                while not any(name.startswith("m1top-") for name in os.listdir(place.at("tmp"))):
                    time.sleep(0.01)
                importing.send_signal(number)
                said = importing.stderr.read()
                importing.wait(120)
            check(importing.returncode in (1, 2) and said, words, number, importing.returncode, said)
            check(place.files() == before, "what was there before has changed", place.files())
            place.nothing_is_left()
    os.remove(place.at("bin/tar"))


def other_folders(place):
    """--events-dir and M1TOP_EVENTS mean that folder and no other"""
    check(place.lists("imported.faults"), "it is not there to begin with")
    place.make_tree("second", "second.faults")
    for words, env in [(["--events-dir", "second"], None),
                       ([], dict(place.env, M1TOP_EVENTS=place.at("second/tools/perf/pmu-events/arch")))]:
        said = place.run("list", "events", "faults", *words, env=env).stdout
        check("second.faults" in said and "imported.faults" not in said, said)
    # nor is an import proposed, which would be of no use
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "events")
    said = place.run("doctor", env=dict(place.env, M1TOP_EVENTS=own)).stdout
    check("Event data" in said and "events import" not in said, said)


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="m1top-events-") as folder:
        place = Place(folder)
        if place.cpuid.startswith("0x00000000610f"):
            print("1..0 # SKIP m1top has the files of Apple's cores")
            return
        for step in (nothing_yet, from_a_tree, from_tars, from_a_list, from_perf, hostile_archives, hostile_trees,
                     other_layouts, what_fails, interrupted, other_folders):
            faults = []
            try:
                step(place)
            except AssertionError as why:
                faults.append(str(why))
            tap.test(step.__doc__, faults)
    tap.end()


sys.exit(main())
