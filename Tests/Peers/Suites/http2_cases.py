"""The test cases of h2 and hpack, two libraries for HTTP/2, repeated with our server.

Their tests feed bytes to the library and say whether these are accepted. The same bytes go to our server. It has
to refuse what the library refuses, by an error of the connection or the stream, by a status or by the end of the
connection, and to accept the rest.
"""

import concurrent.futures
import contextlib
import socket
import ssl
import time

import hpack
from outcome import Outcome, Served
from recording import recorded

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY = 1, 3, 4, 6, 7
COMPRESSION_ERROR = 9
# A malformed request, and a head that is too long (RFC 9113 section 8.1.1 lets a server answer).
# An answer may come later than that to a ping, by so many seconds.
AFTERWARDS = 0.15
REFUSALS = ("400", "413", "431")
# More is a test of how long the library itself takes.
MOST_BYTES = 1 << 20
# Tests of the library's own output with many values, which take most of the time.
SLOW = "acceptable_outputs or changing_max_frame_size or bound or range_of or TestFlowControl or TestInteracting"
# Where both may differ, by the name of the test.
GOODBYE = "after a GOAWAY we have nothing left to do, and close; one that names a stream of ours is an error"
NO_CONNECT = "WebSockets over HTTP/2 (RFC 8441) are not offered"
CLOSED_STREAM = (
    "a frame on an ended stream is an error of the connection for us; both are allowed (RFC 9113 section 5.1)"
)
EXPLAINED = {
    "TestBasicServer::test_receiving_goaway_frame": GOODBYE,
    "TestBasicServer::test_receiving_multiple_goaway_frames": GOODBYE,
    "TestBasicServer::test_receiving_goaway_frame_with_additional_data": GOODBYE,
    "TestBasicServer::test_receiving_goaway_frame_with_unknown_error": GOODBYE,
    "TestContinuationFrames::test_continuation_frame_multiple_blocks": "so many of these frames are a flood",
    "test_roundtrip_extended_connect_websocket_ok": NO_CONNECT,
    "TestRFC8441::test_can_send_headers": NO_CONNECT,
    "test_large_header_block_continuation_ok": "a head has at most 16 KiB here, and gets 431",
    "TestInvalidContentLengths::test_duplicate_matching_content_lengths": "RFC 9110 section 8.6 allows both",
    "TestInvalidContentLengths::test_too_much_data": "we refuse at the end of the stream, which the case does not send",
    "TestInvalidFrameSequences::test_reject_data_on_closed_streams": CLOSED_STREAM,
    "TestInvalidFrameSequences::test_one_one_stream_reset": CLOSED_STREAM,
    "TestPriority::test_streams_may_not_depend_on_themselves": "priorities are ignored (RFC 9113 section 5.3.2)",
    "TestHPACKDecoder::test_utf8_errors_raise_hpack_decoding_error": "the library reads texts; for us these are bytes",
}


def frame(kind, flags, stream, payload=b""):
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


class Connection:
    """One connection, on which everything is sent at once."""

    def __init__(self, served):
        context = ssl.create_default_context(cafile=served.chain)
        context.set_alpn_protocols(["h2"])
        plain = socket.create_connection(("127.0.0.1", served.port), timeout=3)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket = context.wrap_socket(plain, server_hostname="localhost")

    def verdict(self, data):
        """What the server says: nothing, the error of a stream or of the connection, or that it ended."""
        with contextlib.suppress(OSError):
            self.socket.sendall(data + frame(PING, 0, 0, b"the last"))
        seen, buffer, deadline, decoder = [], b"", time.monotonic() + 3, hpack.Decoder()
        is_answered = False
        while time.monotonic() < deadline:
            try:
                piece = self.socket.recv(1 << 16)
            except TimeoutError:
                break
            except OSError:
                piece = b""
            if not piece:
                return seen or ["closed"]
            buffer += piece
            while len(buffer) >= 9 and len(buffer) >= 9 + int.from_bytes(buffer[:3], "big"):
                length, kind, flags = int.from_bytes(buffer[:3], "big"), buffer[3], buffer[4]
                payload, buffer = buffer[9 : 9 + length], buffer[9 + length :]
                if kind == GOAWAY and (code := int.from_bytes(payload[4:8], "big")):
                    return [*seen, f"GOAWAY {code}"]
                if kind == RST_STREAM and (code := int.from_bytes(payload[:4], "big")):
                    seen.append(f"RST_STREAM {code}")
                if kind == HEADERS and (status := dict(decoder.decode(payload))[":status"]) in REFUSALS:
                    seen.append(f"status {status}")
                if kind == PING and flags & 1 and payload == b"the last":
                    is_answered = True
                    self.socket.settimeout(AFTERWARDS)
        return seen if is_answered else [*seen, "silence"]


def conversation(kind, steps):
    """The bytes for a server: with the frames that it needs around them."""
    if kind == "hpack":
        blocks = [frame(HEADERS, 5, 2 * index + 1, bytes.fromhex(data)) for index, (data, _) in enumerate(steps)]
        return PREFACE + frame(SETTINGS, 0, 0) + b"".join(blocks)
    data = b"".join(bytes.fromhex(part) for part, _ in steps)
    if data.startswith(PREFACE):
        return PREFACE + frame(SETTINGS, 0, 0) + data[len(PREFACE) :]
    return data


def judge(outcome, kind, test, steps, seen):
    wanted = next((word for _, word in steps if word != "accepted"), "accepted")
    if kind == "hpack":
        # What is decoded is no request. Whether it is decoded is what counts.
        seen = [word for word in seen if word in (f"GOAWAY {COMPRESSION_ERROR}", "silence", "closed")]
    holds = bool(seen) == (wanted != "accepted") and "silence" not in seen
    outcome.judge(
        f"{test}", holds, f"{wanted} by the library, {seen or 'accepted'} by us", EXPLAINED.get(test.split("[")[0])
    )


def repeat(outcome, served, lines):
    conversations = {}
    for kind, test, is_plain, steps in lines:
        data = conversation(kind, steps)
        if is_plain and len(data) <= MOST_BYTES:
            conversations.setdefault(data, (kind, test, steps))

    def verdict(data):
        connection = Connection(served)
        with contextlib.closing(connection.socket):
            return connection.verdict(data)

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for case, seen in zip(conversations.values(), pool.map(verdict, conversations)):
            judge(outcome, *case, seen)


def run_library(programs, name, is_long):
    started = time.monotonic()
    options = ["--hypothesis-seed=1"] if is_long else ["--hypothesis-seed=1", "-k", f"not ({SLOW})"]
    version, lines = recorded(name, "http2_recorder", options, {"EXAMPLES": "100" if is_long else "25"})
    outcome = Outcome(name, version, "`bellwire serve`, through TLS")
    with Served(programs.bellwire) as served:
        repeat(outcome, served, lines)
        outcome.judge("the server stays up", served.is_alive() and served.ask_health() < 3, "it has ended")
    outcome.seconds = time.monotonic() - started
    return outcome


def run_h2(programs, is_long):
    return run_library(programs, "h2", is_long)


def run_hpack(programs, is_long):
    return run_library(programs, "hpack", is_long)
