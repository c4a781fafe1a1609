"""A message that was given a time is drawn by Debian's notification servers at that time and not before, although the
server and the desktop services were killed in between. All of them have a screen of their own, and wait for the same
message.

usage: scheduled.py PATH_OF_BELLWIRE [FOLDER_FOR_SCREENSHOTS]
"""

import asyncio
import contextlib
import os
import signal
import sys
import tempfile
import time
import urllib.request

sys.path.append(__file__.rsplit("/", 3)[0])

from kit import control, process
from kit.checks import Checks, checked
from kit.desktop import Session
from screen import Desk
from servers import DAEMONS, DUNSTRC

check = Checks("scheduled")
# The shortest delay that a sender may ask for, with room for what this test does meanwhile.
DELAY = 30


class Screen:
    """A notification server with a screen, and the desktop service that it serves."""

    def __init__(self, desk, daemon, folder):
        self.desk, self.name, self.picture = desk, daemon.name, f"{folder}/{daemon.name}-scheduled.png"
        self.command = [word.replace("dunstrc", desk.folder + "/dunstrc") for word in daemon.command]

    async def begin(self, bellwire, address):
        self.desk.display()
        with open(self.desk.folder + "/dunstrc", "w") as file:
            file.write(DUNSTRC.format(markup=""))
        with open(os.open(self.desk.folder + "/receivers", os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
            file.write(address + "\n")
        self.words = (bellwire, "desktop", "--state", self.desk.folder + "/desk")
        self.words += ("--receivers-file", self.desk.folder + "/receivers")
        await self.desk.serve(*self.command)
        self.start()

    def start(self):
        self.desktop = self.desk.run(*self.words, out=True)
        check(process.ready(self.desktop, "bellwire: ready") is not None, f"the desktop of {self.name} is ready")

    def restart(self):
        self.desk.end(self.desktop, signal.SIGKILL)
        self.start()

    def is_empty(self):
        return self.desk.screenshot(self.picture) == 1


def publish(base, token, **fields):
    wish = urllib.request.Request(f"{base}/plans", b"now", {"Authorization": f"Bearer {token}", **fields})
    with urllib.request.urlopen(wish, timeout=20) as answer:
        check(answer.status == 200, "the server takes a message for later")


async def main(bellwire, folder=None):
    folder = folder or tempfile.mkdtemp()
    os.makedirs(folder, exist_ok=True)
    with contextlib.ExitStack() as ends:
        session = ends.enter_context(Session(bellwire))
        server, base = session.serve()
        socket = f"{session.folder}/receiver/control.sock"
        terms = {"token_type": 10, "app": "script", "dialect": "plain", "clear": True, "trust_clear": True, "topic": {}}
        control.ask(socket, "POST", "registrations", {**terms, "account": "plans"})
        token = control.ask(socket, "POST", "tokens", {"name": "planner"})["token"]
        address = f"{session.device()['url']} script/plans"
        screens = [Screen(ends.enter_context(Desk(None)), daemon, folder) for daemon in DAEMONS]
        for screen in screens:
            await screen.begin(bellwire, address)
        due = int(time.time()) + DELAY
        publish(base, token, At=str(due), Title="Planned")
        session.end(server, signal.SIGKILL)
        session.serve(port=int(base.rsplit(":", 1)[1]))
        for screen in screens:
            screen.restart()
        await asyncio.sleep(due - 6 - time.time())
        before = [screen.is_empty() for screen in screens]
        check(time.time() < due, "all are back, and were looked at, before it is due")
        for screen, is_empty in zip(screens, before, strict=True):
            check(is_empty, f"{screen.name} shows nothing before the time")
        await asyncio.sleep(due - time.time())
        for screen in screens:
            await check.eventually(lambda screen=screen: not screen.is_empty(), f"{screen.name} draws it at the time")
        check(time.time() < due + 10, "that was soon after the time")
    print(f"scheduled: {check.passed} checks passed; pictures in {folder}")


if __name__ == "__main__":
    checked(main, *sys.argv[1:])
