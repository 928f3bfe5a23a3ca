#!/usr/bin/env python3
"""stat.py: how stat is steered and how it ends: --control, -D, --timeout, signals, full pipes, locales. TAP."""
import csv
import fcntl
import json
import os
import re
import select
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

import serving
from serving import M1TOP

sys.path.append(os.path.join(serving.ROOT, "tests", "bench"))
from quiet import busy  # noqa: E402

FOLDER = tempfile.mkdtemp(prefix="m1top-stat-")
ACK = b"ack\n\0"  # what perf stat writes: the string with its end
DEMO = ("--backend", "sim:seed=5", "-C", "0", "-e", "cycles")


def check(truth, *why):
    if not truth:
        raise AssertionError(" ".join(str(part) for part in why))


def stat(*options, timeout=120, **more):
    return subprocess.run([M1TOP, "stat", *options], capture_output=True, text=True, timeout=timeout, check=False, **more)


def start(*options, **more):
    return subprocess.Popen([M1TOP, "stat", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


def until(holds, *why):
    end = time.monotonic() + 120
    while not holds():
        check(time.monotonic() < end, *why)
        time.sleep(.02)


def catches(process, signals):
    """Has it come so far that it handles these signals?"""
    with open(f"/proc/{process.pid}/status", encoding="ascii", errors="replace") as file:
        said = dict(line.split(":", 1) for line in file if line.startswith("Sig"))
    handled = int(said["SigCgt"], 16) | int(said["SigBlk"], 16)
    return all(handled >> one - 1 & 1 for one in signals)


def fill(pipe):
    """Wait until a pipe, made small, takes no more from a program that always has more to write."""
    fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, 4096)
    held, n_same, end = 0, 0, time.monotonic() + 120
    while not held or n_same < 100:
        check(time.monotonic() < end, "the pipe does not fill up")
        now = struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4))[0]
        held, n_same = now, n_same + 1 if now == held else 0
        time.sleep(.02)
    return held


def rows(text):
    """Slot 0's rows of a session as (tick, end in ns, enabled_ns)."""
    lines = [line for line in text.splitlines() if line[:1] not in ("#", "t")]
    return [(int(row[0]), float(row[1]) * 1e9, int(row[9])) for row in csv.reader(lines) if row[5] == "0"]


def moments(text):
    """The first field of -x lines, each once, in order."""
    return list(dict.fromkeys(line.split(",")[0].strip() for line in text.splitlines() if not line.startswith("#")))


def gaps(text):
    """But for ticks that a busy machine missed."""
    return [(int(n), why) for n, why in re.findall(r"^# gap \S+ (\d+) frames \((.+)\)$", text, re.M) if why != "missed"]


class Control:
    """Two FIFOs, and who writes commands into one of them."""

    def __init__(self, name):
        self.paths = [os.path.join(FOLDER, name + end) for end in (".ctl", ".ack")]
        for path in self.paths:
            os.mkfifo(path)
        self.fds = [os.open(path, os.O_RDWR | os.O_NONBLOCK) for path in self.paths]

    def option(self):
        return "fifo:" + ",".join(self.paths)

    def tell(self, command):
        os.write(self.fds[0], command)

    def answer(self, patience_s=120):
        if not select.select([self.fds[1]], [], [], patience_s)[0]:
            return b""
        return os.read(self.fds[1], 64)

    def ask(self, command):
        """@return when it was asked and when answered, in ns"""
        before = time.monotonic_ns()
        self.tell(command)
        check(self.answer() == ACK, command, "was not answered")
        return before, time.monotonic_ns()


