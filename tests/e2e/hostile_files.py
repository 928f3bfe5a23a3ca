#!/usr/bin/env python3
"""hostile_files.py: files whose headers promise more than they hold: m1top's memory stays bounded, other programs have their
names, what is not read is named, keys that quit end it. TAP.

Each file is small on disk and has one page of code, which `spin` runs. `page` writes a file of sections; a row of FILES is one
kind of promise. Nothing here asserts how long something took: waits end after minutes, and every process is killed at the end.
"""
import contextlib
import ctypes
import functools
import glob
import json
import lzma
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib

from serving import M1TOP, Tap, may_count_all, tasks_alone

BASE, TEXT, END = 0x401000, 0x1000, 0x2000
GROWTH_MAX = 300 << 20  # bytes, of all processes of m1top together
# mov $0x80000, %ecx; dec %ecx; jnz; ret
CODE = bytes.fromhex("b900000800ffc975fcc3")
SPIN = r"""
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
__attribute__((noinline)) void known_function(void) { for (volatile int i = 0; i < 300000; i++) ; }
int main(int n, char **v) {
	int fd = n > 1 && v[1][0] ? open(v[1], O_RDONLY) : -1;
	char *page = NULL;
	if (n > 1 && fd >= 0) page = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 4096);
	if (n > 2) { /* generated code, with the list of its symbols in a format */
		page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		memcpy(page, "\xb9\0\0\x08\0\xff\xc9\x75\xfc\xc3", 10);
		printf("%d %lx\n", getpid(), (unsigned long)page); fflush(stdout);
	}
	if (page == MAP_FAILED) return 1;
	for (;;) { if (page) ((void (*)(void))page)(); else known_function(); usleep(40000); }
}
"""


def header(n, table, count=None, names=None, entry=64, phoff=64, phnum=1, kind=b"\2\1\1"):
    return b"\x7fELF" + kind + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, BASE, phoff, table, 0, 64, 56, phnum, entry,
                                                     n if count is None else count, n - 1 if names is None else names)


def segment(**other):
    row = {"type": 1, "flags": 5, "offset": TEXT, "address": BASE, "paddr": BASE, "filesz": 4096, "memsz": 4096, "align": 4096}
    return struct.pack("<IIQQQQQQ", *(row | other).values())


def symbol(name, value=BASE, size=16, info=0x12, index=1):
    return struct.pack("<IBBHQQ", name, info, 0, index, value, size)


def page(path, *sections, size=None, at=None, phdr=None, **head):
    """Write an ELF file; a section is name, type, contents or (offset, size), link, entry size, flags; the first is .text."""
    body = bytearray(END)
    body[TEXT:TEXT + len(CODE)] = CODE
    rows, names = [(0,) * 10], b"\0"
    for name, kind, data, link, entry, flags in [(".text", 1, (TEXT, 4096), 0, 0, 6), *sections, (".shstrtab", 3, None, 0, 0, 0)]:
        label = len(names)
        names += name.encode() + b"\0"
        data = names if data is None else data
        place = data if isinstance(data, tuple) else (len(body), len(data))
        body += b"" if isinstance(data, tuple) else data + bytes(-len(data) % 16)
        rows.append((label, kind, flags, BASE if flags & 2 else 0, *place, link, 0, 1, entry))
    table = len(body)
    body += b"".join(struct.pack("<IIQQQQIIQQ", *row) for row in rows)
    first = header(len(rows), table, **head)
    body[:64] = first
    body[64:120] = phdr or segment()
    with open(path, "wb") as file:
        file.write(body)
        file.truncate(max(size or 0, len(body)))
        if at:
            file.seek(at[0])
            file.write(at[1])


def table_of(symbols, strings, *more):
    """Sections of a table of symbols and its strings."""
    return lambda path: page(path, (".strtab", 3, strings, 0, 0, 0), (".symtab", 2, bytes(24) + symbols, 2, 24, 0), *more)


def one(name, kind, data, link=0, entry=0, flags=0):
    return lambda path: page(path, (name, kind, data, link, entry, flags))


def packed(data, **how):
    return one(".gnu_debugdata", 1, lzma.compress(data, **how))


