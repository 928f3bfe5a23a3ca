#!/usr/bin/env python3
"""task_stat.py: stat of a command, of -p and -t, beside the truth that the kernel tells the tasks themselves,
and beside perf stat. TAP."""
import contextlib
import os
import re
import select
import shutil
import subprocess
import sys
import tempfile
import threading

import serving
from serving import M1TOP, may_count_all
from task_truth import interrupts_ns

PYTHON = sys.executable or "python3"
EVENTS = "task-clock,page-faults,context-switches"

# What a process is told of itself and its children: CPU time in ms, page faults, context switches.
TRUTH = ("import os, resource, sys\n"
         "def truth():\n"
         " both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]\n"
         " return [sum(1e3 * (one.ru_utime + one.ru_stime) for one in both),\n"
         "         sum(one.ru_minflt + one.ru_majflt for one in both),\n"
         "         sum(one.ru_nvcsw + one.ru_nivcsw for one in both)]\n"
         "def tell():\n"
         " print(*truth(), file=sys.stderr, flush=True)\n"
         " os._exit(0)\n")
TOUCH = ("import mmap\n"
         "def touch(n):\n"
         " m = mmap.mmap(-1, n * 4096)\n"
         " m.madvise(15)\n"
         " for i in range(0, len(m), 4096): m[i] = 1\n"
         " m.close()\n")


def check(truth, *why):
    if not truth:
        raise AssertionError(" ".join(str(part) for part in why))


def counts(lines):
    """@return values by event, intervals added up; None of what was not counted"""
    out = {}
    for line in lines.splitlines():
        field = re.match(r"(?: *[\d.]+,)?([\d.]+|<[a-z ]+>),[^,]*,([\w:-]+),", line)
        if not field:
            continue
        value = None if field[1].startswith("<") else float(field[1])
        out[field[2]] = (out.get(field[2]) or 0) + value if value is not None else out.get(field[2])
    return out


def may_count():
    done = subprocess.run([M1TOP, "stat", "-x,", "-e", EVENTS, "true"], capture_output=True, text=True, check=False)
    return done.returncode == 0 and "only user mode" not in done.stderr


def stat(program, code, events=EVENTS):
    """@return what was counted, what the program said of itself on stderr"""
    done = subprocess.run([program, "stat", "-x,", "-e", events, "--", PYTHON, "-c", code],
                          capture_output=True, text=True, timeout=280, check=False)
    check(done.returncode == 0, done.stderr)
    said = [line for line in done.stderr.splitlines() if re.fullmatch(r"[\d. ]+", line)]
    return counts(done.stdout or done.stderr), [float(word) for word in said[-1].split()] if said else None


class Unlike(AssertionError):
    """A figure is not near enough to its truth. `too_much`: by so much it exceeds what is allowed"""


def near(what, got, truth, share, slack):
    if abs(got - truth) > share * truth + slack:
        unlike = Unlike(f"{what} is {got} and should be {truth}")
        unlike.too_much = got - truth - share * truth - slack
        raise unlike


def of_a_calm_machine(test):
    """CPU time that a host takes from this machine, after what a program says of itself too, is counted and is in no rusage:
    once in some tries it takes none, or no more than the kernel says."""
    for is_last in 7 * [False] + [True]:
        before = interrupts_ns()
        try:
            return test()
        except Unlike as error:
            if is_last and not 0 < error.too_much <= (interrupts_ns() - before) / 1e6:
                raise
            print(f"# again: {error}", flush=True)
    return None


WITHIN = {"task-clock": (.02, 25), "page-faults": (.01, 100), "context-switches": (.01, 30)}


def beside_truth(code, *events):
    if not may_count():
        return "no counting here"
    got, truth = stat(M1TOP, code)
    for event, told in zip(EVENTS.split(","), truth):
        # what comes before its first line is not in what it says
        if not events or event in events:
            near(event, got[event], told, *WITHIN[event])
    return None


def spinner():
    """CPU time of a program that computes"""
    return of_a_calm_machine(lambda: beside_truth(TRUTH + "while truth()[0] < 700: pass\ntell()\n", "task-clock"))


def toucher():
    """page faults of a program and of its child"""
    return beside_truth(TRUTH + TOUCH + "if not os.fork():\n touch(20000)\n os._exit(0)\n"
                        "os.wait()\ntouch(20000)\ntell()\n")


def sleeper():
    """context switches of a program that sleeps"""
    return beside_truth(TRUTH + "import time\nfor i in range(3000): time.sleep(1e-4)\ntell()\n", "context-switches")


