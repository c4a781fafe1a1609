"""Ends devices, registrations and secrets at one node, and asks all nodes about them a second later."""

import asyncio

from clients.sender import Client, Closed
from judged import rules
from users.looking import Glance
from users.peers import RoamingAgent

# How often an agent whose device has ended comes again.
TRIES = 8


class Revoker:
    PAUSE = 3.0

    def __init__(self, world, owner, spawn):
        self.world, self.owner, self.spawn, self.random = world, owner, spawn, world.branch()
        self.note, self.secrets = world.log.note, 0
        self.acts = [self.end_device, self.end_secret, self.end_registration]

    async def run(self):
        row = []
        while not self.world.is_over:
            await asyncio.sleep(self.PAUSE * self.random.uniform(0.5, 1.5))
            if self.world.is_calm or self.world.is_over:
                continue
            row = row or list(self.acts)
            await row.pop(0)()

    async def end_device(self):
        """Its user agents are sent away everywhere, and its endpoints end. Another agent gets one."""
        agents = [one for one in self.world.agents if one.device and one.uaid and not one.is_revoked]
        self.spawn(RoamingAgent(self.world, 2, has_device=True).run())
        if not agents:
            return
        agent = self.random.choice(agents)
        agent.begin_revocation()
        if await self.end(f"devices/{agent.name}"):
            agent.patience = TRIES
            agent.end_revocation()

    async def end_secret(self):
        """One that opens the API and nothing else."""
        self.secrets += 1
        number = self.secrets
        name, bearer = await self.owner.make_secret(f"secret {number}")
        await asyncio.sleep(1)
        for node, status in enumerate(await self.world.server.everywhere("GET", "registrations", bearer)):
            self.note("secret-used", d=number, n=node, status=status)
        self.note("secret-ends", d=number)
        if await self.end(f"devices/{name}"):
            self.note("secret-ended", d=number)
            await asyncio.sleep(rules.GONE)
            for node, status in enumerate(await self.world.server.everywhere("GET", "registrations", bearer)):
                self.note("secret-probe", d=number, n=node, status=status)

    async def end_registration(self):
        """The only one of its account, whose engine ends with it."""
        living = [one for one in self.owner.applications if one.is_mortal and one.id and not one.is_revoked]
        if not living:
            return
        one = living[0]
        one.is_revoked = True
        self.note("revoking", r=one.number)
        if not await self.end(f"registrations/{one.id}", self.owner.bearer):
            return
        self.note("revoked", r=one.number)
        await asyncio.sleep(rules.GONE)
        await asyncio.gather(*(self.probe(one, node) for node in self.world.nodes))

    async def end(self, path, bearer=None):
        """Whether it is certain."""
        try:
            status, _ = await self.world.server.control("DELETE", path, None, bearer)
        except OSError:
            status = 0
        return status == 204

    async def probe(self, one, node):
        client = Client(node.port)
        client.PATIENCE, status = 5, 0
        try:
            status, _ = await client.ask("POST", f"/wpush/v1/{one.tokens[-1]}", [("TTL", 60)], b"late")
        except (Closed, TimeoutError):
            pass
        client.close()
        self.note("end-probe", r=one.number, n=node.number, what="push", status=status)
        glance = Glance(self.world, one, node)
        shown = await glance.look()
        status = 200 if shown is not None else glance.status
        self.note("end-probe", r=one.number, n=node.number, what="engine", status=status)