@functools.lru_cache
def zeros(n, claimed=None):
    """A compressed section."""
    packer, block = zlib.compressobj(1), bytes(1 << 20)
    parts = [packer.compress(block) for _ in range(n >> 20)] + [packer.flush()]
    return struct.pack("<IIQQ", 1, 0, claimed or n, 1) + b"".join(parts)


def xz_of_zeros(n):
    packer, block = lzma.LZMACompressor(preset=1), bytes(1 << 22)
    return b"".join(packer.compress(block) for _ in range(n >> 22)) + packer.flush()


def many_tables(path):
    inner = f"{path}.inner"
    many = bytes(24) + symbol(1, info=0x11) * 400000
    page(inner, (".strtab", 3, b"\0f\0", 0, 0, 0), (".symtab", 2, many, 2, 24, 0), *[("", 2, (END + 16, len(many)), 2, 24, 0)] * 60000)
    with open(inner, "rb") as file:
        packed(file.read(), preset=1)(path)
    os.unlink(inner)


def many_sections(path):
    with open(path, "wb") as file:
        file.write(header(0, 8192, count=0, names=0) + segment() + bytes(TEXT - 120) + CODE)
        file.seek(8192)
        file.write(struct.pack("<IIQQQQIIQQ", 0, 0, 0, 0, 0, 20_000_000, 0, 0, 0, 0))
        file.truncate(8192 + 64 * 20_000_000)


def frames(n, in_file):
    return lambda path: page(path, (".eh_frame_hdr", 1, (1 << 20, 12 + 8 * in_file), 0, 0, 2), size=(1 << 20) + 12 + 8 * in_file,
                             at=(1 << 20, struct.pack("<BBBBiI", 1, 0x1b, 3, 0x3b, 0, n)))


def names_of(names):
    strings, rows = b"\0", []
    for i, name in enumerate(names):
        rows.append(symbol(len(strings), BASE + i * 16 % 4096))
        strings += name + b"\0"
    return table_of(b"".join(rows), strings)


def note(name_size, size, kind=3, times=1):
    return one(".note.gnu.build-id", 7, struct.pack("<III4s", name_size, size, kind, b"GNU\0") * times, flags=2)


