#!/usr/bin/env python3
"""prometheus.py: a real Prometheus scrapes m1top serve on loopback: what promtool says, counters, rate() against
the session log, every query of the dashboard and every rule. TAP. Skipped where Prometheus is not installed."""
import json
import os
import re
import shutil
import subprocess
import tempfile
import time

import serving
from serving import Prometheus, Server, key_of, sums_by_frame

PACKAGING = os.path.join(serving.ROOT, "packaging")
RULES = os.path.join(PACKAGING, "prometheus-rules.yml")
DASHBOARD = os.path.join(PACKAGING, "grafana-dashboard.json")
FOLDER = tempfile.mkdtemp(prefix="m1top-prometheus-")
# A minute where time is no matter; PROMETHEUS_SECONDS=60 elsewhere.
SECONDS = int(os.environ.get("PROMETHEUS_SECONDS") or (60 if os.environ.get("CI") else 20))
WINDOW_S = SECONDS - 5
# Short beside the window: a scrape sees counts that are up to one interval old.
INTERVAL_S = .05
OPTIONS = ("--backend", "sim:tasks=200,cgroups=50", "-d", str(INTERVAL_S), "--budget", "100", "--tasks", "20", "--cgroups", "60")
PREPARED = {}


def check(truth, *why):
    if not truth:
        raise AssertionError(" ".join(str(part) for part in why))


def promtool(*words, stdin=None):
    done = subprocess.run(["promtool", *words], input=stdin, capture_output=True, text=True, check=False)
    check(done.returncode == 0 and not done.stderr.strip() or "SUCCESS" in done.stdout, done.stdout, done.stderr)


def metrics_are_clean():
    """promtool check metrics has nothing to say"""
    presets = subprocess.run([serving.M1TOP, "list", "presets", "--demo", "-j"], capture_output=True, text=True,
                             check=True).stdout
    for preset in [None] + [row["name"] for row in json.loads(presets)]:
        with Server(*OPTIONS, *(("-P", preset) if preset else ())) as server:
            server.wait(2)
            promtool("check", "metrics", stdin=server.get()[2])


def rules_are_clean():
    """promtool check rules has nothing to say"""
    promtool("check", "rules", RULES)


def scrapes():
    """it is scraped every second, as OpenMetrics, without a failure"""
    server, prometheus = PREPARED["server"], PREPARED["prometheus"]
    end = time.monotonic() + SECONDS + 120
    while time.monotonic() < end:
        try:
            up = prometheus.query("sum_over_time(up[1h])")
        except OSError:
            up = []
        if up and float(up[0]["value"][1]) >= SECONDS:
            break
        time.sleep(.5)
    check(up and float(up[0]["value"][1]) >= SECONDS, "scraped", up)
    PREPARED["at"] = up[0]["value"][0]
    # but for those without an answer in time, on a machine that stalls
    failed = prometheus.query("count_over_time((up == 0 and scrape_duration_seconds < .9)[1h:500ms])")
    check(not failed, "failed", failed)
    about = prometheus.api("targets/metadata", metric="m1top_event_running_seconds_total")
    about = about or prometheus.api("targets/metadata", metric="m1top_event_running_seconds")
    check(about and about[0]["unit"] == "seconds", "units come with OpenMetrics only:", about)
    print(f"# {float(up[0]['value'][1]):.0f} scrapes")
    check(server.stop()[0] == 0, server.said)
    PREPARED["sums"] = sums_by_frame(PREPARED["log"])


def never_backwards():
    """counters only grow"""
    for name in "m1top_events_total", "m1top_event_running_seconds_total", "process_cpu_seconds_total":
        found = PREPARED["prometheus"].query(f'{name}{{job="m1top"}}[{SECONDS + 30}s]', PREPARED["at"])
        check(found, "no", name)
        for series in found:
            values = [float(value) for _, value in series["values"]]
            check(values == sorted(values), series["metric"], values)
            check(len(values) > 1, series["metric"], len(values), "samples")


