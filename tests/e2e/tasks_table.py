#!/usr/bin/env python3
"""tasks_table.py: each cell of the Tasks table of a live simulation equals what stat counts of the same task in the same
interval. TAP.

Counts and metrics are those of stat -j, time and cores the sums of its csv. Both runs are of one simulation, on a virtual
clock: the interval is the one whose time the screen shows.
"""
import collections
import csv
import json
import os
import re
import shlex
import sys
import tempfile
import time

from formats import SHOWN, events_with_units, run, said, shown
from serving import M1TOP, ROOT, Tap

sys.path.insert(0, os.path.join(ROOT, "tests", "screens"))
from pane import LIMIT_S, Pane, has_tmux  # noqa: E402

SECONDS = .1
HEADLINE = "IPC"
PARTS = "retiring", "frontend_bound", "backend_bound", "bad_speculation"
GLYPHS = "█▓▒░"
BARS = "TOPDOWN", "where_cycles_go"
COMPARED = "PID", "TID", "TASK", "CPU%", "ON", HEADLINE, *BARS, "share"  # and events
NO_TASK = {"0": "[idle]", "-1": "[unattributed]", "-2": "[others]"}
ROWS = {"process": ("PID", None), "task": ("TID", "t"), "command": ("PID", "t")}  # heading of the number, key from the former
# units of columns and the messages for them, in the order of the key r
UNITS = {"count": "raw counts", "/ki": "per 1000 instructions", "/s": "per second"}

# columns and lines of the terminal, what is simulated, what is counted
SESSIONS = {
    "all counters": (320, 70, "tasks=20,seed=3", ("-P", "overview")),
    "a narrow screen": (80, 60, "tasks=20,seed=6", ("-P", "overview")),
    "multiplexed, replayed": (320, 70, "tasks=12,seed=3", ("-M", "TopdownL1,Branch,TLB")),
    "without metrics": (160, 60, "seed=7", ("-e", "instructions,l1d-miss,INST_BRANCH")),
}


# ---- what stat says ----

class Truth:
    """Of one interval. `rows` {(type, number, name): row}: rows as of the screen, with `ns` of CPU time, `cpus`, `count`
    {slot: (value, standing)}, `counted` {slot: count without extrapolation}, `metric` {name: as count};
    `whole` {(type, slot): count of all cores}, `counted` {(type, slot): the same without extrapolation}; `events`,
    `counters`, `units`, `scales` {slot: its own}; `alone` slots of events that one mux group counts"""

    def __init__(self, path, tick, by):
        self.rows, self.events, self.counters, self.units, self.scales, self.whole = {}, {}, {}, {}, {}, {}
        self.counted = collections.Counter()
        self.tick, self.by = tick, by
        self.read_csv(path)
        replay = ("replay", "--to-stat", path, "-M", ",".join((HEADLINE, *PARTS)), "-j", "--by")
        for line in self.last(run(*replay, "type")):
            if "slot" in line:
                self.whole[line["type"], line["slot"]] = figure(line)
        for line in self.last(run(*replay, by)):
            number = line.get({"process": "pid", "task": "tid", "command": ""}[by])
            row = self.row(line["type"], number, line["comm"])
            if "slot" in line:
                row["count"][line["slot"]] = figure(line)
            if "metric-name" in line:
                row["metric"][line["metric-name"]] = figure(line, "metric-value", "metric-quality")
        # a column shows what one mux group counted, stat what all groups did
        names = list(self.events.values())
        self.alone = {slot for slot, event in self.events.items() if names.count(event) == 1}
        self.rows = {at: row for at, row in self.rows.items()
                     if row["ns"] or any(value for value, _ in row["count"].values())}

    def row(self, kind, number, name):
        number = "-" if number is None or self.by == "command" or name[0] == "[" else str(number)
        return self.rows.setdefault((kind, number, name), {"ns": 0, "cpus": set(), "count": {}, "metric": {},
                                                          "counted": collections.Counter()})

    def last(self, text):
        lines = [line for line in map(json.loads, text.splitlines()) if "interval" in line]
        return [line for line in lines if abs(line["interval"] / SECONDS - self.tick) < .5]

    def read_csv(self, path):
        names, rows = {pid: (pid, name) for pid, name in NO_TASK.items()}, []
        with open(path, encoding="utf-8") as file:
            for line in file:
                note = dict(re.findall(r"(\w+)=(\S*)", line)) if line[0] == "#" else None
                if note is None:
                    rows.append(line)
                elif line.startswith("# set ") and note["pmu"] != "activity":
                    slot = int(note["slot"])
                    self.events.setdefault(slot, note.get("known", note["event"]))
                    self.counters[slot] = int(note["counter"])
                    self.units[slot], self.scales[slot] = note["unit"], float(note["scale"])
                elif line.startswith("# task "):
                    pid = line.split()[3]
                    names[pid] = note.get("process", pid), re.search("name=(.*)", line)[1].strip('"')
                    rows.append((pid, names[pid]))
        header, first = rows[0], {}
        for line in rows[1:]:
            if isinstance(line, tuple):
                names[line[0]] = line[1]
                continue
            one = next(csv.DictReader([header, line]))
            if int(one["tick"]) != self.tick or not one["slot"]:
                continue
            if not one["pid"]:
                self.counted[one["type"], int(one["slot"])] += int(one["count"] or 0)
                continue
            at = one["cpu"], one["pid"], names[one["pid"]]
            process, name = names[one["pid"]]
            row = self.row(one["type"], one["pid"] if self.by == "task" else process, name)
            row["cpus"].add(int(one["cpu"]))
            row["counted"][int(one["slot"])] += int(one["count"] or 0)
            if first.setdefault(at, one["slot"]) == one["slot"]:
                row["ns"] += int(one["enabled_ns"])


