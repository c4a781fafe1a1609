"""A push through the server in 2039 and in 2106: after the last second that 31 bits can hold, and after the last of 32
bits. The machine's clock stays as it is.

usage: walk.py PATH_OF_BELLWIRE
"""

import glob
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.append(__file__.rsplit("/", 3)[0])

from kit.checks import Checks, checked
from kit.server import Server

YEARS = {2039: "2039-01-02 03:04:05", 2106: "2106-03-02 03:04:05"}
[LIBRARY] = glob.glob("/usr/lib/*/faketime/libfaketime.so.1")
check = Checks("years")
before = set(glob.glob("/dev/shm/*faketime*"))


class Elsewhere(Server):
    """A server and its programs, which see another year."""

    # The library changes the environment of a program that it is new to, and a Swift program finds its arguments beside
    # that: `env` is before it, and has the change made.
    within = ("env",)

    def __init__(self, folder, moment):
        environment = {"HOME": folder, "TZ": "UTC", "LD_PRELOAD": LIBRARY, "FAKETIME": "@" + moment}
        environment |= {"FAKETIME_DONT_FAKE_MONOTONIC": "1"}
        super().__init__(sys.argv[1], folder, "--registration", "token", is_secure=True, environment=environment)

    def call(self, *words):
        """A command that needs no state."""
        words = [*self.within, self.program, *words]
        done = subprocess.run(words, env=self.environment, capture_output=True, text=True, timeout=60)
        check(done.returncode == 0, " ".join(words[2:4]), done.stdout + done.stderr + self.said())


def dates(path):
    """The first and the last day of a certificate, as OpenSSL reads it."""
    text = subprocess.run(["openssl", "x509", "-in", path, "-noout", "-dates"], capture_output=True, text=True).stdout
    return [int(line.split()[-2]) for line in text.splitlines()]


def walk(year, moment):
    with tempfile.TemporaryDirectory() as folder:
        server = Elsewhere(folder, moment)
        key, target = (os.path.join(folder, name) for name in ("vapid.json", "target.json"))
        signed = ["send", "--to", target, "--ca-file", server.authority, "--vapid-key", key]
        signed += ["--subject", "mailto:a@example.org"]
        with server:
            # A device, two messages, a connection with a certificate of that year, the store.
            server.run("test")
            begins, ends = dates(server.authority)
            check(begins == year and year < ends <= year + 3, "the certificate is of that year", f"{begins} {ends}")
            server.call("keys", "new", "vapid", key)
            app = server.tell("register", "--app", "plain", "--account", "me", "--vapid")
            pathlib.Path(target).touch(0o600)
            pathlib.Path(target).write_text(json.dumps({"endpoint": app["endpoint"], "keys": app["keys"]}))
            server.call(*signed, '{"topic": "Home", "message": "first"}')
            begun = server.ask("GET", "registrations/" + app["id"])
            check(time.gmtime(begun["created"]).tm_year == year, "the year in which it was registered", begun)
            check(begun["expires"] - begun["created"] > 2_000_000, "the time until it expires", begun)
        # Stored messages are there after a restart, and new ones come after them.
        with server:
            server.call(*signed, "second")
            waiting = server.ask("GET", "pending?registration=" + app["id"])["messages"]
            check(len(waiting) == 2, "both messages wait", waiting)
            for message in waiting:
                check(time.gmtime(message["received"]).tm_year == year, "the year in which the message came", message)
            server.run("account", "mute", "--for", "1h", "Home")
            server.run("account", "pause", "--for", "1h")
            text = server.run("account", "list")
            check(f"until {year}-" in text, "the year in which the mute ends", text)


def main():
    try:
        for year, moment in YEARS.items():
            walk(year, moment)
    finally:
        # The library leaves its shared memory behind when programs are killed.
        for path in set(glob.glob("/dev/shm/*faketime*")) - before:
            os.unlink(path)
    print(f"years: {check.passed} checks in {', '.join(map(str, YEARS))}")


checked(main)