def in_window(name):
    """Raw samples of the window that rates are compared over."""
    return PREPARED["prometheus"].query(f'{name}{{job="m1top"}}[{WINDOW_S}s]', PREPARED["at"])


def samples_are_the_logs():
    """every sample is the exact sum of the session log up to that frame"""
    sums, n = PREPARED["sums"], 0
    frames = dict(in_window("m1top_frames_total")[0]["values"])
    for series in in_window("m1top_events_total"):
        for moment, value in series["values"]:
            frame = int(frames[moment])
            check(float(value) == sums[key_of(series)][frame][1], key_of(series), frame, value)
            n += 1
    check(n >= 96 * 2, n, "samples")


def worst_deviation(expr):
    """The largest relative difference between rates in Prometheus and the log's, over all series."""
    rates = {key_of(series): float(series["value"][1])
             for series in PREPARED["prometheus"].query(expr, PREPARED["at"])}
    check(len(rates) == 96, len(rates), "series")
    frames = [int(value) for _, value in in_window("m1top_frames_total")[0]["values"]]
    worst = 0, ""
    for key, rate in rates.items():
        (t0, n0), (t1, n1) = PREPARED["sums"][key][frames[0]], PREPARED["sums"][key][frames[-1]]
        worst = max(worst, (abs(rate * (t1 - t0) / (n1 - n0) - 1), " ".join(key)))
    return worst


def stalled_share():
    """How far a machine that stalls moves the samples: scrapes that are missing, frames that are old."""
    frames = in_window("m1top_frame_timestamp_seconds")[0]["values"]
    ages = [float(moment) - float(value) for moment, value in frames]
    end = float(PREPARED["at"])
    moments = [end - WINDOW_S, *(float(moment) for moment, _ in frames), end]
    longest_s = max(b - a for a, b in zip(moments, moments[1:]))
    return (max(ages) - min(ages) - INTERVAL_S + 2 * max(0, longest_s - 1.1)) / WINDOW_S


def rate_is_the_logs():
    """rate() is the session log's within 1 %, but for stalls of the machine"""
    share, key = worst_deviation(f"rate(m1top_events_total[{WINDOW_S}s])")
    print(f"# at most {share:.3%} off: {key}; stalls: {stalled_share():.3%}")
    check(share < .01 + max(0, stalled_share()), key, "is off by", share)


def rate_by_running_time_is_the_logs():
    """over the time that the counters ran it is within 0.01 %"""
    share, key = worst_deviation(f"rate(m1top_events_total[{WINDOW_S}s]) / "
                                 f"rate(m1top_event_running_seconds_total[{WINDOW_S}s])")
    print(f"# at most {share:.4%} off: {key}")
    check(share < 1e-4, key, "is off by", share)


