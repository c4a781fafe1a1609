"""What a client may send after its handshake of TLS 1.3, as a table: how our records answer, and how OpenSSL's do."""

import dataclasses
import importlib.metadata
import time

from outcome import Outcome, Served
from tls_client import ALERT, CCS, DATA, HANDSHAKE, HEARTBEAT, REQUEST, TLS13, what_comes

UNEXPECTED, MAC, OVERFLOW, VERSION, ILLEGAL, DECODE = 10, 20, 22, 70, 47, 50
ANSWERED, CLOSED = "200", "closed"
MOST = 1 << 14
GET = REQUEST % b"close"
UPDATE, ASKING = b"\x18\0\0\1\0", b"\x18\0\0\1\1"


class Wire:
    """Seals whatever it is told to, with the keys of a client."""

    def __init__(self, client):
        self.layer, self.session, self.has_asked = client._recordLayer, client.session, False

    def __call__(self, content, kind=DATA, padding=0):
        self.has_asked = self.has_asked or b"HTTP/1.1" in content
        body = self.layer._encryptThenSeal(bytearray(content) + bytes([kind]) * (kind > 0) + bytes(padding), DATA)
        return b"\x17\3\3" + len(body).to_bytes(2, "big") + body

    def next_keys(self):
        keep = self.session.cl_app_secret, self.session.sr_app_secret
        made = self.layer.calcTLS1_3KeyUpdate_reciever(self.session.cipherSuite, *keep)
        self.session.cl_app_secret, self.session.sr_app_secret = made
        return b""

    def update(self, message=UPDATE, sizes=(5,)):
        """A KeyUpdate in records of these sizes, and new keys behind it."""
        pieces, start = b"", 0
        for size in sizes:
            pieces += self(message[start : start + size], HANDSHAKE)
            start += size
        return pieces + self.next_keys()


@dataclasses.dataclass
class Case:
    name: str
    make: object
    own: object
    # Where OpenSSL says something else, and why both are right.
    openssl: object = None
    why: str = ""

    def wanted(self, is_own):
        return self.own if is_own or not self.why else self.openssl


def flipped(record, place):
    return record[:place] + bytes([record[place] ^ 1]) + record[place + 1 :]


def message(kind, body=b"\0", length=None):
    return bytes([kind]) + (len(body) if length is None else length).to_bytes(3, "big") + body


LENGTHS = (
    "OpenSSL says illegal_parameter; a length that its own field contradicts is decode_error (RFC 9846 section 6.2)."
)
ALERTS = "OpenSSL says unexpected_message; an alert that cannot be parsed is decode_error (RFC 9846 section 6.2)."
PADDED = "OpenSSL measures the content alone; RFC 9846 section 5.4 bounds content, type and padding together."
OLDER = "OpenSSL reads the version; RFC 9846 section 5.2 ignores it, but what the tag protects has it as it came."
FLOODS = "OpenSSL has no bound; ours ends who changes keys without sending data."
CANCELS = (
    "OpenSSL allows four warnings in a row; ours counts them with other records without data, of which 32 are allowed."
)

KEY_UPDATES = [
    Case("KeyUpdate", lambda w: w.update(), ANSWERED),
    Case("KeyUpdate that asks", lambda w: w.update(ASKING), ANSWERED),
    Case("ten that ask", lambda w: b"".join(w.update(ASKING) for _ in range(10)), ANSWERED),
    *(
        Case(f"KeyUpdate cut into {sizes}", lambda w, sizes=sizes: w.update(ASKING, sizes), ANSWERED)
        for sizes in ((1, 4), (2, 3), (3, 2), (4, 1), (1, 1, 1, 1, 1))
    ),
    *(
        Case(
            f"data behind {size} bytes of KeyUpdate",
            lambda w, size=size: w(UPDATE[:size], HANDSHAKE) + w(b"GET"),
            UNEXPECTED,
        )
        for size in (1, 2, 3, 4)
    ),
    Case("an alert inside KeyUpdate", lambda w: w(UPDATE[:2], HANDSHAKE) + w(b"\1\0", ALERT), UNEXPECTED),
    *(
        Case(f"KeyUpdate with value {value}", lambda w, value=value: w(message(24, bytes([value])), HANDSHAKE), ILLEGAL)
        for value in (2, 3, 127, 128, 255)
    ),
    Case("KeyUpdate of no bytes", lambda w: w(message(24, b""), HANDSHAKE), DECODE),
    Case("KeyUpdate of two bytes", lambda w: w(message(24, b"\0\0"), HANDSHAKE), DECODE, ILLEGAL, LENGTHS),
    Case("KeyUpdate of 16 MB", lambda w: w(message(24, b"\0", 0xFFFFFF), HANDSHAKE), DECODE, ILLEGAL, LENGTHS),
    Case("two of KeyUpdate in a record", lambda w: w(UPDATE + UPDATE, HANDSHAKE), UNEXPECTED),
    Case("a byte behind KeyUpdate", lambda w: w(UPDATE + b"\x18", HANDSHAKE), UNEXPECTED),
    Case("KeyUpdate, and the old keys", lambda w: w(UPDATE, HANDSHAKE) + w(GET), MAC),
    Case("KeyUpdate, and keys too new", lambda w: w.update() + w.next_keys() + w(GET), MAC),
    Case(
        "KeyUpdate whose end has the next keys",
        lambda w: w(b"\x18\0", HANDSHAKE) + w.next_keys() + w(b"\0", HANDSHAKE),
        MAC,
    ),
    Case("32 of KeyUpdate", lambda w: b"".join(w.update() for _ in range(32)), ANSWERED),
    Case("33 of KeyUpdate", lambda w: b"".join(w.update() for _ in range(33)), UNEXPECTED, ANSWERED, FLOODS),
]