def enable_and_disable():
    """--control: what lies between enable and disable is counted, and nothing else"""
    control = Control("windows")
    process = start(*DEMO, "-I", "50", "-D", "-1", "--format", "csv", "--control", control.option())
    spans, total = [], 0
    for length in (.3, .12):
        control.ask(b"ping\n")
        time.sleep(.2)
        asked, enabled = control.ask(b"enable\n")
        time.sleep(length)
        disabling, disabled = control.ask(b"disable\n")
        spans.append((disabling - enabled, disabled - asked))
    time.sleep(.2)
    control.ask(b"stop\n")
    out, err = process.communicate(timeout=120)
    check(process.returncode == 0, err)
    total = sum(enabled for _, _, enabled in rows(out))
    least, most = sum(a for a, _ in spans), sum(b for _, b in spans)
    check(least - 1e6 <= total <= most + 1e6, f"counted {total}, enabled for {least} to {most} ns")
    said = gaps(out)
    check(len(said) == 3 and all(why == "disabled" and n >= 1 for n, why in said), said)
    ends = [(end - enabled, end) for _, end, enabled in rows(out)]
    holes = sum(b[0] - a[1] > 100e6 for a, b in zip(ends, ends[1:]))
    check(holes == 1, "windows", ends)
    path = os.path.join(FOLDER, "windows.csv")
    with open(path, "w", encoding="utf-8") as file:
        file.write(out)
    back = subprocess.run([M1TOP, "replay", "--to-stat", "--format", "csv", path], capture_output=True, text=True, check=False)
    check(back.returncode == 0 and rows(back.stdout) == rows(out), back.stderr)


def commands_and_answers():
    """--control: each command is answered once it is done, as perf does; what is none is not"""
    control = Control("commands")
    process = start(*DEMO, "-I", "20", "-x,", "--control", control.option())
    for command in (b"ping\n", b"enable\n", b"disable\n", b"disable\0", b"\n\nping\n", b"enable\n"):
        control.ask(command)
    control.tell(b"evlist\n" + b"x" * 200 + b"\n")
    check(control.answer(.3) == b"", "an answer to what is no command")
    control.tell(b"disable\nenable\nping\n")
    got = b""
    while len(got) < 3 * len(ACK):
        more = control.answer()
        check(more, "answers:", got)
        got += more
    check(got == 3 * ACK, got)
    control.tell(b"sto")
    time.sleep(.1)
    control.ask(b"p\n")
    _, err = process.communicate(timeout=120)
    check(process.returncode == 0 and '"evlist" is ignored' in err and '"xxx' in err, err)


def descriptors():
    """--control fd:N,N; the other side goes away: counting goes on"""
    (ctl_read, ctl_write), (ack_read, ack_write) = os.pipe(), os.pipe()
    process = start(*DEMO, "-I", "20", "-x,", "-D", "-1", "--timeout", "600", "--control", f"fd:{ctl_read},{ack_write}",
                    pass_fds=[ctl_read, ack_write])
    os.close(ctl_read)
    os.close(ack_write)
    os.write(ctl_write, b"enable\n")
    check(os.read(ack_read, 64) == ACK, "no answer")
    os.close(ctl_write)
    out, err = process.communicate(timeout=120)
    check(process.returncode == 0, err)
    check(float(out.splitlines()[-1].split(",")[0]) > .5, out)


def control_refused():
    """--control: what cannot be opened is told, with status 2"""
    plain = os.path.join(FOLDER, "plain")
    with open(plain, "w", encoding="utf-8") as file:
        file.write("enable\n")
    for spec, why in (("fifo:" + plain, "not a FIFO"), ("fifo:/nowhere/at/all", "No such file"),
                      ("fd:77", "not an open file"), ("fifo:" + plain + "," + plain, "not a FIFO"), ("pipe:1", "must be")):
        done = stat(*DEMO, "-n", "1", "--control", spec)
        check(done.returncode == 2 and why in done.stderr, spec, done.returncode, done.stderr)


