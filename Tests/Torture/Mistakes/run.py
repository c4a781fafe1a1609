"""An operator's mistakes, one by one: each gets one clear line, a hint, and a row in docs/troubleshooting.md.

usage: run.py PATH_OF_BELLWIRE

Runs in a network namespace of its own (tools/lib/alone). As root it also tries a key of another user and a full disk.
"""

import os
import pathlib
import re
import resource
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

sys.path.append(__file__.rsplit("/", 3)[0])

from kit import process
from kit.certificate import certificate
from kit.control import OverSocket

ROOT = pathlib.Path(__file__).resolve().parents[3]
DAY = 86_400
passed, failed = 0, []


def rows():
    """The symptoms in the table of docs/troubleshooting.md, as patterns."""
    for line in (ROOT / "docs/troubleshooting.md").read_text().splitlines():
        if line.startswith("| ") and line.count("|") == 3:
            symptom = line.split("|")[1]
            for text in re.findall(r"`([^`]+)`", symptom) or [symptom.strip(" …")]:
                yield re.compile(re.escape(text).replace("…", ".*").replace("8443", r"\d+"))


ROWS = list(rows())


def report(name, said, *words):
    """What was said has all words, an error or an advice, a hint, and a row in that table."""
    global passed
    missing = [word for word in words if word not in said]
    if missing:
        failed.append(f"{name}: it did not say {missing[0]!r}, but:\n{said[-2000:]}")
    elif not any(row.search(line) for line in said.splitlines() for row in ROWS):
        failed.append(f"{name}: docs/troubleshooting.md has no row for:\n{said[-2000:]}")
    else:
        passed += 1


def report_error(name, outcome, *words):
    """The program ended, with one error and one hint."""
    for word in ("error", "hint"):
        lines = [line for line in outcome.stderr.splitlines() if line.startswith(f"bellwire: {word}: ")]
        if len(lines) != 1 or outcome.returncode == 0:
            failed.append(f"{name}: not one {word} (exit {outcome.returncode}):\n{outcome.stderr}")
            return
    report(name, outcome.stderr, *words)


class Home:
    """A user's home, and the programs that run with it."""

    def __init__(self, bellwire, folder):
        self.bellwire, self.folder, self.processes = bellwire, pathlib.Path(folder), []
        self.environment = {"PATH": "/usr/sbin:/usr/bin:/bin", "HOME": folder}

    @property
    def state(self):
        return self.folder / ".local/state/bellwire"

    def run(self, *words, before=(), **variables):
        return subprocess.run(
            [*before, self.bellwire, *words],
            env={**self.environment, **variables},
            capture_output=True,
            text=True,
            timeout=60,
        )

    def start(self, *words, ready="bellwire: ready ", before=(), **options):
        """A program that runs until the end. Returns what its line about being ready says."""
        log = self.folder / f"log{len(self.processes)}"
        made = subprocess.Popen(
            [*before, self.bellwire, *words],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=open(log, "w"),
            text=True,
            **options,
        )
        made.log = log
        self.processes.append(made)
        told = process.ready(made, ready)
        if told is None:
            sys.exit(f"mistakes: it does not start: {log.read_text()}")
        return told

    def serve(self, *words, **options):
        return self.start("serve", "--listen", "http://127.0.0.1:0", *words, **options)

    def close(self):
        for each in reversed(self.processes):
            process.end(each)


def port_in_use(home):
    with socket.create_server(("127.0.0.1", 0)) as other:
        outcome = home.run("serve", "--listen", f"127.0.0.1:{other.getsockname()[1]}")
    report_error("a port in use", outcome, "is in use", "choose another port")
    if home.state.exists():
        failed.append("a port in use: the state folder was made")


def certificates(home):
    (chain, *_), (_, key, _) = (certificate(home.folder, days=90, label=label) for label in ("one-", "other-"))
    words = ["--listen", "127.0.0.1:0", "--tls-certificate", chain, "--tls-key"]
    for command in ("serve", "check"):
        report_error(
            f"{command}: a certificate and a key that do not match",
            home.run(command, *words, key),
            "does not match the key",
            "take both files from the same folder",
        )
        report_error(
            f"{command}: a key that is not there",
            home.run(command, *words, "/nowhere/privkey.pem"),
            "/nowhere/privkey.pem: open: No such file",
            "check the path",
        )
    chain, key, _ = certificate(home.folder, days=10, label="soon-")
    outcome = home.run("check", "--tls-certificate", chain, "--tls-key", key)
    report("a certificate that expires", outcome.stdout, "advice: ", "expires within 14 days", "renew it")
    if outcome.returncode != 0:
        failed.append("a certificate that expires: check says that the server would not start")


def unreadable_key(home):
    if os.getuid() != 0:
        return print("mistakes: not as root, so no key of another user")
    chain, key, _ = certificate(home.folder, days=90, label="secret-")
    os.chmod(chain, 0o644)
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        os.chmod(home.folder, 0o755)
        outcome = home.run(
            *("serve", "--listen", "127.0.0.1:0", "--state", f"{folder}/state"),
            *("--tls-certificate", chain, "--tls-key", key),
            before=("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"),
        )
    report_error("an unreadable key", outcome, "secret-key.pem: open: Permission denied", "let this user have it")


def wrong_clock(home):
    outcome = home.run("check", before=("faketime", "2001-02-03 04:05:06"))
    report_error("a wrong clock", outcome, "the clock of this machine is wrong: it shows 2001-02-03", "timedatectl")


