#!/usr/bin/env python3
"""Compares our HTTP/1.1 parser with h11 and httptools on generated and mutated requests.

    python3 -m venv .venv && .venv/bin/pip install -r Tests/Peers/Differential/requirements.txt
    swift build --product ParserProbe
    .venv/bin/python Tests/Peers/Differential/http1.py [--count N] [--seed N] [--show CLASS]

Every disagreement must belong to a class of EXPLAINED, or the run fails. docs/http-parsers.md
says in words what stands here as code.
"""

import argparse
import collections
import json
import pathlib
import random
import re
import subprocess
import sys

import h11
import httptools

ROOT = pathlib.Path(__file__).resolve().parents[3]
Request = collections.namedtuple("Request", "method target version fields body keep_alive")
# tail: "waiting", "preface", or why reading ended.
Outcome = collections.namedtuple("Outcome", "requests tail")


# --- the three parsers -------------------------------------------------------------------------


def ours(inputs, probe):
    stream = b"".join(len(i).to_bytes(4, "big") + i for i in inputs)
    result = subprocess.run([probe], input=stream, stdout=subprocess.PIPE, check=True)
    outcomes = []
    for line in result.stdout.splitlines():
        report = json.loads(line)
        requests = []
        for entry, ended in zip(report["requests"], report["ended"]):
            if not ended:
                break
            fields = [(bytes.fromhex(n).lower(), bytes.fromhex(v)) for n, v in entry["fields"]]
            requests.append(
                Request(
                    entry["method"].encode(),
                    entry["target"].encode(),
                    entry["version"],
                    fields,
                    bytes.fromhex(entry["body"]),
                    entry["keep_alive"],
                )
            )
            if not entry["keep_alive"]:
                break
        outcomes.append(Outcome(requests, report["tail"]))
    return outcomes


def read_h11(data):
    connection = h11.Connection(h11.SERVER)
    requests, head, body = [], None, b""
    try:
        connection.receive_data(data)
        while True:
            event = connection.next_event()
            if event is h11.NEED_DATA:
                return Outcome(requests, "waiting")
            if event is h11.PAUSED or isinstance(event, h11.ConnectionClosed):
                return Outcome(requests, "closed")
            if isinstance(event, h11.Request):
                head, body = event, b""
            elif isinstance(event, h11.Data):
                body += event.data
            elif isinstance(event, h11.EndOfMessage):
                connection.send(h11.Response(status_code=404, headers=[("content-length", "0")]))
                connection.send(h11.EndOfMessage())
                keeps = connection.our_state is h11.DONE
                requests.append(
                    Request(head.method, head.target, head.http_version.decode(), list(head.headers), body, keeps)
                )
                if not keeps:
                    return Outcome(requests, "closed")
                connection.start_next_cycle()
    except h11.RemoteProtocolError as error:
        return Outcome(requests, f"refused: {error}")


class Httptools:
    def __init__(self):
        self.requests, self.in_head = [], False
        self.parser = httptools.HttpRequestParser(self)

    def on_message_begin(self):
        self.target, self.fields, self.body, self.in_head = b"", [], b"", True

    def on_url(self, url):
        self.target += url

    def on_header(self, name, value):
        if self.in_head:
            self.fields.append((name.lower(), value.rstrip(b" \t")))

    def on_headers_complete(self):
        self.in_head = False
        self.keeps = self.parser.should_keep_alive()

    def on_body(self, piece):
        self.body += piece

    def on_message_complete(self):
        self.requests.append(
            Request(
                self.parser.get_method(),
                self.target,
                self.parser.get_http_version(),
                self.fields,
                self.body,
                self.keeps,
            )
        )

    def read(self, data):
        try:
            self.parser.feed_data(data)
            tail = "waiting"
        except httptools.HttpParserUpgrade:
            tail = "upgrade"
        except httptools.HttpParserError as error:
            tail = f"refused: {error}"
        closing = next((i for i, r in enumerate(self.requests) if not r.keep_alive), None)
        if closing is not None:
            return Outcome(self.requests[: closing + 1], "closed")
        return Outcome(self.requests, tail)


# --- requests to read --------------------------------------------------------------------------

