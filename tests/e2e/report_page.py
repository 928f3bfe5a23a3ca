#!/usr/bin/env python3
"""report_page.py: the page of m1top report --html, opened in headless Chromium. TAP.

It makes no request, says nothing on the console, draws its plots, survives names that are made to
break out of it, and holds an hour of 8 cores × 10 counters at 10 Hz in 5 MB that open within 3 s.
"""
import html.parser
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

M1TOP = os.environ.get("M1TOP", "./m1top")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
HOSTILE = "</script><script>alert(1)</script><img src=http://evil.example/x onerror=alert(2)>&\"'"
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
         "--disable-component-update", "--no-first-run", "--window-size=1280,1400",
         "--enable-logging=stderr", "--v=0"]
tests = []


def test(function):
    tests.append(function)
    return function


def m1top(*words):
    done = subprocess.run([os.path.abspath(M1TOP), *words], cwd=FOLDER, capture_output=True, text=True)
    assert done.returncode == 0, f"m1top {' '.join(words)}: {done.stderr}"


def record(name, *words, options="seed=7"):
    m1top("stat", "--backend", f"sim:clock=virtual,{options}", "-I", "100", "-o", name, *words)


def page(name, *words):
    """Write a page; return its text."""
    m1top("report", "--html", name, *words)
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return file.read()


