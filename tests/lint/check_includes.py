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
    ["cmd/discover", "cmd/doctor", "cmd/list", "cmd/stat"],
    ["cmd/config"],
    ["cmd/shared"],
    ["cmd/options"],
    ["discover/sweep"],
    ["discover/findings"],
    ["discover/custom", "discover/ids"],
    ["discover/run"],
    ["discover/estimate"],
    ["discover/kernel"],
    ["tui"],
    ["tui/settings"],
    ["tui/view"],
    ["tui/overlay"],
    ["tui/time"],
    ["tui/counting"],
    ["tui/screen"],
    ["tui/tasks"],
    ["tui/model"],
    ["tui/widget"],
    ["tui/term"],
    ["session/report", "session/serve"],
    ["session/access"],
    ["session/write"],
    ["session/read"],
    ["session/format"],
    ["session/compress"],
    ["sampler"],
    ["backend/apple", "backend/perf", "backend/sim"],
    ["backend"],
    ["metrics/planner"],
    ["metrics"],
    ["metrics/expr"],
    ["event"],
    ["activity"],
    ["machine"],
    ["catalog"],
    ["base"],
]

# Whole trees that never include each other, whatever the line.
APART = [{"tui", "discover"}]

# A header, and the only files that may include it: everything else goes through their interface.
FENCES = [
    (r"linux/perf_event\.h", r"src/backend/perf/.*|src/backend/kmod/compat\.h|tests/.*"),
    (r"cjson/.*", r"src/catalog/.*\.c|src/cmd/config/file\.c|src/discover/findings/fields\.[ch]|src/discover/findings/head\.c|tests/.*"),
    (r"microhttpd\.h", r"src/session/serve/http\.c"),
    (r"yaml\.h", r"src/session/access/web_config\.c"),
    (r"crypt\.h", r"src/session/access/(auth|bcrypt)\.c"),
    (r"gnutls/.*", r"src/session/access/(credentials|tls_key)\.c|tests/unit/session/access/.*"),
    (r"zstd\.h", r"src/session/compress/zstd\.c"),
    (r"n?curses\w*\.h|term\.h|ncursesw?/.*", r"src/tui/.*"),
    # a view does not know another
    (r"tui/view/metrics_view\.h", r"src/tui/(view/metric.*|settings/settings\.c|tui\.c)"),
    (r"tui/view/tasks_view\.h", r"src/tui/(view/tasks.*|[^/]*\.c)"),
    (r"tui/view/events_view\.h", r"src/tui/(view/event.*|tui\.c)"),
    (r"tui/view/heat\.h", r"src/tui/(view/heat\.c|tui\.c)"),
    (r"tui/view/cores_fit\.h", r"src/tui/(view/(cores|tasks).*|[^/]*\.c)"),
    (r"(.*/)?m1pmu_abi\.h", r"src/backend/(apple|kmod)/.*|src/activity/amu\.c|tests/.*"),
]


def home(folder):
    """The listed folder that a folder is or belongs to, and its level; (None, None): unknown."""
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
    part, level = home(os.path.dirname(name)[len("src/"):])
    for line, header, own in includes(name):
        other, below = home(os.path.dirname(header))
        if not own or other == part or header.startswith("backend/kmod/"):
            continue
        if other is None:
            yield f'{name}:{line}: "{header}" is in no known folder'
        elif below <= level or {part.split("/")[0], other.split("/")[0]} in APART:
            yield f'{name}:{line}: {part}/ must not know "{header}"'


def climbers(names):
    for fence, allowed in FENCES:
        for name in names:
            for line, header, _ in includes(name):
                if re.fullmatch(fence, header) and not re.fullmatch(allowed, name):
                    yield f"{name}:{line}: <{header}> belongs to {allowed} alone"


def main():
    tap = source.Tap()
    names = [name for name in source.files("src/*/*.c", "src/*/*.h") if not name.startswith("src/backend/kmod/")]
    for folder in sorted({os.path.dirname(name) for name in names}):
        inside = [name for name in names if os.path.dirname(name) == folder]
        tap.test(f"{folder} includes downwards only", (fault for name in inside for fault in breaches(name)))
    tap.test("fenced headers", climbers(source.files("src/*.[ch]", "tests/*.[ch]")))
    tap.end()


if __name__ == "__main__":
    os.chdir(source.ROOT)
    main()
