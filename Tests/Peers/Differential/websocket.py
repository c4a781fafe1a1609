"""Compares our WebSocket decoder with wsproto, websockets and wslay on generated frame streams.

    python3 Tests/Peers/Differential/websocket.py .build/debug/WebSocketProbe [--count N] [--seed N]

Every disagreement must have an explanation below; the table in docs/websocket-peers.md says more.
"""

import argparse
import base64
import collections
import json
import struct
import subprocess
import sys

from websocket_peers import LIMIT, Verdict, WebSockets, Wslay, WSProto
from websocket_streams import streams


def ours(probe, inputs):
    stream = b"".join(
        (b"s" if is_server else b"c") + struct.pack("!II", min(piece, 1 << 31), len(data)) + data
        for is_server, piece, data in inputs
    )
    output = subprocess.run([probe], input=stream, stdout=subprocess.PIPE, check=True).stdout
    lines = output.splitlines()
    assert len(lines) == len(inputs), f"{len(lines)} answers to {len(inputs)} inputs"
    return [verdict(json.loads(line)) for line in lines]


def verdict(answer):
    events = []
    for kind, *values in answer["events"]:
        if kind != "close":
            values = [base64.urlsafe_b64decode(values[0] + "==")]
        events.append((kind, *values))
    return Verdict(events, answer.get("code"), answer.get("failure", ""))


class Comparison:
    """One stream: our verdict, the other decoder's, and the other decoder's after enough zeros to complete any frame
    up to the limit.
    """

    def __init__(self, mine, peer_class, is_server, piece, data):
        peer = peer_class(is_server)
        for start in range(0, len(data), piece):
            peer.feed(data[start : start + piece])
        self.name = peer.name
        self.mine = mine
        self.theirs = Verdict(list(peer.verdict.events), peer.verdict.code, peer.verdict.word)
        self.is_same = (mine.events, mine.code) == (self.theirs.events, self.theirs.code)
        if not self.is_same:
            peer.feed(bytes(LIMIT + 1024))
            self.later = peer.verdict

    def explanation(self):
        return next((name for name, rule in RULES if rule(self)), None)


def is_prefix(short, long):
    return long[: len(short)] == short


def notices_later(c):
    """We fail at the first byte that breaks a rule, the other decoder at the end of header, frame or message. It may
    see control frames in between.
    """
    return c.mine.code is not None and c.later.code == c.mine.code and is_prefix(c.mine.events, c.later.events)


def our_limit(c):
    return c.name == "wsproto" and c.mine.word == "message-too-big"


def limit_before_rule(c):
    return (
        c.name in ("websockets", "wslay")
        and c.mine.code == 1002
        and c.later.code == 1009
        and is_prefix(c.mine.events, c.later.events)
    )


def long_length_form(c):
    return c.name == "websockets" and c.mine.word in ("long-length-form", "long-control")


def close_inside_message(c):
    return (
        c.name == "websockets"
        and c.theirs.word == "incomplete fragmented message"
        and c.mine.code is None
        and c.mine.events[-1][0] == "close"
        and c.mine.events[:-1] == c.theirs.events
    )


def reason_before_code(c):
    return c.name in ("websockets", "wslay") and c.mine.word == "close-code" and c.later.code == 1007


def text_at_end(c):
    """The other decoder checks text when the message is complete, and another mistake came first."""
    return c.name == "websockets" and c.mine.word == "text-encoding" and is_prefix(c.mine.events, c.later.events)


def close_without_code(c):
    return (
        c.name == "wslay" and c.mine.code == 1002 and c.later.code == 1005 and is_prefix(c.mine.events, c.later.events)
    )


def last_close(verdict):
    return verdict.events[-1] if verdict.events and verdict.events[-1][0] == "close" else None


def newer_codes(c):
    """IANA registered 1012 to 1014 after RFC 6455."""
    close = last_close(c.mine)
    return (
        c.name in ("wsproto", "wslay")
        and c.later.code == 1002
        and (
            (close is not None and close[1] in (1012, 1013, 1014) and c.mine.events[:-1] == c.later.events)
            or (c.mine.word == "reason-encoding" and c.mine.events == c.later.events)
        )
    )


def close_of_one_byte(c):
    close = last_close(c.later)
    return c.name == "wslay" and c.mine.word == "short-close" and close == ("close", 0, "")


def reason_ends_in_character(c):
    return (
        c.name == "wslay"
        and c.mine.word == "reason-encoding"
        and last_close(c.later) is not None
        and c.mine.events == c.later.events[:-1]
    )


def reason_after_half_a_character(c):
    return (
        c.name == "wslay"
        and last_close(c.mine) is not None
        and c.later.code == 1007
        and c.mine.events[:-1] == c.later.events
    )


def reason_byte_by_byte(c):
    return c.name == "wslay" and not c.mine.is_over and c.later.code == 1007 and c.mine.events == c.later.events


def surrogate_later(c):
    """Python's decoder refuses a surrogate only at its third byte."""
    return (
        c.name == "wsproto"
        and c.mine.word == "text-encoding"
        and is_prefix(c.mine.events, c.later.events)
        and c.later.code == 1002
    )


RULES = [
    ("notices-later", notices_later),
    ("our-limit", our_limit),
    ("limit-before-rule", limit_before_rule),
    ("long-length-form", long_length_form),
    ("close-inside-message", close_inside_message),
    ("reason-before-code", reason_before_code),
    ("text-at-end", text_at_end),
    ("surrogate-later", surrogate_later),
    ("newer-codes", newer_codes),
    ("reason-byte-by-byte", reason_byte_by_byte),
    ("close-of-one-byte", close_of_one_byte),
    ("reason-ends-in-character", reason_ends_in_character),
    ("reason-after-half-a-character", reason_after_half_a_character),
    ("close-without-code", close_without_code),
]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("probe")
    parser.add_argument("--count", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    inputs = list(streams(arguments.seed, arguments.count))
    mine = ours(arguments.probe, inputs)
    peers = [WSProto, WebSockets] + ([Wslay] if Wslay.load() else [])

    counts = collections.Counter()
    unexplained = 0
    for index, (verdict, stream) in enumerate(zip(mine, inputs)):
        counts["all", "failed" if verdict.code else "good"] += 1
        for peer in peers:
            comparison = Comparison(verdict, peer, *stream)
            reason = "same" if comparison.is_same else comparison.explanation()
            counts[peer.name, reason or "UNEXPLAINED"] += 1
            if reason is None:
                unexplained += 1
                if unexplained <= 10:
                    report(index, stream, comparison)
    for (name, reason), count in sorted(counts.items()):
        print(f"{name:12}{reason:32}{count:8}")
    print(f"{arguments.count * len(peers) - unexplained} passed, {unexplained} failed")
    sys.exit(1 if unexplained or not mine else 0)


def report(index, stream, comparison):
    is_server, piece, data = stream
    print(
        f"stream {index} read by {'server' if is_server else 'client'} in pieces of {piece}:",
        data[:80].hex(),
        f"({len(data)} bytes)",
    )
    for name, verdict in [("ours", comparison.mine), (comparison.name, comparison.theirs), ("later", comparison.later)]:
        print(f"  {name:12}", str(verdict)[-200:])


if __name__ == "__main__":
    main()
