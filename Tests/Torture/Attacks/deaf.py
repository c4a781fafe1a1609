"""Clients that keep asking and never read an answer: the server stops reading from them and then cuts them."""

import struct
import time

import wire
from crowd import Peer
from report import MEGABYTE, Attack
from target import Target
from wire import Client

SLACK = 1.5
# The server makes only as many answers as are read; these have 50 KB each.
HTTP1_MEMORY = 1 * MEGABYTE
# All allowed streams get their answers, and each answer is made as a whole.
STREAMS, ANSWER = 100, 50_000
HTTP2_MEMORY = STREAMS * ANSWER * 1.2
REQUESTS = 200_000


def run(report, is_long):
    count = 100 if is_long else 10
    with Target(divisor=1 if is_long else 30) as target:
        ask = wire.GET.replace(b"/a", b"/bytes/50000") * REQUESTS
        limit = target.limits.deaf + SLACK
        ports = [(target.plain_port, None), (target.port, "http/1.1")] * (count // 2)
        deaf(
            report,
            target,
            "never reads",
            f"{count} that pipeline requests for 50 KB",
            HTTP1_MEMORY,
            limit,
            [
                lambda port=port, alpn=alpn: Peer(Client(port, alpn, receive_buffer=4_096), reads=False, drip=ask)
                for port, alpn in ports
            ],
        )
        settings = struct.pack(">HI", 4, 1 << 30)
        streams = wire.frame(wire.WINDOW_UPDATE, 0, 0, struct.pack(">I", 1 << 30)) + b"".join(
            wire.request(2 * index + 1, b"/bytes/%d" % ANSWER) for index in range(STREAMS)
        )
        limit = target.limits.answer + target.limits.deaf + target.limits.lingering + SLACK
        deaf(
            report,
            target,
            "never reads, HTTP/2",
            f"{count} with 100 streams for 50 KB each",
            HTTP2_MEMORY,
            limit,
            [lambda: Peer(Client(target.port, "h2", receive_buffer=4_096).open(settings), reads=False, drip=streams)]
            * count,
        )


def deaf(report, target, name, done, memory, limit, connects):
    with Attack(report, target, name, done, forgets_in=limit) as attack:
        peers = [connect() for connect in connects]
        most = 0
        for _ in range(10):
            for peer in peers:
                push(peer)
            time.sleep(0.05)
            most = max(most, target.memory() - target.first_memory)
        attack.at_most("memory for each", most / len(peers) / MEGABYTE, memory / MEGABYTE, "MB")
        whole = len(peers[0].drip)
        if whole > 4 * MEGABYTE:
            sent = max(peer.next_drop for peer in peers)
            attack.bound(f"not all of {whole} bytes are taken", str(sent), sent < whole)
        # These connections stay open and still do not read.
        took = target.wait_for(lambda: target.descriptors() <= target.first_descriptors + 3, limit)
        attack.bound(f"gone within {limit:.2f} s", "never" if took is None else f"{took:.2f} s", took is not None)
        for peer in peers:
            peer.client.close()


def push(peer):
    """Sends as much as the other side accepts."""
    try:
        while peer.next_drop < len(peer.drip):
            piece = peer.drip[peer.next_drop : peer.next_drop + 16_384]
            peer.next_drop += peer.client.socket.send(piece)
    except OSError:
        pass
