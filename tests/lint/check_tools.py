#!/usr/bin/env python3
"""check_tools.py: what other people's tools say: formatting, bug patterns, both compilers' warnings"""
import concurrent.futures
import os
import re
import shlex
import shutil
import subprocess

import source

FLAGS = shlex.split(os.environ.get("LINT_CFLAGS", "-std=gnu11 -D_GNU_SOURCE -Isrc -I. -DM1TOP_VERSION='\"\"' "
                                          "-DM1TOP_PREFIX='\"\"' -DM1TOP_WITHOUT='\"\"'")) + ["-Itests/unit"]
C_FILES = source.files("src/*.c", "tests/*.c", ":!kmod", ":!tests/vm", ":!tests/qemu")
H_FILES = source.files("src/*.h", "tests/*.h", ":!kmod", ":!tests/vm")
SHELL_FILES = source.files("*.sh", ".ci/run", "tests/lacks", "packaging/hardware-report", "packaging/debian/*inst",
                           "packaging/debian/*rm", "packaging/debian/*.config", "packaging/debian/tests/*",
                           ":!packaging/debian/tests/control")

# States of a function that clang's analyzer walks through: a quarter of its own limit takes a fifth of the time. NODES=225000
# make lint goes as far as that.
NODES = shlex.split("-Xclang -analyzer-config -Xclang max-nodes=" + os.environ.get("NODES", "50000"))

# name, program, the files that it looks at one by one ([""]: all at once), command on one file
TOOLS = [
    ("format", "clang-format", C_FILES + H_FILES, ["clang-format", "--dry-run", "-Werror"]),
    ("header stands alone", "gcc", H_FILES,
     ["gcc", *FLAGS, "-Wno-unused", "-fsyntax-only", "-x", "c", "-include", "{}", "/dev/null"]),
    ("tidy", "clang-tidy", C_FILES, ["clang-tidy", "--quiet", "{}", "--", *FLAGS, *NODES]),
    ("cppcheck", "cppcheck", [""],
     ["cppcheck", "--quiet", "--inline-suppr", "--error-exitcode=1", "-j2", "--std=c11", "-Isrc", "-I.",
      "-D_GNU_SOURCE", "--enable=warning,performance,portability",
      # Wrong about initialisers and about taking an address; -Wsequence-point and clang's analyzer
      # look for the same.
      "--suppress=unknownEvaluationOrder", "--suppress=uninitvar", *C_FILES]),
    ("shellcheck", "shellcheck", SHELL_FILES, ["shellcheck", "-x"]),
    ("warning-free", "gcc", [""], ["make", "-j2", "CC=gcc", "WERROR=-Werror", "programs"]),
    ("warning-free", "clang", [""], ["make", "-j2", "CC=clang", "WERROR=-Werror", "programs"]),
]


def why_not(program):
    """A reason to skip, or ''."""
    if not shutil.which(program):
        return f"{program} is not installed"
    if program == "clang-format":
        version = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
        if not re.search(r"version 14\.", version):
            return "clang-format 14 decides; others differ: " + version.strip()
    return ""


def look(command, name):
    """Run the command on one file; return its words when it finds fault."""
    command = [name if word == "{}" else word for word in command]
    if name and name not in command:
        command.append(name)
    env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL", "SAN", "CC")}
    done = subprocess.run(command, cwd=source.ROOT, env=env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return [done.stdout] if done.returncode else []


def main():
    tap = source.Tap()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for tool, program, names, command in TOOLS:
            reason = why_not(program)
            if reason:
                tap.skip(tool, reason)
                continue
            for name, faults in zip(names, pool.map(lambda name: look(command, name), names)):
                tap.test(f"{tool} {name or program}", faults)
    tap.end()


if __name__ == "__main__":
    main()
