"""A user agent: it speaks autopush over a WebSocket of another project's library."""

import asyncio
import contextlib
import json
import uuid

import websockets
from kit.checks import Failed
from kit.coding import content, path_of


class UserAgent:
    """Says what KUnifiedPush says and nothing more. `hello`: what it says besides. `terms`: those of the library."""

    def __init__(self, url, patience=15, hello=(), **terms):
        self.url, self.patience, self.hello, self.terms = url.replace("http", "ws", 1), patience, dict(hello), terms
        self.uaid = self.socket = None
        self.waiting = []

    async def connect(self):
        """The answer to hello. The service knows the name again that it gave before."""
        self.waiting = []
        self.socket = await websockets.connect(self.url, compression=None, **self.terms)
        answer = await self.ask("hello", **self.hello, **({"uaid": self.uaid} if self.uaid else {}))
        if answer["status"] != 200 or self.uaid not in (None, answer["uaid"]):
            raise Failed(f"FAILED: the hello of {self.uaid} was answered {answer}")
        self.uaid = answer["uaid"]
        return answer

    async def say(self, kind, **members):
        await self.socket.send(json.dumps({"messageType": kind, **members}))

    async def hear(self):
        return json.loads(await asyncio.wait_for(self.socket.recv(), self.patience))

    async def ask(self, kind, **members):
        """The answer. What comes before it waits to be taken."""
        await self.say(kind, **members)
        while (answer := await self.hear())["messageType"] != kind:
            self.waiting.append(answer)
        return answer

    async def register(self, channel=None, **members):
        """The answer, which has the endpoint."""
        channel = channel or str(uuid.uuid4())
        answer = await self.ask("register", channelID=channel, **members)
        if answer["status"] != 200 or answer["channelID"] != channel:
            raise Failed(f"FAILED: to register was answered {answer}")
        return answer

    async def take(self, acknowledges=True, **more):
        """The next notification."""
        message = self.waiting.pop(0) if self.waiting else await self.hear()
        if message["messageType"] != "notification":
            raise Failed(f"FAILED: instead of a notification there came {message}")
        if acknowledges:
            await self.acknowledge(message, **more)
        return message

    async def acknowledge(self, message, **more):
        await self.say("ack", updates=[{name: message[name] for name in ("channelID", "version")} | more])

    async def close(self):
        await self.socket.close()


class Visitor(UserAgent):
    """Comes, takes the numbers that wait, and leaves."""

    path = None

    async def visit(self, is_done, seconds=10):
        """The numbers: until these are enough, and what came without being asked for."""
        taken = []
        await self.connect()
        if not self.path:
            self.path = path_of((await self.register())["pushEndpoint"])
        for enough, patience in ((is_done, seconds), (lambda _: False, 0.05)):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(patience):
                    while not enough(taken):
                        taken.append(int(content(await self.take())))
        await self.close()
        return taken
