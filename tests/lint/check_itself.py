#!/usr/bin/env python3
"""check_itself.py: the project's own checks find what they are there to find"""
import check_calls
import check_headers
import check_includes
import source

HEADER = """/* x.h: an example */
/** Told. */
int told(int a);

int untold(int a,
\t   int b);

/** One comment may speak of several. */
int first(void);
int second(void);

extern const int table[];
"""

CODE = """#include "tui/tui.h"
// #include "cmd/setup.h"
#include <curses.h>
static int short_one(void)
{
\treturn 0; /* strcpy(a, b) */
}

int long_one(struct x *(*f)(void),
\t     int b)
{
\tputs("}\\n{");
\tif (b) {
\t\texit(1);
\t}
\tsink->exit(1);
\treturn b;
}
"""


def on(text, check, *arguments):
    """What a check says of a file with this text."""
    source.read = lambda name: text
    return list(check(*arguments))


def expect(tap, name, got, wanted):
    tap.test(name, [] if got == wanted else [f"got {got}, wanted {wanted}"])


def main():
    tap = source.Tap()
    expect(tap, "functions and their lengths", list(source.functions(CODE)),
           [("short_one", 4, 4), ("long_one", 9, 10)])
    expect(tap, "a call in code, not in a comment, string or member",
           [on(CODE, check_calls.calls, "x.c", name) for name in ("strcpy", "exit", "puts")],
           [[], [14], [12]])
    expect(tap, "an undocumented prototype and table",
           [fault.split(": ")[0] for fault in on(HEADER, check_headers.undocumented, "x.h")],
           ["x.h:5", "x.h:12"])
    expect(tap, "a header without its first line",
           len(on("int x;\n", check_headers.first_lines, ["src/x.h"])), 1)
    expect(tap, "an include upwards",
           on(CODE, check_includes.breaches, "pmu", ["src/pmu/x.c"]),
           ['src/pmu/x.c:1: pmu/ must not know "tui/tui.h"'])
    expect(tap, "an include sideways",
           len(on(CODE, check_includes.breaches, "session", ["src/session/x.c"])), 1)
    expect(tap, "an include downwards", on(CODE, check_includes.breaches, "cmd", ["src/cmd/x.c"]), [])
    expect(tap, "a fenced header", len(on(CODE, check_includes.climbers, ["src/cmd/x.c"])), 1)
    expect(tap, "a fenced header at home", on(CODE, check_includes.climbers, ["src/tui/x.c"]), [])
    tap.end()


if __name__ == "__main__":
    main()