METHODS = [b"GET", b"POST", b"PUT", b"DELETE", b"OPTIONS", b"HEAD", b"PATCH"]
TARGETS = [
    b"/",
    b"/wpush/v1/abc?d=e",
    b"/a//b;c=%20",
    b"http://a.example/x?y",
    b"/" + b"a" * 60,
    b"http://[::1]:80",
    b"/a?b?c",
    b"/~!$&'()*+,;=:@",
]
NAMES = [b"TTL", b"Topic", b"Urgency", b"Authorization", b"Content-Encoding", b"X-!#$%&'*+-.^_`|~"]
VALUES = [b"60", b"", b"vapid t=a.b.c, k=d", b"a\tb", b"aes128gcm", b"\xc3\xa9\xff", b'"q\\""', b"x" * 70]
SPECIAL = [
    b"Content-Length: 5",
    b"Content-Length: +5",
    b"Content-Length: 5, 5",
    b"Content-Length:",
    b"Content-Length: 05",
    b"Content-Length: 99999999999999999999",
    b"Transfer-Encoding: chunked",
    b"Transfer-Encoding: CHUNKED ",
    b"Transfer-Encoding: gzip, chunked",
    b"Transfer-Encoding: chunked, gzip",
    b"Transfer-Encoding: identity",
    b"Transfer-Encoding: x",
    b"Transfer-Encoding:\x0bchunked",
    b"Transfer-Encoding : chunked",
    b"Expect: 100-continue",
    b"Expect: x",
    b"Host: b",
    b"Host: b c",
    b"Connection: close",
    b"Connection: keep-alive",
    b"Connection: Upgrade",
    b"Upgrade: websocket",
    b" folded",
    b"A : b",
    b": b",
    b"A b",
    b"A: b\x00c",
    b"A: b\x0bc",
    b"A: b\nB: c",
    b"A: b\rB: c",
    b"\xc3\xa9: a",
]
LINES = [
    b"GET  / HTTP/1.1",
    b"GET / HTTP/1.2",
    b"GET / HTTP/2.0",
    b"GET / HTTP/0.9",
    b"GET /",
    b"GET * HTTP/1.1",
    b"OPTIONS * HTTP/1.1",
    b"CONNECT a:80 HTTP/1.1",
    b"FOO / HTTP/1.1",
    b"get / HTTP/1.1",
    b"GET a HTTP/1.1",
    b"GET /\xc3\xa9 HTTP/1.1",
    b"GET /#a HTTP/1.1",
    b"GET / http/1.1",
    b"GET\t/ HTTP/1.1",
    b"PRI * HTTP/2.0",
    b"GET ftp://a/ HTTP/1.1",
    b"GET http://u@a/ HTTP/1.1",
    b"G(T / HTTP/1.1",
    b"POST / RTSP/1.0",
    b"M-SEARCH / HTTP/1.1",
    b'GET /{}|\\^"<> HTTP/1.1',
]
SPOILERS = [b"\r\n", *(bytes([byte]) for byte in b'\r\n \t\0:;,\x7f\x80\xff05aZ"/?#+-=\x0b\x1b')]


def chunks(rng, body):
    result = b""
    while body:
        size = rng.randint(1, min(9, len(body)))
        extension = rng.choice([b""] * 25 + [b";a", b";a=b", b' ; a="b;c"', b";", b" ", b";a=", b';"a"'])
        digits = rng.choice([b"%x", b"%X", b"%02x", b"0x%x", b"%x"] if rng.random() < 0.1 else [b"%x"])
        result += digits % size + extension + b"\r\n" + body[:size] + b"\r\n"
        body = body[size:]
    trailer = rng.choice([b""] * 6 + [b"A: b\r\n", b"Content-Length: 3\r\nB:\r\n", b"A b\r\n", b" a\r\n"])
    return result + b"0" * rng.randint(1, 2) + b"\r\n" + trailer + b"\r\n"


def request(rng):
    version = rng.choice([b"1.1"] * 9 + [b"1.0"])
    line = rng.choice(METHODS) + b" " + rng.choice(TARGETS) + b" HTTP/" + version
    if rng.random() < 0.08:
        line = rng.choice(LINES)
    fields = [b"Host: push.example"] if rng.random() < 0.97 else []
    for _ in range(rng.randint(0, 5)):
        blank = rng.choice([b" ", b"", b"\t", b"  "])
        fields.append(rng.choice(NAMES) + b":" + blank + rng.choice(VALUES) + rng.choice([b"", b"", b" "]))
    body = bytes(rng.choices(b"ab\r\n0 :\xff", k=rng.randint(0, 30)))
    kind = rng.random()
    if kind < 0.4:
        fields.append(b"Content-Length: %d" % len(body))
    elif kind < 0.8:
        fields.append(b"Transfer-Encoding: chunked")
        body = chunks(rng, body)
    else:
        body = b""
    if rng.random() < 0.2:
        fields.insert(rng.randint(0, len(fields)), rng.choice(SPECIAL))
    return b"\r\n".join([line] + fields) + b"\r\n\r\n" + body


