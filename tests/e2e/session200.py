#!/usr/bin/env python3
"""session200.py: one long session in a terminal: every key that Help lists, in every view. TAP.

SESSION is what is done, a row a step: keys, text, mouse, sizes of the terminal, and what must be on
the screen then. A key that Help lists and no step presses, or a view without steps, fails. At the
end stand the right events on the counters, what was written can be read, and the terminal is as it
was; the sanitized program (SAN=address) looks for leaks by itself when it ends.
"""
import collections
import glob
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

from serving import M1TOP, ROOT, Tap

sys.path.insert(0, os.path.join(ROOT, "tests", "screens"))
from pane import PROMPT, Pane, has_tmux  # noqa: E402

# With few records of switches all memory for them is used early.
COMMAND = (f"clear; {shlex.quote(M1TOP)} --backend sim:seed=7,clock=virtual,records=512,functions=5 -d 0.05 --budget 100 --config kept.json "
           "--theme colour-blind --history 1M; echo it ended with $?")
ACTIONS = 200
HEIGHT_MIN = 10  # of a picture
EARLY = 190  # actions, those of Tasks and Hot among them; what the process has is compared with the end
# The past may fill up meanwhile, its sets of every event are large, and the C library keeps a little of what was released.
GROWTH_MAX = (1 << 20) + (2 << 20) + (1 << 20)
# Headings of Help under which stand no keys.
NO_KEYS = {"Marks", "Mouse", "Views", "Settings, in the configuration and most in F2", "Words of other tools", "History"}
LISTS = "Lists of events: to choose from, and the Events view"  # as Help calls them

Step = collections.namedtuple("Step", "do what see where")


def keys(what, see=None):
    """Press keys by the names that Help has."""
    return Step("keys", what, see, None)


def lists(what, see=None):
    """Likewise in a list or a prompt, which the keys of the table do not reach."""
    return Step("keys", what, see, LISTS)


def text(what, see=None):
    return Step("text", what, see, None)


def click(what, see=None):
    """Click on a text."""
    return Step("click", what, see, None)


def wheel(what, see=None):
    """Turn the wheel over a text: up or down."""
    return Step("wheel", what, see, None)


def raw(what, see=None):
    """Bytes, whatever they are."""
    return Step("raw", what, see, None)


def size(what, see=None):
    return Step("size", what, see, None)


def other(what, see=None):
    return Step(what, what, see, None)


