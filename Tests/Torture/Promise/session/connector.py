"""Applications on the session bus that get pushes by UnifiedPush, in both generations of the protocol."""

import asyncio
import hashlib
import uuid

from dbus_fast import Message, MessageType, NameFlag, RequestNameReply, Variant
from dbus_fast.aio import MessageBus
from dbus_fast.errors import DBusError
from kit.bus import request

CONNECTOR = "org.unifiedpush.Connector"
ERROR = "org.freedesktop.DBus.Error"
# How messages are answered while an application stays, with weights.
MODES = {"prompt": 6, "late": 3, "mute": 2, "failing": 3, "crashing": 2}
# What a bus that ends does to its clients.
LOST = (OSError, EOFError, TimeoutError, DBusError)


async def connected(address):
    """A connection whose end is no mistake."""
    bus = await MessageBus(bus_address=address).connect()
    asyncio.create_task(bus.wait_for_disconnect()).add_done_callback(lambda one: one.cancelled() or one.exception())
    return bus


def number_of(body):
    return int.from_bytes(body[2:10]) if body[:2] == b"bw" and len(body) >= 10 else None


class Connection:
    """One life of an application on the bus. `told(member, token, text)` hears of endpoints and ends."""

    def __init__(self, name, version, number, mode, random, note, told):
        self.name, self.version, self.number, self.mode = name, version, number, mode
        self.random, self.note, self.told = random, note, told
        self.bus, self.calls, self.is_leaving = None, 0, False

    @property
    def is_open(self):
        return self.bus is not None and self.bus.connected and not self.is_leaving

    async def appear(self, address):
        """Whether it got its name."""
        async with asyncio.timeout(10):
            self.bus = await connected(address)
            self.bus.add_message_handler(self.handle)
            # The first call may come before this coroutine goes on.
            self.note("app-up", i=self.number, name=self.name, unique=self.bus.unique_name, mode=self.mode)
            reply = await self.bus.request_name(self.name, NameFlag.DO_NOT_QUEUE)
        return reply == RequestNameReply.PRIMARY_OWNER

    def leave(self):
        if self.bus:
            self.note("app-down", i=self.number)
            self.bus.disconnect()
        self.bus = None

    def handle(self, message):
        if not self.is_open:
            # The library works on what it has read, but could not answer.
            return True
        if message.message_type != MessageType.METHOD_CALL or not message.interface.startswith(CONNECTOR):
            return None
        if message.interface != f"{CONNECTOR}{self.version}":
            return Message.new_error(message, f"{ERROR}.UnknownInterface", "another generation")
        token, *rest = self.read(message)
        if message.member == "Message":
            return self.take(message, token, *rest)
        if self.mode in ("mute", "crashing"):
            return True
        self.told(message.member, token, *rest)
        return self.answer(message)

    def read(self, message):
        if self.version == 1:
            return message.body
        values = {name: value.value for name, value in message.body[0].items()}
        if message.member == "Message":
            return values["token"], values["message"], values.get("id", "")
        return values["token"], *([values["endpoint"]] if "endpoint" in values else [])

    def answer(self, message):
        return Message.new_method_return(message, *(("a{sv}", [{}]) if self.version == 2 else ()))

    def take(self, message, token, body, name):
        self.calls += 1
        number, body = self.calls, bytes(body)
        digest = hashlib.sha256(body).hexdigest()[:16]
        facts = {"token": token, "id": name, "p": number_of(body), "digest": digest, "source": message.sender}
        self.note("app-message", i=self.number, n=number, **facts)
        if self.mode == "mute":
            return True
        if self.mode == "crashing":
            asyncio.get_running_loop().call_soon(self.leave)
            self.is_leaving = True
            return True
        if self.mode == "failing" and self.random.random() < 0.5:
            self.note("app-reply", i=self.number, n=number, how="error")
            return Message.new_error(message, f"{ERROR}.Failed", "not now")
        if self.mode == "late":
            delay = self.random.uniform(0, 0.8)
            asyncio.get_running_loop().call_later(delay, self.answer_late, message, number)
            return True
        self.note("app-reply", i=self.number, n=number, how="taken")
        return self.answer(message)

    def answer_late(self, message, number):
        if self.is_open:
            self.note("app-reply", i=self.number, n=number, how="taken")
            self.bus.send(self.answer(message))

    async def call(self, member, **values):
        """The values of the answer, or None if there was an error."""
        order = {"Register": ("service", "token", "description"), "Unregister": ("token",)}[member]
        signature, body = "a{sv}", [{name: Variant("s", value) for name, value in values.items()}]
        if self.version == 1:
            signature, body = "s" * len(order), [values[name] for name in order]
        call = request(self.version, member, signature, body)
        if not self.is_open:
            # The library would use the descriptor, which may be somebody else's by now.
            raise EOFError
        async with asyncio.timeout(6):
            reply = await self.bus.call(call)
        return reply.body if reply and reply.message_type == MessageType.METHOD_RETURN else None


class Registration:
    def __init__(self, number, token):
        self.number, self.token, self.endpoint = number, token, None
        self.is_ending = self.has_ended = self.is_accepted = False
        self.asked, self.requests = 0.0, 0


def new_token(random):
    return str(uuid.UUID(int=random.getrandbits(128), version=4))
