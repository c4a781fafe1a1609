"""Too much of everything: the server answers with the right status and reads no more than needed."""

import struct

import wire
from report import MEGABYTE, Attack
from target import Target
from wire import Client

POST = b"POST /a HTTP/1.1\r\nHost: a\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"
# The status, the data sent first, and the data sent without end. Some have two possible statuses.
HTTP1 = {
    "request line": (414, b"GET /", b"x" * 4_096),
    "method": (501, b"", b"X" * 4_096),
    "one header": (431, wire.GET[:-2] + b"X: ", b"x" * 4_096),
    "name of a header": (431, wire.GET[:-2], b"x" * 4_096),
    "many headers": (431, wire.GET[:-2], b"X: y\r\n" * 500),
    "empty lines": (400, b"", b"\r\n" * 2_000),
    "Content-Length": (413, POST + b"Content-Length: 1000000000\r\n\r\n", b"x" * 4_096),
    "huge Content-Length": (413, POST + b"Content-Length: " + b"9" * 40 + b"\r\n\r\n", b"x" * 4_096),
    "chunks": (413, CHUNKED, b"400\r\n" + b"x" * 1_024 + b"\r\n"),
    "small chunks": (413, CHUNKED, b"1\r\nx\r\n" * 500),
    "chunk size": (413, CHUNKED + b"fffffff\r\n", b"x" * 4_096),
    "huge chunk size": (400, CHUNKED + b"f" * 30 + b"\r\n", b"x" * 4_096),
    "one chunk extension": (400, CHUNKED + b"1;", b"x" * 4_096),
    "chunk extensions": (400, CHUNKED, b"1;a=b\r\nx\r\n" * 300),
    "trailers": (431, CHUNKED + b"0\r\n", b"X-Trailer: y\r\n" * 300),
    "one trailer": (431, CHUNKED + b"0\r\nX: ", b"x" * 4_096),
}
# Data that fits into the buffers of both sockets is sent whether the server reads it or not.
SENT_BOUND = 8 * MEGABYTE


def run(report, is_long):
    with Target() as target:
        http1(report, target, 20 if is_long else 3)
        http2(report, target, 20 if is_long else 3)


def http1(report, target, count):
    with Attack(report, target, "oversize", f"HTTP/1.1: {count} of each, half through TLS") as attack:
        for name, (expected, begin, more) in HTTP1.items():
            statuses, most = set(), 0
            for index in range(count):
                client = Client(target.port, "http/1.1") if index % 2 else Client(target.plain_port)
                sent = len(begin)
                goes_on = client.send(begin)
                while goes_on and sent < 2 * SENT_BOUND:
                    goes_on = client.send(more)
                    sent += len(more)
                most = max(most, sent)
                statuses.add(answered(target, begin, more, index))
                client.close()
            attack.bound(
                f"{name}: {expected}, ended before {SENT_BOUND // MEGABYTE} MB",
                f"{', '.join(map(str, statuses))}, {most / MEGABYTE:.1f} MB",
                statuses == {expected} and most < SENT_BOUND,
            )


