"""The live screen on the serial console, worked by keys: what a user at the machine sees."""
import re


def run(machine, check):
    machine.type("taskset -c 5 sh -c 'while :; do :; done' & clear; m1top --budget 100 -d 0.5")
    screen = machine.wait_for(r"cpu7", 30)
    check("the screen comes up with eight cores", screen is not None)
    print("\n".join("# " + l for l in (screen or machine.screen()).splitlines()))
