#!/usr/bin/env python3
"""ends.py: how stat ends with a command: each signal to each process, each kind of command, beside perf stat itself. TAP."""
import concurrent.futures
import os
import resource
import shutil
import signal
import subprocess
import time

from serving import M1TOP, ROOT, Tap

TOOLS = {"m1top": [M1TOP, "stat", "--backend", "sim:seed=5", "-C", "0", "-e", "cycles", "--"],
         "perf": ["perf", "stat", "-e", "task-clock:u", "--"]}
BY_FUNCTION = [M1TOP, "stat", "--by", "function", "-n", "1", "-d", "0.1"]
NOT_PERMITTED = 3
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE]
TO = ["alone", "group", "command"]
# Each says its id, waits until its input ends, and exits with STATUS.
STATUS = 5
COMMANDS = {
    "plain": "echo $$; read line; exit 5",
    "ignores": "trap '' INT TERM HUP QUIT PIPE; echo $$; read line; exit 5",
    "stops": "echo $$; kill -STOP $$; read line; exit 5",
    "leaves": "sleep 600 >/dev/null 2>&1 & echo $$; read line; exit 5",
}
CAUGHT = SIGNALS[:3]  # those that end m1top after its last line


def state(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return "gone"


def until_stopped(pid):
    end = time.monotonic() + 120
    while state(pid) != "T" and time.monotonic() < end:
        time.sleep(.01)


def died(number):
    """@return status of a command that the signal ends, as a shell has it"""
    return 128 + number


def expected(number, to, kind):
    """@return what m1top does: minus the signal that it dies of, or how the command ended"""
    if to != "command" and number != signal.SIGPIPE:
        return -number
    if kind == "ignores" or to == "alone":
        return STATUS
    return died(number)


def as_perf(number, to, kind):
    """@return what perf may do beside that; docs/perf-stat.md says why m1top differs"""
    command = STATUS if kind == "ignores" else 0
    if to == "command":
        return [command]
    if number == signal.SIGINT:  # it waits for the command, and a race decides
        return [-number, command, STATUS]
    # it may take the stop of a command that has just begun for its end, and be gone before the signal
    return [-number, command] if kind == "stops" else [-number]


def end(tool, number, to, kind):
    """@return how the tool ended, and whether the command is still there"""
    process = subprocess.Popen(TOOLS[tool] + ["sh", "-c", COMMANDS[kind]], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        command = int(process.stdout.readline())
        if kind == "stops":
            until_stopped(command)
        if to == "group":
            os.killpg(process.pid, number)
        else:
            os.kill(process.pid if to == "alone" else command, number)
        if kind == "stops" and (tool == "perf" or to == "command" or number not in CAUGHT):
            os.kill(command, signal.SIGCONT)
        process.stdin.close()
        return process.wait(120), state(command) not in ("gone", "Z")
    except (subprocess.TimeoutExpired, ValueError) as error:
        return repr(error), False
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
        process.stdout.close()


def case(number, to, kind):
    """@return what is wrong, and perf's end or None"""
    name = f"{signal.Signals(number).name} to {to}, the command {kind}"
    ours, is_there = end("m1top", number, to, kind)
    wrong = [] if ours == expected(number, to, kind) else [f"{name}: {ours}, not {expected(number, to, kind)}"]
    if is_there and number in CAUGHT:
        wrong.append(f"{name}: the command was left running")
    theirs = None
    for _ in range(3 if HAS_PERF else 0):  # on a busy machine perf itself may lose the command's status
        theirs = end("perf", number, to, kind)[0]
        if theirs in as_perf(number, to, kind):
            break
    if HAS_PERF and theirs not in as_perf(number, to, kind):
        wrong.append(f"{name}: perf {theirs}, not {as_perf(number, to, kind)}")
    return wrong, f"# {signal.Signals(number).name[3:]:4} {to:8} {kind:8} m1top {ours}, perf {theirs}"


def ended_before(number):
    """The command is done, and its counts wait for a reader, when the signal comes."""
    read, write = os.pipe()
    os.set_blocking(write, False)
    try:
        while True:
            os.write(write, b"x" * 4096)
    except BlockingIOError:
        os.set_blocking(write, True)
    process = subprocess.Popen(TOOLS["m1top"] + ["sh", "-c", "echo $$ >&2; exit 5"], stdin=subprocess.DEVNULL, stdout=write,
                               stderr=subprocess.PIPE)
    os.close(write)
    command = next(int(line) for line in process.stderr if line.strip().isdigit())
    while state(command) != "gone":
        time.sleep(.01)
    process.send_signal(number)
    while os.read(read, 65536):
        pass
    os.close(read)
    process.communicate(timeout=120)
    # 5: of a reader that came too late
    return [] if process.returncode in (-number, STATUS) else [f"{number}: {process.returncode}"]


def waits_and_says_so():
    """A command that takes its time over SIGTERM is waited for, which is said."""
    process = subprocess.Popen(TOOLS["m1top"] + ["sh", "-c", COMMANDS["ignores"]], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    command = process.stdout.readline().strip()
    process.send_signal(signal.SIGTERM)
    said = next((line for line in process.stderr if "waiting for the command" in line), "")
    process.communicate(timeout=120)
    wrong = [] if f"process {command}" in said else [f"said {said!r}"]
    return wrong + ([] if process.returncode == -signal.SIGTERM else [str(process.returncode)])


def is_no_interrupt():
    """A command that exits with 130 is no Ctrl-C of m1top's."""
    done = subprocess.run(TOOLS["m1top"] + ["sh", "-c", "exit 130"], capture_output=True, timeout=120, check=False)
    return [] if done.returncode == 130 else [str(done.returncode)]


def has_perf():
    if not shutil.which("perf"):
        return False
    version = subprocess.run(["perf", "--version"], capture_output=True, text=True, check=False).stdout
    counted = subprocess.run(TOOLS["perf"] + ["true"], capture_output=True, check=False)
    return "perf version 6.1" in version and not counted.returncode


def without_memory():
    """little memory is an error that is said, never a wait"""
    wrong = []
    for kilobytes in range(30000, 70000, 2500):
        limited = ["sh", "-c", 'ulimit -v "$0" && exec "$@"', str(kilobytes), *BY_FUNCTION]
        try:
            done = subprocess.run(limited, capture_output=True, text=True, check=False, timeout=120)
        except subprocess.TimeoutExpired:
            wrong.append(f"{kilobytes} kB: did not end")
            continue
        if done.returncode not in (0, 1) or done.returncode and "m1top: " not in done.stderr:
            wrong.append(f"{kilobytes} kB: status {done.returncode}, {done.stderr[-200:]}")
    return wrong


HAS_PERF = has_perf()


def main():
    os.environ["M1TOP_EVENTS"] = os.path.join(ROOT, "events")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    tap = Tap()
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for to in TO:
            for number in SIGNALS:
                results = list(pool.map(case, [number] * len(COMMANDS), [to] * len(COMMANDS), COMMANDS))
                print("\n".join(line for _, line in results))
                tap.test(f"{signal.Signals(number).name} to {to}: as perf, or as docs/perf-stat.md says",
                         [fault for wrong, _ in results for fault in wrong])
    tap.test("a signal after the command's end", [fault for number in CAUGHT for fault in ended_before(number)])
    tap.test(waits_and_says_so.__doc__, waits_and_says_so())
    tap.test(is_no_interrupt.__doc__, is_no_interrupt())
    if os.environ.get("SAN"):
        tap.skip(without_memory.__doc__, "a sanitizer's memory has no limit")
    elif subprocess.run(BY_FUNCTION, capture_output=True, timeout=120, check=False).returncode == NOT_PERMITTED:
        tap.skip(without_memory.__doc__, "counts of all tasks are not permitted")
    else:
        tap.test(without_memory.__doc__, without_memory())
    if not HAS_PERF:
        tap.skip("beside perf", "perf stat 6.1, with which it is compared, does not count here")
    tap.end()


if __name__ == "__main__":
    main()
