#!/usr/bin/env python3
"""keep_metrics.py: copy events/ to a folder with only some metrics, so that a golden screen does not change with each new one

FOLDER [METRIC…]: without names those of `overview`, which preset overview counts on a simulated M1.
"""
import glob
import json
import os
import shutil
import sys

OVERVIEW = """IPC CPI branch_mpki branch_miss_ratio l1d_mpki l2_tlb_data_mpki stall_share bubble_share rewind_share uops_per_inst
uops_per_cycle branch_share bubble_per_mispredict rewind_per_mispredict Frequency Utilisation frontend_bound backend_bound
bad_speculation retire_share retiring""".split()


def main(folder, *names):
    names = names or OVERVIEW
    shutil.copytree("events", folder)
    for path in glob.glob(f"{folder}/**/*.json", recursive=True):
        with open(path, encoding="utf-8") as file:
            rows = json.load(file)
        kept = [row for row in rows if row.get("MetricName", names[0]) in names]
        if len(kept) < len(rows):
            with open(path, "w", encoding="utf-8") as file:
                json.dump(kept, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
