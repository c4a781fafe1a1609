"""Random operations of API, engine, control socket and user agents, by eight callers with and without rights.

A simple model of rights checks each answer: nobody sees or changes what belongs to others, nothing is promised and
lost, and every session ends within a second of its credential. The server stays up, answers everything, and gives its
memory back. Values are drawn from the whole range of their types.

usage: tools/lib/alone random_rights.py PATH_OF_BELLWIRE [--count N] [--seed N] [--verbose]
"""

import argparse
import asyncio
import json
import random
import resource
import sys
import tempfile
import time

sys.path.append(__file__.rsplit("/", 3)[0])

import ends
import sessions
from callers import Caller, Service
from kit.checks import Failed
from rights import Broken, Rights
from run import Run
from wires import Session

# How much more memory may be in use afterwards, and how long the server may take to free it.
GROWTH, CALM = 1.2, 10


async def callers(service):
    """The administrator makes their devices."""

    def caller(name, owner, **named):
        return Caller(service, name, owner, random.Random(service.chance.random()), **named)

    service.administrator = caller("administrator", "admin", uid=0)
    # This caller only makes and removes devices for the test.
    made = [
        caller("another administrator", "admin", uid=0),
        caller("user 4001", "uid:4001", uid=4_001),
        caller("user 4002", "uid:4002", uid=4_002),
    ]
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


async def nothing_is_lost(service, made):
    """Messages that were accepted for a channel and not acknowledged by its user agent are still there."""
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
            lambda text, message: sessions.heard(caller, text, message),
        )
        await session.ask(json.dumps({"messageType": "hello", "uaid": agent.name}), ("hello", ""))
        start = time.monotonic()
        while not expected <= seen:
            if time.monotonic() - start > 20:
                raise Broken(f"{len(expected - seen)} of {len(expected)} pushes to {caller} are lost")
            versions = [(version, text) for thing in channels for version, text in thing.versions.items()]
            seen |= {text for _, text in versions}
            updates = [{"channelID": agent.channels[0], "version": version} for version, _ in versions]
            if updates:
                await session.say(json.dumps({"messageType": "ack", "updates": updates[-128:]}))
            await asyncio.sleep(0.02)
        waiting += len(expected)
        await session.close()
    return waiting


async def clear(service):
    """Removes everything, as an administrator would."""
    administrator = service.administrator
    for kind, name in (("registrations", "registrations"), ("devices", "devices"), ("owners", "owners")):
        _, _, text = await administrator.ask("GET", f"/api/v1/{kind}")
        for thing in json.loads(text)[name]:
            await administrator.ask("DELETE", f"/api/v1/{kind}/{thing['id']}")
    administrator.http.close()
    for sender in service.senders.values():
        sender.close()


async def phase(service, name, count):
    """Runs that many operations by new callers, and removes everything that they made."""
    service.rights = Rights(name)
    made = await callers(service)
    run = Run(service, made, count)
    await run.all()
    waiting = await nothing_is_lost(service, made)
    for caller in made:
        await caller.close()
    await clear(service)
    return run, waiting


async def measured(service, count):
    # Caches that are filled once are full after the first operations.
    fresh = service.memory()
    await phase(service, "first", max(count // 10, 500))
    await asyncio.sleep(CALM / 4)
    before, descriptors = service.memory(), service.descriptors()
    start = time.monotonic()
    run, waiting = await phase(service, "second", count)
    seconds, busy = time.monotonic() - start, service.memory()
    await asyncio.sleep(CALM)
    after = service.memory()
    print(
        f"rights: {run.done} operations in {seconds:.0f} s; {run.ended_sessions} sessions ended with their"
        f" credential; {waiting} pushes waited; memory {fresh >> 20} MB fresh, {before >> 20} before,"
        f" {busy >> 20} busy, {after >> 20} after"
    )
    if after > before * GROWTH:
        raise Broken(f"memory was not returned: {before} bytes before, {after} after")
    if service.descriptors() > descriptors:
        raise Broken(f"descriptors were not closed: {descriptors} before, {service.descriptors()} after")


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
            # A minute, and the time that a slow machine needs for the operations.
            asyncio.run(asyncio.wait_for(measured(service, arguments.count), 60 + arguments.count / 50))
        except* (Broken, TimeoutError, ConnectionError) as group:
            failure = first(group)
        if service.is_alive():
            try:
                service.stop()
            except Failed as end:
                failure = failure or str(end)
        else:
            failure = f"the server ended by itself: {service.process.returncode}; {failure}"
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