def delay():
    """-D MS: the first window begins then, and the ones before are a gap"""
    done = stat(*DEMO, "-I", "50", "-n", "3", "-D", "220", "--format", "csv")
    got = rows(done.stdout)
    check(len(got) == 3 and gaps(done.stdout)[0][1] == "disabled", done.stdout)
    begin = got[0][1] - got[0][2]
    check(begin >= 220e6, begin)
    check(all(a[1] == b[1] - b[2] or b[1] - b[2] - a[1] < 5e6 for a, b in zip(got, got[1:])), got)


def never_enabled():
    """-D -1 and never enabled: no line, a gap, status 0; without --control it is refused"""
    control = Control("never")
    done = stat(*DEMO, "-I", "20", "-D", "-1", "--timeout", "200", "--control", control.option(), "--format", "csv")
    check(done.returncode == 0 and rows(done.stdout) == [] and gaps(done.stdout)[0][1] == "disabled", done.stdout)
    done = stat(*DEMO, "-D", "-1")
    check(done.returncode == 2 and "--control" in done.stderr, done.stderr)


def timeout():
    """--timeout: the end, for the command too, which is asked to end"""
    mark, traps = os.path.join(FOLDER, "asked"), os.path.join(FOLDER, "traps")
    while not os.path.exists(traps):  # a command that a busy machine has not begun by then cannot say that it was asked
        begin = time.monotonic()
        done = stat(*DEMO, "-I", "100", "-x,", "--timeout", "350", "--", "sh", "-c",
                    f"trap 'echo TERM >{mark}; kill $!; exit 5' TERM; : >{traps}; sleep 600 & wait")
        took = time.monotonic() - begin
    check(done.returncode == 0 and took >= .35, done.returncode, took, done.stderr)
    last = float(done.stdout.splitlines()[-1].split(",")[0])
    check(.34 < last < took, done.stdout)
    check(os.path.exists(mark), "the command was not told")
    done = stat("--backend", "sim:clock=virtual", "-C", "0", "-e", "cycles", "-I", "100", "-x,", "--timeout", "1000")
    check(done.returncode == 0 and len(done.stdout.splitlines()) == 10, done.stdout, done.stderr)


def exit_statuses():
    """the command's exit status: its own, 128 + signal, 127 not found, 126 not to be run"""
    for command, status in ((["true"], 0), (["sh", "-c", "exit 7"], 7), (["sh", "-c", "kill -9 $$"], 137),
                            (["sh", "-c", "kill -TERM $$"], 143), (["/nowhere/at/all"], 127),
                            (["m1top-no-such-program"], 127), (["/etc/passwd"], 126), (["/"], 126)):
        done = stat(*DEMO, "-x,", "--", *command)
        check(done.returncode == status, command, done.returncode, done.stderr)


def told_to_end(name):
    """@return a command that takes a while and then exits with 5, and how to ask which way it ended"""
    path = os.path.join(FOLDER, name)

    def end():
        with open(path, encoding="utf-8") as file:
            return file.read().strip()

    # a shell takes a signal in between its commands
    script = f"trap 'echo TERM >{path}; exit 9' TERM; for i in 1 2 3 4 5; do sleep .1; done; echo finished >{path}; exit 5"
    return ["sh", "-c", script], end


def the_output_is_lost():
    """a full disk or a reader that left: told, and the command goes on; its exit status is passed on"""
    command, end = told_to_end("lost")
    options = [*DEMO, "-I", "20", "-x,", "--"]
    with open("/dev/full", "w", encoding="utf-8") as full:
        for words, status in ((command, 5), (["sleep", ".2"], 1)):
            done = subprocess.run([M1TOP, "stat", *options, *words], stdout=full, stderr=subprocess.PIPE, text=True,
                                  timeout=120, check=False)
            check(done.returncode == status and done.stderr.count("No space left") == 1, done.returncode, done.stderr)
    check(end() == "finished", end())
    for words, status in ((command, 5), (["sleep", ".2"], 0)):
        process = start(*options, *words)
        check(process.stdout.readline(), "no line")
        process.stdout.close()
        err = process.stderr.read()
        check(process.wait(timeout=120) == status and "ipe" not in err, process.returncode, err)
    check(end() == "finished", end())


