"""a64_runs.py: what arm64 kernels execute, instruction by instruction with the registers before each, as qemu-user
writes it down (for kernels_a64.py)."""
import glob
import os
import re
import shutil
import subprocess
import sys

COMPILER = os.environ.get("CROSS_CC", "aarch64-linux-gnu-gcc")
EMULATOR = shutil.which("qemu-aarch64") or shutil.which("qemu-aarch64-static")
TOOL = re.sub("(gcc|clang)$", "", COMPILER)
SOURCES = ["tests/qemu/kernel_runs.c", "tests/qemu/kernel_call.S", "src/discover/kernel/aarch64.S", "src/pmu/topology/sysfs.c",
           "src/pmu/topology/mounts.c"]
FLAGS = ["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Wundef", "-Werror",
         "-D_GNU_SOURCE", "-Isrc", "-I.", "-static", "-pthread"]

TRANSLATED = re.compile(r"^0x([0-9a-f]+): +([0-9a-f]{8}) ")
EXECUTED = re.compile(r"^Trace \d+: \S+ \[[0-9a-f]+/([0-9a-f]+)/")
REGISTERS = re.compile(r"^(?: PC=|X[0-3]\d=)")
GIVEN_UP = "Stopped execution"


def check(truth, *why):
    if not truth:
        raise AssertionError(" ".join(str(part) for part in why))


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
    sources = SOURCES + sorted(glob.glob("src/base/*.c") + glob.glob("src/discover/kernel/*.c"))
    run(COMPILER, *FLAGS, "-o", program, *sources, "-lm")
    return program


def symbols(program):
    """name: (address, size)"""
    lines = (line.split() for line in run(TOOL + "nm", "-S", program).splitlines())
    return {words[-1]: (int(words[0], 16), int(words[1], 16) if len(words) == 4 else 0)
            for words in lines if len(words) > 2}


class Step:
    """An instruction that was executed."""

    def __init__(self, address, word):
        self.address, self.text = address, word  # the text is first its word
        self.registers = ""  # before it, as qemu writes them
        self.next = None  # the one executed after it

    def x(self, name):
        """"x12": its content before the instruction."""
        return int(re.search(f"X{int(name[1:]):02}=([0-9a-f]+)", self.registers)[1], 16)

    def access(self):
        """Where in memory: of [x12], [x14, x5] and [x14, #8]."""
        base, index, offset = re.search(r"\[(x\d+)(?:, (x\d+)|, #(\d+))?\]", self.text).groups()
        return self.x(base) + (self.x(index) if index else int(offset or 0))


class Run:
    """One call of a kernel: what it executed, in order, and what it is said to execute and on which memory."""

    def __init__(self, is_trigger):
        self.is_trigger = is_trigger
        self.steps = []

    def end(self):
        for step, following in zip(self.steps, self.steps[1:]):
            step.next = following
        return self

    def describe(self, line):
        words = line.split()
        self.kernel, self.n = words[0], int(words[2])
        check((words[1] == "trigger") == self.is_trigger, "runs and log are out of step at", line)
        self.truth = tuple(map(int, words[3:7]))
        self.trigger, self.control, self.third, self.page, self.line, self.cache = map(int, words[7:13])
        self.start = self.trigger if self.is_trigger else self.control
        self.bytes = bytes.fromhex(words[13][1:])  # from start on
        self.is_kept = words[14] == "1"

    def word_at(self, address):
        return int.from_bytes(self.bytes[address - self.start:][:8], "little")

    def find(self, pattern):
        return [step for step in self.steps if re.fullmatch(pattern, step.text)]

    def counts(self):
        """As the truth: instructions, branches, loads, stores. A swap that does not happen stores nothing."""
        stores = r"(st|cas).*" if self.kernel != "atomic-failure" else "st.*"
        patterns = (".*", r"(b|bl|br|blr|b\.\w+|ret|cbn?z|tbn?z)( .*|)", r"(ld|cas).*", stores)
        return tuple(len(self.find(pattern)) for pattern in patterns)


def runs(log, names, end):
    """names: kernel functions by address, end: where they return to"""
    words, one = {}, None
    for line in log:
        if one and one.steps and REGISTERS.match(line):
            one.steps[-1].registers += line
        elif translated := TRANSLATED.match(line):
            words[int(translated[1], 16)] = translated[2]
        elif executed := EXECUTED.match(line):
            address = int(executed[1], 16)
            if address in names:
                one = Run(names[address].endswith("_trigger"))
            if address == end:
                yield one.end()
                one = None
            elif one:
                one.steps.append(Step(address, words.get(address)))
        elif one and line.startswith(GIVEN_UP):
            one.steps.pop()


def disassemble(folder, made):
    """By binutils: qemu's own disassembler may be older than the instructions."""
    words = sorted({step.text for one in made for step in one.steps if step.text})
    path = os.path.join(folder, "words")
    with open(path, "wb") as file:
        file.write(b"".join(bytes.fromhex(word)[::-1] for word in words))
    lines = run(TOOL + "objdump", "-D", "-b", "binary", "-m", "aarch64", "--no-show-raw-insn", path).splitlines()
    texts = [" ".join(line.split("//")[0].split()[1:]) for line in lines if re.match(r" +[0-9a-f]+:\t", line)]
    check(len(texts) == len(words), len(texts), "texts of", len(words), "instructions")
    text_of = dict(zip(words, texts))
    for one in made:
        for step in one.steps:
            step.text = text_of.get(step.text, "unknown")


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
    lines = run(EMULATOR, single, "-d", "in_asm,exec,cpu,nochain", "-dfilter", ranges, "-D", path, program).splitlines()
    with open(path, encoding="utf-8") as log:
        made = list(runs(log, names, end))
    disassemble(folder, made)
    lines = [line for line in lines if not line.startswith("#")]
    check(len(lines) == len(made), len(lines), "runs,", len(made), "in the log")
    for one, line in zip(made, lines):
        one.describe(line)
    return made
