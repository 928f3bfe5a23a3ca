#!/usr/bin/env python3
"""surroundings.py: stat, the screen, doctor and serve in namespaces, a cpuset, under seccomp, without /proc, /sys or
capabilities: the figure that perf stat has there, or the sentence that says why there is none. TAP."""
import ctypes
import fcntl
import os
import pty
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

from serving import M1TOP as BUILT, ROOT, Tap, remove_cgroup, tasks_alone

FOLDER = tempfile.mkdtemp(prefix="m1top-surroundings-") if len(sys.argv) == 1 else ""
M1TOP = os.path.join(FOLDER, "m1top")
EVENTS = os.path.join(FOLDER, "events")
LIMIT_S = 300  # for a busy machine
CPUSET = "/sys/fs/cgroup/cpuset"
AUDIT_NR = {"x86_64": 298, "aarch64": 241}.get(os.uname().machine)  # perf_event_open

# Sentences, as patterns.
NS = r"sudo and setcap change nothing in this user namespace"
ROOT_ONLY = r"sudo and setcap change nothing as root without cap_perfmon"
PRIVS = r"sudo and setcap change nothing under no_new_privs"
SUDO = r"One of these fixes it:\r?\n  sudo \S+m1top"
EPERM = r"a seccomp filter refuses perf_event_open, to root as well"
ENOSYS = r"nothing can be counted on this machine: perf_event_open is missing: .*seccomp"
NO_SYS = r"nothing can be counted on this machine: /sys is not mounted; to mount it: mount -t sysfs"
COUNTS = None  # figures: both CPUs on the machine, the command's own as perf has them

MAY = r"ok perf: .* in use[\s\S]*this user may count the whole machine"
MAY_NOT = r"!  perf: [\s\S]*!  perf_event_paranoid is \S+: the whole machine cannot be counted"

# name: how to get there, `command` counted (or why not), the machine counted (or why not), what doctor says
TABLE = {
    "as it is": ([], COUNTS, COUNTS, MAY),
    "user namespace": (["unshare", "-Ur"], COUNTS, NS, MAY_NOT),
    "user namespace, no capabilities": (["unshare", "-Ur", "setpriv", "--bounding-set=-all", "--inh-caps=-all"], COUNTS, NS, MAY_NOT),
    "user and PID namespace": (["unshare", "-Urpf", "--mount-proc"], COUNTS, NS, MAY_NOT),
    "PID namespace": (["unshare", "-pf", "--kill-child", "--mount-proc"], COUNTS, COUNTS, MAY),
    "mount namespace": (["unshare", "-m"], COUNTS, COUNTS, MAY),
    "cgroup namespace": (["unshare", "-C"], COUNTS, COUNTS, MAY),
    "time namespace": (["unshare", "-T", "-f", "--kill-child"], COUNTS, COUNTS, MAY),
    "UTS, IPC and network namespaces": (["unshare", "-u", "-i", "-n", sys.executable, __file__, "--loopback"], COUNTS, COUNTS, MAY),
    "cpuset with CPU 0": ([sys.executable, __file__, "--cpuset"], COUNTS, COUNTS, MAY),
    "seccomp with EPERM": ([sys.executable, __file__, "--seccomp", "1"], EPERM, EPERM, EPERM),
    "seccomp with ENOSYS": ([sys.executable, __file__, "--seccomp", "38"], ENOSYS, ENOSYS, r"-  perf: perf_event_open is missing"),
    "no /sys": (["unshare", "-m", "sh", "-c", 'umount -l /sys; exec "$@"', "sh"], NO_SYS, NO_SYS, r"-  perf: /sys is not mounted"),
    "no /proc": (["unshare", "-m", "sh", "-c", 'umount -l /proc; exec "$@"', "sh"], COUNTS, COUNTS, r"/proc is not mounted"),
    "read-only root": (["unshare", "-m", "sh", "-c", 'mount -o remount,ro,bind / && exec "$@"', "sh"], COUNTS, COUNTS, MAY),
    "root without capabilities": (["setpriv", "--bounding-set=-all", "--inh-caps=-all"], COUNTS, ROOT_ONLY, MAY_NOT),
    "root of a container": (["setpriv", "--bounding-set=-perfmon,-sys_admin,-sys_ptrace"], COUNTS, ROOT_ONLY, MAY_NOT),
    "a user": (["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"], COUNTS, SUDO, MAY_NOT),
    "a user, with a home of mode 0700 of root's": (
        ["env", f"HOME={FOLDER}/home", "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"], COUNTS, SUDO, MAY_NOT),
    "a user, no_new_privs": (["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs"], COUNTS, PRIVS, MAY_NOT),
}
IN_PID_NAMESPACES = "user and PID namespace", "PID namespace"  # rows that pid_namespaces.py runs


