"""Senders and readers of topics, as ntfy's programs are: they publish by a name, and follow one or several names."""

import asyncio
import json

from clients.sender import Client, Closed
from clients.viewer import Viewer, number_of

# A delay has at least this many seconds.
SHORTEST = 10
PATIENCE = 15


class Topics:
    """All of one owner."""

    def __init__(self, world, count):
        self.world, self.names = world, [f"topic-{number}" for number in range(count)]
        self.messages, self.readers = 0, 0

    async def begin(self):
        """A reader needs a credential; a program of this machine pushes without one."""
        status, device = await self.world.server.control("POST", "devices", {"name": "topics"})
        if status != 201:
            raise SystemExit(f"torture: no device for topics: {status} {device}")
        self.bearer = device["bearer"]
        self.world.log.note("secret", what="the secret of a device", text=self.bearer)

    def next_message(self):
        self.messages += 1
        return self.messages

    def next_reader(self):
        self.readers += 1
        return self.readers


class Publisher:
    """One request after the other. What it did is in the log before it is sent, and again with its answer."""

    def __init__(self, topics):
        self.topics, self.world = topics, topics.world
        self.random, self.note = self.world.branch(), self.world.log.note
        self.client = Client(self.world.server.port)
        self.sequences = []

    async def run(self):
        while not self.world.is_over:
            dice = self.random.random()
            if dice < 0.06 and self.sequences:
                await self.end(*self.random.choice(self.sequences))
            elif dice < 0.12:
                await self.push(delay=SHORTEST + self.random.randint(0, 6))
            elif dice < 0.2:
                await self.push(is_kept=False)
            else:
                await self.push()
            await asyncio.sleep(self.world.rest * self.random.random())

    async def push(self, delay=0, is_kept=True):
        number, topic = self.topics.next_message(), self.random.choice(self.topics.names)
        path, fields, sequence = f"/{topic}", [], None
        if self.random.random() < 0.2:
            sequence = f"q{number}"
            if self.sequences and self.random.random() < 0.5:
                topic, sequence = self.random.choice(self.sequences)
            else:
                self.sequences = [*self.sequences[-20:], (topic, sequence)]
            path = f"/{topic}/{sequence}"
        if delay:
            fields.append(("In", f"{delay}s"))
        if not is_kept:
            fields.append(("Cache", "no"))
        self.note("publish", m=number, topic=topic, delay=delay, kept=is_kept, sequence=sequence)
        await self.ask("POST", path, number, fields, f"bw-topic {number}".encode())

    async def end(self, topic, sequence):
        """Deletes or clears what has the sequence."""
        number, kind = self.topics.next_message(), self.random.choice(["delete", "clear"])
        self.note("publish", m=number, topic=topic, kind=kind, sequence=sequence)
        method, path = ("DELETE", "") if kind == "delete" else ("PUT", "/clear")
        await self.ask(
            method, f"/{topic}/{sequence}{path}", number, [("Authorization", f"Bearer {self.topics.bearer}")]
        )

    async def ask(self, method, path, number, fields, body=b""):
        try:
            status, answer = await self.client.ask(method, path, fields, body)
        except (Closed, TimeoutError) as error:
            self.note("unpublished", m=number, late=isinstance(error, TimeoutError))
            await asyncio.sleep(0.05)
            return
        said = json.loads(answer["body"]) if status == 200 else {}
        self.note("published", m=number, status=status, id=said.get("id"), time=said.get("time"))


class Follower:
    """Reads a stream of some topics. After each break it goes on behind the last message that it has."""

    def __init__(self, topics, names):
        self.topics, self.names, self.world = topics, names, topics.world
        self.number, self.note = topics.next_reader(), self.world.log.note
        self.random, self.last = self.world.branch(), "all"

    async def run(self):
        while True:
            try:
                await self.follow()
            except (OSError, asyncio.IncompleteReadError, ValueError, TimeoutError):
                pass
            self.note("unfollowed", r=self.number)
            await asyncio.sleep(0.05)

    async def follow(self):
        async with opened(self.topics, self.names, f"since={self.last}") as lines:
            self.note("followed", r=self.number, topics=self.names, since=self.last)
            # Now and then it leaves by itself.
            stays = self.random.expovariate(1 / 6)
            async with asyncio.timeout(None if self.world.is_calm else stays):
                async for event in lines:
                    if self.hear(event):
                        self.last = event["id"]

    def hear(self, event):
        """False for what is no message."""
        if event["event"] in ("open", "keepalive"):
            return False
        self.note("heard", r=self.number, **told(event))
        # The place of what is not kept is known as well.
        return True


