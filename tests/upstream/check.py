#!/usr/bin/env python3
"""Linux's own event trees, whole: every CPU of every mapfile.csv of the kernels that Debian ships.

Fetches the packages, unpacks tools/perf/pmu-events and loads each CPU with tests/upstream/load. The
judge is perf's own converter, jevents.py of the same tree: every event must be there under its name
and PMU with the terms that perf would use; codes of core events are worked out again here. Then
m1top events import takes this machine's model from the package's tar.

Writes TAP, then a table and what was refused. Usage: check.py [6.1 6.12 …]
"""
import collections
import glob
import importlib.util
import json
import multiprocessing
import os
import random
import re
import subprocess
import sys
import tempfile
import time

try:
    import re._parser as regex_parser
except ImportError:
    import sre_parse as regex_parser

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
STORE = os.path.join(ROOT, "build/upstream")
LOAD = os.environ.get("LOAD", os.path.join(ROOT, "build/release/tests/upstream/load"))
M1TOP = os.environ.get("M1TOP", os.path.join(ROOT, "m1top"))
KERNELS = ["6.1", "6.12"]
MAX_MS, MAX_KIB = 100, 20 * 1024
COLUMNS_MAX = 64  # of a set, and so of a metric

# Where the fields of a core event go: (word, lowest bit), as the kernel's format files say.
X86 = {"event": (0, 0), "umask": (0, 8), "edge": (0, 18), "any": (0, 21), "inv": (0, 23),
       "cmask": (0, 24), "offcore_rsp": (1, 0), "ldlat": (1, 0), "frontend": (1, 0)}
AMD = {"event": (0, 0), "umask": (0, 8), "edge": (0, 18), "inv": (0, 23), "cmask": (0, 24)}
ARM64 = {"event": (0, 0)}


# --- the trees -----------------------------------------------------------------------------------

def fetch(kernel):
    """Folder of pmu-events of a kernel, downloaded and unpacked once."""
    tree = os.path.join(STORE, kernel, "tools/perf/pmu-events")
    if os.path.exists(os.path.join(tree, "arch")):
        return tree
    os.makedirs(os.path.join(STORE, kernel), exist_ok=True)
    if not glob.glob(f"{STORE}/linux-source-{kernel}_*.deb"):
        subprocess.run(["apt-get", "download", "-q", f"linux-source-{kernel}"], cwd=STORE,
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    package = sorted(glob.glob(f"{STORE}/linux-source-{kernel}_*.deb"))[-1]
    subprocess.run(f"dpkg-deb --fsys-tarfile {package}"
                   f" | tar -xOf - ./usr/src/linux-source-{kernel}.tar.xz | xz -dc"
                   f" | tar -xf - -C {STORE}/{kernel} --strip-components=1"
                   " --wildcards '*/tools/perf/pmu-events/*'", shell=True, check=True)
    return tree


def posix(pattern):
    return pattern.replace("[[:xdigit:]]", "[0-9a-fA-F]").replace("[:xdigit:]", "0-9a-fA-F")


def text_for(parsed, chance):
    """A text that a parsed regular expression matches."""
    out = ""
    for kind, arg in parsed:
        kind = str(kind)
        if kind == "LITERAL":
            out += chr(arg)
        elif kind == "ANY":
            out += "7"
        elif kind == "IN":
            one = chance.choice(arg)
            out += chr(chance.randint(*one[1]) if str(one[0]) == "RANGE" else one[1])
        elif kind == "BRANCH":
            out += text_for(chance.choice(arg[1]), chance)
        elif kind == "SUBPATTERN":
            out += text_for(arg[3], chance)
        elif kind == "MAX_REPEAT":
            low, high, what = arg
            for _ in range(chance.randint(low, min(high, max(low, 2)))):
                out += text_for(what, chance)
        elif kind != "AT":
            raise ValueError(kind)
    return out


def cpuid_of(rows, number):
    """An id for which the row is the first one that matches; None when another always wins."""
    pattern = rows[number][0]
    if re.fullmatch("0x[0-9a-f]+", pattern):
        return pattern
    chance = random.Random(1)
    for _ in range(200):
        text = text_for(regex_parser.parse(posix(pattern)), chance)
        if "Intel" in text or "AMD" in text:  # stepping, which most rows leave out
            text += "-2" if text.count("-") == 2 else ""
        first = next(i for i, row in enumerate(rows)
                     if re.fullmatch(posix(row[0]), text) or
                     re.fullmatch(posix(row[0]), text.rpartition("-")[0]))
        if first == number:
            return text
    return None


def map_rows(arch_folder):
    rows = []
    with open(os.path.join(arch_folder, "mapfile.csv"), encoding="utf-8") as lines:
        for line in lines:
            row = [field.strip() for field in line.strip().split(",")]
            if len(row) == 4 and not row[0].startswith(("#", "Family-model")):
                rows.append((row[0], row[2]))
    return rows


# --- what perf makes of them ---------------------------------------------------------------------

class Perf:
    """jevents.py of a tree, imported."""

    def __init__(self, tree):
        sys.path.insert(0, tree)
        spec = importlib.util.spec_from_file_location("jevents", os.path.join(tree, "jevents.py"))
        self.jevents = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.jevents)

    def inherit_from(self, arch_folder):
        self.jevents._arch_std_events.clear()
        self.jevents.preprocess_arch_std_files(arch_folder)

    def read(self, folder):
        """(events, metrics): {(pmu, name, compat): event}, [(name, pmu, compat)]"""
        events, metrics = {}, []
        for path in sorted(glob.glob(os.path.join(folder, "*.json"))):
            if path.endswith("metricgroups.json"):
                continue
            with open(path, encoding="utf-8") as file:
                raw = json.load(file)
            for fields in raw:
                event = self.jevents.JsonEvent(fields)
                pmu = "" if event.pmu in (None, "default_core") else event.pmu
                if event.name:
                    event.raw = fields
                    events[pmu, event.name, event.compat or ""] = event
                if event.metric_name:
                    metrics.append((event.metric_name, pmu, event.compat or ""))
        return events, metrics


