"""The stage of a scenario: folders, a server, senders and user agents, and a log of everything."""

import asyncio
import functools
import pathlib
import signal

from clients.agent import Agent
from clients.sender import Client, Closed, Sender
from clients.world import World
from events import EventLog
from machine.server import Server
from machine.vault import Vault


class NotReady(Exception):
    """The server did not start again."""


class Stage:
    """Begins with a ready server, unless it is to be started later."""

    def __init__(self, folder, name, seed, state=None, is_meddled=False, is_later=False, kind=Server):
        self.folder = pathlib.Path(folder) / name
        self.folder.mkdir(mode=0o700)
        self.name, self.log = name, EventLog(self.folder / f"{name}.log")
        self.server = kind(self.folder, self.log, state, is_meddled)
        self.world = World(self.server, self.log, seed)
        self.random = self.world.branch()
        self.tasks, self.is_later = [], is_later

    async def __aenter__(self):
        self.spawn(self.log.watch_delays())
        if not self.is_later and not await self.server.start():
            raise SystemExit("torture: the server does not start:\n" + (self.folder / "output").read_text())
        return self

    async def revive(self):
        """Without a server the scenario is over, and the checker says why."""
        if not await self.server.start():
            raise NotReady

    async def __aexit__(self, kind, *_):
        if self.server.process.returncode is None:
            if kind is None:
                await self.look()
                await self.server.kill(signal.SIGTERM)
            else:
                await self.server.kill()
        for task in self.tasks:
            task.cancel()
        ends = await asyncio.gather(*self.tasks, return_exceptions=True)
        self.server.show_output()
        self.server.show_files()
        self.log.close()
        for error in ends:
            if kind is not NotReady and isinstance(error, Exception):
                raise error
        return kind is NotReady

    @functools.cached_property
    def vault(self):
        return Vault(self)

    def spawn(self, coroutine):
        task = asyncio.get_running_loop().create_task(coroutine)
        self.tasks.append(task)
        return task

    def populate(self, agents, senders, channels=3, rest=0.004, devices=0):
        """The first agents have a device each."""
        self.world.rest = rest
        for number in range(agents):
            self.spawn(Agent(self.world, 1 + number % channels, has_device=number < devices).run())
        for _ in range(senders):
            self.spawn(Sender(self.world).run())

    async def until(self, condition, seconds=20):
        """Whether it became true in time."""
        for _ in range(int(seconds / 0.02)):
            if condition():
                return True
            await asyncio.sleep(0.02)
        return False

    async def restart(self, how=signal.SIGKILL):
        await self.server.kill(how)
        return await self.server.start()

    async def finish(self, seconds=6.5):
        """Clients stay until everything has come; then no more pushes begin."""
        await self.world.calm(seconds)
        self.world.is_over = True
        await asyncio.sleep(0.5)

    async def look(self):
        """What everybody can see."""
        client = Client(self.server.port)
        for path in ("/health", "/status", "/__version__", "/__heartbeat__", "/metrics"):
            try:
                _, answer = await client.ask("GET", path)
                self.log.note("shown", where=path, text=str(answer))
            except (Closed, TimeoutError):
                pass
        client.close()
        self.server.show_process()
