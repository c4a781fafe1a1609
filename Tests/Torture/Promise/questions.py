"""The scenario `questions`: answers are raced from two screens, a stream and requests, and messages are closed on one
screen of two, while every process is killed.
"""

import asyncio

from clients.askers import Asker, Command
from clients.questions import Notes, Questions
from machine import breakdowns
from session.screens import Screen, what
from stage import Stage

TOPICS, DAY = 8, 86_400
# The average pause between two acts, and how many notes come while a screen is away.
PAUSE, MISSED = 1.5, 6


async def questions(folder, seed, count, kills):
    async with Stage(folder, "questions", seed, is_meddled=True) as stage:
        ours = Questions(stage, TOPICS)
        await ours.begin()
        screens = [Screen(stage, ours, number) for number in (1, 2)]
        for one in screens:
            await one.begin()
            stage.spawn(one.run())
        stage.spawn(ours.reader.run())
        await asyncio.sleep(1)
        kinds = [Asker] * (TOPICS - 1) + [Command]
        askers = [stage.spawn(kind(ours, name).run()) for kind, name in zip(kinds, ours.names, strict=True)]
        notes = Notes(ours)
        stage.spawn(notes.run())
        acts = list(ACTS.values())
        weights = [weight for weight, _ in acts]
        # Each of them happens, and then any of them.
        deck = stage.random.sample(acts, len(acts)) + stage.random.choices(acts, weights, k=kills)
        for _, act in deck[:kills]:
            await asyncio.sleep(min(4, stage.random.expovariate(1 / PAUSE)))
            await act(stage, ours, screens)
        await stage.until(lambda: ours.asked >= count, seconds=count / 5)
        stage.world.is_over = True
        # The last ones get their answers.
        await asyncio.wait(askers, timeout=12)
        await asyncio.sleep(2)
        await be_away(stage, ours, screens, notes)
        await ours.finish()
    return stage.log.path


async def kill_server(stage, ours, screens):
    await stage.restart()
    for one in screens:
        one.wake()


async def cut_power(stage, ours, screens):
    await breakdowns.power_cut(stage)
    for one in screens:
        one.wake()


async def kill_screen(stage, ours, screens):
    one = stage.random.choice(screens)
    await one.kill()
    await asyncio.sleep(stage.random.choice([0, 0, 0.5]))
    await one.start()


async def kill_in_a_request(stage, ours, screens):
    """While a button's request is under way, if one comes soon."""
    await stage.until(lambda: ours.door.waiting, seconds=3)
    await asyncio.gather(*(one.kill() for one in screens))
    await asyncio.gather(*(one.start() for one in screens))


async def lose_glass(stage, ours, screens):
    await stage.random.choice(screens).lose_glass()


async def kill_askers(stage, ours, screens):
    ours.kill_askers()


async def cut_stream(stage, ours, screens):
    ours.reader.cut()


async def kill_everything(stage, ours, screens):
    ours.kill_askers()
    await asyncio.gather(*(one.kill() for one in screens), stage.restart())
    await asyncio.gather(*(one.start() for one in screens))


ACTS = {
    "kill the server": (5, kill_server),
    "cut the power": (2, cut_power),
    "kill a screen": (3, kill_screen),
    "kill in a request": (4, kill_in_a_request),
    "lose the notification server": (2, lose_glass),
    "kill who asks": (2, kill_askers),
    "cut the stream": (1, cut_stream),
    "kill everything": (2, kill_everything),
}


async def be_away(stage, ours, screens, notes):
    """One screen is off for a day. What comes meanwhile is closed on the other one, but for the last."""
    there, away = screens
    there.has_user = away.has_user = False
    await away.kill()
    first = ours.notes + 1
    for _ in range(MISSED):
        await notes.send()
    await asyncio.sleep(1)
    for number, call in list(there.glass.visible.items()):
        kind, _, which = (what(call) or "").partition(" ")
        if kind == "note" and first <= int(which) < ours.notes:
            there.close(number)
    await asyncio.sleep(1.5)
    await stage.server.kill()
    stage.server.meddler.set(slept=DAY)
    stage.log.note("slept", seconds=DAY)
    await stage.revive()
    there.wake()
    await away.start()
    await asyncio.sleep(3)
