#!/usr/bin/env python3
"""hostile_text.py: names of others have no power over the terminal, and data keep them. TAP.

Processes, events, files, sessions and arguments are named after sequences for terminals; whatever
m1top then prints to people holds none of them, and what it prints for programs all.
"""
import fcntl
import json
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import tempfile
import termios
import time
import unicodedata

from serving import M1TOP, ROOT, Tap, lacks

EVENT = "BRANCH_MISPRED_NONSPEC"
NAME = "\u202e\x9b\x1b]0;x\x07\x1b[31mz"  # the eight first characters are its short name
PROCESS = "\x1b]0;x\x07\u202e\nz"  # no more than 15 bytes
HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
LIMIT_S = float(os.environ.get("LIMIT_S", 240))


def run(*words, program=M1TOP):
    """What it printed, stdout and stderr, as bytes."""
    done = subprocess.run([program, *words], stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=LIMIT_S, check=False)
    return done.stdout, done.stderr


def on_terminal(*words, keys=b"", until=None, env=None):
    """All that the terminal was sent, until the program ended, or the text `until` came and keys too."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(M1TOP, [M1TOP, *words],
                  dict(os.environ, TERM="xterm-256color", LC_ALL="C.UTF-8", **(env or {})))
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
    sent, end = b"", time.monotonic() + LIMIT_S
    while time.monotonic() < end:
        if not select.select([terminal], [], [], .1)[0]:
            continue
        try:
            part = os.read(terminal, 65536)
        except OSError:
            break
        if not part:
            break
        sent += part
        if until and until in sent:
            os.write(terminal, keys)
            until = None
    os.close(terminal)
    os.waitpid(pid, 0)
    return sent


def check_shown(what, printed):
    """Why a test fails: what is hidden in it, or that it does not say what it should."""
    text = printed.decode("utf-8", "strict")
    match = HIDDEN.search(text)
    if match:
        yield f"{what}: {text[max(0, match.start() - 60):match.end() + 20]!r}"
    if "�" not in text:
        yield f"{what}: the name is not in {text[:400]!r}"


def check_pipe(words):
    for which, printed in zip(("stdout", "stderr"), run(*words)):
        if printed and "␛".encode() in printed:
            yield from check_shown(f"{which} of {words}", printed)
            return
    yield f"{words}: the name was not printed: {run(*words)}"


def make_events(folder, name_of_one=NAME):
    """The project's events, one of them under another name and with a description."""
    shutil.copytree(os.path.join(ROOT, "events"), folder)
    for place, _, files in os.walk(folder):
        for name in files:
            path = os.path.join(place, name)
            with open(path, encoding="utf-8") as file:
                text = file.read()
            if name.endswith(".json") and EVENT in text and "/m1" in place:
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text.replace(EVENT, json.dumps(name_of_one)[1:-1]))


def make_session(path, name_of_one=NAME):
    subprocess.run([M1TOP, "stat", "--backend", "sim:seed=1,clock=virtual", "-n", "3", "--format", "csv",
                    "-o", path], check=True, capture_output=True)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace(EVENT, name_of_one))


def holder_named(folder):
    """doctor's list of who has perf events open; serve's of who has its port."""
    program = os.path.join(folder, PROCESS)
    shutil.copy(M1TOP, program)
    with subprocess.Popen([program, "serve", "--demo", "--listen", "127.0.0.1:0", "--events-dir",
                           os.path.join(ROOT, "events")], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE) as server:
        port = None
        for line in server.stderr:
            found = re.search(rb":(\d+)/metrics", line)
            if found:
                port = int(found[1])
                break
        try:
            said = run("serve", "--demo", "--listen", f"127.0.0.1:{port}")[1]
            doctor = run("doctor")[0]
        finally:
            server.kill()
            server.stderr.close()
    return said, doctor


def of_others(said, pid_line):
    """The name, on one line with what stands behind it."""
    if not re.search(pid_line, said.decode()):
        yield f"no {pid_line} in {said!r}"
    yield from check_shown("it", said)