def terms_of(text):
    """{"event": 0x3c}: what is zero says nothing, a sampling period is none of ours"""
    terms = {}
    for term in text.lower().split(","):
        name, _, value = term.partition("=")
        number = int(value, 0) if value else 1
        if number and name != "period":
            terms[name] = number
    return terms


def code_of(terms, places):
    """"config:config1" of a core event"""
    words = [0, 0]
    for name, value in terms.items():
        word, shift = places[name]
        if name == "event" and places is AMD:  # its upper four bits are far away
            value = value & 0xff | value >> 8 << 32
        words[word] |= value << shift
    return f"{words[0]:x}:{words[1]:x}"


# --- one CPU -------------------------------------------------------------------------------------

def load(arch_root, arch, cpuid):
    out = subprocess.run([LOAD, arch_root, arch, cpuid], capture_output=True, text=True,
                         env={**os.environ, "M1TOP_EVENTS": os.path.join(STORE, "none")})
    rows = collections.defaultdict(list)
    for line in out.stdout.splitlines():
        fields = line.split("\t")
        rows[fields[0]].append(fields[1:])
    if out.returncode and not rows["failed"]:
        rows["failed"].append([f"exit status {out.returncode}: {out.stderr.strip()[:200]}"])
    return rows


def expected_terms(event):
    """What perf makes of it, with the one field that jevents.py of 6.1 forgets."""
    terms = terms_of(event.event)
    extension = int(event.raw.get("UMaskExt", "0"), 0)
    if extension and terms.get("umask", 0) <= 0xff:
        terms["umask"] = terms.get("umask", 0) | extension << 8
    return terms


def compare_event(places, key, event, mine):
    _, compat, terms, code, deprecated, per_pkg = mine
    expected = expected_terms(event)
    if terms_of(terms) != expected:
        return f"{key}: terms {terms}, perf has {event.event}"
    if places and (not key[0] or key[0].startswith("cpu_")) and code_of(expected, places) != code:
        return f"{key}: {terms} is {code}, not {code_of(expected, places)}"
    if (event.deprecated or "0") != deprecated or (event.perpkg or "0") != per_pkg:
        return f"{key}: deprecated {deprecated}, per package {per_pkg}"
    return None


