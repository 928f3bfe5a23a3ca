#!/usr/bin/env python3
"""hot_names.py: functions of live programs have their own names: threads, libraries that come and go, exec, generated code,
stripped and deleted programs, containers, the kernel; none has the name of another. TAP."""
import json
import os
import shutil
import subprocess
import tempfile

from serving import M1TOP, Tap, may_count_all, tasks_alone

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
    # generated code in shared memory, in a jitdump that is complete when the process ends
    "dump": """int main(int n, char **v) { static const unsigned char code[] = { 0xb9,0,0,0,0x10, 0xff,0xc9, 0x75,0xfc, 0xc3 };
static const char name[] = "dumped_loop"; char path[256];
void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED | MAP_ANONYMOUS, -1, 0); memcpy(at, code, sizeof(code));
snprintf(path, sizeof(path), "%s/jit-%d.dump", v[1], getpid()); FILE *f = fopen(path, "w+");
unsigned head[10] = { 0x4a695444, 1, 40, 62, 0, getpid() }; fwrite(head, 40, 1, f); fflush(f);
mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(f), 0);
unsigned record[6] = { 0, 16 + 40 + sizeof(name) + sizeof(code), 0, 0, getpid(), getpid() };
unsigned long load[4] = { (unsigned long)at, (unsigned long)at, sizeof(code), 0 };
fwrite(record, 24, 1, f); fwrite(load, 32, 1, f); fwrite(name, sizeof(name), 1, f); fwrite(code, sizeof(code), 1, f);
for (int i = 0; i < 3; i++) ((void (*)(void))at)(); STAY; fclose(f); }""",
    # its address is used for other code; the list gets the last name when the process ends, and stays
    "again": """static void list(const char *name, void *at) { char path[64]; snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
FILE *f = fopen(path, "a"); fprintf(f, "%lx %x %s\\n", (unsigned long)at, 64, name); fclose(f); }
int main(int n, char **v) { static const unsigned char code[] = { 0xb9,0,0,0,0x10, 0xff,0xc9, 0x75,0xfc, 0xc3 };
FILE *f = fopen(v[1], "a"); fprintf(f, "/tmp/perf-%d.map\\n", getpid()); fclose(f);
char *at = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
memcpy(at, code, sizeof(code)); memcpy(at + 4096, code, sizeof(code));
list("jitted_first", at); for (int i = 10 * atoi(getenv("STAY")); i; i--) ((void (*)(void))at)();
list("jitted_second", at); for (int i = 10 * atoi(getenv("STAY")); i; i--) ((void (*)(void))at)();
((void (*)(void))(at + 4096))(); list("jitted_last", at + 4096); }""",
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
                if row["kernel"] or (row["object"] or "").startswith((self.folder, "[perf-", "[jit-")):
                    found[row["function"]] = found.get(row["function"], 0) + row["samples"]
        return found or {done.stderr: 0}

    def expect(self, names, *command):
        """Names that only the process has are there for longer if this machine was too busy to read them.
        @return faults: each of these functions has samples, and no other of these programs' has"""
        for stay in 1, 5, 20, 60:
            os.environ["STAY"] = str(stay)
            found = self.functions(*command)
            faults = self.wrong(found, names) + [f"{name} is missing: {found}" for name in names if not found.get(name)]
            if self.wrong(found, names) or not faults:
                break
        return faults

    @staticmethod
    def wrong(found, names):
        """@return which functions of these programs have samples that did not run"""
        other = [name for text in PROGRAMS.values() for name in text.split("SPIN(")[1:]]
        other = {name.split(")")[0] for name in other} | {"hidden", "one_library", "two_library", "jitted_loop", "dumped_loop"}
        return [f"{name} did not run: {found}" for name in other - set(names) if name in found]


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
    return place.expect(["jitted_loop"], place.at("jit")) if os.uname().machine == "x86_64" else []


def dumped(place):
    """generated code, by jit-PID.dump"""
    return place.expect(["dumped_loop"], place.at("dump"), place.folder) if os.uname().machine == "x86_64" else []