def answered(target, begin, more, index):
    """The answer that a harmless sender sees who sends only a little too much."""
    client = Client(target.port, "http/1.1") if index % 2 else Client(target.plain_port)
    client.send(begin + more * (1 + 40_000 // len(more)))
    answer = client.read_all()
    client.close()
    return int(answer.split()[1]) if answer else 0


def http2(report, target, count):
    # The name of a case, and the words that its answer must contain.
    cases = {
        "header list: 431": header_list,
        "indexed fields: 431": indexed_fields,
        "body: 413": body,
        "announced body: 413": announced_body,
        "block of fields: calm": block_of_fields,
        "CONTINUATIONs: calm": continuations,
        "empty CONTINUATIONs: calm": empty_continuations,
        "frame: FRAME_SIZE_ERROR": large_frame,
        "101 streams: PROTOCOL_ERROR": streams,
        "101 streams at once: one refused": early_streams,
        "window: FLOW_CONTROL_ERROR": window,
        "window of 0: PROTOCOL_ERROR": no_window,
        "first window: FLOW_CONTROL_ERROR": initial_window,
    }
    with Attack(report, target, "oversize", f"HTTP/2: {count} of each") as attack:
        for name, case in cases.items():
            seen = set()
            for _ in range(count):
                client = Client(target.port, "h2", timeout=5)
                client.open(acknowledges=case is not early_streams)
                seen.add(case(client))
                client.close()
            expected = case.expected
            attack.bound(f"{name}", ", ".join(map(str, seen)), seen == {expected})


def expects(value):
    def mark(case):
        case.expected = value
        return case

    return mark


def first_status(client):
    for kind, _, _, payload in client.frames():
        if kind == wire.HEADERS:
            return wire.status(payload)
        if kind == wire.GOAWAY:
            return f"GOAWAY {int.from_bytes(payload[4:8])}"
    return None


def in_frames(block, flags=wire.END_STREAM):
    pieces = [block[i : i + 16_384] for i in range(0, len(block), 16_384)]
    data = wire.frame(wire.HEADERS, flags | (wire.END_HEADERS if len(pieces) == 1 else 0), 1, pieces[0])
    for index, piece in enumerate(pieces[1:], 2):
        end = wire.END_HEADERS if index == len(pieces) else 0
        data += wire.frame(wire.CONTINUATION, end, 1, piece)
    return data


@expects(431)
def header_list(client):
    client.send(in_frames(wire.head(fields=wire.literal(b"x", b"y" * 20_000))))
    return first_status(client)


@expects(431)
def indexed_fields(client):
    """One field of 4,000 bytes that single bytes then repeat: 40 MB in 14 KB."""
    entry = b"\x40" + wire.literal(b"x", b"y" * 3_900)[1:]
    client.send(in_frames(wire.head(fields=entry + b"\xbe" * 10_000)))
    return first_status(client)


@expects(413)
def body(client):
    client.send(
        wire.frame(wire.HEADERS, wire.END_HEADERS, 1, wire.head(method=b"POST"))
        + wire.frame(wire.DATA, 0, 1, b"x" * 6_000)
    )
    return first_status(client)


@expects(413)
def announced_body(client):
    fields = wire.literal(b"content-length", b"100000000")
    client.send(wire.frame(wire.HEADERS, wire.END_HEADERS, 1, wire.head(method=b"POST", fields=fields)))
    return first_status(client)


@expects(wire.ENHANCE_YOUR_CALM)
def block_of_fields(client):
    client.send(in_frames(wire.head(fields=wire.literal(b"x", b"y" * 15_000) * 5)))
    return client.ending()


@expects(wire.ENHANCE_YOUR_CALM)
def continuations(client):
    client.send(wire.frame(wire.HEADERS, wire.END_STREAM, 1, wire.head()))
    piece = wire.frame(wire.CONTINUATION, 0, 1, wire.literal(b"x", b"y" * 100))
    for _ in range(10_000):
        if not client.send(piece):
            break
    return client.ending()


@expects(wire.ENHANCE_YOUR_CALM)
def empty_continuations(client):
    client.send(wire.frame(wire.HEADERS, wire.END_STREAM, 1, wire.head()) + wire.frame(wire.CONTINUATION, 0, 1) * 1_000)
    return client.ending()


@expects(wire.FRAME_SIZE_ERROR)
def large_frame(client):
    client.send(
        wire.frame(wire.HEADERS, wire.END_HEADERS, 1, wire.head(method=b"POST"))
        + wire.frame(wire.DATA, 0, 1, b"x" * 16_385)
    )
    return client.ending()


def many_streams():
    return b"".join(wire.request(2 * index + 1, b"/later/200") for index in range(101))


@expects(wire.PROTOCOL_ERROR)
def streams(client):
    client.send(many_streams())
    return client.ending()


@expects("1 refused, 100 answered")
def early_streams(client):
    """Streams opened before the client has acknowledged the limit."""
    client.send(many_streams())
    refused = answered = 0
    for kind, _, _, payload in client.frames():
        refused += kind == wire.RESET and int.from_bytes(payload) == wire.REFUSED_STREAM
        answered += kind == wire.HEADERS
        if refused + answered == 101:
            break
    return f"{refused} refused, {answered} answered"


@expects(wire.FLOW_CONTROL_ERROR)
def window(client):
    client.send(wire.frame(wire.WINDOW_UPDATE, 0, 0, struct.pack(">I", 0x7FFFFFFF)))
    return client.ending()


@expects(wire.PROTOCOL_ERROR)
def no_window(client):
    client.send(wire.frame(wire.WINDOW_UPDATE, 0, 0, struct.pack(">I", 0)))
    return client.ending()


@expects(wire.FLOW_CONTROL_ERROR)
def initial_window(client):
    client.send(wire.frame(wire.SETTINGS, 0, 0, struct.pack(">HI", 4, 0x80000000)))
    return client.ending()
