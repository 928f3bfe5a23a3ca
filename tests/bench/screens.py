"""Rows of the table: what the live screen costs and how soon it answers, beside htop and btop."""
import contextlib
import os
import re
import subprocess
import tempfile
import time

from figures import M1TOP, Missing, against, answers, mib, ms, need, pct, usual
from terminal import Terminal, shares

# ↓ and ↑. Who uses curses has the terminal send the first ones
ARROWS, ARROWS_OF_BTOP = (b"\033OB", b"\033OA"), (b"\033[B", b"\033[A")
N_KEYS = 24
VIEWS = ["Cores", "Tasks", "Metrics", "Graph", "Heat", "Events"]


def simulated(n_cores, interval_ms, *more):
    return [M1TOP, "--backend", f"sim:cores={n_cores}", "-I", str(interval_ms), "--budget", "100", *more]


@contextlib.contextmanager
def beside(command, interval_ms):
    """m1top, htop and btop at one interval, each in a terminal of its own."""
    need("htop")
    need("btop")
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "btop"))
        with open(os.path.join(folder, "btop", "btop.conf"), "w", encoding="ascii") as file:
            file.write(f"update_ms = {interval_ms}\n")
        with Terminal(command, XDG_CONFIG_HOME=folder) as ours, \
                Terminal(["htop", "-d", str(interval_ms // 100)], XDG_CONFIG_HOME=folder) as htop, \
                Terminal(["btop"], XDG_CONFIG_HOME=folder) as btop:
            time.sleep(3)
            yield ours, [(htop, f"htop, {os.cpu_count()} CPUs"), (btop, f"btop, {os.cpu_count()} CPUs")]


def compare_cpu(ours, peers):
    """@return its cells: our share and theirs, in pieces of 4 s"""
    share, *theirs = shares([ours.cpu, *(peer.cpu for peer, _ in peers)], 4, 5)
    return usual(pct, share), against(pct, share, {name: it for (_, name), it in zip(peers, theirs)})


def answers_s(terminal):
    """How soon ↓ and ↑ are answered, between the pictures of every second."""
    arrows = ARROWS_OF_BTOP if terminal.command == ["btop"] else ARROWS
    times = []
    while len(times) < N_KEYS:
        terminal.settle()
        for key in 2 * arrows:
            time.sleep(.1)
            times.append(terminal.answer_s(key))
    return times


class Tmux:
    """A terminal that knows what stands on it, for programs that are started in it."""

    def __init__(self, size):
        need("tmux")
        self.columns, self.rows = size.split("x")
        # a server of its own: that of the row before may still be ending
        self.program = ["tmux", "-L", f"m1top-bench-{os.getpid()}-{size}", "-f", "/dev/null"]
        self.run("new-session", "-d", "sleep 600")

    def run(self, *words):
        return subprocess.run([*self.program, *words], stdout=subprocess.PIPE, text=True, check=True).stdout

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.run("kill-server")

    def first_s(self, command, figure):
        """Seconds from the start of a command to a screen with a figure: a regular expression"""
        start, shown = time.monotonic(), None
        self.run("new-session", "-d", "-s", "first", "-x", self.columns, "-y", self.rows, command)
        while not shown and time.monotonic() < start + 10:
            shown = re.search(figure, self.run("capture-pane", "-p", "-t", "first"))
        passed = time.monotonic() - start
        self.run("kill-session", "-t", "first")
        if not shown:
            raise Missing(f"{command} showed no figure")
        return passed


# Command, and a figure of a CPU on its screen. What btop begins with is the mean since boot
FIRST = {
    "m1top": (M1TOP, r"cpu0 +[~\d]"),
    "htop": ("htop", r"\d%\]"),
    "btop": ("btop", r"CPU .*\d%"),
}


def row_first(size):
    """start to the first figures at {} (9 runs)"""
    need("htop")
    need("btop")
    with Tmux(size) as tmux:
        times = {name: [tmux.first_s(*it) for _ in range(9)] for name, it in FIRST.items()}
    ours = times.pop("m1top")
    yield "", usual(ms, ours), against(ms, ours, times), "200 ms"


def row_own():
    """live screen of this machine at 1 Hz: share of a CPU"""
    with beside([M1TOP, "-d", "1"], 1000) as (ours, peers):
        yield "", *compare_cpu(ours, peers), "0.3 ×"


def row_slow(n_cores):
    """{} simulated cores × 10 counters at 1 Hz"""
    with beside(simulated(n_cores, 1000), 1000) as (ours, peers):
        yield ": share of a CPU", *compare_cpu(ours, peers), "0.2 ×" if n_cores == 8 else ""
        theirs = ", ".join(f"{name} {answers(answers_s(peer))}" for peer, name in peers)
        yield ": key ↓ or ↑ to changed cells", answers(answers_s(ours)), theirs, "50 ms"


def row_all():
    """every event (-P all) of 8 simulated cores at 1 Hz"""
    with Terminal(simulated(8, 1000, "-P", "all")) as ours, \
            Terminal(simulated(8, 1000, "-P", "overview")) as peer:
        time.sleep(3)
        for what in "", " in Events":
            share, theirs = shares([ours.cpu, peer.cpu], 4, 5)
            yield f": share of a CPU{what}", usual(pct, share), against(pct, share, {"preset overview": theirs}), ""
            for terminal in ours, peer:
                terminal.key(b"\t" * VIEWS.index("Events"))
        memory = [ours.memory_mib()]
        yield ": memory", usual(mib, memory), against(mib, memory, {"preset overview": [peer.memory_mib()]}), ""


def row_fast(n_cores):
    """{} simulated cores × 10 counters at 10 Hz"""
    start = time.monotonic()
    with beside(simulated(n_cores, 100), 100) as (ours, peers):
        yield ": share of a CPU", *compare_cpu(ours, peers), "2.5 %" if n_cores == 1024 else ""
        drawing, = shares([ours.cpu_of_main], 2, 5)
        yield ": CPU of taking in and drawing a frame", usual(ms, [it / 10 for it in drawing]), "", ""
        time.sleep(max(0, start + 60 - time.monotonic()))  # the history is full
        theirs = {name: [peer.memory_mib()] for peer, name in peers}
        memory = [ours.memory_mib()]
        yield ": memory after a minute", usual(mib, memory), against(mib, memory, theirs), "64 MiB"


def row_1ms(n_cores):
    """{} simulated cores × 10 counters at 1 ms: key r to changed cells"""
    with Terminal(simulated(n_cores, 1)) as ours:
        time.sleep(3)
        times = []
        for i in range(3 * N_KEYS):
            if i % 3 == 1:  # from raw counts to those per 1000 instructions, which have this unit
                times.append(ours.answer_s(b"r", b"/ki", 10))
            else:
                ours.key(b"r")
            time.sleep(.15)
        yield "", answers(times), "", "50 ms"


def row_views():
    """128 simulated cores at 10 Hz: CPU of taking in and drawing a frame"""
    with Terminal(simulated(128, 100)) as ours:
        time.sleep(3)
        for view in VIEWS:
            drawing, = shares([ours.cpu_of_main], 2, 3)
            yield f" in {view}", usual(ms, [it / 10 for it in drawing]), "", ""
            ours.key(b"\t")


def row_log(name):
    """log {} of 10 000 rows a second: share of a CPU of its thread"""
    with tempfile.TemporaryDirectory() as folder:
        with Terminal(simulated(100, 100, "-o", os.path.join(folder, name))) as ours:
            time.sleep(2)
            so_far = [(time.monotonic(), ours.cpu_of_threads())]
            for _ in range(5):
                time.sleep(2)
                so_far.append((time.monotonic(), ours.cpu_of_threads()))
            ours.key(b"l")
            time.sleep(1)
            ended = set(so_far[0][1]) - set(ours.threads())
        if len(ended) != 1:
            raise Missing(f"l ended {len(ended)} threads")
        thread = ended.pop()
        used = [(b[thread] - a[thread]) / (then - now)
                for (now, a), (then, b) in zip(so_far, so_far[1:])]
        yield "", usual(pct, used), "", "0.7 %" if name.endswith(".zst") else "0.5 %"


# Name of the row, its function, and what it is told one after the other
ROWS = {
    "first": (row_first, ("80x24", "160x45")),
    "screen": (row_own, ()),
    "1Hz": (row_slow, (8, 1024)),
    "all": (row_all, ()),
    "10Hz": (row_fast, (8, 128, 1024)),
    "1ms": (row_1ms, (8, 1024)),
    "views": (row_views, ()),
    "log": (row_log, ("x.csv", "x.csv.zst")),
}