def generated_again(place):
    """generated code at an address that was used before, and a list that is complete at the end"""
    names = ["jitted_first", "jitted_second", "jitted_last"]
    if os.uname().machine != "x86_64":
        return []
    faults = place.expect(names, place.at("again"), place.at("map"))
    with open(place.at("map"), encoding="utf-8") as file:
        for path in file.read().split():
            os.unlink(path)
    return faults


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
    return place.expect(["deleted_function"], "sh", "-c", script)


def contained(place):
    """in another mount namespace: the file that is mapped, not the one of this path here"""
    apart = ["unshare", "-Urm"]
    refused = subprocess.run([*apart, "true"], capture_output=True, text=True, check=False)
    if refused.returncode:
        return refused.stderr.strip()
    script = f"mount --bind {place.at('inside')} {place.at('outside')} && exec {place.at('outside')}"
    return place.expect(["inside_function"], *apart, "sh", "-c", script)


def kernel(place):
    """the kernel's functions, if it tells where they are"""
    with open("/proc/kallsyms", encoding="utf-8") as file:
        told = any(line.split()[0].strip("0") for _, line in zip(range(100), file))
    found = place.functions("dd", "if=/dev/zero", "of=/dev/null", "bs=1M", "count=20000")
    named = sum(n for name, n in found.items() if not name.startswith(("0x", "[")))
    return [f"{found}"] if told and named <= sum(found.values()) / 2 else []


def hidden(place):
    """a kernel that hides its addresses: the reason, and the line that mends it"""
    with open("/proc/kallsyms", encoding="utf-8") as file, open(place.at("kallsyms"), "w", encoding="utf-8") as copy:
        copy.writelines("0" * 16 + line[line.index(" "):] for line in file)
    with open(place.at("level"), "w", encoding="utf-8") as file:
        file.write("2\n")
    script = f"""mount --bind {place.at('kallsyms')} /proc/kallsyms && mount --bind {place.at('level')} /proc/sys/kernel/kptr_restrict || exit 77
dd="dd if=/dev/zero of=/dev/null bs=1M count=5000 status=none"
{M1TOP} stat --by function -e cpu-clock -- $dd
# frames have the names that are read by then, which takes a stalled machine long
{M1TOP} stat --by function -e cpu-clock -o {place.at('s.csv')} -- sh -c \
	"for i in \$(seq 20); do $dd; ! grep -q hidden {place.at('s.csv')} || exit; done"
{M1TOP} report {place.at('s.csv')}; {M1TOP} doctor; :"""
    with tasks_alone():
        done = subprocess.run(["unshare", "-m", "sh", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=300, check=False)
    times = done.stdout.count("k [hidden by kptr_restrict]"), done.stdout.count("kptr_restrict is 2; as root: sysctl kernel.kptr_")
    return [] if done.returncode or (times[0] >= 2 and times[1] >= 3) else [f"{times}: {done.stdout}"]


def storm(place):
    """short programs, 300 a second"""
    command = "for i in $(seq 600); do /bin/true; done; exec " + place.at("after")
    return place.expect(["after_exec"], "sh", "-c", command)


def memory(place):
    """too little memory: an error, never a crash"""
    command = [M1TOP, "stat", "--by", "function", "-e", "cpu-clock", "--", "sh", "-c", "for i in $(seq 200); do /bin/true; done"]
    limits = [] if os.environ.get("SAN") else range(55 << 20, 111 << 20, 11 << 20)
    done = {limit: subprocess.run(["prlimit", f"--as={limit}", *command], cwd=place.folder, capture_output=True, timeout=100,
                                  check=False).returncode for limit in limits}
    return [f"{done}"] if any(rc not in (0, 1) for rc in done.values()) else []


def main():
    if not may_count_all():
        print("1..0 # SKIP whole CPUs may not be counted here")
        return
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="m1top-hot-") as folder:
        place = Place(folder)
        for test in (threads, libraries, executed, generated, dumped, generated_again, stripped, deleted, contained, kernel, hidden, storm, memory):
            faults = test(place)
            if isinstance(faults, str):
                tap.skip(test.__doc__, faults)
            else:
                tap.test(test.__doc__, faults)
    tap.end()


if __name__ == "__main__":
    main()
