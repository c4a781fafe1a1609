"""Requests that no browser and no library would write, as bytes on a connection, and their answers."""

import dataclasses
import html.parser
import socket
import ssl
import urllib.parse

LIMIT = 15


@dataclasses.dataclass
class Answer:
    status: int
    fields: list
    body: bytes = b""

    def field(self, name):
        """The value of a field that is there once, else nothing."""
        values = [value for field, value in self.fields if field == name]
        return values[0] if len(values) == 1 else None

    @property
    def text(self):
        return self.body.decode("utf-8", "replace")

    @property
    def forms(self):
        parser = Forms()
        parser.feed(self.text)
        return parser.found

    def form(self, ending):
        """The fields of the form that posts to an address with this ending."""
        return next((fields for action, fields in self.forms if action.endswith(ending)), None)


class Forms(html.parser.HTMLParser):
    """The forms of a page: where each posts to, and its fields with their values."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "form":
            self.found.append((attributes.get("action") or "", {}))
        elif attributes.get("type") == "checkbox" and "checked" not in attributes:
            return
        elif tag in ("input", "select", "button") and attributes.get("name") and self.found:
            self.found[-1][1].setdefault(attributes["name"], attributes.get("value") or "")


def encoded(fields):
    """The body of a form; fields are pairs, because a name may come twice."""
    return urllib.parse.urlencode(list(fields.items()) if isinstance(fields, dict) else fields).encode()


class Wire:
    """Where a server listens, and the authority of its certificate."""

    def __init__(self, port, authority=None):
        self.port = port
        self.context = None
        if authority:
            self.context = ssl.create_default_context(cafile=authority)

    def connect(self):
        connection = socket.create_connection(("127.0.0.1", self.port), LIMIT)
        if self.context:
            connection = self.context.wrap_socket(connection, server_hostname="localhost")
        return connection

    def send(self, request):
        """The answer to these bytes, or nothing if the connection ends without one."""
        with self.connect() as connection:
            try:
                connection.sendall(request)
            except OSError:
                # What is too long is refused before its end.
                pass
            return read(connection)

    def ask(self, method, target, *fields, body=b"", host=None):
        """A request as it should be, but for what is named."""
        lines = [
            f"{method} {target} HTTP/1.1",
            f"Host: {host or f'localhost:{self.port}'}",
            "Connection: close",
            *fields,
        ]
        if body or method == "POST":
            lines.append(f"Content-Length: {len(body)}")
        return self.send("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body)


def read(connection):
    text = b""
    try:
        while b"\r\n\r\n" not in text:
            piece = connection.recv(65_536)
            if not piece:
                return None
            text += piece
        head, _, body = text.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        fields = [(name.lower(), value.strip()) for name, _, value in (line.partition(":") for line in lines)]
        answer = Answer(int(first.split()[1]), fields)
        length = int(answer.field("content-length") or 0)
        while len(body) < length:
            piece = connection.recv(65_536)
            if not piece:
                break
            body += piece
        answer.body = body[:length]
        return answer
    except OSError:
        return None
