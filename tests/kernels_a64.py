#!/usr/bin/env python3
"""kernels_a64.py: what discover's arm64 kernels execute, instruction by instruction, as qemu-user writes it down.
TAP. Skipped without a cross compiler or qemu."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COMPILER = os.environ.get("CROSS_CC", "aarch64-linux-gnu-gcc")
EMULATOR = shutil.which("qemu-aarch64") or shutil.which("qemu-aarch64-static")
TOOL = re.sub("(gcc|clang)$", "", COMPILER)
SOURCES = ["tests/qemu/kernel_runs.c", "tests/qemu/kernel_call.S", "src/discover/kernels_aarch64.S", "src/pmu/sysfs.c"]
FLAGS = ["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Wundef", "-Werror",
         "-D_GNU_SOURCE", "-Isrc", "-static", "-pthread"]

# What a unit of the trigger executes once and its control never.
TRIGGER = {
    "nop": r"nop",
    "add": r"add x4, x6, x7",
    "mul": r"mul x4, x6, x7",
    "div": r"udiv x4, x6, x7",
    "load": r"ldr x4, \[x12\]",
    "store": r"str xzr, \[x12\]",
    "load-pair": r"ldp x4, x5, \[x12\]",
    "atomic-success": r"cas xzr, xzr, \[x12\]",
    "atomic-failure": r"cas xzr, xzr, \[x14\]",
    "exclusive-pair": r"stxr w5, x4, \[x12\]",
    "branch-predicted": r"cbz xzr, .*",
    "branch-taken": r"cbz xzr, .*",
    "branch-not-taken": r"cbnz xzr, .*",
    "branch-random": r"ldrb w4, \[x12\], #1",
    "branch-indirect": r"br x4",
    "branch-indirect-random": r"ldrb w4, \[x12\], #1",
    "call-return": r"bl .*",
    "barrier": r"dmb ish",
    "fp-add": r"fadd d0, d1, d1",
    "simd-add": r"add v0.4s, v1.4s, v1.4s",
    "fma": r"fmadd d0, d1, d1, d1",
    "l1d-miss": r"ldr x12, \[x12\]",
    "l2-miss": r"ldr x12, \[x12\]",
    "dtlb-miss": r"ldr x12, \[x12\]",
    "unaligned": r"ldr x4, \[x12\]",
    "line-crossing": r"ldr x4, \[x12\]",
    "page-crossing": r"ldr x4, \[x12\]",
    "ordering-violation": r"ldrb w4, \[x12\], #1",
    "self-modifying": r"dc cvau, x12",
    "system-call": r"svc #0x0",
    "page-fault": r"str xzr, \[x12\]",
}
# Kernels that go through generated code: from each node to another line, or another page.
PATHS = {"l1i-miss": 64, "itlb-miss": 4096}
ALL = set(TRIGGER) | set(PATHS)
TRANSLATED = re.compile(r"^0x([0-9a-f]+): +([0-9a-f]{8}) ")
EXECUTED = re.compile(r"^Trace \d+: \S+ \[[0-9a-f]+/([0-9a-f]+)/")
GIVEN_UP = "Stopped execution"


def skip(why):
    print(f"1..0 # SKIP what the arm64 kernels execute: {why}")
    sys.exit()


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        sys.exit(f"{' '.join(command)}\n{result.stdout}{result.stderr}")
    return result.stdout


def links(folder):
    """Is there a C library for arm64?"""
    return subprocess.run([COMPILER, "-static", "-x", "c", "-", "-o", os.path.join(folder, "empty")],
                          input=b"int main(void) { return 0; }", stderr=subprocess.DEVNULL, check=False).returncode == 0


def build(folder):
    """The runner, with its kernels; one program without anything that is not the project's."""
    program = os.path.join(folder, "kernel_runs")
    sources = SOURCES + sorted(glob.glob("src/base/*.c")) + [
        name for name in sorted(glob.glob("src/discover/*.c"))
        if re.match(r"(kernel|workspace|geometry|code)", os.path.basename(name))]
    run(COMPILER, *FLAGS, "-o", program, *sources)
    return program


def symbols(program):
    """name: (address, size)"""
    lines = (line.split() for line in run(TOOL + "nm", "-S", program).splitlines())
    return {words[-1]: (int(words[0], 16), int(words[1], 16) if len(words) == 4 else 0)
            for words in lines if len(words) > 2}


