#!/usr/bin/env python3
"""perf_options.py: every option of the installed perf stat -h: accepted, or refused with what to use instead. TAP.

An accepted one is run with both programs, which count the same events with the same exit status.
"""
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile

import serving

FOLDER = tempfile.mkdtemp(prefix="m1top-perf-options-")
M1TOP = os.environ["M1TOP"]
OPTION = re.compile(r"^    (?:(-\w), )?(?:    )?--([\w-]+)", re.MULTILINE)
PID = str(os.getpid())
FILE = os.path.join(FOLDER, "FILE")
# Options that mean the same to both; a value where there is one.
SAME = {
    "all-cpus": [], "no-aggr": [], "cpu": ["0"], "delay": ["1"], "event": ["page-faults"],
    "interval-print": ["100"], "json-output": [], "metrics": None, "output": [FILE], "pid": [PID], "tid": [PID],
    "field-separator": [";"], "all-kernel": [], "all-user": [], "append": [], "control": ["fd:0"],
    "interval-count": ["1"], "log-fd": ["2"], "metric-only": None, "no-csv-summary": [], "per-core": [], "repeat": ["2"],
    "per-cache": [], "per-cluster": [], "per-node": [], "per-socket": [], "summary": [], "timeout": ["100"],
}
BESIDE = {"append": ["-o", FILE], "interval-count": ["-I", "50"], "no-aggr": ["-a"], "per-cache": ["-a"], "per-cluster": ["-a"],
          "per-core": ["-a"], "per-node": ["-a"], "per-socket": ["-a"], "summary": ["-I", "50"],
          "no-csv-summary": ["-I", "50", "--summary"]}
# A letter that is m1top's own for something else: beside a command its message says so.
OTHER = {"detailed": "-d", "null": "-n", "group": "-g"}
HAS_CACHES = os.path.exists("/sys/devices/system/cpu/cpu0/cache")


