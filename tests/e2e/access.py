#!/usr/bin/env python3
"""access.py: m1top serve: which Host it answers to, and which users at a Unix socket. TAP."""
import os
import shutil
import signal
import socket
import stat
import subprocess
import tempfile

import serving
from serving import Server, refused

FOLDER = tempfile.mkdtemp(prefix="m1top-access-")
FAST = ("--demo", "-I", "50")
SECRET = "$2y$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW"  # of "secret"
NOBODY = 65534


def check(truth, *why):
    if not truth:
        raise AssertionError(" ".join(str(part) for part in why))


def answers(server, *hosts):
    """The statuses of /metrics for each Host; None: HTTP/1.0 without one."""
    got = []
    for host in hosts:
        with socket.create_connection((server.host, server.port), timeout=120) as one:
            line = f"HTTP/1.1\r\nHost: {host}\r\nConnection: close" if host is not None else "HTTP/1.0"
            one.sendall(f"GET /metrics {line}\r\n\r\n".encode())
            got.append(int(one.makefile("rb").readline().split()[1]))
    return got


def rebinding():
    """a Host that is no address or name of the listener is refused: DNS rebinding"""
    with Server(*FAST) as server:
        port = server.port
        good = ("127.0.0.1", f"127.0.0.1:{port}", "localhost", f"LOCALHOST:{port}", "localhost.",
                "localhost:8080", None)
        check(answers(server, *good) == [200] * len(good), answers(server, *good))
        bad = ("evil.example", f"evil.example:{port}", "127.0.0.1.evil.example", "localhost.evil.example",
               "192.0.2.1", "127.0.0.2", "[::1]", "", "127.0.0.1evil", "a" * 300, "0.0.0.0")
        check(answers(server, *bad) == [403] * len(bad), answers(server, *bad))
        for page in "/", "/-/healthy", "/nowhere":
            status, _, body = server.get(page, Host="evil.example")
            check(status == 403 and "no address or name of this server" in body, page, status, body)
        check(server.get(method="POST", Host="evil.example")[0] == 403, "POST")


def all_addresses():
    """on all addresses: those of the machine, its name, and what --host adds"""
    with Server(*FAST, "--insecure", "--host", "proxy.example,Other.Example", listen="0.0.0.0:0") as server:
        server.host = "127.0.0.1"
        good = ("127.0.0.1", socket.gethostname(), "proxy.example:80", "other.example")
        check(answers(server, *good) == [200] * len(good), answers(server, *good))
        check(answers(server, "evil.example", "192.0.2.1", "example") == [403] * 3, "others")


def ipv6():
    """[::1], and an IPv4 client of an IPv6 listener"""
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError as why:
        return f"no ::1 here: {why}"
    with Server(*FAST, listen="[::1]:0") as server:
        check(answers(server, "[::1]", f"[::1]:{server.port}", "localhost", "[0:0::1]") == [200] * 4, "::1")
        check(answers(server, "127.0.0.1", "[::2]", "evil.example") == [403] * 3, "others")
    with Server(*FAST, "--insecure", listen=":0") as server:
        server.host = "127.0.0.1"
        check(answers(server, "127.0.0.1", "[::ffff:127.0.0.1]", "[::1]") == [200, 200, 403], "mapped")
    return None


def passwords():
    """on loopback passwords do not change that"""
    config = os.path.join(FOLDER, "web.yml")
    with open(config, "w", encoding="utf-8") as file:
        file.write(f"basic_auth_users:\n  alice: {SECRET}\n")
    with Server(*FAST, "--web-config", config) as server:
        check(answers(server, "localhost", "evil.example") == [401, 403], "loopback")
    with Server(*FAST, "--web-config", config, listen="0.0.0.0:0") as server:
        server.host = "127.0.0.1"
        check(answers(server, "whatever.example") == [401], "for other machines passwords are what counts")


class AtSocket(Server):
    """m1top serve at a Unix socket."""

    def __init__(self, name, *options):
        self.path = os.path.join(FOLDER, name)
        self.process = subprocess.Popen([serving.M1TOP, "serve", "--listen", "unix:" + self.path, *options],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True)
        self.said = ""
        for line in self.process.stderr:
            self.said += line
            if line == f"m1top: serving http://localhost/metrics at unix:{self.path}\n":
                return
        raise AssertionError(f"did not serve: {self.said}")

    def status(self, uid=None):
        """What a user gets: the status of /metrics, or the error of connect."""
        read, write = os.pipe()
        pid = os.fork()
        if not pid:
            try:
                if uid is not None:
                    os.setgroups([])
                    os.setgid(uid)
                    os.setuid(uid)
                with socket.socket(socket.AF_UNIX) as one:
                    one.settimeout(120)
                    one.connect(self.path)
                    one.sendall(b"GET /metrics HTTP/1.1\r\nHost: whatever\r\nConnection: close\r\n\r\n")
                    os.write(write, one.makefile("rb").readline().split()[1])
            except OSError as error:
                os.write(write, type(error).__name__.encode())
            os._exit(0)
        os.close(write)
        os.waitpid(pid, 0)
        said = os.read(read, 100).decode()
        os.close(read)
        return said


