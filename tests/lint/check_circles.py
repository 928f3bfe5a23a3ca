#!/usr/bin/env python3
"""check_circles.py: no large group of units in which each needs all others, by the objects' symbols"""
import os
import subprocess

import source

# As many units as can be read together.
MOST = 6
SHOWN = 5
BUILD = "build/release-werror"  # of check_tools.py
BY_MAKE = ("MAKEFLAGS", "MAKELEVEL", "CC", "SAN")


def objects():
    """Build the library; return {unit: its object}, of the sources that there are today."""
    env = {name: value for name, value in os.environ.items() if name not in BY_MAKE}
    subprocess.run(["make", "-s", "-j2", "CC=gcc", "WERROR=-Werror", f"{BUILD}/libm1top.a"], env=env, check=True,
                   stdout=subprocess.DEVNULL)
    units = [os.path.splitext(name)[0][len("src/"):] for name in source.files("src/*.c", "src/*.S")]
    return {unit: path for unit in units if os.path.exists(path := f"{BUILD}/{unit}.o")}


def symbols(path):
    """What an object defines and what it needs."""
    lines = subprocess.run(["nm", "-gP", path], check=True, capture_output=True, text=True).stdout.splitlines()
    needed = {line.split()[0] for line in lines if line.split()[1] in "Uwv"}
    return {line.split()[0] for line in lines} - needed, needed


def needs(symbols_of):
    """{unit: (defined, needed)} as {unit: units that it needs}."""
    home = {name: unit for unit, (defined, _) in symbols_of.items() for name in defined}
    return {unit: {home[name] for name in needed if name in home} - {unit}
            for unit, (_, needed) in symbols_of.items()}


def reach(graph, start):
    found, todo = set(), [start]
    while todo:
        new = graph[todo.pop()] - found
        found |= new
        todo += new
    return found


def circles(graph):
    """Groups of more than one unit in which each needs all others, the largest first."""
    below = {unit: reach(graph, unit) for unit in graph}
    groups = {frozenset(other for other in below[unit] if unit in below[other]) for unit in graph}
    return sorted((sorted(group) for group in groups if group), key=lambda group: (-len(group), group))


def main():
    tap = source.Tap()
    groups = circles(needs({unit: symbols(path) for unit, path in objects().items()}))
    for group in groups[:SHOWN]:
        print(f"# {len(group)} units need each other: {' '.join(group)}")
    tap.test(f"no more than {MOST} units need each other",
             (f"{len(group)} do: {' '.join(group)}" for group in groups if len(group) > MOST))
    tap.end()


if __name__ == "__main__":
    os.chdir(source.ROOT)
    main()
