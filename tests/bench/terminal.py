"""Programs with a screen, each in a terminal (pty) of 120 × 40, watched through it and /proc."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

from figures import Missing

ROWS, COLUMNS = 40, 120
QUIET_S = .03  # so long without output: that was all of it


class Terminal:
    """A program and its terminal. What it writes is read in show() and answer() only."""

    def __init__(self, command, **environment):
        self.command = command
        self.output = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("4H", ROWS, COLUMNS, 0, 0))
            os.environ.update(TERM="xterm-256color", LC_ALL="C.UTF-8", **environment)
            os.execvp(command[0], command)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.kill(self.pid, signal.SIGTERM)
        show([self], .3)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)

    def read(self, limit_s):
        """@return what comes within the limit; b"": nothing"""
        if not select.select([self.fd], [], [], max(0, limit_s))[0]:
            return b""
        try:
            return os.read(self.fd, 1 << 16)
        except OSError as why:  # EIO: it has ended
            raise Missing(f"{' '.join(self.command)} ended") from why

    def wait(self, pattern, limit_s=10):
        """Read until the output has had this."""
        end, text = time.monotonic() + limit_s, b""
        while not re.search(pattern, text):
            if time.monotonic() > end:
                raise Missing(f"{self.command[0]} never showed {pattern}")
            text += self.read(.1)

    def settle(self, limit_s=2):
        """Read until a picture has come to its end."""
        end = time.monotonic() + limit_s
        while not self.read(.1) and time.monotonic() < end:
            pass
        while self.read(QUIET_S) and time.monotonic() < end:
            pass

    def key(self, key):
        os.write(self.fd, key)

    def answer_s(self, key, mark=None, limit_s=2):
        """Seconds from a key to the end of what is written then, or to the mark in it."""
        start, last, text = time.monotonic(), None, b""
        self.key(key)
        while chunk := self.read(QUIET_S if last and not mark else start + limit_s - time.monotonic()):
            last, text = time.monotonic(), text + chunk
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


def show(terminals, seconds):
    """Let them run, and read what they write. @return seconds that passed"""
    start = time.monotonic()
    while (left := start + seconds - time.monotonic()) > 0:
        for fd in select.select([terminal.fd for terminal in terminals], [], [], left)[0]:
            try:
                os.read(fd, 1 << 16)
            except OSError:  # EIO: it has ended
                return time.monotonic() - start
    return time.monotonic() - start


def shares(terminals, seconds):
    """Share of one CPU that each uses, watched at the same time."""
    before = [terminal.cpu() for terminal in terminals]
    passed = show(terminals, seconds)
    return [(terminal.cpu() - used) / passed for terminal, used in zip(terminals, before)]
