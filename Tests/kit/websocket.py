"""Handwritten WebSockets: what they send may be wrong, and they see more than a library shows."""

import asyncio
import base64
import json
import os
import socket
import struct

from kit.coding import path_of
from kit.process import now

TEXT, BINARY, CONTINUATION, CLOSE, PING, PONG = 1, 2, 0, 8, 9, 10


def frame(payload, kind=TEXT, is_last=True):
    """A client's frame, masked with zeros."""
    if len(payload) < 126:
        length = bytes([0x80 | len(payload)])
    elif len(payload) < 65_536:
        length = bytes([0x80 | 126]) + struct.pack(">H", len(payload))
    else:
        length = bytes([0x80 | 127]) + struct.pack(">Q", len(payload))
    return bytes([(0x80 if is_last else 0) | kind]) + length + bytes(4) + payload


def text_frame(members):
    """As compact as browsers write JSON."""
    return frame(json.dumps(members, separators=(",", ":")).encode())


def upgrade(path, fields=(), host="localhost"):
    """The request that opens one."""
    key = base64.b64encode(os.urandom(16)).decode()
    lines = [f"GET {path} HTTP/1.1", f"Host: {host}", "Connection: Upgrade", "Upgrade: websocket"]
    lines += ["Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {key}"]
    lines += [f"{name}: {value}" for name, value in fields]
    return "\r\n".join([*lines, "", ""]).encode()


def http_answer(connection):
    """The status of an answer, which is read to its end."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(65_536)
        if not piece:
            raise ConnectionResetError("no answer")
        data += piece
    head, rest = data.split(b"\r\n\r\n", 1)
    length = next(
        (int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), 0
    )
    while len(rest) < length:
        piece = connection.recv(65_536)
        if not piece:
            raise ConnectionResetError("half an answer")
        rest += piece
    return int(head.split()[1])


class BlockingWebSocket:
    """A user agent or a client of an engine; reads one message at a time."""

    def __init__(self, port, bearer, path="/", receive_buffer=None, context=None):
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(20)
        self.socket.connect(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if context:
            self.socket = context.wrap_socket(self.socket)
        self.socket.sendall(upgrade(path, [("Authorization", f"Bearer {bearer}")]))
        self.buffer = b""
        while b"\r\n\r\n" not in self.buffer:
            self.read()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        if b" 101 " not in head.split(b"\r\n")[0]:
            raise ConnectionError(head[:60].decode())
        if path == "/":
            self.say({"messageType": "hello", "use_webpush": True})
            self.receive()

    def read(self):
        piece = self.socket.recv(65_536)
        if not piece:
            raise ConnectionResetError("the connection ended")
        self.buffer += piece

    def say(self, members):
        self.socket.sendall(text_frame(members))

    def receive(self):
        """The next message. Pings are answered."""
        while True:
            while len(self.buffer) < 2:
                self.read()
            kind, length, start = self.buffer[0] & 15, self.buffer[1] & 127, 2
            while len(self.buffer) < 10 and length > 125:
                self.read()
            if length == 126:
                length, start = struct.unpack(">H", self.buffer[2:4])[0], 4
            elif length == 127:
                length, start = struct.unpack(">Q", self.buffer[2:10])[0], 10
            while len(self.buffer) < start + length:
                self.read()
            payload, self.buffer = self.buffer[start : start + length], self.buffer[start + length :]
            if kind == PING:
                self.socket.sendall(frame(payload, PONG))
            elif kind == CLOSE:
                raise ConnectionResetError("the session was closed")
            elif kind == TEXT:
                return json.loads(payload)

    def register(self, channel):
        """The path to push to."""
        self.say({"messageType": "register", "channelID": channel})
        while (answer := self.receive()).get("messageType") != "register":
            pass
        if answer["status"] != 200:
            raise ConnectionRefusedError(f"register was answered {answer['status']}")
        return path_of(answer["pushEndpoint"])

    def close(self):
        self.socket.close()


class WebSocket(asyncio.Protocol):
    """One of an event loop, which knows the time of the first byte of each frame.

    Calls `peer.opened()` or `.refused(status)`, `.text(message, start)`, `.pong(payload)` and
    `.closed(by_us)`.
    """

    def __init__(self, peer, port, path="/", fields=()):
        self.peer, self.request = peer, upgrade(path, fields, f"127.0.0.1:{port}")
        self.buffer, self.start = b"", 0.0
        # `left_at`: when we closed it, and no longer read what may still come.
        self.is_upgraded, self.left_at = False, None

    @classmethod
    async def connect(cls, peer, port, path="/", context=None, fields=()):
        terms = {}
        if context:
            terms = dict(ssl=context, server_hostname="localhost", ssl_handshake_timeout=10, ssl_shutdown_timeout=1)
        _, made = await asyncio.get_running_loop().create_connection(
            lambda: cls(peer, port, path, fields), "127.0.0.1", port, **terms
        )
        return made

    def connection_made(self, transport):
        # The first frames may come before `connect` returns.
        self.transport, self.peer.socket = transport, self
        transport.write(self.request)

    def data_received(self, data):
        if not self.buffer:
            self.start = now()
        self.buffer += data
        if not self.is_upgraded:
            if b"\r\n\r\n" not in self.buffer:
                return
            head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
            status = int(head.split(b" ", 2)[1])
            if status != 101:
                self.peer.refused(status)
                return self.abort()
            self.is_upgraded = True
            self.peer.opened()
        self.read_frames()

    def read_frames(self):
        while len(self.buffer) >= 2 and not self.left_at:
            length, at = self.buffer[1] & 0x7F, 2
            if length == 126:
                at = 4
            elif length == 127:
                at = 10
            if len(self.buffer) < at:
                return
            if at > 2:
                length = int.from_bytes(self.buffer[2:at])
            if len(self.buffer) < at + length:
                return
            kind, payload = self.buffer[0] & 0xF, self.buffer[at : at + length]
            start, self.start = self.start, now()
            self.buffer = self.buffer[at + length :]
            self.take(kind, payload, start)

    def take(self, kind, payload, start):
        if kind == TEXT:
            self.peer.text(json.loads(payload), start)
        elif kind == PING:
            self.send(PONG, payload)
        elif kind == PONG:
            self.peer.pong(payload)
        elif kind == CLOSE:
            self.transport.close()

    def connection_lost(self, error):
        self.peer.closed(self.left_at is not None)

    def send(self, kind, payload):
        if self.transport.is_closing():
            return False
        self.transport.write(frame(payload, kind))
        return True

    def tell(self, **message):
        return self.send(TEXT, json.dumps(message).encode())

    def close(self):
        self.left_at = self.left_at or now()
        self.transport.close()

    def abort(self):
        """Resets the connection; data on its way is lost."""
        self.left_at = self.left_at or now()
        own = self.transport.get_extra_info("socket")
        if own:
            own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.transport.abort()