def count_with_a_command():
    """-n: so many intervals, and the command runs to its end; --summary is of these"""
    path = os.path.join(FOLDER, "go")
    process = start(*DEMO, "-I", "50", "-n", "3", "-x,", "--summary", "--", "sh", "-c",
                    f"until [ -e {path} ]; do sleep .05; done; exit 5")
    text = ""
    while len(moments(text)) < 3:
        line = process.stdout.readline()
        check(line, "ended after", text)
        text += line
    check(process.poll() is None, "did not wait for the command")
    with open(path, "w", encoding="utf-8"):
        pass
    text += process.stdout.read()
    stamps = moments(text)
    check(process.wait(timeout=120) == 5, process.returncode)
    check(len(stamps) == 4 and stamps[3] == "summary", text)


def the_last_window_waits_for_all_cores():
    """A sum has all cores of its row, or no value; that of the last window has all."""
    def check_rows(text, n_cores, windows):
        rows = [line.split(",") for line in text.splitlines() if not line.startswith("#")]
        check(len(moments(text)) == windows, text)
        check(all(int(row[2]) == n_cores or row[3] == "<not counted>" for row in rows), text)
        return rows
    late = 0
    for windows in 1, 2, 5:
        text = stat("--backend", "sim:cores=4,slow=1:180ms@0.05-9", "-d", "0.1", "-n", str(windows), "--by", "type",
                    "-e", "cycles", "-x,").stdout
        rows = check_rows(text, 2, windows)
        check([row[3] != "<not counted>" for row in rows[-2:]] == [True] * 2, text)
        late += sum(row[3] == "<not counted>" for row in rows)
    check(late, "no core was late")
    with busy(4):
        for _ in range(8 if serving.may_count_all() else 0):
            text = stat("-d", "0.1", "-n", "1", "--by", "type", "-e", "cpu-clock", "-x,").stdout
            check_rows(text, len(os.sched_getaffinity(0)), 1)


def hold_up(cpu, seconds):
    """A process that nothing on this CPU can interrupt but the kernel's limit for real time."""
    pid = os.fork()
    if not pid:
        os.sched_setaffinity(0, {cpu})
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            pass
        os._exit(0)
    return pid


def the_first_window_begins_on_all_cores_at_once():
    """a core whose thread starts late: the first window begins when all are ready, and has the whole interval of each"""
    cpus = sorted(os.sched_getaffinity(0))
    if os.getuid() or len(cpus) < 2:
        return "root with two CPUs can hold one of them up"
    def shortest_ms(cpu):
        hog = hold_up(cpu, .6)
        done = stat("-n", "1", "-d", "0.2", "--by", "core", "-e", "cpu-clock", "-j")
        os.waitpid(hog, 0)
        rows = [row for row in map(json.loads, done.stdout.splitlines()) if "counter-value" in row]
        check(len(rows) == len(cpus), done.stdout, done.stderr)
        return min(0 if row["counter-value"].startswith("<") else float(row["counter-value"]) for row in rows)
    for cpu in cpus[-1], cpus[0]:
        # the machine itself may hold up a core once the plan has begun
        shortest = [shortest_ms(cpu) for _ in range(5)]
        check(max(shortest) > 180, shortest)
    return None


