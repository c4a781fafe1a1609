"""The tortured server: started again and again with the same state, and seen from outside."""

import asyncio
import os
import random
import shutil
import signal
import socket

from kit import control
from kit.meddler import Meddler
from kit.process import Watched, send
from machine.power import Power


def free_port():
    """Outside of the ports that connections get, so that none has it while the server is away."""
    while True:
        port = random.randrange(10_000, 30_000)
        with socket.socket() as free:
            try:
                free.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


class Server(Watched):
    program = ""

    def __init__(self, folder, log, state=None, is_meddled=False):
        self.folder, self.log = folder, log
        self.state = state or folder / "state"
        self.meddler = Meddler(folder) if is_meddled else None
        self.port = free_port()
        self.power = Power(folder) if is_meddled else None
        self.process, self.lives = None, 0
        self.output = open(folder / "output", "ab")

    def command(self):
        folders = ("--state", str(self.state), "--keys", str(self.folder / "keys"))
        return [self.program, "serve", "--listen", f"http://127.0.0.1:{self.port}", *folders]

    def environment(self):
        """For the server, and for other commands of ours."""
        more = {}
        if self.meddler:
            more = self.meddler.environment(self.folder) | self.power.environment()
            more["LD_PRELOAD"] = f"{self.power.library}:{self.meddler.library}"
        return {**os.environ, "SWIFT_BACKTRACE": "enable=no", "HOME": str(self.folder), **more}

    async def start(self, within=20, is_doomed=False):
        """Whether it is ready. A doomed one may die before."""
        if self.power:
            # The journal of a process that was killed ends with something that has perhaps not happened.
            self.power.settle()
        self.lives += 1
        self.log.note("start", life=self.lives)
        self.process = await asyncio.create_subprocess_exec(
            *self.command(), stdout=asyncio.subprocess.PIPE, stderr=self.output, env=self.environment()
        )
        try:
            line = await asyncio.wait_for(self.process.stdout.readline(), within)
        except TimeoutError:
            line = b""
        self.output.write(line)
        is_ready = line.startswith(b"bellwire: ready")
        if is_ready or is_doomed:
            self.log.note("ready" if is_ready else "doomed", life=self.lives)
        else:
            self.output.flush()
            self.log.note("failed", life=self.lives, text=(self.folder / "output").read_text()[-300:])
        return is_ready

    async def control(self, method, path, body=None):
        """Status and answer of the control socket, whose users may do everything."""
        return await control.asked(self.state / "control.sock", method, path, body)

    async def lives_for(self, seconds):
        """Whether it still runs after that time."""
        try:
            await asyncio.wait_for(self.process.wait(), seconds)
        except TimeoutError:
            return True
        return False

    async def cut_power(self, random, operations=0):
        """It dies, at once or after that many operations on its files, and the disk forgets what was not synced."""
        if operations:
            self.power.fail_after(operations)
            await self.lives_for(2)
        await self.kill()
        self.lose_unsynced(random)

    def lose_unsynced(self, random):
        """No process of ours may be running."""
        what, where = self.power.cut(random)
        self.log.note("cut", what=what, where=where)

    async def kill(self, how=signal.SIGKILL):
        """Kills all its processes without warning. `how` is None if it may have died already."""
        self.log.note("kill", life=self.lives, signal=int(how or 0))
        send(self.process, how or signal.SIGKILL)
        code = await self.process.wait()
        self.output.write(await self.process.stdout.read())
        self.output.flush()
        self.log.note("dead", life=self.lives, code=code)
        return code

    def measure(self, when):
        """Descriptors, resident bytes, and the size of the write-ahead log."""
        wal = self.state / "bellwire.db-wal"
        self.log.note(
            "measure",
            when=when,
            descriptors=self.descriptors(),
            memory=self.memory(),
            wal=wal.stat().st_size if wal.exists() else 0,
        )

    def show_process(self):
        """What other users can see of the process."""
        for name in ("cmdline", "status", "maps", "stat"):
            try:
                text = (self.proc / name).read_text()
                self.log.note("shown", where=f"/proc/PID/{name}", text=text)
            except OSError:
                pass

    def show_output(self):
        self.output.flush()
        text = (self.folder / "output").read_text(errors="replace")
        self.log.note("shown", where="output", text=text)

    def show_files(self):
        """A copy of its files on the disk, for the checker."""
        copy = self.log.path.with_suffix(".state")
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(self.state, copy, ignore=shutil.ignore_patterns("keys", "*.sock", "control*"))
        self.log.note("files", folder=str(copy))
