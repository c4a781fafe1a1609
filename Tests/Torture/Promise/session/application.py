"""The life of an application in the session: it comes, registers, unregisters, and leaves."""

import asyncio

from events import now
from session.connector import LOST, MODES, Connection, new_token

# An accepted registration gets its endpoint by itself. One without an answer is asked for again.
PATIENCE, IMPATIENCE = 12, 1
# In the first generation nobody can tell confirmations apart that come sooner one after the other.
APART = 15


class Application:
    def __init__(self, desk, number, version, wanted, is_steady=False):
        self.desk, self.world, self.log = desk, desk.world, desk.world.log
        self.random, self.number, self.version, self.wanted = self.world.branch(), number, version, wanted
        self.name, self.is_steady = f"org.example.Torture{number}", is_steady
        self.registrations, self.ending, self.used = {}, {}, []
        self.connection, self.left = None, 0

    def note(self, event, **facts):
        self.log.note(event, x=self.number, **facts)

    async def run(self):
        while not self.desk.is_over:
            try:
                await self.visit(self.choose())
            except LOST:
                await asyncio.sleep(0.05)
            if not self.world.is_calm and not self.is_steady:
                await asyncio.sleep(self.random.choice([0, 0.05, 0.3, 1.5]))

    def choose(self):
        if self.world.is_calm or self.is_steady:
            return "prompt"
        return self.random.choices(list(MODES), list(MODES.values()))[0]

    async def visit(self, mode, is_done=lambda: False):
        number = self.desk.next_connection()
        one = Connection(self.name, self.version, number, mode, self.random, self.note, self.told)
        remaining = self.random.expovariate(1 / 2.5)
        self.connection = one
        try:
            is_there = await one.appear(self.desk.address)
            while is_there and one.is_open and not self.desk.is_over and not is_done():
                await self.tidy(one)
                await asyncio.sleep(0.1)
                remaining -= 0.1
                if self.world.is_calm and mode != "prompt":
                    break
                if remaining <= 0 and not self.world.is_calm and not self.is_steady:
                    break
        finally:
            one.leave()

    def told(self, member, token, endpoint=""):
        one = self.registrations.get(token)
        if member == "NewEndpoint" and one:
            one.endpoint = "/wpush" + endpoint.partition("/wpush")[2]
            secret = endpoint.rsplit("/", 1)[1]
            self.note("app-endpoint", i=self.connection.number, v=one.number, endpoint=secret)
        elif member == "Unregistered":
            # The first generation confirms without a token, and each request.
            token = token or next(iter(self.ending), None)
            ended = self.ending.pop(token, None)
            if ended:
                ended.has_ended = True
                self.used.append(token)
            is_sure = ended and (self.version == 2 or ended.asked == self.left and ended.requests == 1)
            self.note("app-ended", i=self.connection.number, v=ended.number if is_sure else None)

    async def tidy(self, one):
        """Registers and unregisters; an application repeats what was not answered."""
        dice = self.random.random()
        ready = [token for token, kept in self.registrations.items() if kept.endpoint]
        if dice < 0.03 and ready and not self.world.is_calm:
            token = self.random.choice(ready)
            if dice < 0.015 and (self.version == 2 or not self.ending and now() - self.left > APART):
                self.ending[token] = self.registrations.pop(token)
                self.ending[token].is_ending, self.ending[token].asked = True, 0
            elif dice >= 0.015:
                await self.register(one, self.registrations[token])
        for ended in list(self.ending.values()):
            if now() - ended.asked > 2:
                ended.asked = self.left = now()
                ended.requests += 1
                self.note("app-unregister", v=ended.number)
                await one.call("Unregister", token=ended.token)
        while len(self.registrations) < self.wanted:
            # An old token may come again, for another registration.
            token = self.used.pop() if self.used and self.random.random() < 0.5 else new_token(self.random)
            self.registrations[token] = self.desk.registration(token)
        for kept in self.registrations.values():
            if not kept.endpoint and now() - kept.asked > (PATIENCE if kept.is_accepted else IMPATIENCE):
                await self.register(one, kept)

    async def register(self, one, kept):
        kept.asked = now()
        self.note("app-register", v=kept.number, token=kept.token)
        answer = await one.call("Register", service=self.name, token=kept.token, description="torture")
        first = answer[0] if answer else None
        word = first if self.version == 1 else first and first["success"].value
        kept.is_accepted = word == "REGISTRATION_SUCCEEDED"
        self.note("app-registered", v=kept.number, ok=kept.is_accepted)


class Sleeper(Application):
    """An application that is closed, and that the bus starts for its messages: see `started.py`."""

    async def run(self):
        """Comes to register, and in a calm somebody opens it."""
        while not self.desk.is_over:
            try:
                if self.world.is_calm:
                    await self.visit("prompt")
                elif not self.is_registered() or self.random.random() < 0.01:
                    await self.visit("prompt", self.is_registered)
            except LOST:
                pass
            await asyncio.sleep(0.1)

    def is_registered(self):
        known = [one for one in self.registrations.values() if one.endpoint]
        return len(known) == self.wanted and not self.ending