def stat(program, *words):
    return subprocess.run([*program, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False,
                          timeout=240)


def of_perf():
    said = stat(["perf", "stat"], "-h")
    return OPTION.findall(said.stdout + said.stderr)


def own_options():
    text = stat([M1TOP, "stat"], "--help").stdout
    return set(re.findall(r"(?<![\w-])--?[\w-]+", text))


def names(text):
    return {name for name in ("page-faults", "context-switches") if name in text}


def counted(program, name, form):
    """exit status, and the events that stand in the output"""
    if os.path.exists(FILE):
        os.remove(FILE)
    done = stat(program, *([] if name in ("field-separator", "json-output") else ["-x,"]), "-e",
                "context-switches", *([] if name == "event" else ["-e", "page-faults"]),
                *BESIDE.get(name, []), form, *SAME[name], *([] if name in ("pid", "tid") else ["--"]),
                "sleep", "0.15")
    written = open(FILE, encoding="utf-8").read() if os.path.exists(FILE) else ""
    # that of the command that --timeout ends is perf's own since 7
    return name != "timeout" and done.returncode, names(done.stdout + done.stderr + written)


def all_listed():
    """each option of perf stat -h is accepted as perf means it, or its message names the replacement"""
    if not shutil.which("perf"):
        return "no perf here"
    options, own, wrong = of_perf(), own_options(), []
    assert len(options) > 30, options
    for letter, name in options:
        for form in filter(None, (letter, "--" + name)):
            if form == "--cgroup":
                continue  # also m1top's, whose rows are others: cgroups.py
            if name not in SAME:
                said = stat([M1TOP, "stat"], form, *(["true"] if form in OTHER.values() else [])).stderr
                mark = ("which groups events, is not needed: " if form == "-g"
                        else "it is not that of perf stat: " if form in OTHER.values()
                        else f"stat has no option {form}: ")
                instead = said.partition(mark)[2]
                unknown = set(re.findall(r"(?<![\w/-])--?[a-zA-Z][\w-]*", instead)) - own
                if not instead.strip() or unknown:
                    wrong.append((form, said, unknown))
            elif SAME[name] is None:
                said = stat([M1TOP, "stat", "-e", "page-faults"], form,
                            *(["x=page\\-faults"] if name == "metrics" else []), "true")
                if said.returncode:
                    wrong.append((form, said.stderr))
            else:
                theirs, ours = (counted(program, name, form) for program in (["perf", "stat"], [M1TOP, "stat"]))
                refused = (os.geteuid() and ours[0] and theirs[0]  # neither may count the machine
                           or name == "per-cache" and not HAS_CACHES)  # perf makes up one
                if ours != theirs and not refused:
                    wrong.append((form, "perf", theirs, "m1top", ours))
    assert not wrong, "\n".join(map(str, wrong))
    return None


def started(folder):
    with open(os.path.join(folder, "runs"), encoding="utf-8") as file:
        return len(file.readlines())


def growing(program, runs, *words):
    """run number n has the kernel fill n * 64 pages. @return the line of page-faults, exit status, runs"""
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        script = f"cd {folder}; echo >>runs; dd if=/dev/zero of=/dev/null bs=$((256 * $(wc -l <runs)))k count=1 2>/dev/null; "
        done = stat(program, "-r", runs, *words, "-e", "page-faults", "--", "sh", "-c", script + "exit 3")
        line = next(line for line in (done.stdout + done.stderr).splitlines() if "page-faults" in line)
        return line, done.returncode, started(folder)


def means():
    """-r: so many runs, their mean and its standard error, as arithmetic has them, in perf's fields"""
    with open("/proc/sys/kernel/perf_event_paranoid", encoding="utf-8") as file:
        if os.geteuid() and int(file.read()) > 1:
            return "without rights only user mode is counted"
    lines = {}
    for tool in [[M1TOP, "stat"]] + ([["perf", "stat"]] if shutil.which("perf") else []):
        line, status, runs = growing(tool, "4", "-x,")
        value, _, _, spread, *rest = line.split(",")
        assert (status, runs) == (3, 4) and spread.endswith("%"), (tool, line, status, runs)
        # 64 pages more each time, of which the deviation is known: 64 * sqrt(5 / 3) / sqrt(4)
        error = float(value) * float(spread[:-1]) / 100
        assert abs(error - 41.3) < 4, (tool, line, error)
        lines[tool[0]] = (float(value), 4 + len(rest))
    assert len({n for _, n in lines.values()}) == 1, lines
    # of perf 6.1 it is the last run's count
    single = float(growing([M1TOP, "stat"], "1", "-x,")[0].split(",")[0])
    assert abs(lines[M1TOP][0] - single - 1.5 * 64) < 12, (lines, single)
    found = json.loads(growing([M1TOP, "stat"], "4", "-j")[0])
    assert abs(float(found["counter-value"]) * found["variance"] / 100 - 41.3) < 4, found
    for words, status in ((("-x,", "-e", "page-faults", "--", "sh", "-c", "exit 3"), 3),
                          (("-x,", "-e", "page-faults", "--", "/nowhere"), 127), (("-I", "100", "true"), 2), ((), 2)):
        done = stat([M1TOP, "stat", "-r", "3"], *words)
        assert done.returncode == status, (words, done)
    return None


def ends():
    """-r: a signal ends it in the second run, which is the last one, and no process stays"""
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        command = f"cd {folder}; echo >>runs; test $(wc -l <runs) = 1 || {{ echo; exec sleep 600; }}"
        process = subprocess.Popen([M1TOP, "stat", "-r", "5", "-x,", "-e", "page-faults", "-o", f"{folder}/out", "--",
                                    "sh", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   start_new_session=True)
        process.stdout.readline()
        process.terminate()
        # its end comes when nobody has it open any more: neither the command nor those that wait for their run
        process.stdout.read()
        assert process.wait(240) == -signal.SIGTERM, process.returncode
        with open(f"{folder}/out", encoding="utf-8") as file:
            assert "%," in file.read() and started(folder) == 2


def processes():
    """m1top -p of a process that is not there, and of two, is an error"""
    for value, status, said in (("4000000", 1, "there is no such process"), ("1,2", 2, "the number of one process")):
        main, terminal = os.openpty()
        done = subprocess.run([M1TOP, "--backend", "sim:seed=7", "-p", value], stdin=terminal, stdout=terminal,
                              stderr=subprocess.PIPE, text=True, timeout=240, check=False)
        os.close(terminal)
        os.close(main)
        assert done.returncode == status and f"-p {value}: " in done.stderr and said in done.stderr, done


def units():
    """-d and -I take a unit, as the screen's key d does"""
    for words in (("-d", "100ms"), ("-d", "0.1"), ("-I", "100ms"), ("-d", "100 ms")):
        done = stat([M1TOP, "stat", "--backend", "sim:clock=virtual"], *words, "-n", "2", "--format", "csv")
        assert done.returncode == 0 and re.search(r"interval\D*100\b|,100\d{6}\b|0\.1\d*", done.stdout), (words, done)
    done = stat([M1TOP, "stat"], "-d", "100kg")
    assert done.returncode == 2 and "-d 100kg: must be 0.001 to 3600 seconds" in done.stderr, done


if __name__ == "__main__":
    try:
        serving.run([all_listed, means, ends, processes, units])
    finally:
        shutil.rmtree(FOLDER)
