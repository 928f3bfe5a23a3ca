#!/usr/bin/env python3
"""pid_namespaces.py: what m1top counts in PID namespaces and rootless containers, and what it says there. tests/run runs it
when nothing else runs, as thread ids of others' records would be those of its namespaces, or the reverse: see tasks_alone. TAP."""
import cgroups
import surroundings
from serving import tasks_alone


def in_a_rootless_container(tap):
    name = cgroups.in_a_rootless_container.__doc__
    try:
        with tasks_alone():
            why = cgroups.in_a_rootless_container()
    except AssertionError as fault:
        tap.test(name, [str(fault)])
    else:
        tap.skip(name, why) if why else tap.test(name)


if __name__ == "__main__":
    surroundings.main(surroundings.IN_PID_NAMESPACES, surroundings.unseen_tasks, in_a_rootless_container)