def check_holder(tap, said, doctor):
    if os.geteuid():
        tap.skip("serve names who has its port", "its descriptors are shown to root alone")
    else:
        tap.test("serve names who has its port", of_others(said, r"␛\]0;x␇� z \(pid \d+\)"))
    if re.search(rb"z \(\d+\)", doctor):
        tap.test("doctor names who holds counters", of_others(doctor, r"␛\]0;x␇� z \(\d+\)"))
    else:
        tap.skip("doctor names who holds counters", "no process can hold one here")


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        events, session = os.path.join(folder, "events"), os.path.join(folder, "s.csv")
        named = os.path.join(folder, NAME)
        make_events(events)
        make_session(session)
        shutil.copy(session, named)
        demo = ["--backend", "sim", "--events-dir", events]
        replay = ["replay", "--to-stat", session]

        for words in (["stat", "--demo", "-e", NAME], ["--" + NAME], ["stat", "--demo", "-C", NAME], ["report", named + "x"],
                      ["list", NAME], ["list", "events", NAME], ["stat", "--backend", NAME],
                      ["list", "events", "Retired", *demo], ["list", "events", NAME, *demo],
                      ["report", session], ["report", session, named], replay):
            tap.test(f"shown: {ascii(' '.join(words)).replace(folder, '')}", check_pipe(words))

        tap.test("JSON of list has it in escapes", json_list(demo))
        tap.test("JSON of report has it in escapes", json_of(["report", "--json", session]))
        tap.test("JSON of replay has it in escapes", json_of([*replay, "--format", "json"]))
        tap.test("CSV in a pipe is as it was", kept([*replay, "--format", "csv"]))
        tap.test("perf's form in a pipe is as it was", kept([*replay, "-x,"]))

        for name in ("µ×", "漢字", "ｗ한", "e\u0301e\u0301", "😀x", "\x1b[31m", "x\ty", "\u200d\u202e"):
            tap.test(f"columns of {ascii(name)}", misaligned(folder, name))

        for words in ([*replay, "--format", "csv"], [*replay, "-x,"], replay, ["report", session],
                      ["list", "events", *demo]):
            tap.test(f"on a terminal: {ascii(' '.join(words)).replace(folder, '')}",
                     check_shown("it", on_terminal(*words, env={"NO_COLOR": "1"}).replace(b"\r\n", b"\n")))
        tap.test("the screen", screen(["replay", session]))

        if why := lacks("holder_named"):
            tap.skip("serve and doctor name others", why)
        else:
            check_holder(tap, *holder_named(folder))
    tap.end()


def width_of(name):
    """Columns of a terminal for a text whose hidden characters are replaced."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in name)


def misaligned(folder, name):
    """What differs between the tables with a name and those with an ASCII name of its width."""
    printed = []
    plain = "N" * width_of(name)
    for i, one in enumerate((name, plain)):
        events, session = os.path.join(folder, f"events{i}"), os.path.join(folder, "session.csv")
        make_events(events, one)
        make_session(session, one)
        sim = ["--backend", "sim:seed=1,clock=virtual", "--events-dir", events]
        printed.append([run(*words)[0].decode() for words in (
            ["stat", *sim, "-n", "2", "-e", one + ",cycles"], ["list", "events", *sim], ["report", session],
            ["report", session, session], ["replay", "--to-stat", session])])
        shutil.rmtree(events)
        os.remove(session)
    for got, expected in zip(*printed):
        shown = HIDDEN.sub("�", name.replace("\t", " ")).replace("\ufffd", "�")
        got = set(re.sub("[\u2400-\u2421]", "�", got).replace(shown, plain).splitlines())
        other = set(expected.splitlines())
        if got != other:
            yield f"{name!r}: {sorted(got - other)[:3]}, with {plain}: {sorted(other - got)[:3]}"


def json_list(demo):
    printed = run("list", "events", "--json", *demo)[0]
    if not any(row["name"] == NAME for row in json.loads(printed)):
        yield "its name is not there"
    if HIDDEN.search(printed.decode()):
        yield f"{HIDDEN.search(printed.decode())[0]!r} is in it"


def json_of(words):
    printed = run(*words)[0].decode()
    if json.dumps(NAME)[1:-1] not in printed:
        yield f"its name is not in {printed[:400]!r}"
    if HIDDEN.search(printed):
        yield f"{HIDDEN.search(printed)[0]!r} is in it"


def kept(words):
    if NAME.encode() not in run(*words)[0]:
        yield f"it is not in {run(*words)[0][:400]!r}"


def screen(words):
    sent = on_terminal(*words, keys=b"\t\t\t\tq", until="␛".encode())
    for bad in (b"\x1b]0;x", "\u202e".encode(), "\x9b".encode(), b"\x07"):
        if bad in sent:
            yield f"{bad!r} was sent"
    if "␛".encode() not in sent:
        yield "the name was not drawn"


if __name__ == "__main__":
    main()