def figure(line, value="counter-value", standing="quality"):
    number, _, standings = said(line[value], line[standing], 0)
    return number, standings[0]


def cpu_list(cpus):
    """{0, 2, 3} -> "0,2-3\""""
    ends = sorted(cpus)
    runs = [(cpu, next(n for n in range(cpu, 1 << 20) if n + 1 not in cpus)) for cpu in ends if cpu - 1 not in cpus]
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


# ---- what the screen shows ----

class Table:
    """`head` [(heading, begin, end)], `slots` {end of a column: its slot}, `units` {slot: unit}, `rows` of [(word, begin, end)],
    `selected`: its slot, `strange`: headings of columns that the test compares with nothing"""

    def __init__(self, text, truth, headings):
        lines = text.splitlines()
        at = next(i for i, line in enumerate(lines) if re.match(r" +[PT]ID", line))
        mark = re.search(r"▸([^▾▴◂]+)[▾▴◂]", lines[at])
        self.is_by_lost = bool(re.search(r"(TOPDOWN|where cycles go)▾", lines[at]))
        self.head = words(re.sub("[▸◂▾▴‹›]", " ", lines[at]).replace("where cycles go", "where_cycles_go"))
        self.find_slots({end: int(word.removeprefix("PMC")) for word, _, end in words(lines[at - 1])}, truth, headings)
        self.units = {self.slots[end]: word for word, _, end in words(lines[at + 1]) if end in self.slots}
        self.selected = mark and self.slots.get(mark.end(1))
        self.rows = []
        for line in lines[at + 2:]:
            if not line.strip():
                break
            self.rows.append(words(line.replace("▸", " ")))

    def find_slots(self, numbers, truth, headings):
        """Columns stand in the order of their slots; an event that several sets have is shown once."""
        self.slots, last = {}, -1
        for name, _, end in self.head:
            found = [slot for slot, event in sorted(truth.events.items()) if slot > last and
                     truth.counters[slot] == numbers.get(end) and event in headings.get(name, ())]
            if found:
                self.slots[end] = last = found[0]
        self.strange = [name for name, _, end in self.head if end not in self.slots and name not in COMPARED]

    def cells(self, row):
        """{heading or slot: word}, words that stand under no heading"""
        ret, left = {}, []
        row = list(row)
        share_end = next((e for name, _, e in self.head if name == "share"), None)
        at = next((i for i, (word, _, e) in enumerate(row) if i and e == share_end and word.isalpha()), None)
        if at is not None:  # "46.1 P": of the type P
            ret["share of"] = row[at][0]
            row[at - 1:at + 1] = [(row[at - 1][0], row[at - 1][1], share_end)]
        for word, begin, end in row:
            ends = [self.slots.get(e, name) for name, b, e in self.head if e == end and name not in ("TASK", "ON")]
            name = ends[0] if ends and word[-1] not in GLYPHS else self.left_aligned(begin)
            if name is None:
                left.append(word)
            else:
                ret[name] = f"{ret[name]} {word}" if name in ret else word
        return ret, left

    def left_aligned(self, begin):
        for name, b, _ in self.head:
            width = {"TASK": 15, "ON": 7, **dict.fromkeys(BARS, 1)}.get(name, 0)
            if b - (width == 1) <= begin < b + width:
                return "bar" if width == 1 else name
        return None


def words(line):
    return [(match[0], match.start(), match.end()) for match in re.finditer(r"\S+", line)]


