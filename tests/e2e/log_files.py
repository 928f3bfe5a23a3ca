#!/usr/bin/env python3
"""log_files.py: what becomes of a log: closed descriptors, two writers, a file that goes, a full disk. TAP."""
import os
import pty
import shutil
import subprocess
import tempfile
import threading
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
                          stdin=subprocess.DEVNULL, text=True, timeout=240, check=False)
    return done.returncode, done.stderr


def closed_descriptors():
    """a closed stdout is an error, told at once; with none open a log is still written"""
    for words in (("stat", *SIM), ("stat", *SIM, "-n", "1"), ("list", "presets", "--demo")):
        status, said = with_closed(">&-", *words)
        check(status == 1 and "standard output: Bad file descriptor" in said, words, status, said)
    status, said = with_closed("<&- >&- 2>&-", "stat", *SIM, "-n", "3", "-o", path("closed.csv"))
    check(status == 0, "stat -o without any:", status)
    check({row[0] for row in log_rows(path("closed.csv"))} == {1, 2, 3}, "its log")


def served_with_closed_descriptors():
    """serve goes on with a closed stderr"""
    status, _ = with_closed("2>&-", "serve", *SIM, "-n", "5", "--listen", "127.0.0.1:0")
    check(status == 0, status)


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
            until(lambda: "log has stopped" in server.get("/-/healthy")[2], "healthy without its log")
            check(server.get("/-/healthy")[0] == 503, "the wrong status")
            check(server.metrics()[("m1top_log_running",)] == 0, "the metric")
            status, _ = server.stop()
            check(status == 1 and "No space left" in server.said, status, server.said)
        check(len(list(log_rows(path("served/log.csv")))) > 300, "what was logged before")
        with Server(*SIM, "-o", path("whole.csv")) as server:
            check(server.wait(2)[("m1top_log_running",)] == 1, "the metric of a log")
            check(server.is_healthy(), "not healthy")
            check(server.stop()[0] == 0, server.said)
        with Server(*SIM) as server:
            check(("m1top_log_running",) not in server.wait(1), "a metric of no log")
    finally:
        subprocess.run(["umount", path("served")], check=True)
    return None


def two_writers():
    """a file has one writer: a second one is refused by name and pid, whatever its mode, and harms nothing"""
    for log in path("two.csv"), path("two.csv.zst"):
        check(with_closed("", "stat", *SIM, "-n", "2", "-o", log)[0] == 0, "the session before")
        with Server(*SIM, "-o", log, "--append") as server:
            who = f"{log} is being written by m1top (pid {server.process.pid})"
            for mode in ([], ["--append"], ["--force"]):
                status, said = with_closed("", "stat", *SIM, "-n", "2", "-o", log, *mode)
                check(status == 1 and who in said, mode, status, said)
            server.wait(20)
            check(server.stop()[0] == 0, server.said)
        check(with_closed("", "stat", *SIM, "-n", "2", "-o", log, "--append")[0] == 0, "the session afterwards")
    ticks = list(dict.fromkeys(row[0] for row in log_rows(path("two.csv"))))
    check(len(ticks) >= 20 and ticks == list(range(1, len(ticks) + 1)), "frames are missing:", ticks)


def logs_on(log, lose, start, stop):
    """Lose a log while it is written: what was said, and its last file, which is a whole session by itself."""
    process = start(log)
    until(lambda: os.path.exists(log) and os.path.getsize(log), "no log")
    lose(log)
    beside = log.replace("lost", "lost-2", 1)
    until(lambda: os.path.exists(beside) and os.path.getsize(beside), "no file beside")
    said = stop(process)
    check(said.count(f"what follows is written to {beside}") == 1, said)
    back = subprocess.run([M1TOP, "replay", "--to-stat", "--format", "csv", beside], capture_output=True, text=True,
                          check=False)
    ticks = [int(line.split(",")[0]) for line in back.stdout.splitlines() if line[0] not in "#t"]
    check(back.returncode == 0 and ticks, back.stderr)
    check(sorted(set(ticks)) == list(range(ticks[0], ticks[-1] + 1)), "not all frames")
    os.unlink(beside)
    for name in os.listdir(FOLDER):
        if name.startswith("lost"):
            os.unlink(path(name))


def empty(log):
    with open(log, "w", encoding="utf-8"):
        pass


def remove(log):
    os.unlink(log)


def by_stat(log):
    return subprocess.Popen([M1TOP, "stat", *SIM, "-o", log], stderr=subprocess.PIPE, text=True)


def by_serve(log):
    return Server(*SIM, "-o", log)


def end_stat(process):
    process.terminate()
    return process.communicate(timeout=240)[1]


def end_serve(server):
    with server:
        check(server.stop()[0] == 0, server.said)
    return server.said


def lost_files():
    """a log that is removed or cut short is said once and goes on in a file beside it"""
    logs_on(path("lost.csv"), empty, by_stat, end_stat)
    logs_on(path("lost.csv"), remove, by_stat, end_stat)


def lost_compressed():
    """likewise a compressed one"""
    logs_on(path("lost.csv.zst"), empty, by_stat, end_stat)


def lost_by_serve():
    """likewise that of serve"""
    logs_on(path("lost.csv"), remove, by_serve, end_serve)
    logs_on(path("lost.csv.zst"), remove, by_serve, end_serve)


def lost_on_a_screen():
    """likewise the live screen's"""
    log = path("lost.csv")

    def lose(terminal):
        try:
            until(lambda: os.path.exists(log) and os.path.getsize(log), "no log")
            os.unlink(log)
            until(lambda: os.path.exists(path("lost-2.csv")), "no file beside")
        finally:
            os.write(terminal, b"q")

    status, said = on_a_screen(*SIM, "-o", log, meanwhile=lose)
    check(status == 0 and said.count("what follows is written to") == 1, status, said)
    check(next(log_rows(path("lost-2.csv"))), "no rows beside it")


def on_a_screen(*words, meanwhile=None):
    """Run m1top in a terminal of its own: exit status and stderr. @meanwhile  called with the terminal by another thread"""
    master, slave = pty.openpty()
    process = subprocess.Popen([M1TOP, *words], stdin=slave, stdout=slave, stderr=subprocess.PIPE, text=True,
                               env=dict(os.environ, TERM="xterm", LINES="24", COLUMNS="80"))
    os.close(slave)
    if meanwhile:
        threading.Thread(target=meanwhile, args=(master,)).start()
    try:
        while os.read(master, 65536):
            pass
    except OSError:
        pass  # the last one who had it open has gone
    said = process.communicate(timeout=240)[1]
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
        serving.run([closed_descriptors, served_with_closed_descriptors, served_without_its_log,
                     screen_without_its_log, two_writers, lost_files, lost_compressed, lost_by_serve,
                     lost_on_a_screen])
    finally:
        shutil.rmtree(FOLDER)
