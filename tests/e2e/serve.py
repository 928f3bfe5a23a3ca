#!/usr/bin/env python3
"""serve.py: m1top serve over loopback: what it says, whom it lets in, whom it cuts off. TAP."""
import os
import re
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import time

import serving
from serving import OPEN, Server, of, refused

FOLDER = tempfile.mkdtemp(prefix="m1top-serve-")
FAST = ("--demo", "-I", "50")
# "secret", as htpasswd -nbBC 4 alice secret would hash it
BCRYPT = "$2y$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW"
ALICE = "Basic YWxpY2U6c2VjcmV0"
NUL = "Basic YWxpY2U6c2VjcmV0AA=="  # "secret\0"
MALLORY = "Basic YWxpY2U6Z3Vlc3M="
PER_ADDRESS, TOTAL, BUSY_S = 8, 32, 10
GUESSES_BURST, GUESSES_PER_S = 4, 1  # of one address
LIMIT_S = 120  # for a busy machine


def path(name):
    return os.path.join(FOLDER, name)


def write(name, text):
    with open(path(name), "w", encoding="utf-8") as file:
        file.write(text)
    return path(name)


def check(truth, *why):
    if not truth:
        raise AssertionError(" ".join(str(part) for part in why))


def both_formats():
    """OpenMetrics and the text format, each as the client prefers"""
    with Server(*FAST) as server:
        server.wait(2)
        status, headers, body = server.get(Accept=OPEN + ";q=0.75,text/plain;version=0.0.4;q=0.5")
        check(status == 200 and "openmetrics-text; version=1.0.0" in headers["Content-Type"], headers)
        check("# UNIT m1top_event_running_seconds seconds" in body, "no unit")
        serving.exposition(body)
        status, headers, body = server.get()
        check(headers["Content-Type"].startswith("text/plain; version=0.0.4"), headers)
        while len(of(samples := serving.exposition(server.get()[2], is_open=False), "m1top_core_online")) < 8:
            time.sleep(.05)  # a core was late in all frames
        check(len(of(samples, "m1top_events_total")) == 96, "not 8 cores × 10 events and the two of activity")
        check(len(of(samples, "m1top_core_online")) == 8, "not 8 cores")
        check("UNIT" not in body and "EOF" not in body, "0.0.4 knows neither")


def pages():
    """landing page, health, 404, 405, HEAD, several requests on one connection"""
    with Server(*FAST) as server:
        server.wait(1)
        status, headers, body = server.get("/")
        check(status == 200 and 'href="metrics"' in body and "html" in headers["Content-Type"], body)
        check(server.is_healthy(), "not healthy")
        check(server.get("/metrics?a=b")[0] == 200, "a query is no other page")
        check(server.get("/nowhere")[0] == 404, "not 404")
        check(server.get("/metrics/")[0] == 404, "not 404")
        for method in "POST", "PUT", "DELETE", "OPTIONS", "BREW":
            status, headers, _ = server.get(method=method)
            check(status == 405 and headers["Allow"] == "GET, HEAD", method, status)
        connection = server.connect()
        for method in "GET", "HEAD", "GET":
            connection.request(method, "/metrics")
            answer = connection.getresponse()
            body = answer.read()
            check(answer.status == 200 and int(answer.headers["Content-Length"]) > 10000, method)
            check((body == b"") == (method == "HEAD"), method, len(body))
            check(connection.sock is not None, "the connection was closed")
        connection.close()


def before_the_first_frame():
    """a scrape before the first frame has build info and no counts"""
    with Server("--demo", "-d", "60") as server:
        samples = server.metrics()
        check(of(samples, "m1top_build_info") and samples[("m1top_frames_total",)] == 0, samples)
        check(not any(key[0].startswith("m1top_event") for key in samples), "counts of nothing")
        check(server.is_healthy(), "not healthy")


def sums_of(rows, n_frames):
    sums = {}
    for tick, _, cpu, kind, pmu, event, count, _ in rows:
        if tick <= n_frames and count is not None:
            key = ("m1top_events_total", ("cpu", cpu), ("event", event), ("pmu", pmu), ("type", kind))
            sums[key] = sums.get(key, 0) + count
    return sums


