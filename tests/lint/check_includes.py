#!/usr/bin/env python3
"""check_includes.py: parts include downwards only, and fenced headers stay behind their fence"""
import os
import re

import source

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)

# Folders from the top down: each may include itself and those of the lines below its own. A folder
# that is not listed belongs to the one above it.
LEVELS = [
    ["cmd"],
    ["cmd/doctor", "cmd/stat"],
    ["cmd/shared"],
    ["cmd/options"],
    ["discover/sweep"],
    ["discover/report"],
    ["discover/run"],
    ["discover/kernel"],
    ["tui"],
    ["tui/view"],
    ["tui/overlay"],
    ["tui/history"],
    ["tui/counters"],
    ["tui/screen"],
    ["tui/model"],
    ["tui/widget"],
    ["tui/term"],
    ["session/report", "session/openmetrics"],
    ["session/http"],
    ["session/write"],
    ["session/read"],
    ["session/format"],
    ["sampler"],
    ["metrics/planner"],
    ["metrics"],
    ["metrics/expr"],
    ["pmu/apple", "pmu/perf", "pmu/sim"],
    ["pmu"],
    ["pmu/event"],
    ["pmu/activity"],
    ["pmu/topology"],
    ["pmu/catalog"],
    ["symbols"],
    ["symbols/place"],
    ["symbols/reader"],
    ["symbols/table"],
    ["base"],
]

# A room's front is the headers that stand in it: the only ones that other rooms include. Most are
# the interface of one folder below.
FRONTS = {
    "cmd/options.h": "cmd/options",
    "cmd/verbs.h": "cmd/shared",
    "discover/custom.h": "discover/run",
    "discover/estimate.h": "discover/run",
    "discover/findings.h": "discover/report",
    "discover/ids.h": "discover/run",
    "discover/kernel.h": "discover/kernel",
    "discover/sweep.h": "discover/sweep",
    "metrics/expression.h": "metrics/expr",
    "metrics/planner.h": "metrics/planner",
    "pmu/activity.h": "pmu/activity",
    "pmu/catalog.h": "pmu/catalog",
    "pmu/count.h": "pmu/event",
    "pmu/event.h": "pmu/event",
    "pmu/machine.h": "pmu/topology",
    "pmu/sample.h": "pmu/topology",
    "pmu/sensors.h": "pmu/activity",
    "pmu/set.h": "pmu/event",
    "session/format.h": "session/format",
    "session/http.h": "session/http",
    "session/openmetrics.h": "session/openmetrics",
    "session/player.h": "session/read",
    "session/reader.h": "session/read",
    "session/report.h": "session/report",
    "session/sink.h": "session/write",
    "session/writer.h": "session/write",
    "symbols/symbols.h": "symbols/table",
    "tui/keys.h": "tui/term",
    "tui/settings.h": "tui/screen",
    "tui/theme.h": "tui/term",
    "tui/tui.h": "tui/term",
}
FRONT_MAX = {"cmd": 2, "tui": 4, "discover": 6, "session": 8, "sampler": 9, "metrics": 3, "pmu": 9, "symbols": 1}

# Whole trees that never include each other, whatever the line.
APART = [{"tui", "discover"}]

# A header, and the only files that may include it: everything else goes through their interface.
FENCES = [
    (r"linux/perf_event\.h", r"src/pmu/perf/.*|kmod/compat\.h|tests/.*"),
    (r"cjson/.*", r"src/pmu/catalog/.*\.c|src/cmd/options/config\.c|src/discover/report/report\.c|src/sampler/tasks/cgroup\.c|tests/.*"),
    (r"microhttpd\.h", r"src/session/http/library\.h"),
    (r"yaml\.h", r"src/session/http/web_config\.c"),
    (r"crypt\.h", r"src/session/http/(http|web_config)\.c"),
    (r"gnutls/.*", r"src/session/http/library\.h|tests/unit/session/http/.*"),
    (r"sensors/.*", r"src/pmu/activity/chips\.c"),
    (r"(gelf|libelf|elf)\.h|elfutils/.*|dwarf\.h|lzma\.h|libiberty/.*|capstone/.*", r"src/symbols/table/.*|tests/.*"),
    (r"zstd\.h", r"src/session/format/zstd\.c"),
    (r"n?curses\w*\.h|term\.h|ncursesw?/.*", r"src/tui/.*"),
    (r"(.*/)?m1pmu_abi\.h", r"src/pmu/apple/.*|kmod/.*|src/pmu/activity/amu\.c|tests/.*"),
]


def home(folder):
    """The listed folder that a folder is or belongs to, and its level; (None, None): unknown."""
    folder = FRONTS.get(folder, folder)
    while folder:
        for level, folders in enumerate(LEVELS):
            if folder in folders:
                return folder, level
        folder = folder.rpartition("/")[0]
    return None, None


def includes(name):
    """Yield (line, header, is it the project's own)."""
    text = source.read(name)
    code = source.bare(text, strings=True)
    for match in INCLUDE.finditer(code):
        yield source.line_of(code, match.start()), match[2], match[1] == '"'


def breaches(name):
    part, level = home(name[len("src/"):])
    is_front = name.endswith(".h") and name.count("/") == 2
    for line, header, own in includes(name):
        other, below = home(header)
        if is_front and own and header.count("/") > 1:
            yield f'{name}:{line}: a front must not include the private "{header}"'
        if not own or other == part or header.startswith("kmod/"):
            continue
        if other is None:
            yield f'{name}:{line}: "{header}" is in no known folder'
        elif part and part.split("/")[0] != other.split("/")[0] and header.count("/") > 1:
            yield f'{name}:{line}: "{header}" is private to {other.split("/")[0]}/'
        elif below <= level or {part.split("/")[0], other.split("/")[0]} in APART:
            yield f'{name}:{line}: {part}/ must not know "{header}"'


def climbers(names):
    for fence, allowed in FENCES:
        for name in names:
            for line, header, _ in includes(name):
                if re.fullmatch(fence, header) and not re.fullmatch(allowed, name):
                    yield f"{name}:{line}: <{header}> belongs to {allowed} alone"


def wide_fronts():
    for room, most in FRONT_MAX.items():
        headers = source.files(f":(glob)src/{room}/*.h")
        if len(headers) > most:
            yield f"src/{room} shows {len(headers)} headers, {most} at most: {' '.join(map(os.path.basename, headers))}"


def main():
    tap = source.Tap()
    names = [name for name in source.files("src/*/*.c", "src/*/*.h")]
    for folder in sorted({os.path.dirname(name) for name in names}):
        inside = [name for name in names if os.path.dirname(name) == folder]
        tap.test(f"{folder} includes downwards only", (fault for name in inside for fault in breaches(name)))
    tap.test("fronts stay small", wide_fronts())
    tap.test("fenced headers", climbers(source.files("src/*.[ch]", "tests/*.[ch]")))
    tap.end()


if __name__ == "__main__":
    os.chdir(source.ROOT)
    main()
