#!/usr/bin/env python3
"""rights.py: what m1top may still do while it runs, as root, under sudo, with a file capability, as nobody. TAP.

Under sudo is: as root, with SUDO_UID and SUDO_GID, which is all that m1top knows of it."""
import ctypes
import os
import pty
import pwd
import select
import shutil
import stat
import struct
import subprocess
import sys
import time

import serving

FOLDER = serving.for_every_user()
M1TOP = os.path.join(FOLDER, "m1top")
EVENTS = os.path.join(FOLDER, "events")
OUT = os.path.join(FOLDER, "out")  # of the caller's
NOBODY, CALLER = 65534, 1
PERFMON, OVERRIDE, READ_SEARCH, NICE, KILL = 1 << 38, 1 << 1, 1 << 2, 1 << 23, 1 << 5
LIMIT_S = 240  # for a busy machine


def check(truth, *why):
    if not truth:
        raise AssertionError(" ".join(str(part) for part in why))


def as_caller():
    return {"SUDO_UID": str(CALLER), "SUDO_GID": str(CALLER), "HOME": "/root", "USER": "root"}


def drop_to(uid):
    def drop():
        os.setgroups([])
        os.setgid(uid)
        os.setuid(uid)
    return drop


def while_threads_end(look):
    """@return look, which gives None if a thread or a file that it has listed is no longer there"""
    def tolerant(*args):
        try:
            return look(*args)
        except (FileNotFoundError, ProcessLookupError):
            return None
    return tolerant


@while_threads_end
def status_of(pid):
    """{"CapEff": 0, "Uid": 1, …} of a process; None while one of its threads has others (it writes a file)."""
    seen = []
    threads = sorted(os.listdir(f"/proc/{pid}/task"), key=int)
    if "thread" in os.environ.get("SAN", ""):
        del threads[1:2]  # the sanitizer's own, which keeps what its maker had
    for thread in threads:
        got = {}
        with open(f"/proc/{pid}/task/{thread}/status", encoding="ascii", errors="replace") as file:
            for line in file:
                name, _, value = line.partition(":")
                if name.startswith("Cap"):
                    got[name] = int(value, 16)
                elif name in ("Uid", "Gid"):
                    got[name] = {int(part) for part in value.split()}
                elif name == "Groups":
                    got[name] = [int(part) for part in value.split()]
                elif name == "NoNewPrivs":
                    got[name] = int(value)
        seen.append(got)
    return seen[0] if all(one == seen[0] for one in seen) else None


def told(name, got):
    """What is seen, as a comment in the output."""
    print(f"# {name:24} user {min(got['Uid'])} CapPrm {got['CapPrm']:016x} CapEff {got['CapEff']:016x} "
          f"CapBnd {got['CapBnd']:016x} NoNewPrivs {got['NoNewPrivs']}")
    return got


class Run:
    """m1top with a terminal of its own, as somebody, until it is seen to count."""

    def __init__(self, *args, who="root", program=M1TOP, cwd=OUT, setup=None):
        self.env = dict(os.environ, M1TOP_EVENTS=EVENTS, TERM="xterm")
        self.env.update(as_caller() if who == "sudo" else {})
        if who != "sudo":
            self.env.pop("SUDO_UID", None)
        self.name = f"{args[0] if args and args[0][0] != '-' else 'm1top'} as {who}"
        self.master, slave = pty.openpty()
        setup = setup if who in ("root", "sudo") else drop_to(NOBODY)
        self.process = subprocess.Popen([program, *args], stdin=slave, stdout=slave, stderr=slave, cwd=cwd,
                                        env=self.env, preexec_fn=setup)
        os.close(slave)
        self.said = b""

    def read(self, wait_s=.05):
        while select.select([self.master], [], [], wait_s)[0]:
            try:
                self.said += os.read(self.master, 1 << 16)
            except OSError:
                return
            wait_s = 0

    def until(self, truth):
        """Wait for something to be so; what it was."""
        end = time.monotonic() + LIMIT_S
        while time.monotonic() < end:
            self.read()
            if got := truth():
                return got
            if self.process.poll() is not None:
                break
        raise AssertionError(f"{self.name}: did not come to it: {self.said[-800:]!r}")

    def held(self):
        """What it holds once root's rights are given up."""
        def given_up():
            got = status_of(self.process.pid)
            if not got or not got["NoNewPrivs"] or got["CapPrm"].bit_count() > 4:
                return None
            return None if got["CapEff"] & (OVERRIDE | NICE) else got
        return told(self.name, self.until(given_up))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.read(0)
        os.close(self.master)

    def end(self, signal_=15):
        self.process.send_signal(signal_)
        self.until(lambda: True) if self.process.poll() is None else None
        end = time.monotonic() + LIMIT_S
        while self.process.poll() is None and time.monotonic() < end:
            self.read()
        return self.process.returncode


