"""From a press on a screen to the `curl` that waits for it, from a close on one screen to another one, and what a
question that waits costs.

usage: questions.py PATH_OF_BELLWIRE [--count N] [--waiting N]

A server without TLS on loopback with its store on the disk, and two desktop services, each on a bus of its own with a
notification server in Python. The times include the work of these servers and of `curl`.
"""

import argparse
import asyncio
import contextlib
import json
import statistics
import sys
import time

sys.path.append(f"{__file__.rsplit('/', 4)[0]}/Tests")

from bars import Bars
from kit import control
from kit.desktop import Session
from kit.screen import Recorder

# So many notifications of one topic come up at once.
AT_ONCE = 10
# A caller has so many open questions at a topic.
OPEN = 50
bars = Bars()


class Screen(Recorder):
    """Says at once when something comes or goes."""

    def __init__(self, session):
        super().__init__(session)
        self.changed = asyncio.Event()

    def handle(self, message):
        answer = super().handle(message)
        self.changed.set()
        return answer

    async def until(self, look):
        """The first result that is true."""
        async with asyncio.timeout(10):
            while not (found := look()):
                self.changed.clear()
                await self.changed.wait()
        return found

    async def shown(self, text):
        """The number and the call of the notification with this text."""
        return await self.until(lambda: next((one for one in self.visible.items() if one[1][4] == text), None))


class Place:
    """A server with topics, two screens that show them, and tokens to ask and to wait."""

    def __init__(self, sessions, topics):
        self.first, self.topics = sessions[0], [f"topic-{number}" for number in range(topics)]
        self.server, self.base = self.first.serve()
        self.port = int(self.base.rsplit(":", 1)[1])
        socket = f"{self.first.folder}/receiver/control.sock"
        for name in self.topics:
            control.ask(socket, "POST", "registrations", control.topic(name))
        self.token = control.ask(socket, "POST", "tokens", {"name": "asker"})["token"]
        address = " ".join([self.first.device()["url"], *(f"script/{name}" for name in self.topics)])
        self.desktops = [(one, one.desktop(address)) for one in sessions]

    def begin_anew(self):
        """A server that has used no memory yet, without screens."""
        for session, desktop in self.desktops:
            session.end(desktop)
        self.desktops = []
        self.first.end(self.server)
        self.server, _ = self.first.serve(port=self.port)

    async def curl(self, path, text, *words):
        """What it prints comes line by line."""
        return await asyncio.create_subprocess_exec(
            *("curl", "-sSN", "-H", f"Authorization: Bearer {self.token}", *words, "-d", text, f"{self.base}/{path}"),
            stdout=asyncio.subprocess.PIPE,
        )


async def presses(place, screens, count):
    """Milliseconds from the press to the answer that `curl` prints."""
    times = []
    for number in range(count):
        text = f"question {number}"
        curl = await place.curl(f"{place.topics[number // AT_ONCE]}?ask=yes,no&wait=1m", text)
        here, other = screens[number % 2], screens[1 - number % 2]
        await other.shown(text)
        there, call = await here.shown(text)
        key = dict(zip(call[5][1::2], call[5][::2], strict=True))["yes"]
        began = time.monotonic()
        here.user_chooses(there, key)
        answer = await curl.stdout.readline()
        times.append(1_000 * (time.monotonic() - began))
        if json.loads(answer)["answer"] != "yes":
            raise SystemExit(f"the answer is {answer}")
        await curl.wait()
    return sorted(times)


async def closes(place, screens, count):
    """Milliseconds from the close on one screen until it is gone from the other one."""
    times = []
    for number in range(count):
        text, here, other = f"note {number}", screens[number % 2], screens[1 - number % 2]
        await (await place.curl(place.topics[-1 - number // AT_ONCE], text, "-o", "/dev/null")).wait()
        (there, _), (far, _) = await here.shown(text), await other.shown(text)
        began = time.monotonic()
        here.user_closes(there)
        await other.until(lambda: far not in other.visible)
        times.append(1_000 * (time.monotonic() - began))
    return sorted(times)


async def waiting(place, count):
    """KiB of the server for a request that waits for a question, and for a stream that waits."""
    names = []
    for number in range(min(count, OPEN)):
        curl = await place.curl(f"{place.topics[0]}?ask=yes,no", f"open {number}")
        names.append(json.loads(await curl.stdout.readline())["id"])
        await curl.wait()
    paths = {"stream": lambda number: f"/{place.topics[1]}/json"}
    paths["question"] = lambda number: f"/v1/questions/{names[number % len(names)]}?wait=10m"
    costs = {}
    for kind, path in paths.items():
        place.begin_anew()
        # The first ones make what all share.
        async with held(place, [path(number) for number in range(count // 10)]):
            before = memory(place.server)
            async with held(place, [path(number) for number in range(count)]):
                costs[kind] = (memory(place.server) - before) / count
    return costs


@contextlib.asynccontextmanager
async def held(place, paths):
    """Requests whose answers have begun."""
    writers = []
    try:
        for path in paths:
            reader, writer = await asyncio.open_connection("127.0.0.1", place.port)
            writers.append(writer)
            writer.write(f"GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {place.token}\r\n\r\n".encode())
            head = await reader.readuntil(b"\r\n\r\n")
            if b" 200 " not in head:
                raise SystemExit(f"{path} was answered {head}")
        await asyncio.sleep(0.5)
        yield
    finally:
        for writer in writers:
            writer.transport.abort()
        # The loop closes them in its next turns.
        await asyncio.sleep(0.2)


def memory(process):
    """KiB that belong to the process alone."""
    with open(f"/proc/{process.pid}/smaps_rollup") as file:
        return sum(int(line.split()[1]) for line in file if line.startswith("Private_Dirty"))


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bellwire")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--waiting", type=int, default=2_000)
    options = parser.parse_args()
    with Session(options.bellwire) as first, Session(options.bellwire) as second:
        screens = [await Screen(each).appear() for each in (first, second)]
        place = Place((first, second), 2 * (options.count // AT_ONCE + 1))
        for what, times, most in (
            ("from a press to the waiting curl", await presses(place, screens, options.count), (2, 10)),
            ("from a close to the other screen", await closes(place, screens, options.count), (5, None)),
        ):
            bars.check(f"{what}: p50", statistics.median(times), most[0], unit=" ms")
            bars.check(f"{what}: p99", times[len(times) * 99 // 100], most[1], unit=" ms")
        costs = await waiting(place, options.waiting)
        bars.check("a stream that waits", costs["stream"], unit=" KiB")
        bars.check("a question that waits", costs["question"], unit=" KiB")
        bars.check("memory of a question that waits to that of a stream", costs["question"] / costs["stream"], 1)
    raise SystemExit(bars.exit_code)


asyncio.run(main())
