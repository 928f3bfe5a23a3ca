"""pane.py: a shell in tmux, for tests that drive the live screen: bytes in, the screen out"""
import fcntl
import os
import pty
import re
import shutil
import struct
import subprocess
import termios
import threading
import time

LIMIT_S = float(os.environ.get("LIMIT_S", 120))
STATE = ("alternate=#{alternate_on} cursor=#{cursor_flag} keypad=#{keypad_flag} "
         "application=#{keypad_cursor_flag} mouse=#{mouse_any_flag}")
PROMPT = "prompt:"

# Keys that Help shows by another name than tmux has for them.
NAMES = {"←": "Left", "→": "Right", "↑": "Up", "↓": "Down", "Esc": "Escape", "PgDn": "NPage",
         "PgUp": "PPage", "S-Tab": "BTab", "S-←": "S-Left", "S-→": "S-Right"}


class Pane:
    """A shell without line editing, so that the settings seen are those that programs find."""

    def __init__(self, folder, width=120, height=40):
        self.folder = folder
        self.socket = f"m1top-{os.path.basename(folder)}"
        conf = os.path.join(folder, "tmux.conf")
        with open(conf, "w", encoding="utf-8") as file:
            file.write("set -g default-terminal screen-256color\nset -s escape-time 0\n"
                       "set -g status off\n")
        self.conf = conf
        self.size = width, height
        shell = (f"exec env -u NO_COLOR -u COLUMNS -u LINES LC_ALL=C.UTF-8 PS1='{PROMPT} ' "
                 "bash --noediting --norc -i")
        self.tmux("new-session", "-d", "-c", folder, "-s", "screen", "-x", str(width), "-y", str(height),
                  shell)
        self.wait(PROMPT)
        pid, tty = self.about("#{pane_pid} #{pane_tty}").split()
        self.shell = int(pid)
        self.tty = os.open(tty, os.O_RDWR | os.O_NOCTTY)

    def tmux(self, *words):
        return subprocess.run(["tmux", "-L", self.socket, "-f", self.conf, *words], check=True,
                              capture_output=True, text=True, env=dict(os.environ, LC_ALL="C.UTF-8")).stdout

    def about(self, form):
        return self.tmux("display-message", "-p", "-t", "screen", form).strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        os.close(self.tty)
        subprocess.run(["tmux", "-L", self.socket, "kill-server"], check=False, capture_output=True)

    # ---- what it is like ----

    def screen(self):
        return self.tmux("capture-pane", "-p", "-t", "screen")

    def shows(self, text):
        return text in self.screen()

    def left_behind(self):
        """What a program may leave behind it: to be compared with the same before."""
        return self.about(STATE), termios.tcgetattr(self.tty)

    def child(self):
        """The process in the foreground; None where there is none."""
        with open(f"/proc/{self.shell}/task/{self.shell}/children", encoding="ascii") as file:
            pids = file.read().split()
        return int(pids[0]) if pids else None

    def find(self, text):
        """Where it stands: column and line from 1, for the mouse."""
        places = []

        def is_found():
            places.extend((line.index(text) + 1, y) for y, line in enumerate(self.screen().splitlines(), 1) if text in line)
            return places

        self.until(is_found, f'"{text}" is not on the screen')
        return places[0]

    # ---- what is done to it ----

    def press(self, *keys):
        """Keys by the names that Help has."""
        names = [NAMES.get(key) or re.sub("^Ctrl-(.)", lambda m: "C-" + m[1].lower(), key) for key in keys]
        self.tmux("send-keys", "-t", "screen", "--", *(re.sub(";$", r"\\;", name) for name in names))

    def type(self, data):
        """Bytes as they are."""
        self.tmux("send-keys", "-t", "screen", "-H", *(f"{byte:x}" for byte in data))

    def mouse(self, button, x, y):
        self.type(f"\033[<{button};{x};{y}M".encode())

    def resize(self, width, height):
        self.size = width, height
        self.tmux("resize-window", "-t", "screen", "-x", str(width), "-y", str(height))

    def taken(self):
        """Has what was typed been read?"""
        return not struct.unpack("i", fcntl.ioctl(self.tty, termios.FIONREAD, b"\0" * 4))[0]

    def escape_ends(self):
        """Until it is a key by itself: with what comes at once it would be one with Alt."""
        self.until(self.taken, "Escape is not read")
        time.sleep(0.05)

    def attach(self):
        """Somebody looks at it, and goes away. @return what they saw"""
        terminal, side = pty.openpty()
        fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        client = subprocess.Popen(["tmux", "-L", self.socket, "attach", "-t", "screen"], stdin=side,
                                  stdout=side, stderr=side, start_new_session=True,
                                  env=dict(os.environ, TERM="xterm-256color", LC_ALL="C.UTF-8"))
        os.close(side)
        seen = []
        reader = threading.Thread(target=lambda: drain(terminal, seen))
        reader.start()
        self.until(lambda: b"SIMULATED" in b"".join(seen), "nothing was seen on attaching")
        self.tmux("detach-client", "-s", "screen")
        client.wait(LIMIT_S)
        reader.join()
        os.close(terminal)

    # ---- waiting ----

    def until(self, holds, otherwise):
        end = time.monotonic() + LIMIT_S
        while not holds():
            if time.monotonic() > end:
                raise AssertionError(f"{otherwise}\n{self.screen().rstrip()}")
            time.sleep(.004)

    def wait(self, text):
        self.until(lambda: self.shows(text), f'waited in vain for "{text}"')


def drain(terminal, seen):
    while True:
        try:
            data = os.read(terminal, 65536)
        except OSError:
            return
        if not data:
            return
        seen.append(data)


def has_tmux():
    return shutil.which("tmux") is not None
