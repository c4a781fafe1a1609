"""Programs that put something else in the place of Flatpak's file, to mislead or to block its reader.

usage: hostile.py PATH_OF_BELLWIRE
"""

import asyncio
import os
import shutil
import subprocess
import sys
import time

sys.path.append(__file__.rsplit("/", 3)[0])

from kit.checks import Checks, checked
from kit.desktop import Application, Session
from sandbox import PACKAGES, PYTHON, SCRIPT, listed, root

check = Checks("hostile")


def make(session, kind):
    path = f"{session.folder}/{kind}"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        os.mkdir(path)
    elif kind == "huge":
        with open(path, "wb") as file:
            file.truncate(1 << 40)
    elif kind == "device":
        return "/dev/zero"
    return path


class Hostile:
    """A program that is known to the bus itself and has its own namespace."""

    def __init__(self, session, kind):
        bus = session.address.split("=", 1)[1].split(",")[0]
        mark = ["--dev-bind", make(session, kind), "/.flatpak-info"]
        if kind == "link":
            mark = ["--symlink", "/dev/zero", "/.flatpak-info"]
        words = ["bwrap", *root("--dev-bind"), *mark, "--bind", bus, bus, "--die-with-parent", "--"]
        words += [PYTHON, SCRIPT, "--inside", f"org.example.{kind}"]
        environment = dict(session.environment, PYTHONPATH=PACKAGES, PYTHONDONTWRITEBYTECODE="1")
        self.process = session.spawn(words, stdin=subprocess.PIPE, env=environment)

    async def register(self):
        self.process.stdin.write('{"what": "register", "token": "hostile"}\n')
        self.process.stdin.flush()
        return await asyncio.wait_for(asyncio.to_thread(self.process.stdout.readline), 10)


async def main(bellwire):
    with Session(bellwire) as session:
        session.serve()
        desktop = session.desktop(session.device()["websocket"])
        good = await Application(session, "org.example.Good").appear()
        for kind in ("pipe", "device", "folder", "huge", "link"):
            hostile = Hostile(session, kind)
            answer = await hostile.register()
            check("SUCCEEDED" in answer, f"a program with a {kind} in place of the file can register: {answer}")
            check(listed(session).get(f"org.example.{kind}") == "?", "a program with such a file is not trusted")
            answer = await asyncio.wait_for(good.register(), 3)
            check(answer["success"] == "REGISTRATION_SUCCEEDED", f"another application can register after a {kind}")
            await good.endpoint()
        began = time.monotonic()
        check(session.end(desktop) == 0, "the service ends with exit code 0")
        check(time.monotonic() - began < 5, "the service ends within five seconds")
    print(f"hostile: {check.passed} checks passed")


if not shutil.which("bwrap"):
    sys.exit("hostile: FAILED: bubblewrap is missing")
checked(main, os.path.abspath(sys.argv[1]))
