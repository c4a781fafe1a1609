"""Who uses the server during a soak: clients that stay or commute, senders, scripts, and an administrator."""

import asyncio
import time
import uuid

from clients.sender import Client, Closed
from kit.coding import content, path_of
from kit.websocket import WebSocket


class Phone:
    """A user agent with two channels. It acknowledges at once, and measures how old each message is."""

    def __init__(self, world, commutes):
        self.world, self.commutes = world, commutes
        self.uaid, self.channels = None, {str(uuid.uuid4()): None for _ in range(2)}
        self.socket, self.since = None, 0.0

    async def run(self):
        while not self.world.is_over:
            self.ended = asyncio.get_running_loop().create_future()
            try:
                self.socket = await WebSocket.connect(self, self.world.server.port)
            except OSError:
                await asyncio.sleep(0.5)
                continue
            stay = self.world.random.uniform(20, 40) if self.commutes else 1e9
            await asyncio.wait([self.ended, self.world.over], timeout=stay, return_when=asyncio.FIRST_COMPLETED)
            self.socket.close()
            await asyncio.wait([self.ended], timeout=2)
            self.since = 0.0
            if self.commutes and not self.world.is_over:
                await asyncio.sleep(self.world.random.uniform(5, 15))

    def opened(self):
        hello = {"messageType": "hello", "use_webpush": True}
        self.socket.tell(**(hello | ({"uaid": self.uaid} if self.uaid else {})))

    def refused(self, status):
        self.world.count(f"client refused {status}")

    def text(self, message, start):
        match message.get("messageType"):
            case "hello":
                self.uaid, self.since = message["uaid"], time.monotonic()
                for channel, path in self.channels.items():
                    if not path:
                        self.socket.tell(messageType="register", channelID=channel)
            case "register":
                self.channels[message["channelID"]] = path_of(message["pushEndpoint"])
            case "notification":
                self.delivered(message)

    def delivered(self, message):
        update = {"channelID": message["channelID"], "version": message["version"]}
        self.socket.tell(messageType="ack", updates=[update])
        body = content(message)
        sent = int.from_bytes(body[:8]) / 1e9
        self.world.delivered += 1
        # What waited for a commuter says nothing about the server.
        if self.since and sent > self.since:
            self.world.deliveries.append(time.monotonic() - sent)

    def pong(self, payload):
        pass

    def closed(self, by_us):
        if not self.ended.done():
            self.ended.set_result(None)


class Sender:
    """Pushes to any channel, at a steady pace."""

    def __init__(self, world, pause):
        self.world, self.pause = world, pause
        self.client = Client(world.server.port)

    async def run(self):
        random = self.world.random
        while not self.world.is_over:
            await asyncio.sleep(self.pause * random.uniform(0.5, 1.5))
            paths = [path for phone in self.world.phones for path in phone.channels.values() if path]
            if not paths:
                continue
            fields = [("Content-Encoding", "aes128gcm"), ("TTL", random.choice([60, 600]))]
            if random.random() < 0.1:
                fields.append(("Topic", "score"))
            body = time.monotonic_ns().to_bytes(8) + random.randbytes(random.choice([32, 200, 200, 2_000]))
            await self.push(random.choice(paths), fields, body)

    async def push(self, path, fields, body):
        start = time.monotonic()
        try:
            status, answer = await self.client.ask("POST", path, fields, body)
        except (Closed, TimeoutError):
            return self.world.count("push unanswered")
        # A connection ends after ten thousand requests, and the server says so.
        if answer.get("connection") == "close":
            self.client.close()
        self.world.answers.append(time.monotonic() - start)
        self.world.pushes += 1
        if status != 201:
            self.world.count(f"push answered {status}")


class Script(Sender):
    """Text for an account that the server shows, and an application that fetches it."""

    NAMES = ("ann", "ben", "cid")

    def __init__(self, world, number):
        super().__init__(world, 1.0)
        self.number, self.path, self.id = number, None, None

    async def run(self):
        body = {
            "token_type": 10,
            "app": "script",
            "account": f"soak {self.number}",
            "dialect": "plain",
            "clear": True,
            "trust_clear": True,
        }
        _, answer = await self.world.server.control("POST", "registrations", body)
        self.take(answer)
        rounds = 0
        while not self.world.is_over:
            await asyncio.sleep(self.pause * self.world.random.uniform(0.5, 1.5))
            title = self.world.random.choice(self.NAMES)
            await self.push(self.path, [("TTL", 600), ("Title", title)], f"round {rounds}".encode())
            rounds += 1
            if rounds % 10 == 0:
                await self.world.server.control("POST", "fetched", {"registration": self.id})
            if rounds % 60 == 0:
                _, answer = await self.world.server.control("POST", f"registrations/{self.id}/rotate")
                self.take(answer)

    def take(self, answer):
        self.id = answer.get("id", self.id)
        self.path = path_of(answer["endpoint"])


async def administrate(world):
    """Adds and removes devices, and looks at the server."""
    number = 0
    while not world.is_over:
        number += 1
        await asyncio.sleep(2)
        await world.server.control("GET", "overview")
        if number % 3 == 0:
            _, device = await world.server.control("POST", "devices", {"name": f"soak {number}"})
            await world.server.control("DELETE", f"devices/{device['id']}")