def equals_the_log(*options):
    log = path("log.csv")
    with Server(*options, "-I", "50", "-o", log, "--force") as server:
        before = server.wait(3)
        after = server.wait(20)
        check(server.stop()[0] == 0, server.said)
    for key, value in of(before, "m1top_events_total").items():
        check(after[key] >= value, "went back:", key)
    sums = sums_of(serving.log_rows(log), after[("m1top_frames_total",)])
    counters = of(after, "m1top_events_total")
    check(counters and counters == sums, "differ from the log:",
          [(key, value, sums.get(key)) for key, value in counters.items() if sums.get(key) != value][:3])
    os.unlink(log)


def exact():
    """counters are the exact sums of the session log of the same run"""
    equals_the_log("--demo")


def exact_here():
    """the same on this machine's own counters"""
    status, said = refused("-e", "context-switches,page-faults", "-n", "1", "-I", "10",
                           "--listen", "127.0.0.1:0")
    if status in (3, 4):
        return "cannot count here: " + said.strip()
    equals_the_log("-e", "context-switches,page-faults")
    return None


def core_goes():
    """an offline core's series stop and come back where they were"""
    with Server("--backend", "sim:offline=3@5-15", "-I", "50") as server:
        before = server.wait(4)
        check(of(before, "m1top_events_total", cpu="3"), "cpu3 should be on")
        while of(got := server.metrics(), "m1top_core_online", cpu="3").popitem()[1]:
            time.sleep(.05)
        gone = [key for key in got if ("cpu", "3") in key and key[0] != "m1top_core_online"]
        check(not gone, "of a core that is off:", gone[:2])
        check(len(of(got, "m1top_events_total", cpu="2")) == 12, "cpu2 is on")
        while not of(got := server.metrics(), "m1top_events_total", cpu="3"):
            time.sleep(.05)
        for key, value in of(before, "m1top_events_total", cpu="3").items():
            check(got[key] >= value, "went back:", key)


def stolen_counter():
    """an event that does not run has no count, and says so in its ratio"""
    with Server("--backend", "sim:steal=5.5@0.5-60", "-I", "50") as server:
        server.wait(14)
        got = server.metrics()
        check(not of(got, "m1top_events_total", cpu="5", event="INST_BRANCH"), "counted")
        check(list(of(got, "m1top_event_running_ratio", cpu="5", event="INST_BRANCH").values()) == [0.0], "ratio")
        check(not of(got, "m1top_metric_branch_miss_ratio", cpu="5"), "a metric of what is not counted")
        check(of(got, "m1top_metric_branch_miss_ratio", cpu="4"), "cpu4 has it")


def chosen_metrics():
    """-M: these metrics alone, in base units; mux groups share the time"""
    with Server(*FAST, "-M", "IPC,branch_miss_ratio,x=1000*INST_BRANCH/INST_ALL") as server:
        got = server.wait(3)
        names = {key[0] for key in got if key[0].startswith("m1top_metric")}
        check(names == {"m1top_metric_ipc", "m1top_metric_branch_miss_ratio", "m1top_metric_x"}, names)
        ratios = of(got, "m1top_metric_branch_miss_ratio").values()
        check(all(0 < ratio < 0.5 for ratio in ratios), ratios)


def runs_out():
    """-n ends by itself with 0; SIGTERM ends at once with 0"""
    status, said = refused("--demo", "-I", "20", "-n", "3", "--listen", "127.0.0.1:0")
    check(status == 0, status, said)
    with Server("--demo", "-d", "3600") as server:
        check(server.stop()[0] == 0, "did not end well")


STEPPED_CLOCK = """
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
/* the wall clock goes an hour ahead as soon as the file $STEP is there */
int clock_gettime(clockid_t id, struct timespec *ts)
{
	int rc = (int)syscall(SYS_clock_gettime, id, ts);

	if (id == CLOCK_REALTIME && access(getenv("STEP"), F_OK) == 0)
		ts->tv_sec += 3600;
	return rc;
}
"""


