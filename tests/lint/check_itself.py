#!/usr/bin/env python3
"""check_itself.py: the project's own checks find what they are there to find"""
import check_calls
import check_circles
import check_headers
import check_includes
import check_reached
import check_tracked
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
    expect(tap, "an option that no test uses",
           on(".SH OPTIONS\n.TP\n\\fB\\-\\-on\\fR\nText.\n.TP\n\\fB\\-x\\fR, \\fB\\-\\-sep\\fR\nText.\n.SH KEYS\n", check_reached.options, "m1top --on -y"),
           ["m1top.1: option -x, --sep"])
    expect(tap, "an include upwards",
           on(CODE, check_includes.breaches, "src/pmu/event/x.c"),
           ['src/pmu/event/x.c:1: pmu/event/ must not know "tui/tui.h"'])
    expect(tap, "an include sideways",
           len(on(CODE, check_includes.breaches, "src/discover/run/x.c")), 1)
    expect(tap, "an include of the other screen", len(on(CODE, check_includes.breaches, "src/discover/sweep/x.c")), 1)
    expect(tap, "an include downwards", on(CODE, check_includes.breaches, "src/cmd/x.c"), [])
    expect(tap, "a private include in a front, and elsewhere",
           [on('#include "tui/term/key.h"\n', check_includes.breaches, name) for name in ("src/tui/x.h", "src/tui/x.c")],
           [['src/tui/x.h:1: a front must not include the private "tui/term/key.h"'], []])
    expect(tap, "a fenced header", len(on(CODE, check_includes.climbers, ["src/cmd/x.c"])), 1)
    expect(tap, "a fenced header at home", on(CODE, check_includes.climbers, ["src/tui/x.c"]), [])
    needs = check_circles.needs({"a": ({"f"}, {"g"}), "b": ({"g"}, {"h", "puts"}), "c": ({"h", "i"}, {"f"}),
                                 "d": ({"j"}, {"f", "j"})})
    expect(tap, "units that need each other, and one that needs them", check_circles.circles(needs),
           [["a", "b", "c"]])
    tree = {".ci/run": "", "Makefile": "cc -o tool tests/bench/tool.c", "README.md": "[Bench](docs/bench.md)", "docs/bench.md": "",
            "docs/begin.md": "docs/begin.md", "tests/bench/tool.c": "", "begin": "", "src/base/num.c": "begin",
            "tests/screens/run.sh": "", "tests/screens/heat.keys": "sizes warm", "tests/screens/heat.txt": "",
            "tests/screens/warm-80x24.txt": "", "tests/screens/cold-80x24.txt": ""}
    expect(tap, "files that nothing needs", [fault.split(":")[0] for fault in check_tracked.strays(sorted(tree), tree)],
           ["begin", "docs/begin.md", "tests/screens/cold-80x24.txt"])
    tree["README.md"] = "`src/base`, src/base/NAME.c, tests/screens/*.keys, src/base/nim.c."
    expect(tap, "a document that refers to no file", list(check_tracked.dangling(sorted(tree), tree)),
           ["README.md: there is no src/base/nim.c."])
    tap.end()


if __name__ == "__main__":
    main()
