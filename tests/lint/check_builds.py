#!/usr/bin/env python3
"""check_builds.py: m1top builds without warnings with the options of distributions and of other developers"""
import os
import shutil
import subprocess

import source

# Headers of libraries for the target are rarely installed; those of this machine declare the same.
CROSS = "CPPFLAGS=-idirafter /usr/include -idirafter /usr/include/$(shell gcc -print-multiarch)"

# name, compiler, make's variables
BUILDS = [
    ("gcc-O0-NDEBUG", "gcc", ["CFLAGS=-O0", "CPPFLAGS=-DNDEBUG"]),
    ("gcc-lto", "gcc", ["CFLAGS=-O3 -flto=auto"]),
    ("clang-lto-NDEBUG", "clang", ["CFLAGS=-O3 -flto", "CPPFLAGS=-DNDEBUG"]),
    ("aarch64", "aarch64-linux-gnu-gcc", ["CFLAGS=-O1", CROSS]),
]


def fault(*command):
    """The command's words if it fails."""
    kept = ("PATH", "HOME", "TMPDIR", "CCACHE_DIR", "PKG_CONFIG_PATH")
    done = subprocess.run(command, cwd=source.ROOT, env={k: os.environ[k] for k in kept if k in os.environ},
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return [done.stdout] if done.returncode else []


def build(name, compiler, variables):
    folder = f"build/lint-{name}"
    target = f"{folder}/libm1top.a" if variables[-1] == CROSS else f"{folder}/m1top"
    return (fault("make", "-j2", f"CC={compiler}", "WERROR=-Werror", f"B={folder}", *variables, target) or
            not target.endswith(".a") and fault(target, "--version") or [])


def main():
    tap = source.Tap()
    for name, compiler, variables in BUILDS:
        if shutil.which(compiler):
            tap.test(name, build(name, compiler, variables))
        else:
            tap.skip(name, f"{compiler} is not installed")
    tap.end()


if __name__ == "__main__":
    main()
