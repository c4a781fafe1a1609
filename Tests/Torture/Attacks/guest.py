"""Raw connections to the program that follow its protocols as far as an attack needs."""

import base64
import json
import os
import socket
import struct

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
    return frame(json.dumps(members).encode())


def upgrade(path, bearer):
    key = base64.b64encode(os.urandom(16)).decode()
    return (
        f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n"
        f"Authorization: Bearer {bearer}\r\n\r\n"
    ).encode()


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


class WebSocket:
    """A user agent or a client of an engine; reads one message at a time."""

    def __init__(self, port, bearer, path="/", receive_buffer=None):
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(20)
        self.socket.connect(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.sendall(upgrade(path, bearer))
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
        return "/" + answer["pushEndpoint"].split("/", 3)[3]

    def close(self):
        self.socket.close()


class Flow:
    """A connection over which as much goes as the other side takes; made anew when it has ended.

    `begin` opens it; `pieces` are sent round and round; `reads` says whether answers are taken.
    """

    def __init__(self, begin, pieces, reads=True):
        self.begin, self.pieces, self.reads = begin, pieces, reads
        self.socket, self.rest, self.index = None, b"", 0
        self.ends = 0

    def open(self):
        self.socket = self.begin()
        self.socket.setblocking(False)
        self.rest = b""

    def turn(self):
        """Sends and reads as much as possible; returns whether anything moved."""
        moved = False
        try:
            if self.socket is None:
                self.open()
            if self.reads:
                try:
                    while self.socket.recv(262_144):
                        moved = True
                    raise ConnectionResetError
                except BlockingIOError:
                    pass
            if not self.rest:
                piece = self.pieces[self.index % len(self.pieces)]
                self.rest = piece() if callable(piece) else piece
                self.index += 1
            sent = self.socket.send(self.rest)
            self.rest = self.rest[sent:]
            return moved or sent > 0
        except BlockingIOError:
            return moved
        except OSError:
            self.ends += 1
            if self.socket:
                self.socket.close()
            self.socket = None
            return False

    def close(self):
        if self.socket:
            self.socket.close()
