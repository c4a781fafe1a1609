"""Crowds of connections that send garbage, from several addresses."""

import random
import socket
import struct

import wire
from crowd import Workers
from report import Attack
from target import Target

SOURCES = [f"127.0.0.{number}" for number in range(2, 10)]
PROCESSES = 2


def run(report, is_long):
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
