#!/usr/bin/env python3
"""completions.py: Tab in bash, zsh and fish completes command lines of m1top. TAP."""
import os
import shlex
import shutil
import sys
import tempfile

from serving import M1TOP, ROOT, Tap

sys.path.insert(0, os.path.join(ROOT, "tests", "screens"))
from pane import Pane, has_tmux  # noqa: E402

FILES = os.path.join(ROOT, "packaging", "completions")
BASH_COMPLETION = "/usr/share/bash-completion/bash_completion"
PROMPT = "ready>"
CLEAR = b"\x15\x0c"  # Ctrl-U Ctrl-L

# What is typed before Tab, and what the screen shows then. A second Tab lists where the first finds several.
CASES = [
    ("m1top sta", "m1top stat"),
    ("./m1top sta", "./m1top stat"),
    ("m1top stat --demo --ev", "--event"),
    ("m1top stat --interval-pr", "--interval-print"),
    ("m1top stat --demo -e INST_INT_AL", "-e INST_INT_ALU"),
    ("m1top stat --demo -e inst_int_al", "-e INST_INT_ALU"),
    ("m1top stat --demo -eINST_INT_AL", "-eINST_INT_ALU"),
    ("m1top stat --demo -e \"INST_INT_AL", "-e \"INST_INT_ALU"),
    ("m1top stat --demo -o \"a file.csv\" -x '' -e INST_INT_AL", "-e INST_INT_ALU"),
    ("m1top stat --demo -o a\\ file.csv -x \"\" -e INST_INT_AL", "-e INST_INT_ALU"),
    ("m1top stat --demo --event=cycles,PMC5=INST_INT_AL", "--event=cycles,PMC5=INST_INT_ALU"),
    ("m1top stat --demo -e software/config=1,x:y/,INST_INT_AL", "-e software/config=1,x:y/,INST_INT_ALU"),
    ("m1top stat --demo -e INST_INT_\t", "INST_INT_ALU"),
    ("m1top --demo -M IPC,uops_per_in", "-M IPC,uops_per_inst"),
    ("m1top --demo --preset xscale-ic", "--preset xscale-icache"),
    ("m1top stat --by phy", "--by physical-core"),
    ("m1top --theme mono", "--theme monochrome"),
    ("m1top discover --kernels load,self-m", "--kernels load,self-modifying"),
    ("m1top list pre", "m1top list presets"),
    ("m1top list --demo events INST_INT_AL", "events INST_INT_ALU"),
    ("m1top replay a_ses", "m1top replay a_session.csv"),
    ("m1top report --html=a_ses", "--html=a_session.csv"),
    ("m1top --events-dir a_", "--events-dir a_folder/"),
    ("m1top stat a_pro", "m1top stat a_program"),
    ("m1top stat a_program a_ses", "a_program a_session.csv"),
    ("m1top stat -e cycles -- a_pro", "-- a_program"),
]
# Of some shells.
DESCRIBED = ("m1top list --demo metrics uops_per\t", "Uops per instruction")
DELEGATED = ("sudo m1top sta", "sudo m1top stat")

# How a shell is started, so that it shows the prompt, and what it is told then.
BASH = (f"env HISTFILE= PS1='{PROMPT} ' bash --norc --noprofile -i", [f". {shlex.quote(FILES)}/m1top.bash"], CASES)
SHELLS = {
    "bash": ("bash", *BASH),
    "bash with bash-completion":
        (BASH_COMPLETION, BASH[0], [f". {BASH_COMPLETION}", *BASH[1]], CASES + [DELEGATED]),
    "zsh": ("zsh", f"env PS1='{PROMPT} ' zsh -f -i",
            [f"fpath=({FILES} $fpath); autoload -U compinit; compinit -u -d dump"],
            CASES + [DESCRIBED, DELEGATED]),
    "fish": ("fish", "env -u XDG_CONFIG_HOME -u XDG_DATA_HOME HOME=. fish -i -C 'set fish_greeting; set fish_history; "
             f"function fish_prompt; echo -n \"{PROMPT} \"; end'",
             ["set fish_autosuggestion_enabled 0", f"source {shlex.quote(FILES)}/m1top.fish"],
             CASES + [DESCRIBED, DELEGATED]),
}


def is_ready(pane):
    return pane.screen().strip() == PROMPT


def completes(pane, typed, shown):
    try:
        pane.type(CLEAR)
        pane.until(lambda: is_ready(pane), "not cleared")
        pane.type(typed.encode() + b"\t")
        pane.wait(shown)
    except AssertionError as why:
        return [str(why)]
    return []


def fill(folder):
    os.mkdir(os.path.join(folder, "a_folder"))
    # else fish makes it, and fills it in the background
    os.makedirs(os.path.join(folder, ".local", "share", "fish", "generated_completions"))
    for name in ("a_session.csv", "a_program", "sudo"):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n")
    for name in ("a_program", "sudo"):
        os.chmod(os.path.join(folder, name), 0o755)
    os.symlink(M1TOP, os.path.join(folder, "m1top"))


def try_shell(tap, name, start, told, cases):
    with tempfile.TemporaryDirectory(prefix="m1top-completions-") as folder:
        fill(folder)
        with Pane(folder, 100, 30) as pane:
            pane.type(f"export PATH={shlex.quote(folder)}:$PATH; clear; exec {start}\r".encode())
            pane.until(lambda: is_ready(pane), "no prompt")
            for line in told:
                pane.type(line.encode() + b"\r")
            pane.type(b"echo all' 'told\r")
            pane.wait("all told")
            for typed, shown in cases:
                tap.test(f"{name}: {typed.strip()}", completes(pane, typed, shown))


def main():
    tap = Tap()
    if not has_tmux():
        print("1..0 # SKIP tmux is not installed")
        return
    for name, (needs, *shell) in SHELLS.items():
        if shutil.which(needs) or os.path.exists(needs):
            try_shell(tap, name, *shell)
        else:
            tap.skip(name, f"no {needs} here")
    tap.end()


if __name__ == "__main__":
    main()
