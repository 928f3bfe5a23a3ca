"""The Tasks view says why the module's counts have no tasks, and the Cores view goes on."""

PATIENCE_S = 300  # of this machine, which may be busy


def run(machine, check):
    machine.type("clear; m1top --budget 100 -d 0.5 -e cycles,instructions")
    check("the screen comes", machine.wait_for(r"cpu5 +[0-9]", PATIENCE_S) is not None)
    machine.keys("T")
    screen = machine.wait_for(r"(?s)PID.*the backend apple cannot tell tasks apart: it does not learn", PATIENCE_S)
    check("T says why there are no tasks", screen is not None)
    machine.keys("BTab")
    check("the cores count as before", machine.wait_for(r"cpu5 +[0-9]", PATIENCE_S) is not None)
    machine.keys("q")
    machine.wait_for(r"^m1# *$", PATIENCE_S)
