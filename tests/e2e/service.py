#!/usr/bin/env python3
"""service.py: packaging/m1top-serve.service under a real systemd, as in a container: a root of its own in memory, with
/usr from here and no other unit. TAP. Skipped where systemd does not come up that way, or without root."""
import http.client
import os
import re
import shutil
import signal
import ssl
import subprocess
import tempfile
import time
import base64

import serving

FOLDER = tempfile.mkdtemp(prefix="m1top-service-")
SYSTEMD = "/usr/lib/systemd/systemd"
UNIT = os.path.join(serving.ROOT, "packaging", "m1top-serve.service")
TARGETS = ("basic.target", "sysinit.target", "shutdown.target", "network.target", "multi-user.target")
# The boot: nothing of this machine can be written to but what is made here.
BOOT = """set -e
mount --make-rprivate /
mount -t tmpfs -o mode=755 tmpfs {folder}
cd {folder}
mkdir -p usr etc/systemd/system etc/default etc/m1top proc sys dev run tmp var/log var/tmp root home old
mount --bind /usr usr; mount -o remount,bind,ro usr
mount -t tmpfs tmpfs usr/local
mkdir -p usr/local/bin usr/local/share/m1top
cp {m1top} usr/local/bin/m1top; cp -r {events} usr/local/share/m1top/events
mount -t tmpfs tmpfs usr/lib/systemd/system
for unit in {targets}; do printf '[Unit]\\nDefaultDependencies=no\\n' >usr/lib/systemd/system/$unit; done
printf '[Unit]\\nWants=m1top-serve.service\\n' >etc/systemd/system/multi-user.target
for link in bin sbin lib lib64; do ln -s usr/$link $link; done
cp /etc/ld.so.cache /etc/nsswitch.conf /etc/passwd /etc/group etc/
echo 0123456789abcdef0123456789abcdef >etc/machine-id
cp {given}/m1top-serve.service etc/systemd/system/; cp {given}/options etc/default/m1top-serve
cp {given}/web.yml {given}/m1top.crt {given}/m1top.key etc/m1top/ 2>/dev/null || true
mount -t proc proc proc
mount --bind proc/sys proc/sys; mount -o remount,bind,ro proc/sys
mount --rbind /sys sys; mount --make-rslave sys; mount -o remount,bind,ro sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs dev; mkdir dev/shm dev/pts
for node in null zero full random urandom tty; do touch dev/$node; mount --bind /dev/$node dev/$node; done
mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts; ln -s pts/ptmx dev/ptmx
mount -t tmpfs -o mode=755 tmpfs run
pivot_root . old; cd /; umount -l /old; mount --make-rshared /
exec env -i container=m1top PATH=/usr/sbin:/usr/bin {systemd} --system --unit=multi-user.target --log-target=null --show-status=no
"""


def cgroup2():
    """Where it is mounted; None: nowhere."""
    with open("/proc/mounts", encoding="utf-8") as mounts:
        return next((line.split()[1] for line in mounts if line.split()[2] == "cgroup2"), None)


def check(truth, *why):
    if not truth:
        raise AssertionError(" ".join(str(part) for part in why))


class Booted:
    """A systemd that has started the unit, with this in /etc/default/m1top-serve."""

    def __init__(self, unit, options):
        given = os.path.join(FOLDER, "given")
        os.makedirs(given, exist_ok=True)
        self.port = serving.free_port()
        for name, text in ("m1top-serve.service", unit), ("options", f'M1TOP_SERVE="{options}"\n'):
            with open(os.path.join(given, name), "w", encoding="utf-8") as file:
                file.write(text.replace("PORT", str(self.port)))
        root = os.path.join(FOLDER, "root")
        os.makedirs(root, exist_ok=True)
        script = BOOT.format(folder=root, given=given, systemd=SYSTEMD, m1top=os.path.realpath(serving.M1TOP),
                             events=os.path.join(serving.ROOT, "events"), targets=" ".join(TARGETS))
        self.cgroup = os.path.join(cgroup2(), f"m1top-test-{os.getpid()}")
        os.makedirs(self.cgroup, exist_ok=True)
        enter = f"echo $$ >{self.cgroup}/cgroup.procs; exec unshare --mount --pid --fork --ipc --uts --cgroup --kill-child sh"
        self.process = subprocess.Popen(["sh", "-c", enter], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True)
        self.process.stdin.write(script)
        self.process.stdin.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        end = time.monotonic() + 240
        while time.monotonic() < end:
            try:
                for folder, _, _ in os.walk(self.cgroup, topdown=False):
                    os.rmdir(folder)
                return
            except OSError:
                time.sleep(.05)

    def is_up(self):
        """Did systemd itself come up?"""
        end = time.monotonic() + 240
        while time.monotonic() < end and self.process.poll() is None:
            if os.path.isdir(os.path.join(self.cgroup, "system.slice")):
                return True
            time.sleep(.05)
        if self.process.poll() is not None:
            print("# " + self.process.stderr.read().replace("\n", "\n# "))
        return False

    def pid(self):
        """Of the service, as seen from here; 0: it does not run."""
        try:
            with open(os.path.join(self.cgroup, "system.slice", "m1top-serve.service", "cgroup.procs"), encoding="utf-8") as file:
                return int(file.readline() or 0)
        except OSError:  # not yet, or no longer there
            return 0

    def get(self, context=None, **headers):
        """A scrape, as soon as there is an answer."""
        end = time.monotonic() + 240
        while True:
            kind = http.client.HTTPSConnection if context else http.client.HTTPConnection
            connection = kind("127.0.0.1", self.port, timeout=5, **({"context": context} if context else {}))
            try:
                connection.request("GET", "/metrics", headers=headers)
                answer = connection.getresponse()
                return answer.status, answer.read().decode()
            except OSError:
                check(time.monotonic() < end, "no answer; pid", self.pid())
                time.sleep(.1)
            finally:
                connection.close()