def bar(shares, width):
    """Glyphs for shares, as many as `width` for 1; None where one is half of a glyph."""
    ends, total = [0], 0
    for share in shares:
        total += share / max(1, sum(shares))
        if abs(total * width % 1 - .5) < 1e-4:
            return None
        ends.append(int(total * width + .5))
    return "".join((b - a) * glyph for a, b, glyph in zip(ends, ends[1:], GLYPHS))


# ---- the one beside the other ----

def differs(cell, value, standing):
    """Whether a cell shows another value or standing, to its last digit."""
    got, slack, standings = shown(cell)
    return standing not in standings or (got is None) != (value is None) or \
        (value is not None and abs(got - value) > 1.01 * slack + 2e-5 * abs(value))


class Comparison:
    def __init__(self, headings):
        self.headings, self.faults, self.n, self.seen = headings, [], 0, set()

    def add(self, other):
        self.n, self.seen = self.n + other.n, self.seen | other.seen
        self.faults += other.faults

    def cell(self, where, cell, value, standing="ok"):
        self.n += 1
        if cell is None or differs(cell, value, standing):
            self.faults.append(f"{where}: {cell}, by stat {value} {standing}")

    def word(self, where, got, wanted):
        self.n += 1
        if got != wanted:
            self.faults.append(f"{where}: {got}, by stat {wanted}")

    def table(self, table, truth, unit):
        """Headings, which tasks there are, their order, and each cell."""
        slots = list(table.slots.values())
        self.word("columns that are compared with nothing", table.strange, [])
        for slot in slots:
            of_event = truth.units[slot]
            wanted = of_event + (unit if unit != "count" or not of_event else "")
            got = table.units.get(slot, "")
            self.word(f"unit of slot {slot}", got, wanted[:len(got) - 1] + "…" if got[-1:] == "…" else wanted)
        self.seen |= {truth.events[slot] for slot in slots}
        found, bars, order = [], [], []
        for words_of_row in table.rows:
            cells, left = table.cells(words_of_row)
            kind, _, cpus = cells.get("ON", "").partition(" ")
            at = kind, cells.get(ROWS[truth.by][0]), cells.get("TASK")
            found.append(at)
            self.word(f"{at}: under no heading", left, [])
            if at in truth.rows:
                self.row(at, cells, truth.rows[at], truth, table, unit)
                self.word(f"{at} ON", cpus, cpu_list(truth.rows[at]["cpus"]))
                bars.append((at, cells.get("bar"), truth.rows[at]))
                value, standing = truth.rows[at]["count"].get(table.selected, (None, ""))
                if unit == "/ki" and value is not None:
                    value = in_unit(truth.rows[at], truth, value, standing, unit)[0]
                if table.is_by_lost:
                    lost = [truth.rows[at]["metric"].get(name, (None, ""))[0] for name in PARTS[1:]]
                    cycles = truth.rows[at]["count"].get(0, (None, ""))[0]
                    value = None if None in (*lost, cycles) else float(f"{sum(lost) * cycles:.3g}")
                if at[2][0] != "[" and value is not None:
                    order.append(value)
        self.word("rows", sorted(found, key=str), sorted(truth.rows, key=str))
        self.word("order", order, sorted(order, reverse=True))
        if any(name in BARS for name, *_ in table.head):
            self.bars(bars)

    def row(self, at, cells, row, truth, table, unit):
        is_task = at[2][0] != "["
        self.cell(f"{at} CPU%", cells.get("CPU%"), 100 * row["ns"] / (SECONDS * 1e9) if is_task else None,
                  "ok" if is_task else "undefined")
        if any(name == HEADLINE for name, *_ in table.head):
            self.cell(f"{at} {HEADLINE}", cells.get(HEADLINE), *row["metric"].get(HEADLINE, (None, "not_counted")))
        for slot in truth.alone & set(table.slots.values()):
            value, standing = row["count"][slot]
            self.cell(f"{at} {truth.events[slot]}", cells.get(slot), *in_unit(row, truth, value, standing, unit))
        if table.selected not in truth.alone:
            return
        value, standing = row["count"][table.selected]
        whole, of_whole = truth.whole[at[0], table.selected]
        if value is not None and whole is not None:
            standing = "scaled" if "scaled" in (standing, of_whole) else "ok"
            counted = truth.counted[at[0], table.selected]
            self.word(f"{at} share of", cells.get("share of"), at[0])
            self.cell(f"{at} share", cells.get("share"),
                      100 * row["counted"][table.selected] / counted if whole else None,
                      standing if whole else "undefined")

    def bars(self, bars):
        """Some width of a bar gives the glyphs of all rows."""
        wanted = []
        for at, cell, row in bars:
            parts = [row["metric"].get(name, (None, ""))[0] for name in PARTS]
            if None in parts:
                self.word(f"{at} bar", cell, None)
            else:
                wanted.append((at, cell, [max(0, part) / 100 for part in parts]))
        self.n += len(wanted)
        wrong = min(([f"{at}: {cell}, by stat {glyphs}" for at, cell, parts in wanted
                      for glyphs in (bar(parts, width),) if glyphs is not None and (cell or "").lstrip("~") != glyphs]
                     for width in range(5, 64)), key=len)
        self.faults += wrong


