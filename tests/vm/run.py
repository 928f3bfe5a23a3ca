#!/usr/bin/env python3
"""run.py KERNEL [FOLDER [PATTERN]]: boot the emulated machine once for each folder of tests/vm/guest and run what is in it.
FOLDER may be server-hybrid or another of machine.py's SERVERS: guest/server on that machine; many: many-2, then many-64,
which compares itself with it.

Prints TAP. The serial console of each boot is kept in build/vm/log/KERNEL-FOLDER.serial.
"""
import importlib.util
import os
import re
import sys
import time

from machine import ROOT, VM, Machine

GUEST = os.path.join(ROOT, "tests", "vm", "guest")
# What a boot adds to the kernel's command line: the driver must be kept off. Where it is a module, the
# boot "module" loads it at its end.
NO_DRIVER = "initcall_blacklist=m1_pmu_driver_init"


def extra(kernel, boot):
    return NO_DRIVER if boot == "apple" or boot == "module" and kernel == "builtin" else ""


PROMPT = r"^m1# *$"
RESULT = re.compile(r"^(not ok|ok) \d+ - (.*)$")


class Tap:
    """Numbers the tests of all programs in one row."""

    def __init__(self):
        self.count = 0
        self.failed = 0

    def result(self, good, name):
        self.count += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.count} - {name}", flush=True)

    def note(self, text):
        for line in text.splitlines():
            print(f"# {line}", flush=True)

    def finish(self):
        print(f"1..{self.count}")
        return 1 if self.failed else 0


class Program:
    """The lines of one test between @begin and @end."""

    def __init__(self, tap, name):
        self.tap, self.name = tap, name
        self.planned = None
        self.seen = 0
        self.since = time.monotonic()

    def line(self, line):
        result = RESULT.match(line)
        if result:
            self.seen += 1
            self.tap.result(result[1] == "ok", f"{self.name}: {result[2]}")
        elif line.startswith("1.."):
            self.planned = int(line[3:])
        elif line:
            self.tap.note(line)

    def end(self, status, seconds):
        """Judge it by its plan; a `status` that is no number is a failure whatever the plan says."""
        if self.planned != self.seen or not status.isdigit():
            self.tap.result(False, f"{self.name}: planned {self.planned}, reported {self.seen}, "
                                   f"status {status}")
        self.tap.note(f"{self.name}: {seconds} s there, "
                      f"{time.monotonic() - self.since:.0f} s here")


def run_on_host(path, machine, program):
    """A test of the console: run(machine, check) where check(name, good, why) reports."""
    spec = importlib.util.spec_from_file_location("console_test", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def check(name, good, why=""):
        program.seen += 1
        program.tap.result(good, f"{program.name}: {name}")
        if not good:
            program.tap.note(why or machine.screen())

    try:
        machine.wait_for(PROMPT, 120)
        module.run(machine, check)
    except Exception as error:  # pylint: disable=broad-except
        check("ran to its end", False, f"{type(error).__name__}: {error}\n{machine.screen()}")
    program.planned = program.seen
    machine.keys("C-c")  # whatever the test left running
    machine.type("exit")


def run_boot(tap, kernel, boot, only, is_again=False):
    """Boot it and run its tests; once more if it stopped before the first of them for no reason of ours: the emulator died, or the
    kernel is Debian's alone."""
    machine = Machine(kernel, boot, f"{extra(kernel, boot)} m1top.only={only} m1top.sets={os.environ.get('SETS', '')}")
    program, has_begun, is_on_host, is_done = None, False, False, False
    try:
        for line in machine.lines():
            if line.startswith("@begin "):
                if program:
                    program.end("unheard", "?")
                program, has_begun, is_on_host = Program(tap, f"{boot}/{line[7:]}"), True, False
            elif line == "@host" and program:
                is_on_host = True
                folder, file = program.name.split("/")
                run_on_host(os.path.join(GUEST, folder.split("-")[0], file), machine, program)
            elif line.startswith("@end ") and program:
                program.end(*line.split()[2:4])
                program, is_on_host = None, False
            elif line == "@done":
                is_done = True
            elif program and not is_on_host:
                program.line(line)
    finally:
        machine.stop()
    if is_done:
        return
    death = machine.death()
    tap.note("\n".join([death, *machine.last_lines()]))
    if not has_begun and not is_again and (death or kernel.endswith("-amd64")):
        run_boot(tap, kernel, boot, only, is_again=True)
    else:
        tap.result(False, f"{boot}: the machine stopped in {program.name if program else 'boot'}, "
                          f"see {os.path.relpath(machine.log, ROOT)}")


def boots():
    """The folders with numbered tests of the M1."""
    folders = [f for f in sorted(os.listdir(GUEST)) if os.path.isdir(os.path.join(GUEST, f)) and f not in ("many", "server")]
    return [f for f in folders if any(re.match(r"\d", n) for n in os.listdir(f"{GUEST}/{f}"))]


def main():
    kernel = sys.argv[1]
    missing = os.path.join(VM, kernel, "missing")
    if os.path.exists(missing):
        with open(missing, encoding="utf-8") as why:
            print(f"1..0 # SKIP {why.read().strip()}")
        return 0
    tap = Tap()
    with open(f"{VM}/{kernel}/release", encoding="utf-8") as release:
        tap.note(f"Linux {release.read().strip()}")
    only = sys.argv[3] if len(sys.argv) > 3 else "*"
    for boot in ["many-2", "many-64"] if sys.argv[2:3] == ["many"] else sys.argv[2:3] or boots():
        run_boot(tap, kernel, boot, only)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
