"""gotify-tray, a desktop's program, under Xvfb: what is pushed is shown by it, and what it missed is fetched."""

import asyncio
import json
import pathlib
import sys

from dbus_fast import Message, MessageType, Variant
from kit import bus
from kit.gate import Gate
from kit.screen import Recorder
from kit.webserver import Handler, Listening
from screen import Desk
from table import MULTIPART, PNG, multipart
from wire import JSON

WATCHER = "org.kde.StatusNotifierWatcher"
PROGRAM = pathlib.Path(sys.prefix, "bin/gotify-tray")


class Panel:
    """The part of a desktop that tray icons are registered with."""

    def __init__(self):
        self.items = []

    async def appear(self, address):
        self.bus = await bus.connected(address)
        self.bus.add_message_handler(self.handle)
        await self.bus.request_name(WATCHER)

    def handle(self, message):
        if message.message_type != MessageType.METHOD_CALL or message.path != "/StatusNotifierWatcher":
            return None
        if message.member == "RegisterStatusNotifierItem":
            self.items.append(message.body[0])
            return Message.new_method_return(message)
        if message.member == "Get":
            known = {"IsStatusNotifierHostRegistered": Variant("b", True), "ProtocolVersion": Variant("i", 0)}
            return Message.new_method_return(message, "v", [known[message.body[1]]])
        return None


class Pictures(Handler):
    """What messages link to."""

    asked = []

    def do_GET(self):
        Pictures.asked.append(self.path)
        self.answer(200, PNG, Content_Type="image/png")


class Tray:
    def __init__(self, place, judge):
        self.place, self.judge = place, judge

    def run(self):
        with Desk(None) as desk:
            desk.display()
            asyncio.run(self.watch(desk))

    def push(self, **members):
        return self.place.wire.ask("POST", "/message", json.dumps(members), **self.sender, Content_Type=JSON).members

    @property
    def sender(self):
        return {"X_Gotify_Key": self.place.application["token"], "Authorization": None}

    async def watch(self, desk):
        picture = f"/application/{self.place.application['id']}/image"
        fields = {"X_Gotify_Key": self.place.credential, "Authorization": None, "Content_Type": MULTIPART}
        self.place.wire.ask("POST", picture, multipart(file=PNG), **fields)
        panel, shown, pictures = Panel(), await Recorder(desk).appear(), Listening(Pictures)
        await panel.appear(desk.address)
        gate = await Gate(target=self.place.port).begin()
        settings = pathlib.Path(desk.folder, "config/gotify-tray.conf")
        settings.parent.mkdir()
        server = f"[Server]\nurl=http://localhost:{gate.port}/gotify\nclient_token={self.place.client['token']}\n"
        settings.write_text(server + "[tray]\nnotifications\\priority=3\n")
        desk.environment |= {"XDG_CONFIG_HOME": str(settings.parent), "TMPDIR": desk.folder, "QT_QPA_PLATFORM": "xcb"}
        desk.run(str(PROGRAM))
        try:
            await self.judge_shown(panel, shown, pictures)
            await self.judge_missed(gate, settings)
        finally:
            gate.end()
            pictures.shutdown()
            # What goes through the gate ends too.
            await asyncio.sleep(0.1)

    async def told(self, condition, what, seconds=20):
        end = asyncio.get_running_loop().time() + seconds
        while not (got := condition()) and asyncio.get_running_loop().time() < end:
            await asyncio.sleep(0.05)
        self.judge(got, what)
        return got

    async def judge_shown(self, panel, shown, pictures):
        await self.told(lambda: panel.items, "gotify-tray is in the tray")
        await asyncio.sleep(0.5)
        told = await asyncio.to_thread(self.push, title="Größe", message="text ä", priority=5)
        await self.told(lambda: shown.calls, f"gotify-tray shows what is pushed: {told}")
        seen = [(call[3], call[4]) for call in shown.calls]
        self.judge(seen == [("Größe", "text ä")], "gotify-tray shows title and text", seen)
        # It often hears of nothing more if a message comes while it takes one in.
        await asyncio.sleep(2)
        await asyncio.to_thread(self.push, message="quiet", priority=1)
        await asyncio.sleep(2)
        await asyncio.to_thread(self.push, message=f"{pictures.url}a.png", priority=1)
        await self.told(lambda: "/a.png" in Pictures.asked, "gotify-tray fetches the picture of a message")
        self.judge(len(shown.calls) == 1, "gotify-tray shows nothing of low priority", shown.calls)

    async def judge_missed(self, gate, settings):
        """It remembers the last message that it fetched after a break."""
        gate.shut(True)
        missed = await asyncio.to_thread(self.push, message="missed", priority=1)
        gate.open()
        wanted = f"last={missed['id']}"
        await self.told(lambda: wanted in settings.read_text(), f"gotify-tray fetches what it missed: {wanted}")
