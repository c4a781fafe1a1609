"""Owners: each has devices, registrations and somebody who asks for more than what is theirs."""

import asyncio
import json

from clients.agent import Agent
from clients.owned_peers import Impostor, OwnedApplication, OwnedViewer, SignedApplication
from clients.sender import Client, Closed

AGENTS = 3
# The accounts have the same names for each owner, and are different ones.
ACCOUNTS = {"home": OwnedApplication, "work": SignedApplication}


class Owner:
    count = 0

    def __init__(self, stage, name):
        Owner.count += 1
        self.number, self.name, self.stage, self.world = Owner.count, name, stage, stage.world
        self.random, self.note = stage.world.branch(), stage.log.note
        self.agents, self.applications, self.is_removed = [], [], False
        self.lock = asyncio.Lock()
        self.client = Client(stage.server.tls_port, stage.server.authority.trusted("http/1.1"))

    async def begin(self, everybody):
        """`everybody` has the registrations of all owners by their ids."""
        self.everybody = everybody
        body = {"name": f"api {self.number}", "owner": self.name}
        status, device = await self.world.server.control("POST", "devices", body)
        if status != 201:
            raise SystemExit(f"torture: no device for {self.name}: {status} {device}")
        self.bearer = device["bearer"]
        self.note("secret", what="the secret of a device", text=self.bearer)
        for account, kind in ACCOUNTS.items():
            number = len(everybody) + 1
            one = kind(self.world, number, account, self)
            self.note("owns", o=self.number, r=number)
            await one.begin()
            everybody[one.id] = one
            self.applications.append(one)
            self.stage.spawn(one.run())
            self.stage.spawn(OwnedViewer(self.world, one).run())
        for _ in range(AGENTS):
            self.agents.append(Agent(self.world, 2, has_device=True, owner=self.name))
            self.stage.spawn(self.agents[-1].run())
        self.stage.spawn(self.run())

    def fields(self):
        return [("Authorization", f"Bearer {self.bearer}")]

    async def ask(self, method, path, body=None):
        """Status and answer of the API."""
        fields = [*self.fields(), ("Content-Type", "application/json")]
        data = json.dumps(body).encode() if body else b""
        async with self.lock:
            try:
                status, answer = await self.client.ask(method, f"/api/v1/{path}", fields, data)
            except Closed:
                # The connection was one to a former life of the server.
                status, answer = await self.client.ask(method, f"/api/v1/{path}", fields, data)
        return status, json.loads(answer["body"]) if answer["body"] else None

    async def run(self):
        """Asks for what there is, and for what belongs to others."""
        while not self.world.is_over and not self.is_removed:
            try:
                await self.list()
                await self.peek()
                await self.pose()
            except (OSError, Closed, TimeoutError):
                pass  # The server was killed.
            await asyncio.sleep(self.random.uniform(0.2, 1))

    async def list(self):
        status, answer = await self.ask("GET", "registrations")
        if status == 200:
            found = [self.everybody.get(one["id"]) for one in answer["registrations"]]
            self.note("listed", o=self.number, rs=[one.number if one else None for one in found])

    async def peek(self):
        others = [one for one in self.everybody.values() if getattr(one, "owner", None) is not self]
        one = self.random.choice(others)
        method, path = self.random.choice(
            [
                ("GET", f"registrations/{one.id}"),
                ("GET", f"pending?registration={one.id}"),
                ("GET", f"sources/{one.id}"),
                ("POST", f"registrations/{one.id}/rotate"),
                ("POST", f"sources/{one.id}/active"),
                ("DELETE", f"registrations/{one.id}"),
            ]
        )
        status, _ = await self.ask(method, path)
        self.note("peeked", o=self.number, r=one.number, how=f"{method} {path.partition(one.id)[0]}…", status=status)

    async def pose(self):
        """One of its devices says that it is the user agent of somebody else."""
        others = [one.uaid for one in self.world.agents if one.uaid and one.owner.get("owner") != self.name]
        if others and self.random.random() < 0.2:
            uaid = self.random.choice(others)
            answer = await Impostor(self.world, self.bearer, uaid).visit()
            self.note("posed", o=self.number, is_believed=answer == uaid)

    async def remove(self):
        """The owner and all that belongs to it end at once, and nobody is told."""
        agents = [one for one in self.agents if one.device and not one.is_revoked]
        for one in agents:
            one.begin_revocation()
        for one in self.applications:
            self.note("removing", r=one.number)
            one.is_removed = True
        _, answer = await self.world.server.control("GET", "owners")
        row = next(one["id"] for one in answer["owners"] if one["name"] == self.name)
        self.is_removed = True
        status, answer = await self.world.server.control("DELETE", f"owners/{row}")
        if status != 204:
            raise SystemExit(f"torture: {self.name} cannot be removed: {status} {answer}")
        for one in agents:
            one.end_revocation()
            one.patience = 5
        status, _ = await self.ask("GET", "registrations")
        self.note("knocked", o=self.number, status=status)
        for one in self.applications:
            self.note("removed", r=one.number)
