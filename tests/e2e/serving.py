"""serving.py: m1top serve for tests: started on a free port of loopback, asked, read strictly; a real Prometheus"""
import contextlib
import csv
import http.client
import json
import math
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "lint"))
from source import Tap  # noqa: E402, F401

M1TOP = os.environ.get("M1TOP", os.path.join(ROOT, "m1top"))
OPEN = "application/openmetrics-text;version=1.0.0"
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"')
SAMPLE = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)(\{.*\})? (\S+)')
SUFFIX = {"counter": "_total", "info": "_info", "gauge": ""}


@contextlib.contextmanager
def tasks_alone():
    """For tests of tasks, one at a time on this machine: since Linux 6.3 all that sample context switches get thread ids of
    the PID namespace that the first of them is in (data->sample_flags in __perf_event_header__init_id)."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as lock:
        while True:
            try:
                lock.bind("\0m1top-tests-of-tasks")
                break
            except OSError:
                time.sleep(.05)
        yield


def may_count_all():
    return not subprocess.run([M1TOP, "stat", "-a", "-e", "cpu-clock", "true"], capture_output=True, check=False).returncode


class Server:
    """m1top serve. Its stderr is kept; `port` is what it said that it listens on."""

    def __init__(self, *options, listen="127.0.0.1:0", command=(M1TOP,), preexec_fn=None):
        self.process = subprocess.Popen([*command, "serve", "--listen", listen, *options],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True, preexec_fn=preexec_fn)
        self.said = ""
        for line in self.process.stderr:
            self.said += line
            place = re.search(r"serving (https?)://(\S+):(\d+)/metrics", line)
            if place:
                self.scheme, self.host, self.port = place[1], place[2].strip("[]"), int(place[3])
                return
        raise AssertionError(f"did not serve: {self.said}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def stop(self):
        """SIGTERM; return exit status and the seconds it took."""
        start = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        self.said += self.process.communicate(timeout=120)[1]
        return self.process.returncode, time.monotonic() - start

    def connect(self, source=None):
        return http.client.HTTPConnection(self.host, self.port, timeout=120,
                                          source_address=source and (source, 0))

    def get(self, path="/metrics", method="GET", **headers):
        """Return status, headers and body of one request on a connection of its own."""
        connection = self.connect()
        try:
            connection.request(method, path, headers={k.replace("_", "-"): v for k, v in headers.items()})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode()
        finally:
            connection.close()

    def metrics(self, strict=True):
        """One scrape: {(name, labels…): value}."""
        return exposition(self.get(Accept=OPEN)[2], strict=strict)

    def wait(self, n_frames, limit_s=120):
        """Until so many frames were counted; return that scrape."""
        end = time.monotonic() + limit_s
        while time.monotonic() < end:
            got = self.metrics()
            if got[("m1top_frames_total",)] >= n_frames:
                return got
            time.sleep(.05)
        raise AssertionError(f"no {n_frames} frames in {limit_s} s")

    def is_healthy(self, limit_s=120):
        """Whether it is, or becomes so: it is not after a stall of the machine, until the next frame."""
        end = time.monotonic() + limit_s
        while self.get("/-/healthy")[0] != 200:
            if time.monotonic() > end:
                return False
            time.sleep(.05)
        return True


def free_port():
    """One that nobody else is given meanwhile who leaves the choice to the kernel."""
    with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="ascii") as file:
        first = int(file.read().split()[0])
    for port in random.sample(range(first // 2, first), 1000):
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise AssertionError("no port is free")


def remove_cgroup(folder):
    """Remove it once the last of its tasks has been reaped."""
    for _ in range(2400):
        with contextlib.suppress(OSError):
            os.rmdir(folder)
            return
        time.sleep(.05)


class Prometheus:
    """One that scrapes a server every `every_s` and keeps everything in a folder. `job`: more of its configuration."""

    def __init__(self, target, folder, rules=(), every_s=1, **job):
        self.port = free_port()
        self.log = open(os.path.join(folder, "prometheus.log"), "wb")
        config = os.path.join(folder, "prometheus.yml")
        with open(config, "w", encoding="utf-8") as file:
            json.dump({"global": {"scrape_interval": f"{every_s}s", "scrape_timeout": f"{every_s}s",
                                  "evaluation_interval": "1s"},
                       "rule_files": list(rules),
                       "scrape_configs": [{"job_name": "m1top", "static_configs": [{"targets": [target]}], **job}]},
                      file)
        self.process = subprocess.Popen(
            ["prometheus", f"--config.file={config}", f"--web.listen-address=127.0.0.1:{self.port}",
             f"--storage.tsdb.path={folder}/data", "--log.level=warn"],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)

    def end(self):
        self.process.terminate()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()

    def api(self, path, **parameters):
        query = urllib.parse.urlencode(parameters, doseq=True)
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/api/v1/{path}?{query}", timeout=60) as answer:
            return json.load(answer)["data"]

    def query(self, expr, at=None):
        try:
            return self.api("query", query=expr, **({"time": at} if at else {}))["result"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{expr}: {error.read().decode()}") from None


def labels_of(text):
    """The labels between braces, checked to the last character."""
    labels, at = {}, 0
    for match in LABEL.finditer(text):
        if text[at:match.start()] != ("," if at else ""):
            raise AssertionError(f"labels: {text}")
        if match[1] in labels:
            raise AssertionError(f"label {match[1]} twice: {text}")
        labels[match[1]] = re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], match[2])
        at = match.end()
    if at != len(text):
        raise AssertionError(f"labels: {text}")
    return labels


def family_line(line, families):
    """# TYPE, # HELP or # UNIT: return the family's name."""
    _, word, name, rest = (line + " ").split(" ", 3)
    if word not in ("HELP", "TYPE", "UNIT"):
        raise AssertionError(line)
    about = families.setdefault(name, {})
    if word in about:
        raise AssertionError(f"twice: {line}")
    about[word] = rest.strip()
    if word == "UNIT" and not name.endswith("_" + rest.strip()):
        raise AssertionError(f"the name must end with its unit: {line}")
    if word == "TYPE" and about[word] not in SUFFIX:
        raise AssertionError(line)
    return name


