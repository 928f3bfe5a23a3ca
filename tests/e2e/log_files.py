#!/usr/bin/env python3
"""log_files.py: what becomes of a log: closed descriptors, two writers, a file that goes, a full disk. TAP."""
import os
import shutil
import subprocess
import tempfile

import serving
from serving import M1TOP, log_rows

FOLDER = tempfile.mkdtemp(prefix="m1top-files-")
SIM = ("--backend", "sim:seed=3", "-I", "20")


def check(truth, *why):
    if not truth:
        raise AssertionError(" ".join(str(part) for part in why))


def path(name):
    return os.path.join(FOLDER, name)


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


if __name__ == "__main__":
    try:
        serving.run([closed_descriptors])
    finally:
        shutil.rmtree(FOLDER)
