"""A screen of somebody who has several: a session with a bus, `bellwire desktop`, and a notification server that has a
user before it.
"""

import asyncio
import contextlib
import pathlib
import re
import shutil
import signal
import tempfile

from events import now
from kit import bus
from kit.screen import Recorder
from machine.server import Server
from session.buses import Session


class Told:
    """The log, for what belongs to one screen."""

    def __init__(self, log, number):
        self.log, self.number = log, number

    def note(self, event, **facts):
        self.log.note(f"own-{event}", r=self.number, **facts)


class Glass(Recorder):
    """Writes down what is there and what sounds, by its text: a question or a note with a number, or a summary."""

    def __init__(self, screen):
        super().__init__(screen)
        self.screen, self.there = screen, set()

    def handle(self, message):
        answer = super().handle(message)
        self.look()
        return answer

    def notify(self, body):
        number = super().notify(body)
        if what(self.visible[number]) and "suppress-sound" not in body[6]:
            self.screen.note("ring", what=what(self.visible[number]))
        return number

    def look(self):
        there = {what(call) for call in self.visible.values()} - {None}
        for one in self.there - there:
            self.screen.note("down", what=one)
        for one in there - self.there:
            self.screen.note("up", what=one)
        self.there = there

    def user_closes(self, number, reason=2):
        super().user_closes(number, reason)
        self.look()

    def disappear(self):
        super().disappear()
        self.look()


def what(call):
    if re.match(r"\d+ more notification", call[3]):
        return "summary"
    found = re.search(r"bw-(question|note) \d+", call[4])
    return found[0][3:] if found else None


class Screen:
    def __init__(self, stage, questions, number):
        self.questions, self.world, self.number = questions, stage.world, number
        self.name, self.random = f"screen-{number}", stage.world.branch()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="bellwire-screen-"))
        # What belongs to this screen, and what does not.
        own = Told(stage.log, number)
        self.note, self.note_for_all = own.note, stage.log.note
        self.session = Session(self.folder, own, None)
        self.address, self.receivers = self.session.address("session"), self.folder / "receivers"
        self.glass, self.has_user = Glass(self), True
        # When the user pressed which button of which note.
        self.rung = {}

    async def begin(self):
        await self.session.start_bus("system")
        await self.session.start_bus("session")
        self.logind = await bus.connected(self.session.address("system"))
        await self.logind.request_name(bus.LOGIND)
        device = await self.questions.make("devices", name=self.name)
        self.note_for_all("secret", what="the secret of a screen", text=device["websocket"].rsplit("/", 1)[1])
        self.receivers.touch(mode=0o600)
        accounts = " ".join(f"script/{name}" for name in self.questions.names)
        self.receivers.write_text(f"{device['websocket']} {accounts}\n")
        await self.raise_glass()
        await self.start()

    async def start(self):
        if not await self.session.start_desktop(Server.program, self.receivers):
            raise SystemExit("torture: a desktop does not start:\n" + (self.folder / "output").read_text())
        self.wake()

    def wake(self):
        """The machine says that it slept. The desktop then ends its pauses between attempts."""
        bus.tell_asleep(self.logind, False)
        self.note("woken")

    async def kill(self):
        await self.session.end_desktop(signal.SIGKILL)

    async def raise_glass(self):
        await self.glass.appear()
        self.note("screen-up")

    async def lose_glass(self):
        """The notification server dies, and another one comes."""
        self.note("screen-end")
        self.glass.disappear()
        await asyncio.sleep(self.random.choice([0, 0.3]))
        await self.raise_glass()
        self.wake()

    async def run(self):
        """The user."""
        try:
            while True:
                await asyncio.sleep(self.random.expovariate(1 / 0.15))
                if self.has_user and self.glass.visible and self.glass.bus.connected:
                    self.use(*self.random.choice(list(self.glass.visible.items())))
        finally:
            self.logind.disconnect()
            with contextlib.suppress(Exception):
                self.glass.disappear()
            await self.session.kill_all()
            self.show()
            shutil.rmtree(self.folder, ignore_errors=True)

    def use(self, number, call):
        one, dice = what(call), self.random.random()
        # With a summary he would close what he has not seen.
        if one in (None, "summary"):
            return
        labels = dict(zip(call[5][::2], call[5][1::2], strict=True))
        if one.startswith("question") and dice < 0.9:
            # An answer has the number of its question.
            key = self.random.choice([key for key, label in labels.items() if re.search(r"-\d+$", label)])
            self.press("press", one, number, key, answer=labels[key])
            return
        bell = next(((key, label) for key, label in labels.items() if "Ring" in label), None)
        if bell and dice < 0.7:
            # Nobody presses again while the notification does not say so, or what no desktop hears.
            if (one, bell[1]) not in self.rung and "desktop" in self.session.processes:
                self.rung[one, bell[1]] = now()
                self.press("ring-at", one, number, bell[0])
        # A notification server closes what was pressed, so a close right after it is none by the user.
        elif not bell or now() > self.rung.get((one, bell[1]), 0) + 2:
            self.close(number)

    def press(self, event, one, number, key, **facts):
        self.note_for_all(event, **{one[0]: int(one.split()[1])}, who=self.name, r=self.number, **facts)
        self.glass.user_chooses(number, key)

    def close(self, number):
        self.note("closes", what=what(self.glass.visible[number]))
        self.glass.user_closes(number)

    def show(self):
        """What it wrote, for the checker."""
        text = (self.folder / "output").read_text(errors="replace")
        self.note_for_all("shown", where="the desktop's output", text=text)
