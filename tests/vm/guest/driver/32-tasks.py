"""Whose cycles they are, on the kernel's own Apple driver: the Tasks view; 33-tasks.sh looks at what it logs."""

PATIENCE_S = 300  # of this machine, which may be busy: seconds pass slowly in the other then

# Three that are busy for different parts of the time on one P core, and one that goes to and fro between E and P.
BESIDE = ("duty 5 30 100 & duty 5 20 100 & duty 5 10 70 & spin 1 & moving=$!; "
          "while sleep 0.3; do taskset -p 40 $moving; sleep 0.3; taskset -p 2 $moving; done >/dev/null 2>&1 &")


def run(machine, check):
    machine.type(BESIDE)
    machine.type("clear; m1top --budget 100 -d 0.5 -e cycles,instructions -o /tmp/tasks.csv")
    check("the screen comes", machine.wait_for(r"cpu5 +[0-9]", PATIENCE_S) is not None)
    machine.keys("Tab")
    screen = machine.wait_for(r"(?s)PID.*duty[ \d]* [0-9.]+ P 5", PATIENCE_S)
    check("the Tasks view names what runs, and where", screen is not None)
    machine.wait_for(r"not in 20 seconds", 20)
    machine.keys("q")
    check("what it counted is in the log", machine.wait_for(r"wrote /tmp/tasks.csv", PATIENCE_S) is not None)
    machine.type("clear; kill $(pidof duty spin); echo ended")
    machine.wait_for(r"^ended", PATIENCE_S)
