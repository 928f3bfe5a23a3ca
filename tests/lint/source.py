"""source.py: what the project's checks share: its files, C text without comments, TAP output"""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
FUNCTION = re.compile(r"^([A-Za-z_][^;{}#]*?\b([a-z_]\w*)\([^;{}]*\)[^;{}]*)\n\{\n(.*?)^\}", re.DOTALL | re.MULTILINE)


def files(*patterns):
    """The project's files that match git's pathspecs, new ones included."""
    command = ["git", "-c", "safe.directory=*", "ls-files", "-co", "--exclude-standard", "--"]
    names = subprocess.run(command + list(patterns), cwd=ROOT, check=True, capture_output=True,
                           text=True).stdout.split("\n")
    return sorted({name for name in names if name and os.path.exists(os.path.join(ROOT, name))})


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


def bare(text, strings=False):
    """C text with comments (and the insides of strings) blanked; every line keeps its number."""
    def blank(match):
        token = match[0]
        if token[0] == "/":
            return re.sub(r"[^\n]", " ", token)
        return token if strings else token[0] + " " * (len(token) - 2) + token[-1]
    return TOKEN.sub(blank, text)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def functions(text):
    """Yield (name, first line, lines from the signature to the closing brace)."""
    code = bare(text)
    for match in FUNCTION.finditer(code):
        first = line_of(code, match.start())
        yield match[2], first, line_of(code, match.end()) - first + 1


class Tap:
    """Prints one test a name; `faults` are lines that say where and what."""

    def __init__(self):
        self.n = 0
        self.failed = False

    def test(self, name, faults=()):
        self.n += 1
        faults = list(faults)
        self.failed |= bool(faults)
        print(f"{'not ok' if faults else 'ok'} {self.n} - {name}")
        for fault in faults:
            print("# " + fault.replace("\n", "\n# "))

    def skip(self, name, why):
        self.n += 1
        print(f"ok {self.n} - {name} # SKIP {why}")

    def end(self):
        print(f"1..{self.n}")
        sys.exit(1 if self.failed else 0)
