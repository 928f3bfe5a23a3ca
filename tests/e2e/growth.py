#!/usr/bin/env python3
"""growth.py: no work of m1top grows faster than the number of cores, tasks or cgroups. TAP.

Valgrind counts the instructions of user space at three sizes. Of what is repeated only the repetitions count; of the
screen, which draws by the clock, the mean of a function's calls. What the first size lacks of the others may grow by the
power LIMIT of what the sizes differ by. NAME…: only these.
"""
import fcntl
import math
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time

from serving import M1TOP, Server, Tap

LIMIT = 1.1
# the screen begins with folded rows on more than 64 cores
FOLDED = "picture", "rows folded and unfolded"
SIZES = (8, 64, 512)
VALGRIND = ["valgrind", "--tool=callgrind", "--max-threads=1200"]
COUNTED = [*VALGRIND, "--callgrind-out-file=/dev/null"]
SYSTEM = "/sys/devices/system"
ENTER = ["unshare", *([] if os.geteuid() == 0 else ["-Ur"]), "-m", "--propagation", "private", "sh", "-c",
         f'mount --bind "$0" {SYSTEM} && exec "$@"']


def collected(output):
    found = re.search(r"Collected : (\d+)", output)
    if not found:
        raise AssertionError(output[-2000:])
    return int(found[1])


def instructions(*arguments, before=()):
    done = subprocess.run([*before, *COUNTED, M1TOP, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, errors="replace", check=False)
    return collected(done.stderr)


def simulated(n, more=""):
    return "--backend", f"sim:seed=7,clock=virtual,cores={n}{more}"


def frames(n, *options, more="", n_more=2):
    """of a frame"""
    few, many = (instructions("stat", *simulated(n, more), "-I", "100", "-n", str(count), *options) for count in (2, 2 + n_more))
    return (many - few) / n_more


def mean_of_calls(path, function):
    """Instructions of a call of a function, with those of what it calls, by callgrind's file"""
    n_calls, cost, is_its = 0, 0, False
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.startswith("calls="):
                its_cost = int(next(file).split()[-1])
                n_calls += int(line[6:].split()[0]) if is_its else 0
                cost += its_cost if is_its else 0
            elif line.startswith("cfn="):
                is_its = line[4:].strip().split(".")[0].split("'")[0] == function
    if not n_calls:
        raise AssertionError(f"{function} is never called")
    return cost / n_calls


def screen(n, function, *options, n_frames=5, keys=(), folder):
    """of a call of a function on a screen until its clock halts, and after keys, each when the picture before is there"""
    path = os.path.join(folder, "callgrind")
    pid, fd = pty.fork()
    if pid == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("4H", 50, 160, 0, 0))
        os.environ.update(TERM="xterm-256color", LC_ALL="C.UTF-8", XDG_CONFIG_HOME=folder)
        os.execvp(VALGRIND[0], [*VALGRIND, f"--callgrind-out-file={path}", "--compress-strings=no", "--log-file=/dev/null",
                                M1TOP, *simulated(n, f",halt={n_frames}"), "-d", "0.1", *options])

    def read(until=None, quiet_s=.3):
        seen, end = b"", time.monotonic() + 120
        while time.monotonic() < end and select.select([fd], [], [], quiet_s if seen and not until else 60)[0]:
            try:
                seen += os.read(fd, 1 << 16)
            except OSError:  # EIO: it has ended
                return
            if until and until in seen:
                until = None

    read(b"halted")
    for key in keys:
        os.write(fd, key.encode())
        read()
    os.write(fd, b"q")
    read(b"-")
    os.waitpid(pid, 0)
    os.close(fd)
    return mean_of_calls(path, function)


def scrapes(n):
    """of a frame and its scrape"""
    def once(n_frames):
        seen = 0
        with Server("--backend", f"sim:seed=7,cores={n}", "-I", "3000", "-e", "cycles,instructions",
                    command=(*COUNTED, M1TOP)) as server:
            while seen < n_frames:
                time.sleep(2)
                seen = int(re.search(r"^m1top_frames_total (\d+)", server.get()[2], re.M)[1])
            server.stop()
            return collected(server.said), seen
    (few, n_few), (many, n_many) = once(1), once(3)
    return (many - few) / (n_many - n_few)


