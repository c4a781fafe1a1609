"""The scenarios: what happens to the server while peers talk to it."""

import asyncio
import subprocess

import events
from clients.agent import Agent
from clients.hooks import Application
from clients.sender import Sender
from clients.topics import Follower, Publisher, Screen, Topics, history
from clients.viewer import Viewer
from machine import breakdowns
from machine.breakdowns import fail_for_a_while, says_that_it_is_usable, usable_again
from stage import Stage
from verdict.hooked import Hooks
from verdict.story import Story

DAY, DECADE = 86_400, 3_652 * 86_400


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


async def power(folder, seed, count):
    """The machine fails in every way, most often its power, while user agents and registrations get pushes."""
    async with Stage(folder, "power", seed, is_meddled=True) as stage:
        stage.populate(agents=12, senders=5, devices=4)
        applications = await employ(stage, 4)
        for one in applications:
            stage.spawn(Viewer(stage.world, one.number).run())
        acts = list(breakdowns.ACTS.values())
        await asyncio.sleep(1)
        for number in range(count):
            await asyncio.sleep(min(1.5, stage.random.expovariate(1 / 0.3)))
            await stage.random.choices(acts, [weight for weight, _ in acts])[0][1](stage)
            if number % 20 == 19:
                await stage.world.calm()
        await stage.finish()
        stage.world.is_calm = True
        await told_everything(stage, applications)
    return stage.log.path


async def topics(folder, seed, count):
    """Kills, power cuts and faults while topics get messages, readers follow them, and screens close what they show."""
    acts = [breakdowns.power_cut] * 3 + [breakdowns.disk_fault, breakdowns.stand_still]
    async with Stage(folder, "topics", seed, is_meddled=True) as stage:
        # The agent tells that the disk can be written again. In four minutes publishers that rest do not reach what
        # the history of four topics has room for.
        stage.populate(agents=1, senders=0, rest=0.05)
        ours = Topics(stage.world, 4)
        await ours.begin()
        for _ in range(4):
            stage.spawn(Publisher(ours).run())
        for names in (ours.names, ours.names[:2], ours.names[2:3]):
            stage.spawn(Follower(ours, names).run())
        for name in ours.names * 2:
            stage.spawn(Screen(ours, name).run())
        await asyncio.sleep(1)
        for number in range(count):
            await asyncio.sleep(min(1.5, stage.random.expovariate(1 / 0.3)))
            if number % 3:
                await stage.restart()
            else:
                await stage.random.choice(acts)(stage)
            if number % 20 == 19:
                await stage.world.calm(2)
        stage.world.is_calm = stage.world.is_over = True
        # The longest delay, and time for its readers.
        await asyncio.sleep(24)
        await history(ours, ours.next_reader())
    return stage.log.path


async def births(folder, seed, rounds, size=6):
    """The power fails in the first moments of new servers. They have to start again, and keep what they promised."""
    stages = []
    for number in range(rounds):
        born = [
            Stage(folder, f"births-{number}-{one}", seed + len(stages) + one, None, True, True) for one in range(size)
        ]
        await asyncio.gather(*(be_born(stage) for stage in born))
        stages += born
    return [stage.log.path for stage in stages]


async def be_born(stage):
    async with stage:
        stage.populate(agents=2, senders=1, channels=2)
        # A start needs half as many operations.
        stage.server.power.fail_after(stage.random.randint(1, 400))
        if await stage.server.start(is_doomed=True):
            await stage.server.lives_for(stage.random.uniform(0, 1))
        await stage.server.cut_power(stage.random)
        await stage.revive()
        await stage.finish()


async def callbacks(folder, seed, count):
    """Kills and disk faults while registrations get pushes. Their applications answer in every possible way."""
    kinds = list(breakdowns.FAULTS)
    async with Stage(folder, "callbacks", seed, is_meddled=True) as stage:
        applications = await employ(stage, 8)
        for one in applications:
            stage.spawn(Viewer(stage.world, one.number).run())
        for number in range(count):
            await asyncio.sleep(min(1.5, stage.random.expovariate(1 / 0.3)))
            if number % 8 == 7:
                await fail_for_a_while(stage, kinds[number // 8 % len(kinds)], longest=1)
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
    """Waits until everything has come, until nothing comes for eighteen seconds, or for a minute. What was refused is
    repeated after some seconds.
    """
    kinds, missing = ("application", "tell", "told", "attempt", "done", "backup", "backed", "restored"), []
    while len(missing) < 20 and 0 not in missing and (len(missing) < 7 or missing[-7] > missing[-1]):
        await asyncio.sleep(3)
        stage.log.flush()
        story = Story(events.read(stage.log.path, kinds))
        missing.append(Hooks(story.events, story.lineage).missing())
    await asyncio.sleep(1)
    for one in applications:
        one.server.close()


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


async def broken_disks(folder, seed, count):
    """A database that cannot be written, and a disk that loses data."""
    kinds = list(breakdowns.FAULTS)
    async with Stage(folder, "disks", seed, is_meddled=True) as stage:
        stage.populate(agents=12, senders=5)
        await asyncio.sleep(1)
        for number in range(count):
            await fail_for_a_while(stage, kinds[number % len(kinds)], longest=2)
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
        vault = stage.vault
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


async def desktop(folder, seed, count):
    """The desktop, its bus, the notification daemon and the server die while applications and accounts get pushes."""
    # Only this scenario needs the library that speaks D-Bus.
    from session.desk import Desk
    from session.desk_acts import ACTS

    async with Stage(folder, "desktop", seed) as stage:
        desk = Desk(stage)
        await desk.begin()
        stage.spawn(desk.run())
        await asyncio.sleep(1.5)
        weights = [weight for weight, _ in ACTS.values()]
        # Each of them happens, and then any of them.
        acts = stage.random.sample(list(ACTS.values()), len(ACTS))
        acts += stage.random.choices(list(ACTS.values()), weights, k=count - len(acts))
        for number, (_, act) in enumerate(acts):
            await asyncio.sleep(min(1.5, stage.random.expovariate(1 / 0.3)))
            await act(stage, desk)
            if number % 25 == 24:
                await stage.world.calm(8)
                await desk.look()
        stage.world.is_calm = True
        stage.log.note("calm")
        await asyncio.sleep(6)
        await desk.finish()
    return stage.log.path
