"""Applications that register at any node, and see which node calls them."""

import asyncio
import contextvars
import time

from clients.hooks import Application
from events import now
from nodes import gates

# The node whose connection a task of a receiver serves.
ORIGIN = contextvars.ContextVar("origin")
# How long an application goes on asking while nodes fail.
PATIENCE = 60


class NodesApplication(Application):
    """Belongs to an owner. `is_steady`: always answers at once. `has_callback`: else a fetcher takes what comes.
    `is_mortal`: it may be ended.
    """

    REST = 0.3

    def __init__(self, world, number, owner, is_steady, has_callback=True, is_mortal=False):
        super().__init__(world, number)
        self.is_mortal = is_mortal
        self.owner, self.is_steady, self.has_callback = owner, is_steady, has_callback
        self.log.note("steady" if is_steady else "unsteady", r=number, calls=has_callback)

    async def begin(self):
        terms = {"token_type": 10, "app": "torture", "account": self.account, "dialect": "plain"}
        if self.has_callback:
            terms["callback"] = await self.listen()
        answer = await self.control("POST", "registrations", terms)
        self.id = answer["id"]
        answer.setdefault("callback_secret", "whsec_")
        self.learn("application", answer)

    async def ask(self, method, path, body=None):
        return await self.owner.ask(method, path, body)

    async def control(self, method, path, body=None):
        end = now() + PATIENCE
        while now() < end:
            status, answer = await self.ask(method, path, body)
            if status < 500:
                break
            await asyncio.sleep(0.2)
        if not 200 <= status < 300:
            raise SystemExit(f"torture: {method} {path}: {status} {answer}")
        return answer

    async def serve(self, reader, writer):
        ORIGIN.set(gates.find(writer.get_extra_info("peername")[1], self.world.nodes))
        await super().serve(reader, writer)

    def note(self, number, time_, fields, body):
        super().note(number, time_, fields, body)
        node = ORIGIN.get()
        skew = int(fields["webhook-timestamp"]) - time.time()
        self.log.note("from", at=time_, r=self.number, n=number, node=node, skew=round(skew, 1))
        if node is not None:
            self.world.caller = node

    def choose_mode(self):
        return "at once" if self.is_steady else super().choose_mode()

    async def push(self, kind):
        if not self.has_callback:
            kind = "message"
        await super().push(kind)


class Owner:
    """Has a device, whose secret opens the API of every node."""

    def __init__(self, world):
        self.world, self.random = world, world.branch()
        self.applications = []

    async def make_secret(self, name):
        """The number and the secret of a new device."""
        end = now() + PATIENCE
        while now() < end:
            try:
                status, answer = await self.world.server.control("POST", "devices", {"name": name, "owner": "ann"})
            except OSError:
                status = 0
            if status == 201:
                return answer["id"], answer["bearer"]
            await asyncio.sleep(0.3)
        raise SystemExit(f"torture: no device: {status}")

    async def begin(self):
        _, self.bearer = await self.make_secret("owner of registrations")
        # Every node has heard of it then.
        await asyncio.sleep(1)

    def fields(self):
        return [("Authorization", f"Bearer {self.bearer}")]

    async def ask(self, method, path, body=None):
        return await self.world.server.control(method, path, body, self.bearer)

    async def register(self, is_steady, **terms):
        one = NodesApplication(self.world, len(self.applications) + 1, self, is_steady, **terms)
        self.applications.append(one)
        await one.begin()
        return one
