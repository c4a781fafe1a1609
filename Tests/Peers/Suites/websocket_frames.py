"""Frames of a WebSocket, from and to bytes."""

import itertools
import os
import struct


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
