#!/usr/bin/env python3
"""formats.py: a session has the same figures and standings in every format, live and replayed. TAP.

Its csv is what the others are compared with: each value to the digits that they show, and its standing.
"""
import csv
import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

from serving import M1TOP, ROOT, Server, Tap

sys.path.insert(0, os.path.join(ROOT, "tests", "screens"))
from pane import Pane, has_tmux  # noqa: E402

# what is simulated, and what is counted
SESSIONS = {
    # perf's lines leave out what was counted only because it cost nothing: cycles are asked for
    "core types, multiplexed": ("seed=3", "-e", "cycles", "-M", "Branch,TLB"),
    "a lost core, stolen counters": ("seed=3,lost=1@0.1-0.3,steal=2.5@0.1-0.3", "-P", "branch"),
    "a lost core, multiplexed": ("seed=3,lost=1@0.1-0.3", "-e", "cycles,instructions", "-M", "TLB,watts=INST_ALL"),
    "two sockets": ("cores=8,sockets=2,seed=3", "-P", "l1d"),
    "formulas, an undefined one, a unit": ("seed=3", "-e", "cycles,instructions", "-M", "x=2*instructions,IPC,"
                                           "none=cycles/(cycles-cycles),watts=INST_ALL/duration_time"),
    "devices": ("seed=3,smmu=2", "-e", "cycles,transaction", "-M", "IPC,bytes=SMMU_TRANSACTION"),
    "devices that ignore :u": ("seed=3,smmu=2,lost=1@0-0.2", "--user", "-e", "cycles,transaction", "-P", "l1d"),
    "tasks": ("tasks=20,seed=3", "--by", "task", "-e", "cycles", "-P", "l1d"),
}
UNITS = {"INST_ALL": "0.015625Joules", "SMMU_TRANSACTION": "64Bytes"}  # of the events, everywhere here
OF_DEVICES = ("bytes",)
SHOWN = ("ok", "scaled")
MARKS = {"-": ("not_counted", "undefined"), "lost": ("lost",), "n/s": ("not_supported",)}
FACTOR = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}


KEPT = []  # what was JSON: its verb and text


def run(*words):
    said = subprocess.run([M1TOP, *words], capture_output=True, text=True, check=False)
    assert said.returncode == 0, f"{words}: {said.stderr}"
    if {"-j", "--json", "json"} & set(words):
        KEPT.append((words[0], said.stdout))
    return said.stdout


def schemas(folder):
    """What was kept against docs/schema."""
    os.mkdir(folder)
    for i, (verb, text) in enumerate(KEPT):
        with open(os.path.join(folder, f"{verb}.{i}"), "w", encoding="utf-8") as file:
            file.write(text)
    judged = subprocess.run([os.path.join(ROOT, "tests", "schemas.py"), folder], capture_output=True, text=True, check=False)
    return judged.stdout.splitlines() if judged.returncode else []


def events_with_units(folder):
    """@return {heading of a column: events and metrics that have it}"""
    shutil.copytree(os.path.join(ROOT, "events"), folder)
    ret = {}
    for path in glob.glob(f"{folder}/**/*.json", recursive=True):
        with open(path, encoding="utf-8") as file:
            rows = json.load(file)
        for row in rows:
            name = row.get("MetricName") or row.get("EventName")
            ret.setdefault(row.get("ShortName") or name, set()).add(name)
            if name in UNITS:
                row["ScaleUnit"] = UNITS[name]
        with open(path, "w", encoding="utf-8") as file:
            json.dump(rows, file)
    os.environ["M1TOP_EVENTS"] = folder
    return ret


def shown(cell):
    """A cell for people. @return value, half of its last digit, standings that it can mean"""
    match = re.fullmatch(r"(~?)(-?\d*\.?(\d*))(?:e(-?\d+))?([kMGT]?)", cell)
    if not match or cell == "-":
        return None, 0, MARKS.get(cell, ("?",))
    factor = FACTOR[match[5]] * 10 ** int(match[4] or 0)
    return float(match[2]) * factor, .5 * factor / 10 ** len(match[3]), ("scaled" if match[1] else "ok",)


