"""Is the machine quiet? Beside other work figures come out larger or, with caches kept warm, smaller. And the opposite."""
import contextlib
import os
import resource
import subprocess
import sys
import time

LOAD_MAX = .5  # of the last minute
OTHERS_MAX = .2  # of a CPU, while it was measured
ASK_EVERY_S = 5


def load_now():
    return os.getloadavg()[0]


def wait(limit_s, load=load_now, pause=time.sleep):
    """Wait until nothing else runs, at most so long; Ctrl-C ends the waiting. @return the load then"""
    waited_s = 0
    try:
        while load() >= LOAD_MAX and waited_s < limit_s:
            print(f"\rbench: load {load():.1f}, waiting for less than {LOAD_MAX} for another "
                  f"{limit_s - waited_s:.0f} s; Ctrl-C measures now ", end="", file=sys.stderr, flush=True)
            pause(ASK_EVERY_S)
            waited_s += ASK_EVERY_S
    except KeyboardInterrupt:
        pass
    if waited_s:
        print(file=sys.stderr)
    return load()


def heading(load):
    """What stands above the table."""
    machine = os.uname()
    text = (f"{os.cpu_count()} CPUs, Linux {machine.release} {machine.machine}, "
            f"load {load:.1f} at the start.")
    return f"{text if load < LOAD_MAX else loud(text)}\n"


def loud(text):
    return f"**The machine was busy: these figures do not count.** {text}"


def busy_s():
    """CPU (s) that all CPUs spent working since the machine was started."""
    with open("/proc/stat", encoding="ascii") as file:
        user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, file.readline().split()[1:9])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def own_s():
    """CPU (s) of this program and of those that it started and that have ended."""
    return sum(sum(resource.getrusage(who)[:2])
               for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


@contextlib.contextmanager
def busy(n):
    """n busy loops, ended with the block, or by themselves after this program."""
    loop = "while kill -0 $PPID; do i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; done"
    loops = [subprocess.Popen(["sh", "-c", loop], stderr=subprocess.DEVNULL) for _ in range(n)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


class Others:
    """CPU that other programs took since this was made."""

    def __init__(self):
        self.begin = time.monotonic(), busy_s(), own_s()

    def share(self):
        begin, busy, own = self.begin
        return max(0, busy_s() - busy - (own_s() - own)) / (time.monotonic() - begin)


def ending(share):
    """What stands below it."""
    text = f"Other work took {share:.2f} of a CPU meanwhile."
    return f"\n{text if share < OTHERS_MAX else loud(text)}"
