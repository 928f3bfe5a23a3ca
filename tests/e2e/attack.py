#!/usr/bin/env python3
"""attack.py: clients who guess passwords, ask without end, hold connections and send rubbish change neither when m1top
serve reads nor what it says, and keep nobody out. TAP. ATTACK_SECONDS=600: so long, with a real Prometheus beside."""
import multiprocessing
import os
import random
import shutil
import socket
import tempfile
import time

import serving
from serving import OPEN, Prometheus, Server, exposition, of

SECONDS = int(os.environ.get("ATTACK_SECONDS", "10"))
IS_LONG = SECONDS >= 60
SCRAPE_S = 5  # Prometheus'
FOLDER = tempfile.TemporaryDirectory(prefix="m1top-attack-")  # until the end
LOG = os.path.join(FOLDER.name, "log.csv")
INTERVAL_S = .5
N_COUNTS = 96  # 8 cores × 10 events, utilisation and clock
# "secret" and "guest" at costs of 4 and 10, as htpasswd -nbB would hash them
USERS = """basic_auth_users:
  alice: $2y$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW
  bob: $2y$10$ABCDEFGHIJKLMNOPQRSTUOtA72lA3P8.kzL9G4iWB/fRXRDquzwom
"""
ALICE, BOB = "Basic YWxpY2U6c2VjcmV0", "Basic Ym9iOmd1ZXN0"
SEEN = {}
HELD = []


def check(truth, *why):
    if not truth:
        raise AssertionError(" ".join(str(part) for part in why))


# Attackers: each a process that counts what became of it

def dial(port, address):
    return socket.create_connection(("127.0.0.1", port), timeout=5, source_address=(f"127.0.0.{address}", 0))


def ask(port, address, authorization, times=1):
    """So many requests on one connection: the status of the last."""
    request = f"GET /metrics HTTP/1.1\r\nHost: localhost\r\nAuthorization: {authorization}\r\n\r\n".encode()
    with dial(port, address) as one:
        file = one.makefile("rb")
        for _ in range(times):
            one.sendall(request)
            status = int(file.readline().split()[1])
            length = 0
            while (line := file.readline()) != b"\r\n":
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            file.read(length)
    return status


def guess(port, counts):
    """Passwords of bob's, whose hash costs most, from four addresses."""
    status = ask(port, 10 + random.randrange(4), "Basic Ym9iOg==")
    counts[{401: 0, 429: 1}[status]] += 1


def scrape_without_end(port, counts):
    """A hundred scrapes on each connection, with the right password and without."""
    counts[2] += ask(port, 20, ALICE, 100) == 200
    counts[3] += ask(port, 21, "", 100) == 401


def hold(port, counts):
    """64 half requests from eight addresses, again and again; those before are held until there are new ones."""
    for i in range(64):
        HELD.append(dial(port, 30 + i % 8))
        HELD[-1].sendall(b"GET /metrics HTTP/1.1\r\nX: ")
        counts[4] += 1
    del HELD[:-64]


def send_rubbish(port, counts):
    """Bytes at random, and half a megabyte of headers."""
    with dial(port, 40) as one:
        one.sendall(random.randbytes(5000))
        one.sendall(b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 80000)
    counts[5] += 1


WHAT = ("wrong passwords hashed", "refused unhashed", "× 100 scrapes", "× 100 scrapes without a password",
        "half requests", "loads of rubbish")


def attack(kind, port, counts):
    while True:
        try:
            kind(port, counts)
        except (OSError, IndexError, ValueError):  # cut off
            pass


class Attack:
    """All kinds at once, from now on."""

    def __init__(self, port):
        kinds = (guess, guess, guess, guess, scrape_without_end, hold, send_rubbish)
        # without a lock, which an attacker could hold when it is ended: each has its own
        self.counts = [multiprocessing.RawArray("Q", len(WHAT)) for _ in kinds]
        self.process = [multiprocessing.Process(target=attack, args=(kind, port, counts), daemon=True)
                        for kind, counts in zip(kinds, self.counts)]
        for one in self.process:
            one.start()

    def end(self):
        for one in self.process:
            one.terminate()
        for one in self.process:
            one.join()
        return [sum(counts) for counts in zip(*self.counts)]


# Those who are attacked

def scrape(server, authorization=ALICE):
    status, _, body = server.get(Accept=OPEN, Authorization=authorization)
    check(status == 200, "status", status)
    return exposition(body)


def until_all_cores(server):
    """In the first frame some may be late."""
    while len(of(got := scrape(server), "m1top_events_total")) < N_COUNTS:
        time.sleep(.1)
    return got


def is_going_on(counts, begun):
    """As long as was asked, and until all kinds have come through; guesses are not refused on a slow machine."""
    took = time.monotonic() - begun
    return took < SECONDS or (took < SECONDS + 120 and not all(counts[i] for i in range(len(WHAT)) if i != 1))


