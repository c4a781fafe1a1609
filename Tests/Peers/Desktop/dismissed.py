"""What is closed on the screen of one desktop leaves that of another one, also one that was away. Each is in a session
of its own, and both show a topic of one server.

usage: dismissed.py PATH_OF_BELLWIRE [NUMBER]
NUMBER: also closes so many, one after the other, and prints how long each took to leave the other screen.
"""

import asyncio
import json
import statistics
import subprocess
import sys
import time

sys.path.append(__file__.rsplit("/", 3)[0])

from kit.checks import Checks, checked
from kit.desktop import Session
from kit.screen import Recorder

check = Checks("dismissed")
TOPIC = "builds"


class Sender:
    def __init__(self, address):
        self.address = address

    async def push(self, text, *words):
        words = ["curl", "-sS", "-m", "10", "-w", " %{http_code}", "-d", text, *words, self.address]
        done = await asyncio.to_thread(subprocess.run, words, capture_output=True, text=True)
        check(done.stdout.endswith(" 201"), f"a push was answered {done.stdout}{done.stderr}")


async def shown(recorder, text):
    await check.eventually(lambda: text in recorder.bodies, f"{text} is on the screen")
    return next(number for number, call in recorder.visible.items() if call[4] == text)


async def closed(text, here, there):
    """How long it stays on the other screen. That is looked at without a pause, like a person would."""
    number = await shown(here, text)
    await shown(there, text)
    began = time.monotonic()
    here.user_closes(number)
    while text in there.bodies:
        check(time.monotonic() < began + 5, f"{text} leaves the other screen")
        await asyncio.sleep(0)
    return time.monotonic() - began


def told(session, query="--json"):
    return [json.loads(line) for line in session.run("messages", TOPIC, query).splitlines()]


async def main(bellwire, count="0"):
    with Session(bellwire) as first, Session(bellwire) as second:
        screens = [await Recorder(each).appear() for each in (first, second)]
        first.serve()
        sender = Sender(json.loads(first.run("topic", "add", TOPIC, "--json"))["endpoint"])
        address = first.device()["url"] + f" script/{TOPIC}"
        desktops = [each.desktop(address) for each in (first, second)]

        await sender.push("one")
        await sender.push("two")
        seconds = await closed("one", *screens)
        check(seconds < 1, f"it took {seconds:.3f} s")
        # What leaves a screen at the server's wish is no dismissal, nor what its time on the screen ends.
        screens[0].user_closes(await shown(screens[0], "two"), reason=1)
        await asyncio.sleep(0.5)
        check(screens[1].bodies == ["two"], f"the other one still shows {screens[1].bodies}")
        cleared = {message["message"]: message.get("cleared", False) for message in told(first)}
        check(cleared == {"one": True, "two": False}, f"the history says {cleared}")

        check(second.end(desktops[1]) == 0, "the second desktop ends")
        await sender.push("three")
        screens[0].user_closes(await shown(screens[0], "three"))
        await check.eventually(lambda: told(first)[-1].get("cleared"), "it is stored")
        sounded = len(screens[1].sounding)
        second.desktop(address)
        await sender.push("four")
        await shown(screens[1], "four")
        texts = [call[4] for call in screens[1].sounding[sounded:]]
        check(texts == ["four"], f"a desktop that was away rings for {texts}")
        check("three" not in screens[1].bodies, "it does not show what was closed in the meantime")

        first.run("topic", "add", TOPIC, "--dismiss", "here")
        await sender.push("five")
        await shown(screens[1], "five")
        screens[0].user_closes(await shown(screens[0], "five"))
        await asyncio.sleep(0.5)
        check("five" in screens[1].bodies, "a topic can leave it on the other screen")
        first.run("topic", "add", TOPIC, "--dismiss", "everywhere")

        times = []
        for number in range(int(count)):
            await sender.push(f"number {number}")
            times.append(1_000 * await closed(f"number {number}", *screens))
            await asyncio.sleep(0.02)
        if times:
            times.sort()
            print(f"dismissed: p50 {statistics.median(times):.1f} ms, p99 {times[len(times) * 99 // 100]:.1f} ms")
    print(f"dismissed: {check.passed} checks passed")


checked(main, *sys.argv[1:])
