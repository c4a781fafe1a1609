"""A handwritten WebSocket, which knows the time of the first byte of each frame."""

import asyncio
import json
import socket
import struct

from events import now

TEXT, CLOSE, PING, PONG = 1, 8, 9, 10


class WebSocket(asyncio.Protocol):
    """Calls `peer.opened()` or `.refused(status)`, `.text(message, start)`, `.pong(payload)` and `.closed(by_us)`."""

    def __init__(self, peer, port, path="/"):
        self.peer, self.port, self.path = peer, port, path
        self.buffer, self.start = b"", 0.0
        self.is_upgraded = self.is_ending = False

    @classmethod
    async def connect(cls, peer, port, path="/"):
        _, made = await asyncio.get_running_loop().create_connection(lambda: cls(peer, port, path), "127.0.0.1", port)
        return made

    def connection_made(self, transport):
        self.transport = transport
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        transport.write(
            b"GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\n"
            b"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n" % (self.path.encode(), self.port)
        )

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
        while len(self.buffer) >= 2 and not self.is_ending:
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
        self.peer.closed(self.is_ending)

    def send(self, kind, payload):
        """A mask of zeros changes nothing."""
        if self.transport.is_closing():
            return False
        size = len(payload)
        head = (
            struct.pack(">BB", 0x80 | kind, 0x80 | size) if size < 126 else struct.pack(">BBH", 0x80 | kind, 0xFE, size)
        )
        self.transport.write(head + b"\0\0\0\0" + payload)
        return True

    def tell(self, **message):
        return self.send(TEXT, json.dumps(message).encode())

    def close(self):
        self.is_ending = True
        self.transport.close()

    def abort(self):
        """Resets the connection; data on its way is lost."""
        self.is_ending = True
        self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.transport.abort()
