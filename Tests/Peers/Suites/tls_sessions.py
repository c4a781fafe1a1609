"""What a TLS client does during and after a handshake, and what the server has to say to it."""

from tls_client import (
    ALERT,
    CCS,
    DATA,
    DECODE,
    DECRYPT,
    HANDSHAKE,
    HEARTBEAT,
    ILLEGAL,
    MAC,
    OVERFLOW,
    REQUEST,
    TLS12,
    TLS13,
    UNEXPECTED,
    Client,
)
from tlslite.messages import ClientKeyExchange, Finished


def after(version, *actions, **settings):
    """A handshake, these actions, and a request."""

    def act(client):
        client.handshake(version, **settings)
        for action in actions:
            action(client)
        return client.ask()

    return act


def put(kind, data):
    return lambda client: client.put(kind, data)


def during(version, change):
    def act(client):
        client.change = change
        return client.handshake(version).ask()

    return act


def spoilt(kind, spoil):
    """Changes a message of that type before it goes out."""

    def change(message):
        if isinstance(message, kind):
            spoil(message)
        return [message]

    return change


def without(content):
    return lambda message: [] if message.contentType == content else [message]


def flip(name):
    def spoil(message):
        data = bytearray(getattr(message, name))
        data[-1] ^= 1
        setattr(message, name, data)

    return spoil


def resumed(version, spoil=None):
    """A second connection with the ticket of the first."""

    def act(client):
        first = Client(client.sock.getpeername()[1]).handshake(version)
        first.ask()
        session = first.session
        first.close()
        if spoil:
            spoil(session)
        client.handshake(version, session=session)
        return f"{'resumed' if client.resumed else 'anew'}, {client.ask()}"

    return act


def spoil_ticket(session):
    for ticket in [*(session.tickets or []), *(session.tls_1_0_tickets or [])]:
        ticket.ticket = bytearray(ticket.ticket[:-1]) + bytearray([ticket.ticket[-1] ^ 1])


def spoil_secret(session):
    session.resumptionMasterSecret = bytearray(len(session.resumptionMasterSecret))


def records_of_one_byte(client):
    client.recordSize = 1


def quietly_closed(client):
    client.handshake(TLS13)
    client.put(ALERT, b"\1\0")
    return client.answer()


def request_then_close(client):
    client.handshake(TLS13)
    client.write(REQUEST % b"close")
    client.put(ALERT, b"\1\0")
    return client.answer()


def downgraded(client):
    """The server's random tells a client of TLS 1.3 that somebody made it TLS 1.2 (RFC 8446 section 4.1.3)."""
    client.handshake(TLS12)
    return bytes(client._serverRandom[-8:])


def renegotiated(client):
    client.handshake(TLS12)
    client.put(HANDSHAKE, b"\1\0\0\x2b" + b"\3\3" + bytes(32) + b"\0" + b"\0\2\xc0\x2b" + b"\1\0\0\0")
    # A warning (100) says no, and then a client may go on.
    return client.ask()


REFUSED = {UNEXPECTED, MAC, DECODE, ILLEGAL, DECRYPT, OVERFLOW, 40, "closed"}


