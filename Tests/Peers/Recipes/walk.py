"""Follows pages of docs/recipes like a reader: types their commands into one shell, compares the output, and does at
the screen what the page says. The server uses its usual port, so this runs in its own network namespace.

usage: walk.py PATH_OF_BELLWIRE PYTHON_WITH_SYNAPSE PAGE…
"""

import asyncio
import json
import os
import pathlib
import shlex
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Desktop"))
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Synapse"))

from homeserver import Homeserver, User
from page import Command, steps
from screen import PLASMA, Recorder
from session import Checks, Failed, Session

ROOT = pathlib.Path(__file__).resolve().parents[3]
check = Checks("recipes")
END = "--- the command has ended:"


class Shell:
    """One shell for a page, so that later commands see the variables of earlier ones."""

    def __init__(self, session):
        self.process = subprocess.Popen(
            ["bash"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=session.environment,
        )
        session.processes.append(self.process)

    def run(self, text):
        """The output of a command, and its exit code."""
        # The commands must not read the shell's input.
        self.process.stdin.write(f"eval {shlex.quote(text)} < /dev/null\nprintf '%s %d\\n' '{END}' $?\n")
        self.process.stdin.flush()
        printed = ""
        for line in self.process.stdout:
            if END in line:
                rest, _, code = line.partition(END)
                return printed + rest + ("\n" if rest else ""), int(code)
            printed += line
        raise Failed("recipes: FAILED: the shell has ended")


class Room:
    """A room on a Synapse: Ann writes, and Bob is the reader of the page."""

    def __init__(self, session, python):
        advice = json.loads(session.run("check", "--json", state="state/bellwire"))["senders"]
        self.server = Homeserver(
            pathlib.Path(session.folder) / "synapse",
            8008,
            json.dumps(advice["synapse"]).strip("{}"),
            python,
            {**session.environment, "SSL_CERT_FILE": session.folder + "/Keys/development-ca.pem"},
        )
        self.server.start()
        session.processes.append(self.server.process)
        self.ann, self.bob = User(self.server, "ann"), User(self.server, "bob")
        self.room = self.ann.create_room(self.bob)
        self.events = {}
        session.environment.update(HOMESERVER=self.server.url, TOKEN=self.bob.token)

    def say(self, words):
        self.events[words] = self.ann.say(self.room, words)

    def redact(self, words):
        self.ann.redact(self.room, self.events[words])


class Reader:
    """Does what a page says: types at a shell, looks at a screen and clicks there."""

    def __init__(self, page, shell, recorder, room):
        self.page, self.shell, self.recorder, self.room = page, shell, recorder, room

    async def follow(self):
        for step in steps((ROOT / self.page).read_text()):
            place = f"{self.page}:{step.line}"
            if isinstance(step, Command):
                printed, code = await asyncio.to_thread(self.shell.run, step.text)
                check(
                    code == 0 and step.matches(printed), f"{place}: {step.text}\nexit code {code}, printed:\n{printed}"
                )
            else:
                what, _, more = step.words.partition(" / ")
                done = await getattr(self, step.verb)(*filter(None, (what, more)))
                seen = [call[3:6] for call in self.recorder.visible.values()]
                check(done, f"{place}: {step.verb} {step.words}\non the screen: {seen}")

    def find(self, words):
        for number, call in sorted(self.recorder.visible.items()):
            if words in call[3] or words in call[4]:
                return number
        return None

    async def becomes(self, condition):
        for _ in range(1500):
            if condition():
                return True
            await asyncio.sleep(0.01)
        return False

    async def shown(self, words):
        return await self.becomes(lambda: self.find(words) is not None)

    async def gone(self, words):
        return await self.becomes(lambda: self.find(words) is None)

    async def silent(self, words):
        """No such notification appears within a second."""
        await asyncio.sleep(1)
        return self.find(words) is None

    async def badge(self, number):
        def is_shown():
            _, badge = self.recorder.badges[-1] if self.recorder.badges else ("", {"count": 0})
            return badge["count"] == int(number)

        return await self.becomes(is_shown)

    async def click(self, words):
        return await self.choose(words, None)

    async def choose(self, words, label):
        if not await self.shown(words):
            return False
        number = self.find(words)
        actions = self.recorder.visible[number][5]
        keys = dict(zip(actions[1::2], actions[0::2]))
        if label is not None and label not in keys:
            return False
        self.recorder.user_chooses(number, keys[label] if label else "default")
        return True

    async def reply(self, words, text):
        if not await self.shown(words):
            return False
        self.recorder.signal("NotificationReplied", "us", [self.find(words), text])
        return True

    async def say(self, words):
        await asyncio.to_thread(self.room.say, words)
        return True

    async def redact(self, words):
        await asyncio.to_thread(self.room.redact, words)
        return True

    async def until(self, command, output):
        """Waits until the command prints that."""
        for _ in range(300):
            printed, _ = await asyncio.to_thread(self.shell.run, command)
            if printed.strip() == output:
                return True
            await asyncio.sleep(0.1)
        return False


async def walk(bellwire, python, page):
    session = Session(bellwire)
    try:
        os.chdir(session.folder)
        os.mkdir("Keys", 0o700)
        os.symlink(ROOT / "docs", "docs")
        session.environment["PATH"] = f"{pathlib.Path(bellwire).parent}:{os.environ['PATH']}"
        session.address = session.environment["DBUS_SESSION_BUS_ADDRESS"]
        recorder = await Recorder(session, PLASMA).appear()
        session.start("serve", "--desktop", "--checkout", ".", log="serve")
        needs_room = "HOMESERVER" in (ROOT / page).read_text()
        room = await asyncio.to_thread(Room, session, python) if needs_room else None
        await Reader(page, Shell(session), recorder, room).follow()
    except BaseException:
        print(session.log("serve")[-2000:], file=sys.stderr)
        raise
    finally:
        os.chdir(ROOT)
        session.close()


async def main(bellwire, python, pages):
    for page in pages:
        before = check.passed
        await walk(bellwire, python, page)
        print(f"recipes: {page}: {check.passed - before} steps")
        check(check.passed - before > 10, f"{page} has steps")


if __name__ == "__main__":
    try:
        asyncio.run(main(*map(os.path.abspath, sys.argv[1:3]), sys.argv[3:]))
    except Failed as failure:
        sys.exit(str(failure))
