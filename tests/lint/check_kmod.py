#!/usr/bin/env python3
"""check_kmod.py: the kernel module knows the same legal counters as the event lists"""
import glob
import json
import os
import re

import source

TABLE = re.compile(r"masks_(m\d)\[\] = \{(.*?)\};", re.DOTALL)
ROW = re.compile(r"\{ (0x[0-9a-f]+), (0x[0-9a-f]+) \}")


def bits(counters):
    """"0,2-9" -> 0x3fd"""
    mask = 0
    for part in counters.split(","):
        first, _, last = part.partition("-")
        for n in range(int(first), int(last or first) + 1):
            mask |= 1 << n
    return mask


def listed(family):
    """Masks by id, of every file of the family's folder."""
    masks = {}
    for name in glob.glob(os.path.join(source.ROOT, "events/arm64/apple", family, "*.json")):
        for row in json.loads(source.read(name)):
            if "EventCode" in row:
                event = int(row["EventCode"], 16)
                masks[event] = masks.get(event, 0) | bits(row["Counter"])
    return masks


def faults(family, rows):
    table = [(int(event, 16), int(mask, 16)) for event, mask in ROW.findall(rows)]
    if table != sorted(set(table)):
        yield f"masks_{family} is not in order of ids"
    known, wanted = dict(table), listed(family)
    for event in sorted(known.keys() | wanted.keys()):
        if known.get(event) != wanted.get(event):
            yield (f"masks_{family}: event {event:#04x}: {known.get(event, 0):#05x} in masks.h, "
                   f"{wanted.get(event, 0):#05x} in events/arm64/apple/{family}")


def main():
    tap = source.Tap()
    for family, rows in TABLE.findall(source.read("kmod/masks.h")):
        tap.test(f"masks of {family}", faults(family, rows))
    tap.end()


if __name__ == "__main__":
    main()