def full_disk(home):
    if os.getuid() != 0:
        return print("mistakes: not as root, so no full disk")
    script = (
        'mount -t tmpfs -o size=64k none "$1" && head -c 64k /dev/zero > "$1/filler" 2> /dev/null; shift; exec "$@"'
    )
    disk = home.folder / "disk"
    disk.mkdir()
    outcome = home.run(
        *("serve", "--listen", "127.0.0.1:0", "--state", str(disk / "state")),
        before=("unshare", "--mount", "sh", "-c", script, "full", str(disk)),
    )
    report_error("a full disk", outcome, "No space left on device", "free some space")


def newer_store(home):
    home.serve()
    home.close()
    home.processes.clear()
    with sqlite3.connect(home.state / "bellwire.db") as database:
        database.execute("PRAGMA user_version = 9999")
    before = contents(home.state)
    outcome = home.run("serve", "--listen", "127.0.0.1:0")
    report_error("a newer store", outcome, "was written by a newer bellwire", "install the newer version again")
    if contents(home.state) != before:
        failed.append("a newer store: its files changed")


def contents(folder):
    """Without the index of the WAL, which every reader makes anew."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.suffix != ".db-shm"}


def two_servers(home):
    home.serve()
    outcome = home.run("serve", "--listen", "http://127.0.0.1:0")
    report_error("two servers on one folder", outcome, "another server uses", "stop that server")


def two_desktops(home):
    bus = subprocess.Popen(
        ["dbus-daemon", "--session", "--nofork", "--print-address=1", f"--address=unix:dir={home.folder}"],
        stdout=subprocess.PIPE,
        text=True,
    )
    home.environment["DBUS_SESSION_BUS_ADDRESS"] = bus.stdout.readline().strip()
    try:
        home.start("desktop")
        report_error(
            "two desktops with one state", home.run("desktop"), "another desktop service", "systemctl --user stop"
        )
        outcome = home.run("desktop", "--state", str(home.folder / "second"))
        report_error(
            "two desktops on one bus", outcome, "another program already has the name", "systemctl --user stop"
        )
    finally:
        home.close()
        home.processes.clear()
        bus.terminate()
        bus.wait()


def elsewhere(home):
    """base-url leads to another server."""
    with tempfile.TemporaryDirectory() as folder:
        other = Home(home.bellwire, folder)
        url = other.serve("--registration", "token")
        try:
            home.serve("--base-url", url)
            outcome = home.run("test")
        finally:
            other.close()
    report(
        "base-url leads elsewhere", outcome.stdout, "FAIL", "another server answers there", "base-url leads to another"
    )
    outcome = home.run("check", "--base-url", "https://push.example.org")
    report(
        "base-url without an address", outcome.stdout, "advice: push.example.org, the name in base-url, has no address"
    )


def no_websocket(home):
    """A proxy that speaks plain HTTP and drops what it takes for a header of one hop."""
    with socket.create_server(("127.0.0.1", 0)) as front:
        port = front.getsockname()[1]
        back = home.folder / "back.sock"
        home.start(
            *("serve", "--listen", f"unix:{back} trusted-proxies=127.0.0.1"),
            *("--base-url", f"http://localhost:{port}"),
        )
        threading.Thread(target=forward, args=(front, back), daemon=True).start()
        outcome = home.run("test")
    report(
        "a proxy without WebSocket",
        outcome.stdout,
        "the upgrade to a WebSocket was answered with status",
        "make the proxy pass Upgrade and Connection",
    )


def forward(front, back):
    while True:
        try:
            client, _ = front.accept()
        except OSError:
            return
        head = b""
        while b"\r\n\r\n" not in head:
            head += client.recv(4096)
        first, *lines = head.decode().split("\r\n")
        fields = dict(line.split(": ", 1) for line in lines if ": " in line)
        kept = {name: value for name, value in fields.items() if name.lower() not in ("upgrade", "connection")}
        server = OverSocket(back)
        server.request(first.split()[0], first.split()[1], headers=kept)
        answer = server.getresponse()
        body = answer.read()
        client.sendall(
            f"HTTP/1.1 {answer.status} x\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body
        )
        client.close()


def out_of_descriptors(home):
    def limit():
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))

    url = home.serve(preexec_fn=limit)
    port = int(url.rpartition(":")[2])
    sockets = [socket.create_connection(("127.0.0.1", port)) for _ in range(80)]
    log, said = home.processes[-1].log, ""
    for _ in range(100):
        said = log.read_text()
        if "cannot-accept" in said:
            break
        time.sleep(0.1)
    report("out of descriptors", said, "event=cannot-accept", "LimitNOFILE")
    for each in sockets:
        each.close()
    outcome = home.run("check", before=("prlimit", "--nofile=512:512"))
    report("few descriptors", outcome.stdout, "advice: the server may open only 512 files", "LimitNOFILE=524288")


CASES = [
    port_in_use,
    certificates,
    unreadable_key,
    wrong_clock,
    full_disk,
    newer_store,
    two_servers,
    two_desktops,
    elsewhere,
    no_websocket,
    out_of_descriptors,
]


def main(bellwire):
    for case in CASES:
        with tempfile.TemporaryDirectory(prefix="bellwire-mistakes-") as folder:
            home = Home(bellwire, folder)
            try:
                case(home)
            finally:
                home.close()
    for failure in failed:
        print(f"mistakes: FAILED: {failure}")
    print(f"mistakes: {passed} mistakes have a clear line, a hint and a row in docs/troubleshooting.md")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
