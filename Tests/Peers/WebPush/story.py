"""The story of an account: a stand-in for Telegram's server, made from other libraries, pushes to it.

usage: story.py PATH_OF_BELLWIRE
"""

import json
import queue
import sys
import tempfile
import time

sys.path.append(__file__.rsplit("/", 3)[0])

import requests
from kit import control
from kit.checks import Checks, checked
from kit.coding import decode
from kit.sealing import mtproto
from kit.server import Server
from kit.webserver import Handler, Listening
from pywebpush import webpush
from standardwebhooks.webhooks import Webhook

check = Checks("story")


class Hook(Handler):
    """The application's server: it answers confirmations and keeps the other events."""

    events = queue.Queue()

    def do_POST(self):
        self.events.put((dict(self.headers.items()), self.body()))
        self.consent()


def heard(kind, secret):
    """The data of the next callback, which must be of this kind and correctly signed."""
    headers, body = Hook.events.get(timeout=10)
    event = json.loads(body)
    check(event["type"] == kind, f"callback {event['type']} where {kind} was expected")
    Webhook(secret).verify(body, headers)
    return event["data"]


class Engine(control.Engine):
    """A client on the control socket."""

    def __init__(self, server, account):
        super().__init__(server.socket, account=account)
        check(self.next()["@type"] == "ok", "the engine is open")

    def shown(self):
        added = self.next("updateNotificationGroup")["added_notifications"]
        return [entry["type"]["content"]["text"] for entry in added]


def message(text, number):
    return json.dumps(
        {
            "loc_key": "MESSAGE_TEXT",
            "loc_args": ["Ada", text],
            "random_id": str(number),
            "custom": {"from_id": "500", "msg_id": str(number)},
            "badge": "1",
        }
    )


class Telegram:
    """The server: it knows only what registerDevice told it about the account."""

    def __init__(self, parameters):
        self.token = json.loads(parameters["token"])
        self.secret = decode(parameters["secret"])
        check(parameters["token_type"] == 10 and parameters["no_muted"], "registerDevice has token type 10")

    def push(self, text, encoding):
        if self.secret:
            text = json.dumps({"p": mtproto(self.secret, text.encode())})
        answer = webpush(self.token, text, ttl=600, content_encoding=encoding, timeout=10)
        check(answer.status_code == 201, f"{encoding}: the push is accepted")

    def is_gone(self):
        answer = requests.post(
            self.token["endpoint"], data=b"x", timeout=10, headers={"TTL": "60", "Content-Encoding": "aes128gcm"}
        )
        return answer.status_code == 410


def story(server, hook, account, options):
    made = server.tell("register", "--app", "telegram", "--account", account, "--callback", hook, *options)
    secret = made["callback_secret"]
    created = heard("registration.created", secret)
    check(created["register_device"] == made["register_device"], "the callback gets the parameters of registerDevice")
    telegram = Telegram(created["register_device"])
    engine = Engine(server, account)
    check(engine.next()["groups"] == [], "nothing is shown yet")
    for number, encoding in enumerate(("aes128gcm", "aesgcm"), 1):
        text = message(f"by {encoding}", number)
        telegram.push(text, encoding)
        check(engine.shown() == [f"by {encoding}"], f"{encoding}: the message is shown")
        told = heard("push.message", secret)
        check(decode(told["payload"]).decode() == text, f"{encoding}: the callback gets the payload")
    rotated = server.tell("registration", "rotate", made["id"])
    change = heard("registration.rotated", secret)
    secret = rotated["callback_secret"]
    telegram.push(message("to the former endpoint", 3), "aes128gcm")
    check(engine.shown() == ["to the former endpoint"], "the former endpoint still works")
    heard("push.message", secret)
    former = telegram
    telegram = Telegram(change["register_device"])
    telegram.push(message("to the new endpoint", 4), "aesgcm")
    check(engine.shown() == ["to the new endpoint"], "the new endpoint works")
    heard("push.message", secret)
    if options:
        telegram.push(json.dumps({"loc_key": "SESSION_REVOKE", "date": int(time.time())}), "aes128gcm")
        heard("push.message", secret)
        check(engine.next("bellwire.updateSessionRevoked"), "the session is revoked")
        heard("session.revoked", secret)
    else:
        server.run("registration", "revoke", made["id"])
        heard("registration.deleted", secret)
        check(engine.next("updateNotificationGroup")["removed_notification_ids"], "the notifications are removed")
    check(former.is_gone() and telegram.is_gone(), "both endpoints answer 410")
    while engine.next():
        pass
    check(Hook.events.empty(), "no event comes after that")


def together(server):
    """Two accounts of one client share pushes without a user id; a third account does not get them."""
    engines, servers = {}, {}
    for account, user, others in (("home", "1", "2"), ("work", "2", "1"), ("else", "3", None)):
        terms = ["--user-id", user, *(["--other-user-id", others] if others else [])]
        made = server.tell("register", "--app", "telegram", "--account", account, *terms)
        servers[account] = Telegram(made["register_device"])
        engines[account] = Engine(server, account)
    servers["home"].push(message("for both", 1), "aes128gcm")
    servers["home"].push(json.dumps(json.loads(message("for the other", 2)) | {"user_id": "2"}), "aesgcm")
    servers["work"].push(message("for both again", 3), "aes128gcm")
    servers["else"].push(message("for itself", 4), "aes128gcm")
    seen = {
        "home": ["for both", "for both again"],
        "work": ["for both", "for the other", "for both again"],
        "else": ["for itself"],
    }
    for account, texts in seen.items():
        for text in texts:
            check(engines[account].shown() == [text], f"{account} shows {text!r}")


def main():
    hook = Listening(Hook).url
    with tempfile.TemporaryDirectory() as folder, Server(sys.argv[1], folder) as server:
        story(server, hook, "plain", [])
        story(server, hook, "sealed", ["--secret", "new"])
        together(server)
    print(f"story: {check.passed} checks passed")


checked(main)