def compare(places, perf, folders, rows):
    """What differs from perf, a line each."""
    events, metrics, wrong = {}, [], []
    for folder in folders:
        more_events, more_metrics = perf.read(folder)
        events.update(more_events)
        metrics += more_metrics
    mine = {(row[1], row[0].lower(), row[2]): row[1:] for row in rows["event"]}
    refused = {re.search(r"\(([^()]*)\)$", row[0]).group(1).lower() for row in rows["refused"]}
    if len(mine) != len(rows["event"]):
        wrong.append(f"{len(rows['event']) - len(mine)} events are there twice")
    for key in events.keys() - mine.keys():
        is_excused = key[1] in refused and "None" in events[key].event  # perf has no value either
        if not is_excused:
            wrong.append(f"{key} is missing")
    for key in mine.keys() - events.keys():
        wrong.append(f"{key} is not perf's")
    for key in mine.keys() & events.keys():
        wrong.append(compare_event(places, key, events[key], mine[key]))
    own_metrics = [(row[0], row[1], row[2]) for row in rows["metric"]]
    if set(own_metrics) != set(metrics):
        wrong.append(f"metrics differ: {sorted(set(own_metrics) ^ set(metrics))[:5]}")
    wrong += [f"{row[0]} is not found by its name" for row in rows["lost"]]
    return [line for line in wrong if line]


class Result:
    def __init__(self, name, rows, wrong):
        self.name, self.wrong = name, wrong
        self.n_events, self.n_metrics = len(rows["event"]), len(rows["metric"])
        self.refused = [row[0] for row in rows["refused"]]
        self.n_thresholds = sum(row[4] != "none" for row in rows["metric"])
        self.uncompiled = [(row[0], row[3]) for row in rows["metric"] if row[3] != "ok"]
        self.uncompiled += [(f"{row[0]} (threshold)", row[4]) for row in rows["metric"]
                            if row[4] not in ("ok", "none")]
        self.large = [f"{row[0]} ({row[5]})" for row in rows["metric"] if int(row[5]) > COLUMNS_MAX]
        self.kernel_names = {row[1] for row in rows["input"]}
        self.wrong += [f"{row[0]}: {row[2]}: {row[3]}" for row in rows["terms"] if row[3] != "ok"]
        self.slashes = [(row[1], row[0]) for row in rows["terms"]]
        self.ms = float(rows["ms"][0][0]) if rows["ms"] else 0
        self.kib = int(rows["kib"][0][0]) if rows["kib"] else 0


def check_cpu(kernel, tree, perf, arch, rows, number):
    arch_root = os.path.join(tree, "arch")
    pattern, folder = rows[number]
    name = f"{kernel} {arch}/{folder} {pattern}"
    path = os.path.join(arch_root, arch, folder)
    cpuid = cpuid_of(rows, number)
    if not os.path.isdir(path):
        return None
    if not cpuid:
        return Result(name, collections.defaultdict(list), ["no id is this row's"])
    found = load(arch_root, arch, cpuid)
    wrong = [row[0] for row in found["failed"]]
    if found["cpu"] and found["cpu"][0][0] != f"{arch}/{folder}":
        wrong.append(f"{cpuid} loaded {found['cpu'][0][0]}")
    devices = glob.glob(os.path.join(arch_root, arch, "**/sys"), recursive=True)
    if not wrong:
        places = {"x86": AMD if "AMD" in cpuid else X86, "arm64": ARM64}.get(arch)
        wrong = compare(places, perf, [path] + devices, found)
    result = Result(name, found, wrong)
    if result.ms > MAX_MS or result.kib > MAX_KIB:
        result.wrong.append(f"{result.ms} ms, {result.kib} KiB")
    return result


def check_tree(kernel):
    """Every row of every map of a kernel's tree."""
    tree = fetch(kernel)
    perf = Perf(tree)
    results = []
    for map_path in sorted(glob.glob(os.path.join(tree, "arch/*/mapfile.csv"))):
        folder = os.path.dirname(map_path)
        rows = map_rows(folder)
        perf.inherit_from(folder)
        results += [check_cpu(kernel, tree, perf, os.path.basename(folder), rows, i)
                    for i in range(len(rows))]
    return [result for result in results if result]


# --- m1top events import -------------------------------------------------------------------------

def import_tar(kernel, home):
    """m1top events import from the package's tar; seconds that it took, and what became of it."""
    package = sorted(glob.glob(f"{STORE}/linux-source-{kernel}_*.deb"))[-1]
    tar = os.path.join(home, f"linux-source-{kernel}.tar.xz")
    subprocess.run(f"dpkg-deb --fsys-tarfile {package} | tar -xOf - ./usr/src/{os.path.basename(tar)} >{tar}",
                   shell=True, check=True)
    start = time.monotonic()
    done = subprocess.run([M1TOP, "events", "import", tar], capture_output=True, text=True,
                          env={**os.environ, "XDG_DATA_HOME": home, "SUDO_UID": "0"})
    return time.monotonic() - start, done


