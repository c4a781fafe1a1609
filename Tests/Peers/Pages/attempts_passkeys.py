"""Passkeys as they are meant, and answers that are wrong in one thing, from an authenticator of our own."""

import base64
import hashlib
import json
import struct

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from people import CONTENT, FORM, encoded

PRESENT, VERIFIED, ATTESTED = 0x01, 0x04, 0x40


def text(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Authenticator:
    def __init__(self, host, origin):
        self.host, self.origin = host, origin
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.id = hashlib.sha256(str(id(self)).encode()).digest()
        self.count = 1

    def data(self, flags, made=b""):
        host = hashlib.sha256(self.host.encode()).digest()
        return host + struct.pack(">BI", flags, self.count) + made

    def client(self, kind, challenge, **others):
        return json.dumps({"type": kind, "challenge": challenge, "origin": self.origin} | others).encode()

    def make(self, challenge, flags=PRESENT | VERIFIED | ATTESTED):
        point = self.key.public_key().public_numbers()
        x, y = point.x.to_bytes(32), point.y.to_bytes(32)
        key = bytes.fromhex("a5010203262001215820") + x + bytes.fromhex("225820") + y
        made = bytes(16) + struct.pack(">H", len(self.id)) + self.id + key
        return self.fields(self.data(flags, made), self.client("webauthn.create", challenge))

    def use(self, challenge, flags=PRESENT | VERIFIED, **others):
        data, client = self.data(flags), self.client("webauthn.get", challenge, **others)
        signature = self.key.sign(data + hashlib.sha256(client).digest(), ec.ECDSA(hashes.SHA256()))
        return self.fields(data, client) | {"signature": text(signature)}

    def fields(self, data, client):
        return {"id": text(self.id), "data": text(data), "client": text(client), "signature": ""}


def asked(stage, wire=None):
    """A challenge for somebody who is not signed in, with the cookie that goes with it."""
    answer = (wire or stage.wire).ask("POST", "/ui/login/challenge", FORM)
    cookie = answer.field("set-cookie").partition(";")[0]
    return json.loads(answer.text)["challenge"], cookie


def enter(stage, fields, cookie):
    cookies = [f"Cookie: {cookie}"] if cookie else []
    return stage.wire.ask("POST", "/ui/login/passkey", FORM, *cookies, body=encoded(fields))


def passkeys(stage, case):
    """A key is made in a young session, and opens the page for its owner alone, until it is removed."""
    person, origin = stage.administrator, f"https://localhost:{stage.server.port}"
    key, other = Authenticator("localhost", origin), Authenticator("localhost", origin)
    challenge = json.loads(person.post("/ui/passkeys/challenge").text)["challenge"]
    theirs = json.loads(stage.user.post("/ui/passkeys/challenge").text)["challenge"]
    for what, fields, *wanted in (
        ("with another session's challenge", key.make(theirs), 400),
        ("without the person's consent", key.make(challenge, PRESENT | ATTESTED), 400),
        ("by what is used", key.use(challenge), 400),
        ("by nothing", {"id": "", "data": "", "client": "", "signature": ""}, 400),
        ("by what is no base64", key.make(challenge) | {"data": "%%%"}, 400),
        ("under another id", key.make(challenge) | {"id": "AAAA"}, 400),
    ):
        case(f"a key {what}", person.post("/ui/passkeys", {"name": "k"} | fields), *wanted)
    case("a key without a name", person.post("/ui/passkeys", {"name": ""} | key.make(challenge)), 409)
    case("a key", person.post("/ui/passkeys", {"name": "k"} | key.make(challenge)), 303)
    case("the same key again", person.post("/ui/passkeys", {"name": "l"} | key.make(challenge)), 409)
    page = case("the page of access", person.get("/ui/access"), 200)
    case.holds("the key is there", "<bdi>k</bdi>" in page.text)
    case.holds("not for others", "<bdi>k</bdi>" not in stage.user.get("/ui/access").text)
    [row] = [part.partition("/")[0] for part in page.text.split("/ui/passkeys/")[1:] if "/remove" in part[:40]][:1]
    use(stage, case, key, other)
    case("a removal by another", stage.user.post(f"/ui/passkeys/{row}/remove"), 404)
    case("its removal", person.post(f"/ui/passkeys/{row}/remove"), 303)
    key.count += 1
    challenge, cookie = asked(stage)
    case("a key that was removed", enter(stage, key.use(challenge), cookie), 403)
    case.changed()


def use(stage, case, key, other):
    challenge, cookie = asked(stage)
    second, its = asked(stage)
    wrong = Authenticator("localhost", key.origin)
    wrong.id = key.id
    foreign = Authenticator("localhost", "https://evil.test")
    foreign.id, foreign.key = key.id, key.key
    for what, fields, given in (
        ("without its cookie", key.use(challenge), None),
        ("with another's cookie", key.use(challenge), its),
        ("with another's challenge", key.use(second), cookie),
        ("that nobody knows", other.use(challenge), cookie),
        ("whose signature is another's", wrong.use(challenge), cookie),
        ("of another site", foreign.use(challenge), cookie),
        ("in a frame of another site", key.use(challenge, crossOrigin=True), cookie),
        ("without the person's consent", key.use(challenge, PRESENT), cookie),
        ("with a signature that is cut", key.use(challenge) | {"signature": "MEUC"}, cookie),
        ("with nothing", {}, cookie),
    ):
        case(f"a key {what}", enter(stage, fields, given), 403)
    fields = key.use(challenge)
    answer = case("the key", enter(stage, fields, cookie), 303)
    session = next(value for name, value in answer.fields if name == "set-cookie").partition(";")[0]
    inbox = case("the messages", stage.wire.ask("GET", "/ui/", f"Cookie: {session}"), 200, shows=CONTENT)
    case.holds("those of its owner", f"{CONTENT[1]} of 0" in inbox.text)
    case("the same answer again", enter(stage, fields, cookie), 403)
    challenge, cookie = asked(stage)
    case("a key whose count stands still", enter(stage, key.use(challenge), cookie), 403)
    challenge, cookie = asked(stage)
    key.count += 1
    case("the key again", enter(stage, key.use(challenge), cookie), 303)
