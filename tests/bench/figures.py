"""Programs that end by themselves, and figures as text."""
import glob
import os
import shutil
import statistics
import subprocess

M1TOP = os.environ.get("M1TOP", "./m1top")


class Missing(Exception):
    """Why a row cannot be measured here."""


def need(program):
    if not shutil.which(program):
        raise Missing(f"{program} is not installed")


def cpu_of(command, stdout=subprocess.DEVNULL):
    """Run it; return the seconds of CPU it and its children used, from wait4(2)."""
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=stdout,
                             stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise Missing(f"{' '.join(command)} ended with {child.returncode}")
    return usage.ru_utime + usage.ru_stime


def cpu_of_threads(pid):
    total = 0
    for path in glob.glob(f"/proc/{pid}/task/*/schedstat"):
        with open(path, encoding="ascii") as file:
            total += int(file.read().split()[0])
    return total / 1e9


def us(seconds):
    return f"{seconds * 1e6:.1f} µs"


def ms(seconds):
    return f"{seconds * 1e3:.1f} ms"


def mib(size):
    return f"{size:.0f} MiB"


def pct(share):
    return f"{share * 100:.2f} %"


def answers(times):
    """Median, 95th percentile and maximum."""
    return f"{' / '.join(f'{percentile(times, at) * 1e3:.1f}' for at in (.5, .95, 1))} ms"


def usual(unit, values):
    """The median; with the smallest and the largest where these are more than a tenth of it apart."""
    middle, least, most = statistics.median(values), min(values), max(values)
    spread = f" ({unit(least)} … {unit(most)})" if most - least > .1 * middle else ""
    return unit(middle) + spread


def against(unit, ours, peers):
    """What the peers have, and our median as a part of theirs. @peers  {name: values}"""
    return ", ".join(
        f"{name} {usual(unit, values)}: {statistics.median(ours) / statistics.median(values):.2f} ×"
        for name, values in peers.items() if statistics.median(values) > 0)


def percentile(values, share):
    if not values:
        raise Missing("no samples")
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]