def ask_prometheus(prometheus):
    window = f"{SECONDS + 300}s"
    return {what: prometheus.query(f"{what}[{window}]")
            for what in ("up", "scrape_duration_seconds", "m1top_frames_total", "m1top_interval_seconds",
                         "m1top_events_total")}


def nobody_is_kept_out():
    """every scrape of somebody else is answered; a first password, too"""
    server = SEEN["server"]
    SEEN["scrapes"] = [until_all_cores(server)]
    attackers, begun, slowest_s = Attack(server.port), time.monotonic(), 0
    try:
        scrape(server, BOB)
        while is_going_on(attackers.counts, begun):
            asked = time.monotonic()
            SEEN["scrapes"].append(scrape(server))
            slowest_s = max(slowest_s, time.monotonic() - asked)
            time.sleep(.2)
    finally:
        SEEN["counts"] = attackers.end()
    if SEEN["prometheus"]:
        SEEN["has"] = ask_prometheus(SEEN["prometheus"])
    check(server.stop()[0] == 0, server.said)
    print(f"# {len(SEEN['scrapes'])} scrapes answered, the slowest in {slowest_s:.3f} s; load {os.getloadavg()[0]:.1f}")
    for n, what in zip(SEEN["counts"], WHAT):
        print(f"# {n} {what}")


def interval_stays():
    """the interval is the one that was asked for, from begin to end; no frame is lost"""
    scrapes = SEEN["scrapes"]
    intervals = {got[("m1top_interval_seconds",)] for got in scrapes}
    check(intervals == {INTERVAL_S}, intervals)
    check({got[("m1top_frames_lost_total",)] for got in scrapes} == {0}, "frames were lost")
    check({got[("m1top_samples_dropped_total",)] for got in scrapes} == {0}, "samples were dropped")
    own = [next(iter(of(got, "m1top_own_core_ratio").values()), 0) for got in scrapes]
    missed = scrapes[-1][("m1top_ticks_missed_total",)]
    print(f"# m1top used {max(own):.1%} of a core at most; {missed:.0f} ticks of "
          f"{scrapes[-1][('m1top_frames_total',)] + missed:.0f} missed")


def compare(counts):
    """(labels, frame, value)s with the log's sums."""
    sums, n = serving.sums_by_frame(LOG), 0
    for labels, frame, value in counts:
        wanted = sums[(labels["cpu"], labels["pmu"], labels["event"])][int(frame)][1]
        check(float(value) == wanted, labels, "frame", frame, ":", value, "instead of", wanted)
        n += 1
    print(f"# {n} counts compared")
    return n


def figures_are_right():
    """every count that was scraped is the exact sum of the session log up to that frame"""
    n = compare((dict(key[1:]), got[("m1top_frames_total",)], value)
                for got in SEEN["scrapes"] for key, value in of(got, "m1top_events_total").items())
    check(n == N_COUNTS * len(SEEN["scrapes"]), n)


def prometheus_missed_nothing():
    """a real Prometheus missed no scrape, saw one interval and has the same counts"""
    if "has" not in SEEN:
        return "only with ATTACK_SECONDS=60 or more, and Prometheus"
    has = {what: [[value for _, value in one["values"]] for one in found] for what, found in SEEN["has"].items()}
    up, took_s = has["up"][0], max(map(float, has["scrape_duration_seconds"][0]))
    print(f"# {len(up)} scrapes by Prometheus, {up.count('0')} missed, the slowest {took_s:.3f} s")
    check(len(up) >= SECONDS // SCRAPE_S - 1 and set(up) == {"1"}, up)
    check(set(has["m1top_interval_seconds"][0]) == {str(INTERVAL_S)}, has["m1top_interval_seconds"])
    frames = dict(SEEN["has"]["m1top_frames_total"][0]["values"])
    compare((series["metric"], frames[moment], value)
            for series in SEEN["has"]["m1top_events_total"] for moment, value in series["values"])
    return None


def nothing_was_said():
    """m1top saw no reason to change the interval"""
    check("interval now" not in SEEN["server"].said, SEEN["server"].said)


def serve(*options):
    """A server with passwords and a log."""
    with open(os.path.join(FOLDER.name, "users.yml"), "w", encoding="utf-8") as file:
        file.write(USERS)
    return Server("--demo", "-d", str(INTERVAL_S), "-o", LOG, "--web-config", file.name, *options)


def main():
    with serve() as server:
        wants = IS_LONG and shutil.which("prometheus")
        prometheus = Prometheus(f"127.0.0.1:{server.port}", FOLDER.name, every_s=SCRAPE_S,
                                basic_auth={"username": "alice", "password": "secret"}) if wants else None
        SEEN.update(server=server, prometheus=prometheus)
        try:
            serving.run([nobody_is_kept_out, interval_stays, figures_are_right, prometheus_missed_nothing,
                         nothing_was_said])
        finally:
            if prometheus:
                prometheus.end()


if __name__ == "__main__":
    main()
