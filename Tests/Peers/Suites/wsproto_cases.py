"""The test cases of wsproto, a library for WebSockets, repeated with our server.

Its tests feed requests and frames to the library, or make some. The same bytes go to both WebSockets of the server:
that of user agents and that of an engine's clients. A request that the library refuses has to be refused, and frames
that it ends with a close code have to be ended with that code. What it takes has to be taken: the server answers pings
and close frames, and messages by what it says to those that are none of its protocol.
"""

import concurrent.futures
import contextlib
import dataclasses
import http.client
import json
import sys
import time

from outcome import Outcome, Served
from recording import recorded
from websocket_client import Client, request

AT_ONCE = 24
PROTOCOL_ERROR, UNACCEPTABLE, TOO_BIG, INTERNAL_ERROR = 1002, 1003, 1009, 1011
SWITCHED, BAD_REQUEST, MISDIRECTED, UPGRADE_REQUIRED = 101, 400, 421, 426
# Where both may differ, and what the server has to do then.
EXPLAINED = {
    "test_handshake::test_host_encoding": ("the server is reached under its own names only, and says 421", MISDIRECTED),
    "test_handshake::test_h11_multiple_headers_handshake": (
        "a target is a path, or begins with http or https (RFC 6455 section 4.2.1), not with wss",
        BAD_REQUEST,
    ),
}
EXTENDED = "no extension is offered, and without one a reserved bit ends the connection (RFC 6455 section 5.2)"
TOO_LONG = "a message of a user agent has at most 64 KiB, and a longer one is ended with 1009"


@dataclasses.dataclass
class Endpoint:
    """A WebSocket of the server."""

    name: str
    target: str
    limit: int
    # Where a text that cannot be read ends the connection; else it is answered by an error.
    text_code: int | None

    def reaction(self, events, limit=None):
        """What the server has to do: the pongs, how many errors, and the code with which it closes, if it does."""
        pongs, errors, length = [], 0, 0
        for kind, value in events:
            if kind in ("close", "failed"):
                return pongs, errors, value
            if kind == "ping":
                pongs.append(value)
            if kind not in ("part", "text", "binary"):
                continue
            length += value
            if limit is not None and length > limit:
                return pongs, errors, TOO_BIG
            if kind == "binary":
                return pongs, errors, UNACCEPTABLE
            if kind == "text" and self.text_code:
                return pongs, errors, self.text_code
            if kind == "text":
                errors, length = errors + 1, 0
        return pongs, errors, None


ENDPOINTS = (
    Endpoint("user agents", "/", 64 << 10, INTERNAL_ERROR),
    Endpoint("an engine", "/api/v1/engine?app=suites&account=wsproto&role=viewer", 1 << 20, None),
)


def admitted(served):
    """The secret of a new device, which has an account with an engine."""
    secret = served.add_device("suites")
    client = http.client.HTTPSConnection("localhost", served.port, timeout=10, context=served.context)
    with contextlib.closing(client):
        fields = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
        body = json.dumps({"token_type": 4, "app": "suites", "account": "wsproto"})
        client.request("POST", "/api/v1/registrations", body, fields)
        status = client.getresponse().status
    if status != 201:
        sys.exit(f"suites: the account for wsproto is answered {status}")
    return f"Authorization: Bearer {secret}"


class Case:
    """What one test did, to be repeated with an endpoint."""

    def __init__(self, endpoint, line):
        self.endpoint = endpoint
        self.kind, self.test, self.is_extended, pieces, self.events = line
        self.pieces = [bytes.fromhex(piece) for piece in pieces]
        self.name = f"{self.test}, {endpoint.name}"

    def repeat(self, served, field):
        with Client(served) as client:
            if self.kind == "handshake":
                return self.shake_hands(client, field)
            status, _ = client.shake_hands(request(self.endpoint.target, [field]))
            if status != SWITCHED:
                return f"status {status} before the case"
            return self.converse(client)

    def shake_hands(self, client, field):
        """The status, if the answer is whole."""
        asked = self.pieces[0].replace(b" / HTTP/", f" {self.endpoint.target} HTTP/".encode(), 1)
        asked = asked.replace(b"\r\n", f"\r\n{field}\r\n".encode(), 1)
        status, fields = client.shake_hands(asked)
        if status == SWITCHED and not {"sec-websocket-extensions", "sec-websocket-protocol"}.isdisjoint(fields):
            return "101 with what was not offered"
        if status == SWITCHED and (seen := self.converse(client)) != ([], 0, None):
            return f"101, and then {seen}"
        if status == UPGRADE_REQUIRED and fields.get("sec-websocket-version") != "13":
            return "426 without a version"
        return status

    def converse(self, client):
        """Pongs, how many errors, and the close code; or what is wrong with the end."""
        if self.kind == "handshake":
            client.converse([])
        else:
            _, errors, _ = self.endpoint.reaction(self.events)
            client.converse(self.pieces, errors, is_open=all(kind != "close" for kind, _ in self.events))
        if client.is_ended if client.code else client.is_alive and not client.is_ended:
            return client.pongs, client.errors, client.code
        return "cut" if client.is_ended else f"silence after {client.code or 'the frames'}"

    def judge(self, outcome, seen):
        if self.kind == "handshake":
            [[word, *status]] = self.events
            why, instead = EXPLAINED.get(self.test, (None, None))
            if word == "accepted":
                holds = seen == SWITCHED
            elif UPGRADE_REQUIRED in status:
                holds = seen == UPGRADE_REQUIRED
            else:
                holds = isinstance(seen, int) and 400 <= seen < 500
            wanted, known = self.events[0], why if seen == instead else None
        else:
            wanted = self.endpoint.reaction(self.events)
            holds, known = seen == wanted, self.difference(seen)
        outcome.judge(self.name, holds, f"{wanted} by the library, {seen} by us", known)

    def difference(self, seen):
        """Why something else may be seen than the library says, if it is what the server has to do then."""
        has_reserved_bits = self.is_extended and any(piece[0] & 0x70 for piece in self.pieces)
        if has_reserved_bits and seen[2:] == (PROTOCOL_ERROR,):
            return EXTENDED
        return TOO_LONG if seen == self.endpoint.reaction(self.events, self.endpoint.limit) else None


def run(programs, is_long):
    started = time.monotonic()
    version, lines = recorded("wsproto", "wsproto_recorder")
    # Many tests begin in the same way.
    unique = {}
    for kind, test, *rest in lines:
        unique.setdefault(json.dumps((kind, rest)), (kind, test, *rest))
    cases = [Case(endpoint, line) for endpoint in ENDPOINTS for line in unique.values()]
    outcome = Outcome("wsproto", version, "`bellwire serve`, both WebSockets, through TLS")
    with Served(programs.bellwire) as served:
        field = admitted(served)
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            for case, seen in zip(cases, pool.map(lambda case: case.repeat(served, field), cases)):
                case.judge(outcome, seen)
        outcome.judge("the server stays up", served.is_alive() and served.ask_health() < 3, "it has ended")
    outcome.seconds = time.monotonic() - started
    return outcome
