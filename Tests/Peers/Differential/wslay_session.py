"""A client with wslay (event API, through ctypes) that talks to our server over a socket."""

import base64
import ctypes
import os
import random
import socket

from websocket_peers import MASK, ON_MESSAGE, POINTER, RECEIVE, SEND, WOULD_BLOCK, Callbacks, Wslay


class Outgoing(ctypes.Structure):
    _fields_ = [("opcode", ctypes.c_uint8), ("data", ctypes.c_char_p), ("length", ctypes.c_size_t)]


class WslaySession:
    @classmethod
    def load(cls):
        if not Wslay.load():
            return False
        cls.library = Wslay.library
        cls.library.wslay_event_queue_msg.argtypes = [POINTER, ctypes.POINTER(Outgoing)]
        cls.library.wslay_event_queue_close.argtypes = [POINTER, ctypes.c_uint16, ctypes.c_char_p, ctypes.c_size_t]
        for name in ["want_write", "get_status_code_received"]:
            getattr(cls.library, f"wslay_event_{name}").argtypes = [POINTER]
        return True

    def __init__(self, port, check):
        self.check = check
        self.received = []
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        self.callbacks = Callbacks(
            RECEIVE(self.receive), SEND(self.send), MASK(self.mask), None, None, None, ON_MESSAGE(self.message)
        )
        self.context = POINTER()
        self.library.wslay_event_context_client_init(ctypes.byref(self.context), ctypes.byref(self.callbacks), None)
        self.library.wslay_event_config_set_max_recv_msg_length(self.context, 1 << 24)

    def run(self):
        self.upgrade()
        self.socket.setblocking(False)
        rng = random.Random(3)
        for length in [0, 1, 125, 126, 65535, 65536, 1_000_000]:
            for opcode, data in [(1, b"w" * length), (2, rng.randbytes(length))]:
                self.queue(opcode, data)
                self.until(lambda: self.received)
                self.check(self.received.pop() == (opcode, data), f"echo of {length}")
        self.queue(9, b"ping")
        self.until(lambda: self.received)
        self.check(self.received.pop() == (10, b"ping"), "pong")
        for number in range(2000):
            self.queue(1, str(number).encode())
        self.until(lambda: len(self.received) == 2000)
        self.check(self.received == [(1, str(n).encode()) for n in range(2000)], "order")
        self.received.clear()
        self.library.wslay_event_queue_close(self.context, 4005, b"bye", 3)
        self.until(lambda: self.library.wslay_event_get_close_received(self.context))
        code = self.library.wslay_event_get_status_code_received(self.context)
        self.check(code == 4005, "close")
        self.library.wslay_event_context_free(self.context)
        self.socket.close()

    def upgrade(self):
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            (
                "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n"
            ).encode()
        )
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self.socket.recv(1)
        self.check(head.startswith(b"HTTP/1.1 101 "), "upgraded")

    def queue(self, opcode, data):
        message = Outgoing(opcode, data, len(data))
        self.library.wslay_event_queue_msg(self.context, ctypes.byref(message))

    def until(self, condition):
        for _ in range(1_000_000):
            if self.library.wslay_event_want_write(self.context):
                self.library.wslay_event_send(self.context)
            self.library.wslay_event_recv(self.context)
            if condition():
                return
        self.check(False, "too many turns")

    def receive(self, context, buffer, length, flags, user):
        try:
            data = self.socket.recv(length)
        except BlockingIOError:
            data = b""
        if not data:
            self.library.wslay_event_set_error(POINTER(context), WOULD_BLOCK)
            return -1
        ctypes.memmove(buffer, data, len(data))
        return len(data)

    def send(self, context, data, length, flags, user):
        try:
            return self.socket.send(ctypes.string_at(data, length))
        except BlockingIOError:
            self.library.wslay_event_set_error(POINTER(context), WOULD_BLOCK)
            return -1

    def mask(self, context, buffer, length, user):
        ctypes.memmove(buffer, os.urandom(length), length)
        return 0

    def message(self, context, message, user):
        message = message.contents
        data = ctypes.string_at(message.data, message.length) if message.length else b""
        self.received.append((message.opcode, data))
