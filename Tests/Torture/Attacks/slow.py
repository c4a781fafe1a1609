"""Slowloris: a slow client is cut at the time limit for what it is slow at."""

import struct
import time

import wire
from crowd import Peer, drip, sip
from report import Attack
from target import Target
from wire import Client

SLACK = 1.0
POST = b"POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\n"


def run(report, is_long):
    count = 1_000 if is_long else 100
    # The real time limits take two minutes.
    with Target(divisor=1 if is_long else 30) as target:
        heads(report, target, count)
        bodies(report, target, count)
        silent(report, target, count)
        reads(report, target, 200 if is_long else 20)


def clients(target, count):
    """Half of them in clear, half through TLS."""
    for index in range(count):
        yield (Client(target.plain_port) if index % 2 else Client(target.port, "http/1.1"))


def end(peers):
    for peer in peers:
        peer.client.close()


def heads(report, target, count):
    limit = target.limits.head
    done = f"{count} connections, a byte every 100 ms"
    with Attack(report, target, "slow heads", done) as attack:
        begin = wire.GET[:-2] + b"X-Filler: "
        peers = [Peer(client, begin, b"x") for client in clients(target, count)]
        drip(peers, limit + 3)
        attack.between("cut", [peer.cut_after for peer in peers], limit * 0.9, limit + SLACK)
        attack.exactly("answered 408", sum(b" 408 " in peer.received for peer in peers), count)
        end(peers)
    block = wire.head(fields=wire.literal(b"x", b"x" * 2_000))
    begin = wire.PREFACE + wire.frame(wire.SETTINGS)
    slow = wire.frame(wire.HEADERS, wire.END_STREAM | wire.END_HEADERS, 1, block)
    with Attack(report, target, "slow heads, HTTP/2", f"{count} connections, as before") as attack:
        peers = [Peer(Client(target.port, "h2"), begin + slow[:9], slow[9:]) for _ in range(count)]
        drip(peers, limit + 4)
        attack.between("cut", [peer.cut_after for peer in peers], limit * 0.9, limit + SLACK)
        end(peers)


def bodies(report, target, count):
    limit = target.limits.body
    done = f"{count} connections, a byte every 100 ms"
    with Attack(report, target, "slow bodies", done) as attack:
        peers = [Peer(client, POST, b"x") for client in clients(target, count)]
        drip(peers, limit + 3)
        attack.between("cut", [peer.cut_after for peer in peers], limit * 0.9, limit + SLACK)
        attack.exactly("answered 408", sum(b" 408 " in peer.received for peer in peers), count)
        end(peers)
    begin = (
        wire.PREFACE
        + wire.frame(wire.SETTINGS)
        + wire.frame(wire.HEADERS, wire.END_HEADERS, 1, wire.head(method=b"POST"))
        + struct.pack(">I", 5_000)[1:]
        + bytes([wire.DATA, 0])
        + struct.pack(">I", 1)
    )
    with Attack(report, target, "slow bodies, HTTP/2", f"{count} streams, as before", forgets_in=3) as attack:
        peers = [Peer(Client(target.port, "h2"), begin, b"x") for _ in range(count)]
        drip(peers, limit + SLACK)
        statuses = []
        for peer in peers:
            reader = Client.__new__(Client)
            reader.socket, reader.buffer = peer.client.socket, peer.received
            statuses += [wire.status(payload) for kind, _, _, payload in reader.frames() if kind == wire.HEADERS]
        attack.exactly(f"answered 408 within {limit + SLACK:.2f} s", statuses.count(408), count)
        end(peers)


def silent(report, target, count):
    limit = target.limits.idle
    with Attack(report, target, "silence", f"{count} connections after one request, as many HTTP/2") as attack:
        peers = []
        for client in clients(target, count):
            client.ask()
            peers.append(Peer(client))
        for _ in range(count):
            client = Client(target.port, "h2").open()
            peers.append(Peer(client, wire.request(1)))
        drip(peers, limit + 3)
        attack.between("cut", [peer.cut_after for peer in peers], limit * 0.9, limit + SLACK)
        end(peers)


def reads(report, target, count):
    # More than the sockets can hold.
    size = 4_000_000
    limit = target.limits.deaf
    ask = b"GET /bytes/%d HTTP/1.1\r\nHost: localhost\r\n\r\n" % size
    with Attack(report, target, "slow reading", f"{count} connections, 1 KB of 4 MB every 100 ms") as attack:
        peers = []
        for _ in range(count):
            peers.append(Peer(Client(target.port, "http/1.1", receive_buffer=4_096), ask, reads_at_most=1_024))
            # Allocating such an answer takes 15 ms if the machine must ask its host for memory.
            time.sleep(0.01)
        until_descriptors(attack, target, peers, limit)
    limit = target.limits.answer
    with Attack(report, target, "slow reading, HTTP/2", f"{count} connections, windows of 1 byte") as attack:
        settings = struct.pack(">HI", 4, 1)
        peers = []
        for _ in range(count):
            client = Client(target.port, "h2").open(settings)
            peers.append(
                Peer(
                    client,
                    wire.request(1, b"/bytes/100000"),
                    wire.frame(wire.WINDOW_UPDATE, 0, 1, struct.pack(">I", 1)),
                )
            )
        drip(peers, limit + SLACK, every=0.02)
        resets = sum(b"\0\0\4\3\0\0\0\0\1" in peer.received for peer in peers)
        attack.exactly(f"stream reset within {limit + SLACK:.2f} s", resets, count)
        end(peers)


def until_descriptors(attack, target, peers, limit):
    """A slow reader does not notice the cut while data is in the sockets, so the server's descriptors are counted."""
    before = target.first_descriptors + len(peers) / 2
    sip(peers, limit * 0.8)
    attack.bound(f"kept for {limit * 0.8:.2f} s", f"{target.descriptors()} descriptors", target.descriptors() > before)
    sip(peers, limit * 0.2 + SLACK)
    # Another client holds one or two.
    attack.at_most(f"descriptors after {limit + SLACK:.2f} s", target.descriptors(), target.first_descriptors + 3, "")
    end(peers)