def add(figures, at, one):
    """A task that becomes another program has a row for each, a metric of devices one for each of them."""
    if at in figures and None not in (figures[at][0], one[0]):
        one = figures[at][0] + one[0], figures[at][1] + one[1], one[2]
    figures[at] = one


def said(value, standing, slack):
    return float(value) if standing in SHOWN else None, slack, (standing,)


class Session:
    """csv: `figures` {(tick, row, slot or metric): (value, standing)}, counts estimated and in their units; `records`
    the same with an event of several mux groups once, as None; `named` by names, counts a second: None where several
    columns have it; devices are rows, as for people"""

    def __init__(self, text, by_task=False):
        self.figures, self.records, self.named = {}, {}, {}
        notes = {(one["type"], one["slot"]): one for one in (
            dict(re.findall(r"(\w+)=(\S*)", line)) for line in text.splitlines() if line.startswith("# set "))}
        first = {}
        for row in csv.DictReader(line for line in text.splitlines() if not line.startswith("#")):
            if not row["pmu"] or (bool(row["pid"]) != by_task and row["pmu"] != "metric"):
                continue
            value, standing = float(row["count"]) if row["quality"] in SHOWN else None, row["quality"]
            tick, who, key = int(row["tick"]), row["cpu"], row["event"]
            name, seconds = key, 1
            if by_task:
                who = row["type"] + (row["pid"] if row["pid"] != "0" else "[idle]")
            if row["pmu"] != "metric":
                note = notes[row["type"], row["slot"]]
                key, name = int(row["slot"]), note.get("known", key)
                seconds = .1 if by_task else float(row["enabled_ns"]) / 1e9
                if value is not None:
                    value *= float(note["scale"]) * float(row["enabled_ns"]) / (float(row["running_ns"]) or 1)
            elif by_task:
                continue
            at = tick, who, key
            if by_task and at in self.figures:
                value += self.figures[at][0]
            self.figures[at] = value, standing
            note = note_of(row, notes)
            record = *at[:2], first.setdefault((row["type"], *map(note.get, ("pmu", "event", "config", "levels"))), key) \
                if note else key
            self.records[record] = None if record in self.records and not by_task else self.figures[at]
            at = tick, who if "known" not in note_of(row, notes) else row["pmu"], name
            is_again = at in self.named and not by_task
            self.named[at] = None if is_again else (value and value / seconds, standing)


def note_of(row, notes):
    return notes.get((row["type"], row["slot"]), {}) if row["pmu"] != "metric" else {}


def compare(what, truth, others, is_whole=False):
    """csv has metrics in 6 digits. @return faults, figures compared"""
    faults, n = [f"{what}: only one has {at}" for at in (truth.keys() ^ others.keys() if is_whole else ())], 0
    for at in truth.keys() & others.keys():
        value, slack, standings = others[at]
        if truth[at] is None:
            continue
        n += 1
        right, standing = truth[at]
        if standing not in standings or (right is None) != (value is None) or \
                (right is not None and abs(right - value) > 1.01 * slack + 2e-5 * abs(right)):
            faults.append(f"{what}: {at}: {value} {standings}, in csv {right} {standing}")
    return faults, n


def of_json(text, by_task=False):
    ret, ticks = {}, []
    for row in (json.loads(line) for line in text.splitlines()):
        if "interval" in row and row["interval"] not in ticks:
            ticks.append(row["interval"])
        at = len(ticks), row["type"] + str(row.get("tid", row["thread"])) if by_task else row["cpu"]
        if "slot" in row and at[1][1:] != "[unattributed]":
            add(ret, (*at, row["slot"]), said(row["counter-value"], row["quality"], 1e-6))
        if "metric-name" in row and not by_task:
            ret[(*at, row["metric-name"])] = said(row["metric-value"], row["metric-quality"], 1e-6)
    return ret