def unix_socket():
    """a Unix socket: served, its file removed at the end, a dead one's replaced, a living one's not"""
    with AtSocket("one.sock", *FAST) as server:
        check(server.status() == "200", server.status())
        check("every user" not in server.said, server.said)
        check(not os.stat(server.path).st_mode & stat.S_IWOTH, "everybody may connect")
        status, said = refused("--demo", "--listen", "unix:" + server.path)
        check(status == 1 and "Address already in use: something else is there" in said, status, said)
        check(server.stop()[0] == 0 and not os.path.exists(server.path), "the file is still there")
    with AtSocket("one.sock", *FAST) as server:
        server.process.send_signal(signal.SIGKILL)
        server.process.wait()
        check(os.path.exists(server.path), "what a killed one leaves")
    with AtSocket("one.sock", *FAST) as server:
        check(server.status() == "200", "in place of the dead one's")
    plain = os.path.join(FOLDER, "file")
    with open(plain, "w", encoding="utf-8") as file:
        file.write("mine")
    for listen, text in ((plain, "something else is there"), ("x" * 108, "at most 107 characters"), ("", "needs a path"),
                         (FOLDER + "/nowhere/one.sock", "No such file or directory")):
        status, said = refused("--demo", "--listen", "unix:" + listen)
        check(status in (1, 2) and text in said, listen, status, said)
    with open(plain, encoding="utf-8") as file:
        check(file.read() == "mine", "a file was written over")


def under_sudo():
    """under sudo the file is the caller's, in a folder of the caller's, and goes when m1top does"""
    if os.geteuid():
        return "only root can do as sudo does"
    daemon = 1
    os.chmod(FOLDER, 0o755)
    os.mkdir(os.path.join(FOLDER, "theirs"))
    os.chown(os.path.join(FOLDER, "theirs"), daemon, daemon)
    os.environ.update(SUDO_UID=str(daemon), SUDO_GID=str(daemon))
    try:
        with AtSocket("theirs/sudo.sock", *FAST, "--user-only") as server:
            check(os.stat(server.path).st_uid == daemon, "whose file?")
            os.chmod(server.path, 0o666)
            got = server.status(), server.status(daemon), server.status(NOBODY)
            check(got == ("200", "200", "403"), "root, the caller, others:", got)
            check(server.stop()[0] == 0 and not os.path.exists(server.path), "the file is still there")
        status, said = refused("--demo", "--listen", f"unix:{FOLDER}/roots.sock")
        check(status == 3 and "Permission denied" in said, status, said)
    finally:
        del os.environ["SUDO_UID"], os.environ["SUDO_GID"]
    return None


def user_only():
    """--user-only: the kernel's word on who connected counts, not the file's mode"""
    status, said = refused("--demo", "--listen", "127.0.0.1:0", "--user-only")
    check(status == 2 and "--user-only needs --listen unix:PATH: over TCP the user of a client is not known" in said, said)
    if os.geteuid():
        with AtSocket("own.sock", *FAST, "--user-only") as server:
            check(server.status() == "200", "its own user")
        return None
    os.chmod(FOLDER, 0o755)
    with AtSocket("all.sock", *FAST) as server:
        check(server.status(NOBODY) == "PermissionError", "the file's mode", server.status(NOBODY))
        os.chmod(server.path, 0o666)
        check(server.status(NOBODY) == "200", "opened with chmod")
    with AtSocket("user.sock", *FAST, "--user-only") as server:
        os.chmod(server.path, 0o666)
        check((server.status(), server.status(NOBODY)) == ("200", "403"), server.status(), server.status(NOBODY))
    return None


def says_who_reads():
    """at the start it says that every user of the machine can read it"""
    with Server(*FAST) as server:
        check("every user of this machine can read it" in server.said + server.process.stderr.readline(), server.said)


if __name__ == "__main__":
    try:
        serving.run([rebinding, all_addresses, ipv6, passwords, unix_socket, under_sudo, user_only, says_who_reads])
    finally:
        shutil.rmtree(FOLDER)
