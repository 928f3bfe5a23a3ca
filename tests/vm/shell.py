#!/usr/bin/env python3
"""shell.py KERNEL: a shell on the emulated M1, on this terminal. Ctrl-D there leaves it."""
import os
import shutil
import subprocess
import sys
import tempfile

from machine import VM, qemu

TERMINFO = ("/etc/terminfo", "/lib/terminfo", "/usr/share/terminfo",
            os.path.expanduser("~/.terminfo"))


def terminal_archive(term):
    """Return a cpio archive with what is known here of this kind of terminal, or nothing."""
    name = os.path.join(term[0], term)
    for folder in TERMINFO:
        if os.path.exists(os.path.join(folder, name)):
            with tempfile.TemporaryDirectory() as tree:
                copy = os.path.join(tree, "lib/terminfo", name)
                os.makedirs(os.path.dirname(copy))
                shutil.copy(os.path.join(folder, name), copy)
                return subprocess.run("find lib | cpio -o -H newc -R 0:0 --quiet", shell=True,
                                      cwd=tree, stdout=subprocess.PIPE, check=True).stdout
    return b""


def main():
    kernel, term = sys.argv[1], os.environ.get("TERM") or "vt100"
    size = shutil.get_terminal_size()
    with tempfile.NamedTemporaryFile() as initrd:
        with open(f"{VM}/{kernel}/initrd", "rb") as base:
            shutil.copyfileobj(base, initrd)
        initrd.write(terminal_archive(term))
        initrd.flush()
        command = qemu(kernel, "shell", initrd.name, "", term, f"{size.lines}x{size.columns}")
        return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
