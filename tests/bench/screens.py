"""Rows of the table: what the live screen costs and how soon it answers, beside htop and btop."""
import contextlib
import os
import tempfile

from figures import M1TOP, Missing, mib, ms, need, pct, ratio, spread
from terminal import Terminal, shares, show

DOWN = b"\033[B"
N_KEYS = 60
VIEWS = ["Cores", "Metrics", "Graph", "Heat", "Events"]


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
            show([ours, htop, btop], 3)
            yield ours, [(htop, f"htop, {os.cpu_count()} CPUs"), (btop, f"btop, {os.cpu_count()} CPUs")]


def compare(figure, ours, theirs, goal=""):
    """A line for each peer. @theirs  (its name, its figure)"""
    for name, value in theirs:
        yield figure(ours), name, figure(value), ratio(ours, value), goal


def compare_cpu(ours, peers, seconds, goal):
    share, *theirs = shares([ours, *(peer for peer, _ in peers)], seconds)
    yield from compare(pct, share, [(name, its) for (_, name), its in zip(peers, theirs)], goal)


def answers_s(terminal, key=DOWN):
    """How soon a key is answered, between the pictures of every second."""
    times = []
    while len(times) < N_KEYS:
        terminal.settle()
        for _ in range(5):
            times.append(terminal.answer_s(key))
            show([terminal], .1)
    return times


def row_own():
    """live screen of this machine at 1 Hz, share of a CPU"""
    with beside([M1TOP, "-d", "1"], 1000) as (ours, peers):
        yield from compare_cpu(ours, peers, 20, "0.5 ×")


def row_cpu(n_cores):
    """screen of {} simulated cores × 10 counters: share of a CPU at 1 Hz, then at 10 Hz"""
    for interval_ms, seconds, goal in ((1000, 20, "0.5 ×" if n_cores == 8 else ""), (100, 10, "")):
        with beside(simulated(n_cores, interval_ms), interval_ms) as (ours, peers):
            yield from compare_cpu(ours, peers, seconds, goal)


def row_memory(n_cores):
    """screen of {} simulated cores at 10 Hz: memory after 10 s"""
    with beside(simulated(n_cores, 100), 100) as (ours, peers):
        show([ours, *(peer for peer, _ in peers)], 7)
        yield from compare(mib, ours.memory_mib(), [(name, peer.memory_mib()) for peer, name in peers],
                           "64 MiB")


def row_frame(n_cores):
    """screen of {} simulated cores: CPU of taking a frame in and drawing it; of the peer all, a picture"""
    with beside(simulated(n_cores, 100), 100) as (ours, peers):
        everyone = [ours, *(peer for peer, _ in peers)]
        main, others = ours.cpu_of_main(), [peer.cpu() for peer, _ in peers]
        n_frames = show(everyone, 10) * 10
        yield from compare(ms, (ours.cpu_of_main() - main) / n_frames,
                           [(name, (peer.cpu() - used) / n_frames)
                            for (peer, name), used in zip(peers, others)])


def row_key(n_cores):
    """{} simulated cores at 1 Hz: key ↓ to changed cells, median / 95th percentile / longest of 60"""
    with beside(simulated(n_cores, 1000), 1000) as (ours, peers):
        times = answers_s(ours)
        for peer, name in peers:
            yield spread(times), name, spread(answers_s(peer)), "", "50 ms"


def row_key_1ms(n_cores):
    """{} simulated cores at 1 ms: key r to changed cells, likewise"""
    with Terminal(simulated(n_cores, 1)) as ours:
        show([ours], 3)
        times = []
        for i in range(3 * N_KEYS):
            if i % 3 == 1:  # from raw counts to those per 1000 instructions, which have this unit
                times.append(ours.answer_s(b"r", b"/ki", 10))
            else:
                ours.key(b"r")
            show([ours], .15)
        yield spread(times), "", "", "", "50 ms"


def row_views():
    """128 simulated cores at 10 Hz, CPU of the thread that draws, by view"""
    with Terminal(simulated(128, 100)) as ours:
        show([ours], 3)
        for view in VIEWS:
            before = ours.cpu_of_main()
            passed = show([ours], 5)
            yield f"{view} {pct((ours.cpu_of_main() - before) / passed)}", "", "", "", ""
            ours.key(b"\t")


def row_log(name):
    """log {} of 10 000 rows a second, share of a CPU of its thread"""
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, name)
        with Terminal(simulated(100, 100, "-o", log)) as ours:
            show([ours], 2)
            before = ours.cpu_of_threads()
            passed = show([ours], 10)
            after = ours.cpu_of_threads()
            ours.key(b"l")
            show([ours], 1)
            ended = set(after) - set(ours.threads())
        if len(ended) != 1:
            raise Missing(f"l ended {len(ended)} threads")
        thread = ended.pop()
        yield f"{pct((after[thread] - before[thread]) / passed)}", "", "", "", "1 %"


SIZES = (8, 128, 1024)
# Name of the row, its function, and what it is told one after the other
ROWS = {
    "screen": (row_own, ()),
    "cpu": (row_cpu, SIZES),
    "frame": (row_frame, SIZES),
    "memory": (row_memory, SIZES),
    "key": (row_key, SIZES),
    "key-1ms": (row_key_1ms, SIZES),
    "views": (row_views, ()),
    "log": (row_log, ("x.csv", "x.csv.zst")),
}
