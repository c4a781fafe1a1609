"""Sends what replayed.txt has, and holds the answers against it."""

import base64
import json
import pathlib
import re
import time

from place import Socket, name
from wire import Connection, Stream, basic

TABLE = pathlib.Path(__file__).with_name("replayed.txt")
CASE = re.compile(
    r"^=== (?P<name>.+)\n(?P<head>(?:.+\n)+)\n(?P<body>(?s:.*?))\n--- (?P<status>\d+)\n(?P<members>.*)$", re.M
)
PIECE = 7


def cases():
    text = TABLE.read_text()
    found = list(CASE.finditer(text))
    if len(found) != text.count("\n=== "):
        raise ValueError(f"{TABLE.name}: {text.count('=== ')} begin and {len(found)} are whole")
    return found


def filled(text, values):
    for key, value in values.items():
        text = text.replace(f"{{{key}}}", str(value))
    return text


def chunked(body):
    pieces = [body[start : start + PIECE] for start in range(0, len(body), PIECE)]
    return b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in [*pieces, b""])


def is_like(got, wanted):
    """Has what is wanted. A list of nothing has nothing; others begin with what is wanted."""
    if wanted == "*":
        return got is not None
    if isinstance(wanted, dict):
        return isinstance(got, dict) and all(is_like(got.get(key), value) for key, value in wanted.items())
    if isinstance(wanted, list):
        return isinstance(got, list) and (bool(got) == bool(wanted)) and all(map(is_like, got, wanted))
    return type(got) is type(wanted) and got == wanted


class Replay:
    """The answers of some requests are parts of later ones."""

    def __init__(self, place, judge):
        self.place, self.judge, self.program = place, judge, ""
        self.values = {
            "host": f"localhost:{place.port}",
            "token": place.both,
            "basic": basic(place.both)[6:],
            "device": place.credential,
            "password": basic(place.credential)[6:],
            "auth": base64.urlsafe_b64encode(f"Bearer {place.both}".encode()).decode().rstrip("="),
            "application": place.application["token"],
            "client": place.client["token"],
        }

    def run(self):
        for case in cases():
            # Each program has a topic of its own.
            if (program := case["name"].split(":")[0]) != self.program:
                self.program = program
                self.values |= {"topic": name(), "before": int(time.time()) - 5, "last": "all"}
            self.judge.attempt(self.replay, case)

    def replay(self, case):
        body = filled(case["body"].replace("{empty}", ""), self.values)
        is_chunked, body = body.startswith("{chunked}"), body.removeprefix("{chunked}").encode()
        if "multipart/" in case["head"]:
            body = body.replace(b"\n", b"\r\n")
        head = filled(case["head"], self.values | {"length": len(body)})
        data = head.replace("\n", "\r\n").encode() + b"\r\n" + (chunked(body) if is_chunked else body)
        wanted = json.loads(filled(case["members"] or "null", self.values))
        if case["status"] == "101":
            return self.judge_socket(case["name"], data, wanted)
        if case["status"] == "200" and "/json?since=" in head:
            return self.judge_stream(case["name"], data, wanted)
        with Connection(self.place.port, data) as connection:
            answer = connection.answer()
        got = answer.members if not answer.type.startswith("application/x-ndjson") else answer.lines
        is_right = answer.status == int(case["status"]) and (wanted is None or is_like(got, wanted))
        self.judge(is_right, f"{case['name']}: {case['status']} {case['members']}", answer)
        if isinstance(got, dict):
            names = {"id": "number", "token": "made"} if "token" in got else {"id": "last"}
            self.values |= {names[key]: got[key] for key in names if key in got}

    def judge_stream(self, what, data, wanted):
        with Stream(self.place.port, data) as stream:
            got = [stream.event() for _ in wanted]
        self.judge(is_like(got, wanted), f"{what}: {wanted}", got)

    def judge_socket(self, what, data, wanted):
        with Socket(self.place.port, data=data) as socket:
            is_open = self.judge(socket.is_open, f"{what}: a WebSocket", socket.answered)
            extensions = socket.answered.fields.get("sec-websocket-extensions")
            self.judge(extensions is None, f"{what}: without extensions", extensions)
            if is_open and wanted:
                text = socket.text()
                self.judge(is_like(json.loads(text or "null"), wanted), f"{what}: {wanted}", text)
