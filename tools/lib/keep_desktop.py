"""Fills the desktop's store as its users would, and keeps it as a file for the tests of upgrades.

usage: keep_desktop.py PATH_OF_BELLWIRE

Needs what Tests/Peers/Desktop needs. Writes Tests/Vectors/Upgrades/desktop-NUMBER.tar.gz, where NUMBER is the schema of
that program. The archive holds the desktop's folder, as a kill left it, and facts.json, which says what must be found.
"""

import asyncio
import json
import pathlib
import signal
import sqlite3
import subprocess
import sys

# Which also says where the kit is.
from keep_store import pack
from kit.checks import Checks
from kit.desktop import Application, Session, telegram
from kit.screen import Recorder

NAME = "org.example.Kept"


async def fill(session, folder):
    """An application with an endpoint, and two notifications of an account on the screen."""
    session.serve()
    device = session.device()
    terms = ("--app", "telegram", "--account", "me", "--json")
    made = json.loads(session.run("register", *terms))
    recorder = await Recorder(session).appear()
    address = device["websocket"] + " telegram/me"
    desktop = session.desktop(address)
    application = await Application(session, NAME).appear()
    await application.register()
    endpoint = await application.endpoint()
    target = folder / "target.json"
    target.write_text(json.dumps({name: made[name] for name in ("endpoint", "keys")}))
    target.chmod(0o600)
    for number, sender in enumerate([b'"5"', b'"6"'], 1):
        text = telegram("hello", number).replace(b'"5"', sender)
        command = [session.bellwire, "send", "--to", str(target), text.decode()]
        await asyncio.to_thread(subprocess.run, command, check=True, env=session.environment, stdout=subprocess.DEVNULL)
        await Checks("kept").eventually(lambda: len(recorder.visible) == number, "the notification appears")
    await asyncio.sleep(0.5)
    session.end(desktop, signal.SIGKILL)
    return {"service": NAME, "token": application.token, "endpoint": endpoint, "receiver": device["websocket"]}


async def main(bellwire):
    with Session(bellwire) as session:
        folder = pathlib.Path(session.folder)
        facts = await fill(session, folder)
        copy = folder / "copy"
        copy.mkdir()
        for file in (folder / "desk/desktop").glob("desktop.db*"):
            (copy / file.name).write_bytes(file.read_bytes())
        facts["schema"] = sqlite3.connect(copy / "desktop.db").execute("PRAGMA user_version").fetchone()[0]
        (folder / "facts.json").write_text(json.dumps(facts))
        keys = [f"desk/keys/{file.name}" for file in (folder / "desk/keys").glob("*.json")]
        files = ["facts.json", "desk/desktop/desktop.db", "desk/desktop/desktop.db-wal", *keys]
        pack(f"desktop-{facts['schema']}", folder, files)


asyncio.run(main(sys.argv[1]))
