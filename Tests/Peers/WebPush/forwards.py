"""Forwards of topics to a push service that stands for those of Apple, Google and Mozilla. http_ece and py_vapid judge.

usage: forwards.py PATH_OF_BELLWIRE
"""

import json
import os
import sys
import tempfile
import threading
import time

sys.path.append(__file__.rsplit("/", 3)[0])

import http_ece
import requests
from cryptography.hazmat.primitives.asymmetric import ec
from kit.certificate import certificate
from kit.checks import Checks, checked
from kit.coding import decode, encode
from kit.sealing import point
from kit.server import Server
from kit.webserver import Handler, Listening
from py_vapid import Vapid02

check = Checks("forwards")
HOURS = 3_600


class Pushed(Handler):
    """Keeps each push, and answers what the test wants: a status with fields, or nothing at all."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        entry = (self.path, dict(self.headers.items()), self.body())
        with self.server.arrived:
            reply = self.server.reply(len(self.server.seen), entry)
            self.server.seen.append(entry)
            self.server.arrived.notify_all()
        if reply is None:
            # The other side is killed meanwhile.
            self.server.released.wait(20)
            self.close_connection = True
            return
        status, fields = reply if isinstance(reply, tuple) else (reply, {})
        self.answer(status, **fields)


class PushService(Listening):
    def __init__(self, both):
        self.seen, self.arrived, self.released = [], threading.Condition(), threading.Event()
        self.reply = lambda *_: 201
        super().__init__(Pushed, both)

    @property
    def origin(self):
        return f"https://127.0.0.1:{self.server_port}"

    def wait(self, count, what, seconds=20):
        with self.arrived:
            check(self.arrived.wait_for(lambda: len(self.seen) >= count, seconds), what, self.seen)
            return list(self.seen)


class Browser:
    """A receiver with keys of its own."""

    def __init__(self, service, name):
        self.service, self.path = service, f"/push/{name}"
        self.key, self.auth = ec.generate_private_key(ec.SECP256R1()), os.urandom(16)
        self.subscription = {
            "endpoint": service.origin + self.path,
            "expirationTime": None,
            "keys": {"p256dh": encode(point(self.key)), "auth": encode(self.auth)},
        }

    def read(self, entry):
        """What a push says, with every field that the service would check."""
        path, headers, body = entry
        check(path == self.path, "the push came to its endpoint")
        check(headers["Content-Encoding"] == "aes128gcm", "it is encrypted by RFC 8291")
        check(headers["Content-Type"] == "application/octet-stream", "it says that it is bytes")
        check(int(headers["Content-Length"]) == len(body) <= 4096, "its length is said, and no service refuses it")
        check(0 <= int(headers["TTL"]) <= 28 * 24 * HOURS, "its TTL is one that every service takes")
        check(headers["Urgency"] in ("very-low", "low", "normal", "high"), "its urgency is one of the words")
        check(len(headers["Topic"]) == 32, "its topic has the length that Apple takes")
        authorization = headers["Authorization"]
        check(Vapid02.verify(authorization.replace(", ", ",")), "py_vapid verifies the signature")
        claims = json.loads(decode(authorization.split("t=")[1].split(",")[0].split(".")[1]))
        check(claims["aud"] == self.service.origin, "the signature is for this service")
        check(0 < claims["exp"] - time.time() <= 12 * HOURS + 5, "the signature ends in time")
        return json.loads(http_ece.decrypt(body, private_key=self.key, auth_secret=self.auth, version="aes128gcm"))


def subscribed(server, browser, topic="builds", *options):
    """A forward that its receiver has confirmed, and its number."""
    before = len(browser.service.seen)
    words = ["forward", "add", *([topic] if topic else ["--all"]), "-", *options]
    made = server.tell(*words, input=json.dumps(browser.subscription))
    check("push/" not in json.dumps(made), "the endpoint is not shown")
    seen = browser.service.wait(before + 1, "the code is pushed")
    said = browser.read(seen[before])
    code = said["code"] if "code" in said else said["notification"]["data"]["code"]
    server.run("forward", "confirm", made["id"], "--code", code)
    return made["id"]


def publish(server, text, **fields):
    answer = requests.post(f"{server.base}/builds", data=text.encode(), headers=fields, timeout=10)
    check(answer.status_code == 200, "the message is taken", answer.text)
    return answer.json()


def forms(server, service):
    """Both forms, as the receiver finds them."""
    one, two = Browser(service, "one"), Browser(service, "two")
    first = subscribed(server, one)
    second = subscribed(server, two, None, "--form", "web")
    before = len(service.seen)
    sent = publish(server, "größe 😀", Title="Night", Priority="5", Tags="moon")
    found = {entry[0]: entry for entry in service.wait(before + 2, "the message is forwarded twice")[before:]}
    said = one.read(found[one.path])
    check([said[name] for name in ("id", "message", "title")] == [sent["id"], "größe 😀", "Night"], "ntfy's JSON")
    check(said["topic"] == "builds" and said["tags"] == ["moon"], "ntfy's JSON has topic and tags")
    check(said["forwarded"]["hops"] == 1, "it says that it was forwarded")
    shown = two.read(found[two.path])
    check(shown["web_push"] == 8030, "the other form is declarative")
    check(shown["notification"]["title"] == "Night", "the notification has its title")
    check(shown["notification"]["navigate"].startswith("http"), "a click leads to a whole address")
    check(found[one.path][1]["Urgency"] == "high", "priority 5 is urgent")
    server.run("forward", "remove", second)
    return one, first


def answers(server, service, browser):
    """What a push service may answer."""
    before = len(service.seen)
    service.reply = lambda number, entry: 413 if len(entry[2]) > 1_500 else 201
    publish(server, "long " * 700)
    seen = service.wait(before + 2, "what is too long is sent in short")
    check(browser.read(seen[-2])["message"].endswith("…"), "the text is cut")
    check(len(seen[-1][2]) < 1_000 < 2_500 < len(seen[-2][2]), "the second is shorter")
    before = len(service.seen)
    service.reply = lambda number, _: (429, {"Retry_After": "1"}) if number == before else 201
    began = time.monotonic()
    publish(server, "busy")
    seen = service.wait(before + 2, "what came too often is sent again")
    check(0.9 < time.monotonic() - began < 15, "it waits as long as it was told")
    check(browser.read(seen[-1])["message"] == "busy", "the same message is sent again")
    before = len(service.seen)
    service.reply = lambda number, _: 403 if number == before else 201
    publish(server, "stale")
    seen = service.wait(before + 2, "a refused signature is made anew")
    check(seen[-1][1]["Authorization"] != seen[-2][1]["Authorization"], "the second token is another one")
    before = len(service.seen)
    service.reply = lambda number, _: (301, {"Location": "https://127.0.0.1:1/"}) if number == before else 400
    publish(server, "moved")
    service.wait(before + 1, "a redirect is not followed")
    check.soon(lambda: server.tell("forward", "list")["forwards"][0]["status"] == 301, "the owner is told")


def kills(server, service, browser, rounds=6):
    """Whenever the server is killed, the messages come, in order."""
    service.reply = lambda *_: 201
    number = subscribed(server, browser)
    start = len(service.seen)
    service.reply = lambda *_: None
    expected = [f"{turn}" for turn in range(2 * rounds)]
    for text in expected:
        publish(server, text)
    for turn in range(rounds):
        service.wait(start + 1 + turn, "an attempt was made")
        server.kill()
        if turn == rounds - 1:
            service.reply = lambda *_: 201
        server.start()
    service.released.set()
    said = []

    def arrived():
        said[:] = [browser.read(entry)["message"] for entry in service.seen[start:] if entry[0] == browser.path]
        return set(expected) <= set(said)

    check.soon(arrived, "no message is lost", 30)
    check(list(dict.fromkeys(said)) == expected, "they come in order", said)
    return number


def ending(server, service, number):
    service.reply = lambda *_: 410
    publish(server, "last")

    def is_gone():
        return number not in [entry["id"] for entry in server.tell("forward", "list")["forwards"]]

    check.soon(is_gone, "a forward ends with its subscription")


def main():
    with tempfile.TemporaryDirectory() as folder:
        chain, _, both = certificate(folder)
        service = PushService(both)
        server = Server(sys.argv[1], folder)
        server.configuration.write_text(f"callback-allow = 127.0.0.0/8\ncallback-authorities = {chain}\n")
        with server:
            server.run("topic", "add", "builds")
            browser, first = forms(server, service)
            answers(server, service, browser)
            server.run("forward", "remove", first)
            other = Browser(service, "other")
            number = kills(server, service, other)
            ending(server, service, number)
            check("/push/" not in server.said(), "no endpoint is in the log")
    print(f"forwards: {check.passed} checks passed with {len(service.seen)} pushes")


checked(main)
