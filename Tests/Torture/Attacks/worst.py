"""One client that attacks the program in every way that is possible after the handshake.

`run.py` runs it for its families. It is also the attacker's process: worst.py KIND PORT BEARER CONTROL_SOCKET SECONDS.
"""

import hashlib
import json
import os
import socket
import sys
import time
import uuid

sys.path.append(__file__.rsplit("/", 3)[0])

from crowd import Flow
from kit import websocket
from kit.coding import encode, path_of
from kit.websocket import BlockingWebSocket, frame, text_frame

REQUEST = "Host: localhost\r\n"


class Attacker:
    def __init__(self, port, bearer, control):
        self.port, self.bearer, self.control = port, bearer, control
        self.fields = [("Authorization", f"Bearer {bearer}")]

    def plain(self):
        made = socket.create_connection(("127.0.0.1", self.port), timeout=10)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return made

    def agent(self, **named):
        return BlockingWebSocket(self.port, self.bearer, **named)

    def http(self, method, path, body=b"", fields=""):
        return (
            f"{method} {path} HTTP/1.1\r\n{REQUEST}Authorization: Bearer {self.bearer}\r\n{fields}"
            f"Content-Length: {len(body)}\r\n\r\n"
        ).encode() + body

    def push(self, path, body, fields="TTL: 60\r\nContent-Encoding: aes128gcm\r\n"):
        return (f"POST {path} HTTP/1.1\r\n{REQUEST}{fields}Content-Length: {len(body)}\r\n\r\n").encode() + body

    def subscriber(self):
        """A user agent with a channel, which makes the server keep it."""
        agent = self.agent()
        agent.register(str(uuid.uuid4()))
        return agent.socket

    def channel(self):
        agent = self.agent()
        path = agent.register(str(uuid.uuid4()))
        agent.close()
        return path

    def register(self, **members):
        """A registration that the attacker makes through the API."""
        body = json.dumps({"token_type": 10, "app": "plain", "account": "worst", "clear": True} | members)
        with self.plain() as connection:
            connection.sendall(
                self.http("POST", "/api/v1/registrations", body.encode(), "Content-Type: application/json\r\n")
            )
            data = b""
            while b"\r\n\r\n" not in data or not data.endswith(b"}"):
                data += connection.recv(65_536)
        return json.loads(data.split(b"\r\n\r\n", 1)[1])

    def engine(self):
        return BlockingWebSocket(self.port, self.bearer, "/api/v1/engine?app=plain&account=worst")

    def lines(self):
        made = socket.socket(socket.AF_UNIX)
        made.settimeout(10)
        made.connect(self.control)
        made.sendall(b'{"@type":"bellwire.open","app":"plain","account":"worst"}\n')
        return made


def version():
    return encode(os.urandom(16))


def acks(attacker):
    """Acknowledges messages that never existed, a hundred in each frame."""

    def piece():
        updates = [{"channelID": str(uuid.UUID(int=0)), "version": version()} for _ in range(100)]
        return text_frame({"messageType": "ack", "updates": updates})

    frames = [b"".join(piece() for _ in range(20)) for _ in range(20)]
    return [Flow(attacker.subscriber, frames) for _ in range(8)]


def registers(attacker):
    def piece():
        return b"".join(text_frame({"messageType": "register", "channelID": str(uuid.uuid4())}) for _ in range(50))

    return [Flow(attacker.subscriber, [piece]) for _ in range(8)]


def unregisters(attacker):
    def piece():
        return b"".join(text_frame({"messageType": "unregister", "channelID": str(uuid.uuid4())}) for _ in range(50))

    return [Flow(attacker.subscriber, [piece]) for _ in range(8)]


def pings(attacker):
    many = frame(bytes(125), websocket.PING) * 500
    return [Flow(attacker.subscriber, [many]) for _ in range(8)]


def fragments(attacker):
    first = frame(b"{", websocket.TEXT, is_last=False)
    empty = frame(b"", websocket.CONTINUATION, is_last=False) * 5_000
    single = frame(b" ", websocket.CONTINUATION, is_last=False) * 5_000

    def begin():
        made = attacker.subscriber()
        made.sendall(first)
        return made

    return [Flow(begin, [empty, single]) for _ in range(8)]


