"""Counts the instructions of the main paths of `bellwire serve`, and compares them with the last figures.

usage: tools/bench quick [--keep] [--json FILE] [--pictures FOLDER]

A count hardly depends on what else the machine does: it contains what the server does each second, and a slow run has
more seconds. It depends on the libraries: --keep writes new figures.
"""

import argparse
import http.client
import json
import pathlib
import re
import socket
import ssl
import subprocess
import sys
import tempfile
import uuid

sys.path.insert(0, __file__.rsplit("/", 2)[0])
sys.path.append(f"{__file__.rsplit('/', 4)[0]}/Tests")

import callgrind
import figures
import flames
from kit.webserver import Handler, Listening
from kit.websocket import BlockingWebSocket, http_answer
from servers import Bellwire
from terms import Place


class Taking(Handler):
    def do_POST(self):
        self.server.bodies.append(self.body())
        self.answer(201, Location="/m/taken")


def encrypted(bellwire, keys, texts):
    """A body for each of the texts, by aes128gcm."""
    server = Listening(Taking)
    server.bodies = []
    words = ["--endpoint", f"{server.url}taken", "--p256dh", keys["p256dh"], "--auth", keys["auth"]]
    for text in texts:
        subprocess.run([bellwire, "send", *words, text], check=True, capture_output=True)
    server.shutdown()
    return server.bodies


KEPT = pathlib.Path(__file__).with_name("instructions.json")
ALLOWED = 1.05
COUNT, WARM = 200, 50
# How often the others are done.
COUNTS = {"forgotten_2": 800, "held": 40}
PLAIN, SECURE = 18557, 18558
# Whoever the server is.
TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
TLS.check_hostname, TLS.verify_mode = False, ssl.CERT_NONE
# Who calls the blocks of SHA-256, whose function is not exported. A real processor may have instructions for it.
HASH = "SHA256_"
MESSAGE = (
    '{"data":{"loc_key":"MESSAGE_TEXT","loc_args":["Ada","Shall we meet at seven?"],'
    '"custom":{"from_id":"777","msg_id":"%d"}},"date":1795281909,"user_id":"7"}'
)


class Counted(Bellwire):
    """The program in a simulated processor. It is stripped, because valgrind cannot read all of Swift's debugging
    information."""

    def __init__(self, place, options):
        self.output = place.folder / "counts"
        listen = (
            *("--listen", f"http://127.0.0.1:{PLAIN}", "--listen", f"127.0.0.1:{SECURE}"),
            *("--tls-certificate", place.certificate, "--tls-key", place.key),
        )
        prefix = ("valgrind", "--tool=callgrind", *options, f"--callgrind-out-file={self.output}")
        super().__init__(place, 1, options=listen, prefix=prefix)
        self.dumps, self.text = 0, ""

    def control(self, word):
        subprocess.run(["callgrind_control", word, str(self.pid)], check=True, capture_output=True, timeout=60)

    def count(self, run):
        """The instructions while it runs."""
        self.control("-z")
        run()
        self.control("-d")
        self.dumps += 1
        self.text = pathlib.Path(f"{self.output}.{self.dumps}").read_text()
        return int(re.search(r"^totals: (\d+)", self.text, re.M)[1])


class Sender:
    """An application server that keeps its connection."""

    def __init__(self, context=None):
        self.socket = socket.create_connection(("127.0.0.1", SECURE if context else PLAIN), timeout=20)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if context:
            self.socket = context.wrap_socket(self.socket)

    def push(self, path, ttl=60, body=bytes(200), fields="Content-Encoding: aes128gcm\r\n"):
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nTTL: {ttl}\r\n{fields}Content-Length: {len(body)}\r\n\r\n"
        self.socket.sendall(head.encode() + body)
        if (status := http_answer(self.socket)) != 201:
            raise OSError(f"a push was answered {status}")


