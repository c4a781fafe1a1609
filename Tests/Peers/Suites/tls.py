"""TLS conversations, made with tlslite-ng: first flights of every kind, and what comes after a handshake."""

import importlib.metadata
import socket
import time

from outcome import Outcome, Served
from tls_client import what_comes
from tls_hellos import all_hellos
from tls_sessions import sessions

# RFC 8446 section 4.1.3: the random of a HelloRetryRequest.
RETRY = bytes.fromhex("cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c")
# OpenSSL decides about these, and each way is safe.
SHORT = "OpenSSL 3.0 ends the connection with internal_error instead of bad_record_mac"
EXPLAINED = {
    "a pre-shared key without binders": "OpenSSL looks at binders only where it knows the key; this one is not used",
    "a name of no bytes": "OpenSSL treats it like no name",
    "an empty handshake record (5.1)": "OpenSSL skips up to 32 of them",
    "TLS 1.2: a spoilt ticket": "the library takes each session with a ticket for resumed, whatever the server says",
    "TLS 1.2: data that nobody encrypted": SHORT,
    "TLS 1.2: a record of no bytes": SHORT,
    "TLS 1.2: an alert in clear": SHORT,
}
MEMORY, ONCE = 8 << 20, 3


def said(port, flight):
    """The first word of the server, and the last one: hello, retry, an alert, closed, or silence."""
    words = []
    with socket.create_connection(("127.0.0.1", port), timeout=2) as client:
        data = b""
        try:
            client.sendall(flight)
            while piece := client.recv(1 << 16):
                data += piece
                words = list(spoken(data))
                if words and words[-1] != "hello":
                    return words
                # A server that said hello waits for the rest.
                client.settimeout(0.3)
        except TimeoutError:
            return words or ["silence"]
        except OSError:
            pass
    return [*words, "closed"]


def spoken(data):
    while len(data) >= 5 and len(data) >= 5 + int.from_bytes(data[3:5], "big"):
        kind, length = data[0], int.from_bytes(data[3:5], "big")
        body, data = data[5 : 5 + length], data[5 + length :]
        if kind == 22 and body[:1] == b"\2":
            yield "retry" if body[6:38] == RETRY else "hello"
        elif kind == 21 and len(body) == 2:
            yield body[1]


def fits(words, wanted):
    if wanted == "any":
        return words[-1] not in ("hello", "silence")
    if wanted == "any after hello":
        # What follows is encrypted, if it is said at all.
        return words[-1] != "silence"
    return words[0] in wanted or words[-1] in wanted


def run(programs, is_long):
    outcome = Outcome("TLS", f"tlslite-ng {importlib.metadata.version('tlslite-ng')}", "`bellwire serve`")
    started = time.monotonic()
    with Served(programs.bellwire) as served:
        memory, descriptors = served.memory(), served.descriptors()
        for name, flight, wanted in all_hellos():
            words = said(served.port, flight)
            outcome.judge(name, fits(words, wanted), f"{words} instead of {wanted}", EXPLAINED.get(name))
        for name, act, wanted in sessions():
            word = what_comes(act, served.port)
            outcome.judge(name, word in wanted, f"{word} instead of {wanted}", EXPLAINED.get(name))
        outcome.judge("the server stays up", served.is_alive() and served.ask_health() < 3, "it has ended")
        closed = served.wait_for(lambda: served.descriptors() <= descriptors + ONCE, 15)
        outcome.judge("descriptors are closed", closed is not None, f"{served.descriptors()} of {descriptors}")
        grown = (served.memory() - memory) >> 20
        outcome.judge("memory is returned", served.memory() - memory < MEMORY, f"grown by {grown} MB")
    outcome.seconds = time.monotonic() - started
    return outcome