EMPTY = [
    Case("empty data", lambda w: w(b""), ANSWERED),
    Case("empty data with padding", lambda w: w(b"", padding=100), ANSWERED),
    Case("empty data with all padding that fits", lambda w: w(b"", padding=MOST), ANSWERED),
    Case("empty data inside of a request", lambda w: w(GET[:9]) + w(b"") + w(GET[9:]), ANSWERED),
    Case("32 records of empty data", lambda w: b"".join(w(b"") for _ in range(32)), ANSWERED),
    Case("33 records of empty data", lambda w: b"".join(w(b"") for _ in range(33)), UNEXPECTED),
    *(
        Case(f"an empty message, padded by {size}", lambda w, size=size: w(b"", HANDSHAKE, size), UNEXPECTED)
        for size in (0, 9)
    ),
    *(
        Case(f"an empty alert, padded by {size}", lambda w, size=size: w(b"", ALERT, size), UNEXPECTED)
        for size in (0, 2, 30)
    ),
]


def posted(size):
    """A request that is so long."""
    head = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
    return (head % (size - len(head % size))).ljust(size, b"x")


LIMITS = [
    Case("the longest data", lambda w: w(posted(MOST)), ANSWERED),
    Case("a byte more than the longest data", lambda w: w(bytes(MOST + 1)), OVERFLOW),
    Case("data with all padding that fits", lambda w: w(GET, padding=MOST - len(GET)), ANSWERED),
    Case("a byte of padding more", lambda w: w(GET, padding=MOST + 1 - len(GET)), OVERFLOW, ANSWERED, PADDED),
    Case("padding to the longest record", lambda w: w(GET, padding=MOST + 239 - len(GET)), OVERFLOW, ANSWERED, PADDED),
    Case("a byte more than the longest record", lambda w: w(GET, padding=MOST + 240 - len(GET)), OVERFLOW),
    Case("the same with a wrong tag", lambda w: flipped(w(GET, padding=MOST + 240 - len(GET)), -1), OVERFLOW),
    Case("a length of 65,535", lambda w: b"\x17\3\3\xff\xff", OVERFLOW),
    *(
        Case(f"{size} zeros and no type", lambda w, size=size: w(b"", 0, size), UNEXPECTED)
        for size in (1, 2, 100, MOST)
    ),
    *(
        Case(f"type {kind} inside", lambda w, kind=kind: w(b"\1", kind), UNEXPECTED)
        for kind in (1, CCS, HEARTBEAT, 25, 99, 151, 255)
    ),
]

IN_CLEAR = [
    Case("ChangeCipherSpec", lambda w: b"\x14\3\3\0\1\1", UNEXPECTED),
    Case("ChangeCipherSpec of two bytes", lambda w: b"\x14\3\3\0\2\1\1", UNEXPECTED),
    Case("close_notify in clear", lambda w: b"\x15\3\3\0\2\1\0", UNEXPECTED),
    Case("a fatal alert in clear", lambda w: b"\x15\3\3\0\2\2\x28", UNEXPECTED),
    Case("a message in clear", lambda w: b"\x16\3\3\0\5" + UPDATE, UNEXPECTED),
    Case("data in clear", lambda w: b"\x17\3\3\0\x1e" + b"x" * 30, MAC),
    Case("HTTP in clear", lambda w: GET, UNEXPECTED, VERSION, "OpenSSL takes five bytes of text for a version."),
]

