"""The programs of a session: its buses, `bellwire desktop`, a notification daemon, and somebody who listens."""

import asyncio
import contextlib
import os
import pathlib
import signal
import sys

from kit import bus

HERE = pathlib.Path(__file__).parent
READY = 20


async def ended(process):
    """The exit code. The library would also wait for children that have the same output."""
    while process.returncode is None:
        await asyncio.sleep(0.01)
    return process.returncode


class Session:
    """Everything has the same addresses again after it was started again."""

    def __init__(self, folder, log, reports):
        self.folder, self.log, self.reports = folder, log, reports
        self.note, self.processes = log.note, {}
        self.output = open(folder / "output", "ab")
        self.lives = self.screens = self.buses = 0
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
        for name in ("STATE_DIRECTORY", "CREDENTIALS_DIRECTORY", "NOTIFY_SOCKET", "http_proxy"):
            self.environment.pop(name, None)
        self.environment |= {
            "HOME": str(folder),
            "XDG_RUNTIME_DIR": str(folder),
            "SWIFT_BACKTRACE": "enable=no",
            "DBUS_SESSION_BUS_ADDRESS": self.address("session"),
            "DBUS_SYSTEM_BUS_ADDRESS": self.address("system"),
        }
        (folder / "services").mkdir()

    def address(self, kind):
        return f"unix:path={self.folder}/{kind}"

    def install(self, name, *words):
        """A program that the bus starts for its name."""
        (self.folder / "services" / f"{name}.service").write_text(bus.service(name, sys.executable, *words))

    async def start(self, name, *words):
        """The first line that it prints."""
        # Nothing outlives this process, however it ends.
        words = ["setpriv", "--pdeathsig", "KILL", *(str(word) for word in words)]
        process = await asyncio.create_subprocess_exec(
            *words, stdout=asyncio.subprocess.PIPE, stderr=self.output, env=self.environment
        )
        self.processes[name] = process
        with contextlib.suppress(TimeoutError):
            return await asyncio.wait_for(process.stdout.readline(), READY)
        return b""

    async def end(self, name, how=signal.SIGKILL):
        """The exit code, unless it has ended already."""
        process = self.processes.pop(name, None)
        if not process:
            return None
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(how)
        return await ended(process)

    async def start_bus(self, kind):
        (self.folder / kind).unlink(missing_ok=True)
        await self.start(kind, *bus.command(self.folder, kind, f"path={self.folder}/{kind}"))

    async def start_helpers(self):
        """The notification daemon and the listener."""
        await self.start_screen()
        words = [HERE / "overhear.py", self.address("session"), self.reports.path, self.buses]
        await self.start("listener", sys.executable, *words)

    async def start_screen(self):
        self.screens += 1
        program = HERE / "notices.py"
        await self.start("screen", sys.executable, program, self.address("session"), self.reports.path, self.screens)

    async def end_screen(self, how=signal.SIGKILL):
        self.note("screen-end", n=self.screens)
        await self.end("screen", how)

    async def start_desktop(self, program, receivers):
        """Whether it is ready."""
        self.lives += 1
        self.note("desk-start", life=self.lives)
        state = self.folder / "state"
        line = await self.start("desktop", program, "desktop", "--state", state, "--receivers-file", receivers)
        is_ready = line.startswith(b"bellwire: ready")
        self.note("desk-ready" if is_ready else "desk-failed", life=self.lives)
        self.watch = asyncio.create_task(self.notice_end(self.processes["desktop"]))
        return is_ready

    async def notice_end(self, process):
        """Nobody but this test ends it."""
        code = await ended(process)
        if self.processes.get("desktop") is process:
            del self.processes["desktop"]
            self.note("desk-dead", life=self.lives, code=code)

    async def end_desktop(self, how):
        self.note("desk-kill", life=self.lives, signal=int(how))
        self.note("desk-dead", life=self.lives, code=await self.end("desktop", how))

    async def lose_bus(self):
        """The bus ends, and so has everything on it to do, by itself."""
        self.note("bus-end")
        self.buses += 1
        await self.end("session")
        code, desktop = None, self.processes.pop("desktop", None)
        if desktop:
            with contextlib.suppress(TimeoutError):
                code = await asyncio.wait_for(ended(desktop), 10)
            if code is None:
                desktop.kill()
            self.note("desk-dead", life=self.lives, code=code)
        self.note("screen-end", n=self.screens)
        for name in ("screen", "listener"):
            await self.end(name)

    async def kill_all(self):
        """The session bus comes last, so that the programs that it started end with it."""
        for name in ["desktop", *sorted(set(self.processes) - {"desktop", "session"}), "session"]:
            await self.end(name)