def slow_readers(attacker):
    """Asks for answers that are many times as long as the question, and never reads them."""
    names = {f"{'b' * 40}{number}": "" for number in range(1_000)}
    ask = text_frame({"messageType": "broadcast_subscribe", "broadcasts": names})
    return [Flow(lambda: attacker.agent(receive_buffer=4_096).socket, [ask], reads=False) for _ in range(30)]


def slow_bodies(attacker):
    path = attacker.channel()
    head = attacker.push(path, bytes(5_000))[:-5_000]
    last = [0.0]

    def begin():
        made = attacker.plain()
        made.sendall(head)
        return made

    def piece():
        # A byte on each connection, a few times a second.
        if time.monotonic() - last[0] < 0.001:
            time.sleep(0.001)
        last[0] = time.monotonic()
        return b"x"

    return [Flow(begin, [piece]) for _ in range(1_000)]


def oversize(attacker):
    path = attacker.channel()
    huge = attacker.push(path, bytes(65_000))
    longer = attacker.push(path, bytes(5_631))
    fields = (
        f"GET /health HTTP/1.1\r\n{REQUEST}" + "".join(f"X-{number}: {'x' * 500}\r\n" for number in range(200))
    ).encode()
    message = frame(bytes(70_000))
    return (
        [Flow(attacker.plain, [longer * 8]) for _ in range(4)]
        + [Flow(attacker.plain, [huge]) for _ in range(2)]
        + [Flow(attacker.plain, [fields]) for _ in range(2)]
        + [Flow(lambda: attacker.agent().socket, [message]) for _ in range(2)]
    )


# The base point of P-256 and its order. The private key 1 has that point as its public key, and signs under the nonce
# 1 by one addition: as good a signature as any, and made as fast as it is sent.
POINT = bytes.fromhex(
    "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
    "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"
)
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


HEADER = encode(b'{"typ":"JWT","alg":"ES256"}')


def signed(claims, is_right=True):
    """The field of a signature; a wrong one still has the right form."""
    text = f"{HEADER}.{encode(json.dumps(claims).encode())}"
    r = POINT[1:33]
    s = (int.from_bytes(hashlib.sha256(text.encode()).digest()) + int.from_bytes(r)) % ORDER
    signature = r + s.to_bytes(32) if is_right else os.urandom(64)
    return f"Authorization: vapid t={text}.{encode(signature)}, k={encode(POINT)}\r\n"


def bad_signatures(attacker):
    """Uses many endpoints, because each has its own limit."""
    agent = attacker.agent()
    paths = [agent.register(str(uuid.uuid4())) for _ in range(50)]
    agent.close()
    claims = {"aud": f"http://localhost:{attacker.port}", "exp": int(time.time()) + 3_600}
    pieces = [
        attacker.push(
            path,
            bytes(10),
            "TTL: 60\r\nContent-Encoding: aes128gcm\r\n"
            + signed(claims | {"sub": f"mailto:{number}@localhost"}, is_right=False),
        )
        for number, path in enumerate(paths * 10)
    ]
    return [Flow(attacker.plain, pieces[start:] + pieces[:start]) for start in range(0, 400, 50)]


def unknown_endpoints(attacker):
    def piece():
        return b"".join(attacker.push(f"/wpush/v1/{encode(os.urandom(28))}", b"x") for _ in range(20))

    return [Flow(attacker.plain, [piece]) for _ in range(8)]


def big_tokens(attacker):
    """Correctly signed and all different, with as many audiences as fit."""
    path = attacker.channel()

    def claims(number):
        audiences = [f"http://localhost:{attacker.port}"] + [f"https://{number}.{index}" for index in range(150)]
        return {"aud": audiences, "exp": int(time.time()) + 3_600, "sub": f"mailto:{number}@localhost"}

    pieces = [
        attacker.push(path, b"x", "TTL: 0\r\nContent-Encoding: aes128gcm\r\n" + signed(claims(number)))
        for number in range(2_000)
    ]
    return [Flow(attacker.plain, pieces[start:] + pieces[:start]) for start in range(0, 2_000, 250)]


