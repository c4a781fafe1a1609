"""HTTP as bytes, because what a program sends is what has to be answered: requests, answers, streams."""

import base64
import contextlib
import dataclasses
import itertools
import json
import socket
import time

JSON = "application/json"
NUMBERS = itertools.count()


def basic(password, user="me"):
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


def encoded(text):
    """What a name or a value is on the wire: raw UTF-8, unless it is bytes."""
    return text if isinstance(text, bytes) else str(text).encode()


@dataclasses.dataclass
class Request:
    """An underscore of a field's name stands for a hyphen. `{t}` in target and body is the row's topic."""

    method: str
    target: str
    body: bytes = b""
    fields: tuple = ()

    def bytes(self, fields=(), host="localhost", names=None):
        target, body = self.target, self.body
        for name, value in (names or {}).items():
            target = target.replace(f"{{{name}}}", str(value))
            body = body.replace(f"{{{name}}}".encode(), str(value).encode())
        own = {name.lower() for name, _ in self.fields}
        given = [("Host", host), *fields]
        sent = [*((name, value) for name, value in given if name.lower() not in own), *self.fields]
        if "transfer-encoding" not in own and (body or self.method not in ("GET", "HEAD", "DELETE", "OPTIONS")):
            sent.append(("Content-Length", len(body)))
        lines = [f"{self.method} {target} HTTP/1.1".encode()]
        # A field without a value is left out.
        lines += [encoded(name) + b": " + encoded(value) for name, value in sent if value is not None]
        return b"\r\n".join(lines) + b"\r\n\r\n" + body


@dataclasses.dataclass
class Answer:
    status: int
    fields: dict
    body: bytes = b""

    @property
    def type(self):
        return self.fields.get("content-type", "")

    @property
    def members(self):
        """The object that it has in JSON, or nothing."""
        with contextlib.suppress(ValueError):
            return json.loads(self.body)

    @property
    def lines(self):
        return [json.loads(line) for line in self.body.splitlines()]

    def __str__(self):
        return f"{self.status} {self.type} {self.body[:300]!r}"


def own_address():
    """One that no request had before: whoever is refused often is let in later, and that is another test's."""
    number = next(NUMBERS)
    return f"127.1.{number // 250 % 250}.{number % 250 + 1}"


class Connection:
    """One request and what comes back, at once or as it comes."""

    def __init__(self, port, data, seconds=10, context=None):
        self.socket = socket.create_connection(("127.0.0.1", port), seconds, source_address=(own_address(), 0))
        self.buffer, self.is_ended = b"", False
        if context:
            self.socket = context.wrap_socket(self.socket, server_hostname="localhost")
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            # An answer may come before the body was read.
            self.socket.sendall(data)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def more(self):
        piece = self.socket.recv(65_536)
        self.is_ended = not piece
        self.buffer += piece
        return bool(piece)

    def until(self, mark):
        while mark not in self.buffer:
            if not self.more():
                raise ConnectionResetError(f"the connection ends: {self.buffer[:200]!r}")
        part, self.buffer = self.buffer.split(mark, 1)
        return part

    def exactly(self, count):
        while len(self.buffer) < count:
            if not self.more():
                raise ConnectionResetError("half an answer")
        part, self.buffer = self.buffer[:count], self.buffer[count:]
        return part

    def head(self):
        while True:
            first, *rest = self.until(b"\r\n\r\n").decode("latin-1").split("\r\n")
            status = int(first.split(" ")[1])
            # "100 Continue" comes before the answer.
            if status != 100:
                fields = {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in rest)}
                return Answer(status, fields)

    def answer(self, method="GET"):
        answer = self.head()
        if method == "HEAD" or answer.status in (101, 204, 304):
            return answer
        if "chunked" in answer.fields.get("transfer-encoding", ""):
            answer.body = b"".join(self.chunks())
        elif "content-length" in answer.fields:
            answer.body = self.exactly(int(answer.fields["content-length"]))
        else:
            while self.more():
                pass
            answer.body = self.buffer
        return answer

    def chunks(self):
        while size := int(self.until(b"\r\n").split(b";")[0], 16):
            yield self.exactly(size)
            self.exactly(2)
        self.exactly(2)


class Stream(Connection):
    """A stream that stays open, line by line."""

    def __init__(self, port, data, seconds=10):
        super().__init__(port, data, seconds)
        self.answered = self.head()
        if self.answered.status != 200:
            raise ConnectionError(f"no stream: {self.answered}")
        self.text, self.parts = b"", self.chunks()

    def line(self):
        while b"\n" not in self.text:
            self.text += next(self.parts)
        line, self.text = self.text.split(b"\n", 1)
        return line.decode()

    def event(self):
        """The next object of a stream of JSON."""
        return json.loads(self.line())

    def message(self, text, seconds=15):
        """The message with this text, whatever comes before."""
        end = time.monotonic() + seconds
        while (event := self.event()).get("message") != text:
            if time.monotonic() > end:
                raise TimeoutError(f"{text} does not come")
        return event


class Wire:
    """A server at a port, and who asks it."""

    def __init__(self, port, credential=None, host=None):
        self.port, self.host = port, host or f"localhost:{port}"
        self.fields = [("Authorization", f"Bearer {credential}")] if credential else []
        self.credential = credential

    def raw(self, data, method="GET", **terms):
        with Connection(self.port, data, **terms) as connection:
            return connection.answer(method)

    def send(self, request, **names):
        return self.raw(request.bytes(self.fields, self.host, names), request.method)

    def ask(self, method, target, body=b"", **fields):
        given = tuple((name.replace("_", "-"), value) for name, value in fields.items())
        return self.send(Request(method, target, encoded(body), given))

    def stream(self, target, **fields):
        given = tuple((name.replace("_", "-"), value) for name, value in fields.items())
        return Stream(self.port, Request("GET", target, b"", given).bytes(self.fields, self.host))

    def poll(self, topic, query=""):
        """What is stored, oldest first."""
        answer = self.ask("GET", f"/{topic}/json?poll=1{query}")
        if answer.status != 200:
            raise ConnectionError(f"GET /{topic}/json?poll=1{query}: {answer}")
        return answer.lines
