#!/usr/bin/env python3
"""many_cpus.py: start and doctor on a machine with 1024 CPUs, which is laid out over /sys/devices/system. TAP."""
import os
import re
import subprocess
import sys
import tempfile

from serving import M1TOP, Tap, may_count_all

N_CPUS, N_NODES, N_SOCKETS = 1024, 4, 2
SYSTEM = "/sys/devices/system"
ENTER = ["unshare", *([] if os.geteuid() == 0 else ["-Ur"]), "-m", "--propagation", "private", "sh", "-c",
         f'mount --bind "$0" {SYSTEM} && exec "$@"']


def put(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="ascii") as file:
        file.write(f"{text}\n")


def numbers(first, n):
    return f"{first}-{first + n - 1}"


def lay_out(folder):
    """Two sockets of two nodes; the threads of a core are CPU n and n + 512; eight cores share a last-level cache."""
    half, in_node = N_CPUS // 2, N_CPUS // 2 // N_NODES
    for name in ("online", "present", "possible"):
        put(f"{folder}/cpu/{name}", numbers(0, N_CPUS))
    for node in range(N_NODES):
        first = node * in_node
        put(f"{folder}/node/node{node}/cpulist", f"{numbers(first, in_node)},{numbers(first + half, in_node)}")
    for cpu in range(N_CPUS):
        core = cpu % half
        siblings, cluster = f"{core},{core + half}", core // 8 * 8
        its = f"{folder}/cpu/cpu{cpu}"
        put(f"{its}/topology/physical_package_id", core // (half // N_SOCKETS))
        put(f"{its}/topology/core_id", core)
        put(f"{its}/topology/core_cpus_list", siblings)
        put(f"{its}/cache/index0/level", 1)
        put(f"{its}/cache/index1/level", 3)
        put(f"{its}/cache/index1/id", core // 8)
        put(f"{its}/cache/index1/shared_cpu_list", f"{numbers(cluster, 8)},{numbers(cluster + half, 8)}")


def told_by_doctor(m1top):
    """doctor tells how many CPUs there are, and which"""
    done = m1top("doctor")
    return [f"no {line}: {done}" for line in (f"{N_CPUS} cores in {N_SOCKETS} clusters,",
                                               f"cores of type cpu: cpu 0-{N_CPUS - 1},",
                                               f"software: software, type 1, cpu 0-{N_CPUS - 1}")
            if line not in done.stdout]


def started(m1top):
    """a start has each CPU at its place, counts those that are there, and says of all others that it cannot"""
    half = N_CPUS // 2
    in_socket = half // N_SOCKETS
    done = m1top("stat", "-n", "1", "-I", "500", "-e", "cpu-clock", "--format", "csv")
    lines = done.stdout.splitlines()
    places = [re.sub(" midr=[^ ]*", "", line) for line in lines if line.startswith("# cpu ")]
    wanted = [f"# cpu {cpu} type=cpu cluster={core // in_socket} llc={core // 8} node={core // (half // N_NODES)}"
              + (f" socket={core // in_socket}" if core >= in_socket else "") + (f" thread0={core}" if cpu >= half else "")
              for cpu in range(N_CPUS) for core in [cpu % half]]
    rows = [line.split(",") for line in lines if re.match(r"\d", line)]
    counted = [row[2] for row in rows if row[11] == "ok"]
    there = [str(cpu) for cpu in sorted(os.sched_getaffinity(0))]
    return [fault for fault, is_right in [
        (f"places: {[pair for pair in zip(places, wanted) if pair[0] != pair[1]][:5]}", places == wanted),
        (f"rows: {len(rows)}: {done.stderr}", [row[2] for row in rows] == [str(cpu) for cpu in range(N_CPUS)]),
        (f"counted: {counted}", set(there) <= set(counted) and len(counted) <= os.cpu_count()),
        (f"others: {rows[-1]}", all(row[11] in ("ok", "not_supported") for row in rows))] if not is_right]


def levels(m1top):
    """rows of sockets, nodes, caches and physical cores"""
    half, faults = N_CPUS // 2, []
    for level, names in {"socket": [f"socket {n}" for n in range(N_SOCKETS)],
                         "node": [f"node {n}" for n in range(N_NODES)],
                         "llc": [f"llc {n}" for n in range(half // 8)],
                         "physical-core": [f"cpu{n},{n + half}" for n in range(half)]}.items():
        done = m1top("stat", "-n", "1", "-I", "200", "-e", "cpu-clock", "--by", level)
        if re.findall(r"^ +[\d.]+ ((?:socket |node |llc |cpu)[\d,]+) ", done.stdout, re.MULTILINE) != names:
            faults.append(f"{level}: {done}")
    return faults


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        lay_out(folder)

        def m1top(*words):
            return subprocess.run([*ENTER, folder, M1TOP, *words], capture_output=True, text=True, check=False)

        if os.uname().machine != "x86_64" or subprocess.run([*ENTER, folder, "true"], capture_output=True, check=False).returncode:
            print("1..0 # SKIP these files are of x86, or no mount namespace can be made here")
            return
        tap.test(told_by_doctor.__doc__, told_by_doctor(m1top))
        for step in (started, levels):
            if may_count_all():
                tap.test(step.__doc__, step(m1top))
            else:
                tap.skip(step.__doc__, "no CPU may be counted here")
    tap.end()


sys.exit(main())