# ---- getting there ----

def seccomp(errno):
    """Have perf_event_open answer so, to this process and those that it starts."""
    code = [(0x20, 0, 0, 0), (0x15, 0, 1, AUDIT_NR), (0x06, 0, 0, 0x00050000 | errno), (0x06, 0, 0, 0x7fff0000)]
    text = b"".join(struct.pack("HBBI", *line) for line in code)
    kept = ctypes.create_string_buffer(text, len(text))
    program = struct.pack("HxxxxxxP", len(code), ctypes.addressof(kept))
    libc = ctypes.CDLL(None, use_errno=True)
    pr_set_seccomp, mode_filter = 22, 2
    if libc.prctl(pr_set_seccomp, mode_filter, program, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")


def raise_loopback():
    """As `ip link set lo up`, which a minimal system lacks."""
    siocsifflags, iff_up = 0x8914, 1
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, siocsifflags, struct.pack("16sh14x", b"lo", iff_up))


def write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def cpuset_of(pid):
    return os.path.join(CPUSET, f"m1top-test-{pid}")


def enter_cpuset():
    """CPU 0 alone, in version 1's hierarchy; its maker removes it."""
    place = cpuset_of(os.getppid())
    os.makedirs(place, exist_ok=True)
    with open(os.path.join(CPUSET, "cpuset.mems"), encoding="ascii") as file:
        write(os.path.join(place, "cpuset.mems"), file.read())
    write(os.path.join(place, "cpuset.cpus"), "0")
    write(os.path.join(place, "cgroup.procs"), str(os.getpid()))


# ---- what is seen ----

def run(there, *args):
    done = subprocess.run([*there, *args], capture_output=True, text=True, check=False, timeout=LIMIT_S, cwd="/")
    return done.returncode, done.stdout + done.stderr


def missing(said, wanted):
    return [] if re.search(wanted, said) else [f"expected {wanted!r} in:\n{said[-1500:]}"]


def of_command(there, wanted):
    """page faults of a command, beside perf stat's: at most one in ten away"""
    status, said = run(there, M1TOP, "stat", "-j", "-e", "page-faults,task-clock", "true")
    if wanted:
        return missing(said, wanted)
    got = re.search(r'"counter-value" : "([\d.]+)".*"event" : "page-faults', said)
    if status or not got or not float(got[1]):
        return [f"status {status}: {said[-1500:]}"]
    if not shutil.which("perf"):
        return []
    _, theirs = run(there, "perf", "stat", "-x,", "-e", "page-faults,task-clock", "true")
    beside = re.search(r"^(\d+),,page-faults", theirs, re.M)
    if beside and abs(int(beside[1]) - float(got[1])) > .1 * int(beside[1]):
        return [f"m1top counts {got[1]} page faults, perf {beside[1]}"]
    return []


def of_machine(there, wanted):
    """every CPU that is online has a row with figures"""
    status, said = run(there, M1TOP, "stat", "-e", "cpu-clock", "-I", "100", "-n", "10")
    if wanted:
        return missing(said, wanted)
    # a busy machine may answer too late for an interval
    with_figures = set(re.findall(r"^ +[\d.]+ (cpu\d+) +[\d.]+[kM]?$", said, re.M))
    n_cpus = os.sysconf("SC_NPROCESSORS_ONLN")
    return [] if status == 0 and len(with_figures) == n_cpus and "offline" not in said else [f"{with_figures}: {said}"]


def of_screen(there, wanted):
    """the same on a terminal: a row of each CPU, or the sentence"""
    pid, master = pty.fork()
    if not pid:
        os.execvp((there or [M1TOP])[0], [*there, M1TOP, "-e", "cpu-clock", "-I", "100"])
    said, end = "", time.monotonic() + LIMIT_S
    last = f"cpu{os.sysconf('SC_NPROCESSORS_ONLN') - 1}"
    quit_at = None
    while time.monotonic() < end:
        if select.select([master], [], [], .1)[0]:
            try:
                said += os.read(master, 1 << 16).decode(errors="replace")
            except OSError:
                break
        if not quit_at and not wanted and last in said and "CPU-CLK" in said:
            quit_at = len(said)
            os.write(master, b"q")
    else:
        os.kill(pid, signal.SIGKILL)
    os.close(master)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if wanted:
        return missing(said, wanted)
    return [] if quit_at and status == 0 and not re.search(r"\boff(line)?\b", said) else [
        f"status {status}: {said[-1500:]!r}"]


def of_doctor(there, wanted):
    """doctor agrees: whether the machine can be counted"""
    return missing(run(there, M1TOP, "doctor")[1], wanted)


