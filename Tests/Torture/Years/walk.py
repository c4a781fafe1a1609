"""A push through the server in 2039 and in 2106: after the last second that 31 bits can hold, and after the last of 32
bits. The machine's clock stays as it is.

usage: walk.py PATH_OF_BELLWIRE
"""

import glob
import json
import os
import socket
import subprocess
import sys
import tempfile
import time

# The library changes the environment of a program that it is new to, and a Swift program finds its
# arguments beside that: `env` is before it, and has the change made.
PROGRAM = ["env", sys.argv[1]]
YEARS = {2039: "2039-01-02 03:04:05", 2106: "2106-03-02 03:04:05"}
[LIBRARY] = glob.glob("/usr/lib/*/faketime/libfaketime.so.1")
passed = 0
before = set(glob.glob("/dev/shm/*faketime*"))


def check(condition, what, seen=""):
    global passed
    if not condition:
        sys.exit(f"years: FAILED: {what}\n{seen}")
    passed += 1


class Server:
    """A server and its programs, which see another year."""

    def __init__(self, folder, moment):
        self.folder = folder
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": folder,
            "TZ": "UTC",
            "LD_PRELOAD": LIBRARY,
            "FAKETIME": "@" + moment,
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }
        self.state = os.path.join(folder, "state")
        # The same at each start, because endpoints begin with it.
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]

    def __enter__(self):
        self.log = open(os.path.join(self.folder, "log"), "a+")
        self.process = subprocess.Popen(
            [*PROGRAM, "serve", "--state", self.state, "--listen", f"127.0.0.1:{self.port}", "--registration", "token"],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
        )
        line = self.process.stdout.readline()
        check(line.startswith("bellwire: ready "), "the server starts", self.said())
        return self

    def __exit__(self, *_):
        self.process.terminate()
        status = self.process.wait(20)
        check(status == 0, "the server ends with exit code 0", f"{status}\n{self.said()}")

    def said(self):
        self.log.flush()
        return open(self.log.name).read()

    def run(self, *command, expected=0):
        done = subprocess.run([*PROGRAM, *command], env=self.environment, capture_output=True, text=True, timeout=60)
        check(done.returncode == expected, " ".join(command[:2]), done.stdout + done.stderr + self.said())
        return done.stdout

    def control(self, method, path):
        """The answer of the control socket."""
        done = subprocess.run(
            [
                *"curl --silent --fail-with-body --max-time 20 --unix-socket".split(),
                self.state + "/control.sock",
                "-X",
                method,
                "http://localhost/api/v1/" + path,
            ],
            capture_output=True,
            text=True,
        )
        check(done.returncode == 0, path, done.stdout + self.said())
        return json.loads(done.stdout)


def dates(path):
    """The first and the last day of a certificate, as OpenSSL reads it."""
    text = subprocess.run(["openssl", "x509", "-in", path, "-noout", "-dates"], capture_output=True, text=True).stdout
    return [int(line.split()[-2]) for line in text.splitlines()]


def walk(year, moment):
    with tempfile.TemporaryDirectory() as folder:
        server = Server(folder, moment)
        authority = server.state + "/keys/development-ca.pem"
        key = os.path.join(folder, "vapid.json")
        target = os.path.join(folder, "target.json")
        with server:
            # A device, two messages, a connection with a certificate of that year, the store.
            server.run("test", "--state", server.state)
            begins, ends = dates(authority)
            check(begins == year and year < ends <= year + 3, "the certificate is of that year", f"{begins} {ends}")
            server.run("keys", "new", "vapid", key)
            app = json.loads(
                server.run(
                    "register", "--state", server.state, "--app", "plain", "--account", "me", "--vapid", "--json"
                )
            )
            with open(os.open(target, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
                json.dump({"endpoint": app["endpoint"], "keys": app["keys"]}, file)
            signed = [
                "send",
                "--to",
                target,
                "--ca-file",
                authority,
                "--vapid-key",
                key,
                "--subject",
                "mailto:a@example.org",
            ]
            server.run(*signed, '{"topic": "Home", "message": "first"}')
            begun = server.control("GET", "registrations/" + app["id"])
            check(time.gmtime(begun["created"]).tm_year == year, "the year in which it was registered", begun)
            check(begun["expires"] - begun["created"] > 2_000_000, "the time until it expires", begun)
        # Stored messages are there after a restart, and new ones come after them.
        with server:
            server.run(*signed, "second")
            waiting = server.control("GET", "pending?registration=" + app["id"])["messages"]
            check(len(waiting) == 2, "both messages wait", waiting)
            for message in waiting:
                check(time.gmtime(message["received"]).tm_year == year, "the year in which the message came", message)
            server.run("account", "mute", "--state", server.state, "--for", "1h", "Home")
            server.run("account", "pause", "--state", server.state, "--for", "1h")
            text = server.run("account", "list", "--state", server.state)
            check(f"until {year}-" in text, "the year in which the mute ends", text)


try:
    for year, moment in YEARS.items():
        walk(year, moment)
finally:
    # The library leaves its shared memory behind when programs are killed.
    for path in set(glob.glob("/dev/shm/*faketime*")) - before:
        os.unlink(path)
print(f"years: {passed} checks in {', '.join(map(str, YEARS))}")
