"""Real senders push to bellwire, and a client that behaves like KUnifiedPush receives.

usage: push.py PATH_OF_BELLWIRE
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import uuid

sys.path.append(__file__.rsplit("/", 3)[0])

import http_ece
import requests
from cryptography.hazmat.primitives.asymmetric import ec
from kit import agent
from kit.checks import Checks, checked
from kit.coding import content, decode, encode
from kit.sealing import point
from kit.server import Server
from py_vapid import Vapid01, Vapid02
from pywebpush import WebPushException, webpush

check = Checks("push")


class Application:
    """The receiving end: its keys, and a channel at the push service."""

    def __init__(self):
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.auth = os.urandom(16)
        self.channel = str(uuid.uuid4())
        self.endpoint = None

    def subscription(self):
        return {"endpoint": self.endpoint, "keys": {"p256dh": encode(point(self.key)), "auth": encode(self.auth)}}

    def decrypt(self, message):
        headers = message["headers"]
        if headers["encoding"] == "aes128gcm":
            return http_ece.decrypt(content(message), private_key=self.key, auth_secret=self.auth, version="aes128gcm")
        values = dict(
            item.strip().split("=", 1)
            for field in (headers["encryption"], headers["crypto_key"])
            for item in field.replace(",", ";").split(";")
        )
        return http_ece.decrypt(
            content(message),
            salt=decode(values["salt"]),
            dh=decode(values["dh"]),
            private_key=self.key,
            auth_secret=self.auth,
            version="aesgcm",
        )


class Distributor(agent.UserAgent):
    """Its notifications are those of an application."""

    async def subscribe(self, application, key=None):
        terms = {"key": key} if key else {}
        application.endpoint = (await self.register(application.channel, **terms))["pushEndpoint"]
        check(application.endpoint, "register succeeds")

    async def unregister(self, application):
        answer = await self.ask("unregister", channelID=application.channel)
        check(answer["status"] == 200, "unregister succeeds")

    async def notification(self, application, acknowledges=True):
        message = await self.take(acknowledges)
        check(message["channelID"] == application.channel, "the notification is for this channel")
        return message


async def inside_thread(function, *arguments, **named):
    return await asyncio.get_running_loop().run_in_executor(None, lambda: function(*arguments, **named))


async def encrypted(distributor):
    """pywebpush with both encodings, signed in both schemes and unsigned."""
    keys = {"none": None, "own": ec.generate_private_key(ec.SECP256R1())}
    for bound, key in keys.items():
        application = Application()
        await distributor.subscribe(application, key and encode(point(key)))
        for encoding in ("aes128gcm", "aesgcm"):
            for vapid in (Vapid02, Vapid01) if key else (None,):
                for text in ("Hi", "ü" * 100, "x" * 3900):
                    signing = (
                        {"vapid_private_key": vapid(private_key=key), "vapid_claims": {"sub": "mailto:a@example.org"}}
                        if vapid
                        else {}
                    )
                    answer = await inside_thread(
                        webpush,
                        application.subscription(),
                        text,
                        ttl=60,
                        content_encoding=encoding,
                        timeout=10,
                        **signing,
                    )
                    what = f"{bound} {encoding} {vapid and vapid.__name__}"
                    check(answer.status_code == 201, f"{what}: the push is accepted")
                    check(answer.headers["TTL"] == "60", f"{what}: the TTL is granted")
                    message = await distributor.notification(application)
                    check(application.decrypt(message).decode() == text, f"{what}: the text is decrypted")
    try:
        await inside_thread(
            webpush,
            application.subscription(),
            "x",
            ttl=60,
            timeout=10,
            vapid_private_key=Vapid02(private_key=ec.generate_private_key(ec.SECP256R1())),
            vapid_claims={"sub": "mailto:a@example.org"},
        )
        check(False, "a push signed with another key is refused")
    except WebPushException as error:
        check(error.response.status_code == 401, "a push signed with another key is refused")


async def simple(distributor):
    """requests and curl, with simple push."""
    application = Application()
    await distributor.subscribe(application)
    answer = await inside_thread(requests.put, application.endpoint, data={"version": 17}, timeout=10)
    check(answer.status_code == 201, "a PUT of requests is accepted")
    message = await distributor.notification(application)
    check(content(message) == b"version=17" and "headers" not in message, "the body arrives")
    curl = ["curl", "--silent", "--show-error", "--max-time", "10", "--write-out", "%{http_code}"]
    for arguments, body in (
        (["-X", "PUT", "-d", "version=18"], b"version=18"),
        (["-X", "POST", "-H", "TTL: 5"], None),
        (["-X", "POST", "-H", "TTL: 5", "-H", "Content-Encoding: aes128gcm", "-d", "abc"], b"abc"),
    ):
        result = await inside_thread(subprocess.run, curl + arguments + [application.endpoint], capture_output=True)
        check(result.stdout == b"201", f"curl {arguments}: {result.stdout}")
        message = await distributor.notification(application)
        check((content(message) if body else message.get("data")) == body, "the body arrives")


async def offline(distributor):
    """Messages from the time offline arrive after hello, until they are acknowledged."""
    application = Application()
    await distributor.subscribe(application)
    await distributor.close()
    for number in range(20):
        answer = await inside_thread(
            requests.post,
            application.endpoint,
            data=f"{number}",
            timeout=10,
            headers={"TTL": "60", "Content-Encoding": "aes128gcm"},
        )
        check(answer.status_code == 201, "a push to an absent client is accepted")
    await distributor.connect()
    versions = []
    for number in range(20):
        message = await distributor.notification(application, acknowledges=number < 10)
        check(content(message) == f"{number}".encode(), "the messages arrive in order")
        versions.append(message["version"])
    await distributor.close()
    await distributor.connect()
    for number in range(10, 20):
        message = await distributor.notification(application)
        check(message["version"] == versions[number], "unacknowledged messages arrive again with the same version")
    await distributor.unregister(application)
    answer = await inside_thread(requests.post, application.endpoint, headers={"TTL": "5"})
    check(answer.status_code == 410, "after unregister the endpoint answers 410")


class Registration:
    """An endpoint whose keys bellwire holds."""

    def __init__(self, server, *options):
        self.server = server
        self.members = server.tell("register", "--app", "telegram", "--account", "me", *options)
        self.id = self.members["id"]
        self.endpoint = self.members["endpoint"]

    def fetched(self):
        answer = self.server.ask("POST", "fetched", {"registration": self.id})
        return [decode(message["payload"]) for message in answer["messages"]]

    def undecryptable(self):
        return self.server.ask("GET", f"registrations/{self.id}").get("undecryptable", {})


def registered(server):
    """pywebpush encrypts for keys that bellwire made, as Telegram's server does."""
    registration = Registration(server)
    token = json.loads(registration.members["token"])
    check(list(token) == ["endpoint", "keys"], "the token has the members of a subscription")
    check(list(token["keys"]) == ["p256dh", "auth"], "the token has the keys in order")
    texts = ["Hi", "ü" * 100, "x" * 3900, ""]
    for encoding in ("aes128gcm", "aesgcm"):
        for text in texts[:3]:
            answer = webpush(token, text, ttl=60, content_encoding=encoding, timeout=10)
            check(answer.status_code == 201, f"{encoding}: the push is accepted")
    expected = [text.encode() for text in texts[:3]] * 2
    check(registration.fetched() == expected, "the texts are decrypted, in order")
    check(registration.fetched() == [], "each message is fetched only once")
    wrong = dict(token, keys=dict(token["keys"], auth=encode(os.urandom(16))))
    answer = webpush(wrong, "x", ttl=60, timeout=10)
    check(answer.status_code == 201, "a push that cannot be decrypted is accepted")
    check(registration.undecryptable() == {"bad-tag": 1}, "a push that cannot be decrypted is counted")
    bound = Registration(server, "--vapid")
    check(bound.members["token"].endswith(',"vapid":true}'), "the token asks for a signature")
    key, other = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    for signer, status in ((key, 201), (other, 401), (key, 201)):
        try:
            answer = webpush(
                json.loads(bound.members["token"]),
                "signed",
                ttl=60,
                timeout=10,
                vapid_private_key=Vapid02(private_key=signer),
                vapid_claims={"sub": "mailto:a@example.org"},
            )
        except WebPushException as error:
            answer = error.response
        check(answer.status_code == status, f"a push signed with this key is answered {status}")
    wake = Registration(server, "--type", "4")
    for number in (1, 2**63 - 1):
        answer = requests.put(wake.endpoint, data={"version": number}, timeout=10)
        check(answer.status_code == 201, "a simple push is accepted")
    signals = server.ask("GET", f"pending?registration={wake.id}")["messages"]
    check([(s["count"], s["version"]) for s in signals] == [(2, str(2**63 - 1))], "two simple pushes become one signal")
    server.run("registration", "revoke", wake.id)
    check(requests.put(wake.endpoint, timeout=10).status_code == 410, "a revoked endpoint answers 410")


async def clients(url):
    distributor = Distributor(url)
    await distributor.connect()
    await encrypted(distributor)
    await simple(distributor)
    await offline(distributor)
    await distributor.close()


def main():
    with tempfile.TemporaryDirectory() as folder, Server(sys.argv[1], folder) as server:
        asyncio.run(asyncio.wait_for(clients(server.base), 120))
        registered(server)
    print(f"push: {check.passed} checks passed")


checked(main)