def mutate(rng, data):
    data = bytearray(data)
    for _ in range(rng.choice([0, 0, 0, 1, 1, 2, 3])):
        place = rng.randrange(len(data))
        spoiler = rng.choice(SPOILERS)
        kind = rng.randrange(4)
        if kind == 0:
            data[place : place + 1] = spoiler
        elif kind == 1:
            data[place:place] = spoiler
        elif kind == 2:
            del data[place]
        else:
            end = min(len(data), place + rng.randint(1, 20))
            data[place:place] = data[place:end]
    return bytes(data)


# --- disagreements -----------------------------------------------------------------------------


def disagreement(mine, other):
    """The first difference between the two readings: None, or (kind, detail)."""
    for index in range(max(len(mine.requests), len(other.requests))):
        if index >= len(mine.requests):
            return "only-theirs", mine.tail
        if index >= len(other.requests):
            return "only-ours", other.tail
        left, right = mine.requests[index], other.requests[index]
        for name in Request._fields:
            if normal(name, getattr(left, name)) != normal(name, getattr(right, name)):
                return "different-" + name, (getattr(left, name), getattr(right, name))
    if mine.requests and not mine.requests[-1].keep_alive:
        return None
    is_mine, is_other = mine.tail == "waiting", other.tail in ("waiting", "closed")
    if is_mine and not is_other:
        return "only-they-refuse", other.tail
    if is_other and not is_mine:
        return "only-we-refuse", mine.tail
    return None


def normal(name, value):
    if name == "fields":  # h11 writes codings in lower case
        return [(n, v.lower() if n == b"transfer-encoding" else v) for n, v in value]
    return value


# Requests that only we refuse, by the reason: which parsers accept them, and what the input must then contain.
WE_REFUSE = {
    "bare-line-feed": ("h11", rb"(?<!\r)\n"),
    "bare-carriage-return": ("h11 httptools", rb"\r(?!\n)"),
    "folded-line": ("h11", rb"\n[ \t]"),
    "space-before-colon": ("h11", rb"\n[^\r\n:]*[ \t]"),
    "bad-field-name": ("h11", rb"\n[^\n:]*[^\w\n!#$%&'*+.^`|~:-]"),
    "bad-field-value": ("h11", rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]"),
    "bad-request-line": ("h11 httptools", rb"(?<!\r)\n|RTSP|\r(?!\n)|[^\w!#$%&'*+.^`|~-]"),
    "too-many-empty-lines": ("h11 httptools", rb"(\r\n){3}"),
    "unsupported-version": ("h11 httptools", rb"HTTP/[^1]"),
    "preface": ("h11 httptools", rb"PRI \* HTTP/2\.0"),
    "tunnel": ("h11 httptools", rb"CONNECT "),
    "bad-target": ("h11 httptools", rb"\w [^/]|#|[\x80-\xff\x7f]|(^|\n)[^ \n]+ [^ \n]*\n"),
    "missing-host": ("h11 httptools", rb""),
    "bad-host": ("h11 httptools", rb"(?i)\nhost:"),
    "repeated-host": ("h11 httptools", rb"(?is)\nhost:.*\nhost:"),
    "bad-content-length": ("h11", rb"(?i)content-length:(.*,|\s*\r)"),
    "repeated-content-length": ("h11", rb"(?is)\ncontent-length:.*\ncontent-length:"),
    "length-and-transfer-encoding": (
        "h11",
        rb"(?is)content-length:.*transfer-encoding:|transfer-encoding:.*content-length:",
    ),
    "transfer-encoding-in-http-1.0": ("h11 httptools", rb"(?is)HTTP/1\.0.*transfer-encoding:"),
    "unsupported-transfer-coding": ("httptools", rb"(?i)transfer-encoding:"),
    "bad-transfer-encoding": ("h11 httptools", rb"(?i)transfer-encoding:"),
    "unsupported-expectation": ("h11 httptools", rb"(?i)\nexpect:"),
    "body-too-large": ("h11 httptools", rb"(?i)content-length: *\d{5}|\n[0-9a-f]{5}"),
    "bad-chunk-size": ("h11", rb"\n[0-9a-fA-F]*[^0-9a-fA-F\r]"),
    "bad-chunk-extension": ("h11 httptools", rb"\n[0-9a-fA-F]+[ \t;]"),
}

