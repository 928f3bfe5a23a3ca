"""Programs with a screen, each in a terminal (pty) of 120 × 40, watched through it and /proc."""
import fcntl
import os
import pty
import queue
import re
import signal
import struct
import termios
import threading
import time

from figures import Missing

ROWS, COLUMNS = 40, 120
QUIET_S = .03  # so long without output: that was all of it


class Terminal:
    """A program and its terminal, which takes what is written at once and notes when."""

    def __init__(self, command, **environment):
        self.command = command
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("4H", ROWS, COLUMNS, 0, 0))
            os.environ.update(TERM="xterm-256color", LC_ALL="C.UTF-8", **environment)
            os.execvp(command[0], command)
        self.output = queue.SimpleQueue()  # of (when, bytes)
        threading.Thread(target=self.take, daemon=True).start()

    def take(self):
        try:
            while chunk := os.read(self.fd, 1 << 16):
                self.output.put((time.monotonic(), chunk))
        except OSError:  # EIO: the program has ended
            pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.kill(self.pid, signal.SIGTERM)
        os.waitpid(self.pid, 0)

    def read(self, limit_s):
        """@return when and what, within the limit; None: nothing came"""
        try:
            return self.output.get(timeout=max(0, limit_s))
        except queue.Empty:
            return None

    def forget(self):
        """What was written until now is of no interest."""
        while not self.output.empty():
            self.output.get()

    def settle(self, limit_s=2):
        """Wait for the next picture and for its end."""
        end = time.monotonic() + limit_s
        self.forget()
        while not self.read(QUIET_S) and time.monotonic() < end:
            pass
        while self.read(QUIET_S) and time.monotonic() < end:
            pass

    def key(self, key):
        os.write(self.fd, key)

    def answer_s(self, key, mark=None, limit_s=2):
        """Seconds from a key to the end of what is written then, or to the mark in it."""
        self.forget()
        start, last, text = time.monotonic(), 0, b""
        self.key(key)
        while got := self.read(QUIET_S if last and not mark else start + limit_s - time.monotonic()):
            last, text = got[0], text + got[1]
            if mark and mark in text:
                break
        if not last or (mark and mark not in text):
            raise Missing(f"{self.command[0]} did not answer {key}")
        return last - start

    def threads(self):
        return os.listdir(f"/proc/{self.pid}/task")

    def cpu_of_threads(self):
        """CPU (s) so far by thread, to the nanosecond where the kernel keeps schedstats."""
        used = {}
        for thread in self.threads():
            with open(f"/proc/{self.pid}/task/{thread}/schedstat", encoding="ascii") as file:
                used[thread] = int(file.read().split()[0]) / 1e9
        return used

    def cpu(self):
        return sum(self.cpu_of_threads().values())

    def cpu_of_main(self):
        return self.cpu_of_threads()[str(self.pid)]

    def memory_mib(self):
        with open(f"/proc/{self.pid}/status", encoding="ascii") as file:
            return int(re.search(r"VmHWM:\s+(\d+)", file.read())[1]) / 1024


def shares(used, seconds, n):
    """By how much of a CPU each of these grows, in n pieces of time. @used  functions: seconds of CPU
    so far  @return n values for each"""
    grown = [[] for _ in used]
    for _ in range(n):
        before, start = [so_far() for so_far in used], time.monotonic()
        time.sleep(seconds)
        passed = time.monotonic() - start
        for values, so_far, then in zip(grown, used, before):
            values.append((so_far() - then) / passed)
    return grown
