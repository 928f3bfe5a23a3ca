#!/usr/bin/env python3
"""expr_random.py: random expressions: m1top's answer against one worked out here

usage: tests/e2e/expr_random.py [COUNT]     EXPR_RANDOM=100000 sets COUNT too, SEED the beginning

Expressions are made as trees and written down with as few parentheses as perf's precedence allows,
or some more. What they are worth is worked out on the tree, by the rules of docs/metrics.md, and
compared with what build/…/tests/e2e/metric_driver makes of the text, to 1e-12.
"""
import math
import os
import random
import subprocess
import sys

NAN = math.nan
INPUTS = {"a": 400.0, "b": 1000.0, "zero": 0.0, "one": 1.0, "c.d": 123456789.0, "n::x": 7.0,
          "dash-ed": 3.0, "p/q,r=1/": 281474976710655.0}
WRITTEN = {"dash-ed": "dash\\-ed", "p/q,r=1/": "p@q\\,r\\=1@"}
TIGHTNESS = {"if": 0, "|": 1, "^": 2, "&": 3, "<": 4, ">": 4, "+": 5, "-": 5,
             "*": 6, "/": 6, "%": 6, "neg": 7}
BINARY = [sign for sign in TIGHTNESS if sign not in ("if", "neg")]
ATOM = 8


def truncated(x):
    """A double as C's long; None when it is none."""
    return int(x) if not math.isnan(x) and abs(x) < 2.0 ** 63 else None


def c_remainder(x, y):
    return int(math.fmod(x, y)) if abs(x) < 2 ** 53 and abs(y) < 2 ** 53 else \
        (abs(x) % abs(y)) * (1 if x >= 0 else -1)


def remainder(x, y):
    m, n = truncated(x), truncated(y)
    return NAN if m is None or not n else float(c_remainder(m, n))


def logic(sign, x, y):
    """What is known may decide: 0 & x is 0, 1 | x is 1."""
    if sign == "&" and 0 in (x, y):
        return 0.0
    if sign == "|" and any(math.isfinite(side) and side for side in (x, y)):
        return 1.0
    if not math.isfinite(x) or not math.isfinite(y):
        return NAN
    return float(bool(x) != bool(y) if sign == "^" else sign == "&")


def multiplied(x, y):
    return x * y  # floats overflow to infinity here, as in C


def divided(x, y):
    return NAN if y == 0 or math.isnan(y) else x / y


def operated(sign, x, y):
    if sign == "%":
        return remainder(x, y)
    if sign in "&|^":
        return logic(sign, x, y)
    if math.isnan(x) or math.isnan(y):
        return NAN
    if sign == "<":
        return float(x < y)
    if sign == ">":
        return float(x > y)
    return {"+": lambda: x + y, "-": lambda: x - y, "*": lambda: multiplied(x, y),
            "/": lambda: divided(x, y), "min": lambda: min(x, y), "max": lambda: max(x, y),
            "d_ratio": lambda: 0.0 if y == 0 else x / y}[sign]()


class Tree:
    """value, text, how tightly it holds together, is it constant"""

    def __init__(self, value, text, tightness=ATOM, constant=False):
        self.value, self.text, self.tightness = value, text, tightness
        self.constant = constant

    def within(self, tightness, rng):
        bare = self.tightness >= tightness and rng.random() > 0.1
        return self.text if bare else f"({self.text})"


def space(rng):
    return rng.choice(["", "", " ", " ", "  ", "\n"])


def number(rng):
    value = rng.choice([0, 1, 2, 3, 7, 64, 1000, 0.5, 0.25, 2.75, 1e6, 1e-3, 1e15, 4294967296,
                        rng.random(), rng.uniform(0, 1e4), rng.randrange(1 << 48)])
    text = rng.choice([repr(value), f"{value:.3e}".replace("e+0", "e").replace("e+", "e"), f"{value:g}"])
    text = text.replace("e+", "e")
    if text.startswith("0.") and rng.random() < 0.5:
        text = text[1:]
    return Tree(float(text), text, constant=True)