def sessions():
    for version, name in ((TLS12, "TLS 1.2"), (TLS13, "TLS 1.3")):
        yield f"{name}: a request", after(version), {"200"}
        yield f"{name}: records of one byte", after(version, records_of_one_byte), {"200"}
        yield f"{name}: ten empty records", after(version, *[put(DATA, b"")] * 10), {"200"}
        for cipher in ("aes128gcm", "aes256gcm", "chacha20-poly1305"):
            yield f"{name}: {cipher}", after(version, cipherNames=[cipher]), {"200"}
        yield f"{name}: a ticket", resumed(version), {"resumed, 200"}
        yield f"{name}: a spoilt ticket", resumed(version, spoil_ticket), {"anew, 200"}
        yield f"{name}: data that nobody encrypted", after(version, lambda c: c.put_raw(b"\x17\3\3\0\5hello")), REFUSED
        yield f"{name}: a record of no bytes", after(version, lambda c: c.put_raw(b"\x17\3\3\0\0")), REFUSED
        yield f"{name}: a spoilt record", after(version, lambda c: c.put_raw(b"\x17\3\3\0\x40" + bytes(64))), REFUSED
        yield f"{name}: an alert in clear", after(version, lambda c: c.put_raw(b"\x15\3\3\0\2\2\x28")), REFUSED
        yield f"{name}: a record of 65,535 bytes", after(version, lambda c: c.put_raw(b"\x17\3\3\xff\xff")), REFUSED
        yield f"{name}: an unknown kind of record", after(version, put(99, b"abc")), REFUSED
        yield f"{name}: a heartbeat", after(version, put(HEARTBEAT, b"\1\x40\0")), REFUSED
        yield f"{name}: a second Finished", after(version, put(HANDSHAKE, b"\x14\0\0\x0c" + bytes(12))), REFUSED
        yield f"{name}: an unknown message", after(version, put(HANDSHAKE, b"\x63\0\0\1a")), REFUSED
        yield f"{name}: a message of 16 MB", after(version, put(HANDSHAKE, b"\1\xff\xff\xff" + bytes(100))), REFUSED
        yield f"{name}: a fatal alert", after(version, put(ALERT, b"\2\x28")), {"closed"}
        yield f"{name}: an alert of one byte", after(version, put(ALERT, b"\2")), REFUSED
        yield f"{name}: a thousand warnings", after(version, *[put(ALERT, b"\1\x5a")] * 1_000), REFUSED
        yield f"{name}: a spoilt Finished", during(version, spoilt(Finished, flip("verify_data"))), REFUSED
    yield "TLS 1.2: a client of TLS 1.3 is told", downgraded, {b"DOWNGRD\1"}
    yield "TLS 1.2: renegotiation", renegotiated, {"200", 100, *REFUSED}
    yield "TLS 1.2: no ChangeCipherSpec", during(TLS12, without(CCS)), REFUSED
    yield "TLS 1.2: a key that is no point", during(TLS12, spoilt(ClientKeyExchange, flip("ecdh_Yc"))), REFUSED
    yield from sessions13()


def sessions13():
    update = b"\x18\0\0\1"
    yield "TLS 1.3: new keys", after(TLS13, lambda c: list(c.send_keyupdate_request(0))), {"200"}
    yield "TLS 1.3: new keys for both", after(TLS13, lambda c: list(c.send_keyupdate_request(1))), {"200"}
    yield "TLS 1.3: new keys of an unknown kind", after(TLS13, put(HANDSHAKE, update + b"\2")), REFUSED
    yield "TLS 1.3: new keys in two bytes", after(TLS13, put(HANDSHAKE, b"\x18\0\0\2\0\0")), REFUSED
    half = [put(HANDSHAKE, update[:2]), put(DATA, b"GET"), put(HANDSHAKE, update[2:] + b"\0")]
    yield "TLS 1.3: data inside of a message (5.1)", after(TLS13, *half), REFUSED
    yield "TLS 1.3: a late hello (4.1.2)", after(TLS13, put(HANDSHAKE, b"\1\0\0\x26" + bytes(38))), REFUSED
    yield "TLS 1.3: a late ChangeCipherSpec (5)", after(TLS13, put(CCS, b"\1")), REFUSED
    yield "TLS 1.3: an empty handshake record", after(TLS13, put(HANDSHAKE, b"")), REFUSED
    yield "TLS 1.3: a ticket with another secret", resumed(TLS13, spoil_secret), REFUSED
    yield "TLS 1.3: a goodbye", quietly_closed, {"closed"}
    yield "TLS 1.3: a request and a goodbye", request_then_close, {"200"}
    yield "TLS 1.3: no key share at first (4.1.4)", after(TLS13, keyShares=[]), {"200"}
