#!/usr/bin/env python3
"""check_headers.py: every header says what it is, and every public prototype what to know"""
import re

import source

# A prototype, or an extern table, at the beginning of a line, up to its semicolon.
PUBLIC = re.compile(r"^(?!typedef|static|struct \w+;|#|\s|enum\b|struct \w+ \{)[A-Za-z_][^;{}]*?(?:\)|\])"
                    r"[^;{}()]*(?:\([^;{}]*\))?[^;{}]*;", re.MULTILINE)


def undocumented(name):
    """Prototypes not behind a doc comment; a blank line ends what a comment speaks of."""
    text = source.read(name)
    code = source.bare(text)
    for match in PUBLIC.finditer(code):
        before = text[:match.start()].split("\n\n")[-1]
        if "/**" not in before:
            yield f"{name}:{source.line_of(code, match.start())}: undocumented: {match[0].split(chr(10))[0]}"


def first_lines(names):
    for name in names:
        first = source.read(name).split("\n", 1)[0]
        base = name.rsplit("/", 1)[1]
        if not re.match(rf"/\* {re.escape(base)}: .*\S", first):
            yield f"{name}:1: first line is not /* {base}: what the module is */"


def twice(names):
    """Each backend has a struct group and a struct tasks, which are opaque to all others."""
    homes = {}
    for name in names:
        for tag in re.findall(r"^((?:struct|enum|union) \w+) \{", source.read(name), re.MULTILINE):
            homes.setdefault(tag, []).append(name)
    return [f"{tag}: {', '.join(homes[tag])}" for tag in sorted(homes)
            if len(homes[tag]) > 1 and tag not in ("struct group", "struct tasks")]


def main():
    tap = source.Tap()
    tap.test("no struct or enum name stands for two things",
             twice([name for name in source.files("src/*.[ch]")]))
    headers = source.files("src/*.h", "tests/unit/rig/*.h")
    tap.test("the first line says what it is", first_lines(headers))
    for name in headers:
        tap.test(f"{name} is documented", undocumented(name))
    tap.end()


if __name__ == "__main__":
    main()
