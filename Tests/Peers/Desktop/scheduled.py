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
from kit.screen import NAME
from screen import Desk, equip
from servers import DAEMONS, DUNSTRC

check = Checks("scheduled")
# The shortest delay that a sender may ask for, with room for what this test does meanwhile.
DELAY = 30


class Screen:
    """A notification server with a screen, and the desktop service that it serves."""

    def __init__(self, desk, daemon, folder):
        self.desk, self.name, self.picture = desk, daemon.name, f"{folder}/{daemon.name}-scheduled.png"
        self.daemon = daemon

    async def begin(self, bellwire, address):
        equip(self.desk, self.daemon, DUNSTRC)
        with open(os.open(self.desk.folder + "/receivers", os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
            file.write(address + "\n")
        self.words = (bellwire, "desktop", "--state", self.desk.folder + "/desk")
        self.words += ("--receivers-file", self.desk.folder + "/receivers")
        # One that nothing is shown on for half a minute may end, as mate's does, until the bus starts it again.
        daemon = self.daemon.words(self.desk)
        display = self.desk.environment["DISPLAY"]
        self.desk.install(NAME, f"/usr/bin/env DISPLAY={display} {' '.join(daemon)}")
        await self.desk.serve(*daemon)
        self.start()

    def start(self):
        self.desktop = self.desk.run(*self.words, out=True)
        check(process.ready(self.desktop, "bellwire: ready") is not None, f"the desktop of {self.name} is ready")

    def restart(self):
        self.desk.end(self.desktop, signal.SIGKILL)
        self.start()

    def is_empty(self):
        return self.desk.screenshot(self.picture) == 1

    async def drawn(self):
        """Some servers take a notification away after some seconds, so all are watched at the same time."""
        end = time.time() + 10
        while await asyncio.to_thread(self.is_empty) and time.time() < end:
            await asyncio.sleep(0.1)
        check(time.time() < end, f"{self.name} draws it at the time")


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
        control.ask(socket, "POST", "registrations", control.topic("plans"))
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
        await asyncio.gather(*(screen.drawn() for screen in screens))
    print(f"scheduled: {check.passed} checks passed; pictures in {folder}")


if __name__ == "__main__":
    checked(main, *sys.argv[1:])
