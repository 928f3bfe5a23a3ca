#!/usr/bin/python3
"""Film a session of m1top in a terminal of tmux: which core mispredicts most, which event moves, which code it is.

usage: docs/film.py SCENE COLUMNS ROWS FILE.cast [FOLDER]

Writes what the terminal was sent as an asciinema v2 recording (`asciinema play FILE.cast`), with each
key as a marker. FOLDER gets a picture of the screen after each step. SCENE is one of SCENES.
"""
import codecs
import json
import os
import subprocess
import sys
import tempfile
import threading
import time

LIMIT_S = 60

# Command; then for each step what is done and why, the keys (a text of several characters is typed),
# what the screen shows then, and how long it stays.
SIMULATED = ("m1top --backend sim:seed=7", [
    ("every core, from the first figures on", [], "IPC", 3),
    ("6: the counter of mispredicted branches", ["6"], "BRANCH_MISPRED_NONSPEC", 2),
    ("s: which core has most?", ["s"], "sorted by", 2),
    ("Tab Tab: the metrics, and / finds a name", ["Tab", "Tab", "/", "branch_mpki"], "branch_mpki", 1),
    ("s: which has most for its work?", ["Enter", "s"], "sorted by", 2),
    ("P branch: why? Which kind of branch, and what it costs", ["P", "branch"], "of", 2),
    ("Enter: counted from now on", ["Enter"], "branch", 3),
    ("a: into the graph", ["a"], "in the Graph view", 1),
    ("Tab: since when?", ["Tab"], "━", 3),
    ("-: a longer time", ["-", "-"], "━", 2),
    ("Tab: the same of all cores", ["Tab"], "blank: not counted", 2),
    ("← ←: back to the moment; all views follow", ["Left", "Left"], "kept", 2),
    ("Shift-Tab: what was counted then", ["BTab", "BTab", "BTab"], "kept", 2),
    ("End: live again", ["End"], "live again", 1),
    ("q", ["q"], None, 0),
])
EVENTS = ("m1top --backend sim:seed=7", [
    ("which of all events moves when the work changes?", [], "IPC", 2),
    ("five times Tab: the events", ["Tab"] * 5, "what it counts", 2),
    ("A: count every one of them, by turns", ["A"], "rate/s", 4),
    ("B: compare with the last ten seconds, and wait", ["B"], "change", 14),
    ("what changed most stands first", [], "change", 4),
    ("A: back to what was counted", ["A"], "what was counted", 2),
    ("q", ["q"], None, 0),
])
HOT = ("m1top --backend sim:seed=7,functions=5", [
    ("which code mispredicts branches? First: on which core?", [], "IPC", 2),
    ("6, s: the core with most", ["6", "s", "g"], "0xcb", 2),
    ("T: which task?", ["T"], "ran on", 3),
    ("H: which function? Its share, with its error, of the counted total", ["H"], "100 %", 5),
    ("j, Enter: who calls it?", ["j", "Enter"], "compress_file", 4),
    ("a: where in it? Its source lines, or addresses if the program has no table of lines", ["a"], "ADDRESS", 4),
    ("Esc, Esc: back to the tasks", ["Escape", "Escape"], "IPC", 1),
    ("q", ["q"], None, 0),
])
SCENES = {"simulated": SIMULATED, "events": EVENTS, "hot": HOT}


class Film:
    def __init__(self, columns, rows, command):
        self.size = columns, rows
        self.events, self.start = [], time.monotonic()
        self.folder = tempfile.TemporaryDirectory()
        conf, self.pipe = (os.path.join(self.folder.name, name) for name in ("conf", "pipe"))
        with open(conf, "w", encoding="ascii") as file:
            file.write("set -g default-terminal tmux-256color\nset -s escape-time 0\n"
                       "set -g status off\nset -s exit-empty off\n")
        os.mkfifo(self.pipe)
        self.program = ["tmux", "-L", f"m1top-film-{os.getpid()}", "-f", conf]
        self.tmux("new-session", "-d", "-x", str(columns), "-y", str(rows),
                  f"read _; stty echo; exec ./{command}")
        self.reader = threading.Thread(target=self.record)
        self.reader.start()
        self.tmux("pipe-pane", "-O", f"cat >{self.pipe}")
        self.note("o", f"$ {command}\r\n")
        self.tmux("send-keys", "Enter")

    def tmux(self, *words):
        return subprocess.run([*self.program, *words], capture_output=True, text=True, check=True).stdout

    def note(self, kind, text):
        self.events.append((round(time.monotonic() - self.start, 3), kind, text))

    def record(self):
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        with open(self.pipe, "rb", buffering=0) as pipe:
            while chunk := pipe.read(1 << 16):
                self.note("o", decoder.decode(chunk))

    def keys(self, words):
        for word in words:
            is_text = len(word) > 1 and word.islower()
            self.tmux("send-keys", *(["-l", "--"] if is_text else []), word)
            time.sleep(.4)

    def wait(self, text):
        end = time.monotonic() + LIMIT_S
        while text not in self.tmux("capture-pane", "-p"):
            if time.monotonic() > end:
                sys.exit(f"film.py: waited in vain for \"{text}\":\n{self.tmux('capture-pane', '-p')}")
            time.sleep(.1)

    def picture(self, path):
        columns, rows = map(str, self.size)
        subprocess.run(["docs/screenshot.py", columns, rows, path], check=True, text=True,
                       input=self.tmux("capture-pane", "-e", "-p"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run([*self.program, "kill-server"], capture_output=True, check=False)
        self.reader.join()

    def write(self, path, title):
        head = {"version": 2, "width": self.size[0], "height": self.size[1], "title": title,
                "env": {"TERM": "xterm-256color"}}
        with open(path, "w", encoding="utf-8") as file:
            for item in [head, *self.events]:
                file.write(json.dumps(item, ensure_ascii=False, separators=(",", ":")) + "\n")


def main():
    scene, columns, rows, path, *folder = sys.argv[1:]
    command, steps = SCENES[scene]
    with Film(int(columns), int(rows), command) as film:
        for number, (what, keys, shown, stays_s) in enumerate(steps):
            film.note("m", what)
            film.keys(keys)
            if shown:
                film.wait(shown)
            time.sleep(stays_s)
            if folder and shown:
                film.picture(f"{folder[0]}/{scene}-{columns}x{rows}-{number:02}.png")
    film.write(path, f"m1top: {command}")


main()