def clock_is_set():
    """the time of the newest frame follows the wall clock when that is set"""
    if os.environ.get("SAN"):
        return "a sanitizer comes before what is preloaded"
    library = path("stepped_clock.so")
    subprocess.run([*os.environ.get("CC", "gcc").split(), "-shared", "-fPIC", "-o", library, write("stepped_clock.c", STEPPED_CLOCK)],
                   check=True)
    os.environ.update(LD_PRELOAD=library, STEP=path("step"))
    try:
        server = Server("--demo", "-d", "2")
    finally:
        del os.environ["LD_PRELOAD"]
    with server:
        for step_s in 0, 3600:
            if step_s:
                write("step", "")
            before = time.time() + step_s
            got = server.wait(1)[("m1top_frame_timestamp_seconds",)]
            check(before - 60 < got < time.time() + step_s, "at", before, "the newest frame is of", got)
    return None


# Who is let in

def refusals():
    """what it refuses to start with, and what it says"""
    with Server(*FAST) as server:
        taken = f"127.0.0.1:{server.port}"
        # serve hides itself from other processes of its user
        holder = "" if os.geteuid() else f" by m1top (pid {server.process.pid})"
        for options, wanted, text in (
                (("--listen", "0.0.0.0:0"), 2, "use --web-config FILE with a certificate and passwords, or --insecure"),
                (("--listen", ":0"), 2, "--insecure"),
                (("--listen", "[::]:0"), 2, "--insecure"),
                (("--listen", "192.0.2.1:0", "--insecure"), 1, "no such address"),
                (("--listen", taken), 1, f"is in use{holder}: end that, or choose another"),
                (("--listen", "9"), 2, "must be ADDR:PORT"),
                (("--listen", "127.0.0.1:99999"), 2, "must be ADDR:PORT"),
                (("--web-config", path("nowhere")), 2, "nowhere: No such file"),
                (("--backend", "sim:clock=virtual"), 2, "real clock"),
                (("-e", "nonsense"), 2, "nonsense"),
                (("-M", "nonsense"), 2, "nonsense"),
                (("--by", "core"), 2, "serve has no option --by"),
                (("-o", "/nowhere/log.csv"), 2, "/nowhere/log.csv")):
            given = options if "--listen" in options else (*options, "--listen", "127.0.0.1:0")
            given = given if "--backend" in options else ("--demo", *given)
            status, said = refused(*given)
            check(status == wanted and text in said, options, "ended with", status, "and said:", said)


def passwords():
    """401 without the right password, 429 for those who guess, and the right one still comes in"""
    config = write("users.yml", f"basic_auth_users:\n  alice: {BCRYPT}\n")
    with Server(*FAST, "--web-config", config) as server:
        status, headers, _ = server.get()
        check(status == 401 and headers["WWW-Authenticate"].startswith("Basic"), status)
        for page in "/", "/-/healthy", "/nowhere":
            check(server.get(page)[0] == 401, page)
        check(server.get(Authorization=ALICE)[0] == 200, "the right password")
        check(server.get(Authorization=ALICE.replace("Basic", "basic"))[0] == 200, "the scheme in lower case")
        check(server.get(Authorization=NUL)[0] == 401, "the right password and a NUL")
        check(server.get(Authorization="Basic !!!")[0] == 401, "no base64")
        check(server.get(method="POST", Authorization=ALICE)[0] == 405, "POST")
        begun = time.monotonic()
        answers = [server.get(Authorization=MALLORY)[0] for _ in range(30)]
        guesses_max = GUESSES_BURST + GUESSES_PER_S * (time.monotonic() - begun)
        check(set(answers) == {401, 429} and answers.count(401) <= guesses_max, answers, guesses_max)
        check(server.get(Authorization=ALICE)[0] == 200, "the right password after guesses")


def certificate(name):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                    "-nodes", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1",
                    "-days", "1", "-keyout", path(name + ".key"), "-out", path(name + ".crt")],
                   check=True, capture_output=True)


def fetch(context, server):
    with socket.create_connection(("127.0.0.1", server.port), timeout=LIMIT_S) as plain:
        with context.wrap_socket(plain, server_hostname="127.0.0.1") as tls:
            tls.sendall(b"GET /metrics HTTP/1.0\r\n\r\n")
            return tls.version(), tls.makefile("rb").read()


