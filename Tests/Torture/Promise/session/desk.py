"""A desktop as a guest of the torture: `bellwire desktop` on a session bus of its own, connected to the tortured
server, with applications, accounts, senders, a notification daemon and a user.
"""

import asyncio
import contextlib
import json
import pathlib
import shutil
import signal
import tempfile

from clients.viewer import number_of
from kit import bus
from machine.server import Server
from session.application import Application, Sleeper
from session.buses import HERE, Session
from session.connector import Registration, connected
from session.posts import APP, Account, Courier
from session.reports import Reports

# Numbers of accounts, apart from those of other scenarios.
ACCOUNTS = {1_001: "plain", 1_002: "telegram"}
# Generation of the protocol, and how many registrations they have.
STEADY, WANDERING, SLEEPING = [(1, 1), (2, 3)], [(1, 1), (2, 1), (2, 2)], [(2, 1), (1, 1)]


class Desk:
    def __init__(self, stage):
        self.stage, self.world, self.log, self.random = stage, stage.world, stage.log, stage.world.branch()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="bellwire-desk-"))
        self.reports = Reports(str(self.folder / "reports"), self.log)
        self.session = Session(self.folder, self.log, self.reports)
        self.address = self.session.address("session")
        if hasattr(stage.server, "authority"):
            self.session.environment["BELLWIRE_RECEIVER_AUTHORITIES"] = str(stage.server.authority.path)
        self.receivers, self.registrations, self.connections = self.folder / "receivers", [], 0
        # Nobody pushes or dismisses; no application comes any more; the desktop has ended.
        self.is_still = self.is_closing = self.is_finished = False
        self.end = asyncio.Event()

    async def begin(self):
        await self.reports.begin()
        await self.session.start_bus("system")
        await self.session.start_bus("session")
        self.logind = await connected(self.session.address("system"))
        await self.logind.request_name(bus.LOGIND)
        self.accounts = [Account(self, number, dialect) for number, dialect in ACCOUNTS.items()]
        for one in self.accounts:
            await one.begin()
        await self.write_receivers()
        self.applications = []
        for kind, terms, words in (
            (Application, STEADY, {"is_steady": True}),
            (Application, WANDERING, {}),
            (Sleeper, SLEEPING, {}),
        ):
            for version, wanted in terms:
                number = len(self.applications) + 1
                self.applications.append(kind(self, number, version, wanted, **words))
                if kind is Sleeper:
                    name = self.applications[-1].name
                    self.session.install(name, HERE / "started.py", number, version, self.reports.path)
        await self.session.start_helpers()
        if not await self.start_desktop():
            raise SystemExit("torture: the desktop does not start:\n" + (self.folder / "output").read_text())

    async def write_receivers(self):
        status, device = await self.world.server.control("POST", "devices", {"name": "desk"})
        if status != 201:
            raise SystemExit(f"torture: no device for the desktop: {status} {device}")
        self.log.note("desk-device", secret=device["websocket"].rsplit("/", 1)[1])
        accounts = " ".join(f"{APP}/a{one.number}={one.entry}" for one in self.accounts)
        self.receivers.touch(mode=0o600)
        self.receivers.write_text(f"{device['websocket']} {accounts}\n")

    def start_desktop(self):
        return self.session.start_desktop(Server.program, self.receivers)

    @property
    def is_over(self):
        return self.is_closing or self.world.is_over

    def next_connection(self):
        self.connections += 1
        return self.connections

    def registration(self, token):
        self.registrations.append(Registration(len(self.registrations) + 1, token))
        return self.registrations[-1]

    async def run(self):
        """Whoever restarts the server, the desktop then connects at once, as after a sleep."""
        tasks = [asyncio.create_task(one.run()) for one in (*self.applications, *self.accounts)]
        tasks += [asyncio.create_task(Courier(self).run()) for _ in range(3)]
        tasks += [asyncio.create_task(one.watcher.run()) for one in self.accounts]
        known = (0, False)
        try:
            while not self.is_finished:
                await asyncio.sleep(0.1)
                state = (self.world.server.lives, self.world.is_calm)
                if state != known and await self.answers():
                    known = state
                    self.wake()
                for task in tasks:
                    if task.done():
                        task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self.logind.disconnect()
            await self.session.kill_all()
            await self.reports.close()
            shutil.rmtree(self.folder, ignore_errors=True)
            self.end.set()

    async def answers(self):
        """Whether the server takes connections."""
        with contextlib.suppress(OSError):
            _, writer = await asyncio.open_connection("127.0.0.1", self.world.server.port)
            writer.close()
            return True
        return False

    def wake(self):
        """The machine says that it slept. The desktop then ends its pauses between attempts."""
        self.tell(False)
        self.log.note("woken")

    def tell(self, is_asleep):
        bus.tell_asleep(self.logind, is_asleep)

    def order_screen(self, mode="well"):
        """How the notification daemon answers from now on."""
        self.log.note("screen-mode", mode=mode)
        self.reports.order(self.session.screens, mode=mode, user=not self.is_still)

    async def look(self):
        """Compares: nobody pushes or dismisses, and then a new view says what the screen must show."""
        self.is_still = True
        self.order_screen()
        self.wake()
        # A call that failed is repeated after five seconds.
        await asyncio.sleep(7.5)
        self.log.note("look")
        for one in self.accounts:
            await self.view(one)
        self.is_still = False
        self.order_screen()

    async def view(self, account):
        socket = str(self.world.server.state / "control.sock")
        async with asyncio.timeout(10):
            reader, writer = await asyncio.open_unix_connection(socket, limit=1 << 24)
            hello = {"@type": "bellwire.open", "app": APP, "account": f"a{account.number}", "role": "viewer"}
            writer.write(json.dumps(hello).encode() + b"\n")
            update = {}
            while update.get("@type") != "updateActiveNotifications":
                update = json.loads(await reader.readline())
            writer.close()
        found = [(group["id"], one) for group in update["groups"] for one in group["notifications"]]
        shown = [[group, one["id"], number_of(one)] for group, one in found]
        self.log.note("looked", r=account.number, shown=shown)

    async def finish(self):
        """Call it in a calm. Everything ends in good order."""
        await self.look()
        self.is_still = self.is_closing = True
        await asyncio.sleep(1.5)
        await self.session.end_desktop(signal.SIGTERM)
        self.show()
        self.is_finished = True
        await self.end.wait()

    def show(self):
        """What it wrote, for the checker. The receivers' file has its secret, because the user put it there."""
        text = (self.folder / "output").read_text(errors="replace")
        self.log.note("shown", where="the desktop's output", text=text)
        copy = self.log.path.with_suffix(".desktop")
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(self.folder / "state", copy, ignore=shutil.ignore_patterns("keys", "*.sock"))
        self.log.note("files", folder=str(copy))
