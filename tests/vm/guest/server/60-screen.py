"""The screen with Linux's TopdownL1: each type of core has its own figures, and none is for both; a part opens, and those
that divide it add up to it."""

PATIENCE_S = 300  # of this machine, which may be busy: seconds pass slowly in the other then
# By the rates of model/counters.h: 30 % of a P core's slots, and what the events of an E core make.
BOUND = {"server-hybrid": r"tma backend bound +% +[▲!]?3\.[0-9]+ +[▲!]?30\.0",
         "server-intel": r"tma backend bound +% +[▲!]?30\.0"}


def run(machine, check):
    bound = BOUND.get(machine.boot)
    if not bound:
        return
    machine.type("clear; m1top --budget 100 --events-dir /vm/linux-events -M TopdownL1")
    screen = machine.wait_for(bound, PATIENCE_S)
    check("TopdownL1 by types of core", screen is not None)
    for line in (screen or "").splitlines():
        print(f"# {line}".rstrip())
    machine.keys("Enter")
    opened = machine.wait_for(r"TopdownL1 > backend_bound +\S.*: 2 of 2 parts (\S+) of \1( |$)", PATIENCE_S)
    check("a part opens", opened is not None)
    for line in (opened or "").splitlines():
        print(f"# {line}".rstrip())
    machine.keys("/")
    machine.type("tma_memory_bound")
    machine.keys("Enter")
    deeper = machine.wait_for(r"^ +tma l3 bound +%.* ~?[\d.]+(?=(.*\n)*.*counting \d of \d parts of tma_memory_bound)", PATIENCE_S)
    check("and one of these", deeper is not None and "TopdownL1 > backend_bound > memory_bound" in deeper)
    for line in (deeper or "").splitlines():
        print(f"# {line}".rstrip())
    machine.keys("Escape")
    check("it closes", machine.wait_for("tma_memory_bound is closed", PATIENCE_S) is not None)
    machine.keys("Escape")
    check("and the first", machine.wait_for("tma_backend_bound is closed", PATIENCE_S) is not None)
    machine.keys("q")
    machine.wait_for(r"^m1# *$", PATIENCE_S)
