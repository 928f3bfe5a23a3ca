"""The live screen on the serial console, worked by keys: what a user at the machine sees."""
import re

# What runs beside it: a busy loop on core 5, and core 6 away for a while when the file is there.
BESIDE = ("spin 5 & busy=$!; "
          "(while [ ! -e /tmp/unplug ]; do sleep 1; done; cd /sys/devices/system/cpu/cpu6; "
          "echo 0 >online; sleep 5; echo 1 >online) &")


PATIENCE_S = 300  # of this machine, which may be busy: seconds pass slowly in the other then


def row(screen, core):
    """Return the figures of a core's row as words."""
    found = re.search(rf"^.{{0,2}}{core} +(.*)$", screen or "", re.MULTILINE)
    return found[1].split() if found else []


def heading(screen):
    found = re.search(r"^ .*\bIPC .*$", screen or "", re.MULTILINE)
    return found[0] if found else ""


def run(machine, check):
    machine.type(BESIDE)
    machine.type("clear; m1top --budget 100 -d 0.5")
    # a core whose reading comes too late for a frame has an empty row in it: wait for all at once
    screen = machine.wait_for("(?s)" + ".*".join(rf"cpu{i} +[0-9]" for i in range(8)), PATIENCE_S) or ""
    check("eight cores in two clusters",
          all(row(screen, f"cpu{i}") for i in range(8)) and "E cl0" in screen and "P cl1" in screen)
    check("the machine's own name and perf, nothing simulated",
          "MacBook Air (M1, 2020)" in screen and "· perf" in screen and "SIMULATED" not in screen)
    screen = machine.wait_for(r"cpu5 .*2\.[45]\d.* 3\.[12]\d*G[ ◆]", PATIENCE_S)
    check("core 5 at 2.5 instructions a cycle and 3.2 GHz", screen is not None)

    machine.keys("5")
    before = heading(machine.wait_for("▸BRANCH", PATIENCE_S))
    machine.keys("]")
    after = heading(machine.wait_for(r"▸(?!BRANCH◂)[A-Z0-9-]+◂", PATIENCE_S))
    check("] puts the next event on counter 5", after and after != before, f"{before}\n{after}")
    machine.keys("u")
    check("u takes it back", machine.wait_for("▸BRANCH", PATIENCE_S) is not None)

    machine.keys("7")
    check("7 selects counter 7", machine.wait_for("PMC7 +[A-Z]", PATIENCE_S) is not None)
    machine.keys("e")
    machine.wait_for("PMC7: event", PATIENCE_S)
    machine.keys("-l", "INST_INT_ST")
    machine.wait_for("▸ INST_INT_ST +0x96", PATIENCE_S)
    machine.keys("Enter")
    screen = machine.wait_for(r"cpu5 .* 469M", PATIENCE_S)
    check("an event picked by name counts at its own rate (0x96: 469 M/s)", screen is not None)

    machine.keys("q")
    check("q gives the shell back", machine.wait_for(r"^m1# *$", PATIENCE_S) is not None)
    machine.type("touch /tmp/unplug; clear; m1top --budget 100 -d 0.5")
    check("core 6 unplugged is shown off", machine.wait_for(r"cpu6 .*off", PATIENCE_S) is not None)
    check("and is back with figures", machine.wait_for(r"cpu6 +[0-9.]+ ", PATIENCE_S) is not None)
    machine.keys("q")
    check("q leaves a clean terminal", machine.wait_for(r"^m1# *$", PATIENCE_S) is not None)
    machine.type("clear; kill $busy && echo ended")
    check("what ran beside it ends", machine.wait_for(r"^ended", PATIENCE_S) is not None)
