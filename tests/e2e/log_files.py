#!/usr/bin/env python3
"""log_files.py: what becomes of a log: closed descriptors, two writers, a file that goes, a full disk. TAP."""
import os
import pty
import shutil
import subprocess
import tempfile
import time

import serving
from serving import M1TOP, Server, log_rows

FOLDER = tempfile.mkdtemp(prefix="m1top-files-")
SIM = ("--backend", "sim:seed=3", "-I", "20")


def check(truth, *why):
    if not truth:
        raise AssertionError(" ".join(str(part) for part in why))


def path(name):
    return os.path.join(FOLDER, name)


def until(truth, *why):
    """Wait for a condition, however busy the machine is."""
    end = time.monotonic() + 120
    while not truth():
        check(time.monotonic() < end, *why)
        time.sleep(.05)


def with_closed(closed, *words):
    """Run m1top by a shell that closes descriptors: exit status and stderr."""
    done = subprocess.run(["sh", "-c", f'exec "$0" "$@" {closed}', M1TOP, *words], capture_output=True,
                          stdin=subprocess.DEVNULL, text=True, timeout=60, check=False)
    return done.returncode, done.stderr


def closed_descriptors():
    """a closed stdout is an error, told at once; a closed stderr and stdin harm nobody"""
    for words in (("stat", *SIM), ("stat", *SIM, "-n", "1"), ("list", "presets", "--demo")):
        status, said = with_closed(">&-", *words)
        check(status == 1 and "standard output: Bad file descriptor" in said, words, status, said)
    status, said = with_closed("2>&-", "serve", *SIM, "-n", "5", "--listen", "127.0.0.1:0")
    check(status == 0, "serve 2>&-:", status)
    status, said = with_closed("<&- >&- 2>&-", "stat", *SIM, "-n", "3", "-o", path("closed.csv"))
    check(status == 0, "stat -o without any:", status)
    check({row[0] for row in log_rows(path("closed.csv"))} == {1, 2, 3}, "its log")


def small_disk(name, size):
    """A file system of its own. @return whether it could be mounted"""
    os.mkdir(path(name))
    return subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", path(name)], check=False,
                          stderr=subprocess.DEVNULL).returncode == 0


def served_without_its_log():
    """serve -o on a full disk goes on; /-/healthy, a metric and the exit status say that the log has stopped"""
    if not small_disk("served", "64k"):
        return "cannot mount a small file system"
    try:
        with Server(*SIM, "-o", path("served/log.csv")) as server:
            until(lambda: server.get("/-/healthy")[0] == 503, "healthy without its log")
            check("log has stopped" in server.get("/-/healthy")[2], "the wrong reason")
            check(server.metrics()[("m1top_log_running",)] == 0, "the metric")
            status, _ = server.stop()
            check(status == 1 and "No space left" in server.said, status, server.said)
        check(len(list(log_rows(path("served/log.csv")))) > 300, "what was logged before")
        with Server(*SIM, "-o", path("whole.csv")) as server:
            check(server.wait(2)[("m1top_log_running",)] == 1, "the metric of a log")
            check(server.get("/-/healthy")[0] == 200, "not healthy")
            check(server.stop()[0] == 0, server.said)
        with Server(*SIM) as server:
            check(("m1top_log_running",) not in server.wait(1), "a metric of no log")
    finally:
        subprocess.run(["umount", path("served")], check=True)
    return None


def two_writers():
    """a file has one writer: a second one is refused by name and pid, whatever its mode, and harms nothing"""
    log = path("two.csv")
    with Server(*SIM, "-o", log) as server:
        server.wait(1)
        who = f"two.csv is being written by m1top (pid {server.process.pid})"
        for mode in ([], ["--append"], ["--force"]):
            status, said = with_closed("", "stat", *SIM, "-n", "2", "-o", log, *mode)
            check(status == 1 and who in said, mode, status, said)
        server.wait(20)
        check(server.stop()[0] == 0, server.said)
    ticks = [row[0] for row in log_rows(log)]
    check(len(set(ticks)) >= 20 and ticks == sorted(ticks), "not one session")
    status, said = with_closed("", "stat", *SIM, "-n", "2", "-o", log, "--append")
    check(status == 0, "afterwards:", status, said)


def on_a_screen(*words):
    """Run m1top in a terminal of its own: exit status and stderr."""
    master, slave = pty.openpty()
    process = subprocess.Popen([M1TOP, *words], stdin=slave, stdout=slave, stderr=subprocess.PIPE, text=True,
                               env=dict(os.environ, TERM="xterm", LINES="24", COLUMNS="80"))
    os.close(slave)
    try:
        while os.read(master, 65536):
            pass
    except OSError:
        pass  # the last one who had it open has gone
    said = process.communicate(timeout=60)[1]
    os.close(master)
    return process.returncode, said


def screen_without_its_log():
    """the live screen says at its end, too, that its log has stopped"""
    if not small_disk("screen", "64k"):
        return "cannot mount a small file system"
    try:
        status, said = on_a_screen(*SIM, "-n", "100", "-o", path("screen/log.csv"))
        check(status == 1 and "log.csv: No space left" in said, status, said)
    finally:
        subprocess.run(["umount", path("screen")], check=True)
    return None


if __name__ == "__main__":
    try:
        serving.run([closed_descriptors, served_without_its_log, screen_without_its_log, two_writers])
    finally:
        shutil.rmtree(FOLDER)
