"""A client that says what it is told to a WebSocket of `bellwire serve`, and writes down what comes back."""

import base64
import contextlib
import hashlib
import itertools
import os
import re
import socket
import struct
import time


def binary(text):
    """The cases were written when texts were bytes."""
    return text.encode("latin-1") if isinstance(text, str) else text


def masked(payload, key):
    if not payload:
        return b""
    length = len(payload)
    mask = (key * (length // 4 + 1))[:length]
    return (int.from_bytes(payload, "big") ^ int.from_bytes(mask, "big")).to_bytes(length, "big")


def keyed(payload):
    key = os.urandom(4)
    return key + masked(payload, key)


def head(opcode, length, fin=True, rsv=0):
    """The head of a client's frame, up to its key."""
    first = bool(fin) << 7 | rsv << 4 | opcode
    if length < 126:
        return struct.pack(">BB", first, 0x80 | length)
    if length < 1 << 16:
        return struct.pack(">BBH", first, 0xFE, length)
    return struct.pack(">BBQ", first, 0xFF, length)


def turned(pieces):
    """A server's frames as a client sends them, and the other way: each mask comes or goes. The cuts stay in place."""
    data, turned, at, keys = b"".join(pieces), bytearray(), 0, []
    while len(data) >= at + 2:
        is_masked, length = data[at + 1] >> 7, data[at + 1] & 0x7F
        start = at + 2 + {126: 2, 127: 8}.get(length, 0)
        length = length if length < 126 else int.from_bytes(data[at + 2 : start], "big")
        turned += bytes([data[at], data[at + 1] ^ 0x80]) + data[at + 2 : start]
        keys.append((start, -4 if is_masked else 4))
        if is_masked:
            turned += masked(data[start + 4 : start + 4 + length], data[start : start + 4])
        else:
            turned += keyed(data[start : start + length])
        at = start + length + (4 if is_masked else 0)
    turned += data[at:]
    cuts = itertools.accumulate(map(len, pieces))
    cuts = [0, *(cut + sum(size for start, size in keys if start <= cut) for cut in cuts)]
    return [bytes(turned[start:end]) for start, end in itertools.pairwise(cuts)]


class Frames:
    """Reads frames of a server, and joins the fragments of a message."""

    def __init__(self):
        self.buffer, self.opcode, self.parts = bytearray(), 0, []

    def next(self):
        """Opcode and payload of the next message or control frame, or nothing."""
        while True:
            frame = self.frame()
            if not frame:
                return None
            final, opcode, payload = frame
            if opcode >= 8:
                return opcode, payload
            self.opcode = opcode or self.opcode
            self.parts.append(payload)
            if final:
                message, self.parts = b"".join(self.parts), []
                return self.opcode, message

    def frame(self):
        data = self.buffer
        if len(data) < 2:
            return None
        length, start = data[1] & 0x7F, 2
        if length > 125:
            start = 4 if length == 126 else 10
            if len(data) < start:
                return None
            length = int.from_bytes(data[2:start], "big")
        if len(data) < start + length:
            return None
        head, payload = data[0], bytes(data[start : start + length])
        del data[: start + length]
        return head >> 7, head & 0x0F, payload


TEXT, CLOSE, PING, PONG = 1, 8, 9, 10
LAST = b"the last"
# RFC 6455 section 4.2.2.
IDENTIFIER = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
NO_CODE = 1005
# Less than the five seconds after which a user agent that has not said hello is sent away.
PATIENCE = 4
# What nobody asked for may come later than all answers, by so many seconds.
AFTERWARDS = 0.15
# Parts of frames go out so far apart that they arrive as such.
APART = 0.002


def request(target, fields):
    """A correct opening handshake, and more."""
    key = base64.b64encode(os.urandom(16)).decode()
    lines = [f"GET {target} HTTP/1.1", "Host: localhost", "Upgrade: websocket", "Connection: Upgrade"]
    lines += [f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", *fields]
    return "\r\n".join([*lines, "", ""]).encode()


class Client:
    """One connection."""

    def __init__(self, served):
        plain = socket.create_connection(("127.0.0.1", served.port), timeout=PATIENCE)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket = served.context.wrap_socket(plain, server_hostname="localhost")
        self.frames = Frames()
        self.pongs, self.errors, self.code, self.is_ended, self.is_alive = [], 0, None, False, False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def read(self, seconds):
        """Whether something came."""
        self.socket.settimeout(max(0.001, seconds))
        try:
            piece = self.socket.recv(1 << 16)
        except TimeoutError:
            return False
        except OSError:
            piece = b""
        self.is_ended = not piece
        self.frames.buffer += piece
        return bool(piece)

    def shake_hands(self, asked):
        """The status and the fields of the answer; instead of the status, words for what is wrong with the answer."""
        with contextlib.suppress(OSError):
            self.socket.sendall(asked)
        deadline, buffer = time.monotonic() + PATIENCE, self.frames.buffer
        while b"\r\n\r\n" not in buffer and self.read(deadline - time.monotonic()):
            pass
        answer, found, rest = bytes(buffer).partition(b"\r\n\r\n")
        first, *lines = answer.decode("latin-1").split("\r\n")
        status = re.match(r"HTTP/1\.1 (\d{3}) ", first)
        if not found or not status:
            return "no answer", {}
        self.frames.buffer[:] = rest
        fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        if status[1] == "101":
            key = re.search(rb"^sec-websocket-key: *(\S+)", asked, re.I | re.M)
            accept = key and base64.b64encode(hashlib.sha1(key[1] + IDENTIFIER).digest()).decode()
            if fields.get("sec-websocket-accept") != accept:
                return f"101 with {fields.get('sec-websocket-accept')} for {accept}", fields
        return int(status[1]), fields

    def say(self, pieces):
        with contextlib.suppress(OSError):
            for piece in pieces:
                self.socket.sendall(piece)
                time.sleep(APART if len(pieces) > 1 else 0)

    def converse(self, pieces, errors=0, is_open=True):
        """Says the pieces, and a ping where these leave the WebSocket open.

        Hears everything until the end, or until the pong and so many errors.
        """
        self.say([*pieces, head(PING, len(LAST)) + keyed(LAST)] if is_open else pieces)
        deadline = time.monotonic() + PATIENCE
        while not self.is_ended and time.monotonic() < deadline:
            self.read(deadline - time.monotonic())
            while event := self.frames.next():
                self.heard(*event)
            if self.is_alive and self.code is None and self.errors >= errors:
                deadline = min(deadline, time.monotonic() + AFTERWARDS)

    def heard(self, opcode, payload):
        if opcode == PONG and payload == LAST:
            self.is_alive = True
        elif opcode == PONG:
            self.pongs.append(payload.hex())
        elif opcode == CLOSE and self.code is None:
            self.code = int.from_bytes(payload[:2], "big") or NO_CODE
            self.say([head(CLOSE, len(payload[:2])) + keyed(payload[:2])])
        elif opcode == TEXT and b'"@type":"error"' in payload:
            self.errors += 1
