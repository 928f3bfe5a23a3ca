#!/usr/bin/env python3
"""report_page.py: the page of m1top report --html, opened in headless Chromium. TAP.

Its tables show the figures of the report's JSON, which it contains. It makes no request, says nothing on the console,
draws its plots, survives names that are made to break out of it, prints on two pages, and holds an hour of 8 cores ×
10 counters at 10 Hz in 5 MB.
"""
import html
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
PLOTS = 6  # at first: where cycles went for E and P, four metrics
VERDICTS = {("unknown", "too few"), ("error", "within error"), ("within", "within spread"), ("beyond", "beyond spread")}
tests = []


def test(function):
    tests.append(function)
    return function


def m1top(*words):
    done = subprocess.run([os.path.abspath(M1TOP), *words], cwd=FOLDER, capture_output=True, text=True)
    assert done.returncode == 0, f"m1top {' '.join(words)}: {done.stderr}"
    return done.stdout


def record(name, *words, options="seed=7"):
    m1top("stat", "--backend", f"sim:clock=virtual,{options}", "-I", "100", "-o", name, *words)


def page(name, *words):
    """Write a page; return its text."""
    m1top("report", "--html", name, "--force", *words)
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


def browse(name, *flags, dump=True):
    """Open a page; return its document once scripts ran, what the console said, and the requests."""
    if not CHROMIUM:
        raise Skip("chromium is not installed")
    log = os.path.join(FOLDER, "net.json")
    done = subprocess.run(
        [CHROMIUM, *FLAGS, f"--user-data-dir={FOLDER}/profile", f"--log-net-log={log}", *flags,
         *(["--dump-dom"] if dump else []), f"file://{FOLDER}/{name}"], capture_output=True, text=True, timeout=120)
    if dump and "<html" not in done.stdout:
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


def data(text, element="plots"):
    """The JSON of an element of the page."""
    return json.loads(re.search(rf" id={element}>(.*?)</script>", text, re.S)[1])


def cells(document, heading):
    """The rows of the tables below a heading, as texts of their cells; document is as scripts left it."""
    part = re.search(rf"<h[23][^>]*>{re.escape(heading)}</h[23]>(.*?)(?=<h[23]|<footer)", document, re.S)[1]
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", part, re.S)
    return [[html.unescape(re.sub("<[^>]*>", "", cell)).strip()
             for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.S)] for row in rows]


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
    assert "<noscript>" in text and "report -j" in text
    report, = data(text, "report")["sessions"]
    assert [m["text"] for m in report["history"] if m["what"] == "mark"] == ["it begins"]
    session, = data(text)
    assert len(session["t"]) == 60 and len(session["series"]) > 100
    assert {one["by"] for one in session["series"]} == {"type", "core"}


@test
def the_page_contains_the_json():
    for words in ("a.csv",), ("--by", "core", "-M", "IPC", "a.csv"), ("a.csv", "other.csv"), ("--survey", "a.csv"):
        assert data(page("same.html", *words), "report") == json.loads(m1top("report", "-j", *words)), words


@test
def tables_show_the_json():
    session, = data(page("full.html", "a.csv"), "report")["sessions"]
    document, console, _ = browse("full.html")
    assert not console, console
    rows = cells(document, "Figures")
    for row in session["rows"]:
        assert row["name"] in document
        for event in row["events"]:
            assert any(line[0] == event["event"] and line[1] == str(event["counted"]) for line in rows), event
        for metric in row["metrics"]:
            near = f"{metric['value']:.4g}".rstrip("0")
            assert any(metric["metric"] in line[0] and near in line[2] for line in rows), (metric, near)
    assert cells(document, "What happened")[1:] == [[f"{h['t_s']:.3f}", h["what"], h["text"]] for h in session["history"]]
    for sentence in session["finding"]:
        assert html.escape(sentence, False) in document, sentence


@test
def a_session_is_called_by_its_host_or_command():
    host = json.loads(m1top("report", "-j", "a.csv"))["sessions"][0]["host"]
    assert f"<title>{host} – m1top</title>" in page("title.html", "a.csv")
    m1top("survey", "--demo", "--html", "survey.html", "true")
    with open(f"{FOLDER}/survey.html", encoding="utf-8") as file:
        assert "<title>true – m1top</title>" in file.read()
    page("one.html", "--survey", "one.csv")
    rows = cells(browse("one.html")[0], "What explains the cycles per instruction")[1:]
    assert rows and {row[2] for row in rows} <= {"–", "±"}, rows  # one interval has no error