def commands_add_up():
    """at each scrape the commands of a core type, and its cgroups, have counted what its cores have"""
    prometheus, at = PREPARED["prometheus"], PREPARED["at"]
    by = 'sum by (type, event) ({}{{job="m1top",type!="device"}})'
    n = 0
    for age in range(0, WINDOW_S, 3):
        cores, commands, groups = (
            {(series["metric"]["type"], series["metric"]["event"]): series["value"][1]
             for series in prometheus.query(by.format(name), at - age)}
            for name in ("m1top_events_total", "m1top_task_events_total", "m1top_cgroup_events_total"))
        n += len(commands)
        check(commands == groups, commands, groups)
        for key, value in commands.items():
            check(value == cores[key], key, value, cores[key])
    check(n >= 2 * 10 * WINDOW_S // 3, n, "sums")


def dashboard_answers():
    """every query of the dashboard has an answer"""
    with open(DASHBOARD, encoding="utf-8") as file:
        dashboard = json.load(file)
    prometheus, n, values_of = PREPARED["prometheus"], 0, {}
    values = {"job": "m1top", "instance": ".*", "type": ".*", "event": ".*", "metric": "m1top_metric_ipc",
              "__rate_interval": "10s"}
    for variable in dashboard["templating"]["list"]:
        if variable["type"] != "query":
            continue
        match, label = re.fullmatch(r"label_values\((.*), (\w+)\)", variable["query"]["query"]).groups()
        found = prometheus.api(f"label/{label}/values", **{"match[]": substitute(match, values)})
        check(found, "nothing to choose:", variable["name"])
    for panel in dashboard["panels"]:
        for target in panel["targets"]:
            expr = substitute(target["expr"], values)
            check("$" not in expr, "unknown variable:", expr)
            found = prometheus.query(expr, PREPARED["at"])
            # the simulated machine has no sensors
            check(found or panel["title"] in ("Power", "Temperature"), panel["title"], "is empty:", expr)
            values_of[panel["title"]] = values_of.get(panel["title"], []) + [float(one["value"][1]) for one in found]
            n += 1
    check(2.1 > sum(values_of["Where cycles go by type of core"]) > 1.5, values_of["Where cycles go by type of core"])
    check(all(0 < share <= 1.001 for share in values_of["Utilisation by type of core"]), values_of["Utilisation by type of core"])
    check(all(5e8 < hertz < 4e9 for hertz in values_of["Clock by type of core"]), values_of["Clock by type of core"])
    check(n >= 23, n, "queries")


def substitute(expr, values):
    for name in sorted(values, key=len, reverse=True):
        expr = expr.replace("$" + name, values[name])
    return expr


def rules_answer():
    """every recording rule has recorded, and no rule fails"""
    prometheus = PREPARED["prometheus"]
    for group in prometheus.api("rules")["groups"]:
        for rule in group["rules"]:
            check(rule["health"] == "ok", rule)
            if rule["type"] == "recording":
                check(prometheus.query(rule["name"], PREPARED["at"]), "nothing recorded:", rule["name"])
            else:
                check(rule["state"] in ("inactive", "pending"), rule)


def ipc_is_the_metrics():
    """instructions per cycle by the rule and by the metric agree for a core type"""
    prometheus, at = PREPARED["prometheus"], PREPARED["at"]
    recorded = {series["metric"]["type"]: float(series["value"][1])
                for series in prometheus.query("instance_type:m1top_ipc:rate1m", at)}
    check(set(recorded) == {"E", "P"}, recorded)
    for kind, ipc in recorded.items():
        cores = prometheus.query(f'avg_over_time(m1top_metric_ipc{{type="{kind}"}}[{WINDOW_S}s])', at)
        values = [float(series["value"][1]) for series in cores]
        check(min(values) < ipc < max(values), kind, ipc, values)


TESTS = [metrics_are_clean, rules_are_clean, scrapes, never_backwards, samples_are_the_logs, rate_is_the_logs,
         rate_by_running_time_is_the_logs, commands_add_up, dashboard_answers, rules_answer, ipc_is_the_metrics]


def main():
    why = None
    if not shutil.which("prometheus") or not shutil.which("promtool"):
        why = "prometheus is not installed"
    elif os.environ.get("SAN"):
        why = "it is slowed down by a sanitizer"
    if why:
        tap = serving.Tap()
        for test in TESTS:
            tap.skip(test.__doc__.strip(), why)
        tap.end()
    log = PREPARED["log"] = os.path.join(FOLDER, "log.csv")
    with Server(*OPTIONS, "-o", log) as server:
        prometheus = Prometheus(f"127.0.0.1:{server.port}", FOLDER, [RULES])
        PREPARED.update(server=server, prometheus=prometheus)
        try:
            serving.run(TESTS)
        finally:
            prometheus.end()


if __name__ == "__main__":
    try:
        main()
    finally:
        shutil.rmtree(FOLDER)