def engine_requests(attacker):
    attacker.register()
    title = "t" * 100_000
    many = b"".join(
        text_frame({"@type": "bellwire.setChat", "chat_id": number + 1, "title": f"{number}"}) for number in range(200)
    )
    long = text_frame({"@type": "bellwire.setChat", "chat_id": 7, "title": title, "type": "private"})
    asked = text_frame({"@type": "bellwire.getChats", "limit": 1_000}) * 50
    return [Flow(lambda: attacker.engine().socket, [many, asked, long]) for _ in range(6)]


def idempotency_keys(attacker):
    body = b'{"token_type":10,"app":"plain","account":"worst"}'

    def piece():
        fields = f"Content-Type: application/json\r\nIdempotency-Key: {version()}\r\n"
        return attacker.http("POST", "/api/v1/registrations", body, fields)

    return [Flow(attacker.plain, [piece]) for _ in range(4)]


def replays(attacker):
    path = path_of(attacker.register()["endpoint"])
    same = attacker.push(path, b'{"title":"the same"}', "TTL: 60\r\n")

    def other():
        return attacker.push(path, os.urandom(120))

    return [Flow(attacker.plain, [same * 10, other]) for _ in range(4)]


def now_or_never(attacker):
    here = attacker.agent()
    attacker.kept = here
    paths = [here.register(str(uuid.uuid4())), attacker.channel()]
    fields = "TTL: 0\r\nContent-Encoding: aes128gcm\r\n"
    pieces = [attacker.push(path, bytes(4_000), fields) * 5 for path in paths]
    return [Flow(attacker.plain, pieces) for _ in range(8)]


def connections(attacker):
    """Each is accepted, says hello, and is dropped at once."""
    hello = websocket.upgrade("/", attacker.fields) + text_frame({"messageType": "hello"})
    return [OneShot(attacker.plain, [hello]) for _ in range(50)]


class OneShot(Flow):
    """Dropped as soon as everything is sent."""

    def turn(self):
        if self.socket and self.index and not self.rest:
            self.socket.close()
            self.socket = None
        return super().turn()


def api_requests(attacker):
    attacker.register()
    pieces = [
        attacker.http("GET", "/api/v1/registrations") * 20,
        attacker.http("GET", f"/api/v1/registrations/{version()}") * 20,
        attacker.http("POST", "/api/v1/registrations", b"[" * 60_000, "Content-Type: application/json\r\n"),
    ]
    return [Flow(attacker.plain, pieces) for _ in range(6)]


def control_lines(attacker):
    """A user of this machine, at the socket for local users."""
    attacker.register()
    requests = b'{"@type":"bellwire.getChats"}\n{"@type":"getOption","name":"x"}\n' * 200
    endless = b'{"@type":"' + b"x" * 400_000

    def plain():
        made = socket.socket(socket.AF_UNIX)
        made.settimeout(10)
        made.connect(attacker.control)
        return made

    listing = f"GET /api/v1/devices HTTP/1.1\r\n{REQUEST}\r\n".encode() * 50
    return (
        [Flow(attacker.lines, [requests]) for _ in range(3)]
        + [Flow(plain, [listing]) for _ in range(3)]
        + [Flow(plain, [endless]) for _ in range(2)]
    )


FAMILIES = {
    "sessions": (acks, registers, unregisters, pings, fragments, slow_readers, connections),
    "pushes": (slow_bodies, oversize, bad_signatures, unknown_endpoints, big_tokens, replays, now_or_never),
    "requests": (engine_requests, idempotency_keys, api_requests),
    "control": (control_lines,),
}


def attack(kind, port, bearer, control, seconds):
    # A real attacker has another machine. Here it gets the CPU time that the server and its neighbour leave.
    os.nice(10)
    attacker = Attacker(port, bearer, control)
    flows = kind(attacker)
    print("begun", flush=True)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        moved = [flow.turn() for flow in flows]
        if not any(moved):
            time.sleep(0.001)
    print(json.dumps({"ends": sum(flow.ends for flow in flows), "pieces": sum(flow.index for flow in flows)}))
    for flow in flows:
        flow.close()


if __name__ == "__main__":
    kinds = {kind.__name__: kind for family in FAMILIES.values() for kind in family}
    name, port, bearer, control, seconds = sys.argv[1:]
    attack(kinds[name], int(port), bearer, control, float(seconds))