def exposition(text, strict=True, is_open=True):
    """Read an exposition; with `strict`, by the rules of OpenMetrics 1.0 that concern it."""
    samples, families, family, ended = {}, {}, None, set()
    lines = text.split("\n")
    if lines.pop() != "" or (is_open and lines.pop() != "# EOF"):
        raise AssertionError("the end is missing")
    for line in lines:
        if line.startswith("#"):
            name = family_line(line, families)
            if name != family:
                ended.add(family)
                family = name
            if name in ended:
                raise AssertionError(f"family in pieces: {line}")
            continue
        match = SAMPLE.fullmatch(line)
        if not match:
            raise AssertionError(f"not a sample: {line}")
        if strict and is_open and match[1] != family + SUFFIX[families[family]["TYPE"]]:
            raise AssertionError(f"not of {family}: {line}")
        key = (match[1], *sorted(labels_of((match[2] or "{}")[1:-1]).items()))
        if key in samples:
            raise AssertionError(f"twice: {line}")
        samples[key] = float(match[3])
        if not math.isfinite(samples[key]):
            raise AssertionError(f"not a number: {line}")
    return samples


def of(samples, name, **labels):
    """Samples of a name that have these labels."""
    return {key: value for key, value in samples.items()
            if key[0] == name and set(labels.items()) <= set(key[1:])}


def refused(*options):
    """Run serve with options that it must refuse: exit status and stderr."""
    done = subprocess.run([M1TOP, "serve", *options], stdin=subprocess.DEVNULL, timeout=120,
                          capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def lacks(part):
    """What this part of the script needs and m1top was built without, or ''. By tests/lacks."""
    script = os.path.splitext(os.path.basename(sys.argv[0]))[0]
    return subprocess.run([os.path.join(ROOT, "tests", "lacks"), f"e2e/{script}/{part}"], stdout=subprocess.PIPE,
                          text=True, check=False).stdout.strip()


def for_every_user():
    """Copy the program and its events to where every user can read them: the checkout may be in a home of mode 0700.

    @return  the folder, for the caller to remove, with m1top and events in it
    """
    folder = tempfile.mkdtemp(prefix="m1top-", dir="/tmp")  # not TMPDIR, which may be private too
    os.chmod(folder, 0o755)
    shutil.copy(M1TOP, os.path.join(folder, "m1top"))
    shutil.copytree(os.environ.get("M1TOP_EVENTS", os.path.join(ROOT, "events")), os.path.join(folder, "events"))
    subprocess.run(["chmod", "-R", "a+rX", folder], check=True)
    return folder


def run(tests):
    """Run functions as TAP tests; one that raises has failed, its message says why."""
    tap = Tap()
    for test in tests:
        name = test.__doc__.strip()
        try:
            why = lacks(test.__name__) or test()
        except (AssertionError, OSError, http.client.HTTPException, subprocess.SubprocessError) as error:
            tap.test(name, [f"{type(error).__name__}: {error}"])
            continue
        if isinstance(why, str):
            tap.skip(name, why)
        else:
            tap.test(name)
    tap.end()


def log_rows(path):
    """Rows of cores in a session log as (tick, time_s, cpu, type, pmu, event, count or None, quality)."""
    with open(path, encoding="utf-8", newline="") as file:
        lines = (line for line in file if line[0] not in "#t")
        for row in csv.reader(lines):
            if row[6] or row[4] == "sensor":
                continue  # a task's part of it; a reading
            yield (int(row[0]), float(row[1]), row[2], row[3], row[4], row[7],
                   int(row[8]) if row[8] else None, row[11])


def sums_by_frame(log):
    """{(cpu, pmu, event): [(time, sum so far) after frame 0, 1, …]} of a session log.

    A core that was late has no row in a frame: its sum stays, and the next row has both windows."""
    sums, n_frames = {}, 0
    for tick, time_s, cpu, _, pmu, event, count, _ in log_rows(log):
        points = sums.setdefault((cpu, pmu, event), [(0, 0)])
        points.extend([points[-1]] * (int(tick) - len(points)))
        points.append((time_s, points[-1][1] + (count or 0)))
        n_frames = max(n_frames, int(tick))
    for points in sums.values():
        points.extend([points[-1]] * (n_frames + 1 - len(points)))
    return sums


def key_of(series):
    return tuple(series["metric"][name] for name in ("cpu", "pmu", "event"))