def can_count():
    done = subprocess.run([M1TOP, "stat", "-n", "1", "-I", "20", "-e", "cpu-clock"], capture_output=True, check=False)
    return done.returncode == 0


SOFT = ("-e", "cpu-clock,context-switches")
VERBS = {
    "live": ((*SOFT, "-I", "100"), PERFMON, OVERRIDE | NICE | KILL),
    "stat": (("stat", *SOFT, "-I", "100"), PERFMON, 0),
    "stat -o": (("stat", *SOFT, "-I", "100", "--force", "-o", "stat.csv"), PERFMON, OVERRIDE),
    "survey": (("survey", *SOFT), PERFMON, OVERRIDE),
    "serve": (("serve", *SOFT, "--listen", "127.0.0.1:0"), PERFMON, 0),
    "discover": (("discover", "--kernels", "page-fault", "--repeats", "64"), PERFMON, 0),
    "discover -o": (("discover", "--kernels", "page-fault", "--repeats", "64", "--force", "-o", "d.json"), PERFMON, OVERRIDE),
    "selfcheck": (("doctor", "--selfcheck"), PERFMON, 0),
    "replay": (("replay", os.path.join(FOLDER, "session.csv"), "--speed", "0.1"), READ_SEARCH, OVERRIDE),
    "report": (("report", "-"), READ_SEARCH, 0),  # it waits for what is typed
    "demo": (("stat", "--demo", "-I", "100"), 0, 0),
}
if serving.lacks("serve"):
    del VERBS["serve"]


def each_verb_as_root():
    """as root: user 0 with CAP_PERFMON; nothing to get back; files in folders of others for the moment of writing"""
    for name, (args, wanted, permitted) in VERBS.items():
        with Run(*args) as run:
            got = run.held()
            check(got["CapEff"] == wanted and got["CapPrm"] == wanted | permitted, name, got)
            check((got["CapBnd"], got["CapAmb"], got["CapInh"], got["NoNewPrivs"]) == (0, 0, 0, 1), name, got)
            check(got["Uid"] == {0}, name, got)


def each_verb_under_sudo():
    """under sudo: the caller, with the caller's groups and CAP_PERFMON"""
    groups = sorted(os.getgrouplist(pwd.getpwuid(CALLER).pw_name, CALLER))
    for name, (args, wanted, _) in VERBS.items():
        with Run(*args, who="sudo") as run:
            got = run.held()
            check(got["CapEff"] == wanted and got["CapPrm"] == wanted, name, got)
            check((got["CapBnd"], got["CapAmb"], got["CapInh"], got["NoNewPrivs"]) == (0, 0, 0, 1), name, got)
            # its second backend opens the device of m1pmu again, which is root's
            user = 0 if name == "selfcheck" else CALLER
            check(got["Uid"] == {user} and (user == 0 or sorted(got["Groups"]) == groups), name, got)


def file_capability():
    """with cap_perfmon on the file: only that, and nothing to be had by starting programs"""
    program = os.path.join(FOLDER, "m1top-perfmon")
    shutil.copy(M1TOP, program)
    os.chmod(program, 0o755)
    try:  # cap_perfmon+ep: linux/capability.h, struct vfs_cap_data
        os.setxattr(program, "security.capability", struct.pack("<5I", 0x02000001, 0, 0, 1 << (38 - 32), 0))
    except OSError as why:
        return f"no file capabilities in {FOLDER}: {why}"
    for name in {"stat", "serve"} & VERBS.keys():
        with Run(*VERBS[name][0], who="cap_perfmon", program=program) as run:
            got = run.held()
            check(got["CapEff"] == got["CapPrm"] == PERFMON and got["Uid"] == {NOBODY} and got["NoNewPrivs"] == 1, got)
    return None


def only_admin():
    """where CAP_PERFMON does not suffice, CAP_SYS_ADMIN stays"""
    libc = ctypes.CDLL(None, use_errno=True)
    pr_capbset_drop, perfmon = 24, 38
    with Run(*VERBS["stat"][0], setup=lambda: libc.prctl(pr_capbset_drop, perfmon, 0, 0, 0)) as run:
        check(run.held()["CapEff"] == 1 << 21, "not CAP_SYS_ADMIN alone")
        run.until(lambda: run.said.count(b"cpu0") > 2)