def grandchildren():
    """500 grandchildren that live 2 ms: all are counted, but for what they do once they have ended"""
    return beside_truth(TRUTH + TOUCH + "import time\nfor i in range(20):\n if not os.fork():\n  for k in range(25):\n"
                        "   if not os.fork():\n    touch(50)\n    time.sleep(.002)\n    os._exit(0)\n   os.wait()\n"
                        "  os._exit(0)\nfor i in range(20): os.wait()\ntell()\n", "page-faults")


def as_perf_has_it():
    """page faults and context switches as perf stat counts them"""
    if not may_count() or not shutil.which("perf"):
        return "no counting here, or no perf"
    code = TOUCH + "import time\ntouch(20000)\nfor i in range(200): time.sleep(1e-4)\n"
    ours, perfs = stat(M1TOP, code)[0], stat("perf", code)[0]
    if perfs.get("page-faults") is None:
        return "perf may not count here"
    near("page faults", ours["page-faults"], perfs["page-faults"], .01, 100)
    check(ours["context-switches"] >= 200 and perfs["context-switches"] >= 200, ours, perfs)
    return None


CHAIN = TOUCH + """import os, sys, time
folder, n = sys.argv[1], int(sys.argv[2])
touch(4000 * n)
time.sleep(.01)
if n > 1: os.execv(f"{folder}/chain{n - 1}", [sys.executable, "-c", sys.argv[3], folder, str(n - 1), sys.argv[3]])
"""


def not_recorded(done):
    """What the kernel had no room to record on a busy machine, as stat says it: its figures are then incomplete."""
    lost = re.search(r"\d+ of \d+ context switches were not recorded", done.stderr)
    return lost and lost[0]


def a_chain_of_programs():
    """--by command: what goes through several programs by exec has a line for each name, with its own page faults"""
    with tempfile.TemporaryDirectory() as folder:
        for n in range(1, 5):
            os.symlink(os.path.realpath(PYTHON), f"{folder}/chain{n}")
        done = subprocess.run([M1TOP, "stat", "--by", "command", "-e", "page-faults", "-x,", "--", f"{folder}/chain4", "-c",
                               CHAIN, folder, "4", CHAIN], capture_output=True, text=True, timeout=280, check=False)
    if done.returncode:
        return "tasks cannot be counted here: " + done.stderr.strip().splitlines()[-1]
    if not_recorded(done):
        return not_recorded(done)
    got = {name: int(count) for name, count in re.findall(r"^(?:.*[,;])?(chain\d)[^,]*,(\d+),,page-faults", done.stdout, re.M)}
    check(sorted(got) == [f"chain{n}" for n in range(1, 5)], done.stdout)
    # beside these pages each has those of its start, the same for all
    for n in range(1, 4):
        near(f"chain{n + 1} beyond chain{n}", got[f"chain{n + 1}"] - got[f"chain{n}"], 4000, .05, 100)
    return None


