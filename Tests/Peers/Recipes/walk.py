"""Follows pages of docs/recipes like a reader: types their commands into one shell, compares the output, and does at
the screen what the page says. Other programs and people are played by this test, or are there, as Firefox and Synapse.
The server uses its usual port, so this runs in its own network namespace.

usage: walk.py PATH_OF_BELLWIRE PYTHON_WITH_SYNAPSE PAGE…
"""

import asyncio
import contextlib
import os
import pathlib
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Desktop"))
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Firefox"))
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Synapse"))
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "WebPush"))

from others import Others
from reader import Reader
from room import Room
from screen import PLASMA, Recorder
from session import Checks, Failed, Session
from shell import Shell

ROOT = pathlib.Path(__file__).resolve().parents[3]
check = Checks("recipes")


async def walk(bellwire, python, page):
    async with contextlib.AsyncExitStack() as ends:
        session = Session(bellwire)
        ends.callback(session.close)
        ends.callback(os.chdir, ROOT)
        os.chdir(session.folder)
        os.mkdir("Keys", 0o700)
        os.symlink(ROOT / "docs", "docs")
        # A reader has Debian's programs.
        session.environment["PATH"] = f"{pathlib.Path(bellwire).parent}:/usr/bin:{os.environ['PATH']}"
        # Go compiles its own library once, and not for each walk.
        session.environment["GOCACHE"] = str(ROOT / ".build/recipes-go")
        # Pages write to ~/.config.
        session.environment.pop("XDG_CONFIG_HOME")
        session.address = session.environment["DBUS_SESSION_BUS_ADDRESS"]
        recorder = await Recorder(session, PLASMA).appear()
        ends.callback(recorder.disappear)
        session.start("serve", "--desktop", "--checkout", ".", log="serve")
        needs_room = "HOMESERVER" in (ROOT / page).read_text()
        room = await asyncio.to_thread(Room, session, python) if needs_room else None
        others = Others(session)
        ends.push_async_callback(others.end)
        others.shell = Shell(session)
        ends.callback(others.shell.end)
        reader = Reader(ROOT / page, check, others.shell, recorder, room, others)
        try:
            await reader.follow()
        except BaseException:
            print(session.log("serve")[-2000:], file=sys.stderr)
            raise
        return reader.skipped


async def main(bellwire, python, pages):
    index = (ROOT / "docs/recipes/README.md").read_text()
    for page in pages:
        check(f"({pathlib.Path(page).name})" in index, f"docs/recipes/README.md lists {page}")
        before, began = check.passed, time.monotonic()
        skipped = await walk(bellwire, python, page)
        print(f"recipes: {page}: {check.passed - before} steps in {time.monotonic() - began:.1f} s")
        for why in skipped:
            print(f"recipes: {page}: a block is not run: {why}")
        check(check.passed - before > 2, f"{page} has steps")


if __name__ == "__main__":
    try:
        asyncio.run(main(*map(os.path.abspath, sys.argv[1:3]), sys.argv[3:]))
    except Failed as failure:
        sys.exit(str(failure))
