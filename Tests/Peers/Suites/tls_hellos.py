"""First flights of a TLS client, good and bad, each with what a server has to say to it.

A server says `hello`, `retry` (another key share, please), the number of an alert, or `closed`. Sections are those of
RFC 8446.
"""

import os

from tls_bytes import (
    BAD,
    FALLBACK,
    HANDSHAKE,
    ILLEGAL,
    MISSING,
    NAME,
    P256,
    P384,
    P521,
    PROTOCOL,
    PSK,
    TLS12_SUITES,
    TLS13_SUITES,
    UNEXPECTED,
    VERSION,
    X25519,
    extensions,
    handshake,
    hello,
    old,
    pieces,
    record,
    share,
    shared,
    vector,
    whole,
    with_fields,
    words,
)


def good():
    tls12 = extensions(VERSIONS=None, SHARES=None, MODES=None)
    yield "a usual hello", whole(), {"hello"}
    yield "TLS 1.2", whole(tls12, suites=TLS12_SUITES), {"hello"}
    for group, name in ((X25519, "X25519"), (P256, "P-256"), (P384, "P-384")):
        yield f"a key share on {name}", with_fields(SHARES=vector(2, share(group))), {"hello"}
        only = with_fields(GROUPS=vector(2, words([group])), SHARES=vector(2, b""))
        yield f"no key share, but {name} (4.1.4)", only, {"retry"}
    for suite in TLS13_SUITES:
        yield f"only the suite {suite:04x}", whole(suites=[suite]), {"hello"}
    for suite in TLS12_SUITES:
        yield f"only the suite {suite:04x}, TLS 1.2", whole(tls12, suites=[suite]), {"hello"}
    yield (
        "unknown suites, groups, versions and extensions (GREASE, RFC 8701)",
        whole(
            [
                (0x0A0A, b""),
                *extensions(
                    GROUPS=vector(2, words([0x1A1A, X25519])),
                    VERSIONS=vector(1, words([0x2A2A, 0x0304])),
                    SHARES=vector(2, share(0x1A1A, b"\0") + share(X25519)),
                ),
                (0x3A3A, b"\0"),
            ],
            suites=[0x4A4A, *TLS13_SUITES],
        ),
        {"hello"},
    )
    yield "a later version beside ours", with_fields(VERSIONS=vector(1, words([0x0305, 0x0304]))), {"hello"}
    yield "only ALPN http/1.1", with_fields(ALPN=vector(2, vector(1, b"http/1.1"))), {"hello"}
    yield "a record for each byte", pieces(handshake(hello()), 1), {"hello"}
    yield "a hello of two records", pieces(handshake(hello([*extensions(), (21, bytes(12_000))])), 9_000), {"hello"}
    yield "another name", with_fields(SNI=vector(2, b"\0" + vector(2, b"example.org"))), {"hello", NAME}
    yield "no name", with_fields(SNI=None), {"hello"}
    yield "a compatibility CCS before the second hello only (D.4)", whole() + record(b"\1", kind=20), {"hello"}


def versions():
    for version, name in ((0x0300, "SSL 3"), (0x0301, "TLS 1.0"), (0x0302, "TLS 1.1")):
        yield f"nothing after {name}", old(version), {VERSION, HANDSHAKE}
    yield "only a later version", with_fields(VERSIONS=vector(1, words([0x0305]))), {VERSION}
    yield "only TLS 1.1 in the list", with_fields(VERSIONS=vector(1, words([0x0302]))), {VERSION}
    yield (
        "an SSL 2 hello",
        bytes.fromhex("8028010002000f000000100100800200800600400400800700c0") + os.urandom(16),
        {VERSION, HANDSHAKE, UNEXPECTED, "closed"},
    )
    tls12 = extensions(VERSIONS=None, SHARES=None, MODES=None)
    yield "a fallback to TLS 1.2 (RFC 7507)", whole(tls12, suites=[*TLS12_SUITES, 0x5600]), {FALLBACK}
    yield "an empty list of versions", with_fields(VERSIONS=vector(1, b"")), BAD | {VERSION}
    yield "half a version", with_fields(VERSIONS=vector(1, b"\3\4\3")), BAD | {VERSION}


def unsuitable():
    tls12 = extensions(VERSIONS=None, SHARES=None, MODES=None)
    yield "CBC suites only", whole(tls12, suites=[0xC009, 0xC00A, 0xC023]), {HANDSHAKE}
    yield "suites for RSA only", whole(tls12, suites=[0xC02F, 0xC030, 0x009C]), {HANDSHAKE}
    yield "suites without encryption", whole(tls12, suites=[0x0000, 0x0001, 0xC006]), {HANDSHAKE}
    yield "anonymous suites", whole(tls12, suites=[0xC018, 0x0034]), {HANDSHAKE}
    yield "export suites", whole(tls12, suites=[0x0003, 0x0008]), {HANDSHAKE}
    yield (
        "only P-521",
        with_fields(GROUPS=vector(2, words([P521])), SHARES=vector(2, share(P521))),
        {HANDSHAKE, ILLEGAL},
    )
    yield "no signature that fits", with_fields(SIGNATURES=vector(2, words([0x0804]))), {HANDSHAKE}
    yield "only signatures with SHA-1", with_fields(SIGNATURES=vector(2, words([0x0203]))), {HANDSHAKE}
    yield "no signatures (9.2)", with_fields(SIGNATURES=None), {MISSING}
    yield "no groups (9.2)", with_fields(GROUPS=None), {MISSING, HANDSHAKE}
    yield "no key shares (9.2)", with_fields(SHARES=None), {MISSING, HANDSHAKE}
    yield "an unknown protocol (RFC 7301)", with_fields(ALPN=vector(2, vector(1, b"ftp"))), {PROTOCOL}


