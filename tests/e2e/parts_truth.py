#!/usr/bin/env python3
"""parts_truth.py: each top-down part of Linux's files for Alder Lake, Sapphire Rapids and Neoverse N2 against its formula

tests/e2e/parts has what Linux 6.12 says of TopdownL1 to L3: names, groups, formulas. Which part divides which is derived here
from the groups, what each is worth is worked out here from the formula and from random counts; both are compared with m1top's
(build/…/tests/e2e/metric_driver). PARTS=FOLDER takes other event files: Linux's own have all six levels.
"""
import glob
import json
import math
import os
import random
import re
import subprocess
import sys

from expr_random import NAN, logic, operated

HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.environ.get("PARTS", os.path.join(HERE, "parts"))
DRIVER = os.environ.get("METRIC_DRIVER", "build/release/tests/e2e/metric_driver")
LITERALS = {"#smt_on": 1.0, "#has_pmem": 1.0, "#slots": 5.0, "#num_cpus_online": 8.0, "#core_wide": 0.0, "#num_dies": 1.0,
            "#num_packages": 1.0, "#system_tsc_freq": 2e9}
PROFILES = [("Alder Lake", "x86", "alderlake", "GenuineIntel-6-97-2", ["cpu_core", "cpu_atom"]),
            ("Sapphire Rapids", "x86", "sapphirerapids", "GenuineIntel-6-8F-8", ["cpu"]),
            ("Neoverse N2", "arm64", "arm/neoverse-n2-v2", "0x00000000410fd493", ["armv8_pmuv3_0"])]
TOKEN = re.compile(r"\s*(\d*\.?\d+(?:e-?\d+)?(?![\w.:@])|(?:[A-Za-z0-9_.:@?#]|\\.)+|[-+*/%&|^<>(),])")
LEVELS = [["|"], ["^"], ["&"], ["<", ">"], ["+", "-"], ["*", "/", "%"]]


class Formula:
    """An expression of perf's, worked out while it is read."""

    def __init__(self, text, cpuid, value_of):
        self.tokens, self.cpuid, self.value_of = TOKEN.findall(text), cpuid, value_of
        if "".join(self.tokens) != re.sub(r"\s", "", text):
            raise ValueError(text)

    def next(self, *wanted):
        if self.tokens and (not wanted or self.tokens[0] in wanted):
            return self.tokens.pop(0)
        return None

    def whole(self):
        value = self.choice()
        assert not self.tokens, self.tokens
        return value

    def choice(self):
        value = self.binary(0)
        if not self.next("if"):
            return value
        condition = self.binary(0)
        assert self.next("else")
        other = self.choice()
        return NAN if math.isnan(condition) else value if condition else other

    def binary(self, level):
        if level == len(LEVELS):
            return self.atom()
        value = self.binary(level + 1)
        while sign := self.next(*LEVELS[level]):
            other = self.binary(level + 1)
            value = logic(sign, value, other) if sign in "&|^" else operated(sign, value, other)
        return value

    def call(self, name):
        start = self.tokens.pop(0)
        assert start == "(", start
        if name == "strcmp_cpuid_str":
            value = self.is_cpu(self.next())
        else:
            first = self.choice()
            assert self.next(",")
            value = operated(name, first, self.choice())
        assert self.next(")")
        return value

    def is_cpu(self, text):
        """Of Arm: the same part, variant and revision not below"""
        mine, other, release = int(self.cpuid, 0), int(text, 0), 0xf0000f
        return float(mine & ~0xf0000f == other & ~release and (mine >> 20 & 15, mine & 15) >= (other >> 20 & 15, other & 15))

    def atom(self):
        token = self.next()
        if token == "-":
            return -self.atom()
        if token == "(":
            value = self.choice()
            assert self.next(")")
            return value
        if token in ("min", "max", "d_ratio", "strcmp_cpuid_str"):
            return self.call(token)
        if token[0] == "#":
            return LITERALS[token.lower()]
        if re.fullmatch(r"\d*\.?\d+(e-?\d+)?", token):
            return float(token)
        return self.value_of(re.sub(r"\\(.)", r"\1", token.replace("@", "/")))


