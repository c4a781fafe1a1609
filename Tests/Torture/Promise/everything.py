"""The scenario `everything`: all kinds of peers at once, on all ways to the server, and random acts."""

import asyncio
import functools
import logging
import time

from clients.owners import Owner
from clients.signing import Keyring
from clients.viewer import Viewer, Visitor
from events import now
from machine import breakdowns, operations
from machine.secure import SecureServer, Ways
from machine.vault import Vault
from scenarios import employ, told_everything
from session import desk_acts
from session.desk import Desk
from stage import Stage

# What ends a process without warning.
KILLS = {"kill", "power cut", "power cut in a rotation", "kill desktop", "kill screen", "kill both", "restart bus"}
# The average pause between two acts.
PAUSE = 0.4
# Every so often a calm comes, in which everything must arrive.
STORM, CALM = 30, 6


class EveryStage(Stage):
    def __init__(self, folder, seed):
        super().__init__(folder, "everything", seed, is_meddled=True, kind=SecureServer)
        self.vault, self.owners, self.applications, self.done = Vault(self), [], {}, {}
        self.desk = Desk(self)
        self.acts = operations.ACTS | breakdowns.ACTS
        for name, (weight, act) in desk_acts.ACTS.items():
            if name != "kill server":
                self.acts[name] = weight, functools.partial(act, desk=self.desk)
        # Each act comes early at least once, as every third one. A short run has few; a broken disk must be among them.
        self.deck = self.random.sample(list(self.acts), len(self.acts))
        self.deck.append("disk fault")

    @property
    def kills(self):
        return sum(self.done[name][0] for name in KILLS & self.done.keys())

    async def people(self):
        """All kinds of peers."""
        ways = Ways(self.server)
        await ways.begin(self.world)
        self.world.keyring = Keyring(self.world, self.server.origin)
        self.populate(agents=12, senders=10, rest=0.1, devices=4)
        for one in await employ(self, 2):
            self.applications[one.id] = one
            self.spawn(Viewer(self.world, one.number).run())
        for name in ("ann", "bob"):
            self.owners.append(Owner(self, name))
            await self.owners[-1].begin(self.applications)
        self.spawn(Visitor(self.world).run())
        await self.desk.begin()
        self.spawn(self.desk.run())

    def show_backup(self, file):
        """A copy for the checker, which looks for secrets."""
        copy = self.log.path.with_suffix(".backup")
        copy.mkdir(exist_ok=True)
        file.replace(copy / "without-keys.backup")

    async def act(self):
        names = list(self.acts)
        name = self.random.choices(names, [weight for weight, _ in self.acts.values()])[0]
        if self.deck and sum(count for count, _ in self.done.values()) % 3 == 2:
            name = self.deck.pop()
        self.log.note("act", name=name)
        began = time.monotonic()
        await asyncio.wait_for(self.acts[name][1](self), 120)
        count, seconds = self.done.get(name, (0, 0))
        self.done[name] = count + 1, seconds + time.monotonic() - began


async def everything(folder, seed, kills, seconds):
    """Until there were so many kills, and so many seconds have passed."""
    # It warns of each write to a server that was just killed.
    logging.getLogger("asyncio").setLevel(logging.ERROR)
    async with EveryStage(folder, seed) as stage:
        await stage.people()
        end, calm_at = now() + seconds, now() + STORM
        while stage.kills < kills or now() < end:
            await asyncio.sleep(min(2.5, stage.random.expovariate(1 / PAUSE)))
            await stage.act()
            if now() > calm_at:
                await stage.world.calm(CALM)
                calm_at = now() + STORM
        await stage.finish()
        stage.world.is_calm = True
        await stage.desk.finish()
        await end_applications(stage)
    print("everything: " + ", ".join(f"{count} {name} ({took:.0f} s)" for name, (count, took) in stage.done.items()))
    return stage.log.path


async def end_applications(stage):
    applications = [one for one in stage.applications.values() if not one.is_removed]
    await asyncio.sleep(1)
    for one in applications[::3]:
        await one.revoke()
    await told_everything(stage, applications)
