#!/usr/bin/env python3
"""hot_names.py: functions of live programs have their own names: threads, libraries that come and go, exec, generated code,
stripped and deleted programs, containers, the kernel; none has the name of another. TAP."""
import json
import os
import shutil
import subprocess
import tempfile

from serving import M1TOP, Tap, tasks_alone

SPIN = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static volatile unsigned long n;
/* a file that nobody else has is read while its process runs: longer than an interval */
#define LONG for (int times = 0; times < 40; times++)
#define STAY sleep(atoi(getenv("STAY")))
#define SPIN(name) __attribute__((noinline)) void name(void) { for (int i = 0; i < 30000000; i++) n += i; }
"""

PROGRAMS = {
    # two threads, each in its own function
    "threads": """SPIN(first_thread) SPIN(second_thread)
static void *run(void *f) { ((void (*)(void))f)(); return NULL; }
int main(void) { pthread_t t[2]; void *f[] = { first_thread, second_thread };
for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, run, f[i]);
for (int i = 0; i < 2; i++) pthread_join(t[i], NULL); }""",
    # two libraries one after the other, which have the same address
    "libraries": """int main(int n, char **v) { for (int i = 1; i < n; i++) { void *l = dlopen(v[i], RTLD_NOW);
((void (*)(void))dlsym(l, "work"))(); dlclose(l); } return 0; }""",
    "exec": """SPIN(before_exec) int main(int n, char **v) { LONG before_exec(); execv(v[1], v + 1); return 1; }""",
    "after": """SPIN(after_exec) int main(void) { after_exec(); }""",
    # generated code with a list of its symbols
    "jit": """int main(void) { static const unsigned char code[] = { 0xb9,0,0,0,0x10, 0xff,0xc9, 0x75,0xfc, 0xc3 };
char path[64]; void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
memcpy(at, code, sizeof(code)); snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
FILE *f = fopen(path, "w"); fprintf(f, "%lx %x jitted_loop\\n", (unsigned long)at, 64); fclose(f);
for (int i = 0; i < 3; i++) ((void (*)(void))at)(); STAY; unlink(path); }""",
    "stripped": """static __attribute__((noinline)) void hidden(void) { for (int i = 0; i < 60000000; i++) n += i; }
int main(void) { hidden(); }""",
    "deleted": """SPIN(deleted_function) int main(int c, char **v) { unlink(v[0]); LONG deleted_function(); STAY; }""",
    "outside": """SPIN(outside_function) int main(void) { outside_function(); }""",
    "inside": """SPIN(inside_function) int main(void) { LONG inside_function(); STAY; }""",
}


class Place:
    def __init__(self, folder):
        self.folder = folder
        for name, text in PROGRAMS.items():
            self.compile(name, text)
        for name in "one", "two":
            self.compile(f"lib{name}.so", f"SPIN({name}_library) void work(void) {{ {name}_library(); }}", "-shared", "-fPIC")

    def at(self, name):
        return os.path.join(self.folder, name)

    def compile(self, name, text, *options):
        subprocess.run(["gcc", "-O1", "-g", "-w", "-pthread", *options, "-x", "c", "-", "-o", self.at(name)],
                       input=SPIN + text, text=True, check=True)

    def functions(self, *command):
        """@return {function: samples} of the objects in this folder, and of the kernel"""
        with tasks_alone():
            done = subprocess.run([M1TOP, "stat", "--by", "function", "-e", "cpu-clock", "-j", "--", *command],
                                  capture_output=True, text=True, timeout=300, check=False)
        found = {}
        for line in done.stdout.splitlines():
            if line.startswith('{"function"'):
                row = json.loads(line)
                if row["kernel"] or row["object"].startswith((self.folder, "[perf-")):
                    found[row["function"]] = found.get(row["function"], 0) + row["samples"]
        return found if found else {"": done.stderr}

    def expect_in_time(self, names, *command):
        """Of a file that only the process has: it stays longer if this machine is too busy to read it."""
        for stay in 1, 5, 20, 60:
            os.environ["STAY"] = str(stay)
            faults = self.expect(names, *command)
            if not faults:
                break
        return faults

    def expect(self, names, *command):
        """@return faults: each of these functions has samples, and no other of these programs' has"""
        found = self.functions(*command)
        wrong = [f"{name} is missing: {found}" for name in names if not found.get(name)]
        other = [name for text in PROGRAMS.values() for name in text.split("SPIN(")[1:]]
        other = {name.split(")")[0] for name in other} | {"hidden", "one_library", "two_library", "jitted_loop"}
        return wrong + [f"{name} did not run: {found}" for name in other - set(names) if name in found]


def threads(place):
    """two threads, each in its own function"""
    return place.expect(["first_thread", "second_thread"], place.at("threads"))


def libraries(place):
    """libraries that take each other's place"""
    return place.expect(["one_library", "two_library"], place.at("libraries"), *(place.at(f"lib{i}.so") for i in ("one", "two")))


def executed(place):
    """before and after exec"""
    return place.expect(["before_exec", "after_exec"], place.at("exec"), place.at("after"))


def generated(place):
    """generated code, by /tmp/perf-PID.map"""
    return place.expect_in_time(["jitted_loop"], place.at("jit")) if os.uname().machine == "x86_64" else []


def stripped(place):
    """a stripped program has no names but in its separate debug file"""
    shutil.copy(place.at("stripped"), place.at("full"))
    subprocess.run(["strip", "-s", place.at("stripped")], check=True)
    faults = place.expect([], place.at("stripped"))
    subprocess.run(["objcopy", "--only-keep-debug", place.at("full"), place.at("stripped.debug")], check=True)
    subprocess.run(["objcopy", f"--add-gnu-debuglink={place.at('stripped.debug')}", place.at("stripped")], check=True)
    return faults + place.expect(["hidden"], place.at("stripped"))


def deleted(place):
    """a program that was deleted while it runs"""
    script = f"cp {place.at('deleted')} {place.at('copy')} && exec {place.at('copy')}"
    return place.expect_in_time(["deleted_function"], "sh", "-c", script)


def contained(place):
    """in another mount namespace: the file that is mapped, not the one of this path here"""
    script = f"mount --bind {place.at('inside')} {place.at('outside')} && exec {place.at('outside')}"
    return place.expect_in_time(["inside_function"], "unshare", "-Urm", "sh", "-c", script)


def kernel(place):
    """the kernel's functions, if it tells where they are"""
    with open("/proc/kallsyms", encoding="utf-8") as file:
        told = any(line.split()[0].strip("0") for _, line in zip(range(100), file))
    found = place.functions("dd", "if=/dev/zero", "of=/dev/null", "bs=1M", "count=20000")
    named = sum(n for name, n in found.items() if not name.startswith(("0x", "[")))
    return [f"{found}"] if told and named < sum(found.values()) / 2 else []


def storm(place):
    """short programs, 300 a second"""
    command = "for i in $(seq 600); do /bin/true; done; exec " + place.at("after")
    return place.expect(["after_exec"], "sh", "-c", command)


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="m1top-hot-") as folder:
        place = Place(folder)
        for test in (threads, libraries, executed, generated, stripped, deleted, contained, kernel, storm):
            tap.test(test.__doc__, test(place))
    tap.end()


if __name__ == "__main__":
    main()