def of_serve(there, wanted):
    """serve: m1top_core_online is 1 for every CPU; or the sentence"""
    get = ("import os,re,subprocess,sys,urllib.request as u\n"
           "p=subprocess.Popen([sys.argv[1],'serve','-e','cpu-clock','-I','100','--listen','127.0.0.1:0'],stderr=-1,text=True)\n"
           "said=''\n"
           "for line in p.stderr:\n"
           " said+=line\n"
           " at=re.search(r'serving (http://\\S+/metrics)',line)\n"
           " if at:\n"
           "  for i in range(200):\n"
           "   got=u.urlopen(at[1]).read().decode()\n"
           "   if got.count('\\nm1top_core_online')==os.sysconf('SC_NPROCESSORS_ONLN') or 'm1top_core_online' in got and i>100: break\n"
           "   __import__('time').sleep(.05)\n"
           "  said+=got; p.terminate()\n"
           "p.wait(); print(said)\n")
    _, said = run(there, sys.executable, "-c", get, M1TOP)
    if wanted:
        return missing(said, wanted)
    online = re.findall(r"^m1top_core_online\{.*\} (\d)", said, re.M)
    return [] if online == ["1"] * os.sysconf("SC_NPROCESSORS_ONLN") else [f"online {online}: {said[-1500:]}"]


def unseen_tasks(tap):
    """tasks of other PID namespaces are not [idle]: the row is [idle/unseen], and has their counts"""
    there = TABLE["PID namespace"][0]
    if run(there, "true")[0]:
        tap.skip("PID namespace: tasks outside", "not to be had here")
        return
    with tasks_alone(), subprocess.Popen([sys.executable, "-c", "while True: pass"]) as spin:
        try:
            _, said = run(there, M1TOP, "stat", "--by", "command", "-e", "cpu-clock", "-n", "1", "-I", "500")
        finally:
            spin.kill()
    tap.test("PID namespace: tasks outside", [] if re.search(r"\[idle/unseen\] +>?[1-9]", said) and "[idle]" not in said else [said])


def walk(tap, names):
    for name in names:
        there, command, machine, doctor = TABLE[name]
        if name.startswith("seccomp") and not AUDIT_NR:
            tap.skip(name, "no number of perf_event_open is known for this processor")
        elif name == "no /proc" and os.environ.get("SAN"):
            tap.skip(name, "sanitizers read /proc/self/maps")
        elif "--cpuset" in there and not os.path.exists(os.path.join(CPUSET, "cpuset.cpus")):
            tap.skip(name, "no cpuset hierarchy of cgroup v1")
        elif run(there, "true")[0]:
            tap.skip(name, f"not to be had here: {run(there, 'true')[1]}".strip().replace("\n", " "))
        else:
            for verb, see, wanted in (("stat COMMAND", of_command, command), ("stat", of_machine, machine),
                                      ("screen", of_screen, machine), ("doctor", of_doctor, doctor),
                                      ("serve", of_serve, machine)):
                tap.test(f"{name}: {verb}", see(there, wanted))


def main(names, *more):
    """@more  tests besides those of the table"""
    if sys.argv[1:2] == ["--seccomp"]:
        seccomp(int(sys.argv[2]))
        os.execvp(sys.argv[3], sys.argv[3:])
    if sys.argv[1:2] == ["--cpuset"]:
        enter_cpuset()
        os.execvp(sys.argv[2], sys.argv[2:])
    if sys.argv[1:2] == ["--loopback"]:
        raise_loopback()
        os.execvp(sys.argv[2], sys.argv[2:])
    if os.geteuid():
        print("1..0 # SKIP only root makes every surrounding")
        return
    try:
        os.chmod(FOLDER, 0o755)
        os.mkdir(os.path.join(FOLDER, "home"), 0o700)
        shutil.copy(BUILT, M1TOP)
        shutil.copytree(os.environ.get("M1TOP_EVENTS", os.path.join(ROOT, "events")), EVENTS)
        os.environ.pop("M1TOP_EVENTS", None)
        os.environ.pop("SUDO_UID", None)
        os.environ.update(TERM="xterm", LC_ALL="C.UTF-8", HOME="/nonexistent")
        tap = Tap()
        if run([], M1TOP, "stat", "-e", "cpu-clock", "-n", "1", "-I", "20")[0]:
            print("1..0 # SKIP cannot count here")
            return
        walk(tap, names)
        for test in more:
            test(tap)
        tap.end()
    finally:
        shutil.rmtree(FOLDER)
        if os.path.isdir(cpuset_of(os.getpid())):
            remove_cgroup(cpuset_of(os.getpid()))


if __name__ == "__main__":
    main([name for name in TABLE if name not in IN_PID_NAMESPACES])
