#!/usr/bin/env python3
"""check_includes.py: parts include downwards only, and fenced headers stay behind their fence"""
import os
import re

import source

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)

# A part may include itself and what stands to the right of a ">" behind it.
LAYERS = [["cmd"], ["tui", "session", "discover"], ["sampler"], ["metrics"], ["pmu"], ["base"]]

# A header, and the only files that may include it: everything else goes through their interface.
FENCES = [
    (r"linux/perf_event\.h", r"src/pmu/backend_perf\w*\.[ch]|tests/.*"),
    (r"cjson/.*", r"src/pmu/catalog\w*\.c|src/cmd/config_file\.c|src/discover/findings_(read|node)\.[ch]|tests/.*"),
    (r"microhttpd\.h", r"src/session/http\.c"),
    (r"yaml\.h", r"src/session/web_config\.c"),
    (r"crypt\.h", r"src/session/auth\.c"),
    (r"zstd\.h", r"src/session/(lines|sink)\.c|tests/.*"),
    (r"n?curses\w*\.h|term\.h|ncursesw?/.*", r"src/tui/.*"),
    (r"(.*/)?m1pmu_abi\.h", r"src/pmu/(backend_apple\w*\.[ch]|amu\.c)|src/pmu/kmod/.*|tests/.*"),
]


def layer(part):
    return next((i for i, parts in enumerate(LAYERS) if part in parts), None)


def includes(name):
    """Yield (line, header, is it the project's own)."""
    text = source.read(name)
    code = source.bare(text, strings=True)
    for match in INCLUDE.finditer(code):
        yield source.line_of(code, match.start()), match[2], match[1] == '"'


def may_include(part, other):
    return part == other or layer(part) < layer(other)


def breaches(part, names):
    for name in names:
        for line, header, own in includes(name):
            other = header.split("/")[0] if "/" in header else part
            if not own or name.startswith("src/pmu/kmod/"):
                continue
            if layer(other) is None:
                yield f'{name}:{line}: "{header}" is in no known part'
            elif not may_include(part, other):
                yield f'{name}:{line}: {part}/ must not know "{header}"'


def climbers(names):
    for fence, allowed in FENCES:
        for name in names:
            for line, header, _ in includes(name):
                if re.fullmatch(fence, header) and not re.fullmatch(allowed, name):
                    yield f"{name}:{line}: <{header}> belongs to {allowed} alone"


def by_part(names):
    parts = {}
    for name in names:
        place = name.split("/")
        if len(place) > 2:
            parts.setdefault(place[1], []).append(name)
    return parts


def main():
    tap = source.Tap()
    for part, names in sorted(by_part(source.files("src/*.c", "src/*.h")).items()):
        if layer(part) is None:
            tap.test(f"{part} is a known part", [f"src/{part}/: add it to LAYERS in {__file__}"])
        else:
            tap.test(f"{part} includes downwards only", breaches(part, names))
    tap.test("fenced headers", climbers(source.files("src/*.[ch]", "tests/*.[ch]")))
    tap.end()


if __name__ == "__main__":
    os.chdir(source.ROOT)
    main()