# All other differences: name, parser, kind, the other parser's result, and what the input must contain.
EXPLAINED = [
    (
        "llhttp knows only the methods of a list",
        "httptools",
        "only-(ours|they-refuse)",
        "refused: (Invalid method encountered|Expected space after method|Expected SOURCE method.*)",
        rb"",
    ),
    (
        "llhttp takes only the versions 1.0 and 1.1",
        "httptools",
        "only-(ours|they-refuse)",
        "refused: Invalid HTTP version",
        rb"HTTP/1\.[2-9]",
    ),
    ("a later minor version", "h11", "different-version", r"\('1.1', '1.[2-9]'\)", rb"HTTP/1\.[2-9]"),
    (
        "blanks around chunk extensions",
        "h11",
        "only-(ours|they-refuse)",
        "refused: illegal chunk header.*",
        rb"\n[0-9a-fA-F]+[ \t]+;|;[^\r]*[ \t]",
    ),
    (
        "blanks around chunk extensions",
        "httptools",
        "only-(ours|they-refuse)",
        "refused: Invalid character in chunk (size|extensions).*",
        rb"\n[0-9a-fA-F]+[ \t]+;|;[^\r]*[ \t]",
    ),
    (
        "trailers are fields for llhttp",
        "httptools",
        "only-(ours|they-refuse)",
        "refused: Content-Length can't be present.*",
        rb"\n0+[^\r\n]*\r\n.*Content-Length",
    ),
    (
        "llhttp takes no tab behind a coding",
        "httptools",
        "only-(ours|they-refuse)",
        "refused: Request has invalid `Transfer-Encoding`",
        rb"(?i)chunked[ \t]*\t[ \t]*\r",
    ),
    (
        "trailers are fields for h11",
        "h11",
        "only-(ours|they-refuse)",
        "refused: (bad|conflicting) Content-Length.*",
        rb"\n0+[^\r\n]*\r\n.*Content-Length",
    ),
    (
        "h11 keeps no HTTP/1.0 connection",
        "h11",
        "different-keep_alive",
        r"\(True, False\)",
        rb"(?is)HTTP/1\.0.*keep-alive",
    ),
    (
        "h11 takes no empty line before a request",
        "h11",
        "only-(ours|they-refuse)",
        "refused: (no request line received|illegal request line.*)",
        rb"(^|[^\n])\r\n",
    ),
    ("h11 judges a head when it is whole", "h11", "only-we-refuse", ".*", rb""),
    ("an unfinished line is judged at its end", "both", "only-they-refuse", "refused: .*", rb"[^\n]$"),
]


def classify(parser, kind, detail, data):
    if kind in ("only-theirs", "only-we-refuse"):
        takers, evidence = WE_REFUSE.get(detail, ("", rb""))
        if parser in takers.split() and re.search(evidence, data):
            return "we refuse: " + detail
    for name, of, of_kind, pattern, evidence in EXPLAINED:
        if (
            of in (parser, "both")
            and re.fullmatch(of_kind, kind)
            and re.fullmatch(pattern, str(detail), re.S)
            and re.search(evidence, data, re.S)
        ):
            return name
    return None


# --- the run -----------------------------------------------------------------------------------


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--count", type=int, default=20000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--show", help="print a few inputs of this class")
    options.add_argument("--probe", default=str(ROOT / ".build/debug/ParserProbe"))
    arguments = options.parse_args()

    rng = random.Random(arguments.seed)
    inputs = []
    for _ in range(arguments.count):
        data = b"".join(request(rng) for _ in range(rng.choice([1, 1, 2])))
        inputs.append(mutate(rng, data))
    outcomes = ours(inputs, arguments.probe)
    assert len(outcomes) == len(inputs), "the probe ended early"

    counts, unexplained, agreed = collections.Counter(), collections.Counter(), collections.Counter()
    shown = 0
    for data, mine in zip(inputs, outcomes):
        agreed["accepted" if mine.requests else "not accepted"] += 1
        for parser, other in (("h11", read_h11(data)), ("httptools", Httptools().read(data))):
            found = disagreement(mine, other)
            if not found:
                agreed[parser] += 1
                continue
            name = classify(parser, *found, data)
            counts[parser, name] += name is not None
            if name is None:
                key = parser, found[0], str(found[1])[:60]
                unexplained[key] += 1
                if unexplained[key] == 1 and len(unexplained) < 200:
                    print(*key, data, mine, other, sep="\n  ")
            elif name == arguments.show and shown < 5:
                shown += 1
                print(name, parser, found, data, sep="\n  ")

    print(f"seed {arguments.seed}: {len(inputs)} inputs, {agreed['accepted']} with a request we accept")
    for parser in ("h11", "httptools"):
        print(f"{parser}: {agreed[parser]} the same")
    for (parser, name), count in sorted(counts.items(), key=str):
        if name:
            print(f"  {parser:10} {name:40} {count}")
    for key, count in unexplained.most_common():
        print("UNEXPLAINED", count, *key)
    return 1 if unexplained or not agreed["accepted"] else 0


sys.exit(main())
