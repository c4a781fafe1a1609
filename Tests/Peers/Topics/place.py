"""A server with topics, credentials of each kind for it, and what does not hold there."""

import asyncio
import base64
import contextlib
import functools
import hashlib
import inspect
import os
import traceback

from kit import websocket
from kit.checks import Checks, Failed
from kit.server import Server
from wire import Connection, Wire


class Judge(Checks):
    """Goes on after what does not hold, and says all of it at the end."""

    def __init__(self, name):
        super().__init__(name)
        self.wrong = []

    def __call__(self, condition, what, seen=""):
        if condition:
            self.passed += 1
        else:
            self.wrong.append(f"{what}\n    {seen}" if seen else what)
        return bool(condition)

    def attempt(self, part, *words):
        """A part of what is judged. Another program, or an answer that is no answer, may end it early."""
        try:
            made = part(*words)
            if inspect.iscoroutine(made):
                asyncio.run(made)
        except Exception as failure:
            self(False, f"{part.__name__} ends early", f"{failure!r} {traceback.format_tb(failure.__traceback__)[-1]}")

    def end(self):
        """All that does not hold."""
        if self.wrong:
            yield f"{self.name}: FAILED: {len(self.wrong)} of {len(self.wrong) + self.passed}"
        yield from self.wrong


class Place:
    """A running server as its owner sees it. It speaks TLS, and in clear on another port."""

    def __init__(self, server):
        self.server, self.base = server, server.base
        self.port = server.other_port()
        self.url = f"http://localhost:{self.port}"
        # To topics of this owner pushes what has no credential, too.
        self.credential = server.add_device("topics")
        self.wire = Wire(self.port, self.credential)
        self.wire.ask("PUT", "/shared-a", b"first")

    @functools.cached_property
    def both(self):
        return self.token("both")

    @functools.cached_property
    def read(self):
        return self.token("reader", "--topic", "shared-*", "--read")

    @functools.cached_property
    def write(self):
        return self.token("writer", "--topic", "shared-*", "--write")

    @functools.cached_property
    def application(self):
        """One that sends by Gotify."""
        return self.made("/application", b'{"name": "Tool", "description": "Sends", "defaultPriority": 2}')

    @functools.cached_property
    def client(self):
        """One that reads by Gotify."""
        return self.made("/client", b'{"name": "Screen"}')

    def token(self, name, *words):
        """One for topics, which belongs to the same owner."""
        return self.server.tell("token", "add", name, *words)["token"]

    def made(self, path, body):
        """An application or a client of Gotify."""
        return self.answered(self.wire.ask("POST", path, body, Content_Type="application/json"), path)

    def answered(self, answer, what):
        if answer.status != 200 or not isinstance(answer.members, dict):
            raise Failed(f"topics: FAILED: {what}: {answer}")
        return answer.members

    def as_(self, credential):
        return Wire(self.port, credential)

    def socket(self, path, credential=None):
        return Socket(self.port, path, credential or self.credential)


@contextlib.contextmanager
def place(program, folder):
    with Server(program, folder, "--listen", "http://127.0.0.1:0", is_secure=True) as server:
        yield Place(server)


class Socket:
    """A WebSocket that reads texts, answers pings, and remembers how it was refused."""

    def __init__(self, port, path="/", credential=None, fields=(), data=None):
        given = [*fields, *([("Authorization", f"Bearer {credential}")] if credential else [])]
        request = data or websocket.upgrade(path, given, f"localhost:{port}")
        self.connection = Connection(port, request)
        self.answered = self.connection.answer()
        key = next(line.split(b": ")[1] for line in request.split(b"\r\n") if line.startswith(b"Sec-WebSocket-Key"))
        made = hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest()
        accepted = self.answered.fields.get("sec-websocket-accept", "")
        self.is_open = self.answered.status == 101 and accepted == base64.b64encode(made).decode()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.socket.close()

    def frame(self):
        first, length = self.connection.exactly(2)
        if length > 125:
            length = int.from_bytes(self.connection.exactly(2 if length == 126 else 8), "big")
        return first & 15, self.connection.exactly(length)

    def text(self):
        """The next text, or nothing when it was closed."""
        with contextlib.suppress(ConnectionResetError):
            while True:
                kind, payload = self.frame()
                if kind == websocket.TEXT:
                    return payload.decode()
                if kind == websocket.PING:
                    self.send(payload, websocket.PONG)
                if kind == websocket.CLOSE:
                    break
        return None

    def send(self, payload, kind=websocket.TEXT):
        self.connection.socket.sendall(websocket.frame(payload, kind))

    def is_quiet(self, seconds=0.3):
        """Nothing comes for so long."""
        self.connection.socket.settimeout(seconds)
        try:
            return not self.connection.buffer and not self.connection.more()
        except TimeoutError:
            return True
        finally:
            self.connection.socket.settimeout(10)


def name():
    """A topic that nobody has yet."""
    return f"t{os.urandom(6).hex()}"