def nobody():
    """as nobody there is nothing to give up: a simulated machine, programs as ever"""
    with Run("stat", "--demo", "-I", "100", who="nobody", cwd="/") as run:
        run.until(lambda: b"cpu0" in run.said or b"E-0" in run.said or run.said.count(b"\n") > 5)
        got = told(run.name, run.until(lambda: status_of(run.process.pid)))
        check(got["CapPrm"] == 0 and got["NoNewPrivs"] == 0, got)


def shell(*args, who="sudo", text="", cwd=OUT):
    env = dict(os.environ, M1TOP_EVENTS=EVENTS, **(as_caller() if who == "sudo" else {}))
    if who != "sudo":
        env.pop("SUDO_UID", None)
    return subprocess.run([M1TOP, *args], input=text, capture_output=True, text=True, env=env, cwd=cwd, timeout=LIMIT_S,
                          check=False, preexec_fn=lambda: os.umask(0o022))


def commands():
    """-- command: under sudo as the caller, who may call sudo in it; as root as root"""
    script = "id -u; id -G; grep -E 'Cap(Prm|Eff|Bnd|Amb)|NoNew' /proc/self/status; echo $HOME $USER $LOGNAME"
    with open("/proc/self/status", encoding="ascii") as file:
        bounding = next(int(line.split()[1], 16) for line in file if line.startswith("CapBnd"))
    caller = pwd.getpwuid(CALLER)
    for who, uid in ("sudo", CALLER), ("root", 0):
        done = shell("stat", *SOFT, "-o", f"command-{who}.csv", "--", "sh", "-c", script, who=who)
        check(done.returncode == 0, done.stderr)
        lines = done.stdout.split("\n")
        check(lines[0] == str(uid), who, done.stdout)
        held = {line.split(":")[0]: int(line.split()[1], 16) for line in lines[2:7]}
        check(held["CapBnd"] == bounding and held["NoNewPrivs"] == 0 and held["CapAmb"] == 0, who, held)
        check(held["CapPrm"] == held["CapEff"] == (0 if uid else bounding), who, held)
        if uid:
            check(lines[7] == f"{caller.pw_dir} {caller.pw_name} {caller.pw_name}", lines)


def triggers():
    """discover --trigger: programs run as the caller, without capabilities, and are counted, as root's are"""
    for who, uid in ("sudo", CALLER), ("root", 0):
        trail = os.path.join(FOLDER if who == "root" else OUT, f"trail-{who}")
        note = f"(id -u; grep -E 'Cap(Prm|Eff)' /proc/self/status) >>{trail}; "
        done = shell("discover", "--quick", "--ids", "0x02", "--name", "faults", "--kernels", "page-fault",
                     "--trigger", note + "dd if=/dev/zero of=/dev/null bs=$((4096*{n})) count=1",
                     "--control", note + "dd if=/dev/zero of=/dev/null bs=4096 count={n}", who=who)
        check(done.returncode == 0, done.stderr)
        with open(trail, encoding="ascii") as file:
            said = set(file.read().split("\n"))
        check(said == {str(uid), "CapPrm:\t" + "0" * 16, "CapEff:\t" + "0" * 16, ""}, who, said)
        check(any("faults" in line.split() and ("k=1" in line or "related" in line) for line in done.stdout.split("\n")),
              who, "was not counted:", done.stdout)


def owner_and_mode(name):
    got = os.stat(os.path.join(OUT, name))
    return got.st_uid, oct(stat.S_IMODE(got.st_mode))


def files_of_root():
    """files that root makes are 0600, also through sudo and after a rotation; --world-readable leaves them to umask"""
    for who, uid in ("root", 0), ("sudo", CALLER):
        rotated = ("--log-limit", "10k")
        for more, mode in ((), "0o600"), (("--world-readable",), "0o644"):
            log = f"log-{who}{len(more)}"
            done = shell("stat", *SOFT, "-I", "20", "-n", "30", "-o", log + ".csv", *rotated, *more, who=who)
            check(done.returncode == 0, done.stderr)
            check(owner_and_mode(log + ".csv") == (uid, mode), who, more, owner_and_mode(log + ".csv"))
            check(owner_and_mode(log + ".1.csv") == (uid, mode), who, more, "rotated")
            done = shell("report", log + ".csv", "--html", log + ".html", *more, who=who)
            check(done.returncode == 0 and owner_and_mode(log + ".html") == (uid, mode), who, more, done.stderr)
        report = shell("discover", "--kernels", "page-fault", "--quick", "-o", f"found-{who}.json", who=who)
        check(report.returncode == 0 and owner_and_mode(f"found-{who}.json") == (uid, "0o600"), who, report.stderr)
    with open(os.path.join(OUT, "public.csv"), "w", encoding="ascii"):
        os.chmod(os.path.join(OUT, "public.csv"), 0o640)
    done = shell("stat", *SOFT, "-n", "1", "-I", "20", "--force", "-o", "public.csv", who="root")
    check(done.returncode == 0 and owner_and_mode("public.csv")[1] == "0o640", "a file that was there", done.stderr)
    os.mkdir(os.path.join(FOLDER, "nobody"))
    os.chown(os.path.join(FOLDER, "nobody"), NOBODY, NOBODY)
    nobodys = os.path.join(FOLDER, "nobody", "log.csv")
    done = subprocess.run([M1TOP, "stat", "--demo", "-n", "1", "-I", "20", "-o", nobodys], env=dict(os.environ, M1TOP_EVENTS=EVENTS),
                          capture_output=True, check=False, preexec_fn=lambda: (os.umask(0o022), drop_to(NOBODY)()))
    check(done.returncode == 0 and oct(os.stat(nobodys).st_mode & 0o777) == "0o644", "nobody's", done.stderr)