# By views, in the order of their tabs.
SESSION = [
    ("Cores", [
        other("start"), keys("F10", "it ended with 0"),
        other("start"), keys("Ctrl-C", "it ended with 0"),
        other("start"), size("300 100", "functions by"), size("120 40", "by core"),
        keys("0", "PMC0"), keys("1", "PMC1"), keys("2", "PMC2  MAP_STALL"), keys("3"), keys("4"),
        keys("6"), keys("7"), keys("8"), keys("9", "PMC9  L2_TLB"),
        keys("S-←", "PMC8"), keys("S-→", "PMC9"),
        keys("b", "counting preset"), keys("u", "undone"), keys("B", "cells show the change"), keys("B", "figures again"),
        keys("5", "PMC5  INST_BRANCH"), keys("]", "PMC5 counts INST_BRANCH_CALL"),
        keys("["), keys("["),
        keys("x", "PMC5 is free"), keys("u", "undone"),
        keys("e", "PMC5: event"), text("cond_mispred", "2 of 93"), lists("Tab", "PMC6: event"),
        lists("Tab Tab", "PMC5: event"), lists("Ctrl-R", "preview off"), lists("Ctrl-R"),
        lists("Enter", "PMC5 counts BRANCH_COND_MISPRED"),
        keys("7 Enter", "PMC7: event"), lists("↓ ↑ PgDn PgUp"), text("no such event", "0 of 93"),
        raw(b"\xff\xc3\x28\x00quit\xf0\x9f\x92\x01\x02\x1b", "cpu7"),  # at once: Esc is no part of a character
        keys("j k ↓ ↑ PgDn PgUp G g"),
        keys("t", "by cluster"), keys("t", "by type"), keys("t", "by system"), keys("t", "by core"),
        keys("r", "count"), keys("r", "per 1000 instructions"), keys("r", "figures are rate"),
        keys("z", "start from zero"),
        keys(">", "sorted by UTIL"), keys("> o", "the smallest first"), keys("< <", "machine's order"),
        keys("f F F", "clusters are"), keys("F"), keys("c", "more than one thread"), keys("Esc"),
        keys("/", "search"), text("cpu6"), lists("Enter"), keys("n N"),
        keys("s s", "sorted by"), keys("Esc", "machine's order"),
        keys("\\", "filter"), text("0-3"), lists("Enter", "4 of 8 cores"), keys("Esc", "all rows again"),
        keys("F4", "filter"), text("cluster 1"), lists("Esc"),
        keys("l", "logging to"), keys("( )"), keys("F2", "Settings"), lists("Esc"), keys("X", "Excursions"), lists("Esc"),
        keys("C", "Columns of Cores and Tasks"), lists("↓ Tab", "·"), lists("Esc"),
        click("cpu3"), click("IPC", "sorted by IPC"), click("IPC"), wheel("down cpu4"), wheel("up cpu4"),
        click("MISP-CON", "sorted by"), keys("<"), keys("> >"),
        size("80 24", "cpu0"), size("40 10", "cpu6"), size("1 1"), keys("j 6 k"), size("39 9", "too small"),
        size("300 100", "fits"), size("120 40", "by core"),
        keys("K", "counting only kernel"), keys("U", "counting only user"), keys("U", "counting user+kernel"),
        keys("Y", "YIELDED"), keys("Y", "counting again"),
        keys("m", "note"), text("in the middle é"), lists("Enter", "marked"),
        other("suspend", "SIMULATED"), other("attach", "cpu0"),
        keys("Ctrl-L", "cpu0"),
    ]),
    ("Tasks", [
        keys("Tab", "switches/s cost"), keys("t", "rows are threads"), keys("t t", "rows are processes"), keys("f", "only cgroups fold"),
        keys("6 s", "the smallest first"), keys("o", "the largest first"), keys("< >", "sorted by"),
        keys("\\", "filter"), text("ffmpeg"), lists("Enter", "Esc shows all"), keys("Esc", "all tasks again"),
        keys("F4"), lists("Esc"), keys("F3", "search"), lists("Esc"), keys("j F", "following"), keys("F", "following nobody"),
        keys("/", "search"), text("ffmpeg"), lists("Enter"), keys("a", "in the Graph view"),
        keys("T", "whatever it costs"), keys("T", "only in this view"),
        keys("S-Tab j T", " ran on "), keys("Esc", "of all cores again"), keys("Enter", "last 60 s"),
    ]),
    ("Task", [
        keys("c n F9", "no process to act on"), keys("F", "following"), keys("F"), keys("Esc", "share"),
    ]),
    ("Hot", [
        keys("H", "100 %"), keys("j a", "ADDRESS"), keys("Esc", "FUNCTION"),
        keys("Enter", "compress_file"), keys("j Right", "main"), keys("Left Left Left"), keys("c", "begin with"), keys("c", "with samples"),
        keys("F", "widths are shares"), keys("Down Enter Esc Esc", "RANK"), keys("w", "write folded stacks"), text("stacks.folded"), lists("Enter", "wrote"), keys("> > >", "by FUNCTION"),
        keys("s", "by SHARE, the largest"), keys("o", "the smallest"), keys("<"), keys("\\", "filter"), text("hash"),
        lists("Enter", "Esc shows all"), keys("Esc", "compress_block"), keys("F4"), lists("Esc"),
        keys("7 8", "PMC8"), keys("/", "search"), text("copy"), lists("Enter"), keys("← End", "live again"),
        keys("H", "share"), keys("H", "100 %"), keys("Esc", "share"),
    ]),
    ("Metrics", [
        keys("Tab", "branch mpki"), keys("j ↓ S-→ S-←"), click("bubble share"), wheel("down CPI"),
        keys("a", "in the Graph view"), keys("( ) > <", "machine's order"), keys("s", "sorted by"),
        keys("<", "machine's order"), keys("S S S"), keys("k ↑ ↑ ↑ ↑"), keys("Enter", "Metrics ─"), lists("Esc"), keys("Esc"),
        keys("M", "Metrics ─"), text("branch_share"), lists("Tab S-Tab Tab"),
        lists("Enter", "counting"), keys("u", "undone"),
        keys("P", "Presets"), text("branch"), lists("Tab Tab"), lists("Enter", "counting preset"),
        keys("u", "undone"), keys("R", "next in"), keys("R", "rotation stopped"), keys("u", "undone"),
    ]),
    ("Graph", [
        keys("Tab", "visible"), keys("+ - - -"), keys("] ["), keys("0 1 2 3 4 5 6 7 8 9"), keys("> <"),
        keys("a j k ↓ ↑ a x"), keys("y"), keys("y"), keys("y"), keys("b b"),
        size("100 20"), size("120 40"),
    ]),
    ("Heat", [
        keys("Tab", "E cl: 0"), keys("+ -"), keys("] ["), keys("0 1 2 3 4 5 6 7 8 9"),
        keys("a", "in the Graph view"), keys("x", "removed from the graph"), keys("x", "not in the graph"),
        keys("e", "PMC9: event"), lists("Esc", "E cl: 0"),
        keys("y"), keys("y"), click("cpu5"),
        keys("Space", "FROZEN"), keys("Space", "live again"),
        keys("←", "kept"), keys("← → , . { }"), keys("Home", "kept"), keys("; End", "live again"),
    ]),
    ("Events", [
        keys("Tab", "what it counts"), keys("t t"), keys("/", "search"), text("crypto"), lists("Esc"),
        keys("/"), text("call", " of 1"), lists("Enter"), keys("Esc"), keys("9"), keys("/"),
        text("l1d_tlb_miss"), lists("Enter"), keys("Enter", "PMC9 counts"), wheel("up presets"),
        keys("A", "counting every event"), keys("< > s o"), keys("( )"), keys("A", "was counted before"),
    ]),
    ("Uncore", [
        keys("Tab", "Messages, the newest first"), click("Uncore", "no device"), keys("j k"), keys("e", "no devices with counters"), keys("Enter x", "select the column"), raw(b"\033[M \x21\x21\033[<0;9999;9999M\033[<5;;M"),
    ]),
    ("Messages", [
        keys("E", "Messages, the newest first"), keys("j k g G PgDn PgUp"),
        raw(b"\xff\xfe\x80\x00\x7f\x01ABDHIJ\x1bOQ$%&~`'\xe2\x82"), raw(b"\x1b[<"), raw(b"M"),
        keys("Esc", "no device"), click("Cores", "cpu0"), keys("E E", "cpu0"),
    ]),
    ("Help", [
        keys("?", "Help   Esc"), keys("j PgDn"), keys("?", "cpu0"),
        keys("h", "Help   Esc"), keys("F1", "cpu0"),
        keys("S-Tab", "Help   Esc"), keys("Esc", "cpu0"),
    ]),
    ("Cores", [
        click("Events", "what it counts"), click("Cores", "cpu0"),
        keys("d", "interval"), text("soon"), lists("Enter", "is not an interval"),
        keys("d"), text("20ms"), lists("Enter", "every 20 ms"), keys("+", "every 50 ms"),
        keys("-", "every 20 ms"),
        keys("w", "write history to"), lists("Ctrl-U"), text("past.csv", "past.csv"),
        lists("Enter", "frames"),
        keys("l", "wrote ./m1top"), keys("l", "logging to"), other("tick"), keys("l", "wrote ./m1top"),
        keys("m", "start it with l"),
        keys("> r t"), keys("W", "written to kept.json"), keys("q", "it ended with 0"),
    ]),
]