def in_the_background_of_a_script():
    """SIGINT, which a script's shell lets what it starts with & ignore, ends it; SIGHUP of nohup does not"""
    def ignoring(*signals):
        return lambda: [signal.signal(one, signal.SIG_IGN) for one in signals]

    process = start(*DEMO, "-I", "50", "-x,", preexec_fn=ignoring(signal.SIGINT, signal.SIGTERM))
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    check(process.wait(timeout=120) == 130, process.returncode)
    process = start(*DEMO, "-I", "50", "-x,", "-n", "8", preexec_fn=ignoring(signal.SIGHUP))
    first = process.stdout.readline()
    process.send_signal(signal.SIGHUP)
    check(len(moments(first + process.stdout.read())) == 8 and process.wait(timeout=120) == 0, "SIGHUP ended it")
    # and the command has it ignored as before
    done = stat(*DEMO, "-x,", "--", "sh", "-c", "kill -INT $$; exit 6", preexec_fn=ignoring(signal.SIGINT))
    check(done.returncode == 6, done.returncode)


def interrupted_at_a_full_pipe():
    """a pipe that nobody reads does not hold up the end: told, status 1"""
    for send in (signal.SIGINT, signal.SIGTERM):
        process = start("--backend", "sim:seed=5", "-I", "1", "-x,", "--budget", "100")
        held = fill(process.stdout)
        process.send_signal(send)
        status = process.wait(timeout=120)
        text = process.stdout.read()
        err = process.stderr.read()
        check(status == 1 and "its reader has gone" in err, status, err)
        check(len(text) >= held, "the pipe lost what it held:", len(text), held)