def fake_system(root, n):
    """An x86 server of two threads a core, caches of 4 cores and nodes of 32, as Linux shows it"""
    half = n // 2

    def put(path, text):
        os.makedirs(os.path.dirname(f"{root}/{path}"), exist_ok=True)
        with open(f"{root}/{path}", "w", encoding="utf-8") as file:
            file.write(f"{text}\n")

    def both(first, n_cores):
        last = min(first + n_cores, half) - 1
        return f"{first}-{last},{first + half}-{last + half}"

    for name in ("online", "present", "possible"):
        put(f"cpu/{name}", f"0-{n - 1}")
    for cpu in range(n):
        core, at = cpu % half, f"cpu/cpu{cpu}"
        socket = both(core // 32 * 32, 32)
        for name, text in (("physical_package_id", core // 32), ("core_id", core), ("cluster_id", core),
                           ("core_cpus_list", both(core, 1)), ("package_cpus_list", socket), ("die_cpus_list", socket)):
            put(f"{at}/topology/{name}", text)
        for index, (level, cpus) in enumerate(((1, both(core, 1)), (2, both(core, 1)), (3, both(core // 4 * 4, 4)))):
            put(f"{at}/cache/index{index}/level", level)
            put(f"{at}/cache/index{index}/shared_cpu_list", cpus)
        put(f"{at}/online", 1)
        put(f"node/node{core // 32}/cpulist", socket)
        os.symlink(f"../../{at}", f"{root}/node/node{core // 32}/cpu{cpu}")


def faked(n, folder, *arguments):
    root = os.path.join(folder, f"system{n}")
    if not os.path.exists(root):
        fake_system(root, n)
    return instructions(*arguments, before=(*ENTER, root))


def session(n, folder):
    path = os.path.join(folder, f"{n}.csv")
    if not os.path.exists(path):
        subprocess.run([M1TOP, "stat", *simulated(n), "-I", "100", "-n", "5", "-e", "cycles,instructions", "-o", path],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return path


def rows(folder):
    """(name, work at a size)"""
    events = "-e", "cycles,instructions,branches,BRANCH_MISPRED_NONSPEC"
    mux = "-e", "{L1D_TLB_MISS,L1D_CACHE_MISS_LD,INST_LDST}", "-e", "{INST_INT_LD,INST_SIMD_LD,INST_INT_ALU}"

    return [
        ("start, simulated", lambda n: instructions("stat", *simulated(n), *events, "-n", "1", "-I", "100")),
        ("start, faked CPUs", lambda n: faked(n, folder, "stat", "-e", "cpu-clock", "-n", "1", "-I", "8000")),
        ("doctor, faked CPUs", lambda n: faked(n, folder, "doctor")),
        ("tick", lambda n: frames(n, *events, "--by", "system")),
        ("frame as text", lambda n: frames(n, *events)),
        ("frame in perf's format", lambda n: frames(n, *events, "--per-core", "-x", ";", n_more=1)),
        ("log row", lambda n: frames(n, *events, "-o", os.path.join(folder, "log.csv"), "--force")),
        ("multiplexed frame", lambda n: frames(n, *mux, "--by", "system")),
        ("metrics", lambda n: frames(n, "-P", "overview", "--by", "llc")),
        ("scrape", scrapes),
        ("report", lambda n: instructions("report", session(n, folder))),
        ("picture", lambda n: screen(n, "loop_draw", *events, keys="jk" * 4, folder=folder)),
        ("rows folded and unfolded", lambda n: screen(n, "rows_make", *events, keys="FF" * 4, folder=folder)),
        ("frame on the screen, with its history", lambda n: screen(n, "model_feed", *events, n_frames=25, folder=folder)),
        ("frame by task, tasks", lambda n: frames(4, *events, "--by", "task", n_more=4, more=f",tasks={n}")),
        ("frame by cgroup, cgroups",
         lambda n: frames(4, *events, "--by", "cgroup", n_more=4, more=f",tasks=1024,cgroups={n}")),
    ]


def works(*command):
    return shutil.which(command[0]) and not subprocess.run(command, capture_output=True, check=False).returncode


def main():
    tap = Tap()
    why = "a sanitizer has work of its own" if os.environ.get("SAN") else \
        "" if works(*COUNTED, M1TOP, "--version") else "no valgrind that can run it"
    may_bind = works(*ENTER, "/tmp", "true")
    print(f"# instructions at {SIZES}, exponents: of the whole between neighbours, of the growth")
    with tempfile.TemporaryDirectory() as folder:
        for name, work in rows(folder):
            if why or ("faked" in name and not may_bind):
                tap.skip(name, why or f"{SYSTEM} cannot be replaced")
                continue
            if sys.argv[1:] and name not in sys.argv[1:]:
                continue
            few, some, many = counts = [work(n) for n in SIZES]
            whole = [math.log(b / a, m / n) for a, b, n, m in zip(counts, counts[1:], SIZES, SIZES[1:])]
            growth = math.log(max(many - few, 1) / max(some - few, 1), (SIZES[2] - SIZES[0]) / (SIZES[1] - SIZES[0]))
            print(f"# {name:38} " + " ".join(f"{count / 1e6:9.3f} M" for count in counts)
                  + f" {whole[0]:6.2f} {whole[1]:5.2f} {growth:6.2f}", flush=True)
            worst = max(whole) if name in FOLDED else growth
            tap.test(f"{name}: linear or better", [f"exponent {worst:.2f}"] if worst > LIMIT else [])
    tap.end()


if __name__ == "__main__":
    main()
