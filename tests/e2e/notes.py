#!/usr/bin/env python3
"""notes.py: docs/session-format.md has the schema of notes: what it lists is written and read, and nothing else. TAP.

Each "#" line of the sessions matches the form of its word in the document, and each field of each form occurs. A session with
all of them reads and writes back the same. Without a field it is refused and the field is named, or the field may be missing.
"""
import glob
import os
import re
import subprocess
import tempfile

from serving import M1TOP, ROOT, Tap

VALUE, NUMBER = r'(?:"(?:[^"]|"")*"|[^ "\n]*)', r"-?[\d.]+(?:e[+-]\d+)?"
KINDS = {"T": r"\d+\.\d{9}", "PID": r"-?\d+", "CPU": r"\d+", "N": NUMBER, "X": NUMBER, "HEX": "0x[0-9a-f]+",
         "0|1": "[01]", '"…"': r'"(?:[^"]|"")*"', "(WHY)": r"\([a-z ]+\)"}
# keys that a session needs; it is read without the others, which have a default or are for people
NEEDED = {"machine": "cpuid simulated", "type": "pmu counters width slot_is_counter first_fit", "cpu": "type cluster midr",
          "source": "path type events", "pmu": "identifier", "sensor": "name", "literals": "type",
          "set": "type slot pmu event config unit scale", "task": "process name", "samples": "column",
          "hot": "cpu pid n weight weight2 function object"}
# shown by cli/stat/mux_asked, e2e/task_stat.py, cli/stat/device and unit/session/write/test_log; no event of the simulation
# has more than config1
ELSEWHERE = {"skips=", "tasks=", "rows=device", "metrics_of=sets", "config2=", "config3=", "config4="}
SIM = ("--backend", "sim:seed=7,clock=virtual,cores=8,smt=2,sockets=2,tasks=16,short=20,cgroups=8,functions=3,offline=0@0-0.1")
TASKS = (*SIM, "--by", "function", "-e", "cycles,instructions", "-M", "IPC,TLB")
DEVICES = ("--backend", "sim:clock=virtual,smmu=2", "-e",
           "cycles:u,transaction/filter_enable=1,filter_stream_id=5/,INST_BRANCH/config1=1/", "--split", "-M",
           "x=(INST_BRANCH+BRANCH_MISPRED_NONSPEC+BRANCH_CALL_INDIR_MISPRED_NONSPEC+BRANCH_RET_INDIR_MISPRED_NONSPEC)/INST_ALL")
# a session with what the simulation has not: notes of its head, and of tick 2
HEAD = """# pmu dev0 identifier="model 1"
# sensor power name="chip/Total Power" unit=W
# sensor temperature name=chip/Battery unit=°C
"""
LATER = """# mark 0.150000000 "a ""note"" # 1"
# gap 0.200000000 3 frames (missed)
# interval 0.200000000 50 ms
"""
EDITS = ((r"\n# literals", "\n" + HEAD + "# literals"), (r"\n# on", "\n" + LATER + "# on"),
         (r"(\n# type .*)", r"\1 max_mhz=3204"),
         (r"(\n# literals .*) has_pmem", r"\1 slots=4 system_tsc_freq=2.4e+07 has_pmem"),
         (r"\n# asked (.*)", r"\n# asked preset=l1d \1 beside=cycles"), (r"( cgroup=\S*docker\S*)", r'\1 container="a ""b"""'))


def forms():
    """@return {word: (the form as a pattern, its keys)}; a key that has one value stands with it: tasks=1"""
    with open(os.path.join(ROOT, "docs", "session-format.md"), encoding="utf-8") as file:
        rows = " ".join(re.findall(r"^\| (`# .*?`) \|", file.read(), re.MULTILINE)).replace("\\|", "|")
    ret = {}
    for form in re.findall(r"`# (.*?)`", rows):
        pattern = ""
        for part in re.findall(r' \[|\]|[^ \[\]]+="[^"]*"|[^ \[\]]+| ', form):
            key, equals, value = part.rpartition("=")
            plain = value if re.fullmatch(r"[a-z0-9_]+", value) else VALUE
            pattern += {" [": "(?: ", "]": ")?", " ": " "}.get(part, key + equals + KINDS.get(value, plain))
        ret[form.split()[0]] = re.compile("# " + pattern), re.findall(r"\w+=(?:[a-z]{3,}|1)?", form)
    return ret


def run(*words):
    return subprocess.run([M1TOP, *words], capture_output=True, text=True, check=False)


def record(path, *words):
    done = run("stat", *words, "-I", "100", "-n", "2", "-o", path)
    assert done.returncode == 0, done.stderr
    with open(path, encoding="utf-8") as file:
        return file.read()


def differ(text, schema):
    """Notes that do not have their form."""
    for line in re.findall(r"^# .*", text, re.MULTILINE):
        form = schema.get(line.split()[1])
        if not form or not form[0].fullmatch(line):
            yield line


def absent(text, schema):
    """Fields that no note has."""
    for word, (_, keys) in schema.items():
        lines = "\n".join(re.findall(rf"^# {word} .*", text, re.MULTILINE))
        if not lines:
            yield f"no # {word}"
        yield from (f"# {word}: no {key}" for key in keys if " " + key not in lines and key not in ELSEWHERE)


def misread(text, path, schema):
    """Fields without which a session is read, or refused by another name, though it should be the other way round."""
    for word, (_, keys) in schema.items():
        for key in (key.split("=")[0] for key in keys):
            cut = re.sub(rf"(?m)^(# {word} .*?) {key}={VALUE}", r"\1", text, count=1)
            if cut == text:
                continue
            with open(path, "w", encoding="utf-8") as file:
                file.write(cut)
            said = run("report", path).stderr
            is_right = re.search(rf"csv:\d+:\d+: ({key}= is missing|expected a {key[:6]})", said)
            if not (is_right if key in NEEDED.get(word, "").split() else not said):
                yield f"# {word} without {key}=: {said or 'read'}"


def main():
    tap, schema = Tap(), forms()
    with tempfile.TemporaryDirectory(prefix="m1top-notes-") as folder:
        path = os.path.join(folder, "a.csv")
        tasks = record(path, *TASKS)
        written = tasks + record(os.path.join(folder, "b.csv"), *DEVICES)
        for pattern, to in EDITS:
            tasks = re.sub(pattern, to, tasks, count="container" not in to)
        with open(path, "w", encoding="utf-8") as file:
            file.write(tasks)
        again = run("replay", "--to-stat", "--format", "csv", path)
        for name in glob.glob(os.path.join(ROOT, "tests", "formats", "csv*.txt")):
            with open(name, encoding="utf-8") as file:
                written += file.read()
        tap.test("every note has a form in the document", differ(written + again.stdout, schema))
        tap.test("every note and field of the document is written", absent(written + again.stdout, schema))
        tap.test("they are read and written again the same", [again.stderr] * bool(again.returncode) or [
            f"{was}, again {now}" for was, now in zip(tasks.split("\n"), again.stdout.split("\n")) if was != now][:9])
        tap.test("without one a session is read, or refused by its name", misread(tasks, path, schema))
    tap.end()


if __name__ == "__main__":
    main()