class Tags(html.parser.HTMLParser):
    """Every tag with its attributes, and the text of each script."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.scripts = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data):
        if self.lasttag == "script" and self.cdata_elem:
            self.scripts[-1] += data


class Skip(Exception):
    """Why a test cannot run here."""


def browse(name, *flags):
    """Open a page; return its document once scripts ran, what the console said, and the requests."""
    if not CHROMIUM:
        raise Skip("chromium is not installed")
    log = os.path.join(FOLDER, "net.json")
    done = subprocess.run(
        [CHROMIUM, *FLAGS, f"--user-data-dir={FOLDER}/profile", f"--log-net-log={log}", *flags,
         "--dump-dom", f"file://{FOLDER}/{name}"], capture_output=True, text=True, timeout=120)
    if "<html" not in done.stdout:
        raise Skip(f"chromium does not run here: {done.stderr[-200:]!r}")
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    return done.stdout, console, requests(log)


def requests(log):
    """What the page itself asked for, not the browser for its own purposes; an event is a line."""
    asked = set()
    with open(log, encoding="utf-8") as file:
        for line in file:
            url, initiator = (re.search(rf'"{key}":"([^"]*)"', line) for key in ("url", "initiator"))
            if url and initiator and initiator[1] != "not an origin" and not url[1].startswith("file:"):
                asked.add(url[1])
    return asked


def shown(document, key):
    return int(re.search(rf'<html[^>]* data-{key}="(\d+)"', document)[1])


@test
def the_page_is_sound_without_a_browser():
    text = page("a.html", "a.csv")
    parsed = Tags(text)
    assert [tag for tag, attrs in parsed.tags if {"src", "style", "onerror"} & set(attrs)] == []
    links = [attrs["href"] for _, attrs in parsed.tags if "href" in attrs]
    assert all(link.startswith("#") for link in links), links
    policy = next(a["content"] for t, a in parsed.tags if a.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'; script-src 'nonce-"), policy
    nonces = {a["nonce"] for t, a in parsed.tags if t in ("script", "style") and a.get("type") is None}
    assert len(nonces) == 1 and nonces.pop() in policy
    without_licence = text.replace("https://github.com/leeoniya/uPlot", "")
    assert not re.findall(r"https?://", without_licence), re.findall(r"https?://.{40}", without_licence)
    session, = json.loads(next(s for s in parsed.scripts if s.startswith("[{")))
    assert len(session["t"]) == 60 and len(session["series"]) > 100
    assert {row["by"] for row in session["rows"]} == {"type", "cluster", "core"}
    assert [m["text"] for m in session["annotations"] if m["what"] == "mark"] == ["it begins"]


@test
def contents_lead_to_every_part():
    parsed = Tags(page("two.html", "-M", "IPC", "a.csv", "other.csv"))
    links = [attrs["href"][1:] for _, attrs in parsed.tags if "href" in attrs]
    ids = [attrs["id"] for tag, attrs in parsed.tags if tag in ("section", "h3")]
    assert links == ids and len(ids) == 1 + 5 + 4, (links, ids)


@test
def commands_are_stacked():
    record("tasks.csv", "--by", "task", "-n", "20")
    parsed = Tags(page("tasks.html", "tasks.csv"))
    session, = json.loads(next(s for s in parsed.scripts if s.startswith("[{")))
    for stack in session["stacks"]:
        assert len(stack["names"]) == len(stack["values"]) > 2 and stack["names"][-1] == "all others", stack["names"]
    assert {stack["type"] for stack in session["stacks"]} == {"E", "P"}
    document, console, _ = browse("tasks.html")
    assert not console and shown(document, "plots") == 5 and shown(document, "afloat") == shown(document, "cut") == 0
    assert document.count("<option") > len(session["stacks"])


@test
def axes_begin_at_zero_and_nothing_is_cut():
    long = "this_is_a_name_that_somebody_gave_to_what_is_meant_by_it"
    page("zero.html", "-M", f"IPC,{long}=1000*INST_BRANCH/INST_ALL,uops_per_cycle", "a.csv")
    for scheme in ("0", "1"):  # dark, light
        document, console, _ = browse("zero.html", f"--blink-settings=preferredColorScheme={scheme}")
        assert not console, console
        assert shown(document, "plots") == 3
        assert shown(document, "afloat") == 0
        assert shown(document, "cut") == 0


@test
def requests_and_errors_would_be_seen():
    with open(f"{FOLDER}/control.html", "w", encoding="utf-8") as file:
        file.write("<img src=http://127.0.0.1:9/x.png><script>nothing()</script>")
    _, console, urls = browse("control.html")
    assert urls == {"http://127.0.0.1:9/x.png"}, urls
    assert any("nothing is not defined" in line for line in console), console


@test
def plots_are_drawn_and_nothing_is_requested():
    page("b.html", "a.csv")
    document, console, urls = browse("b.html")
    assert not console, console
    assert not urls, urls
    assert shown(document, "plots") == 4
    assert document.count("<canvas") >= 8  # a plot and a heat map each


@test
def two_sessions_have_plots_of_both():
    page("c.html", "-M", "IPC", "a.csv", "other.csv")
    document, console, _ = browse("c.html")
    assert not console, console
    assert shown(document, "plots") == 2
    assert "verdict-" in document


@test
def hostile_names_stay_names():
    with open(f"{FOLDER}/a.csv", encoding="utf-8") as file:
        log = file.read()
    quoted = '"' + HOSTILE.replace('"', '""') + '"'
    log = log.replace("# host ", f"# host {quoted} was ", 1).replace('"Simulated Apple M1"', quoted)
    log = log.replace("event=INST_BRANCH ", f"event={quoted} ").replace(",INST_BRANCH,", f",{quoted},")
    log = log.replace('"it begins"', quoted)
    name = "<img src=x onerror=alert(3)>.csv"
    with open(f"{FOLDER}/{name}", "w", encoding="utf-8") as file:
        file.write(log)
    parsed = Tags(page("d.html", name))
    assert not [tag for tag, _ in parsed.tags if tag == "img"]
    assert sum(tag == "script" for tag, _ in parsed.tags) == 3
    data = json.loads(next(s for s in parsed.scripts if s.startswith("[{")))
    assert HOSTILE in {series["name"] for series in data[0]["series"]}
    document, console, urls = browse("d.html")
    assert not console, console
    assert not urls, urls
    assert shown(document, "plots") == 4 and "<img" not in document


@test
def an_hour_at_10_hz_is_small_and_opens():
    record("hour.csv", "-n", "36000")
    page("hour.html", "hour.csv")
    os.remove(f"{FOLDER}/hour.csv")
    size = os.path.getsize(f"{FOLDER}/hour.html")
    print(f"# {size / 1e6:.1f} MB")
    assert size < 5e6, size
    document, console, _ = browse("hour.html")
    print(f"# drawn after {shown(document, 'ready-ms')} ms")
    assert not console, console
    assert shown(document, "plots") == 4


@test
def a_thousand_cores_fit_too():
    record("wide.csv", "-n", "40", options="cores=1024,seed=1")
    page("wide.html", "wide.csv")
    session, = json.loads(next(s for s in Tags(open(f"{FOLDER}/wide.html", encoding="utf-8").read())
                               .scripts if s.startswith("[{")))
    packed = sum(len(s[k]) for s in session["series"] for k in ("mean", "min", "max") if k in s)
    print(f"# {packed / 1e6:.1f} MB of plots")
    assert packed < 4e6, packed
    assert any(session["rows"][s["row"]]["by"] == "core" for s in session["series"])


def prepare():
    record("a.csv", "-n", "60", options="seed=7,offline=1@2-4")
    record("other.csv", "-n", "60", options="seed=8")
    with open(f"{FOLDER}/a.csv", "a", encoding="utf-8") as file:
        file.write('# mark 3.0 "it begins"\n')


def main():
    failed = 0
    prepare()
    print(f"1..{len(tests)}")
    for i, run in enumerate(tests, 1):
        name = "page: " + run.__name__.replace("_", " ")
        try:
            run()
            print(f"ok {i} - {name}")
        except Skip as why:
            print(f"ok {i} - {name} # SKIP {why}")
        except (AssertionError, LookupError, TypeError, ValueError, StopIteration) as why:
            failed = 1
            print(f"not ok {i} - {name}\n# {type(why).__name__}: {str(why)[:2000]}")
        sys.stdout.flush()
    return failed


with tempfile.TemporaryDirectory() as FOLDER:
    status = main()
sys.exit(status)