def reads_roots_files():
    """sudo m1top report and replay read files of root's, and write none"""
    private = os.path.join(FOLDER, "private")
    os.mkdir(private, 0o700)
    log = os.path.join(private, "log.csv")
    check(shell("stat", *SOFT, "-n", "3", "-I", "20", "-o", log, who="root").returncode == 0, "root's log")
    for args in ("report", log), ("replay", "--to-stat", log):
        done = shell(*args)
        check(done.returncode == 0 and "cpu" in done.stdout, args, done.stderr, done.stdout[:300])
    done = shell("report", log, "--html", os.path.join(private, "page.html"))
    check(done.returncode != 0 and "you may not write there" in done.stderr, "a folder of root's", done.stderr)


@while_threads_end
def terminals_of(pid):
    """Flags of each descriptor of a terminal"""
    flags = []
    for fd in os.listdir(f"/proc/{pid}/fd"):
        with open(f"/proc/{pid}/fdinfo/{fd}", encoding="ascii") as file:
            flags += [int(file.read().split("flags:")[1].split()[0], 8)] * os.readlink(f"/proc/{pid}/fd/{fd}").startswith("/dev/pts/")
    return flags


def screen_logs_and_writes():
    """the screen under sudo: l logs, and the terminal of root's is written without waiting"""
    with Run(*SOFT, "-I", "100", who="sudo") as run:
        run.held()
        run.until(lambda: b"cpu" in run.said or b"CPU" in run.said)
        flags = run.until(lambda: terminals_of(run.process.pid))
        check(any(one & os.O_NONBLOCK for one in flags), "the terminal was not opened anew", flags)
        os.write(run.master, b"l")
        logs = run.until(lambda: [name for name in os.listdir(OUT) if name.startswith("m1top-")])
        check(logs[0].endswith(".csv" if serving.lacks("zstd") else ".csv.zst"), logs)
        check(owner_and_mode(logs[0]) == (CALLER, "0o600"), owner_and_mode(logs[0]))
        check(run.end() in (0, 143, -15), run.process.returncode)


def counters_change():
    """events are opened again after rights were given up: another set by key, and the log has it"""
    with Run(*SOFT, "-I", "50", "--force", "-o", "change.csv", who="sudo") as run:
        run.held()
        log = os.path.join(OUT, "change.csv")
        run.until(lambda: b"CPU-CLK" in run.said and os.path.exists(log) and open(log, encoding="utf-8").read().count("\n") > 20)
        before = open(log, encoding="utf-8").read().count("\n# set ")
        os.write(run.master, b"1]")
        run.until(lambda: open(log, encoding="utf-8").read().count("\n# set ") > before)
        rows = open(log, encoding="utf-8").read().count("\n")
        run.until(lambda: open(log, encoding="utf-8").read().count("\n") > rows + 10)
        tail = open(log, encoding="utf-8").read().split("\n")[-8:-1]
        check(all(",lost," not in line and "refused" not in line for line in tail), tail)


def limits_are_raised():
    """open files: root's own limit does not end it once it is root's no more"""
    done = subprocess.run(["sh", "-c", f"ulimit -Hn 44; exec {M1TOP} stat -e cpu-clock,context-switches,page-faults,cpu-migrations "
                           "-n 2 -I 50 -- sh -c 'ulimit -Hn'"], capture_output=True, text=True, check=False,
                          env=dict(os.environ, M1TOP_EVENTS=EVENTS, **as_caller()), cwd=OUT, timeout=LIMIT_S)
    check(done.returncode == 0, done.stderr)


