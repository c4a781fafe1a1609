"""A handwritten WebSocket, which knows the time of the first byte of each frame."""

import asyncio
import json
import socket
import struct

from events import now

TEXT, CLOSE, PING, PONG = 1, 8, 9, 10


class WebSocket(asyncio.Protocol):
    """Calls `peer.opened()` or `.refused(status)`, `.text(message, start)`, `.pong(payload)` and `.closed(by_us)`."""

    def __init__(self, peer, port, path="/", fields=()):
        self.peer, self.port, self.path = peer, port, path
        self.fields = "".join(f"{name}: {value}\r\n" for name, value in fields).encode()
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
        transport.write(
            b"GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\n"
            b"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n%s\r\n" % (self.path.encode(), self.port, self.fields)
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
        self.left_at = self.left_at or now()
        self.transport.close()

    def abort(self):
        """Resets the connection; data on its way is lost."""
        self.left_at = self.left_at or now()
        own = self.transport.get_extra_info("socket")
        if own:
            own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.transport.abort()
