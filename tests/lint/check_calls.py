#!/usr/bin/env python3
"""check_calls.py: calls that the project does without, each with its reason"""
import re

import source

# what, where it is allowed all the same, why not
BANNED = [
    (r"strcpy|strcat|sprintf|vsprintf|stpcpy", None, "writes past the end: use snprintf or struct text"),
    (r"strncpy|strncat", None, "may leave no NUL: use snprintf or struct text"),
    (r"gets|scanf|fscanf|vscanf", None, "input without a limit: read lines, then num_parse_*"),
    (r"strtok", None, "hidden state: use strchr, strcspn"),
    (r"atoi|atol|atoll|atof", None, "no errors: use num_parse_*"),
    (r"alloca", None, "stack without a limit"),
    (r"setlocale", r"src/main\.c|src/tui/.*|tests/.*", "LC_NUMERIC must stay C: only LC_CTYPE, once"),
    (r"to(lower|upper)|is(alpha|alnum|space|blank|upper|lower|print|graph|punct|cntrl)|str(n?casecmp|casestr|coll|xfrm)",
     r"tests/.*", "follows the locale, where i may be no small I: use ascii_*"),
    (r"exit|abort|quick_exit|err|errx|warn|warnx|perror", r"src/main\.c|tests/.*",
     "modules neither end the program nor print: return -errno, text into struct err"),
    (r"_exit|_Exit", r"src/main\.c|tests/.*|src/cmd/.*|src/tui/.*|src/discover/run/programs\.c|src/symbols/reader/(reader|worker)\.c",
     "only for a forked child or a fatal signal"),
    (r"printf|vprintf|puts|putchar", r"src/main\.c|src/cmd/.*|tests/.*", "modules do not print"),
    (r"system|popen", r"tests/.*", "a shell run as root: use posix_spawn"),
    (r"tmpnam|tempnam|mktemp", None, "a race: use mkstemp"),
    (r"signal", r"src/tui/.*|tests/.*", "sigaction says what happens to system calls"),
    (r"usleep|sleep", r"tests/.*", "drifts: sleep to an absolute deadline with clock_nanosleep"),
    (r"asctime|ctime|gmtime|localtime", None, "hidden state: use the _r forms"),
    (r"rand|srand|random", r"tests/.*", "not the same everywhere: simulations carry their own generator"),
]

FOLDS = re.compile(r"\b(?:FNM_CASEFOLD|REG_ICASE)\b")
STREAMS = re.compile(r"\b(?:stdout|stderr)\b")


def calls(name, pattern):
    code = source.bare(source.read(name))
    for match in re.finditer(rf"(?<![\w.>])(?:{pattern})[ \t]*\(", code):
        line = code[code.rfind("\n", 0, match.start()) + 1:code.find("\n", match.start())]
        if not re.match(r"[ \t]*(static|extern)\b", line) and not re.match(r"\w[\w \t*]*[ *]\w+\(", line):
            yield source.line_of(code, match.start())


def main():
    tap = source.Tap()
    names = source.files("src/*.[ch]", "tests/*.[ch]")
    for pattern, allowed, why in BANNED:
        tap.test(pattern.replace("|", ", "), (
            f"{name}:{line}: {why}" for name in names
            if not (allowed and re.fullmatch(allowed, name))
            for line in calls(name, pattern)))
    tap.test("fnmatch and regcomp that ignore case", (
        f"{name}: follows the locale: use ascii_caseglob" for name in source.files("src/*.[ch]")
        if name != "src/base/ascii.c" and FOLDS.search(source.bare(source.read(name)))))
    tap.test("stdout and stderr only in main.c and cmd/", (
        f"{name}: modules do not print" for name in source.files("src/*.[ch]")
        if not name.startswith(("src/cmd/", "src/main.c", "src/tui/term/terminal.c"))
        and STREAMS.search(source.bare(source.read(name)))))
    tap.end()


if __name__ == "__main__":
    main()