@test
def a_flat_heat_map_says_so():
    page("flat.html", "-M", "flat=1+0*IPC,IPC", "a.csv")
    assert browse("flat.html")[0].count(">all 1<") == 1


@test
def it_prints_on_two_pages():
    for name, words in ("a", ["a.csv"]), ("two", ["a.csv", "other.csv"]), ("commands", ["tasks.csv"]), ("all", ["full.csv"]):
        page(name + ".html", *words)
        browse(name + ".html", f"--print-to-pdf={FOLDER}/{name}.pdf", dump=False)
        with open(f"{FOLDER}/{name}.pdf", "rb") as file:
            assert len(re.findall(rb"/Type\s*/Page[^s]", file.read())) == 2, name


@test
def contents_lead_to_every_part():
    page("two.html", "-M", "IPC", "a.csv", "other.csv")
    parsed = Tags(browse("two.html")[0])
    links = [attrs["href"][1:] for _, attrs in parsed.tags if "href" in attrs]
    ids = [attrs["id"] for tag, attrs in parsed.tags if tag in ("section", "h3") and "id" in attrs]
    assert links == ids and len(ids) == 1 + 5 + 4, (links, ids)


@test
def commands_are_stacked():
    session, = data(page("tasks.html", "tasks.csv"))
    for stack in session["stacks"]:
        assert len(stack["names"]) == len(stack["values"]) > 2 and stack["names"][-1] == "all others", stack["names"]
    assert {stack["type"] for stack in session["stacks"]} == {"E", "P"}
    document, console, _ = browse("tasks.html")
    assert not console and shown(document, "plots") == 3 and shown(document, "afloat") == shown(document, "cut") == 0
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
    assert shown(document, "plots") == PLOTS
    assert document.count("<canvas") >= 8  # a plot and a heat map each


@test
def two_sessions_have_plots_of_both():
    page("c.html", "-M", "IPC", "a.csv", "other.csv")
    document, console, _ = browse("c.html")
    assert not console, console
    assert shown(document, "plots") == 2
    told = set(re.findall(r'<td class="verdict-(\w+)">([^<]*)<', document))
    assert told <= VERDICTS and len(told) > 1, told
    verdict = data(page("few.html", "-M", "IPC", "one.csv", "other.csv"), "report")["comparison"][0]["verdict"]
    assert ("unknown", verdict) in VERDICTS and f'<td class="verdict-unknown">{verdict}<' in browse("few.html")[0]


@test
def cycles_of_which_a_part_is_missing_are_not_stacked():
    text = page("part.html", "a.csv")
    for name, change in ("null", ('"metric":"bad_speculation"}', '"metric":null}')), ("other", ('"by":"type","row":"P"', '"by":"core","row":"P"')):
        assert change[0] in text
        with open(f"{FOLDER}/{name}.html", "w", encoding="utf-8") as file:
            file.write(text.replace(*change))
        document, console, _ = browse(f"{name}.html")
        assert not console and document.count(">where cycles went: ") == (name == "other"), name


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
    text = page("d.html", name)
    parsed = Tags(text)
    assert not [tag for tag, _ in parsed.tags if tag == "img"]
    assert sum(tag == "script" for tag, _ in parsed.tags) == 4
    assert HOSTILE in {series["name"] for series in data(text)[0]["series"]}
    document, console, urls = browse("d.html")
    assert not console, console
    assert not urls, urls
    assert shown(document, "plots") == PLOTS and "<img" not in document


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
    assert shown(document, "plots") == PLOTS


@test
def a_thousand_cores_fit_too():
    record("wide.csv", "-n", "40", options="cores=1024,seed=1")
    session, = data(page("wide.html", "wide.csv"))
    assert os.path.getsize(f"{FOLDER}/wide.html") < 5e6
    packed = sum(len(s[k]) for s in session["series"] for k in ("mean", "min", "max") if k in s)
    print(f"# {packed / 1e6:.1f} MB of plots")
    assert packed < 4e6, packed
    assert any(s["by"] == "core" for s in session["series"])


def prepare():
    record("a.csv", "-n", "60", options="seed=7,offline=1@2-4")
    record("other.csv", "-n", "60", options="seed=8")
    record("one.csv", "-n", "1")
    record("full.csv", "-P", "slots,l1d,branch", "--by", "function", "-n", "20", options="seed=7,functions=5,tasks=20")
    record("tasks.csv", "--by", "function", "-n", "20", options="seed=7,functions=5,tasks=20,cgroups=4")
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