# What W has written: what the screen was in the end.
KEPT = {
    "interval": 0.02,
    "by": "cluster",
    "view": "cores",
    "figures": "count",
    "sort": "Utilisation",
    "rotate": ["branch", "branch-ret"],
    "events": ["PMC0=CORE_ACTIVE_CYCLE", "PMC1=INST_ALL", "PMC2=MAP_STALL", "PMC3=MAP_DISPATCH_BUBBLE",
               "PMC4=MAP_REWIND", "PMC5=BRANCH_COND_MISPRED_NONSPEC", "PMC6=BRANCH_MISPRED_NONSPEC",
               "PMC7=RETIRE_UOP", "PMC8=L1D_CACHE_MISS_LD", "PMC9=L1D_TLB_MISS"],
    "columns": ["-bar", *"0123456789"],
    "recent": ["L1D_TLB_MISS", "BRANCH_COND_MISPRED_NONSPEC"],
    "theme": "colour-blind",
    "budget": 100,
    "history": "1M",
}
LOGS = 2  # as often was it started
MARK = '"in the middle é"'


class Session:
    def __init__(self, pane):
        self.pane = pane
        self.n = 0
        self.early = None
        self.late = None

    def has(self):
        """What could grow: descriptors, threads, memory."""
        place = f"/proc/{self.pane.child()}/"
        with open(place + "status", encoding="ascii", errors="replace") as file:
            status = dict(re.findall(r"^(\w+):\s+(\d+)", file.read(), re.MULTILINE))
        # without a file that is just being read
        n_open = min(len(os.listdir(place + "fd")) for _ in range(10))
        return n_open, int(status["Threads"]), int(status["VmRSS"]) * 1024

    def count(self, n):
        if self.n < EARLY <= self.n + n:
            self.early = self.has()
        self.n += n

    def do(self, step):
        pane, words = self.pane, step.what
        if step.do == "keys":
            for key in words.split():
                if key == "q":
                    self.late = self.has()
                pane.press(key)
            if key == "Esc":
                pane.escape_ends()
            return len(words.split())
        if step.do == "text":
            pane.type(words.encode())
        elif step.do == "raw":
            pane.type(words)
        elif step.do == "click":
            pane.mouse(0, *pane.find(words))
        elif step.do == "wheel":
            way, at = words.split(" ", 1)
            pane.mouse(64 if way == "up" else 65, *pane.find(at))
        elif step.do == "size":
            resize(pane, *map(int, words.split()))
        else:
            DO[step.do](pane)
        return 1

    def play(self, view, step):
        self.count(self.do(step))
        try:
            if step.see:
                self.pane.wait(step.see)
            else:
                self.pane.until(self.pane.taken, "keys are not read")
        except AssertionError as error:
            raise AssertionError(f"in {view}, {step.do} {step.what!r}: {error}") from None


