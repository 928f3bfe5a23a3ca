#!/usr/bin/env python3
"""kernels_a64.py: what discover's arm64 kernels execute, as qemu-user writes it down: which instructions, on which
addresses, and where branches go. TAP. Skipped without a cross compiler or qemu."""
import collections
import os
import shutil
import sys
import tempfile

from a64_runs import COMPILER, EMULATOR, build, check, execute, links, run

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GETPPID = 173
LONG = 100  # units of a run long enough to show what is random

# ---- is an instruction that looks like a trigger one? Of a Run and a Step in it ----


def always(*_):
    return True


def is_taken(_, step):
    return step.next.address != step.address + 4


def place(_, step):
    """Which of the eight places behind the branch, of two instructions each, it goes to."""
    return (step.next.address - step.address - 4) // 8


def goes_to_what_follows(_, step):
    return step.x("x4") == step.next.address == step.address + 4


def comes_back(_, step):
    return step.next.text == "ret" and step.next.next.address == step.address + 4


def hits(one, step):
    """The line that all runs share; two words, if there are two, are within it."""
    return step.access() == one.trigger and one.trigger % one.line == 0


def swaps(one, step):
    return hits(one, step) and one.word_at(step.access()) == 0


def finds_another(one, step):
    return step.access() == one.third and one.word_at(step.access()) != 0


def succeeds(one, step):
    return hits(one, step) and step.next.x("x5") == 0


def is_unaligned(one, step):
    return step.access() % 8 != 0 and step.access() % one.line <= one.line - 8


def crosses_a_line(one, step):
    return step.access() % one.line > one.line - 8 and step.access() % one.page <= one.page - 8


def crosses_a_page(one, step):
    return step.access() % one.page > one.page - 8


def is_large(one, address):
    """The short ring is in one page, the large one is in others."""
    return address // one.page != one.control // one.page


def follows_large_ring(one, step):
    return is_large(one, step.access())


def jumps_on_large_ring(one, step):
    return is_large(one, step.address)


def has_same_address(_, step):
    """A store, and the load behind it."""
    return step.access() == step.next.access()


def writes_what_runs(one, step):
    """To the file's page that is mapped to be run as well, and there to an instruction that is run."""
    code = one.third + step.access() % one.page
    return step.access() // one.page == one.trigger // one.page and any(each.address == code for each in one.steps)


def asks_for_the_parent(_, step):
    return step.x("x8") == GETPPID


def is_fresh(one, step):
    return 0 <= step.access() - one.trigger < one.n * one.page


# What a unit of the trigger executes once and its control never.
TRIGGER = {
    "nop": (r"nop", always),
    "add": (r"add x4, x6, x7", always),
    "mul": (r"mul x4, x6, x7", always),
    "div": (r"udiv x4, x6, x7", always),
    "load": (r"ldr x4, \[x12\]", hits),
    "store": (r"str xzr, \[x12\]", hits),
    "load-pair": (r"ldp x4, x5, \[x12\]", hits),
    "atomic-success": (r"cas xzr, xzr, \[x\d+\]", swaps),
    "atomic-failure": (r"cas xzr, xzr, \[x\d+\]", finds_another),
    "exclusive-pair": (r"stxr w5, x4, \[x12\]", succeeds),
    "branch-predicted": (r"cbz xzr, .*", always),
    "branch-taken": (r"cbz xzr, .*", always),
    "branch-not-taken": (r"cbnz xzr, .*", always),
    "branch-indirect": (r"br x4", goes_to_what_follows),
    "call-return": (r"bl .*", comes_back),
    "barrier": (r"dmb ish", always),
    "fp-add": (r"fadd d0, d1, d1", always),
    "simd-add": (r"add v0.4s, v1.4s, v1.4s", always),
    "fma": (r"fmadd d0, d1, d1, d1", always),
    "l1d-miss": (r"ldr (x1[23]), \[\1\]", follows_large_ring),
    "l2-miss": (r"ldr (x1[23]), \[\1\]", follows_large_ring),
    "dtlb-miss": (r"ldr (x1[23]), \[\1\]", follows_large_ring),
    "l1i-miss": (r"b 0x.*", jumps_on_large_ring),
    "itlb-miss": (r"b 0x.*", jumps_on_large_ring),
    "unaligned": (r"ldr x4, \[x1[23]\]", is_unaligned),
    "line-crossing": (r"ldr x4, \[x1[23]\]", crosses_a_line),
    "page-crossing": (r"ldr x4, \[x1[23]\]", crosses_a_page),
    "self-modifying": (r"str w4, \[x1[23]\]", writes_what_runs),
    "system-call": (r"svc #0x0", asks_for_the_parent),
    "page-fault": (r"str xzr, \[x1[23]\]", is_fresh),
}

# Each unit does what a random byte says, and the control what zeroes say: an instruction, what it does and what the
# byte wants, of which 0 is no trigger; the share of triggers in a long run, and how far from it that may be.
RANDOM = {
    "branch-random": (r"tbnz w4, #0, .*", is_taken, lambda byte: byte & 1, 0.5, 0.2),
    "branch-indirect-random": (r"br x5", place, lambda byte: byte >> 3 & 7, 0.875, 0.1),
    "ordering-violation": (r"str x7, \[x14, x5\]", has_same_address, lambda byte: byte & 1, 1 / 512, 0),
}
BYTE = r"ldrb w4, \[x1[23]\], #1"

# Kernels that walk a large ring, and whether they find each node in another page or only in another line.
RINGS = {"l1d-miss": False, "l2-miss": False, "l1i-miss": False, "dtlb-miss": True, "itlb-miss": True}
TLB_PAGES = 200  # more than any first-level TLB holds