class Profile:
    def __init__(self, arch, folder, cpuid, pmus):
        self.arch, self.cpuid, self.pmus, self.counts = arch, cpuid, pmus, {}
        self.rows = []
        standard = {row["MetricName"]: row for row in self.read(arch) if "MetricName" in row}
        for row in self.read(f"{arch}/{folder}"):
            row = {**standard.get(row.get("ArchStdEvent"), {}), **row}
            if "MetricName" in row:
                self.rows.append(row)
        self.events = {row["EventName"].lower() for row in self.read(f"{arch}/{folder}") if "EventName" in row}

    @staticmethod
    def read(folder):
        for path in sorted(glob.glob(os.path.join(TREE, folder, "*.json"))):
            if not path.endswith("metricgroups.json"):
                with open(path, encoding="utf-8") as file:
                    yield from json.load(file)

    def of(self, pmu):
        return {row["MetricName"]: row for row in self.rows if row.get("Unit", pmu) == pmu}

    def value(self, metrics, name, rng):
        """Of a metric without its unit, or of an event, which gets a count"""
        if name in metrics:
            return Formula(metrics[name]["MetricExpr"], self.cpuid, lambda name: self.value(metrics, name, rng)).whole()
        if name == "duration_time":
            return 1e-6  # the driver's window
        if name not in self.counts:
            self.counts[name] = float(rng.randrange(1000, 1 << 40))
        return self.counts[name]

    def way(self, metrics, name):
        groups = metrics[name].get("MetricGroup", "").split(";")
        above = [other for other in metrics if f"{other}_group" in groups]
        if above:
            return f"{self.way(metrics, above[0])}>{name}"
        return f"TopdownL1>{name}" if "TopdownL1" in groups else None

    def expected(self, rng):
        """{(pmu, way): value in the metric's unit}"""
        parts = {}
        for pmu in self.pmus:
            metrics = self.of(pmu)
            for name, row in metrics.items():
                way = self.way(metrics, name)
                if way:
                    scale = float(re.match(r"[\d.e-]*", row.get("ScaleUnit", "1"))[0])
                    parts[pmu, way] = scale * self.value(metrics, name, rng)
        return parts

    def answers(self):
        values = "".join(f"{name} {value!r}\n" for name, value in {**LITERALS, **self.counts}.items())
        run = subprocess.run([DRIVER, TREE, self.arch, self.cpuid, *self.pmus], input=values, capture_output=True, text=True,
                             check=True)
        rows = [line.split(" ", 2) for line in run.stdout.splitlines()]
        return {(pmu, way): value for pmu, way, value in rows}


def same(expected, answer):
    if not math.isfinite(expected):
        return answer == "undefined"
    try:
        return math.isclose(float(answer), expected, rel_tol=1e-9, abs_tol=1e-9)
    except ValueError:
        return False


def check(arch, folder, cpuid, pmus):
    """(number of parts by level, those that differ) of a profile, for several draws of counts"""
    wrong, levels = [], {}
    for seed in range(20):
        profile = Profile(arch, folder, cpuid, pmus)
        expected = profile.expected(random.Random(seed))
        answers = profile.answers()
        wrong += [f"only one has it: {part}" for part in expected.keys() ^ answers.keys()]
        wrong += [f"{part}: {answers[part]}, should be {value!r}" for part, value in expected.items()
                  if part in answers and not same(value, answers[part])]
        levels = {}
        for _, way in expected:
            levels[way.count(">")] = levels.get(way.count(">"), 0) + 1
    return levels, wrong


def main():
    failed = False
    print(f"1..{len(PROFILES)}")
    for n, (name, *profile) in enumerate(PROFILES, 1):
        levels, wrong = check(*profile)
        for line in wrong[:5]:
            print(f"# {line}")
        counted = ", ".join(f"{number} of level {level}" for level, number in sorted(levels.items()))
        is_wrong = wrong or not levels
        print(f"{'not ok' if is_wrong else 'ok'} {n} - {name}: {counted}: each has the value of its formula")
        failed |= bool(is_wrong)
    sys.exit(failed)


if __name__ == "__main__":
    main()
