#!/usr/bin/env python3
"""check_reached.py: tests use each option, setting and key of the manual, and each note of docs/session-format.md"""
import re

import source

MANUAL, NOTES = "m1top.1", "docs/session-format.md"
ARROWS = {"<-": "Left", "->": "Right", "ua": "Up", "da": "Down"}
# the same key, as tmux names it
KEYS = {"Ctrl-L": "C-l", "Ctrl-C": "C-c", "S-Tab": "BTab", "PgDn": "NPage", "PgUp": "PPage", "Esc": "Escape", ";": "\\;"}


def plain(text):
    """@return text of the manual without its escapes"""
    text = re.sub(r"\\\((<-|->|ua|da)", lambda found: ARROWS[found[1]], text)
    return re.sub(r"\\f[A-Z]|\\&", "", text).replace("\\-", "-").replace("\\e", "\\")


def heads(section):
    """@return what a section of the manual describes"""
    text = re.search(rf"^\.SH {section}\n(.*?)(?=^\.SH )", source.read(MANUAL), re.MULTILINE | re.DOTALL)[1]
    return [plain(head) for head in re.findall(r"^\.TP\n(.*)", text, re.MULTILINE)]


def options(text):
    for head in heads("OPTIONS"):
        names = re.findall(r"(?:^|, )(--?[\w-]+)", head)
        if not any(re.search(rf"(?<![\w-]){name}(?![\w-])" if name.startswith("--") else rf"""["' ]{name}(?!-)""", text) for name in names):
            yield f"{MANUAL}: option {', '.join(names)}"


def settings(text):
    for head in heads("CONFIGURATION"):
        name = re.match(r'"([\w-]+)"', head)[1]
        if not re.search(rf'"{name}\\?":|"{name}\\"', text):
            yield f"{MANUAL}: setting {name}"


def keys(pressed):
    for head in heads("KEYS"):
        for key in ("0 9" if head == "0-9" else head).split():
            if KEYS.get(key, key) not in pressed:
                yield f"{MANUAL}: key {key}"


def notes(text):
    for name in sorted(set(re.findall(r"`# (\w+)", re.search(r"^\| `# m1top.*?(?=^[^|])", source.read(NOTES), re.MULTILINE | re.DOTALL)[0]))):
        if not re.search(rf"# {name}\b", text):
            yield f"{NOTES}: note {name}"


def main():
    tests = [name for name in source.files("tests/*") if not name.startswith(("tests/lint/", "tests/cli/help/", "tests/cli/complete/"))]
    used = "\n".join(source.read(name) for name in tests if name.endswith((".c", ".py", ".sh", ".cmd", ".keys", ".bash")))
    printed = "\n".join(source.read(name) for name in tests if name.endswith((".out", ".txt", ".csv", ".c", ".py")))
    pressed = {key for line in re.findall(r"^keys (.*)|send-keys -t screen (.*)", used, re.MULTILINE) for key in " ".join(line).split()}
    tap = source.Tap()
    for what, faults in ("option", options(used)), ("setting", settings(used)), ("key", keys(pressed)), ("note", notes(used + printed)):
        tap.test(f"tests use each {what}", [f"{fault} is used by no test" for fault in faults])
    tap.end()


if __name__ == "__main__":
    main()