def malformed():
    yield "no suites", whole(suites=[]), BAD
    yield "half a suite", whole(suites=b"\x13\x01\x13"), BAD
    yield "a session id of 33 bytes", whole(session=bytes(33)), BAD
    yield "no compression method", whole(compression=b""), BAD
    yield "only an unknown compression method", whole(compression=b"\1"), BAD
    yield "a second compression method (4.1.2)", whole(compression=b"\0\1"), BAD
    yield "bytes after the extensions", whole(after=b"\0"), BAD
    yield "an extension twice (4.2)", whole([*extensions(), extensions()[1]]), BAD
    yield "a pre-shared key that is not last (4.2.11)", whole([(PSK, psk()), *extensions()]), BAD
    yield "a pre-shared key without modes (4.2.9)", with_fields(MODES=None, PSK=psk()), BAD
    yield "a pre-shared key without binders", with_fields(PSK=psk()[:-35] + vector(2, b"")), BAD
    for name in ("SNI", "GROUPS", "SIGNATURES", "VERSIONS", "MODES", "SHARES", "ALPN"):
        yield f"{name.lower()} empty", with_fields(**{name: b""}), BAD | {VERSION}
        yield f"{name.lower()} longer than itself", with_fields(**{name: b"\xff\xff\0"}), BAD | {VERSION}
    yield "a name of no bytes", with_fields(SNI=vector(2, b"\0" + vector(2, b""))), BAD | {NAME}
    yield "a name with a zero byte", with_fields(SNI=vector(2, b"\0" + vector(2, b"a\0b"))), BAD | {NAME}
    yield "a name of 300 bytes", with_fields(SNI=vector(2, b"\0" + vector(2, b"a" * 300))), BAD | {NAME}
    yield "an empty protocol", with_fields(ALPN=vector(2, vector(1, b""))), BAD | {PROTOCOL}
    body = hello()
    for length in (0, 1, 33, 34, 60, len(body) - 1):
        yield f"a hello that ends after {length} bytes", record(handshake(body[:length])), BAD
    yield "a hello that is longer than it says", record(handshake(body, length=len(body) - 1)), BAD


def psk():
    """An identity and a binder that nobody gave out."""
    return vector(2, vector(2, bytes(64)) + bytes(4)) + vector(2, vector(1, bytes(32)))


def key_shares():
    yield "X25519: zeros (7.4.2)", shared(X25519, bytes(32)), BAD
    yield "X25519: 31 bytes", shared(X25519, bytes(31)), BAD
    yield "X25519: 33 bytes", shared(X25519, bytes(33)), BAD
    yield "X25519: nothing", shared(X25519, b""), BAD
    yield "P-256: no point of the curve (4.2.8.2)", shared(P256, b"\4" + bytes([1]) * 64), BAD
    yield "P-256: zeros", shared(P256, b"\4" + bytes(64)), BAD
    yield "P-256: infinity", shared(P256, b"\0"), BAD
    yield "P-256: compressed", shared(P256, b"\2" + bytes([1]) * 32), BAD
    yield "P-256: hybrid", shared(P256, b"\6" + bytes([1]) * 64), BAD
    yield "P-256: a point of P-384", shared(P256, share(P384)[4:]), BAD
    yield (
        "a share of a group that is not offered (4.2.8)",
        with_fields(GROUPS=vector(2, words([P256])), SHARES=vector(2, share(X25519))),
        BAD | {"retry"},
    )
    twice = vector(2, share(X25519) + share(X25519))
    yield "two shares of one group (4.2.8)", with_fields(SHARES=twice), BAD | {"hello"}


def out_of_place():
    yield "a request in clear", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "any"
    yield "random bytes", b"\xfa" + os.urandom(400), "any"
    yield "a record of an unknown kind", record(b"abc", kind=99), "any"
    yield "a heartbeat that asks for more than it has", record(b"\1\x40\0", kind=24), "any"
    yield "an application's data first", record(b"GET / HTTP/1.1\r\n\r\n", kind=23), "any"
    yield "a ChangeCipherSpec first (5)", record(b"\1", kind=20) + whole(), "any"
    yield "a ChangeCipherSpec of two bytes", whole() + record(b"\1\1", kind=20), "any"
    yield "a Finished first", record(handshake(bytes(32), kind=20)), "any"
    yield "a ServerHello", record(handshake(hello(), kind=2)), "any"
    yield "an unknown message", record(handshake(b"abc", kind=99)), "any"
    yield "an empty handshake record (5.1)", record(b"") + whole(), "any"
    yield "a message of 16 MB", record(handshake(bytes(1_000), length=0xFFFFFF)) + pieces(bytes(150_000), 16_000), "any"
    yield "a record of 16,641 bytes (5.2)", record(bytes(16_641)), "any"
    yield "a record of 65,535 bytes", record(bytes(65_535)), "any"
    yield "an alert first", record(b"\2\x28", kind=21), "any"
    yield "an alert of one byte", record(b"\2", kind=21), "any"
    yield "two hellos", whole() + whole(), "any after hello"
    yield "a hello and an unencrypted Finished", whole() + record(handshake(bytes(32), kind=20)), "any after hello"
    yield "a hello and data in clear", whole() + record(bytes(50), kind=23), "any after hello"


def all_hellos():
    for part in (good, versions, unsuitable, malformed, key_shares, out_of_place):
        yield from part()
