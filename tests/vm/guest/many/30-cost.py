"""The cost on 64 CPUs in system calls and instructions; many-2 writes down what many-64 is compared with."""
import json
import re
import time

from machine import counts

PATIENCE_S = 600  # of this machine, which may be busy
N_TICKS = 50
SCREEN_MAX = 8_000_000  # instructions a second, user and kernel
START_MAX = 1_300_000  # instructions of a further CPU until the first window, user and kernel
MORE = 1.10
MORE_CALLS = .25
SECOND_WAKE_UP = ("others 0", "others 271")  # read and ppoll of the collector: when the first core is there, and the last


def marks(machine, n):
    """Return instructions executed up to each mark, [user, kernel], as soon as there are n of them."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        with open(counts(machine.kernel, machine.boot), encoding="ascii") as file:
            lines = file.readlines()
        if len(lines) >= n:
            return [[int(number) for number in line.split()] for line in lines]
        time.sleep(0.1)
    raise TimeoutError(f"no mark {n}")


def between(marked, first):
    return [after - before for before, after in zip(marked[first], marked[first + 1])]


def measure(machine):
    machine.type("clear; sh /vm/many/cost.sh")
    screen = machine.wait_for(r"^measured", PATIENCE_S) or ""
    marked = marks(machine, 6)
    spans = [between(marked, i) for i in range(5)]
    a_tick = [[(b - a) / N_TICKS for a, b in zip(spans[i], spans[i + 1])] for i in (0, 2)]
    return {"calls": {what: float(n) for what, n in re.findall(r"^calls (\w+ \d+) ([\d.]+)", screen, re.MULTILINE)},
            "start": sum(spans[2]), "half_tick": a_tick[0], "tick": a_tick[1], "idle": sum(spans[4]) / 10}


def compare(few, many, check):
    more = {what: (few["calls"].get(what, 0), n) for what, n in many["calls"].items()
            if n > few["calls"].get(what, 0) + MORE_CALLS + (what in SECOND_WAKE_UP)}
    check("no system call is more frequent than on 2 CPUs", many["calls"] and not more, str(more))
    user = few["tick"][0] / 2, many["tick"][0] / 64
    check(f"a core and tick: {user[1]:.0f} instructions in user mode, {user[0]:.0f} on 2 CPUs", user[1] <= user[0] * MORE)
    further = (many["half_tick"][0] - few["tick"][0]) / 30, (many["tick"][0] - many["half_tick"][0]) / 32
    check(f"each further core and tick: {further[0]:.0f} to 32 CPUs, {further[1]:.0f} to 64", further[1] <= further[0] * MORE)
    check(f"start to the first window: {many['start']} instructions, {few['start']} on 2 CPUs",
          many["start"] - few["start"] <= 62 * START_MAX)


def watch(machine, check, cost):
    """The live screen: cost, the least of three spans as a busy machine only adds to it, and end; then its log."""
    n = len(marks(machine, 6))
    machine.type("clear; (for s in 5 6 6 6; do sleep $s; /vm/many/mark; done) & m1top --budget 100")
    marked = marks(machine, n + 4)
    a_second = min(sum(between(marked, n + i)) for i in range(3)) / 6 - cost["idle"]
    check(f"the live screen: {a_second:.0f} instructions a second", a_second <= SCREEN_MAX)
    machine.keys("q")
    check("q ends it", machine.wait_for(r"^m1# *$", PATIENCE_S) is not None)
    machine.type("clear; (sleep 8; /vm/many/mark) & m1top --budget 100 -o /tmp/screen.csv")
    marks(machine, n + 5)
    machine.keys("q")
    machine.wait_for(r"^m1# *$", PATIENCE_S)
    machine.type("clear; . /vm/many/ticks.sh; disorder /tmp/screen.csv $SERVER; grep -c . /tmp/screen.csv; echo looked at")
    screen = machine.wait_for(r"^looked at", PATIENCE_S) or ""
    check("its ticks, CPUs and windows are complete and in order", re.search(r"\A\s*\d{3,}\s+looked at", screen))


def run(machine, check):
    cost = measure(machine)
    print(f"# {json.dumps(cost)}")
    small = counts(machine.kernel, "many-2") + ".json"
    if machine.boot == "many-2":
        with open(small, "w", encoding="ascii") as file:
            json.dump(cost, file)
    else:
        with open(small, encoding="ascii") as file:
            compare(json.load(file), cost, check)
        watch(machine, check, cost)
