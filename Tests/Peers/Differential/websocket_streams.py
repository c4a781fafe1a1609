"""Well-formed and broken frame streams, made from a seed."""

import random
import struct

LENGTHS = [0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 31, 33, 100, 124, 125, 126, 127, 128, 300, 1000]
RARE_LENGTHS = [65535, 65536, 70000]
CODES = [0, 999, *range(1000, 1017), 1100, 2999, 3000, 3999, 4000, 4999, 5000, 65535]
TEXTS = ["a", "Hello", "ä", "€", "κόσμε", "🔔", "\0", "\uffff", "\U0010ffff", "x" * 40]
BAD_TEXTS = [
    b"\x80",
    b"\xc0\xaf",
    b"\xc2",
    b"\xe0\x80\x80",
    b"\xed\xa0\x80",
    b"\xf0\x8f\xbf\xbf",
    b"\xf4\x90\x80\x80",
    b"\xf5",
    b"\xff",
    b"\xe2\x82",
    b"\xf0\x9f\x94",
]


def header(rng, opcode, length, fin, masked):
    first = opcode | (0x80 if fin else 0)
    if rng.random() < 0.01:
        first |= rng.choice([0x10, 0x20, 0x40, 0x70])
    form = 0 if length < 126 else 1 if length < 65536 else 2
    if rng.random() < 0.02:
        form = rng.randrange(form, 3)
    bit = 0x80 if masked else 0
    if form == 0:
        return bytes([first, bit | length])
    if form == 1:
        return struct.pack("!BBH", first, bit | 126, length)
    return struct.pack("!BBQ", first, bit | 127, length)


def frame(rng, opcode, payload, fin, masked):
    if rng.random() < 0.005:
        masked = not masked
    head = header(rng, opcode, len(payload), fin, masked)
    if not masked:
        return head + payload
    key = rng.randbytes(4)
    return head + key + bytes(byte ^ key[i & 3] for i, byte in enumerate(payload))


def payload(rng, is_text):
    length = rng.choice(RARE_LENGTHS if rng.random() < 0.01 else LENGTHS)
    if not is_text:
        return rng.randbytes(length)
    data = b""
    while len(data) < length:
        data += rng.choice(BAD_TEXTS) if rng.random() < 0.01 else rng.choice(TEXTS).encode()
    return data


def control(rng, masked):
    kind = rng.random()
    if kind < 0.45:
        return frame(rng, 9, rng.randbytes(rng.choice([0, 1, 5, 125])), True, masked)
    if kind < 0.9:
        return frame(rng, 10, rng.randbytes(rng.choice([0, 1, 5, 125])), True, masked)
    return close(rng, masked)


def close(rng, masked):
    kind = rng.random()
    if kind < 0.1:
        data = b""
    elif kind < 0.15:
        data = rng.randbytes(1)
    else:
        reason = b"".join(
            rng.choice(BAD_TEXTS) if rng.random() < 0.1 else rng.choice(TEXTS).encode() for _ in range(rng.randrange(3))
        )
        data = struct.pack("!H", rng.choice(CODES)) + reason[:123]
    return frame(rng, 8, data, True, masked)


def message(rng, masked):
    opcode = rng.choice([1, 2])
    data = payload(rng, opcode == 1)
    if rng.random() < 0.5:
        return frame(rng, opcode, data, True, masked)
    cuts = sorted(rng.randrange(len(data) + 1) for _ in range(rng.randrange(4)))
    parts = [data[a:b] for a, b in zip([0] + cuts, cuts + [len(data)])]
    out = b""
    for index, part in enumerate(parts):
        last = index == len(parts) - 1
        kind = opcode if index == 0 else 0
        if rng.random() < 0.01:
            kind = rng.randrange(16)
        out += frame(rng, kind, part, last, masked)
        if not last and rng.random() < 0.3:
            out += control(rng, masked)
    return out


def mutate(rng, data):
    data = bytearray(data)
    for _ in range(rng.choice([0, 0, 0, 1, 1, 2, 4])):
        if not data:
            break
        place = rng.randrange(min(len(data), rng.choice([4, 40, 1 << 20])))
        kind = rng.randrange(5)
        if kind == 0:
            data[place] ^= 1 << rng.randrange(8)
        elif kind == 1:
            data[place] = rng.randrange(256)
        elif kind == 2:
            del data[place]
        elif kind == 3:
            data.insert(place, rng.randrange(256))
        else:
            del data[place:]
    return bytes(data)


def streams(seed, count):
    """Yields (is_server, piece length, bytes); is_server tells which end reads them."""
    rng = random.Random(seed)
    for _ in range(count):
        is_server = rng.random() < 0.5
        parts = []
        for _ in range(rng.randrange(1, 6)):
            part = control(rng, is_server) if rng.random() < 0.3 else message(rng, is_server)
            parts.append(part)
        yield is_server, rng.choice([1, 2, 7, 64, 1 << 30]), mutate(rng, b"".join(parts))