def of_csv(text, by_task):
    return {at: (value, 0, (standing,)) for at, (value, standing) in Session(text, by_task).figures.items()}


def of_table(text, headings, named, by_task=False):
    """Also of the screen, whose only frame is tick 1: rows of cores, in Metrics columns of cores."""
    ret, ticks, columns = {}, [], []
    for line in text.splitlines():
        fields = re.sub(r"[^ -~]", " ", line).replace(":u", "").split()
        if not fields or fields[0] in ("s", "/s"):
            continue
        words = [field for field in fields if field in headings or field.startswith("cpu")]
        if fields[0] == "time" or len(words) > 1 and not shown(fields[-1])[2][0] in (*SHOWN, "lost"):
            columns = fields[fields[0] == "time" and 2:] if fields[0] == "time" else words
            continue
        is_table = re.fullmatch(r"\d+\.\d{3}", fields[0])
        if is_table and fields[0] not in ticks:
            ticks.append(fields[0])
        cells = fields[-len(columns):]
        if not columns or len(fields) <= len(cells):
            continue
        row = fields[-len(columns) - 1]
        is_metrics = columns[-1].startswith("cpu")
        if "?" in (shown(cell)[2][0] for cell in cells) or not (
                by_task or is_metrics or row.startswith("cpu") or "pmcg" in row):
            continue  # a cluster, or what stands below the rows
        if by_task:
            row = fields[1] + (row if row[0] == "[" else row.rsplit("-")[-1])
        for column, cell in zip(columns, cells):
            where, names = (row, headings.get(column, {column}))
            if is_metrics:
                where, names = column, {"_".join(fields[:n]) for n in range(1, len(fields) - len(cells) + 1)}
            where = where.removeprefix("cpu")
            for name in names:
                if name in OF_DEVICES:  # those that have it are rows of their own
                    where = "0" if "pmcg" in where else ""
                if (max(1, len(ticks)), where, name) in named:
                    add(ret, (max(1, len(ticks)), where, name), shown(cell))
    return ret


def perf_lines(text, lines):
    """-x against -j, line by line: count, event, metric"""
    faults, n = [], 0
    rows = list(csv.reader(text.splitlines()))
    if len(rows) != len(lines):
        return [f"-x: {len(rows)} lines, -j: {len(lines)}"], 0
    for row, line in zip(rows, lines):
        n += 1
        count, other = row[2] or row[3], line.get("counter-value", "")
        is_off = row[1] not in ("CPU" + line.get("cpu", "-"), line.get("thread"))
        if "thread" in line:
            row.pop(2)
            count = row[2]
        if is_off or row[4] != line.get("event", "") or row[3] != line.get("unit", ""):
            faults.append(f"-x: {row}, -j: {line}")
        elif row[2][:1].isdigit():
            if abs(float(row[2]) - float(other)) > shown(count)[1] * 1.01:
                faults.append(f"-x: {row}, -j: {line}")
        elif row[2] and line.get("quality") in SHOWN:
            faults.append(f"-x: {row}, -j: {line}")
    return faults, n


