"""The emulated machines: qemu in a terminal of its own (tmux), its serial console kept in a file."""
import itertools
import os
import re
import shlex
import subprocess
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
VM = os.path.join(ROOT, "build", "vm")

# Other processor models of qemu have registers of their own where Apple's are, and would not trap.
CPU = "neoverse-n1,midr=0x611f0230"
# What some boots have instead: another processor; the device tree of qemu's own, which has Arm's PMU.
OTHER_CPU = {"foreign": "neoverse-n1", "pmuv3": "neoverse-n1"}
# Its L2ACTLR is where Apple's PMCR0 is: that read passes, the next one traps. It has no pages of 16 KiB.
HALF_TRAPPED_CPU = "cortex-a57,midr=0x611f0230"
OTHER_N_CPUS = {"pmuv3": 2}
QEMUS_OWN_TREE = {"pmuv3"}
# Time is counted in instructions, 4 ns each: a busy host makes the machine slow, but not wrong. A
# machine that sleeps goes on at once, but not for people.
TIME, PEOPLES_TIME = "shift=2,sleep=off", "shift=2,sleep=on"
COLUMNS, ROWS = 120, 40
# Processors for which Linux has files of events; their PMUs are those of model/profiles.c.
SERVERS = {
    "server-hybrid": ("max,vendor=GenuineIntel,family=6,model=151,stepping=2", "8"),  # Alder Lake
    "server-intel": ("max,vendor=GenuineIntel,family=6,model=143,stepping=8", "8,sockets=2,cores=2,threads=2"),
    "server-amd": ("max,vendor=AuthenticAMD,family=25,model=17,stepping=1", "4"),  # Genoa
    "server-neoverse": ("neoverse-n1,midr=0x410fd490,pmu=off", "4"),  # N2
    # a machine with many CPUs, and a small one to compare it with; with mwait idle ones would not halt
    "many-2": ("max,monitor=off", "2"),
    "many-64": ("max,monitor=off", "64"),
}


def cpu(kernel, boot):
    if boot == "trapped" and kernel != "builtin" and not kernel.endswith("-16k"):
        return HALF_TRAPPED_CPU
    return OTHER_CPU.get(boot, CPU)


def counts(kernel, boot):
    """Return the file with the instructions executed at each mark of a boot of many-*."""
    return os.path.join(VM, "log", f"{kernel}-{boot}.counts")


def hardware(kernel, boot):
    """Return what the machine is, for qemu."""
    processor, n_cpus = SERVERS.get(boot, (cpu(kernel, boot), str(OTHER_N_CPUS.get(boot, 8))))
    if kernel.endswith("-amd64"):
        plugin = ["-plugin", f"{VM}/count.so,out={counts(kernel, boot)}"] if boot.startswith("many-") else []
        return ["qemu-system-x86_64", "-M", "q35", "-smp", n_cpus, "-cpu", processor, *plugin]
    tree = [] if boot in QEMUS_OWN_TREE or boot in SERVERS else ["-dtb", f"{VM}/m1.dtb"]
    return ["qemu-system-aarch64", "-M", "virt,gic-version=3", "-smp", n_cpus, "-cpu", processor, *tree]


def qemu(kernel, boot, initrd, serial, term, size, extra=""):
    """Return the command that boots `kernel`; `extra` is added to the kernel's command line."""
    console = "ttyS0 mitigations=off cryptomgr.notests" if kernel.endswith("-amd64") else "ttyAMA0 kpti=0"
    append = (f"console={console} quiet panic=-1 m1top.boot={boot} m1top.term={term} "
              f"m1top.size={size} {extra}")
    return [*hardware(kernel, boot), "-icount", PEOPLES_TIME if boot == "shell" else TIME,
            "-m", "1024", "-display", "none", "-no-reboot", "-nic", "none", "-monitor", "none",
            "-chardev", f"stdio,id=line,signal=off{serial}", "-serial", "chardev:line",
            "-kernel", f"{VM}/{kernel}/image", "-initrd", initrd, "-append", append]


class Machine:
    """One boot. The host hears it through the log and sees it through the screen."""

    # a terminal of its own for each: the server of the one before may still be on its way out
    numbers = itertools.count()

    def __init__(self, kernel, boot, extra="", limit_s=1500):
        self.log = os.path.join(VM, "log", f"{kernel}-{boot}.serial")
        self.kernel, self.boot = kernel, boot
        self.socket = f"m1top-vm-{os.getpid()}-{next(self.numbers)}"
        os.makedirs(os.path.dirname(self.log), exist_ok=True)
        for end in ("", ".errors", ".status"):
            if os.path.exists(self.log + end):
                os.unlink(self.log + end)  # an earlier machine that lives on keeps its own
        open(self.log, "wb").close()
        command = ["timeout", "--foreground", "-k", "5", str(limit_s)]
        command += qemu(kernel, boot, f"{VM}/{kernel}/initrd", f",logfile={self.log}",
                        "tmux-256color", f"{ROWS}x{COLUMNS}", extra)
        self.tmux("new-session", "-d", "-s", "vm", "-x", str(COLUMNS), "-y", str(ROWS),
                  shlex.join(command) + f" 2>{self.log}.errors; echo $? >{self.log}.status")

    def tmux(self, *words, **options):
        command = ["tmux", "-L", self.socket, "-f", "/dev/null", *words]
        return subprocess.run(command, capture_output=True, text=True, check=False, **options).stdout

    def is_running(self):
        return "vm" in self.tmux("list-sessions", "-F", "#S")

    def text_of(self, end=""):
        try:
            with open(self.log + end, encoding="utf-8", errors="replace") as file:
                return file.read().strip()
        except FileNotFoundError:
            return ""

    def death(self):
        """Return how the emulator itself died; empty after a power-off, a panic or the end of its time."""
        status = self.text_of(".status")
        return "" if status in ("0", "124") else f"qemu ended with status {status}: {self.text_of('.errors')}"

    def last_lines(self):
        return self.text_of().splitlines()[-20:]

    def lines(self):
        """Yield each line of the serial log as it comes, until the machine is off."""
        rest = ""
        with open(self.log, encoding="utf-8", errors="replace", newline="") as log:
            while True:
                was_running = self.is_running()
                rest += log.read()
                *whole, rest = rest.split("\n")
                yield from (line.rstrip("\r") for line in whole)
                if not was_running:
                    return
                time.sleep(0.1)

    def keys(self, *keys):
        """Press keys by tmux's names: "Enter", "Down", "q"."""
        self.tmux("send-keys", "-t", "vm", *keys)

    def type(self, text):
        self.tmux("send-keys", "-t", "vm", "-l", text)
        self.keys("Enter")

    def screen(self):
        return self.tmux("capture-pane", "-p", "-t", "vm")

    def wait_for(self, pattern, limit_s=30):
        """Return the screen as soon as it matches; None when it does not in time."""
        end = time.monotonic() + limit_s
        while time.monotonic() < end:
            screen = self.screen()
            if re.search(pattern, screen, re.MULTILINE):
                return screen
            time.sleep(0.1)
        return None

    def stop(self):
        self.tmux("kill-server")