@contextlib.contextmanager
def controlled(*words):
    """Start stat, let it begin to count, and yield it."""
    with tempfile.TemporaryDirectory() as folder:
        fifo = [os.path.join(folder, name) for name in ("ctl", "ack")]
        for path in fifo:
            os.mkfifo(path)
        ctl, ack = (os.open(path, os.O_RDWR) for path in fifo)
        with subprocess.Popen([M1TOP, "stat", "-x,", "-D", "-1", "--control", "fifo:" + ",".join(fifo), *words],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as counter:
            watchdog = threading.Timer(250, counter.kill)
            watchdog.start()
            os.write(ctl, b"enable\n")
            while counter.poll() is None and not select.select([ack], [], [], .2)[0]:
                pass
            yield counter
            watchdog.cancel()
        os.close(ctl)
        os.close(ack)


def a_process_that_runs(option, *by):
    """A process waits, is counted, then touches pages in a thread and in a child that are born later. @return why not"""
    code = (TRUTH + TOUCH + "import threading\nprint('ready', flush=True)\ninput()\nbefore = truth()[1]\n"
            "t = threading.Thread(target=touch, args=(5000,))\nt.start()\nt.join()\n"
            "if not os.fork():\n touch(5000)\n os._exit(0)\nos.wait()\n"
            "print(truth()[1] - before, flush=True)\nos._exit(0)\n")
    with subprocess.Popen([PYTHON, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        with controlled("-I", "20", "-e", "page-faults", *by, option, str(process.pid)) as counter:
            process.stdin.write("go\n")
            process.stdin.close()
            out, said = counter.communicate()
        check(counter.returncode == 0, said)
        truth = int(process.stdout.read())
    check(truth >= 10000, truth)
    lost = by and re.search(r"\d+ of \d+ context switches were not recorded", said)
    if lost:
        return lost[0]
    count = re.compile(r"^[^,]*,(?:[^,]*,)?(\d+),(?:,?)page-faults," if by else r"^[^,]*,(\d+),,page-faults,", re.M)
    near("page faults", sum(int(found) for found in count.findall(out)), truth, .01, 100)
    return None


def of_a_pid():
    """-p: threads and children born later are counted, and it ends with the process"""
    return a_process_that_runs("-p") if may_count() else "no counting here"


def of_a_pid_divided():
    """-p and -t with --by task, process and function: rows of these tasks alone add up to what they count"""
    if not may_count_all():
        return "no counting here"
    why = [a_process_that_runs(option, "--by", by)
           for option, by in (("-p", "task"), ("-t", "process"), ("-p", "command"), ("-p", "function"))]
    return why[0] if all(why) else None


def of_a_tid():
    """-t: likewise of a single thread"""
    return a_process_that_runs("-t") if may_count() else "no counting here"


def while_a_command_runs():
    """-p and -t with a command, as in perf: these alone, once each, for as long as the command runs"""
    if not may_count():
        return "no counting here"
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdin.write(b"ready\n")
        process.stdin.flush()
        process.stdout.readline()
        pid = str(process.pid)
        done = subprocess.run([M1TOP, "stat", "-x,", "-e", "page-faults", "-p", f"{pid},{pid}", "-t", pid, "--", PYTHON,
                               "-c", TOUCH + "touch(20000)\nraise SystemExit(5)\n"],
                              capture_output=True, text=True, timeout=280, check=False)
        process.stdin.close()
    check(done.returncode == 5, done.returncode, done.stderr)
    check((counts(done.stdout)["page-faults"] or 0) < 10000, done.stdout)
    return None


def by_process(code):
    """@return what was attributed to each process, by event, in order; all of it with what is [unattributed]; what the program
    said of itself; and what the kernel did not record, if anything"""
    done = subprocess.run([M1TOP, "stat", "-x,", "--by", "process", "-e", EVENTS, "--", PYTHON, "-c", code],
                          capture_output=True, text=True, timeout=280, check=False)
    check(done.returncode == 0, done.stderr)
    said = [line for line in done.stderr.splitlines() if re.fullmatch(r"[\d. ]+", line)]
    rows, total = {event: [] for event in EVENTS.split(",")}, dict.fromkeys(EVENTS.split(","), 0)
    for line in done.stdout.splitlines():
        field = line.split(",")
        if not field[1].startswith("<"):
            total[field[3]] += float(field[1])
            if field[0] != "[unattributed]":
                rows[field[3]].append(float(field[1]))
    return rows, total, [float(word) for word in said[-1].split()], not_recorded(done)


def attributed():
    """--by process: a command's processes, 500 that live 2 ms among them, as the kernel tells and as is inherited"""
    if not may_count_all():
        return "no counting here"
    code = (TRUTH + TOUCH + "import time\nfor i in range(20):\n if not os.fork():\n  for k in range(25):\n"
            "   if not os.fork():\n    touch(50)\n    time.sleep(.002)\n    os._exit(0)\n   os.wait()\n"
            "  os._exit(0)\nfor i in range(20): os.wait()\ntell()\n")
    rows, total, truth, lost = by_process(code)
    near("page faults", total["page-faults"], truth[1], .01, 100)
    inherited, truth_inherited = stat(M1TOP, code)
    near("page faults inherited", inherited["page-faults"], truth_inherited[1], .01, 100)
    if lost:
        return lost
    check(len(rows["page-faults"]) >= 521, len(rows["page-faults"]), "processes of 521")
    # the last switch of each is its own, and is in no rusage of what waited for it before
    check(total["context-switches"] >= .97 * truth[2], total["context-switches"], truth[2])
    return None


def attributed_time():
    """--by process: CPU time of a program that computes, most of the first event first"""
    if not may_count_all():
        return "no counting here"
    def of_two():
        rows, total, truth, _ = by_process(TRUTH + "if not os.fork():\n while truth()[0] < 100: pass\n os._exit(0)\nos.wait()\n"
                                           "while truth()[0] < 700: pass\ntell()\n")
        check(rows["task-clock"] == sorted(rows["task-clock"], reverse=True), rows)
        near("CPU time", total["task-clock"], truth[0], *WITHIN["task-clock"])

    return of_a_calm_machine(of_two)


def by_anybody(*options):
    folder = serving.for_every_user()
    try:
        return subprocess.run(["setpriv", "--reuid=65534", "--clear-groups", f"{folder}/m1top", "stat", "-x,", *options],
                              capture_output=True, text=True, timeout=280, check=False, cwd="/",
                              env=dict(os.environ, M1TOP_EVENTS=f"{folder}/events"))
    finally:
        shutil.rmtree(folder)


def without_rights():
    """without rights: one's own tasks in user mode, and what cannot be counted says so"""
    with open("/proc/sys/kernel/perf_event_paranoid", encoding="ascii") as file:
        paranoid = int(file.read())
    if os.getuid() or not shutil.which("setpriv") or paranoid != 2:
        return "root with perf_event_paranoid 2 can try that"
    done = by_anybody("-e", EVENTS, "true")
    check(done.returncode == 0 and "only user mode is counted" in done.stderr, done.stderr)
    got = counts(done.stdout)
    check(got["page-faults:u"] > 10 and got["task-clock"] > 0 and got["context-switches:u"] is None, got)
    check("<not supported>" in done.stdout, done.stdout)
    done = by_anybody("-e", "task-clock:u,cpu-clock:k", "true")
    check(done.stderr.count("counts user mode and kernel: :") == 2, done.stderr)
    got = counts(done.stdout)
    check(got["task-clock"] > 0 and got["cpu-clock"] > 0, got)
    done = by_anybody("-p", "1")
    check(done.returncode == 3 and "process 1 of another user" in done.stderr, done.stderr)
    check(re.search(r"\n  sudo \S+\n  sudo setcap cap_perfmon\+ep \S+$", done.stderr.rstrip()), done.stderr)
    done = by_anybody("--by", "task", "true")
    check(done.returncode == 3 and "--by task needs the context switches of whole CPUs: counting whole CPUs is not permitted" in done.stderr, done.stderr)
    done = by_anybody("--kernel", "-e", "page-faults", "true")
    check(done.returncode == 3 and "sysctl kernel.perf_event_paranoid=1" in done.stderr, done.stderr)
    return None


def taken_at_exec():
    """what the kernel no longer counts from the exec of a set-uid program on is lost, not 0, and says why"""
    if os.getuid() or not shutil.which("setpriv") or not may_count():
        return "not root"
    with tempfile.TemporaryDirectory(prefix="m1top-setuid-") as folder:
        program = shutil.copy(shutil.which("id"), folder)
        os.chmod(folder, 0o755)
        os.chmod(program, 0o4755)
        as_anybody = ["setpriv", "--reuid=65534", "--clear-groups"]
        if subprocess.run([*as_anybody, program, "-u"], capture_output=True, text=True, check=True).stdout != "0\n":
            return "set-uid has no effect there"
        # the exec of the command, that of a program before it, and that of a program which root lets somebody else run
        for done in (by_anybody("-e", "page-faults:u", "--", program, "-u"),
                     by_anybody("-e", "page-faults:u", "--", "sh", "-c", f"true; exec {program} -u"),
                     subprocess.run([M1TOP, "stat", "-x,", "-e", "page-faults:u", "--", *as_anybody, program, "-u"],
                                    capture_output=True, text=True, check=True)):
            check(done.returncode == 0 and counts(done.stdout)["page-faults:u"] is None, done.stdout, done.stderr)
            check(done.stderr.count("set-uid") == 1, done.stderr)
        # no rights are gained
        for done in (by_anybody("-e", "page-faults:u", "--", "sh", "-c", "exec id -u"),
                     subprocess.run([M1TOP, "stat", "-x,", "-e", "page-faults:u", "--", program, "-u"],
                                    capture_output=True, text=True, check=True)):
            check(counts(done.stdout)["page-faults:u"] > 10 and "set-uid" not in done.stderr, done.stdout, done.stderr)
    return None


def with_rights_given_up():
    """root gives up its rights, and the program that gains them again by exec is counted all the same"""
    if os.getuid() or not may_count():
        return "not root"
    done = subprocess.run([M1TOP, "stat", "-x,", "-e", "page-faults", "sh", "-c", "grep ^CapEff /proc/self/status"],
                          capture_output=True, text=True, check=True)
    with open("/proc/self/status", encoding="ascii") as file:
        own = next(line for line in file if line.startswith("CapEff"))
    check(own in done.stdout and counts(done.stdout)["page-faults"] > 50, own, done.stdout)
    return None


if __name__ == "__main__":
    with serving.tasks_alone():
        serving.run([spinner, toucher, sleeper, grandchildren, as_perf_has_it, of_a_pid, of_a_tid, of_a_pid_divided,
                     while_a_command_runs, attributed, a_chain_of_programs, attributed_time, without_rights, taken_at_exec, with_rights_given_up])
