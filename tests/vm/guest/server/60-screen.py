"""The screen with Linux's TopdownL1: each type of core has its own figures, and none is for both."""

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
    machine.keys("q")
    machine.wait_for(r"^m1# *$", PATIENCE_S)
