#!/usr/bin/env python3
"""cgroups.py: what is counted of cgroups on this machine, beside what their tasks did: page faults and context switches to
the unit, also of tasks that move and that live for milliseconds; skipped where no cgroup can be made. TAP.
(pid_namespaces.py runs in_a_rootless_container.)"""
import contextlib
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

import serving
from serving import M1TOP
from task_truth import AT_ONCE, CLOCK, EVENTS, FAULTS, SWITCHES, UNATTRIBUTED, account, check, counted, read, spin, start, touch

ROUNDS, BURST = 12, 200
# of different depth; one has a name that lines, terminals and Prometheus must not be harmed by
PATHS = ["/a", "/a/b", "/a/b/c/d/e", "/f/web.service", "/g\x1b[2J ,=\"{}", *(f"/h/{i}" for i in range(14)), "/i"]
CONTAINER = "c0ffee" + "0123456789" * 5 + "01234567"
EXACT = FAULTS, SWITCHES


def mount():
    """@return the hierarchy that perf's ids are of; None: there is none"""
    best = None
    for line in read("/proc/self/mountinfo").splitlines():
        left, _, right = line.partition(" - ")
        kind, _, options = right.split(" ", 2)
        if kind == "cgroup" and "perf_event" in options.split(","):
            return left.split()[4]
        if kind == "cgroup2":
            best = best or left.split()[4]
    return best


@contextlib.contextmanager
def groups(paths=tuple(PATHS)):
    """@return folder of the cgroups by path, all below one of this test; None: they cannot be made"""
    root, made = mount(), []
    folder = {}
    top = f"/m1top-test-{os.getpid()}"
    try:
        for path in paths if root else ():
            at = root
            for part in (top + path).split("/")[1:]:
                at += "/" + part
                if not os.path.isdir(at):
                    os.mkdir(at)
                    made.append(at)
            folder[top + path] = at
    except OSError:
        folder = None
    try:
        yield folder
    finally:
        for at in reversed(made):
            serving.remove_cgroup(at)


def enter(folder, pid):
    with open(folder + "/cgroup.procs", "w", encoding="ascii") as file:
        file.write(str(pid))


def shown(path):
    return re.sub(r"[\x00-\x1f]", lambda c: f"\\{ord(c[0]):03o}", path)


def cpu_ns(folder):
    return 1000 * int(re.search(r"usage_usec (\d+)", read(folder + "/cpu.stat"))[1])


def obeys(number, go, done):
    """Does one piece of work for each byte, until there are no more"""
    while os.read(go, 1):
        touch(10 + number)
        for _ in range(number % 4):
            time.sleep(.0005)
        spin(1)
        os.write(done, b".")


def obeys_in_child(number, go, done):
    for fd in go[1], done[0]:
        os.close(fd)
    obeys(number, go[0], done[1])


class Worker:
    def __init__(self, number):
        self.go, self.done = os.pipe(), os.pipe()
        self.pid = start(obeys_in_child, number, self.go, self.done)
        for fd in self.go[0], self.done[1]:
            os.close(fd)

    def work(self):
        """@return what it did, from one sleep to the next"""
        before = account(self.pid)
        os.write(self.go[1], b".")
        os.read(self.done[0], 1)
        after = account(self.pid)
        return {event: after[event] - before[event] for event in EVENTS}

    def end(self):
        for fd in self.go[1], self.done[0]:
            os.close(fd)
        os.waitpid(self.pid, 0)


def in_container(folder, *command, options=("-Urpf", "--mount-proc")):
    """@return words that start a command as a rootless container in a cgroup does"""
    return ["sh", "-c", 'echo 0 >"$0"/cgroup.procs; exec unshare "$@"', folder, *options, *command]


class Contained(Worker):
    def __init__(self, folder):
        self.go, self.done = os.pipe(), os.pipe()
        pipes = self.go[0], self.done[1]
        self.process = subprocess.Popen(in_container(folder, sys.executable, __file__, "obey", *map(str, pipes)), pass_fds=pipes)
        for fd in pipes:
            os.close(fd)
        self.is_there = bool(os.read(self.done[0], 1))
        if self.is_there:
            self.pid = int(read(f"/proc/{self.process.pid}/task/{self.process.pid}/children"))
            account(self.process.pid)  # which is of the cgroup, too, sleeps

    def end(self):
        for fd in self.go[1], self.done[0]:
            os.close(fd)
        self.process.wait()


