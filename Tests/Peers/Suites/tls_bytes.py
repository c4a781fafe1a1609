"""A TLS client's first flight as bytes, each part of which can be replaced."""

import os
import struct

from tlslite.keyexchange import ECDHKeyExchange

ILLEGAL, DECODE, HANDSHAKE, VERSION, UNEXPECTED, OVERFLOW = 47, 50, 40, 70, 10, 22
FALLBACK, MISSING, PROTOCOL, NAME = 86, 109, 120, 112
BAD = {ILLEGAL, DECODE, HANDSHAKE, UNEXPECTED, MISSING}
X25519, P256, P384, P521 = 29, 23, 24, 25
SNI, GROUPS, SIGNATURES, ALPN, VERSIONS, MODES, SHARES, PSK = 0, 10, 13, 16, 43, 45, 51, 41
TLS13_SUITES, TLS12_SUITES = [0x1301, 0x1302, 0x1303], [0xC02B, 0xC02C, 0xCCA9]


def vector(size, data):
    return len(data).to_bytes(size, "big") + data


def words(numbers):
    return b"".join(struct.pack(">H", number) for number in numbers)


def record(data, kind=22, version=0x0301):
    return struct.pack(">BHH", kind, version, len(data)) + data


def handshake(body, kind=1, length=None):
    return bytes([kind]) + (len(body) if length is None else length).to_bytes(3, "big") + body


def share(group, data=None):
    if data is None:
        exchange = ECDHKeyExchange(group, (3, 4))
        data = bytes(exchange.calc_public_value(exchange.get_random_private_key()))
    return words([group]) + vector(2, data)


def extensions(**changes):
    """Those of a usual client by their number; a change of None leaves one out."""
    usual = {
        SNI: vector(2, b"\0" + vector(2, b"localhost")),
        GROUPS: vector(2, words([X25519, P256, P384])),
        SIGNATURES: vector(2, words([0x0403, 0x0503, 0x0804])),
        VERSIONS: vector(1, words([0x0304, 0x0303])),
        MODES: vector(1, b"\1"),
        SHARES: vector(2, share(X25519)),
    }
    usual |= {globals()[name]: data for name, data in changes.items()}
    return [(number, data) for number, data in usual.items() if data is not None]


def hello(
    fields=None,
    suites=TLS13_SUITES + TLS12_SUITES,
    session=bytes(32),
    compression=b"\0",
    version=0x0303,
    after=b"",
    random=None,
):
    """The body of a ClientHello."""
    fields = extensions() if fields is None else fields
    suites = words(suites) if isinstance(suites, list) else suites
    listed = b"".join(words([number]) + vector(2, data) for number, data in fields)
    head = words([version]) + (random or os.urandom(32)) + vector(1, session) + vector(2, suites)
    return head + vector(1, compression) + vector(2, listed) + after


def pieces(data, size):
    return b"".join(record(data[start : start + size]) for start in range(0, len(data), size))


def old(version):
    """A client that knows nothing after this version."""
    fields = extensions(VERSIONS=None, SHARES=None, MODES=None)
    return record(
        handshake(hello(fields, suites=[0xC009, 0xC00A, 0x002F], version=version)), version=min(version, 0x0301)
    )


def whole(*arguments, **named):
    return record(handshake(hello(*arguments, **named)))


def with_fields(**changes):
    return whole(extensions(**changes))


def shared(group, data):
    return with_fields(SHARES=vector(2, share(group, data)))
