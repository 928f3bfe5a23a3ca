#!/usr/bin/python3
"""pandas_loads.py: one line of pandas loads a session file, as docs/session-format.md says. TAP.

With the system's Python, whose pandas is the distribution's.
"""
import io
import os
import re
import subprocess
import sys
import tempfile

from serving import lacks

DOCUMENT = os.path.join(os.path.dirname(__file__), "../../docs/session-format.md")
M1TOP = os.environ.get("M1TOP", "./m1top")
EVENTS = "cycles,instructions,PMC5=INST_BRANCH"
HARD = '''# m1top session 1
# host "a ""b"" # c" kernel k backend perf interval_ms 100 started 2020-11-17T12:00:00.000+00:00
# machine "M, the # one" cpuid=x simulated=0
# type cpu pmu=cpu counters=2 width=64 slot_is_counter=0 first_fit=0
# cpu 0 type=cpu cluster=0 midr=0x0
# set 1 type=cpu slot=0 pmu=cpu event="cpu/event=1,umask=2/" config=0x1 width=64 unit= scale=1
# set 1 type=cpu slot=1 pmu=cpu event="a ""q"" #1" config=0x2 width=64 unit= scale=1
tick,time_s,cpu,type,pmu,slot,pid,event,count,enabled_ns,running_ns,quality
1,0.100000000,0,cpu,cpu,0,,"cpu/event=1,umask=2/",5,100000000,100000000,ok
1,0.100000000,0,cpu,cpu,1,,"a ""q"" #1",,100000000,0,not_counted
# mark 0.1 "a ""note"", with # and , in it"
# gap 0.2 1 frames (missed)
# set 2 type=cpu slot=0 pmu=cpu event=plain config=0x1 width=64 unit= scale=1
3,0.300000000,0,cpu,cpu,0,,plain,123456789012,100000000,50000000,scaled
'''


def record(path, *words):
    subprocess.run([M1TOP, "stat", "--backend", "sim:seed=7,clock=virtual,cores=4", "-I", "100",
                    "-n", "20", "-o", path, *words], check=True, stderr=subprocess.DEVNULL)


def loads_a_session(pandas, path):
    record(path, "-e", EVENTS)
    log = pandas.read_csv(path, comment="#")
    assert log.shape == (20 * 4 * 3, 13), log.shape
    assert set(log.event) == {"CORE_ACTIVE_CYCLE", "INST_ALL", "INST_BRANCH"}, set(log.event)
    assert log["count"].dtype.kind in "iu" and (log.quality == "ok").all()
    assert log.time_s.max() > 1.999 and list(log.cpu.unique()) == [0, 1, 2, 3]


def loads_metric_rows(pandas, path):
    record(path, "-e", EVENTS, "-M", "IPC,share=100*INST_BRANCH/INST_ALL")
    log = pandas.read_csv(path, comment="#")
    counts, metrics = log[log.pmu != "metric"], log[log.pmu == "metric"]
    assert len(counts) == 20 * 4 * 3 and len(metrics) == 20 * 4 * 2, log.shape
    wide = counts.pivot_table(index=["tick", "cpu"], columns="event", values="count")
    ipc = metrics[metrics.event == "IPC"].set_index(["tick", "cpu"])["count"]
    assert ((wide.INST_ALL / wide.CORE_ACTIVE_CYCLE - ipc).abs() <= 5e-6 * ipc).all()  # six digits


def loads_compressed(pandas, path):
    record(path + ".zst", "-e", EVENTS)
    plain = subprocess.run(["zstd", "-dc", path + ".zst"], capture_output=True, check=True).stdout
    assert pandas.read_csv(io.BytesIO(plain), comment="#").shape == (240, 13)


def loads_quotes_and_notes(pandas, path):
    with open(path, "w", encoding="utf-8") as file:
        file.write(HARD)
    log = pandas.read_csv(path, comment="#")
    assert list(log.event) == ["cpu/event=1,umask=2/", 'a "q" #1', "plain"], list(log.event)
    assert list(log.quality) == ["ok", "not_counted", "scaled"]
    assert log["count"].isna().tolist() == [False, True, False]
    assert log["count"].iloc[2] == 123456789012


def finds_who_had_most(pandas, path):
    """What the document says of tasks, word by word: pandas and awk find that the rows of each cpu's tasks are all."""
    subprocess.run([M1TOP, "stat", "--backend", "sim:seed=7,clock=virtual,tasks=100", "-I", "50", "-n", "30", "--by", "task",
                    "-o", path], check=True, stderr=subprocess.DEVNULL)
    with open(DOCUMENT, encoding="utf-8") as file:
        section = file.read().split("\n## Tasks\n")[1].split("\n## ")[0]
    code, = re.findall(r"```python\n(.*?)```", section, re.S)
    awk = "\n".join(line[4:] for line in section.splitlines() if line.startswith("    "))
    code = re.sub(r"^(log\[.*idxmax\(\))$", r"most = \1", code, flags=re.M)
    known = {"pandas": pandas, "FILE": path}
    exec(code, known)  # pylint: disable=exec-used
    assert len(known["tasks"]) == len(known["cores"]) == 30 * 8 * 10, (len(known["tasks"]), len(known["cores"]))
    misses = {}
    with open(path, encoding="utf-8") as file:
        for row in (line.split(",") for line in file if ",L1D_CACHE_MISS_LD," in line and line[0] != "#"):
            if row[6] and int(row[6]) > 0:
                misses[int(row[6])] = misses.get(int(row[6]), 0) + int(row[8] or 0)
    assert len(misses) > 20 and max(misses, key=misses.get) == known["most"], (len(misses), known["most"])
    agrees = ["sh", "-c", awk.replace("FILE", '"$0"')]
    assert subprocess.run([*agrees, path], check=False).returncode == 0
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:  # one more than there were
        file.write(re.sub(r"^(\d+,[\d.]+,\d+,\w+,\w+,0,[1-9]\d*,\w+,\d+)", r"\g<1>1", text, count=1, flags=re.M))
    assert subprocess.run([*agrees, path], check=False).returncode == 1


def main():
    tests = [loads_a_session, loads_metric_rows, loads_compressed, loads_quotes_and_notes,
             finds_who_had_most]
    try:
        import pandas  # pylint: disable=import-outside-toplevel
    except ImportError:
        print("1..0 # SKIP python3-pandas is not installed")
        return 0
    failed = 0
    print(f"1..{len(tests)}")
    for i, run in enumerate(tests, 1):
        name = "pandas " + run.__name__.replace("_", " ")
        if why := lacks(run.__name__):
            print(f"ok {i} - {name} # SKIP {why}")
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                run(pandas, os.path.join(folder, "log.csv"))
                print(f"ok {i} - {name}")
            except FileNotFoundError as why:
                print(f"ok {i} - {name} # SKIP {why.filename} is not installed")
            except (AssertionError, KeyError, ValueError, pandas.errors.ParserError) as why:
                failed = 1
                print(f"not ok {i} - {name}\n# {why}")
    return failed


sys.exit(main())