def reports(folder, path, more):
    """The totals of replay --summary -j, report --json, its text, and the extremes in its page."""
    faults, n, truth = [], 0, {}
    for row in map(json.loads, run("replay", "--to-stat", "--summary", "-j", path, *more).splitlines()):
        if "interval" in row:
            continue
        for name, value, standing in (("event", "counter-value", "quality"),
                                      ("metric-name", "metric-value", "metric-quality")):
            if name in row:
                at = row["cpu"], row[name]
                truth[at] = None if at in truth else (
                    float(row[value]) if row[standing] in SHOWN else None, row[standing])
    session = json.loads(run("report", "--json", path, *more))["sessions"][0]
    page = os.path.join(folder, "page.html")
    text = run("report", "--html", page, "--force", path, *more) or run("report", path, *more)
    with open(page, encoding="utf-8") as file:
        data = json.loads(re.search(r'id=plots>(.*?)</script>', file.read(), re.S)[1])[0]
    drawn = {(one["row"], one["name"]): one for one in data["series"]}
    figures, lines = {}, [line.split() for line in text.splitlines()]
    for row in session["rows"]:
        for one in row["events"] + row["metrics"]:
            name = one.get("metric") or one["event"]
            value = one["value"] if "metric" in one else one["total"]
            if row["by"] == "core" or "pmcg" in name:
                figures[str(row["cpus"][0]), name] = said(value, one["quality"], 1e-6)
            series = drawn.get((row["name"], name))
            for mine, other in (("low", "min"), ("high", "max")) if series else ():
                n += 1
                if series[mine] is not None and abs(series[mine] - one[other]) > 1e-8 * abs(one[other]):
                    faults.append(f"page: {row['name']} {name}: {series} {one}")
            keys = ("value", "p50", "p95", "p99", "min", "max") if "metric" in one else \
                ("total", "mean_per_s", "p50", "p95", "p99", "min", "max")
            n += len(keys)
            values = [one[key] for key in keys]
            if not any(line and line[0] in one.get("same_as", name) and fits(line, values, one["quality"]) for line in lines):
                faults.append(f"text: {row['name']} {name}: {one}")
    more, m = compare("report --json", truth, figures)
    return faults + more, n + m


def fits(line, values, standing):
    """Whether a line of the report has these values among its cells, in this order, or says why none."""
    if values[0] is None:
        return standing in line
    cells = [shown(cell.lstrip("▲")) for cell in line if re.match("[-▲~.0-9]", cell)][:len(values)]
    return len(cells) == len(values) and all(
        (cell[0] is None) == (value is None) and (value is None or abs(cell[0] - value) <= 1.01 * cell[1])
        for cell, value in zip(cells, values))


def on_screen(pane, path, more, headings, named):
    """The only frame of a session, in the view that it begins in."""
    pane.type((shlex.join([M1TOP, "replay", path, *more]) + "\n").encode())
    pane.wait("the end of ")
    text = pane.screen()
    pane.type(b"q")
    pane.until(lambda: not pane.shows(" REPLAY "), "replay does not end")
    return of_table(text, headings, named)


def walk(folder, pane, headings, sim, words):
    by_task = "--by" in words
    more = words[words.index("-M"):] if "-M" in words else ()
    words = ("--backend", f"sim:clock=virtual,{sim}", "-I", "100", *words, "-n")
    path = os.path.join(folder, "s.csv")
    run("stat", *words, "5", "--format", "csv", "-o", path, "--force")
    with open(path, encoding="utf-8") as file:
        live = Session(file.read(), by_task)
    results = []
    replay = ("replay", "--to-stat", path, *more, *(("--by", "task") if by_task else ()), "--format")
    for name, command in ("live", ("stat", *words, "5", "--format")), ("replayed", replay):
        lines = run(*command, "json")
        results += [
            compare(f"{name} csv", live.figures, of_csv(run(*command, "csv"), by_task), is_whole=True),
            compare(f"{name} -j", live.records, of_json(lines, by_task), is_whole=True),
            compare(f"{name} table", live.named, of_table(run(*command, "table"), headings, live.named, by_task)),
            perf_lines(run(*command, "perf"), [json.loads(line) for line in lines.splitlines()])]
    results.append(reports(folder, path, more))
    if pane and not by_task:
        run("stat", *words, "1", "--format", "csv", "-o", path, "--force")
        results.append(compare("screen", live.named, on_screen(pane, path, more, headings, live.named)))
    if "watts=INST_ALL/duration_time" in "".join(more):  # in its unit, as its column
        watts = {at: (one[0], 0, (one[1],)) for at, one in live.named.items() if at[2] == "watts"}
        results.append(compare("watts", {(*at[:2], "watts"): live.named[(*at[:2], "INST_ALL")] for at in watts}, watts))
    if not all(n for _, n in results):
        results.append(([f"figures compared: {[n for _, n in results]}"], 0))
    return sum((faults for faults, _ in results), []), sum(n for _, n in results), \
        {standing for _, standing in live.figures.values()}