class Run:
    """One call of a kernel: what it executed, in order, and what it is said to execute."""

    def __init__(self, is_trigger):
        self.is_trigger = is_trigger
        self.executed = []  # (address, instruction), first its word, then its text

    def describe(self, line):
        words = line.split()
        self.kernel, self.n = words[0], int(words[2])
        check((words[1] == "trigger") == self.is_trigger, "runs and log are out of step at", line)
        self.truth = tuple(map(int, words[3:7]))
        self.is_kept = words[7] == "1"

    def count(self, pattern):
        return sum(bool(re.fullmatch(pattern, text)) for _, text in self.executed)

    def counts(self):
        """As the truth: instructions, branches, loads, stores. A swap that does not happen stores nothing."""
        stores = r"(st|cas).*" if self.kernel != "atomic-failure" else "st.*"
        return (len(self.executed), self.count(r"(b|bl|br|blr|b\.\w+|ret|cbn?z|tbn?z)( .*|)"), self.count(r"(ld|cas).*"),
                self.count(stores))


def runs(log, names, end):
    """names: kernel functions by address, end: where they return to"""
    words, one = {}, None
    for line in log:
        if translated := TRANSLATED.match(line):
            words[int(translated[1], 16)] = translated[2]
        elif executed := EXECUTED.match(line):
            address = int(executed[1], 16)
            if address in names:
                one = Run(names[address].endswith("_trigger"))
            if address == end:
                yield one
                one = None
            elif one:
                one.executed.append((address, words.get(address)))
        elif one and line.startswith(GIVEN_UP):
            one.executed.pop()


def disassemble(folder, made):
    """By binutils: qemu's own disassembler may be older than the instructions."""
    words = sorted({word for one in made for _, word in one.executed if word})
    path = os.path.join(folder, "words")
    with open(path, "wb") as file:
        file.write(b"".join(bytes.fromhex(word)[::-1] for word in words))
    lines = run(TOOL + "objdump", "-D", "-b", "binary", "-m", "aarch64", "--no-show-raw-insn", path).splitlines()
    texts = [" ".join(line.split("//")[0].split()[1:]) for line in lines if re.match(r" +[0-9a-f]+:\t", line)]
    check(len(texts) == len(words), len(texts), "texts of", len(words), "instructions")
    text_of = dict(zip(words, texts))
    for one in made:
        one.executed = [(address, text_of.get(word, "unknown")) for address, word in one.executed]


def execute(folder, program):
    """Run it, one instruction a block, and have written down those of kernels and of generated code."""
    where = symbols(program)
    names = {address: name for name, (address, size) in where.items()
             if re.fullmatch(r"kernel_\w+_(trigger|control)", name) and "context_switch" not in name}
    first, last = min(names), max(names)
    end = where["kernel_called"][0]
    ranges = f"{first:#x}..{last + where[names[last]][1] - 1:#x},{end:#x}..{end + 3:#x},0x10000000..0xffffffffffff"
    single = "-one-insn-per-tb" if "-one-insn-per-tb" in run(EMULATOR, "-h") else "-singlestep"
    path = os.path.join(folder, "log")
    lines = run(EMULATOR, single, "-d", "in_asm,exec,nochain", "-dfilter", ranges, "-D", path, program).splitlines()
    with open(path, encoding="utf-8") as log:
        made = list(runs(log, names, end))
    disassemble(folder, made)
    lines = [line for line in lines if not line.startswith("#")]
    check(len(lines) == len(made), len(lines), "runs,", len(made), "in the log")
    for one, line in zip(made, lines):
        one.describe(line)
    return made


def check(truth, *why):
    if not truth:
        raise AssertionError(" ".join(str(part) for part in why))


def check_path(one, unit):
    nodes = [address for address, text in one.executed if text.startswith("subs x0")]
    check(len(nodes) == one.n + 1, len(nodes), "nodes")
    places = len({address // unit for address in nodes})
    check(places == len(nodes) if one.is_trigger else places <= 16, places, "places")


def check_targets(one):
    """Random branches go to several of eight, those of the control to one."""
    steps = {after - at for (at, text), (after, _) in zip(one.executed, one.executed[1:]) if text == "br x5"}
    check(len(steps) == min(one.n, 1) if not one.is_trigger or one.n <= 1 else 2 <= len(steps) <= 8, steps)


def check_trigger(one):
    if one.kernel == "branch-indirect-random":
        check_targets(one)
    if one.kernel in PATHS:
        check_path(one, PATHS[one.kernel])
    else:
        found = one.count(TRIGGER[one.kernel])
        check(found == (one.n if one.is_trigger else 0), found, "triggers")


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
        check(len(trigger.executed) - less == len(control.executed), "control of", trigger.n, "executes",
              len(control.executed), "of", len(trigger.executed))


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