LONG = b"\0" + b"A" * (1 << 20) + b"\0"
FULL = 0xffffffffffffffff
SLOW = b"_Z1fSt4pairIiiE" + b"".join(b"St4pairIS%c_S%c_E" % (c, c) for c in b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")
FILES = {
    "one string, many names": table_of(b"".join(symbol(1 + i, BASE + i % 4096, 1) for i in range(5000)), LONG),
    "tables of tables, packed": many_tables,
    "20 million sections": many_sections,
    "tables of symbols, many": table_of(symbol(1, info=0x11) * 100000, b"\0f\0",
                                        *[("", 2, (END + 16, 2400000), 2, 24, 0)] * 60000),
    "more sections than bytes": lambda path: page(path, count=0xfeff),
    "sections behind the end": lambda path: page(path, at=(40, struct.pack("<Q", 1 << 40))),
    "sections at the end of numbers": lambda path: page(path, at=(40, struct.pack("<Q", FULL - 63))),
    "sections of one byte": lambda path: page(path, at=(58, struct.pack("<H", 1))),
    "names of sections nowhere": lambda path: page(path, names=0xfe00),
    "symbols of no size": one(".symtab", 2, bytes(4096), 2, 0),
    "strings are the table": one(".symtab", 2, bytes(24) + symbol(1) * 1000, 2, 24),
    "strings nowhere": one(".symtab", 2, bytes(24) + symbol(1) * 1000, 0xffffff, 24),
    "strings without an end": table_of(b"".join(symbol(i + 1, BASE + i % 4096, 1) for i in range(200000)), b"A" * (1 << 20)),
    "symbols behind the end": one(".symtab", 2, (4096, 1 << 40), 2, 24),
    "symbols at the end of numbers": one(".symtab", 2, (FULL - 100, 4096), 2, 24),
    "symbols without end": table_of(b"".join(symbol(1, BASE + i, FULL - i) for i in range(2000)), b"\0f\0"),
    "symbols, a million": table_of(b"".join(symbol(1 + i % 9, BASE + i % 4096, 1) for i in range(1_000_000)), b"\0function0\0"),
    "segments, 65 535": lambda path: page(path, phnum=0xffff),
    "segments nowhere": lambda path: page(path, phoff=1 << 50),
    "a segment of all addresses": lambda path: page(path, phdr=segment(filesz=FULL, memsz=FULL, address=FULL - 4096)),
    "a note's name without end": note(0xffffffff, 20),
    "a build id of 4 GB": note(4, 0xffffffff),
    "a build id of nothing": note(4, 0),
    "notes, a million": note(4, 0, 99, 1 << 20),
    "starts of functions, 4 billion": frames(0xffffffff, 1 << 16),
    "starts of functions, 16 million": frames(16_000_000, 16_000_000),
    "symbols that unpack to 4 GB": lambda path: page(path, (".symtab", 2, zeros(16 << 20, 4 << 30), 2, 24, 0x800)),
    "symbols that unpack to 400 MB": lambda path: page(path, (".symtab", 2, zeros(400 << 20), 2, 24, 0x800)),
    "DWARF that unpacks to 400 MB": lambda path: page(path, *[(f".debug_{name}", 1, zeros(400 << 20), 0, 0, 0x800) for name in
                                                             ("info", "abbrev", "line", "str", "ranges")]),
    "packed: 400 MB": lambda path: page(path, (".gnu_debugdata", 1, xz_of_zeros(400 << 20), 0, 0, 0)),
    "packed: cut off": one(".gnu_debugdata", 1, lzma.compress(bytes(1 << 20))[:100]),
    "packed: a dictionary of 64 MB": packed(bytes(1 << 22), preset=9),
    "packed in itself": packed(lzma.compress(lzma.compress(bytes(1 << 20)))),
    "a debug file elsewhere": one(".gnu_debuglink", 1, b"../../../../../../etc/shadow\0\0\0\0crc!"),
    "a debug file without end": one(".gnu_debuglink", 1, b"x" * 5000),
    "stubs, a million": lambda path: page(path, (".dynsym", 11, bytes(24) + symbol(1), 3, 24, 0), (".dynstr", 3, LONG, 0, 0, 0),
                                          (".rela.plt", 4, struct.pack("<QQq", BASE, 1 << 32 | 7, 0) * (1 << 20), 2, 24, 2),
                                          (".plt", 1, b"\xff\x25" + bytes(14), 0, 0, 6)),
    "stubs that nothing has": one(".plt", 8, (0, 1 << 40), flags=6),
    "of 32 bits": lambda path: page(path, kind=b"\1\1\1"),
    "of the other order": lambda path: page(path, kind=b"\2\2\1"),
    "names that demangle slowly": names_of([SLOW, b"_Z" + b"P" * 4000 + b"i", b"_Z1fIN1aIi" + b"S_" * 1500 + b"EEE",
                                            b"_Z1f" + b"1AI" * 1300 + b"i" + b"E" * 1300, b"_R" + b"NvC1a" * 900]),
    "names of control characters": names_of([b"\x1b[2J\x1b]0;title\7\r\n", b"\xff\xfe" * 500, b"\xe2\x80\xae" * 300]),
    "nothing but a magic": lambda path: page(path, at=(4, bytes(60))),
}


def lines_of(n):
    """Lists of generated code, given its address."""
    return {
        "in any order": lambda at: b"".join(b"%x 100 f%d\n" % (at + (i * 7919) % 4096, i) for i in range(n)),
        "of all addresses": lambda at: b"".join(b"%x ffffffffffffffff f%d\n" % (i, i) for i in range(at, at + n // 10)),
        "a line without end": lambda at: b"%x 1000 " % at + b"A" * (30 << 20),
        "more than is read": lambda at: (b"%x 1000 f\n" % at) * 3_000_000,
        "of control characters": lambda at: b"%x 1000 \x1b[2J\x1b]0;t\7\xff\n" % at,
        "of no numbers": lambda at: b"zz 1000 x\n-1 -1 y\n" * n,
    }


class Memory(threading.Thread):
    """Watch the memory of all processes of m1top that are of this test: those below a process."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.most, self.first, self.ends = pid, 0, None, False

    @staticmethod
    def anonymous(pid):
        try:
            with open(f"/proc/{pid}/status", encoding="utf-8") as file:
                fields = dict(line.split(":", 1) for line in file)
            return int(fields["RssAnon"].split()[0]) * 1024, fields["Name"].strip()
        except (OSError, KeyError, ValueError):
            return 0, ""

    def family(self, pid):
        yield pid
        for path in glob.glob(f"/proc/{pid}/task/*/children"):
            try:
                with open(path, encoding="utf-8") as file:
                    for child in file.read().split():
                        yield from self.family(int(child))
            except OSError:
                pass

    def run(self):
        while not self.ends:
            found = [self.anonymous(pid) for pid in self.family(self.pid)]
            now = sum(bytes for bytes, name in found if name.startswith("m1top"))
            self.first = self.first or now
            self.most = max(self.most, now)
            time.sleep(.01)

    def kill_reader(self):
        for pid in list(self.family(self.pid)):  # those of now: it starts again
            if self.anonymous(pid)[1] == "m1top/reader":
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    @property
    def growth(self):
        return self.most - (self.first or 0)


class Openings:
    """What is opened of some files, by anyone: O_PATH does not open."""

    def __init__(self):
        self.libc, self.of = ctypes.CDLL(None), {}
        self.fd = self.libc.inotify_init1(os.O_NONBLOCK)

    def watch(self, path):
        self.of[self.libc.inotify_add_watch(self.fd, path.encode(), 0x20)] = path  # IN_OPEN

    def seen(self):
        """@return paths of files that were opened"""
        try:
            events = os.read(self.fd, 1 << 16)
        except BlockingIOError:
            return set()
        return {self.of[struct.unpack("<i", events[at:at + 4])[0]] for at in range(0, len(events), 16)}


def die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def node_of(name):
    return 2 + int(name.rstrip(b"\0"))


class Hanging(threading.Thread):
    """A file system of files "0", "1", …, which answers until it is to hang: then whoever opens one waits."""

    def __init__(self, folder, content):
        super().__init__(daemon=True)
        self.folder, self.content, self.hangs = folder, content, False
        self.fd = os.open("/dev/fuse", os.O_RDWR)
        os.mkdir(folder)
        if ctypes.CDLL(None).mount(b"hanging", folder.encode(), b"fuse.hanging", 0,
                                   b"fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other" % self.fd):
            os.close(self.fd)
            raise OSError("mount")
        self.start()

    def attributes(self, node):
        size, mode = (len(self.content), 0o100755) if node > 1 else (0, 0o40755)
        return struct.pack("<QQQQQQIIIIIIIIII", node, size, 8, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)

    def answer(self, what, node, body):
        """@body  of a lookup is a name  @return a part, -errno, or None: no answer. Source: include/uapi/linux/fuse.h"""
        if what in (2, 42) or self.hangs:
            return None
        if what == 15:
            _, start, size = struct.unpack("<QQI", body[:20])
            return self.content[start:start + size]
        if what == 1:
            return struct.pack("<QQQQII", node_of(body), 0, 0, 0, 0, 0) + self.attributes(node_of(body))
        return {26: struct.pack("<IIIIHHI", 7, 22, 1 << 16, 0, 12, 9, 1 << 16),
                3: struct.pack("<QII", 0, 0, 0) + self.attributes(node),
                14: struct.pack("<QII", 1, 0, 0), 18: b"", 25: b""}.get(what, -38)

    def run(self):
        while True:
            try:
                message = os.read(self.fd, 1 << 17)
                if len(message) < 40:
                    return
                _, what, unique, node = struct.unpack("<IIQQ", message[:24])
                part = self.answer(what, node, message[40:])
                if part is not None:
                    error, part = (part, b"") if isinstance(part, int) else (0, part)
                    os.write(self.fd, struct.pack("<IiQ", 16 + len(part), error, unique) + part)
            except OSError as error:
                if error.errno == 19 or self.fd < 0:  # unmounted
                    return

    def end(self):
        fd, self.fd = self.fd, -1  # the number is used again
        ctypes.CDLL(None).umount2(self.folder.encode(), 2)
        os.close(fd)


def has_page(pid, path):
    """Whether a process has read a page of a file that it maps."""
    with open(f"/proc/{pid}/smaps", encoding="utf-8") as file:
        return re.search(rf" {re.escape(path)}\n(?:\w+:.*\n)*?Rss: +[1-9]", file.read())


class Crowd:
    """One process for each file, and one with a name of its own."""

    def __init__(self, folder):
        self.folder, self.running, self.maps, self.mounted, self.openings = folder, [], [], [], Openings()
        self.spin = os.path.join(folder, "spin")
        subprocess.run(["gcc", "-O1", "-w", "-x", "c", "-", "-o", self.spin], input=SPIN, text=True, check=True)

    def start(self, *words, **how):
        self.running.append(subprocess.Popen([self.spin, *words], stdin=subprocess.DEVNULL, preexec_fn=die_with_parent, **how))
        return self.running[-1]

    def files(self):
        for i, (name, write) in enumerate(FILES.items()):
            path = os.path.join(self.folder, f"{i:02}.elf")
            write(path)
            self.start(path)
            if self.running[-1].poll() is not None:
                raise AssertionError(f"{name} does not run")

    def generated(self):
        for write in lines_of(100000).values():
            self.jit(write)

    def jit(self, write):
        """Start a process with generated code. @return (its id, the file that it names as its list)"""
        process = self.start("", "generated", stdout=subprocess.PIPE, text=True)
        pid, at = process.stdout.readline().split()
        path = f"/tmp/perf-{pid}.map"
        self.maps.append(path)
        if write == "fifo":
            os.mkfifo(path)
        elif write == "link":
            path = os.path.join(self.folder, "elsewhere")
            shutil.copy(self.spin, path)
            os.symlink(path, self.maps[-1])
        elif write == "device":
            self.device(path)
        else:
            with open(path, "wb") as file:
                file.write(write(int(at, 16)))
        self.openings.watch(path)
        return int(pid), path

    def device(self, path):
        """Bind a device to it, whose opening would act."""
        node = os.path.join(self.folder, "node")
        with open(path, "wb"):
            pass
        if subprocess.run(["mknod", node, "c", "1", "5"], capture_output=True, check=False).returncode == 0 and \
           subprocess.run(["mount", "--bind", node, path], capture_output=True, check=False).returncode == 0:
            self.mounted.append(path)

    def hanging(self, *files, **how):
        """Start programs of files of a file system that hangs. @return it; None: there are none here"""
        page(os.path.join(self.folder, "plain"))
        with open(os.path.join(self.folder, "plain"), "rb") as file:
            content = file.read()
        try:
            system = Hanging(os.path.join(self.folder, "hanging"), content)
        except OSError:
            return None
        paths = [os.path.join(system.folder, file) for file in files]
        for path, process in [(path, self.start(path, **how)) for path in paths]:
            while process.poll() is None and not has_page(process.pid, path):
                time.sleep(.01)
        system.hangs = True
        return system

    def end(self):
        for process in self.running:
            process.kill()
        for process in self.running:
            process.wait()
        for path in self.mounted:
            subprocess.run(["umount", path], check=False)
        for path in self.maps:
            os.unlink(path)


def wait_bounded(process, seconds):
    """@return whether it ended; it is killed else"""
    try:
        process.wait(seconds)
        return True
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return False


class Stat:
    """stat --by function of all processes"""

    def __init__(self, folder):
        self.out, self.err = os.path.join(folder, "out"), os.path.join(folder, "err")
        with open(self.out, "w", encoding="utf-8") as stdout, open(self.err, "w", encoding="utf-8") as stderr:
            self.process = subprocess.Popen([M1TOP, "stat", "--by", "function", "-e", "cpu-clock", "-a", "-d", "1", "-n", "1000", "-j",
                                             "--top", "1000"], stdout=stdout, stderr=stderr, preexec_fn=die_with_parent)

    def rows(self):
        with open(self.out, encoding="utf-8") as file:
            return [json.loads(line) for line in file if line.startswith('{"interval"') and line.endswith("}\n") and '"function"' in line]

    def names(self):
        """@return {function: ids of processes}, but for those that are being read"""
        names = {}
        for row in self.rows():
            if row["function"] != "[reading …]":
                names.setdefault(row["function"], set()).add(row.get("pid"))
        return names

    def tried(self, *objects):
        """@return ids of processes with code of these objects that was looked for"""
        return {row.get("pid") for row in self.rows() if row["function"] != "[reading …]" and (row["object"] or "").startswith(objects)}

    def wait(self, is_there, seconds=900):
        """@return faults"""
        end = time.monotonic() + seconds
        while self.process.poll() is None and not is_there() and time.monotonic() < end:
            time.sleep(1)
        return [] if is_there() else [str(self.names())[:1000], self.said()]

    def end(self):
        """@return faults"""
        self.process.send_signal(signal.SIGINT)
        ended = wait_bounded(self.process, 240)
        return [] if ended and self.process.returncode in (0, -signal.SIGINT) else [f"{self.process.returncode}"]

    def said(self):
        with open(self.err, encoding="utf-8") as file:
            return file.read()


def in_lines(folder, tap):
    stat = Stat(folder)
    memory = Memory(stat.process.pid)
    memory.start()
    named = stat.wait(lambda: {"known_function", "[too large to name]"} <= set(stat.names()))
    tap.test("stat ends when it is asked to", stat.end())
    memory.ends = True
    names, said = stat.names(), stat.said()
    tap.test("another program has its name", [] if "known_function" in names else named)
    if os.environ.get("SAN"):
        tap.skip("memory of all processes is bounded", "a sanitizer's memory has no limit")
    else:
        tap.test("memory of all processes is bounded", [] if memory.growth <= GROWTH_MAX else [f"{memory.growth >> 20} MB"])
    print(f"# {memory.growth >> 20} MB at most above {(memory.first or 0) >> 20} MB")
    noted = [line for line in said.splitlines() if "symbols not read" in line]
    tap.test("files that take too much are named", [] if noted else [said])
    tap.test("and so are their rows", [] if "[too large to name]" in names else named)
    for line in noted:
        print(f"# {line}")
    tap.test("no name has control characters", [name for name in names if any(ord(c) < 32 for c in name)])


def not_opened(folder, tap):
    """Lists of generated code that are a pipe, a link or a device: opening them could act."""
    crowd = Crowd(folder)
    names = {"listed_function", "behind_a_hole"}
    kinds = [lambda at: b"%x 1000 listed_function\n" % at, lambda at: bytes(4096) + b"%x 1000 behind_a_hole\n" % at,
             "fifo", "link", "device"]
    try:
        jits = [crowd.jit(kind) for kind in kinds]
        stat = Stat(folder)
        tried = stat.wait(lambda: {pid for pid, _ in jits} <= stat.tried("[anon", "[perf-") and names <= set(stat.names()))
        stat.end()
        seen = crowd.openings.seen()
    finally:
        crowd.end()
    tap.test("lists of generated code are looked for", tried)
    tap.test("none is opened but a regular file", [] if seen == {jits[0][1], jits[1][1]} else [str(seen)])


def reader_killed(folder, tap):
    """m1top/reader is killed while programs start: it starts again, until it has ended too often, which is said."""
    crowd, faults = Crowd(folder), []
    try:
        stat = Stat(folder)
        family = Memory(stat.process.pid)
        for i in range(5):
            spin = f"{crowd.spin}.{i}"
            shutil.copy(crowd.spin, spin)
            crowd.spin = spin
            crowd.start("")
            faults += stat.wait(lambda: crowd.running[-1].pid in stat.tried(crowd.spin))
            family.kill_reader()
        ends = stat.end()
    finally:
        crowd.end()
    named = [process.pid in stat.names().get("known_function", set()) for process in crowd.running]
    tap.test("a reader that was killed starts again", faults or ([] if named == [True] * 4 + [False] else [str(named)]))
    said = stat.said()
    tap.test("and that is said", [] if "was started again" in said and "has ended too often" in said else [said])
    tap.test("stat ends", ends)


def owner_of_too_much(folder, tap):
    """Files of one user hang: after some time no file of that user is read any more; others' are."""
    user, faults = {"user": 1, "group": 1, "extra_groups": []}, []
    if os.geteuid():
        return tap.skip("files of one user that hang", "processes of another user")
    os.chmod(folder, 0o755)
    crowd, stat = Crowd(folder), None
    paths = {name: os.path.join(folder, name) for name in ("of_the_same_user", "of_another_user")}
    for name, path in paths.items():
        table_of(symbol(1), b"\0" + name.encode() + b"\0")(path)
    os.chown(paths["of_the_same_user"], 1, 1)
    system = crowd.hanging(*"01234", **user)
    try:
        if not system:
            return tap.skip("files of one user that hang", "no file system can be mounted")
        stat = Stat(folder)
        faults += stat.wait(lambda: len(stat.tried(system.folder)) == 5)
        crowd.start(paths["of_the_same_user"], **user)
        same = crowd.running[-1].pid
        crowd.start(paths["of_another_user"])
        faults += stat.wait(lambda: "of_another_user" in stat.names() and same in stat.tried(paths["of_the_same_user"]))
        faults += stat.end()
    finally:
        if system:
            system.end()
        crowd.end()
    tap.test("files of one user that hang take their time from that user's others, not from another's",
             faults + (["named"] if "of_the_same_user" in stat.names() else []))
    said = stat.said()
    return tap.test("and that is said", [] if f"{paths['of_the_same_user']}: symbols not read: files of its owner" in said else [said])


def on_screen(key, kills=False):
    """@return faults: the live screen, with functions, ends by a key or a signal while files are read, or their reader was killed"""
    pid, fd = pty.fork()
    if not pid:
        die_with_parent()
        os.environ.update(TERM="xterm-256color", LINES="40", COLUMNS="120")
        os.execv(M1TOP, [M1TOP, "-d", "0.5"])
    seen, end, pressed, ended = b"", time.monotonic() + 240, 0, False
    start, family = time.monotonic(), Memory(pid)
    while time.monotonic() < end and not ended:
        ready = select.select([fd], [], [], .05)[0]
        try:
            seen += os.read(fd, 65536) if ready else b""
        except OSError:
            pass
        now = time.monotonic()
        if not pressed and now - start > 1.5 and b"cpu0" in seen:
            os.write(fd, b"H")
            pressed = 1
        if pressed == 1 and (now - start > 30 or any(family.anonymous(one)[1] == "m1top/worker" for one in family.family(pid))):
            if kills:
                family.kill_reader()
            if isinstance(key, bytes):
                os.write(fd, key)
            else:
                os.kill(pid, key)
            pressed, asked = 2, now
        ended = os.waitpid(pid, os.WNOHANG)[0] == pid
    if ended:
        print(f"# ended {time.monotonic() - asked if pressed == 2 else -1:.2f} s after {key!r}")
    else:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    os.close(fd)
    return [] if ended and pressed == 2 else [f"did not end: {seen[-300:]!r}"]


def main():
    tap = Tap()
    if os.uname().machine != "x86_64" or not shutil.which("gcc") or not may_count_all():
        print("1..0 # SKIP code for x86-64, compiled; whole CPUs are counted")
        return 0
    with tempfile.TemporaryDirectory(prefix="m1top-hostile-", dir="/var/tmp") as folder, tasks_alone():
        crowd, system = Crowd(folder), None
        try:
            system = crowd.hanging("0", "0")
            crowd.files()
            crowd.generated()
            crowd.start("")
            in_lines(folder, tap)
            for key in b"q", b"\x03", signal.SIGTERM:
                tap.test(f"{key!r} ends the screen", on_screen(key))
            tap.test("b'q' ends it when the reader was killed", on_screen(b"q", kills=True))
        finally:
            if system:
                system.end()
            crowd.end()
        os.chmod(folder, 0o755)
        for test in not_opened, reader_killed, owner_of_too_much:
            with tempfile.TemporaryDirectory(dir=folder) as own:
                test(own, tap)
    tap.end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
