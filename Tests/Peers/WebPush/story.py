"""The story of an account: a stand-in for Telegram's server, made from other libraries, pushes to it.

usage: story.py PATH_OF_BELLWIRE
"""

import base64
import http.server
import json
import queue
import socket
import subprocess
import sys
import tempfile
import threading
import time

import requests
from mtproto import mtproto
from pywebpush import webpush
from standardwebhooks.webhooks import Webhook

bellwire = sys.argv[1]
passed = 0


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def check(condition, what):
    global passed
    if not condition:
        sys.exit(f"story: FAILED: {what}")
    passed += 1


class Hook(http.server.BaseHTTPRequestHandler):
    """The application's server: it answers confirmations and keeps the other events."""

    events = queue.Queue()

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.events.put((dict(self.headers.items()), body))
        self.send_response(200)
        if challenge := self.headers.get("webhook-challenge"):
            self.send_header("webhook-challenge", challenge)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def heard(kind, secret):
    """The data of the next callback, which must be of this kind and correctly signed."""
    headers, body = Hook.events.get(timeout=10)
    event = json.loads(body)
    check(event["type"] == kind, f"callback {event['type']} where {kind} was expected")
    Webhook(secret).verify(body, headers)
    return event["data"]


class Engine:
    """A client on the control socket."""

    def __init__(self, state, account):
        self.connection = socket.socket(socket.AF_UNIX)
        self.connection.settimeout(10)
        self.connection.connect(f"{state}/control.sock")
        self.stream = self.connection.makefile(encoding="utf-8")
        self.say("bellwire.open", account=account)
        check(self.next()["@type"] == "ok", "the engine is open")

    def say(self, kind, **members):
        self.connection.sendall(json.dumps({"@type": kind, **members}).encode() + b"\n")

    def next(self, kind=None):
        for line in self.stream:
            update = json.loads(line)
            if kind is None or update["@type"] == kind:
                return update
        return None

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


def run(state, *words):
    return subprocess.run([bellwire, *words, "--state", state], capture_output=True, check=True, timeout=10).stdout


def story(state, hook, account, options):
    made = json.loads(
        run(state, "register", "--app", "telegram", "--account", account, "--callback", hook, "--json", *options)
    )
    secret = made["callback_secret"]
    created = heard("registration.created", secret)
    check(created["register_device"] == made["register_device"], "the callback gets the parameters of registerDevice")
    telegram = Telegram(created["register_device"])
    engine = Engine(state, account)
    check(engine.next()["groups"] == [], "nothing is shown yet")
    for number, encoding in enumerate(("aes128gcm", "aesgcm"), 1):
        text = message(f"by {encoding}", number)
        telegram.push(text, encoding)
        check(engine.shown() == [f"by {encoding}"], f"{encoding}: the message is shown")
        told = heard("push.message", secret)
        check(decode(told["payload"]).decode() == text, f"{encoding}: the callback gets the payload")
    rotated = json.loads(run(state, "registration", "rotate", made["id"], "--json"))
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
        run(state, "registration", "revoke", made["id"])
        heard("registration.deleted", secret)
        check(engine.next("updateNotificationGroup")["removed_notification_ids"], "the notifications are removed")
    check(former.is_gone() and telegram.is_gone(), "both endpoints answer 410")
    while engine.next():
        pass
    check(Hook.events.empty(), "no event comes after that")


def together(state):
    """Two accounts of one client share pushes without a user id; a third account does not get them."""
    engines, servers = {}, {}
    for account, user, others in (("home", "1", "2"), ("work", "2", "1"), ("else", "3", None)):
        made = json.loads(
            run(
                state,
                "register",
                "--app",
                "telegram",
                "--account",
                account,
                "--user-id",
                user,
                *(["--other-user-id", others] if others else []),
                "--json",
            )
        )
        servers[account] = Telegram(made["register_device"])
        engines[account] = Engine(state, account)
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


with tempfile.TemporaryDirectory() as folder:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hook)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    process = subprocess.Popen(
        [bellwire, "serve", "--listen", "http://127.0.0.1:0", "--state", f"{folder}/state", "--keys", f"{folder}/keys"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        check(process.stdout.readline().startswith("bellwire: ready "), "the server is ready")
        hook = f"http://127.0.0.1:{server.server_port}/hook"
        story(f"{folder}/state", hook, "plain", [])
        story(f"{folder}/state", hook, "sealed", ["--secret", "new"])
        together(f"{folder}/state")
        process.terminate()
        check(process.wait(timeout=20) == 0, "the server ends")
    finally:
        process.kill()
print(f"story: {passed} checks passed")