def resize(pane, width, height):
    """Until it is drawn: the status line is the last one, which is blank while the picture is smaller."""
    pane.resize(width, height)
    if height >= HEIGHT_MIN:
        pane.until(lambda: pane.screen().split("\n")[height - 1].strip(), f"not drawn at {width}x{height}")


def start(pane):
    pane.type(COMMAND.encode() + b"\r")
    pane.wait("SIMULATED")


def suspend(pane):
    pane.press("Ctrl-Z")
    pane.wait("Stopped")
    pane.type(b"clear; fg; echo it ended with $?\r")


def tick(pane):
    """Until another frame is shown."""
    before = clock(pane)
    pane.until(lambda: clock(pane) != before, "no frame")


def clock(pane):
    return pane.screen().split("\n", 1)[0].rsplit(" t ", 1)[-1]


DO = {"start": start, "tick": tick, "suspend": suspend, "attach": Pane.attach}


def expand(names):
    """The keys in Help's first column."""
    for name in names.split():
        if re.fullmatch(r"\d-\d", name):
            yield from map(str, range(int(name[0]), int(name[2]) + 1))
        else:
            yield name


def read_help(pane):
    """What Help lists, {heading: keys}; and the names of the views."""
    pane.resize(300, 330)
    pane.press("?")
    pane.wait("Help   Esc")
    pane.wait("History")  # its last heading: what is drawn in between may be of before
    lines = pane.screen().splitlines()
    pane.press("?")
    pane.resize(120, 40)
    found, heading = {}, None
    for line in lines[4:]:
        if re.match(r" \S", line):
            heading = line.strip()
        elif heading and re.match(r" {3}\S", line):
            found.setdefault(heading, []).extend(expand(line[3:18]))
    return found, re.split(" {3,}", lines[1].strip())[0].split()


def uncovered(listed, views):
    """What the program has and SESSION does not use."""
    pressed = collections.defaultdict(set)
    for view, steps in SESSION:
        for step in steps:
            if step.do == "keys" and step.where:
                pressed[LISTS].update(step.what.split())
            elif step.do == "keys":
                pressed["In " + view].update(step.what.split())
    pressed[LISTS] |= pressed["In Events"]
    anywhere = set().union(*(pressed[place] for place in pressed if place != LISTS))
    for heading, names in listed.items():
        if heading in NO_KEYS:
            continue
        heading = re.sub(r" \(.*", "", heading)
        wanted = set(names) - {"type"}
        for name in sorted(wanted - (pressed[heading] if heading in pressed else anywhere)):
            yield f"no step presses {name}, of {heading}"
    for view in views:
        if view not in dict(SESSION):
            yield f"no step is in the view {view}"
    if not listed or not views:
        yield "Help lists nothing"