def interrupted_when_too_much_comes():
    """More than can be written: it ends all the same"""
    process = subprocess.Popen([M1TOP, "stat", "--backend", "sim:cores=1024", "-I", "1", "--budget", "100",
                                "--format", "csv"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until(lambda: catches(process, [signal.SIGINT]), "does not handle SIGINT")
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    try:
        check(process.wait(timeout=250) == -signal.SIGINT, process.returncode)
    finally:
        process.kill()


def a_slow_reader_gets_everything():
    """a pipe whose reader comes late, after the command, gets everything; after a signal it is in time"""
    full, over = os.path.join(FOLDER, "full"), os.path.join(FOLDER, "over")
    process = start("--backend", "sim:seed=5", "-I", "1", "-x,", "--budget", "100", "--", "sh", "-c",
                    f"until [ -e {full} ]; do sleep .1; done; sleep .8; : >{over}")
    fill(process.stdout)
    open(full, "w", encoding="ascii").close()
    until(lambda: os.path.exists(over), "the command does not end")
    time.sleep(.5)
    check(process.poll() is None, "did not wait for its reader")
    text = process.stdout.read()
    check(process.wait(timeout=120) == 0, process.stderr.read())
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    check(text.endswith("\n") and float(lines[-1].split(",")[0]) > .7, lines[-1])
    check(all(len(line.split(",")) == len(lines[0].split(",")) for line in lines), "broken lines")

    process = start("--backend", "sim:seed=5", "-I", "1", "-x,", "--budget", "100")
    fill(process.stdout)
    process.send_signal(signal.SIGINT)
    text = process.stdout.read()
    status, err = process.wait(timeout=120), process.stderr.read()
    # a reader that the machine kept waiting for longer than the end waits for it is told so
    check(status == -signal.SIGINT and text.endswith("\n") or status == 1 and "its reader has gone" in err, status, err)


def other_locales():
    """neither a decimal comma nor Turkish, where the capital of i is no I, changes a byte of any output"""
    if not shutil.which("localedef"):
        return "no localedef"
    # the C library keeps what it read from LOCPATH to the end, which a leak checker objects to
    env = dict(os.environ, LOCPATH=FOLDER, TZ="UTC", ASAN_OPTIONS="detect_leaks=0")
    for locale in ("de_DE", "tr_TR"):
        made = subprocess.run(["localedef", "-i", locale, "-f", "UTF-8", os.path.join(FOLDER, locale + ".UTF-8")],
                              capture_output=True, check=False)
        if not os.path.exists(os.path.join(FOLDER, locale + ".UTF-8", "LC_NUMERIC")):
            return f"cannot make {locale}: " + made.stderr.decode()
        spoken = subprocess.run(
            ["python3", "-c", "import locale; locale.setlocale(locale.LC_ALL, ''); print(locale.str(1.5))"],
            env=dict(env, LC_ALL=locale + ".UTF-8"), capture_output=True, text=True, check=False).stdout.strip()
        check(spoken == "1,5", "the locale is not in use:", locale, spoken)
    sim = ["--backend", "sim:seed=5,clock=virtual,tasks=20,cgroups=8"]
    stat = [["stat", *sim, "-n", "2", *options] for options in (
        ["--format", "table"], ["--format", "csv"], ["-x;"], ["-x,", "--summary"], ["-j", "--summary"],
        ["-x;", "--metric-only", "-M", "IPC,branch_mpki"], ["-j", "--metric-only"], ["--summary"],
        ["-x,", "--by", "type"], ["-d", "0.25", "-x;"], ["--format", "csv", "-M", "IPC"],
        ["-x,", "-e", "inst_all,INST_BRANCH_INDIR,pmc5=inst_branch"], ["-M", "ipc", "-C", "p"],
        ["-P", "l1d", "--by", "cgroup", "--top", "2"], ["-x;", "-o", "out", "--format", "perf", "--force"])]
    listed = [["list", "--demo", *words] for words in (
        [], ["metrics"], ["presets"], ["inst_bran*"], ["INDIRECT"], ["inst_all"], ["metrics", "*mpkI"])]
    for command in stat + listed + [["--help"], ["help", "stat"], ["stat", *sim, "-e", "inst_al"]]:
        texts = []
        for locale in ("C", "de_DE", "tr_TR"):
            done = subprocess.run([M1TOP, *command], env=dict(env, LC_ALL=locale + ".UTF-8"), capture_output=True,
                                  text=True, timeout=120, cwd=FOLDER, check=False)
            if "-o" in command:
                with open(os.path.join(FOLDER, "out"), encoding="utf-8") as file:
                    done.stdout = file.read()
            texts.append((done.returncode, done.stdout, done.stderr))
        check(texts[0] == texts[1] == texts[2], command, texts)
        check(texts[0][0] == (2 if "inst_al" in command else 0) and (texts[0][1] or texts[0][2]), command, texts[0])
    return None


def in_a_group():
    """Ctrl-C reaches the command too: its last interval is written, then stat dies of it as the command did"""
    process = start(*DEMO, "-d", "60", "-x,", "--", "sh", "-c", "echo it runs >&2; exec sleep 600",
                    start_new_session=True)
    while "it runs" not in process.stderr.readline():
        check(process.poll() is None, "ended")
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=120)
    check(process.returncode == -signal.SIGINT and len(out.splitlines()) == 1, process.returncode, out, err)


def in_a_loop():
    """Ctrl-C ends a shell's loop of stat, with a command and without"""
    for command in ([], ["sleep", "600"]):
        line = shlex.join([M1TOP, "stat", *DEMO, "-I", "50", "-x,", *command])
        loop = subprocess.Popen(["bash", "-c", f"for i in 1 2 3; do echo round $i; {line}; done"], text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        while "," not in loop.stdout.readline():
            check(loop.poll() is None, "ended")
        os.killpg(loop.pid, signal.SIGINT)
        rest = loop.communicate(timeout=120)[0]
        check("round" not in rest and loop.returncode in (-signal.SIGINT, 130), loop.returncode, rest)


if __name__ == "__main__":
    try:
        serving.run([enable_and_disable, commands_and_answers, descriptors, control_refused, delay, never_enabled,
                     timeout, exit_statuses, the_output_is_lost, count_with_a_command, the_last_window_waits_for_all_cores,
                     the_first_window_begins_on_all_cores_at_once,
                     in_the_background_of_a_script, interrupted_at_a_full_pipe,
                     interrupted_when_too_much_comes, a_slow_reader_gets_everything, other_locales,
                     in_a_group, in_a_loop])
    finally:
        shutil.rmtree(FOLDER)
