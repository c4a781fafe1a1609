"""What happens to a machine: its power fails, its disk refuses, it has no room for anything, it stands still.

Each act happens to a stage whose server runs, takes some seconds at most, is noted in the log, and leaves the server
running and ready.
"""

import asyncio
import os
import resource
import signal

from clients.sender import Client, Closed, Sender
from kit.meddler import Meddler
from kit.process import send

FAULTS = {
    "read-only": Meddler.READ_ONLY,
    "broken": Meddler.BROKEN,
    "no room": Meddler.FULL,
    "unreadable": Meddler.UNREADABLE,
    "no room for names": Meddler.NO_NAMES,
    "one broken sync": Meddler.BROKEN_ONCE,
}
# How many seconds the service gets to recover by itself; the checker asks for ten.
PATIENCE = 30


async def fail_for_a_while(stage, kind, longest):
    stage.log.note("fault", kind=kind)
    stage.server.meddler.set(fault=FAULTS[kind])
    await asyncio.sleep(stage.random.uniform(0.3, longest))
    stage.server.meddler.set(fault=Meddler.NOTHING)
    stage.log.note("healed")


async def says_that_it_is_usable(stage):
    """The server reports it when no waiting message can show it."""
    client, is_usable = Client(stage.server.port), False
    try:
        async with asyncio.timeout(PATIENCE):
            while not is_usable:
                try:
                    is_usable = (await client.ask("GET", "/__heartbeat__"))[0] == 200
                except Closed:
                    pass
                await asyncio.sleep(0.05)
        stage.log.note("usable")
    except TimeoutError:
        pass
    client.close()


async def usable_again(stage):
    """Notes when a message for an absent client is kept again."""
    sender = Sender(stage.world)
    try:
        async with asyncio.timeout(PATIENCE):
            while stage.server.process.returncode is None:
                live = stage.world.live()
                # A push that can replace another message waits for the disk, even if its client is connected.
                if live and await sender.push(live[0], ttl=600, topic="usable") == 201:
                    break
                await asyncio.sleep(0.05)
        stage.log.note("usable")
    except TimeoutError:
        pass
    sender.client.close()


async def power_cut(stage):
    """At any time, or at one of the next operations on its files."""
    operations = stage.random.choice([0, stage.random.randint(1, 60)])
    await stage.server.cut_power(stage.random, operations)
    await stage.revive()


async def power_cut_in_a_rotation(stage):
    """While a new master key is made, or while everything is sealed under it."""

    async def rotate():
        try:
            await stage.server.control("POST", "master-key")
        except (OSError, ValueError):
            pass

    rotation = asyncio.create_task(rotate())
    await stage.server.cut_power(stage.random, 1 + int(stage.random.expovariate(1 / 300)))
    await rotation
    await stage.revive()


async def power_cut_after_a_backup(stage):
    """Or in the middle of it. A backup that has ended is there for good."""
    await stage.vault.back_up(is_killed=stage.random.random() < 0.5, has_cut=True)
    await stage.revive()


async def stand_still(stage):
    """The machine is suspended or overloaded: the server does not run for a while."""
    stage.log.note("stopped")
    send(stage.server.process, signal.SIGSTOP)
    await asyncio.sleep(stage.random.choice([stage.random.uniform(0.05, 0.5), stage.random.uniform(0.5, 5)]))
    send(stage.server.process, signal.SIGCONT)
    stage.log.note("continued")


async def disk_fault(stage):
    await fail_for_a_while(stage, stage.random.choice(list(FAULTS)), longest=1.5)
    await usable_again(stage)


async def short_writes(stage):
    """The disk takes only a part of each write, which is no fault."""
    stage.server.meddler.set(fault=Meddler.SHORT)
    await asyncio.sleep(stage.random.uniform(0.3, 1.5))
    stage.server.meddler.set(fault=Meddler.NOTHING)


async def crowd(stage, count):
    """Connections with requests that do not end."""
    writers = []
    try:
        for _ in range(count):
            _, writer = await asyncio.wait_for(asyncio.open_connection("127.0.0.1", stage.server.port), 1)
            writers.append(writer)
            writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + bytes([120]) * 6_000)
        await asyncio.sleep(10)
    except (OSError, TimeoutError):
        pass
    finally:
        for writer in writers:
            writer.transport.abort()


async def no_descriptors(stage):
    """There are none for new connections."""
    process = stage.server.process.pid
    limits = resource.prlimit(process, resource.RLIMIT_NOFILE)
    used = len(os.listdir(f"/proc/{process}/fd"))
    stage.log.note("fault", kind="no descriptors")
    resource.prlimit(process, resource.RLIMIT_NOFILE, (used + stage.random.randint(0, 3), limits[1]))
    more = asyncio.create_task(crowd(stage, 20))
    await asyncio.sleep(stage.random.uniform(0.3, 2))
    more.cancel()
    resource.prlimit(process, resource.RLIMIT_NOFILE, limits)
    stage.log.note("healed")
    await usable_again(stage)


async def no_memory(stage):
    """Some allocations find none. The server may crash, and then it starts again."""
    stage.log.note("fault", kind="no memory")
    stage.server.meddler.set(fault=Meddler.NO_MEMORY)
    is_alive = await stage.server.lives_for(stage.random.uniform(0.3, 2))
    stage.server.meddler.set(fault=Meddler.NOTHING)
    if not is_alive:
        await stage.server.kill(None)
        # The server blames what it was working on, and after a second crash it leaves that aside.
        stage.server.power.remove(stage.server.state / "set-aside")
        await stage.revive()
    stage.log.note("healed")
    await usable_again(stage)


# How often each happens, and what.
ACTS = {
    "power cut": (6, power_cut),
    "power cut in a rotation": (2, power_cut_in_a_rotation),
    "power cut after a backup": (1, power_cut_after_a_backup),
    "stand still": (2, stand_still),
    "disk fault": (3, disk_fault),
    "short writes": (1, short_writes),
    "no descriptors": (1, no_descriptors),
    "no memory": (1, no_memory),
}
