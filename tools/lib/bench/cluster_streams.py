"""What messages in streams of their own would cost the servers of NATS, beside the same in entries of one log."""

import asyncio
import os
import pathlib
import tempfile
import time

from installation import processor
from nats_client import NatsClient, message
from nodes.machines import CHECKOUT, NATS, NatsServer, NatsServers

STREAMS, WINDOWS = (1, 16, 64), (256, 2_048)
# JetStream takes 10,000 requests that it has not carried out, and slows down long before.
DELETES = 256
SIZE, BATCH = 200, 100
# What a row of the log has beside the body.
ROW = 200


class FreeServer(NatsServer):
    """As those of a cluster, but one may make any streams."""

    def command(self):
        return [self.settings[0], "--config", self.servers.folder / "free.conf"]


class Servers:
    """Three servers, and a connection to one of them."""

    def __init__(self, place):
        self.temporary = tempfile.TemporaryDirectory(dir=place.folder, prefix="streams")
        self.all = NatsServers(pathlib.Path(self.temporary.name))
        text = (CHECKOUT / "deploy/nats/server.conf").read_text().replace("max_streams: 3", "max_streams: 100")
        (self.all.folder / "free.conf").write_text(text.replace(", include permissions.conf", ""))
        self.all.all = [FreeServer(one.number, self.all) for one in self.all.all]

    async def __aenter__(self):
        try:
            await self.all.begin()
            self.client = await NatsClient.connect(NATS, self.all.folder / "nats/ca.pem", self.all.password)
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *_):
        for server in self.all.all:
            if server.process:
                await server.end(within=10)
        self.temporary.cleanup()

    async def make(self, names, subject, per_subject):
        for name in names:
            await self.make_one(name, subject(name), per_subject)
        # Until each server knows which one leads a stream.
        await asyncio.sleep(2)

    async def make_one(self, name, subject, per_subject):
        members = {
            **{"name": name, "subjects": [subject], "storage": "file", "num_replicas": 3, "retention": "limits"},
            **{"discard": "new", "max_msgs_per_subject": per_subject, "allow_direct": True, "allow_msg_ttl": True},
            "duplicate_window": 120 * 10**9,
        }
        await self.client.ask(f"$JS.API.STREAM.CREATE.{name}", members)

    async def remove(self, name):
        await self.client.ask(f"$JS.API.STREAM.DELETE.{name}", {})

    async def cost(self, requests, window, seconds=None):
        """How many were answered, how many in a second, and the CPU of the servers for each in microseconds."""
        before, began = sum(map(processor, self.all.all)), time.monotonic()
        end = began + seconds if seconds else float("inf")
        count = await self.client.flood(requests, window, lambda: time.monotonic() < end)
        took = time.monotonic() - began
        return count, count / took, (sum(map(processor, self.all.all)) - before) / count * 1e6


def puts(streams):
    """One message after the other, each on a subject of its own, and each to the next stream."""
    number = 0
    while True:
        subject = f"MB_{number % streams}.{number % 1_000}.{number}"
        yield message(subject, os.urandom(SIZE), [("Nats-Msg-Id", number), ("Nats-TTL", "3600s")])
        number += 1


def deletes(streams, count):
    """They go by numbers, which begin with 1 in each stream."""
    for number in range(count):
        data = b'{"seq":%d,"no_erase":true}' % (number // streams + 1)
        yield message(f"$JS.API.STREAM.MSG.DELETE.MB_{number % streams}", data)


def entries():
    number = 0
    while True:
        yield message("log", os.urandom(BATCH * (SIZE + ROW)), [("Nats-Msg-Id", number)])
        number += 1


async def divided(servers, seconds, streams, window):
    await servers.make([f"MB_{number}" for number in range(streams)], lambda name: f"{name}.>", 1)
    count, rate, cost = await servers.cost(puts(streams), window, seconds)
    removed = await servers.cost(deletes(streams, count), min(window, DELETES))
    for number in range(streams):
        await servers.remove(f"MB_{number}")
    names = ("streams", "window", "put_us", "puts", "delete_us", "deletes")
    return dict(zip(names, (streams, window, cost, rate, removed[2], removed[1])))


async def logged(servers, seconds):
    """One entry after the other, as each says after which it comes."""
    await servers.make(["LOG"], str.lower, -1)
    _, rate, cost = await servers.cost(entries(), 1, seconds)
    return {"streams": "log", "window": 1, "put_us": cost / BATCH, "puts": rate * BATCH}


async def measure(place, terms):
    async with Servers(place) as servers:
        seconds = terms.few(terms.seconds, 0.3)
        rows = [await logged(servers, seconds)]
        show(rows[-1])
        for streams in STREAMS[: terms.few(len(STREAMS), 1)]:
            for window in WINDOWS[: terms.few(len(WINDOWS), 1)]:
                rows.append(await divided(servers, seconds, streams, window))
                show(rows[-1])
    return [{name: value if isinstance(value, str) else round(value, 2) for name, value in row.items()} for row in rows]


def show(row):
    what = f"{row['streams']} streams" if row["streams"] != "log" else f"log, {BATCH} in an entry"
    text = f"      {what:20} {row['window']:5} under way {row['put_us']:6.1f} us NATS for a put {row['puts']:7,.0f}/s"
    if "deletes" in row:
        text += f"  {row['delete_us']:6.1f} us for its removal {row['deletes']:7,.0f}/s"
    print(text, flush=True)


def streams(place, bars, terms):
    print(f"\nmessages of {SIZE} B in streams with a subject for each, and in entries of one log; three replicas")
    return {"streams": asyncio.run(measure(place, terms))}