def served(folder):
    """/metrics against the log of the same frames: raw totals and factors, and the newest metrics."""
    path = os.path.join(folder, "served.csv")
    metrics = "-M", "IPC,TLB,watts=INST_ALL/duration_time,bytes=SMMU_TRANSACTION"
    with Server("--backend", "sim:seed=3,smmu=2,lost=1@0.2-9", "-I", "100", "-e", "cycles,transaction", "-P", "l1d",
                *metrics, "-o", path) as server:
        server.wait(4)
        got = server.metrics()
        server.stop()
    raw, newest, scales, totals, standing = {}, {}, {}, {}, {}
    text = run("replay", "--to-stat", path, *metrics, "--format", "csv")
    rows = list(csv.DictReader(line for line in text.splitlines() if line[:1] != "#"))
    last = int(got["m1top_frames_total",])  # a frame has its number, also if no core came in time and it has no rows
    for row in rows:
        is_metric, at = row["pmu"] == "metric", (row["cpu"], row["event"])
        if is_metric and int(row["tick"]) == last and row["quality"] in SHOWN:
            newest[row["cpu"], row["event"].lower()] = float(row["count"]), "ok"
        elif not is_metric and int(row["tick"]) <= last:
            is_shown = row["quality"] in SHOWN
            raw[at] = raw.get(at, (0,))[0] + int(is_shown and row["count"]), "ok"
            if standing.setdefault(at, (row["tick"], set()))[0] != row["tick"]:
                standing[at] = row["tick"], set()  # a core that was late is as before
            standing[at][1].add(is_shown)
    for (name, *labels), value in got.items():
        labels = dict(labels)
        if name == "m1top_events_total":
            totals[labels["cpu"], labels["event"]] = value, 0, ("ok",)
        elif name == "m1top_event_scale":
            scales[labels["event"]] = f"{value:g}{labels['unit']}"
    figures = {(cpu, name): (got[at], 0, ("ok",))
               for cpu in map(str, range(8)) for name in ("ipc", "watts", "bytes")
               for at in got if at[0] == f"m1top_metric_{name}" and ("cpu", cpu) in at}
    # of two groups with the event only one may have run
    raw = {at: one for at, one in raw.items()
           if standing[at][1] == {True} or (standing[at][1] != {False} and at in totals)}
    newest = {at: one for at, one in newest.items() if at[1] in ("ipc", "watts", "bytes")}
    results = [compare("serve", raw, totals, is_whole=True), compare("serve", newest, figures, is_whole=True)]
    if {one.lower() for one in UNITS.values()} - {one.lower() for one in scales.values()}:
        results.append(([f"serve: units {scales}"], 0))
    return sum((faults for faults, _ in results), []), sum(n for _, n in results)


def main():
    tap = Tap()
    n, seen, differ, pane = 0, set(), 0, None
    with tempfile.TemporaryDirectory(prefix="m1top-formats-") as folder:
        headings = events_with_units(os.path.join(folder, "events"))
        try:
            if has_tmux():
                pane = Pane(folder, 320, 60)
            for name, session in SESSIONS.items():
                faults, compared, standings = walk(folder, pane, headings, session[0], session[1:])
                n, seen, differ = n + compared, seen | standings, differ + len(faults)
                tap.test(name, faults[:10])
        finally:
            if pane:
                pane.close()
        faults, compared = served(folder)
        n, differ = n + compared, differ + len(faults)
        tap.test("serve", faults[:10])
        tap.test("JSON is as docs/schema says", schemas(os.path.join(folder, "json")))
    print(f"# {n} figures compared, {differ} differ; standings: {' '.join(sorted(seen))}")
    if not pane:
        print("# the screen is left out: no tmux")
    print(f"1..{tap.n}")
    return tap.failed


if __name__ == "__main__":
    sys.exit(main())