def leaf(rng):
    if rng.random() < 0.45:
        return number(rng)
    name = rng.choice(list(INPUTS))
    return Tree(INPUTS[name], WRITTEN.get(name, name))


def negated(rng, depth):
    a = tree(rng, depth - 1)
    inner = a.within(TIGHTNESS["neg"], rng)
    return Tree(-a.value, f"-{space(rng)}{inner}", TIGHTNESS["neg"], a.constant)


def called(rng, depth):
    name = rng.choice(["min", "max", "d_ratio"])
    a, b = tree(rng, depth - 1), tree(rng, depth - 1)
    text = f"{name}({space(rng)}{a.within(1, rng)},{space(rng)}{b.within(1, rng)})"
    return Tree(operated(name, a.value, b.value), text, ATOM, a.constant and b.constant)


def chosen(rng, depth):
    a, b, c = (tree(rng, depth - 1) for _ in range(3))
    text = f"{a.within(1, rng)} if {b.within(1, rng)} else {c.within(0, rng)}"
    value = NAN if math.isnan(b.value) else a.value if b.value != 0 else c.value
    if b.constant:  # the other branch is not there at all
        taken = a if b.value != 0 else c
        if math.isnan(b.value):
            return Tree(NAN, text, 0, True)
        return Tree(value, text, 0, taken.constant)
    if a.constant and c.constant and (a.value == c.value or a.value != a.value and c.value != c.value) \
            and math.copysign(1, a.value) == math.copysign(1, c.value):
        return Tree(a.value, text, 0, True)
    return Tree(value, text, 0)


def decided(sign, a, b):
    """What perf works out although one operand is unknown: a value, or None."""
    if sign in "&|":
        value = logic(sign, a.value if a.constant else NAN, b.value if b.constant else NAN)
        if not math.isnan(value):
            return value
    if b.constant and (sign == "/" and b.value == 0 or sign == "%" and abs(b.value) < 1):
        return NAN
    return None


def binary(rng, depth):
    sign = rng.choice(BINARY)
    a, b = tree(rng, depth - 1), tree(rng, depth - 1)
    tightness = TIGHTNESS[sign]
    text = f"{a.within(tightness, rng)}{space(rng)}{sign}{space(rng)}{b.within(tightness + 1, rng)}"
    value = decided(sign, a, b)
    if value is not None:
        return Tree(value, text, tightness, True)
    return Tree(operated(sign, a.value, b.value), text, tightness, a.constant and b.constant)


def tree(rng, depth):
    if depth <= 0 or rng.random() < 0.1:
        return leaf(rng)
    kind = rng.random()
    make = binary if kind < 0.7 else called if kind < 0.82 else chosen if kind < 0.93 else negated
    return make(rng, depth)


def agree(expected, answer):
    if not math.isfinite(expected):
        return answer == "undefined"
    try:
        return math.isclose(float(answer), expected, rel_tol=1e-12, abs_tol=1e-300)
    except ValueError:
        return False


def answers(driver, trees):
    head = "\n".join(f"{name} {value!r}" for name, value in INPUTS.items())
    body = "\n".join(t.text.replace("\n", "\t") for t in trees)
    run = subprocess.run([driver], input=f"{head}\n\n{body}\n", capture_output=True, text=True,
                         check=True)
    return run.stdout.splitlines()


def main():
    count = int(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("EXPR_RANDOM", "5000"))
    seed = int(os.environ.get("SEED", "1"))
    driver = os.environ.get("METRIC_DRIVER", "build/release/tests/e2e/metric_driver")
    rng = random.Random(seed)
    trees = [tree(rng, rng.randrange(1, 7)) for _ in range(count)]
    wrong = [(t, answer) for t, answer in zip(trees, answers(driver, trees), strict=True)
             if not agree(t.value, answer)]
    undefined = sum(not math.isfinite(t.value) for t in trees)
    print("1..1")
    for t, answer in wrong[:5]:
        print(f"# {t.text!r}: {answer}, should be {t.value!r}")
    print(f"# {count} expressions from seed {seed}, {undefined} of them undefined, {len(wrong)} wrong")
    print(f"{'not ok' if wrong else 'ok'} 1 - random expressions agree with an evaluator of their own")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
