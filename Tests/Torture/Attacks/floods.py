"""HTTP/2 frames that cost the sender little and have no use, and crowds of connections that send garbage."""

import random
import socket
import struct

import wire
from crowd import Workers
from report import Attack
from target import Target
from wire import Client

FRAMES = 100_000
# CPU seconds of one connection: its handshake, some hundred frames, and the data sent before it ended.
CPU_BOUND = 0.01


def resets(index):
    stream = 2 * index + 1
    return wire.request(stream) + wire.frame(wire.RESET, 0, stream, struct.pack(">I", wire.CANCEL))


def resets_in_answer(index):
    """Resets streams whose answers are still being made."""
    stream = 2 * index + 1
    return wire.request(stream, b"/later/1000") + wire.frame(wire.RESET, 0, stream, struct.pack(">I", wire.CANCEL))


def provoked_resets(index):
    """Frames that make the server reset the stream: the same cost in the other direction."""
    stream = 2 * index + 1
    return wire.request(stream, b"/later/1000") + wire.frame(wire.WINDOW_UPDATE, 0, stream, struct.pack(">I", 0))


FLOODS = {
    "rapid reset": resets,
    "resets while answering": resets_in_answer,
    "provoked resets": provoked_resets,
    "SETTINGS": lambda index: wire.frame(wire.SETTINGS, 0, 0, struct.pack(">HI", 4, 65_535)),
    "PING": lambda index: wire.frame(wire.PING, 0, 0, b"12345678"),
    "empty DATA": lambda index: wire.frame(wire.DATA, 0, 1),
    "PRIORITY": lambda index: wire.frame(wire.PRIORITY, 0, 2 * index + 3, struct.pack(">IB", 0, 1)),
    "WINDOW_UPDATE of 1": lambda index: wire.frame(wire.WINDOW_UPDATE, 0, 0, struct.pack(">I", 1)),
    "unknown frames": lambda index: wire.frame(0x42, 0, 0, b"x"),
    "unasked ACKs": lambda index: wire.frame(wire.PING, wire.ACK, 0, b"12345678"),
}


def floods(report, is_long):
    count = 30 if is_long else 3
    with Target() as target:
        for name, piece in FLOODS.items():
            flood(report, target, name, piece, count)


def flood(report, target, name, piece, count):
    batches = [b"".join(piece(index) for index in range(start, start + 100)) for start in range(0, FRAMES, 100)]
    with Attack(report, target, name, f"{count} connections, up to {FRAMES} frames each") as attack:
        codes = set()
        before = target.cpu()
        for _ in range(count):
            client = Client(target.port, "h2", timeout=5).open()
            if name == "empty DATA":
                client.send(wire.frame(wire.HEADERS, wire.END_HEADERS, 1, wire.head(method=b"POST")))
            for batch in batches:
                if not client.send(batch):
                    break
            codes.add(client.ending())
            client.close()
        spent = target.cpu() - before
        # Streams whose reset has not been sent still count as open, and too many are an error.
        expected = {wire.ENHANCE_YOUR_CALM, "end"}
        if piece is provoked_resets:
            expected.add(wire.PROTOCOL_ERROR)
        # A reset can overtake the GOAWAY if the client sends more than the server reads over.
        attack.bound(f"ended: {wire.ENHANCE_YOUR_CALM}, or by a reset", ", ".join(map(str, codes)), codes <= expected)
        attack.at_most("CPU for each", spent / count, CPU_BOUND, "s")


SOURCES = [f"127.0.0.{number}" for number in range(2, 10)]
PROCESSES = 2


def garbage(report, is_long):
    count = 100_000 if is_long else 5_000
    with Target() as target:
        with Attack(report, target, "garbage", f"{count} connections from {len(SOURCES)} addresses") as attack:
            workers = Workers(PROCESSES, lambda index: send(target, index, count // PROCESSES))
            attack.exactly("all connections were made", workers.done(600), True)
            workers.let_go()
            attack.at_most("CPU for each", attack.cpu() / count * 1e3, 1, "ms")


def send(target, seed, count):
    source = random.Random(seed)
    for number in range(count):
        connection = socket.socket()
        connection.settimeout(0.05)
        # The kernel chooses the port at connect, so each address has all ports for both targets.
        connection.setsockopt(socket.IPPROTO_IP, 24, 1)  # IP_BIND_ADDRESS_NO_PORT
        connection.bind((SOURCES[number % len(SOURCES)], 0))
        connection.connect(("127.0.0.1", target.port if number % 2 else target.plain_port))
        try:
            connection.sendall(something(source))
            if source.random() < 0.02:
                connection.recv(4_096)
        except OSError:
            pass
        if source.random() < 0.5:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()


def something(source):
    kind = source.randrange(5)
    if kind == 0:
        return source.randbytes(source.randrange(1, 2_000))
    if kind == 1:
        return b"\x16\x03\x01" + struct.pack(">H", source.randrange(600)) + source.randbytes(600)
    if kind == 2:
        return wire.GET[: source.randrange(len(wire.GET))]
    if kind == 3:
        return wire.PREFACE + source.randbytes(100)
    text = bytearray(wire.GET * 3)
    for _ in range(5):
        text[source.randrange(len(text))] = source.randrange(256)
    return bytes(text)
