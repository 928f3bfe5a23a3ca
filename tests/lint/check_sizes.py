#!/usr/bin/env python3
"""check_sizes.py: functions, files and folders stay small"""
import collections

import source

MEDIAN_MAX, P95_MAX, FUNCTION_MAX, FILE_MAX, FOLDER_MAX = 12, 55, 100, 1000, 30


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else 0


def main():
    tap = source.Tap()
    names = source.files("src/*.[ch]")
    found = [(lines, name, first, function) for name in names
             for function, first, lines in source.functions(source.read(name))]
    lengths = [lines for lines, *_ in found]
    for folder in sorted({name.rsplit("/", 1)[0] for _, name, *_ in found}):
        part = [lines for lines, name, *_ in found if name.rsplit("/", 1)[0] == folder]
        print(f"# {folder}: {len(part)} functions, median {percentile(part, .5)}, "
              f"95th percentile {percentile(part, .95)}")
    median, p95 = percentile(lengths, .5), percentile(lengths, .95)
    print(f"# {len(lengths)} functions, lines from signature to closing brace: "
          f"median {median}, 95th percentile {p95}, longest {max(lengths, default=0)}")
    tap.test(f"median of function lines {median} <= {MEDIAN_MAX}",
             [f"is {median}"] if median > MEDIAN_MAX else [])
    tap.test(f"95th percentile of function lines {p95} <= {P95_MAX}",
             [f"is {p95}"] if p95 > P95_MAX else [])
    tap.test(f"no function above {FUNCTION_MAX} lines", (
        f"{name}:{first}: {function} has {lines}" for lines, name, first, function in found
        if lines > FUNCTION_MAX))
    files = [(source.read(name).count("\n"), name) for name in source.files("src/*.[ch]", "tests/*.[ch]")]
    tap.test(f"no file above {FILE_MAX} lines", (f"{name} has {lines}" for lines, name in files
                                                 if lines > FILE_MAX))
    folders = collections.Counter(name.rsplit("/", 1)[0] for name in source.files("src/*"))
    tap.test(f"no folder of src above {FOLDER_MAX} files", (
        f"{folder} has {n}" for folder, n in folders.items() if n > FOLDER_MAX))
    for lines, name, first, function in sorted(found, reverse=True)[:5]:
        print(f"# {lines:4} {function} {name}:{first}")
    tap.end()


if __name__ == "__main__":
    main()