def doctor_tells():
    """doctor says what it will give up, and what a running m1top holds"""
    with Run(*VERBS["stat"][0], who="sudo") as run:
        run.held()
        for who in "root", "sudo":
            done = shell("doctor", who=who)
            said = f"m1top ({run.process.pid}) runs as user {CALLER} with cap_perfmon, no_new_privs"
            check(said in done.stdout, who, done.stdout)
            check(f"runs as user {CALLER}\n" in done.stdout if who == "sudo" else
                  "runs as user 0; its screen keeps cap_sys_nice and cap_kill" in done.stdout, who, done.stdout)
            check("other users of counters: " in done.stdout and "can see" not in done.stdout, who, done.stdout)


def no_core():
    """serve leaves no core dump, and its memory is closed to other processes of its user"""
    with Run("serve", "--demo", "--listen", "127.0.0.1:0", who="nobody", cwd="/") as run:
        run.until(lambda: b"serving" in run.said)
        pid = run.process.pid
        check(os.stat(f"/proc/{pid}/mem").st_uid == 0, "its memory is its user's")
        with open(f"/proc/{pid}/limits", encoding="ascii") as file:
            core = next(line.split()[4:6] for line in file if line.startswith("Max core"))
        check(core == ["0", "0"], core)


@while_threads_end
def scheduling(pid):
    """{name of a thread: its policy}; the main thread's name is main. None while threads start."""
    seen = {}
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/stat", encoding="ascii") as file:
            name, _, fields = file.read().partition("(")[2].rpartition(")")
        name = "main" if int(thread) == pid else "collector" if name == "m1top" else name
        seen[name] = int(fields.split()[38])
    return seen if sum(name.startswith("m1top/") for name in seen) == os.sysconf("SC_NPROCESSORS_ONLN") else None


def is_scheduled(got, readers, policy):
    return got and got["main"] == os.SCHED_OTHER and all(got.get(name) == policy for name in readers) and set(got.values()) <= {policy, 0}


def real_time():
    """core threads and collector run before ordinary threads; no other thread, no program and no simulation does"""
    script = "cut -d' ' -f41 /proc/self/stat; grep 'realtime timeout' /proc/self/limits; chrt -f 1 true && echo may"
    with open("/proc/self/limits", encoding="ascii") as file:
        limit = next(line for line in file if "realtime timeout" in line)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(1))
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    except PermissionError as why:
        return f"not even root may here: {why}"
    for name in {"live", "stat -o", "serve"} & VERBS.keys():
        for more, policy in ((), os.SCHED_FIFO), (("--no-real-time",), os.SCHED_OTHER):
            with Run(*VERBS[name][0], *more) as run:
                run.held()
                readers = {"m1top/0", "collector"} if name != "live" else {"m1top/0"}
                # the main thread starts the others as what they are to be, and is an ordinary one again
                run.until(lambda: is_scheduled(scheduling(run.process.pid), readers, policy))  # pylint: disable=cell-var-from-loop
    armed = os.path.join(OUT, "armed.txt")
    done = shell("stat", "-a", *SOFT, "-M", "UTIL", "-I", "50", "-o", "on.csv", "--on", f"UTIL<1000 for 50ms do run:({script}) >{armed}.part; mv {armed}.part {armed}", "--",
                 "sh", "-c", f"{script}; until test -s {armed}; do sleep .1; done")
    check(done.returncode == 0, done.stderr)
    for ran in done.stdout, open(armed, encoding="ascii").read():
        check(ran == f"0\n{limit}", ran, done.stderr)
    return None


def prepare():
    os.mkdir(OUT)
    os.chown(OUT, CALLER, CALLER)
    os.environ["M1TOP_EVENTS"] = EVENTS
    subprocess.run([M1TOP, "stat", "--demo", "-n", "20", "-I", "50", "-o", os.path.join(FOLDER, "session.csv")],
                   check=True, capture_output=True)


TESTS = [each_verb_as_root, each_verb_under_sudo, file_capability, only_admin, nobody, commands, triggers, files_of_root,
         reads_roots_files, screen_logs_and_writes, counters_change, limits_are_raised, doctor_tells, no_core,
         real_time]

if __name__ == "__main__":
    try:
        if os.geteuid():
            print("1..0 # SKIP only root has rights to give up")
            sys.exit(0)
        prepare()
        if not can_count():
            print("1..0 # SKIP cannot count here")
            sys.exit(0)
        wanted = sys.argv[1:]
        serving.run([test for test in TESTS if not wanted or test.__name__ in wanted])
    finally:
        shutil.rmtree(FOLDER)
