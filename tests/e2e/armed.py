#!/usr/bin/env python3
"""armed.py: the actions of --on in stat and serve, and as whom a command runs. TAP."""
import os
import re
import shutil
import subprocess
import tempfile
import time

import serving
from serving import M1TOP, Server

FOLDER = tempfile.mkdtemp(prefix="m1top-armed-")
VIRTUAL = ("--backend", "sim:seed=7,clock=virtual", "-d", "0.1")
REAL = ("--backend", "sim:seed=7", "-d", "0.1")
HIT = "branch_mpki>9.7 for 200ms"  # in this session once: cpu0 from 5.0 s on
ALWAYS = "IPC>0 by system"


def check(truth, *why):
    if not truth:
        raise AssertionError(" ".join(str(part) for part in why))


def path(name):
    return os.path.join(FOLDER, name)


def text(name):
    with open(path(name), encoding="utf-8") as file:
        return file.read()


def until(truth, *why):
    end = time.monotonic() + 120
    while not truth():
        check(time.monotonic() < end, *why)
        time.sleep(.05)


def run(*words, **more):
    done = subprocess.run([M1TOP, *words], capture_output=True, text=True, timeout=120, check=False, **more)
    check(done.returncode == 0, words, done.stderr)
    return done


def stat(on, *options, **more):
    return run("stat", "--on", on, *options, **more)


def marks_and_history():
    """mark stands where the excursion began; write: leaves the time before it, which replay and report read"""
    done = stat(f"{HIT} do mark,write:{path('before.csv')}", *VIRTUAL, "-n", "60", "-o", path("run.csv"))
    check(re.findall("^# mark .*", text("run.csv"), re.M) == ['# mark 5.100000000 "cpu0   branch_mpki  9.78 > 9.70 /Kinst"'],
          text("run.csv"))
    check("wrote " + path("before-1.csv") + ", 51 frames" in done.stderr, done.stderr)
    shown = run("replay", "--to-stat", "-x,", path("before-1.csv")).stdout
    times = [float(line.split(",")[0]) for line in shown.splitlines()]
    check(min(times) < .2 and max(times) > 5, min(times), max(times))
    check("5.1 s in 51 intervals" in run("report", path("before-1.csv")).stdout)


def histories_have_names():
    """an existing file is not overwritten: the next name is used; at most the last minute is written"""
    with open(path("taken-1.csv"), "w", encoding="utf-8") as file:
        file.write("mine")
    done = stat(f"IPC<0.25 for 2s do write:{path('taken.csv')}", "--backend", "sim:seed=7,clock=virtual", "-n", "150")
    check(text("taken-1.csv") == "mine")
    lengths = [int(n) for n in re.findall(r"wrote .*taken-\d+\.csv, (\d+) frames", done.stderr)]
    check(lengths and max(lengths) in (60, 61), done.stderr)


def failed_histories_leave_nothing():
    """on a full disk write: says so and leaves no file, plain or compressed"""
    os.mkdir(path("full"))
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4k", "none", path("full")], check=False,
                      stderr=subprocess.DEVNULL).returncode:
        return "cannot mount a small file system"
    try:
        for name in ("a.csv", "b.csv.zst"):
            done = stat(f"{HIT} do write:{path('full')}/{name}", *VIRTUAL, "-n", "60")
            check("No space left" in done.stderr and not os.listdir(path("full")), done.stderr, os.listdir(path("full")))
    finally:
        subprocess.run(["umount", path("full")], check=True)
    return None


def other_counts():
    """preset: and tasks: count something else for their time, then the same as before"""
    for action, counted, tasks in (("preset:l1d", False, False), ("tasks:500ms", True, True), ("preset:l1d,tasks:20s", False, True)):
        name = re.sub(r"\W", "", action) + ".csv"
        stat(f"{HIT} do {action}", *VIRTUAL, "-n", "180", "-o", path(name))
        sets = re.findall(r"^# set (\d+) type=E slot=2( tasks=1|) .*event=(\w+)", text(name), re.M)
        check(sets[0] == ("1", "", "MAP_STALL"), action, sets)
        check((sets[-1][0] == "1") == ("20s" not in action), action, sets)
        check(any(one[2] != "MAP_STALL" for one in sets) != counted, action, sets)
        check(any(one[1] for one in sets) == tasks, action, sets)


def commands():
    """a command has the excursion in its environment, no standard files and no m1top to wait for it"""
    env = path("env")
    on = f"{ALWAYS} do run:env > {env}.part; readlink /proc/self/fd/0 /proc/self/fd/2 > {path('files')}; mv {env}.part {env}"
    stat(on, *REAL, "-n", "3")
    until(lambda: os.path.exists(env), "no environment")
    said = dict(line.split("=", 1) for line in text("env").splitlines() if line.startswith("M1TOP_"))
    check(said["M1TOP_METRIC"] == "IPC" and said["M1TOP_ROW"] in "EP" and float(said["M1TOP_VALUE"]) > 0, said)
    check(abs(float(said["M1TOP_TIME"]) - time.time()) < 300, said)
    check(text("files") == "/dev/null\n/dev/null\n", text("files"))


def one_command_at_a_time():
    """a second one is skipped with a message while the first runs; neither delays the end"""
    # it runs until the test is over
    done = stat(f"{ALWAYS} do run:echo x >> {path('runs')}; while test -e {path('runs')}; do sleep .1; done", *REAL, "-n", "3")
    until(lambda: os.path.exists(path("runs")) and text("runs"), "it does not run")
    check(text("runs") == "x\n", text("runs"))
    os.remove(path("runs"))
    check("the command of an earlier one still runs" in done.stderr, done.stderr)


def commands_of_the_invoker():
    """under sudo a command runs as the user who called it, without capabilities"""
    if os.geteuid() != 0:
        return "needs root"
    os.chmod(FOLDER, 0o777)
    stat(f"{ALWAYS} do run:grep -E '^(Uid|CapEff)' /proc/self/status > {path('who')}; touch {path('done')}", *REAL, "-n",
         "3", env={**os.environ, "SUDO_UID": "65534", "SUDO_GID": "65534"})
    until(lambda: os.path.exists(path("done")), "it does not run")
    check("65534\t65534\t65534\t65534" in text("who") and "CapEff:\t0000000000000000" in text("who"), text("who"))
    return None


def served():
    """serve marks its log, too"""
    with Server(*REAL, "-o", path("served.csv"), "--on", f"{ALWAYS} do mark,run:touch {path('seen')}") as server:
        until(lambda: os.path.exists(path("seen")), "no command")
        server.stop()
    check(re.search('^# mark .* "[EP] +IPC', text("served.csv"), re.M), text("served.csv")[-500:])


def from_the_set():
    """a metric that is not counted is refused with the reason; -M counts it, expressions too"""
    sim = ("stat", "--backend", "sim:seed=7,clock=virtual", "-n", "2")
    on = ("--on", "x<1 do run:true")
    done = subprocess.run([M1TOP, *sim, "--on", "l1d_tlb_mpki>0 do mark"], capture_output=True, text=True, check=False)
    check(done.returncode == 2 and "--on l1d_tlb_mpki>0: metric l1d_tlb_mpki: no counted event is" in done.stderr, done.stderr)
    check(re.search(r"x +0\.", run(*sim, "-M", "x=MAP_STALL/CORE_ACTIVE_CYCLE", *on).stderr))


if __name__ == "__main__":
    try:
        serving.run([marks_and_history, histories_have_names, failed_histories_leave_nothing, other_counts, commands, one_command_at_a_time,
                     commands_of_the_invoker, served, from_the_set])
    finally:
        shutil.rmtree(FOLDER)
