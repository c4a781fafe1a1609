"""The way from a sender to an application on the session bus, and what the desktop service costs.

usage: desktop.py PATH_OF_BELLWIRE [--messages N] [--seconds S]

A receiver without TLS on loopback with its store on the disk, a desktop service, and applications in Python on their
own bus. The times include the work of sender and application.
"""

import argparse
import asyncio
import concurrent.futures
import http.client
import re
import statistics
import sys
import time

sys.path.append(f"{__file__.rsplit('/', 4)[0]}/Tests")

from bars import Bars
from kit.desktop import Application, Session
from kit.process import Running

FIELDS = {"TTL": "60", "Content-Encoding": "aes128gcm"}
APPLICATIONS = 20
bars = Bars()


class Sender:
    def __init__(self, endpoint):
        place, self.path = re.fullmatch(r"http://([^/]+)(/.*)", endpoint).groups()
        self.connection = http.client.HTTPConnection(place)

    def push(self, body):
        self.connection.request("POST", self.path, body, FIELDS)
        answer = self.connection.getresponse()
        answer.read()
        if answer.status != 201:
            raise SystemExit(f"a push was answered {answer.status}")


def memory(process):
    """The KiB of the process, by kind."""
    with open(f"/proc/{process.pid}/smaps_rollup") as file:
        return {name: int(size) for name, size in re.findall(r"(\w+):\s+(\d+) kB", file.read())}


async def latency(app, endpoint, count):
    sender = Sender(endpoint)
    times = []
    for number in range(count):
        body = b"%d" % number + b" " * 1000
        start = time.monotonic()
        await asyncio.to_thread(sender.push, body)
        moment, _ = await asyncio.wait_for(app.messages.get(), 10)
        times.append((moment - start) * 1000)
    times.sort()
    bars.check("from POST to the application: p50", statistics.median(times), 1.3, unit=" ms")
    bars.check("from POST to the application: p99", times[count * 99 // 100], unit=" ms")


async def rate(app, endpoint, desktop, seconds, wanted=1_000, senders=8):
    before = memory(desktop)["Rss"]
    middle = 0
    count = seconds * wanted
    start = time.monotonic()

    def send(part):
        sender = Sender(endpoint)
        for number in range(part, count, senders):
            pause = start + number / wanted - time.monotonic()
            if pause > 0:
                time.sleep(pause)
            sender.push(b"%d" % number)

    with concurrent.futures.ThreadPoolExecutor(senders) as pool:
        under_way = [pool.submit(send, part) for part in range(senders)]
        for number in range(count):
            moment, _ = await asyncio.wait_for(app.messages.get(), 30)
            if number == count // 2:
                middle = memory(desktop)["Rss"]
        for part in under_way:
            part.result()
    took = moment - start
    after = memory(desktop)["Rss"]
    print(f"      {count / took:.0f} a second; RSS {before}, {middle}, {after} KiB")
    bars.check("messages a second to one application", count / took, least=wanted * 0.98)
    bars.check("growth in the second half of it", after - middle, 1_024, unit=" KiB")
    # Free memory goes back to the system after two seconds.
    await asyncio.sleep(5)
    use = memory(desktop)
    bars.check("after use: RSS", use["Rss"] / 1_024, 14, unit=" MiB")
    bars.check("after use: Private_Dirty", use["Private_Dirty"] / 1_024, unit=" MiB")


async def idle(session, desktop):
    for number in range(APPLICATIONS):
        app = await Application(session, f"org.example.Idle{number}").appear()
        await app.register()
        await app.endpoint()
    await asyncio.sleep(8)
    before = sum(Running(desktop).wakes().values())
    await asyncio.sleep(10)
    count = sum(Running(desktop).wakes().values()) - before
    use = memory(desktop)
    bars.check(f"{APPLICATIONS} idle: Private_Dirty", use["Private_Dirty"] / 1_024, 6, unit=" MiB")
    bars.check(f"{APPLICATIONS} idle: RSS", use["Rss"] / 1_024, 14, unit=" MiB")
    bars.check(f"{APPLICATIONS} idle: wake-ups in ten seconds", count, 0)


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bellwire")
    parser.add_argument("--messages", type=int, default=1_000)
    parser.add_argument("--seconds", type=int, default=10)
    options = parser.parse_args()
    with Session(options.bellwire) as session:
        session.serve()
        desktop = session.desktop(session.device()["websocket"])
        await idle(session, desktop)
        app = await Application(session, "org.example.Bench").appear()
        await app.register()
        endpoint = await app.endpoint()
        await latency(app, endpoint, options.messages)
        await rate(app, endpoint, desktop, options.seconds)
    raise SystemExit(bars.exit_code)


asyncio.run(main())