def check_import(kernel):
    """Of this machine's model the same is loaded as from the whole tree, if it has that."""
    said = subprocess.run([M1TOP, "doctor"], capture_output=True, text=True).stdout
    cpuid = re.search(r"processor (\S+)", said)[1]
    arch = "arm64" if cpuid.startswith("0x") else "x86"
    whole = load(os.path.join(fetch(kernel), "arch"), arch, cpuid)
    with tempfile.TemporaryDirectory(dir=STORE) as home:
        seconds, done = import_tar(kernel, home)
        kept = load(os.path.join(home, "m1top/imported", cpuid), arch, cpuid)
    if not whole["cpu"][0][0]:
        wrong = [] if f"no row is for {cpuid}" in done.stderr else [f"{done.returncode}: {done.stderr}"]
    else:
        wrong = [f"{kind} differs: {done.stderr}" for kind in ("cpu", "event", "metric") if kept[kind] != whole[kind]]
    said = (done.stdout or done.stderr).strip().replace("\n", "; ")
    print(f"# {kernel}: events import in {seconds:.0f} s: {said}")
    return Result(f"{kernel} {arch}/import {cpuid}", kept, wrong)


# --- the report ----------------------------------------------------------------------------------

def why_uncompiled(results):
    """{reason without its names: [count, an example]}"""
    reasons = {}
    for result in results:
        for name, error in result.uncompiled:
            kind = re.sub(r"'[^']*'|\"[^\"]*\"|\d+", "…", error)
            reasons.setdefault(kind, [0, f"{result.name.split()[1]} {name}: {error}"])[0] += 1
    return reasons


def kernel_names(results):
    """Names in metrics that no file has; one for a PMU's many."""
    names = collections.Counter(re.sub("/.*/", "/…/", name)
                                for name in {n for result in results for n in result.kernel_names})
    return [name if count == 1 else f"{name}×{count}" for name, count in sorted(names.items())]


def report(kernel, results):
    largest = max(results, key=lambda result: result.n_events)
    slowest = max(results, key=lambda result: result.ms)
    n_metrics = sum(result.n_metrics for result in results)
    n_bad = sum(len(result.uncompiled) for result in results)
    folders = {result.name.split()[1] for result in results}
    print(f"# {kernel}: {len(results)} CPU rows, {len(folders)} folders, "
          f"{sum(result.n_events for result in results)} events, {n_metrics} metrics, "
          f"{sum(result.n_thresholds for result in results)} thresholds; "
          f"refused: {sum(len(r.refused) for r in results)} events, {n_bad} metrics or thresholds")
    print(f"#   largest: {largest.name.split()[1]}, {largest.n_events} events, "
          f"{largest.ms} ms, {largest.kib / 1024:.1f} MiB; slowest: {slowest.name.split()[1]}, "
          f"{slowest.ms} ms")
    for kind, form in ("event", "EVENT/terms/"), ("pmu", "PMU/EVENT/ or PMU/EVENT,terms/"):
        n = sum(len({row[1] for row in result.slashes if row[0] == kind}) for result in results)
        print(f"#   metrics with {form}: {n}")
    for line in sorted({line for result in results for line in result.refused}):
        print(f"#   refused: {os.path.relpath(line, STORE)}")
    print(f"#   in no file, so the kernel's own: {' '.join(kernel_names(results))}")
    for kind, (count, example) in sorted(why_uncompiled(results).items(), key=lambda i: -i[1][0]):
        print(f"#   refused {count} times: {example[:200]}")
    for metric in sorted({metric for result in results for metric in result.large}):
        print(f"#   more than {COLUMNS_MAX} events: {metric}")


def main():
    kernels = sys.argv[1:] or KERNELS
    os.makedirs(os.path.join(STORE, "none"), exist_ok=True)
    with multiprocessing.Pool(len(kernels)) as pool:
        trees = pool.map(check_tree, kernels, chunksize=1)
    results = [result for tree in trees for result in tree] + [check_import(kernel) for kernel in kernels]
    print(f"1..{len(results)}")
    for number, result in enumerate(results, 1):
        print(f"{'not ok' if result.wrong else 'ok'} {number} - {result.name}: "
              f"{result.n_events} events, {result.n_metrics} metrics "
              f"({len(result.uncompiled)} uncompiled), {result.ms} ms, "
              f"{result.kib / 1024:.1f} MiB")
        for line in result.wrong[:10]:
            print(f"#   {line}")
    for kernel, tree in zip(kernels, trees):
        report(kernel, tree)
    return 1 if any(result.wrong for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
