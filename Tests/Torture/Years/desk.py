"""The desktop of a session for the year: its buses, `bellwire desktop`, an application, and somebody who reads the
notifications. It reaches the server by a relay, which can cut it off while the machine sleeps.
"""

import asyncio
import contextlib
import pathlib
import sqlite3

from clients.sender import Client
from kit import bus
from kit.coding import path_of
from kit.desktop import Application, Session
from kit.gate import Gate
from kit.process import Running
from kit.screen import Recorder

WEEK = 7 * 86_400
# The desktop copies its WAL into the file after 256 pages.
WAL_LIMIT = 3 << 19


class Relay(Gate):
    """Between the desktop and the server, which keep their TLS to themselves."""

    connections = 0

    async def connect(self, reader, writer):
        self.connections += 1
        await super().connect(reader, writer)


class Desk:
    def __init__(self, bellwire, relay, check):
        self.relay, self.check, self.process = relay, check, None
        self.session, self.buses = Session(bellwire), []
        self.state = pathlib.Path(self.session.folder, "desk", "desktop")

    async def begin(self, service):
        """A device, an account that the desktop shows, and an application with an endpoint."""
        self.client = Client(service.plain)
        status, device = await service.control("POST", "devices", {"name": "desk"})
        self.check(status == 201, "a device for the desktop", str(device))
        body = {"token_type": 10, "app": "plain", "account": "desk", "clear": True}
        status, answer = await service.control("POST", "registrations", body)
        self.check(status == 201, "an account for the desktop", str(answer))
        self.account, self.shown = answer["id"], path_of(answer["endpoint"])
        self.session.environment |= {
            **service.meddler.environment(self.session.folder + "/desk"),
            "BELLWIRE_RECEIVER_AUTHORITIES": str(service.folder / "ca.pem"),
            "TZ": "UTC",
        }
        self.screen = await Recorder(self.session).appear()
        self.machine = await bus.connected(self.session.environment["DBUS_SYSTEM_BUS_ADDRESS"])
        await self.machine.request_name(bus.LOGIND)
        address = device["websocket"].replace(f":{service.tls}/", f":{self.relay.port}/")
        self.process = await asyncio.to_thread(self.session.desktop, f"{address} plain/desk")
        self.app = await Application(self.session, "org.example.Year").appear()
        await self.app.register()
        self.buses = [self.machine, self.screen.bus, self.app.bus]
        self.endpoint = path_of(await self.app.endpoint())

    def tell(self, is_asleep):
        bus.tell_asleep(self.machine, is_asleep)

    async def fall_asleep(self, is_cut_off):
        """A connection that dies meanwhile has to be made again, perhaps with another certificate."""
        self.tell(True)
        if is_cut_off:
            self.relay.cut()
            # The desktop learns of it before it wakes up, and need not wait before it tries again.
            await asyncio.sleep(0.05)

    def wake_up(self):
        self.tell(False)

    async def pass_day(self, day, is_read):
        """The application gets the push of the day. On some days, somebody reads a notification: one in a second comes
        up, and the desktop was awake for half of one.
        """
        text = f"day {day}"
        await self.push(self.endpoint, text, ("Content-Encoding", "aes128gcm"))
        found = (await self.app.message()).decode()
        self.check(found == text, f"the application gets the push of {text}", found)
        if is_read:
            await self.read(text)

    async def read(self, text):
        await self.push(self.shown, text)
        for _ in range(1_000):
            if self.screen.visible:
                break
            await asyncio.sleep(0.01)
        # A note that it came in clear is before it.
        shown = [body.splitlines()[-1] for body in self.screen.bodies]
        self.check(shown == [text], f"the screen shows the notification of {text}", str(shown))
        for number in [*self.screen.visible]:
            self.screen.user_closes(number)
        self.screen.calls.clear()

    async def push(self, path, text, *fields):
        status, answer = await self.client.ask("POST", path, [("TTL", WEEK), *fields], text.encode())
        self.check(status == 201, f"a push for the desktop is accepted on {text}", str(answer))

    async def judge(self, days):
        self.check(await self.app.nothing(0.2), "the application gets each push once")
        self.check(self.process.poll() is None, "the desktop runs through the whole year")
        cuts = (days + 2) // 3
        self.check(
            2 * cuts < self.relay.connections <= 2 * cuts + 4,
            f"the desktop and its account connect again each of the {cuts} times, and no more often",
            str(self.relay.connections),
        )
        bad = [line for line in self.said().splitlines() if line.startswith(("<3>", "<2>"))]
        self.check(not bad, "the log of the desktop has no error", "\n".join(bad))

    def usage(self):
        """The database has its size whether its newest pages are still in the WAL or not."""
        sizes = {file.name: file.stat().st_size for file in self.state.iterdir() if file.is_file()}
        self.check(sizes.pop("desktop.db-wal", 0) <= WAL_LIMIT, "the WAL of the desktop begins again", str(sizes))
        with contextlib.closing(sqlite3.connect(f"file:{self.state}/desktop.db?mode=ro", uri=True)) as store:
            [pages], [size] = (store.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "page_size"))
        sizes["desktop.db"] = pages * size
        return usage(self.process, sum(sizes.values())) | {"files": len(sizes)}

    def said(self):
        return self.session.log("desktop") if self.process else ""

    def end(self):
        self.check(self.session.end(self.process) == 0, "the desktop ends in good order", self.said()[-2000:])

    def close(self):
        for each in self.buses:
            each.disconnect()
        self.session.close()


def usage(process, stored):
    """What a process uses, beside the bytes that it has stored."""
    seen = Running(process)
    return {
        "wakes": sum(seen.wakes().values()),
        "cpu": seen.ticks() / 100,
        "resident": seen.memory(),
        "descriptors": seen.descriptors(),
        "stored": stored,
    }