class Paths:
    """What is counted: each takes how often it is done."""

    def __init__(self, place, server):
        self.place, self.server = place, server
        self.sender, self.secure_sender = Sender(), Sender(TLS)
        self.bearer = server.bearers.read_text()
        leaving = BlockingWebSocket(PLAIN, self.bearer)
        self.away = leaving.register(str(uuid.uuid4()))
        leaving.close()
        self.client = BlockingWebSocket(PLAIN, self.bearer)
        self.here = self.client.register(str(uuid.uuid4()))
        self.secure_client = BlockingWebSocket(SECURE, self.bearer, context=TLS)
        self.secure_here = self.secure_client.register(str(uuid.uuid4()))
        self.heard, _ = self.register("script", "quick")
        self.viewer = BlockingWebSocket(PLAIN, self.bearer, "/api/v1/engine?account=quick")
        self.said = 0
        self.held_at, keys = self.register("telegram", "held")
        self.bodies = encrypted(
            place.bellwire, keys, [MESSAGE % number for number in range(1, 1 + WARM + COUNTS["held"])]
        )
        self.holder = BlockingWebSocket(PLAIN, self.bearer, "/api/v1/engine?account=held")

    def register(self, app, account):
        """The path and the keys of a registration."""
        connection = http.client.HTTPConnection("127.0.0.1", PLAIN, timeout=20)
        members = json.dumps({"token_type": 10, "app": app, "account": account})
        fields = {"Content-Type": "application/json", "Authorization": f"Bearer {self.bearer}"}
        connection.request("POST", "/api/v1/registrations", members, fields)
        token = json.loads(json.load(connection.getresponse())["token"])
        return "/" + token["endpoint"].split("/", 3)[3], token["keys"]

    def forgotten(self, count):
        forget(self.sender, self.away, count)

    def forgotten_tls(self, count):
        forget(self.secure_sender, self.away, count)

    def forgotten_2(self, count):
        (urls, body) = (self.place.folder / "urls", self.place.folder / "body")
        urls.write_text(f"https://localhost:{SECURE}{self.away}\n")
        body.write_bytes(bytes(200))
        fields = ("-H", "TTL: 0", "-H", "Content-Encoding: aes128gcm")
        output = self.place.on_load_core("h2load", "-c", 1, "-m", 16, "-n", count, "-d", body, "-i", urls, *fields)
        if f"{count} 2xx" not in output:
            raise OSError(output)

    def delivered(self, count):
        deliver(self.sender, self.here, self.client, count)

    def delivered_tls(self, count):
        deliver(self.secure_sender, self.secure_here, self.secure_client, count)

    def stored(self, count):
        for _ in range(count):
            self.sender.push(self.away)

    def shown(self, count):
        for _ in range(count):
            self.said += 1
            self.sender.push(self.heard, body=b"%d" % self.said, fields="Title: quick\r\n")
            wait_for_update(self.viewer)

    def held(self, count):
        for _ in range(count):
            self.sender.push(self.held_at, body=self.bodies.pop(0))
            wait_for_update(self.holder)

    def hello(self, count):
        for _ in range(count):
            BlockingWebSocket(PLAIN, self.bearer).close()


def forget(sender, path, count):
    for _ in range(count):
        sender.push(path, ttl=0)


def deliver(sender, path, client, count):
    for _ in range(count):
        # With any other TTL the server waits for two milliseconds, which are over too soon in here.
        sender.push(path, ttl=0)
        message = client.receive()
        update = {"channelID": message["channelID"], "version": message["version"], "code": 100}
        client.say({"messageType": "ack", "updates": [update]})


def wait_for_update(client):
    while client.receive()["@type"] != "updateNotificationGroup":
        pass


NAMES = {
    "forgotten": "a push with TTL 0 to an absent client, HTTP/1.1",
    "forgotten_tls": "the same in TLS",
    "forgotten_2": "the same by HTTP/2 in TLS, 16 streams, with a share of 1/800 of the handshake",
    "delivered": "a push with TTL 0 to a connected client, with its acknowledgement",
    "delivered_tls": "the same in TLS at both ends",
    "stored": "a push to an absent client, one in a commit",
    "shown": "a plain push to a registration, and the update of its notifications",
    "held": "an encrypted push to a registration, and the update of its notifications",
    "hello": "a client that connects, says hello and leaves",
}


def measure(bellwire, options):
    """The instructions of each path and of its SHA-256, in thousands, and what callgrind wrote about it."""
    with tempfile.TemporaryDirectory() as folder:
        stripped = pathlib.Path(folder, "bellwire")
        subprocess.run(["strip", "-g", "-o", stripped, bellwire], check=True)
        place = Place(stripped, stripped, folder)
        counts, hashes, texts = {}, {}, {}
        with Counted(place, options) as server:
            paths = Paths(place, server)
            for name in NAMES:
                run = getattr(paths, name)
                run(WARM)
                count = COUNTS.get(name, COUNT)
                counts[name] = round(server.count(lambda: run(count)) / count / 1_000, 1)
                hashes[name] = round(callgrind.cost_below(server.text, HASH) / count / 1_000, 1)
                texts[name] = server.text
        return counts, hashes, texts


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bellwire")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--pictures", metavar="FOLDER", type=pathlib.Path)
    arguments = parser.parse_args()
    options = callgrind.OPTIONS if arguments.json or arguments.pictures else ()
    counts, hashes, texts = measure(arguments.bellwire, options)
    former = json.loads(KEPT.read_text())["thousands"] if KEPT.exists() else {}
    worse = False
    for name, count in counts.items():
        ratio = count / former.get(name, count)
        worse |= ratio > ALLOWED
        word = "MISS" if ratio > ALLOWED else "pass"
        print(
            f"{word}  {NAMES[name]}: {count:,.1f} thousand instructions, {hashes[name]:,.1f} of them SHA-256, "
            f"{ratio:.3f} of the last, at most {ALLOWED}"
        )
    if arguments.json or arguments.pictures:
        found = callgrind.profile(texts)
        for name, one in found.items():
            drawn = flames.picture(one.pop("tree"))
            if arguments.pictures:
                (arguments.pictures / f"flame-{name.replace('_', '-')}.svg").write_text(drawn)
        if arguments.json:
            paths = {
                name: {"title": NAMES[name], "thousands": counts[name], "hash": hashes[name], **one}
                for name, one in found.items()
            }
            figures.keep("quick", arguments.json, {"paths": paths})
    if arguments.keep:
        figures.keep("quick", KEPT, {"thousands": counts})
        return 0
    if set(former) != set(counts):
        print(f"bench: {KEPT.name} does not have these figures: use --keep", file=sys.stderr)
        return 1
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
