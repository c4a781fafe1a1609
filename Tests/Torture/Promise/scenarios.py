"""The scenarios: what happens to the server while peers talk to it."""

import asyncio
import subprocess

import events
from agent import Agent
from hooked import Hooks
from hooks import Application
from sender import Client, Sender
from server import Meddler
from stage import Stage
from story import Story
from vault import Vault
from viewer import Viewer

DAY, DECADE = 86_400, 3_652 * 86_400
FAULTS = {"read-only": Meddler.READ_ONLY, "broken": Meddler.BROKEN, "no room": Meddler.FULL}


async def kills(folder, seed, count, name="kills"):
    """SIGKILL at random moments, and now and then a calm in which everything must arrive."""
    async with Stage(folder, name, seed) as stage:
        stage.populate(agents=16, senders=8)
        await asyncio.sleep(1)
        for number in range(count):
            await asyncio.sleep(min(1.5, stage.random.expovariate(1 / 0.3)))
            if not await stage.restart():
                break
            if number % 25 == 24:
                await stage.world.calm()
        await stage.finish()
    return stage.log.path


async def callbacks(folder, seed, count):
    """Kills and disk faults while registrations get pushes. Their applications answer in every possible way."""
    async with Stage(folder, "callbacks", seed, is_meddled=True) as stage:
        applications = await employ(stage, 8)
        for one in applications:
            stage.spawn(Viewer(stage.world, one.number).run())
        for number in range(count):
            await asyncio.sleep(min(1.5, stage.random.expovariate(1 / 0.3)))
            if number % 8 == 7:
                await fail_for_a_while(stage, number // 8, longest=1)
                await says_that_it_is_usable(stage)
            if not await stage.restart():
                break
            if number % 20 == 19:
                await stage.world.calm()
        stage.world.is_over = stage.world.is_calm = True
        await asyncio.sleep(1)
        for one in applications[:3]:
            await one.revoke()
        await told_everything(stage, applications)
    return stage.log.path


async def employ(stage, count):
    """Applications with a callback, and pushes to them."""
    applications = [Application(stage.world, number) for number in range(1, count + 1)]
    for one in applications:
        await one.begin()
        stage.spawn(one.run())
    return applications


async def told_everything(stage, applications):
    """Refused pushes are repeated after some seconds."""
    kinds = ("application", "tell", "told", "attempt", "done", "backup", "backed", "restored")
    for _ in range(20):
        await asyncio.sleep(3)
        stage.log.flush()
        story = Story(events.read(stage.log.path, kinds))
        if Hooks(story.events, story.lineage).are_silent():
            break
    await asyncio.sleep(1)
    for one in applications:
        one.server.close()


async def fail_for_a_while(stage, number, longest):
    """Each kind of fault in turn."""
    kind = list(FAULTS)[number % len(FAULTS)]
    stage.log.note("fault", kind=kind)
    stage.server.meddler.set(fault=FAULTS[kind])
    await asyncio.sleep(stage.random.uniform(0.3, longest))
    stage.server.meddler.set()
    stage.log.note("healed")


async def says_that_it_is_usable(stage):
    """The server reports it when no waiting message can show it."""
    client = Client(stage.server.port)
    while (await client.ask("GET", "/__heartbeat__"))[0] != 200:
        await asyncio.sleep(0.05)
    client.close()
    stage.log.note("usable")


async def clocks(folder, seed, count):
    """The time of day jumps by a day and by ten years, both ways, with and without a restart."""
    async with Stage(folder, "clocks", seed, is_meddled=True) as stage:
        stage.populate(agents=12, senders=5)
        await asyncio.sleep(1)
        for number in range(count):
            offset = stage.random.choice([DAY, -DAY, DECADE, -DECADE, 0])
            stage.server.meddler.set(offset=offset)
            stage.log.note("jump", offset=offset)
            await asyncio.sleep(stage.random.uniform(0.2, 1.2))
            if stage.random.random() < 0.5:
                await stage.restart()
            if number % 8 == 7:
                await stage.world.calm()
        await stage.finish()
    return stage.log.path


async def usable_again(stage):
    """Notes when a message for an absent client is kept again."""
    sender = Sender(stage.world)
    while stage.server.process.returncode is None:
        live = stage.world.live()
        # A push that can replace another message waits for the disk, even if its client is connected.
        if live and await sender.push(live[0], ttl=600, topic="usable") == 201:
            break
        await asyncio.sleep(0.05)
    stage.log.note("usable")


async def broken_disks(folder, seed, count):
    """A database that cannot be written, and a disk that loses data."""
    async with Stage(folder, "disks", seed, is_meddled=True) as stage:
        stage.populate(agents=12, senders=5)
        await asyncio.sleep(1)
        for number in range(count):
            await fail_for_a_while(stage, number, longest=2)
            await usable_again(stage)
            await asyncio.sleep(stage.random.uniform(0.5, 1))
            if number % 3 == 2:
                await stage.restart()
                await stage.world.calm()
        await stage.finish()
    return stage.log.path


async def full_disk(folder, seed, count):
    """A small file system without any room left."""
    state = folder / "small"
    state.mkdir(mode=0o700)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m,mode=700", "tmpfs", state], check=True)
    ballast = state / "ballast"
    async with Stage(folder, "full", seed, state=state) as stage:
        stage.populate(agents=12, senders=5)
        await asyncio.sleep(1)
        for number in range(count):
            stage.log.note("fault", kind="full disk")
            fill(ballast)
            await asyncio.sleep(stage.random.uniform(0.5, 2))
            ballast.unlink()
            stage.log.note("healed")
            await usable_again(stage)
            if number % 2:
                await stage.restart()
                await stage.world.calm()
        await stage.finish()
    await refuses_read_only(stage, state)
    subprocess.run(["umount", state], check=True)
    return stage.log.path


def fill(path):
    with open(path, "wb", buffering=0) as file:
        for size in (1 << 20, 1 << 12):
            try:
                while file.write(bytes(size)):
                    pass
            except OSError:
                pass


async def refuses_read_only(stage, state):
    """On a read-only file system the server refuses to start and says why."""
    subprocess.run(["mount", "-o", "remount,ro", state], check=True)
    process = await asyncio.create_subprocess_exec(
        *stage.server.command(), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    try:
        _, errors = await asyncio.wait_for(process.communicate(), 10)
    except TimeoutError:
        process.kill()
        errors = b""
    if process.returncode in (0, None) or b"error" not in errors:
        raise SystemExit(f"torture: started on a read-only disk: {errors.decode()}")


async def backlog(folder, seed):
    """A client stays away until there is no more room, the server is killed, and then the client gets everything."""
    async with Stage(folder, "backlog", seed) as stage:
        agent = Agent(stage.world, 1)
        await agent.visit_briefly()
        one, full = stage.world.live()[0], 0
        senders = [Sender(stage.world) for _ in range(8)]

        async def fill_up(sender):
            nonlocal full
            while full < 40:
                full += await sender.push(one, ttl=86_400, size=5_600, topic="") == 429

        tasks = [asyncio.create_task(fill_up(sender)) for sender in senders]
        await stage.until(lambda: stage.world.pushes > 1_500)
        await stage.restart()
        await asyncio.gather(*tasks)
        await stage.restart()
        stage.spawn(agent.run())
        await stage.finish()
    return stage.log.path


async def silence(folder, seed):
    """Connected clients neither read nor acknowledge, beside others that do."""
    async with Stage(folder, "silence", seed) as stage:
        stage.world.is_calm = True
        stage.populate(agents=8, senders=4, rest=0.01)
        await stage.until(lambda: len(stage.world.live()) >= 8)
        await asyncio.sleep(1)
        stage.log.note("phase", name="alone")
        await asyncio.sleep(4)
        deaf = [Agent(stage.world, 1) for _ in range(4)]
        for agent in deaf:
            await agent.visit_briefly("mute", is_leaving=False)
        stage.log.note("phase", name="beside silent ones")
        await asyncio.sleep(4)
        stage.log.note("phase", name="end")
        await stage.finish(1)
    return stage.log.path


async def long_life(folder, seed, rounds):
    """One server through many connections: it gives back what they used."""
    async with Stage(folder, "life", seed) as stage:
        for number in range(rounds):
            stage.world.is_over = False
            stage.populate(agents=12, senders=5)
            await asyncio.sleep(4)
            await stage.finish(1)
            for task in stage.tasks[1:]:
                task.cancel()
            await asyncio.gather(*stage.tasks[1:], return_exceptions=True)
            del stage.tasks[1:]
            await asyncio.sleep(3)
            when = "before" if number == 0 else "after"
            stage.server.measure(f"{when} life")
            stage.world.subscriptions.clear()
    if (stage.server.state / "bellwire.db-wal").exists():
        raise SystemExit("torture: the write-ahead log is left behind by an orderly end")
    return stage.log.path


async def restores(folder, seed, count):
    """Backups under load, some of them killed; now and then the store is lost and restored from the latest one."""
    async with Stage(folder, "restores", seed, is_meddled=True) as stage:
        vault = Vault(stage)
        stage.populate(agents=14, senders=6, devices=6)
        applications = await employ(stage, 4)
        await asyncio.sleep(1)
        for number in range(count):
            # Their messages wait, and are in a backup.
            away = stage.random.sample(stage.world.agents, 5)
            for one in away:
                one.is_away = True
            for _ in range(stage.random.randint(3, 6)):
                await asyncio.sleep(stage.random.uniform(0.05, 0.6))
                await vault.back_up(is_killed=stage.random.random() < 0.5)
            if number % 3 == 1:
                await stage.restart()
            await asyncio.sleep(stage.random.uniform(0.3, 0.8))
            await vault.revoke_somebody()
            # What is accepted and what ends now is in no backup.
            await asyncio.sleep(stage.random.uniform(1.2, 2))
            if not await vault.restore(has_former=number % 2 == 0):
                break
            for one in away:
                one.is_away = False
            await stage.world.calm()
        await stage.finish()
        stage.world.is_calm = True
        await told_everything(stage, applications)
        await vault.sleep_for_weeks()
    return stage.log.path