def play(folder):
    """The whole session. @return {test: faults}, and the session"""
    faults = {name: [] for name in ("keys", "steps", "terminal")}
    with open(os.path.join(folder, "kept.json"), "w", encoding="utf-8") as file:
        file.write("{}")
    pane = Pane(folder)
    played = Session(pane)
    try:
        before = pane.left_behind()
        start(pane)
        faults["keys"] += uncovered(*read_help(pane))
        pane.press("q")
        pane.wait("it ended with 0")
        for view, steps in SESSION:
            for step in steps:
                played.play(view, step)
        pane.wait(PROMPT)
        if pane.left_behind() != before:
            faults["terminal"].append(f"{pane.left_behind()}, before: {before}")
        if pane.shows("SIMULATED"):
            faults["terminal"].append("the picture is still there")
    except AssertionError as error:
        faults["steps"].append(str(error))
    finally:
        pane.close()
    if played.n < ACTIONS:
        faults["steps"].append(f"{played.n} actions")
    return faults, played


def m1top(*words):
    return subprocess.run([M1TOP, *words], capture_output=True, text=True, check=False)


def rows_of(text):
    return [line for line in text.splitlines() if line and line[0] not in "#t"]


def windows(rows):
    """Of cpu 0, not of its tasks: when each began and ended, in ns. Those of merged frames are the longer."""
    found = {}
    for tick, end_s, cpu, _, _, _, pid, _, _, enabled_ns, _, _, _ in (row.split(",") for row in rows):
        if cpu == "0" and enabled_ns and not pid:
            end_ns = round(float(end_s) * 1e9)
            found[int(tick)] = end_ns - int(enabled_ns), end_ns
    return list(found.values())


def text_of(path):
    if path.endswith(".zst"):
        return subprocess.run(["zstd", "-dc", path], capture_output=True, text=True, check=True).stdout
    with open(path, encoding="utf-8") as file:
        return file.read()


def file_faults(path):
    """A session file: read back it is the same, and each window begins where the one before ended."""
    name = os.path.basename(path)
    text = text_of(path)
    rows = rows_of(text)
    report, back = m1top("report", path), m1top("replay", "--to-stat", "--format", "csv", path)
    for done in (report, back):
        if done.returncode:
            yield f"{name}: {done.stderr.strip()}"
    if rows_of(back.stdout) != rows:
        yield f"{name}: read back it is another"
    found = windows(rows)
    holes = [(a, b) for a, b in zip(found, found[1:]) if a[1] != b[0]]
    # without counters (Y) there is none
    if not found or len(holes) > text.count("(counters yielded)"):
        yield f"{name}: {len(found)} windows, holes {holes}"


def written(folder):
    """What is wrong with the logs and the past that was written."""
    logs = sorted(glob.glob(os.path.join(folder, "m1top-*.csv*")))
    if len(logs) != LOGS:
        yield f"logs: {logs}"
    for path in [*logs, os.path.join(folder, "past.csv")]:
        yield from file_faults(path)
    if logs and MARK not in text_of(logs[0]):
        yield "the marker is missing"


def kept(folder):
    with open(os.path.join(folder, "kept.json"), encoding="utf-8") as file:
        found = json.load(file)
    return [f"{name}: {found.get(name)}, expected {KEPT.get(name)}" for name in {**KEPT, **found}
            if found.get(name) != KEPT.get(name)]


def growth(early, late):
    """(descriptors, threads, memory) early and late in the session"""
    if late[0] > early[0] or late[1] > early[1] or late[2] > early[2] + GROWTH_MAX:
        yield f"descriptors, threads, memory: {early} after {EARLY} actions, {late} at the end"


def main():
    tap = Tap()
    if not has_tmux():
        print("1..0 # SKIP tmux is not installed")
        return 0
    with tempfile.TemporaryDirectory(prefix="m1top-session-") as folder:
        faults, played = play(folder)
        tap.test("every key that Help lists is pressed, in every view", faults["keys"])
        tap.test(f"{played.n} actions, each with its answer on the screen", faults["steps"])
        if not faults["steps"]:
            tap.test("the terminal is as it was", faults["terminal"])
            tap.test("what was chosen is what is kept", kept(folder))
            tap.test("logs and the past are whole and read back the same", written(folder))
            if os.environ.get("SAN"):
                tap.skip("nothing has grown", "sanitized: it holds memory back, and looks for leaks itself")
            else:
                tap.test("nothing has grown", growth(played.early, played.late))
    tap.end()
    return tap.failed


if __name__ == "__main__":
    sys.exit(main())