def unit_text():
    with open(UNIT, encoding="utf-8") as file:
        return file.read()


def status_of(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        return dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)


def counts(text):
    found = re.findall(r'^m1top_events_total\{cpu="(\d+)".*event="cpu-clock"\} (\d+)', text, re.M)
    return {cpu: int(value) for cpu, value in found}


def starts_and_counts():
    """the unit as it is starts, counts every CPU, and may nothing but that"""
    with Booted(unit_text(), "--listen 127.0.0.1:PORT -I 50 -e cpu-clock") as booted:
        if not booted.is_up():
            return "systemd does not come up in namespaces here"
        status, text = booted.get()
        check(status == 200, status)
        before, after, end = counts(text), {}, time.monotonic() + 240
        while len(after) < os.cpu_count() or any(after[cpu] <= before.get(cpu, 0) for cpu in after):
            check(time.monotonic() < end, before, after)
            time.sleep(.1)
            after = counts(booted.get()[1])
        check(len(after) == os.cpu_count(), after)
        rights = status_of(booted.pid())
        check(int(rights["Uid"].split()[0]) >= 61184, "not a dynamic user:", rights["Uid"])
        check(rights["CapEff"] == rights["CapBnd"] == f"{1 << 38:016x}", rights["CapEff"], rights["CapBnd"])
        check(rights["NoNewPrivs"] == "1" and rights["Seccomp"] == "2", rights)
        os.kill(booted.pid(), signal.SIGTERM)
        end = time.monotonic() + 240
        while booted.pid() and time.monotonic() < end:
            time.sleep(.05)
        check(not booted.pid(), "it does not end")
    return None


def with_a_certificate():
    """the lines for other machines: certificate and password as systemd's credentials"""
    if not shutil.which("openssl"):
        return "openssl is not installed"
    given = os.path.join(FOLDER, "given")
    crt = os.path.join(given, "m1top.crt")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                    "-keyout", os.path.join(given, "m1top.key"), "-out", crt, "-days", "2", "-subj", "/CN=m1top",
                    "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
    with open(os.path.join(given, "web.yml"), "w", encoding="utf-8") as file:  # prometheus:secret
        file.write("tls_server_config: {cert_file: m1top.crt, key_file: m1top.key}\nbasic_auth_users:\n"
                   "  prometheus: $2b$04$GrTxPYw5oIy1rmc/pQ2m2uR.iaSW0.Fz9Zn.3S952PjqeFXpdYBxK\n")
    text = re.sub(r"^#(LoadCredential|ExecStart)", r"\1", unit_text(), flags=re.M).replace("--listen :10410", "--listen :PORT")
    with Booted(text, "-I 50 -e cpu-clock") as booted:
        if not booted.is_up():
            return "systemd does not come up in namespaces here"
        context = ssl.create_default_context(cafile=crt)
        check(booted.get(context)[0] == 401, "let in without a password")
        word = base64.b64encode(b"prometheus:secret").decode()
        end = time.monotonic() + 240
        status, body = booted.get(context, Authorization=f"Basic {word}")
        while not counts(body) and time.monotonic() < end:  # the first interval is not over
            status, body = booted.get(context, Authorization=f"Basic {word}")
        check(status == 200 and counts(body), status, body)
    return None


TESTS = [starts_and_counts, with_a_certificate]


def why_not():
    if os.geteuid() != 0:
        return "only root can make namespaces"
    if not os.access(SYSTEMD, os.X_OK) or not shutil.which("unshare") or not cgroup2():
        return "no systemd, unshare or cgroup2"
    if os.environ.get("SAN"):
        return "a sanitizer wants what the unit takes away"
    return None


def main():
    why = why_not()
    if not why:
        return serving.run(TESTS)
    tap = serving.Tap()
    for test in TESTS:
        tap.skip(test.__doc__.strip(), why)
    return tap.end()


if __name__ == "__main__":
    try:
        main()
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)