class Screen(Viewer):
    """Shows a topic, and closes some of it. It is one of several on which the owner sees the same."""

    app, role = "script", {"role": "viewer"}

    def __init__(self, topics, name):
        super().__init__(topics.world, topics.next_reader())
        self.account, self.closes = name, 0

    def note(self, event, **facts):
        self.log.note(event, r=self.application, c=self.connection, topic=self.account, **facts)

    async def visit(self):
        self.note("lit")
        await super().visit()

    def take(self, update):
        kind = update["@type"]
        if kind == "updateActiveNotifications":
            self.shown = {}
            for group in update["groups"]:
                self.keep((group["id"], one) for one in group["notifications"])
            self.note("showed", names=list(self.shown), whole=True)
        elif kind == "updateNotificationGroup":
            for name in update["removed_notification_ids"]:
                self.shown.pop(name, None)
            added = update["added_notifications"]
            self.keep((update["notification_group_id"], one) for one in added)
            self.note("showed", names=[one["id"] for one in added], whole=False)
        elif kind == "updateNotification":
            self.keep([(update["notification_group_id"], update["notification"])])
        elif kind == "ok" and update.get("@extra") in self.asked:
            name, number = self.asked.pop(update["@extra"])
            self.note("shut", name=name, number=number)

    def keep(self, notifications):
        for group, one in notifications:
            self.shown[one["id"]] = (group, number_of(one, r"bw-topic (\d+)"))

    def act(self):
        if not self.shown or self.world.is_over:
            return
        name = self.random.choice(list(self.shown))
        group, number = self.shown[name]
        self.closes += 1
        self.asked[self.closes] = (name, number)
        self.note("shutting", name=name, number=number)
        self.say("removeNotification", notification_group_id=group, notification_id=name, **{"@extra": self.closes})


async def history(topics, reader):
    """What is stored, in its order, as somebody gets it who knows nothing."""
    note = topics.world.log.note
    for _ in range(20):
        try:
            async with asyncio.timeout(PATIENCE):
                async with opened(topics, topics.names, "poll=1&since=all") as lines:
                    found = [told(event) async for event in lines]
            return note("history", r=reader, found=found)
        except (OSError, asyncio.IncompleteReadError, ValueError, TimeoutError):
            await asyncio.sleep(0.1)
    raise SystemExit("torture: the history of topics cannot be read")


def told(event):
    """What of an event is in the log."""
    text = event.get("message", "")
    number = int(text.removeprefix("bw-topic ")) if text.startswith("bw-topic ") else None
    return {
        "id": event["id"],
        "kind": event["event"].removeprefix("message_"),
        "topic": event["topic"],
        "number": number,
        "sequence": event.get("sequence_id"),
    }


class opened:
    """The lines of a stream, as an asynchronous context."""

    def __init__(self, topics, names, query):
        self.topics, self.path = topics, f"/{','.join(names)}/json?{query}"

    async def __aenter__(self):
        port = self.topics.world.server.port
        reader, self.writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
        self.writer.write(
            f"GET {self.path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
            f"Authorization: Bearer {self.topics.bearer}\r\n\r\n".encode()
        )
        try:
            async with asyncio.timeout(PATIENCE):
                head = await reader.readuntil(b"\r\n\r\n")
        except BaseException:
            self.writer.close()
            raise
        if b" 200 " not in head.split(b"\r\n")[0]:
            self.writer.close()
            raise ValueError(head)
        return lines(reader)

    async def __aexit__(self, *_):
        self.writer.close()


async def lines(reader):
    """The objects of a chunked body, until its end."""
    rest = b""
    while size := int(await reader.readline(), 16):
        rest += await reader.readexactly(size)
        await reader.readexactly(2)
        *whole, rest = rest.split(b"\n")
        for line in whole:
            yield json.loads(line)
