"""The backups of a run: one file that is written again and again, and the stores that are made of it."""

import asyncio
import hashlib
import os
import pathlib
import shutil
import signal

from clients.agent import Agent
from clients.sender import Sender
from machine.server import Server

DAY = 86_400


def digest(path):
    """None if there is no file."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    except FileNotFoundError:
        return None


class Vault:
    def __init__(self, stage):
        self.stage, self.world, self.server = stage, stage.world, stage.server
        self.random, self.note = stage.random, stage.log.note
        self.folder = stage.folder / "safe"
        self.folder.mkdir(mode=0o700)
        self.server.power.adopt("safe")
        self.file = self.folder / "bellwire.backup"
        # `held`: the number of the backup that the file is.
        self.count, self.held, self.restores = 0, None, 0

    async def run(self, *words, dies_after=None):
        """Exit code and output; the code is negative if it was killed in time."""
        seconds = 60 if dies_after is None else dies_after
        process = await asyncio.create_subprocess_exec(
            *("timeout", "--signal=KILL", f"{max(seconds, 0.001):.3f}"),
            Server.program,
            *map(str, words),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env=self.server.environment(),
        )
        text = (await process.stdout.read()).decode(errors="replace")
        code = await process.wait()
        if code == 128 + signal.SIGKILL:
            code = -signal.SIGKILL
        self.note("shown", where=f"bellwire {words[0]}", text=text)
        return code, text[-300:]

    def places(self):
        return ["--state", self.server.state, "--keys", self.stage.folder / "keys"]

    async def back_up(self, is_killed=False, has_cut=False):
        """Right after it the power may fail."""
        self.count += 1
        number, was = self.count, digest(self.file)
        self.note("backup", f=number)
        dies_after = self.random.uniform(0, 0.07) if is_killed else None
        code, text = await self.run("backup", "--with-keys", self.file, *self.places(), dies_after=dies_after)
        self.note("backed", f=number)
        if has_cut:
            await self.server.cut_power(self.random)
        names, now, verified = os.listdir(self.folder), digest(self.file), None
        if now:
            verified, found = await self.run("backup", "--verify", self.file)
            text += found
        self.note(
            "safe",
            f=number,
            is_killed=code < 0 and is_killed,
            code=code,
            was=was,
            now=now,
            names=names,
            verified=verified,
            text=text,
        )
        if now and now != was:
            self.held = number

    async def revoke_somebody(self):
        """Somebody with a device loses it, and somebody else comes."""
        known = [one for one in self.world.agents if one.device and not one.is_revoked]
        if known:
            await self.random.choice(known).revoke()
            self.stage.spawn(Agent(self.world, 2, has_device=True).run())

    async def restore(self, has_former):
        """The server dies, its state goes elsewhere, and a store that is made of the file takes its place. Whether the
        server is ready.
        """
        while not self.held:
            await self.back_up()
        await self.server.kill()
        self.restores += 1
        former = self.stage.folder / f"former-{self.restores}"
        self.server.state.rename(former)
        if self.random.random() < 0.5:
            (self.stage.folder / "keys").rename(former / "keys")
        # Its former state is elsewhere now, which the model of its disk does not know.
        self.server.power.settle()
        before = self.look_at(former)
        code, text = await self.make_store(["--former", former] if has_former else [])
        self.note(
            "restored",
            f=self.held,
            former=has_former,
            code=code,
            text=text,
            is_untouched=before == self.look_at(former),
        )
        self.world.restores += 1
        if code != 0 or not await self.server.start():
            return False
        if not has_former:
            await asyncio.sleep(self.random.uniform(0, 0.8))
            self.note("confirm")
            await self.run("device", "confirm", "--all", "--state", self.server.state)
            self.note("confirmed")
        shutil.rmtree(former)
        return True

    def look_at(self, folder):
        return [digest(folder / name) for name in ("bellwire.db", "bellwire.db-wal")]

    async def make_store(self, words):
        """A restore that is killed leaves no store, or a whole one, and one that ends well leaves it for good."""
        dies_after = self.random.uniform(0, 0.08) if self.random.random() < 0.4 else None
        code, text = await self.run("restore", self.file, *words, *self.places(), dies_after=dies_after)
        if self.random.random() < 0.5:
            self.server.lose_unsynced(self.random)
        if code >= 0:
            return code, text
        if pathlib.Path(self.server.state / "bellwire.db").exists():
            return 0, text
        return await self.run("restore", self.file, *words, *self.places())

    async def sleep_for_weeks(self):
        """Endpoints that a restore may have forgotten answer 503 for thirty days, and then 410."""
        sender = Sender(self.world)
        for days in (29, 31):
            self.server.meddler.set(slept=days * DAY)
            self.note("slept", seconds=days * DAY)
            for one in self.world.lost()[-20:]:
                await sender.push(one, ttl=60)
