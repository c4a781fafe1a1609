"""Eight callers, each with one operation at a time, while rights are revoked."""

import asyncio

import api
import ends
import pushes
import sessions
from rights import Broken

OPERATIONS = [
    (api.register, 8),
    (api.list_registrations, 2),
    (api.one_registration, 20),
    (api.odd_requests, 6),
    (api.own_devices, 3),
    (pushes.push, 25),
    (sessions.talk_to_engine, 22),
    (sessions.talk_as_agent, 24),
]
# Operations between two revocations.
BETWEEN = 400


class Run:
    def __init__(self, service, made, count):
        self.service, self.callers, self.left = service, made, count
        self.done = 0
        self.ended_sessions = 0
        self.locks = {caller: asyncio.Lock() for caller in made}

    async def all(self):
        async with asyncio.TaskGroup() as group:
            for caller in self.callers:
                group.create_task(self.work(caller))
            group.create_task(self.take_back())
        # Pushes from now on reach the user agents that they belong to.
        self.left = BETWEEN
        async with asyncio.TaskGroup() as group:
            for caller in self.callers:
                group.create_task(self.work(caller))

    async def work(self, caller):
        kinds, weights = zip(*OPERATIONS)
        while self.left > 0:
            self.left -= 1
            operation = caller.chance.choices(kinds, weights)[0]
            async with self.locks[caller]:
                await self.noting(self.one(caller, operation), operation.__name__)
            self.done += 1

    @staticmethod
    async def one(caller, operation):
        await operation(caller)
        for session in (caller.engine, caller.agent):
            if session and session.broken:
                broken, session.broken = session.broken, None
                raise broken

    async def noting(self, work, name):
        """Records a broken rule and goes on; stops if the server is gone."""
        try:
            return await work
        except Broken as error:
            self.service.broken(f"{name}: {error}")
            if self.service.process.poll() is not None:
                raise
        return 0

    async def take_back(self):
        """Now and then revokes a right that is in use."""
        devices = [caller for caller in self.callers if caller.bearer and caller.device and not caller.device.end_begun]
        users = [caller for caller in self.callers if caller.uid]
        next_time = BETWEEN
        while self.left > 0:
            await asyncio.sleep(0.05)
            if self.done < next_time:
                continue
            next_time = self.done + BETWEEN
            kind = self.service.chance.random()
            if kind < 0.7:
                caller = self.service.chance.choice(devices)
                async with self.locks[caller]:
                    self.ended_sessions += await self.noting(ends.revoke(self.service, caller), "revoked")
            elif kind < 0.85:
                # The only device of this owner.
                caller = next(caller for caller in devices if caller.owner == "bob")
                async with self.locks[caller]:
                    self.ended_sessions += await self.noting(ends.remove_owner(self.service, caller), "owner removed")
            else:
                async with self.locks[users[0]], self.locks[users[1]]:
                    self.ended_sessions += await self.noting(ends.forbid_users(self.service, users), "users forbidden")
