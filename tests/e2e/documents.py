#!/usr/bin/env python3
"""documents.py: the console blocks of README and docs, run again: they end and print as it stands there. TAP.

A command ends with 0, or with the figure behind `$ echo $?`. Its lines must have the same
words, and the same figures too where the clock of a simulation is virtual (as in loop.csv); what m1top says of this machine's
counters may differ. "…" stands for what was left out: lines, or the end of one.

Each block says what it is behind its first ```: a block "console on another machine" is skipped, and one of another
language is no output. Indented examples of `m1top stat` are run on the simulation and end with 0.
"""
import itertools
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CANNOT_COUNT = (3, 4, 127)  # not permitted here, nothing to count here, no script(1)
SIMULATED = "m1top: SIMULATED"  # said each time; a block says it once
FIGURE = re.compile(r"\S*\d\S*")
BLOCK = re.compile(r"^```(.*)\n((?s:.*?))^```$", re.M)
KINDS = ("asm", "console", "console on another machine", "python", "sh", "text", "yaml")
EXAMPLE = re.compile(r"^ {4}m1top stat (.*?)(?: +#.*)?$", re.M)


def commands(document):
    """[command, status, lines of output] of each console block and indented example."""
    text = document.read_text()
    found = [[f"./m1top stat --backend sim:smmu=2,clock=virtual -n 1 {words}", 0, []] for words in EXAMPLE.findall(text)]
    for kind, block in BLOCK.findall(text):
        if kind != "console":
            continue
        lines = iter(block.splitlines())
        for line in lines:
            if line == "$ echo $?":
                found[-1][1] = int(next(lines))
            elif line.startswith("$ "):
                found.append([line[2:], 0, []])
            else:
                found[-1][2].append(line)
    return found


def run(command):
    # on a busy machine a core may be late for its row; in virtual time none is
    words = ["sh", "-c", command.replace("stat --demo", "stat --backend sim:clock=virtual")]
    if command.startswith("./m1top -"):  # has a screen: a terminal, and one interval
        words = ["script", "-qec", command + " -n 1", "/dev/null"]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout.decode().splitlines()


def comparable(command, lines):
    """What two runs have in common."""
    of_machine = SIMULATED if "--demo" in command or "sim:" in command else "m1top: "
    lines = [line for line in lines if not line.startswith(of_machine)]
    if "virtual" in command or "loop.csv" in command:
        return lines
    if "--selfcheck" in command:  # headings, once each, but for what differs with the counters that there are
        return sorted({re.sub(r"type \w+|to the .* of work", "…", FIGURE.sub("#", line))
                       for line in lines[1:] if line[:1].isalpha()})
    # without rights user mode is counted, which has no context switches
    return [" ".join(FIGURE.sub("#", line.replace(":u", "").replace("n/s", "0")).split()) for line in lines]


def is_like(line, shown):
    return line.startswith(shown[:-1].rstrip()) if shown.endswith("…") else line == shown


def first_difference(lines, shown):
    """None: they are alike."""
    lines, skips = iter(lines), False
    for want in shown:
        if want == "…":
            skips = True
            continue
        got = next((line for line in lines if is_like(line, want) or not skips), None)
        if got is None or not is_like(got, want):
            return f'"{want}" is "{got}" now'
        skips = False
    rest = None if skips else next(lines, None)
    return rest and f'"{rest}" is not in the document'


def check(command, wanted, shown):
    status, lines = run(command)
    if status != wanted:
        return status in CANNOT_COUNT, [f"ended with {status}"] + lines
    why = shown and first_difference(comparable(command, lines), comparable(command, shown))
    return not why, [why] if why else []


def main():
    os.environ["M1TOP_EVENTS"] = os.environ.get("M1TOP_EVENTS", str(ROOT / "events"))
    program = os.path.abspath(os.environ.get("M1TOP", ROOT / "m1top"))
    number, all_ok = itertools.count(1), True
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(XDG_CONFIG_HOME=folder + "/config", TERM="xterm-256color", LC_ALL="C.UTF-8")
        os.chdir(folder)
        os.symlink(program, "m1top")
        for document in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
            for command, wanted, shown in commands(document):
                ok, why = check(command, wanted, shown)
                skip = " # SKIP cannot count here, or no script(1)" if ok and why else ""
                print("not " * (not ok) + f"ok {next(number)} - {document.name}: {command}{skip}")
                print("".join(f"# {line}\n" for line in why), end="")
                all_ok &= ok
            for kind, block in BLOCK.findall(document.read_text()):
                if kind == "console on another machine" or kind not in KINDS:
                    skip = f" # SKIP {kind}" if kind in KINDS else ""
                    print("not " * (not skip) + f"ok {next(number)} - {document.name}: a block of {kind or 'no kind'}: "
                          f"{block.splitlines()[0]}{skip}")
                    all_ok &= bool(skip)
    print(f"1..{next(number) - 1}")
    return not all_ok


sys.exit(main())
