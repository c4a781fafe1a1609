"""The control socket, whose users may do everything: requests, and clients of engines."""

import asyncio
import contextlib
import http.client
import json
import socket


class OverSocket(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path, timeout=20):
        super().__init__("localhost", timeout=timeout)
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


def ask(path, method, what, members=None):
    """What the API answers at the socket of that path. Raises OSError if it refuses."""
    body = None if members is None else json.dumps(members)
    with contextlib.closing(OverSocket(path)) as connection:
        connection.request(method, f"/api/v1/{what}", body, {"Content-Type": "application/json"} if body else {})
        answer = connection.getresponse()
        text = answer.read()
    if answer.status >= 300:
        raise OSError(f"{method} {what}: {answer.status} {text[:200]}")
    return json.loads(text) if text else None


def topic(name, **settings):
    """What makes a topic of this name."""
    terms = {"token_type": 10, "app": "script", "dialect": "plain", "clear": True, "trust_clear": True}
    return {**terms, "account": name, "topic": settings}


async def asked(place, method, what, members=None, **fields):
    """The same for peers of one loop, at the path of a socket or at a port: status and answer, whatever they are. An
    underscore of a field's name stands for a hyphen.
    """
    data = json.dumps(members).encode() if members else b""
    if isinstance(place, int):
        reader, writer = await asyncio.open_connection("127.0.0.1", place)
    else:
        reader, writer = await asyncio.open_unix_connection(str(place))
    fields = {"Host": "localhost", "Connection": "close", "Content-Length": len(data)} | fields
    fields |= {"Content-Type": "application/json"} if data else {}
    lines = [f"{method} /api/v1/{what} HTTP/1.1", *(f"{name.replace('_', '-')}: {fields[name]}" for name in fields)]
    try:
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + data)
        head, _, rest = (await reader.read()).partition(b"\r\n\r\n")
    finally:
        writer.transport.abort()
    if not head:
        raise ConnectionResetError
    return int(head.split(b" ", 2)[1]), json.loads(rest) if rest else None


class Engine:
    """A client of an account's engine, in lines."""

    def __init__(self, path, **members):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(10)
        self.socket.connect(str(path))
        self.stream = self.socket.makefile(encoding="utf-8")
        self.say({"@type": "bellwire.open", **members})

    def say(self, request):
        self.socket.sendall(json.dumps(request).encode() + b"\n")

    def next(self, kind=None):
        """What comes next, or next of this kind; nothing after the end."""
        for line in self.stream:
            update = json.loads(line)
            if kind in (None, update["@type"]):
                return update
        return None

    def close(self):
        self.stream.close()
        self.socket.close()