MESSAGES = [
    *(
        Case(
            f"message {kind} after the handshake",
            lambda w, kind=kind: w(message(kind, bytes(40)), HANDSHAKE),
            UNEXPECTED,
        )
        for kind in (0, 1, 2, 4, 5, 8, 11, 13, 15, 20, 25, 99, 254)
    ),
    Case("a ClientHello of 16 MB", lambda w: w(message(1, bytes(100), 0xFFFFFF), HANDSHAKE), UNEXPECTED),
    Case("a second Finished, sealed alone", lambda w: w(message(20, bytes(32)), HANDSHAKE), UNEXPECTED),
]

TAGS = [
    *(
        Case(f"byte {place} is changed", lambda w, place=place: flipped(w(GET), place), MAC)
        for place in (5, 20, -17, *range(-16, 0))
    ),
    Case("the length is changed", lambda w: w(GET)[:3] + b"\0\x20" + w(GET)[5:], MAC),
    Case("a record again", lambda w: (record := w(b"")) + record, MAC),
    Case("a record is missing", lambda w: w(b"")[:0] + w(GET), MAC),
    *(
        Case(f"a record of {size} bytes", lambda w, size=size: b"\x17\3\3\0" + bytes([size]) + bytes(size), MAC)
        for size in (0, 1, 15, 16, 17)
    ),
    Case("version 2.3", lambda w: flipped(w(GET), 1), MAC, VERSION, OLDER),
    Case("version 3.2", lambda w: flipped(w(GET), 2), MAC, DECODE, OLDER),
]

ENDINGS = [
    *(
        Case(f"close_notify of level {level}", lambda w, level=level: w(bytes([level, 0]), ALERT), CLOSED)
        for level in (1, 2)
    ),
    *(
        Case(
            f"alert {number} of level {level}",
            lambda w, level=level, number=number: w(bytes([level, number]), ALERT),
            CLOSED,
        )
        for level in (1, 2)
        for number in (10, 40, 41, 80, 100, 115, 255)
    ),
    Case("user_canceled", lambda w: w(b"\1\x5a", ALERT), ANSWERED),
    Case("user_canceled and close_notify", lambda w: w(b"\1\x5a", ALERT) + w(b"\1\0", ALERT), CLOSED),
    Case(
        "five of user_canceled",
        lambda w: b"".join(w(b"\1\x5a", ALERT) for _ in range(5)),
        ANSWERED,
        UNEXPECTED,
        CANCELS,
    ),
    Case("half an alert", lambda w: w(b"\1", ALERT), DECODE, UNEXPECTED, ALERTS),
    Case("an alert in two records", lambda w: w(b"\1", ALERT) + w(b"\0", ALERT), DECODE, UNEXPECTED, ALERTS),
    Case("an alert and a half", lambda w: w(b"\1\0\1", ALERT), DECODE, UNEXPECTED, ALERTS),
    Case("two alerts in a record", lambda w: w(b"\1\0\1\0", ALERT), DECODE, UNEXPECTED, ALERTS),
    Case("close_notify, and then a request", lambda w: w(b"\1\0", ALERT) + w(GET), CLOSED),
    Case("close_notify, and then anything", lambda w: w(b"\1\0", ALERT) + b"\x14" * 100, CLOSED),
    Case("a request and close_notify", lambda w: w(GET) + w(b"\1\0", ALERT), ANSWERED),
]

CASES = KEY_UPDATES + EMPTY + LIMITS + IN_CLEAR + MESSAGES + TAGS + ENDINGS


def said(case, port, is_own):
    """The server's word: an alert, that it answers a request, or that it closes. Where an answer is wanted, a request
    follows.
    """

    def act(client):
        client.handshake(TLS13)
        # The ticket comes first.
        client.write(REQUEST % b"keep-alive")
        client.answer()
        wire = Wire(client)
        data = case.make(wire)
        if case.wanted(is_own) == ANSWERED and not wire.has_asked:
            data += wire(GET)
        client.put_raw(data)
        return client.answer()

    return what_comes(act, port)


def run(programs, is_long):
    outcome = Outcome("TLS records", f"tlslite-ng {importlib.metadata.version('tlslite-ng')}", "`bellwire serve`")
    started = time.monotonic()
    for is_own, words in ((True, ()), (False, ("--tls-records", "openssl"))):
        with Served(programs.bellwire, *words) as served:
            for case in CASES:
                word, wanted = said(case, served.port, is_own), case.wanted(is_own)
                name = case.name if is_own else f"{case.name}, to OpenSSL"
                outcome.judge(name, word == wanted, f"{word} instead of {wanted}")
            outcome.judge("the server stays up", served.is_alive() and served.ask_health() < 3, "it has ended")
    outcome.seconds = time.monotonic() - started
    return outcome