def encrypted():
    """TLS: scraped with the certificate checked; plain HTTP and old TLS get nothing"""
    if not shutil.which("openssl"):
        return "openssl is not installed"
    certificate("one")
    certificate("other")
    config = write("tls.yml", "tls_server_config:\n  cert_file: one.crt\n  key_file: one.key\n")
    context = ssl.create_default_context(cafile=path("one.crt"))
    status, said = refused("--demo", "--listen", ":0", "--web-config", config)
    check(status == 2 and "basic_auth_users (a certificate does not restrict access)" in said, status, said)
    with Server(*FAST, "--web-config", config) as server:
        check(server.scheme == "https", server.said)
        version, answer = fetch(context, server)
        check(version in ("TLSv1.2", "TLSv1.3") and b"m1top_build_info" in answer, version, answer[:80])
        with socket.create_connection(("127.0.0.1", server.port), timeout=LIMIT_S) as plain:
            plain.sendall(b"GET /metrics HTTP/1.0\r\n\r\n")
            try:
                answer = plain.makefile("rb").read()
            except ConnectionResetError:
                answer = b""
            check(b"m1top" not in answer, "answered in clear")
    config = write("tls13.yml", "tls_server_config:\n  cert_file: one.crt\n  key_file: one.key\n  min_version: TLS13\n")
    with Server(*FAST, "--web-config", config) as server:
        check(fetch(context, server)[0] == "TLSv1.3", "not TLS 1.3")
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        try:
            fetch(context, server)
            raise AssertionError("TLS 1.2 was let in")
        except ssl.SSLError:
            pass
    config = write("mixed.yml", "tls_server_config:\n  cert_file: one.crt\n  key_file: other.key\n")
    status, said = refused("--demo", "--listen", "127.0.0.1:0", "--web-config", config)
    check(status == 2 and "cannot serve:" in said, status, said)
    return None


# Whom it cuts off

def is_served(connection):
    """Does it answer on this connection?"""
    connection.settimeout(LIMIT_S)
    try:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return connection.recv(4096).startswith(b"HTTP/1.1 200")
    except OSError:
        return False


def dial(server, source):
    return socket.create_connection(("127.0.0.1", server.port), timeout=LIMIT_S, source_address=(source, 0))


def is_over(connection):
    """Has the server closed this connection, or does it in a moment?"""
    connection.settimeout(LIMIT_S)
    try:
        return connection.recv(4096) == b""
    except TimeoutError:
        return False
    except OSError:
        return True


def limits():
    """8 connections an address, 32 together; the oldest idle one gives way to one more"""
    with Server(*FAST) as server:
        held = [dial(server, "127.0.0.1") for _ in range(PER_ADDRESS)]
        check(all(is_served(one) for one in held), "the first eight")
        held.append(dial(server, "127.0.0.1"))
        check(is_served(held[-1]) and is_over(held.pop(0)), "a ninth of one address")
        for address in "127.0.0.2", "127.0.0.3", "127.0.0.4":
            held += [dial(server, address) for _ in range(PER_ADDRESS)]
        check(all(is_served(one) for one in held), "thirty-two")
        late = dial(server, "127.0.0.5")
        check(is_served(late) and is_over(held.pop(0)), "a thirty-third")
        check(all(is_served(one) for one in held), "more than one gave way")


def own_slots():
    """whoever has shown a password keeps the connection, however many strangers come"""
    config = write("slots.yml", f"basic_auth_users:\n  alice: {BCRYPT}\n")
    with Server(*FAST, "--web-config", config) as server:
        connection, held = server.connect(), []
        for strangers in range(0, 2 * TOTAL, 8):
            connection.request("GET", "/-/healthy", headers={"Authorization": ALICE})
            answer = connection.getresponse()
            check(answer.status == 200 and answer.read(), "after", strangers, "strangers")
            check(connection.sock is not None, "was cut off after", strangers, "strangers")
            for i in range(8):
                held.append(dial(server, f"127.0.0.{2 + i}"))
                held[-1].sendall(b"GET /metrics HTTP/1.1\r\n")


