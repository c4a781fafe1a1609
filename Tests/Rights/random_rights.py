"""Random operations of API, engine, control socket and user agents, by eight callers with rights and without.

A plain model of rights decides about each answer: nobody is told or may change what is somebody else's, nothing is
promised and lost, and every session ends within a second of its credential. The server stays up, answers everything,
and gives its memory back. Values are drawn from the whole range of their types.

usage: random_rights.py PATH_OF_BELLWIRE [--count N] [--seed N] [--verbose]
"""

import argparse
import asyncio
import random
import resource
import sys
import tempfile
import time

import api
import ends
import pushes
import sessions
from callers import Caller
from rights import Broken, Thing
from service import Service
from wires import Session

OPERATIONS = [
    (api.register, 8), (api.list_registrations, 2), (api.one_registration, 20), (api.odd_requests, 6),
    (api.own_devices, 3), (pushes.push, 25), (sessions.talk_to_engine, 22), (sessions.talk_as_agent, 24)]
# How much more memory may be in use afterwards, and how long that may take.
GROWTH, CALM = 1.2, 10
# So many operations between two revocations.
BETWEEN = 400


async def callers(service):
    """Their devices are made by the administrator."""
    def caller(name, owner, **named):
        return Caller(service, name, owner, random.Random(service.chance.random()), **named)
    service.administrator = caller("administrator", "admin", uid=0)
    # The one who makes and removes devices for the test does nothing else.
    made = [caller("another administrator", "admin", uid=0), caller("user 4001", "uid:4001", uid=4_001),
            caller("user 4002", "uid:4002", uid=4_002)]
    for name, owner in (("ann", "ann"), ("ann's second", "ann"), ("bob", "bob"), ("formerly bob", "bob")):
        made.append(caller(name, owner))
        await ends.add_device(service, made[-1])
    former = made[-1]
    thing = former.device
    thing.ending()
    await service.administrator.ask("DELETE", f"/api/v1/devices/{thing.row}")
    thing.ended()
    made.append(caller("stranger", "nobody", bearer=former.values.token()))
    return made


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
        """One broken rule does not hide the next; a server that has gone ends everything."""
        try:
            return await work
        except Broken as error:
            self.service.broken(f"{name}: {error}")
            if self.service.process.poll() is not None:
                raise
        return 0

    async def take_back(self):
        """Now and then a right is taken back from who uses it."""
        devices = [caller for caller in self.callers if caller.bearer and caller.device
                   and not caller.device.end_begun]
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
                    self.ended_sessions += await self.noting(
                        ends.revoke(self.service, caller), "revoked")
            elif kind < 0.85:
                # The only device of that owner.
                caller = next(caller for caller in devices if caller.owner == "bob")
                async with self.locks[caller]:
                    self.ended_sessions += await self.noting(
                        ends.remove_owner(self.service, caller), "owner removed")
            else:
                async with self.locks[users[0]], self.locks[users[1]]:
                    self.ended_sessions += await self.noting(
                        ends.forbid_users(self.service, users), "users forbidden")


async def nothing_is_lost(service, made):
    """What was accepted for a channel and not acknowledged by its own user agent is still there."""
    waiting = 0
    for caller in made:
        await caller.close()
    for agent in service.rights.agents.values():
        channels = [service.rights.channels[channel] for channel in agent.channels]
        expected = {text for thing in channels if not thing.end_begun for text in thing.pushed}
        if not expected:
            continue
        caller = next(caller for caller in made if caller.bearer == agent.bearer)
        seen = set()
        for thing in channels:
            thing.versions = {}
        session = await Session.open(
            f"ws://127.0.0.1:{service.port}/u/{agent.bearer}",
            lambda text, message: sessions.heard(caller, text, message))
        await session.ask(
            sessions.json.dumps({"messageType": "hello", "uaid": agent.name}), ("hello", ""))
        start = time.monotonic()
        while not expected <= seen:
            if time.monotonic() - start > 20:
                raise Broken(f"{len(expected - seen)} of {len(expected)} pushes to {caller} are lost")
            versions = [(version, text) for thing in channels for version, text in thing.versions.items()]
            seen |= {text for _, text in versions}
            updates = [{"channelID": agent.channels[0], "version": version} for version, _ in versions]
            if updates:
                await session.say(sessions.json.dumps({"messageType": "ack", "updates": updates[-128:]}))
            await asyncio.sleep(0.02)
        waiting += len(expected)
        await session.close()
    return waiting


async def clear(service):
    """Everything that was made goes, as an administrator would remove it."""
    administrator = service.administrator
    for kind, name in (("registrations", "registrations"), ("devices", "devices"), ("owners", "owners")):
        _, _, text = await administrator.ask("GET", f"/api/v1/{kind}")
        for thing in sessions.json.loads(text)[name]:
            await administrator.ask("DELETE", f"/api/v1/{kind}/{thing['id']}")
    administrator.http.close()
    for sender in service.senders.values():
        sender.close()


async def phase(service, name, count):
    """So many operations by callers of its own, after which nothing of them is there."""
    service.rights.__init__(name)
    made = await callers(service)
    run = Run(service, made, count)
    await run.all()
    waiting = await nothing_is_lost(service, made)
    for caller in made:
        await caller.close()
    await clear(service)
    return run, waiting


async def measured(service, count):
    # What is made once and kept is there after the first ones.
    fresh = service.memory()
    await phase(service, "first", max(count // 10, 500))
    await asyncio.sleep(CALM)
    before, descriptors = service.memory(), service.descriptors()
    start = time.monotonic()
    run, waiting = await phase(service, "second", count)
    seconds, busy = time.monotonic() - start, service.memory()
    await asyncio.sleep(CALM)
    after = service.memory()
    print(f"rights: {run.done} operations in {seconds:.0f} s; {run.ended_sessions} sessions ended with their"
          f" credential; {waiting} pushes waited; memory {fresh >> 20} MB fresh, {before >> 20} before,"
          f" {busy >> 20} busy, {after >> 20} after")
    if after > before * GROWTH:
        raise Broken(f"memory does not come back: {before} bytes before, {after} after")
    if service.descriptors() > descriptors:
        raise Broken(f"descriptors do not come back: {descriptors} before, {service.descriptors()} after")


def report(service, is_verbose):
    if is_verbose:
        for (who, status), times in sorted(service.answers.items(), key=str):
            print(f"  {who:22} {status} {times}")
    busy = sum(times for (_, status), times in service.answers.items() if status == 503)
    print(f"rights: {sum(service.answers.values())} answers, {busy} of them 503")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 10**9)
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with tempfile.TemporaryDirectory() as folder:
        service = Service(arguments.program, folder, random.Random(arguments.seed))
        service.start()
        failure = None
        try:
            # A minute, and what a slow machine needs for so many.
            asyncio.run(asyncio.wait_for(
                measured(service, arguments.count), 60 + arguments.count / 50))
        except* (Broken, TimeoutError, ConnectionError) as group:
            failure = first(group)
        status = service.process.poll()
        if status is not None:
            failure = f"the server ended by itself: {status}; {failure}"
        elif service.end() != 0:
            failure = failure or "the server did not end when it was told to"
        report(service, arguments.verbose)
        if failure:
            service.broken(failure)
        for text, times in service.findings.items():
            print(f"rights: FAILED: {text} ({times} times, seed {arguments.seed})")
        if service.findings:
            print(service.logged())
    return 1 if service.findings else 0


def first(group):
    error = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}"


sys.exit(main())
