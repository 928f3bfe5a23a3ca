"""mutations.py: recorded sessions with mistakes, read by report and replay: an answer or an error, never a crash"""
import os
import re
import subprocess

from serving import M1TOP, ROOT

LIMIT_S = 600  # it hangs
RECORDINGS = [  # by `stat`, compressed where the name says so
    ("plain.csv", "cores=4", "-e", "cycles,instructions,PMC5=INST_BRANCH"),
    ("mux.csv", "cores=2", "-P", "branch,l1d", "-M", "IPC,x=1000*INST_BRANCH/INST_ALL"),
    ("devices.csv", "smmu=1", "-P", "deps"),
    ("plain.csv.zst", "cores=8", "-P", "branch"),
]
VERBS = [("report",), ("report", "-j"), ("report", "--by", "type", "-M", "IPC"), ("report", "--part", "2"),
         ("report", "--force", "--html", "page.html"), ("replay", "--to-stat", "--summary"),
         ("replay", "--to-stat", "-x,", "-M", "IPC"), ("replay", "--to-stat", "-j"),
         ("replay", "--to-stat", "--format", "csv")]
WORD = re.compile(rb"[^,\s=]+")
ODD = [b"", b"-1", b"0", b"18446744073709551615", b"18446744073709551616", b"9223372036854775807", b"1e308", b"nan",
       b"0x10000000000000000", b"-0.0000000001", b"\0", b'"', b"\n", b",", b"=", b"\x1b[2J", "\u202e".encode(),
       b"# gap 0.1 1 frames (missed)\n", b"# mark 0.1 x\n", b"# m1top session 1\n", b"A" * 70000]


def recordings(folder):
    """@return the paths of sessions to change"""
    paths = [os.path.join(ROOT, "tests", "fuzz", "fuzz_session", name) for name in ("asked.csv", "sim.csv")]
    for name, sim, *options in RECORDINGS:
        paths.append(os.path.join(folder, name))
        for _ in range(2):
            subprocess.run([M1TOP, "stat", "--backend", f"sim:seed=7,clock=virtual,{sim}", "-I", "100", "-n", "20",
                            "--append", "-o", paths[-1], *options], check=True, stderr=subprocess.DEVNULL)
    return paths


def changed(rng, data):
    """With some words or pieces replaced, cut out, doubled or moved; now and then cut off."""
    for _ in range(rng.choice([1, 1, 2, 5, 20])):
        at = rng.randrange(len(data) + 1)
        word = WORD.search(data, at)
        if word and rng.random() < .5:
            data = data[:word.start()] + rng.choice(ODD) + data[word.end():]
            continue
        end = at + rng.choice([1, 1, 4, 60, 4000])
        other = rng.randrange(len(data) + 1)
        data = data[:at] + rng.choice([b"", rng.randbytes(min(end - at, 60)), data[at:end] * 2, data[at:end][::-1],
                                       data[other:other + end - at]]) + data[end:]
    return data[:rng.randrange(len(data) + 1)] if rng.random() < .1 else data


def mutation(rng, paths, folder):
    """One, read by one verb. @return the command and what is wrong with how it ended, or None"""
    path = rng.choice(paths)
    with open(path, "rb") as file:
        data = changed(rng, file.read())
    mutant = os.path.join(folder, "mutant.csv" + ".zst" * path.endswith(".zst"))
    with open(mutant, "wb") as file:
        file.write(data)
    verb = rng.choice(VERBS)
    command = [M1TOP, *verb, mutant] + [path] * (verb == ("report",) and rng.random() < .5)
    try:
        done = subprocess.run(command, cwd=folder, timeout=LIMIT_S, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    except subprocess.TimeoutExpired:
        return f"{' '.join(command)}: still running after {LIMIT_S} s"
    said = done.stderr.decode(errors="replace")
    is_well = done.returncode in (0, 1, 2) and "Sanitizer" not in said and (said or not done.returncode)
    return None if is_well else f"{' '.join(command)}: ended with {done.returncode}\n{said}"