def malformed():
    """what is no HTTP, too long or too much is ended, and others are served on"""
    junk = (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(256)), b"\r\n" * 5000 + b"x\r\n\r\n",
            b"GET " + b"/a" * 20000 + b" HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 8000 + b"\r\n",
            b"GET /metrics HTTP/9.9\r\n\r\n", b"\0" * 40000, b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n"
            b"Content-Length: 99999999999999999999\r\n\r\n",
            b"POST /metrics HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nffffffffff\r\n" + b"z" * 50000)
    with Server(*FAST) as server:
        for bytes_ in junk:
            with dial(server, "127.0.0.1") as one:
                one.settimeout(1)
                try:
                    one.sendall(bytes_)
                    answer = one.recv(1000)
                except OSError:
                    answer = b""
                check(b" 200 " not in answer.split(b"\r\n")[0], bytes_[:40], answer[:40])
        check(server.is_healthy(), "not healthy")
        check(server.stop()[0] == 0, "did not end well")


def trickle(server, bytes_, every_s, ended):
    """Send byte after byte; note how long it took until the other side ended it."""
    start = time.monotonic()
    with dial(server, "127.0.0.1") as one:
        one.settimeout(every_s)
        try:
            for i in range(1000):
                one.sendall(bytes_[i:i + 1])
                try:
                    if not one.recv(1):
                        break
                except TimeoutError:
                    pass
                if time.monotonic() - start > LIMIT_S:
                    return
        except OSError:
            pass
    ended.append(time.monotonic() - start)


def do_not_read(server, ended):
    """Ask for megabytes and take none of them."""
    start = time.monotonic()
    with socket.socket() as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        one.connect(("127.0.0.1", server.port))
        one.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n" * 50)
        n_gone = 0
        while time.monotonic() - start < LIMIT_S:
            time.sleep(.1)
            with open("/proc/net/tcp", encoding="ascii") as file:
                mine = f"0100007F:{one.getsockname()[1]:04X}"
                its = [line.split() for line in file if line.split()[2] == mine]
            # the server's end is no longer ESTABLISHED; a read of a table that changes may miss a line
            n_gone = 0 if its and its[0][3] == "01" else n_gone + 1
            if n_gone == 5:
                ended.append(time.monotonic() - start)
                return


def slow_clients():
    """clients that send or read too slowly are cut off after ten seconds, and nobody waits for them"""
    head = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 900
    with Server("--backend", "sim:cores=512", "-I", "1000", "--budget", "100") as server:
        server.wait(1)
        ended = []
        slow = [threading.Thread(target=trickle, args=(server, head, .4, ended)),
                threading.Thread(target=trickle, args=(server, b"", .4, ended)),
                threading.Thread(target=do_not_read, args=(server, ended))]
        for one in slow:
            one.start()
        n_meanwhile = 0
        while any(one.is_alive() for one in slow):
            check(server.is_healthy(), "not healthy")
            n_meanwhile += not ended
            time.sleep(.2)
        check(len(ended) == len(slow), "cut off:", ended)
        check(all(took > BUSY_S - 1 for took in ended), "after", ended)
        check(n_meanwhile >= 3, "others waited:", n_meanwhile, "answers")


def ipv6():
    """IPv6 loopback"""
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError as why:
        return f"no ::1 here: {why}"
    with Server(*FAST, listen="[::1]:0") as server:
        check(server.host == "::1" and server.wait(1), server.said)
    return None


def help_names_the_default():
    """the default address is on loopback, and the help says which"""
    out = subprocess.run([serving.M1TOP, "serve", "--help"], capture_output=True, text=True, check=True).stdout
    check(re.search(r"127\.0\.0\.1:10410", out), out)


if __name__ == "__main__":
    try:
        serving.run([both_formats, pages, before_the_first_frame, exact, exact_here, core_goes, stolen_counter,
                     chosen_metrics, runs_out, clock_is_set, refusals, passwords, encrypted, limits, own_slots, malformed, slow_clients,
                     ipv6, help_names_the_default])
    finally:
        shutil.rmtree(FOLDER)