ALL = set(TRIGGER) | set(RANDOM)


def skip(why):
    print(f"1..0 # SKIP what the arm64 kernels execute: {why}")
    sys.exit()


def check_walk(one, pattern, stride):
    """From the start of its memory, and nothing left out."""
    found = [step.access() - one.start for step in one.find(pattern)]
    check(found == [i * stride for i in range(one.n)], "walks", *found)


def check_random(one):
    pattern, outcome, wanted, share, off = RANDOM[one.kernel]
    done = [outcome(one, step) for step in one.find(pattern)]
    wrong = [i for i, byte in enumerate(one.bytes) if i < len(done) and done[i] != wanted(byte)]
    check(not wrong, "not what the bytes say:", *wrong)
    check(len(done) == len(one.bytes) == one.n, len(done), "instructions,", len(one.bytes), "bytes")
    check_walk(one, BYTE, 1)
    if not one.is_trigger:
        check(not any(done), "triggers in the control")
    elif one.n >= LONG:
        check(set(done) == set(map(wanted, range(256))), "never does some of it:", *set(done))
        check(abs(sum(map(bool, done)) / one.n - share) <= off, sum(map(bool, done)), "triggers")


def check_trigger(one):
    if one.kernel in RANDOM:
        return check_random(one)
    pattern, is_one = TRIGGER[one.kernel]
    found = sum(is_one(one, step) for step in one.find(pattern))
    check(found == (one.n if one.is_trigger else 0), found, "triggers")
    if one.kernel == "page-fault":
        check_walk(one, pattern, one.page)
    return None


def visited(one):
    """Where the nodes are that a run goes on from."""
    steps = one.find(TRIGGER[one.kernel][0])
    return [step.address if one.kernel in ("l1i-miss", "itlb-miss") else step.access() for step in steps]


def check_large_ring(made):
    """All that the runs visited: no node twice, and farther apart than fits what is to be missed."""
    one, is_by_page = made[-1], RINGS[made[-1].kernel]
    unit = one.page if is_by_page else one.line
    nodes = [address for each in made for address in visited(each)]
    check(len({address // unit for address in nodes}) == len(nodes) > LONG, "a", unit, "bytes visited twice")
    reach = max(nodes) - min(nodes)
    check(reach > (TLB_PAGES * one.page if is_by_page else one.cache), "all within", reach, "bytes")
    if is_by_page:
        lines = {address % one.page // one.line for address in nodes}
        check(len(lines) >= one.page // one.line // 2, "at", len(lines), "places of pages alone")


def check_no_stride(one):
    strides = collections.Counter(after - at for at, after in zip(visited(one), visited(one)[1:]))
    (stride, times), = strides.most_common(1)
    check(times <= one.n // 10, times, "times by", stride, "bytes")


def check_short_ring(made):
    one = made[-1]
    nodes = {address for each in made for address in visited(each)}
    check(len({address // one.page for address in nodes}) == 1 and len(nodes) <= 8, "control at", *nodes)


def check_kernel(made):
    """made: a trigger's run and its control's, in turn"""
    for one in made:
        try:
            check_trigger(one)
            check(one.is_kept, "registers were changed")
            check(not one.is_trigger or one.counts() == one.truth, one.counts(), "are not", one.truth)
        except AssertionError as error:
            raise AssertionError(f"{'trigger' if one.is_trigger else 'control'} of {one.n}: {error}") from error
    for trigger, control in zip(made[::2], made[1::2]):
        less = trigger.n if trigger.kernel == "nop" else 0
        check(len(trigger.steps) - less == len(control.steps), "control of", trigger.n, "executes",
              len(control.steps), "of", len(trigger.steps))
    if made[0].kernel in RINGS:
        check_large_ring(made[::2])
        check_no_stride(made[-2])
        check_short_ring(made[1::2])


def check_old(program):
    """A processor of ARMv8.0: the kernels that need more are left out, the others run."""
    lines = run(EMULATOR, "-cpu", "cortex-a53", program).splitlines()
    left_out = {line[2:].split(":")[0] for line in lines if line.startswith("#")}
    left_out -= {"context-switch"}
    check(left_out == {"atomic-success", "atomic-failure"}, "left out:", *left_out)
    check({line.split()[0] for line in lines if line[0] != "#"} == ALL - left_out, lines)


def check_all_there(made):
    difference = ALL ^ {one.kernel for one in made}
    check(not difference, *difference)


def tests(folder):
    """(name, function, arguments)"""
    program = build(folder)
    made = execute(folder, program)
    yield "every kernel but those in C", check_all_there, made
    yield "without atomic instructions those kernels are left out", check_old, program
    for kernel in dict.fromkeys(one.kernel for one in made):
        yield (f"{kernel} executes exactly N triggers", check_kernel,
               [one for one in made if one.kernel == kernel])


def main():
    os.chdir(ROOT)
    if not shutil.which(COMPILER):
        skip(f"no {COMPILER}")
    if not EMULATOR:
        skip("no qemu-aarch64")
    n = 0
    with tempfile.TemporaryDirectory(prefix="m1top-kernels-") as folder:
        if not links(folder):
            skip("no C library for arm64")
        for n, (name, function, argument) in enumerate(tests(folder), 1):
            try:
                function(argument)
                print(f"ok {n} - {name}")
            except AssertionError as error:
                print(f"not ok {n} - {name}: {error}")
    print(f"1..{n}")


if __name__ == "__main__":
    main()
