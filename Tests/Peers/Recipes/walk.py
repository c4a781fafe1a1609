"""Follows pages of docs/recipes like a reader: types their commands into one shell, compares the output, and does at
the screen what the page says. The shell is in a fresh Debian, which has no package that the page does not name. Other
programs and people are played by this test, or are there, as Firefox and Synapse. The server uses its usual port, so
this goes on in a network namespace of its own, once everything is installed.

usage: walk.py PATH_OF_BELLWIRE PYTHON_WITH_SYNAPSE ROOT FOLDER PAGE…

ROOT is a fresh system, which `.ci/bare make` has made; it stays as it is. FOLDER is for what is put over it. Run it as
root, in a mount namespace of its own.
"""

import asyncio
import contextlib
import os
import pathlib
import sys
import time

sys.path.append(__file__.rsplit("/", 3)[0])
sys.path += [f"{sys.path[-1]}/Peers/Firefox", f"{sys.path[-1]}/Peers/Synapse"]

from fresh import OUTSIDE, Systems, named
from kit.checks import Checks, checked
from kit.desktop import Session
from kit.screen import PLASMA, Recorder
from others import Others, Room
from reader import Reader, Shell

ROOT = pathlib.Path(__file__).resolve().parents[3]
check = Checks("recipes")


async def walk(bellwire, python, systems, page):
    async with contextlib.AsyncExitStack() as ends:
        session = Session(bellwire)
        ends.callback(session.close)
        ends.callback(os.chdir, ROOT)
        os.chdir(session.folder)
        os.mkdir("Keys", 0o700)
        for name in ("docs", ".build"):
            os.symlink(ROOT / name, name)
        # The state is below HOME, where pages look for the certificate's authority.
        names = ("HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR")
        buses = ("DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS")
        # Nothing else of this machine's environment is there. Pages write to ~/.config.
        session.environment = {
            **{name: session.environment[name] for name in names + buses},
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "LC_ALL": "C.UTF-8",
            # Go compiles its own library once, and not for each walk.
            "GOCACHE": str(ROOT / ".build/recipes-go"),
        }
        session.within = ends.enter_context(systems.reader(ROOT / page, session.folder))
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


async def main(bellwire, python, systems, pages):
    index = (ROOT / "docs/recipes/README.md").read_text()
    for page in pages:
        check(f"({pathlib.Path(page).name})" in index, f"docs/recipes/README.md lists {page}")
        before, began = check.passed, time.monotonic()
        skipped = await walk(bellwire, python, systems, page)
        packages = ", ".join(named(page)) or "no package"
        print(f"recipes: {page}: {check.passed - before} steps in {time.monotonic() - began:.1f} s, with {packages}")
        for why in skipped:
            print(f"recipes: {page}: a block is not run: {why}")
        check(check.passed - before > 2, f"{page} has steps")
    for who, why in OUTSIDE.items():
        print(f"recipes: not in the fresh system: {who}: {why}")


if __name__ == "__main__":
    paths, pages = list(map(os.path.abspath, sys.argv[1:5])), sys.argv[5:]
    systems = Systems(*paths[2:])
    if pages[-1:] != ["alone"]:
        systems.prepare(pages)
        os.execv(ROOT / "tools/lib/alone", ["alone", sys.executable, *sys.argv, "alone"])
    checked(main, *paths[:2], systems, pages[:-1])
