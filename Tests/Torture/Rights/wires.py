"""Connections to the server: HTTP connections that are kept open, and WebSockets that notice their end."""

import asyncio
import json
import os
import socket
import time

from rights import Broken
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

# No operation takes longer, even on a busy machine.
PATIENCE = 20


def local_socket(path, uid):
    """A connection as that user of this machine."""
    made = socket.socket(socket.AF_UNIX)
    try:
        if uid:
            os.seteuid(uid)
        made.connect(str(path))
    finally:
        if uid:
            os.seteuid(0)
    made.setblocking(False)
    return made


class HTTP:
    """One connection, which is opened again when it is gone."""

    def __init__(self, open_connection):
        self.open_connection = open_connection
        self.reader = self.writer = None

    async def ask(self, method, path, fields=(), body=b""):
        return await asyncio.wait_for(self._ask(method, path, fields, body), PATIENCE)

    async def _ask(self, method, path, fields, body):
        if self.writer is None or self.reader.at_eof():
            self.close()
            self.reader, self.writer = await self.open_connection()
        lines = [
            f"{method} {path} HTTP/1.1",
            "Host: localhost",
            f"Content-Length: {len(body)}",
            *(f"{name}: {value}" for name, value in fields),
        ]
        self.writer.write("\r\n".join(lines).encode("latin-1", "replace") + b"\r\n\r\n" + body)
        try:
            head = await self.reader.readuntil(b"\r\n\r\n")
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            self.close()
            raise Broken(f"{method} {path[:60]} is not answered: {error}") from error
        first, *lines = head.decode("latin-1").split("\r\n")
        fields = {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in lines if line)}
        text = await self.reader.readexactly(int(fields.get("content-length", 0)))
        if fields.get("connection", "").lower() == "close":
            self.close()
        return int(first.split()[1]), fields, text.decode()

    def close(self):
        if self.writer:
            self.writer.close()
        self.reader = self.writer = None


class Session:
    """A WebSocket that passes each message on."""

    def __init__(self, socket, heard):
        self.socket = socket
        self.heard = heard
        self.broken = None
        self.waiting = {}
        self.task = asyncio.create_task(self.listen())

    @classmethod
    async def open(cls, url, heard, bearer=None, sock=None):
        """Opens the session, or returns the status of the refusal."""
        fields = {"Authorization": f"Bearer {bearer}"} if bearer else {}
        named = {"sock": sock} if sock else {}
        try:
            socket = await asyncio.wait_for(
                connect(
                    url,
                    additional_headers=fields,
                    compression=None,
                    max_size=None,
                    ping_interval=None,
                    open_timeout=PATIENCE,
                    **named,
                ),
                PATIENCE,
            )
        except InvalidHandshake as error:
            response = getattr(error, "response", None)
            if response is None:
                raise Broken(f"an upgrade ends in {error!r}") from error
            return response.status_code
        return cls(socket, heard)

    async def listen(self):
        try:
            async for text in self.socket:
                self.take(text)
        except ConnectionClosed:
            pass
        except Exception as error:
            self.broken = error
        self.ended = time.monotonic()
        for future in self.waiting.values():
            if not future.done():
                future.set_result(None)

    def take(self, text):
        message = json.loads(text)
        self.heard(text, message)
        future = self.waiting.pop(self.name(message), None)
        if future and not future.done():
            future.set_result(message)

    @staticmethod
    def name(message):
        """What an answer is recognised by: the mark of a request, or its kind."""
        if "@type" in message:
            return message.get("@extra") if isinstance(message.get("@extra"), str) else None
        return message.get("messageType", "ping"), message.get("channelID", "").lower()

    @property
    def is_open(self):
        return not self.task.done()

    async def say(self, text):
        try:
            await asyncio.wait_for(self.socket.send(text), PATIENCE)
        except ConnectionClosed:
            pass

    async def ask(self, text, name):
        """The answer, or None if the session ended instead."""
        future = asyncio.get_running_loop().create_future()
        self.waiting[name] = future
        await self.say(text)
        if not self.is_open:
            return None
        try:
            return await asyncio.wait_for(future, PATIENCE)
        except TimeoutError as error:
            raise Broken(f"no answer to {text[:200]}") from error

    async def close(self):
        try:
            await asyncio.wait_for(self.socket.close(), PATIENCE)
        except (TimeoutError, ConnectionError):
            self.socket.transport.abort()
        await self.task


class Lines(Session):
    """The same in lines, on the control socket."""

    def __init__(self, reader, writer, heard):
        self.reader, self.writer = reader, writer
        super().__init__(None, heard)

    async def listen(self):
        try:
            while line := await self.reader.readline():
                self.take(line.decode())
        except ConnectionError:
            pass
        except Exception as error:
            self.broken = error
        for future in self.waiting.values():
            if not future.done():
                future.set_result(None)

    async def say(self, text):
        try:
            self.writer.write((text if isinstance(text, bytes) else text.encode()) + b"\n")
            await asyncio.wait_for(self.writer.drain(), PATIENCE)
        except ConnectionError:
            pass

    async def close(self):
        self.writer.close()
        await self.task