class Perf:
    """perf stat --for-each-cgroup of the same, until it is stopped; `count` by path and event, each with those below it"""

    def __init__(self, paths):
        self.count = {}
        self.paths = [path for path in paths if shutil.which("perf") and "," not in path]
        if self.paths:
            self.process = subprocess.Popen(
                ["perf", "stat", "-a", "-x;", "--log-fd", "1", "-e", ",".join(EVENTS), "--for-each-cgroup", ",".join(path[1:] for path in self.paths),
                 "sh", "-c", "echo it counts >&2; read end; :"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.process.stderr.readline()

    def stop(self):
        for line in self.process.communicate()[0].splitlines() if self.paths else ():
            value, unit, event, path = line.split(";")[:4]
            if value[0].isdigit():
                self.count["/" + path, event] = round(float(value) * 1e6) if unit == "msec" else int(value)


def with_those_below(count, path, event):
    return sum(one[event] for at, one in count.items() if at and (at + "/").startswith(path + "/"))


def print_beside(truth, by_group, kernels, perf):
    """Each cgroup with those below it: what its tasks did, what m1top counted, cgroup's own account of CPU time, and perf"""
    print("# with all below:  " + "".join(f"{event:>18}{'m1top':>11}{'perf':>11}" for event in (*EXACT, "cpu ms")) + "   cpu.stat")
    by_path = {path: by_group.get(name_in_notes(path), dict.fromkeys(EVENTS, 0)) for path in truth}
    for path in truth:
        cells = []
        for event in (*EXACT, CLOCK):
            unit = 1e6 if event == CLOCK else 1
            for figure in (with_those_below(truth, path, event), with_those_below(by_path, path, event), perf.count.get((path, event))):
                cells.append("-" if figure is None else f"{figure / unit:.2f}" if event == CLOCK else str(figure))
        print(f"# {'/' + shown(path).split('/', 2)[2]:17}" + "".join(f"{cell:>{18 if i % 3 == 0 else 11}}" for i, cell in enumerate(cells)) +
              f"{kernels[path] / 1e6:11.2f}")
    for event in EVENTS:
        true = {path: with_those_below(truth, path, event) for path in perf.paths}
        for name, got in (("m1top", {path: with_those_below(by_path, path, event) for path in perf.paths}),
                          ("perf", {path: perf.count.get((path, event), 0) for path in perf.paths})):
            apart = [abs(got[path] - n) for path, n in true.items()]
            if got:
                print(f"# {event}: {name} {apart.count(0)} of {len(apart)} exact, apart by {max(apart)} at most, {sum(apart) / sum(true.values()):.3%} on the whole")


def rows_of(lines):
    """@return counts by cgroup and event, sums of tasks and of cores by tick, cpu and event"""
    group, by_group, tasks, cores = {}, {}, {}, {}
    for line in lines:
        told = re.match(r"# task \S+ (-?\d+) (.*)", line)
        if told:
            path = re.search(r' cgroup=("(?:[^"]|"")*"|\S+)', told[2])
            group[told[1]] = path[1] if path else None
        if line[0] in "#t":
            continue
        tick, _, cpu, _, _, _, task, event, count, *_ = next(csv.reader([line]))
        to = tasks if task else cores
        to[tick, cpu, event] = to.get((tick, cpu, event), 0) + int(count or 0)
        if task:
            of = by_group.setdefault(UNATTRIBUTED if task == UNATTRIBUTED else group[task], dict.fromkeys(EVENTS, 0))
            of[event] += int(count)
    return by_group, tasks, cores


def compare(truth, counting, stolen_ns):
    """None has more than it did, but for time that the host took; what is missing of it is nobody's"""
    by_group, tasks, cores = rows_of(counting.lines)
    check(cores and tasks == cores, "the tasks of a core do not add up to its counts")
    nobodys = by_group.get(UNATTRIBUTED, dict.fromkeys(EVENTS, 0))
    for event in EVENTS:
        slack = {path: 0 if event in EXACT else .02 * one[CLOCK] + 1e4 * one[SWITCHES] + 1e5 for path, one in truth.items()}
        figure = {path: by_group.get(name_in_notes(path), {}).get(event, 0) for path in truth}
        apart = {path: figure[path] - truth[path][event] for path in truth if figure[path] != truth[path][event]}
        print(f"# {event}: {sum(figure.values())} of {sum(one[event] for one in truth.values())} in {len(truth)} cgroups, "
              f"{len(truth) - len(apart)} exact; {nobodys[event]} [unattributed], {counting.n_lost} records lost")
        check(sum(max(0, n - slack[path]) for path, n in apart.items()) <= (stolen_ns if event == CLOCK else 0), event, "too much:", apart)
        check(-sum(n for n in apart.values() if n < 0) <= nobodys[event] + sum(slack[path] for path in apart),
              event, "missing:", apart, "of nobody:", nobodys[event])


def name_in_notes(path):
    """@return the path as in a session's notes"""
    name = shown(path)
    return '"' + name.replace('"', '""') + '"' if re.search(r'[",= ]', name) else name


# ---- tests ----

def of_tasks_that_move():
    """20 cgroups of different depth, each task in another one for each piece of work"""
    with groups() as folder:
        if not folder:
            return "no cgroup can be made here"
        paths = list(folder)
        kernels = {}  # CPU time as the kernel counts it of each of these cgroups with those below it
        perfs = []
        workers = [Worker(i) for i in range(len(paths))]
        top = "/" + paths[0].split("/")[1]
        accounts = {top: mount() + top, **folder}

        def work():
            perfs.append(Perf(paths))
            before = {path: cpu_ns(at) for path, at in accounts.items()}
            truth = {path: dict.fromkeys(EVENTS, 0) for path in paths}
            for turn in range(ROUNDS):
                for i, worker in enumerate(workers):
                    path = paths[(i + turn) % len(paths)]
                    account(worker.pid)  # it sleeps
                    enter(folder[path], worker.pid)
                    for event, n in worker.work().items():
                        truth[path][event] += n
            kernels.update({path: cpu_ns(at) - before[path] for path, at in accounts.items()})
            perfs[0].stop()
            return truth

        try:
            got = counted(work)
        finally:
            for worker in reversed(workers):  # each has the pipes of those before it
                worker.end()
        if isinstance(got, str):
            return got
        compare(*got)
        by_group = rows_of(got[1].lines)[0]
        ours = sum(one[CLOCK] for path, one in by_group.items() if path and "/m1top-test-" in path)
        print(f"# {ours / 1e6:.1f} ms by m1top, {kernels[top] / 1e6:.1f} ms in cpu.stat")
        print_beside(got[0], by_group, kernels, perfs[0])
        check(abs(ours - kernels[top]) < .05 * kernels[top] + got[2] + by_group.get(UNATTRIBUTED, {CLOCK: 0})[CLOCK], ours, kernels)
    return None


def of_a_burst():
    """tasks that live for milliseconds in cgroups of their own"""
    def mother(folders):
        with contextlib.suppress(ChildProcessError):
            for i in range(BURST + AT_ONCE):
                if i >= AT_ONCE:
                    os.wait()
                if i < BURST:
                    start(short, folders[i % len(folders)])
            while True:
                os.wait()

    def short(folder):
        enter(folder, 0)
        os.sched_yield()
        touch(8)

    with groups() as folder:
        if not folder:
            return "no cgroup can be made here"
        paths = [path for path in folder if "/h/" in path]

        def work():
            pid = start(mother, [folder[path] for path in paths])
            os.waitpid(pid, 0)
            return {path: {FAULTS: 8 * len(range(i, BURST, len(paths))), SWITCHES: 0, CLOCK: 0} for i, path in enumerate(paths)}

        got = counted(work)
        if isinstance(got, str):
            return got
        truth, counting, _ = got
        by_group, tasks, cores = rows_of(counting.lines)
        check(tasks == cores, "the tasks of a core do not add up to its counts")
        few = {path: by_group.get(path, {}).get(FAULTS, 0) for path in paths}
        few = {path: n for path, n in few.items() if n < truth[path][FAULTS]}
        nobodys = by_group.get(UNATTRIBUTED, {}).get(FAULTS, 0)
        print(f"# {len(paths) - len(few)} of {len(paths)} cgroups have all faults of {BURST} tasks; {nobodys} [unattributed]")
        check(sum(truth[path][FAULTS] - n for path, n in few.items()) <= nobodys, few, truth)
    return None


def the_same_by_stat():
    """--by cgroup adds up to --by system; --cgroup shows what is below alone; a new cgroup has its name"""
    with groups() as folder, tempfile.TemporaryDirectory() as tmp:
        if not folder:
            return "no cgroup can be made here"
        path = list(folder)[2]
        top = "/" + path.split("/")[1]
        session = tmp + "/s.csv"
        program = f"mkdir {folder[path]}/new; echo $$ >{folder[path]}/new/cgroup.procs; for i in 1 2 3 4 5 6 7 8; do /bin/true; done"
        done = subprocess.run([M1TOP, "stat", "-a", "--by", "task", "-I", "50", "-e", ",".join(EVENTS), "-o", session, "sh", "-c", program],
                              check=False, capture_output=True, text=True)
        with contextlib.suppress(OSError):
            os.rmdir(folder[path] + "/new")
        if done.returncode == 3:
            return "not permitted"
        check(done.returncode == 0, done.stderr)

        def stat(*by):
            out = subprocess.run([M1TOP, "replay", "--to-stat", "--summary", "-x;", *by, session], check=True, capture_output=True, text=True).stdout
            return [line.split(";") for line in out.splitlines() if line.split(";")[0].strip() == "summary"]

        whole = {row[-5]: int(row[-7]) for row in stat("--by", "system") if row[-5] in EXACT}
        groups_ = {event: sum(int(row[2]) for row in stat("--by", "cgroup") if row[4] == event) for event in EXACT}
        check(whole == groups_, whole, groups_)
        # what was lost may be of any cgroup, so it stands beside them
        below = {row[1] for row in stat("--cgroup", top)} - {"[unattributed]", "[others]"}
        check(below == {path + "/new"}, below)
        refused = subprocess.run([M1TOP, "stat", "--cgroup", "x", "-n", "1"], check=False, capture_output=True, text=True)
        check(refused.returncode == 2 and "/system.slice" in refused.stderr, refused.stderr)
    return None


def in_a_rootless_container():
    """a rootless container: its counts and its name as seen from outside; inside m1top says what it may not, and counts its own"""
    with groups([f"/user/libpod-{CONTAINER}.scope"]) as folder, tempfile.TemporaryDirectory() as home:
        if not folder:
            return "no cgroup can be made here"
        (path, at), = folder.items()
        worker = Contained(at)

        def work():
            did = [worker.work() for _ in range(ROUNDS)]
            return {path: {event: sum(one[event] for one in did) for event in EVENTS}}

        try:
            got = counted(work) if worker.is_there else "namespaces cannot be made here"
        finally:
            worker.end()
        if isinstance(got, str):
            return got
        compare(*got)

        def m1top(*words, **options):
            return subprocess.run(in_container(at, M1TOP, *words, **options), check=False, capture_output=True, text=True, env=env)

        env = {**os.environ, "HOME": home}
        env.pop("SUDO_UID", None)  # whose home it would be
        # the file that podman has, of the user who runs m1top
        storage = home + "/.local/share/containers/storage/overlay-containers"
        os.makedirs(storage)
        with open(storage + "/containers.json", "w", encoding="ascii") as file:
            json.dump([{"id": CONTAINER, "names": ["web"]}], file)
        for options in ("--kill-child", "-f"), ("-pfC", "--mount-proc"):
            for _ in range(20):
                done = m1top("stat", "--by", "cgroup", "-e", FAULTS, "sh", "-c", "/bin/true; /bin/true", options=options)
                row = re.search(r"/user/web +[1-9]", done.stdout)
                if row or "not recorded" not in done.stderr:
                    break  # else all may be [unattributed]
            # where each try lost records
            row = row or "not recorded" in done.stderr and re.search(r"/user/web +>[1-9]", done.stdout)
            check(row, done)
        whole = m1top("stat", "-a", "--by", "cgroup", "-n", "1", "-d", ".1")
        if int(read("/proc/sys/kernel/perf_event_paranoid")) > 0:
            check(whole.returncode == 3 and "outside" in whole.stderr, whole)
        own = m1top("stat", "-x;", "-e", FAULTS, "true")
        check(own.returncode == 0 and re.search(r"(^|;)[1-9]\d*;;page-faults", own.stdout), own)
    return None


if __name__ == "__main__":
    if sys.argv[1:2] == ["obey"]:
        ready = int(sys.argv[3])
        os.write(ready, b".")
        obeys(3, int(sys.argv[2]), ready)
        sys.exit()
    with serving.tasks_alone():
        serving.run([of_tasks_that_move, of_a_burst, the_same_by_stat])