def in_unit(row, truth, value, standing, unit):
    if value is None or unit == "count":
        return value, standing
    if unit == "/s":
        return value / SECONDS, standing
    slot = next(slot for slot, event in truth.events.items() if event == "INST_ALL")
    instructions, how = row["count"][slot]
    if not instructions:
        return None, "undefined"
    return 1000 * value * truth.scales[slot] / instructions, "scaled" if "scaled" in (standing, how) else "ok"


# ---- driving it ----

def compare(pane, compared, truth, unit):
    """Compare what is drawn until nothing differs: what still does in the end is a fault, and the first one is waited for."""
    end = time.monotonic() + (LIMIT_S if not compared.faults else 0)
    while True:
        once = Comparison(compared.headings)
        try:
            once.table(Table(pane.screen(), truth, compared.headings), truth, unit)
        except (StopIteration, ValueError) as fault:
            once.faults.append(f"no table: {fault}")
        if not once.faults or time.monotonic() > end:
            break
        time.sleep(.05)
    compared.add(once)


def is_selected(pane, event, headings):
    mark = re.search(r"▸(\S+?)[▾▴◂]", pane.screen())
    return bool(mark) and event in headings.get(mark[1], ())


def open_tasks(pane, sim, words_, path):
    """Live, or the last interval of the session if sets are multiplexed: the turns of a live screen begin at another time.
    @return number of the interval"""
    is_live = "-M" not in words_
    stat = ["stat", *words_, "-I", "100", "--by", "task", "--format", "csv", "-o", path, "--force", "--backend",
            f"sim:clock=virtual,{sim}", "-n"]
    if is_live:
        command = [M1TOP, "--backend", f"sim:clock=virtual,halt=4,{sim}", "-d", str(SECONDS), *words_]
    else:
        run(*stat, "8")
        command = [M1TOP, "replay", path]
    pane.type((shlex.join(command) + "\n").encode())
    pane.wait("halted" if is_live else "the end of ")
    pane.press("Tab" if is_live else "S-Tab")  # from Cores, or from Metrics
    pane.wait(" cost ")
    if not is_live:
        return 8
    pane.wait("halted")
    tick = round(float(re.search(r" t ([\d.]+) s", pane.screen())[1]) / SECONDS)
    run(*stat, str(tick))
    return tick


def walk(pane, headings, width, height, sim, words_):
    compared = Comparison(headings)
    path = os.path.join(pane.folder, "s.csv")
    pane.resize(width, height)
    tick = open_tasks(pane, sim, words_, path)
    for by, (_, key) in ROWS.items():
        if key:
            pane.press(key)
            pane.wait(f"rows are {'threads' if by == 'task' else by + 's'}")
        truth = Truth(path, tick, by)
        compare(pane, compared, truth, "/s")
        for slot, event in truth.events.items() if "-M" not in words_ else ():
            pane.press(str(slot))
            pane.until(lambda wanted=event: is_selected(pane, wanted, headings), f"{event} is not selected")
            compare(pane, compared, truth, "/s")
    for unit, what in UNITS.items() if "-M" not in words_ else ():  # else there are several counts of instructions
        pane.press("r")
        pane.wait(what)
        compare(pane, compared, truth, unit)
    pane.press("q")
    pane.until(lambda: pane.child() is None, "m1top does not end")
    missing = set(truth.events.values()) - compared.seen
    if missing and "-M" not in words_:
        compared.faults.append(f"events that were never shown: {missing}")
    return compared


def main():
    tap, n = Tap(), 0
    if not has_tmux():
        print("1..0 # SKIP no tmux")
        return 0
    with tempfile.TemporaryDirectory(prefix="m1top-tasks-") as folder:
        headings = events_with_units(os.path.join(folder, "events"))
        with Pane(folder) as pane:
            for name, session in SESSIONS.items():
                compared = walk(pane, headings, *session)
                n += compared.n
                tap.test(name, compared.faults[:10])
    print(f"# {n} cells compared")
    print(f"1..{tap.n}")
    return tap.failed


if __name__ == "__main__":
    sys.exit(main())
