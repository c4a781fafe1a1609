"""bellwire against independent libraries: they read what it sends, and it reads what they send.

usage: check.py PATH_OF_BELLWIRE
"""

import json
import os
import subprocess
import sys
import tempfile
import time

sys.path.append(__file__.rsplit("/", 3)[0])

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from kit.checks import Checks, checked
from kit.coding import decode, encode
from kit.sealing import point
from kit.webserver import Handler, Listening
from py_vapid import Vapid02
from pywebpush import WebPusher

bellwire = sys.argv[1]
check = Checks("peers")


class Recorder(Handler):
    """Keeps each request and answers 201."""

    requests = []

    def do_POST(self):
        self.requests.append((self.headers, self.body()))
        self.answer(201, Location="/m/1")


def private_key(keys):
    return ec.derive_private_key(int.from_bytes(decode(keys["priv"]), "big"), ec.SECP256R1())


def decrypt_with_peer(headers, body, keys):
    """http_ece reads what bellwire sent."""
    encoding = headers["Content-Encoding"]
    arguments = dict(private_key=private_key(keys), auth_secret=decode(keys["auth"]), version=encoding)
    if encoding == "aesgcm":
        arguments["salt"] = decode(headers["Encryption"].split("salt=")[1])
        arguments["dh"] = decode(headers["Crypto-Key"].split("dh=")[1].split(";")[0])
    return http_ece.decrypt(body, **arguments)


def check_sending(server, folder):
    for name in ("receiver", "vapid"):
        subprocess.run([bellwire, "keys", "new", name, f"{folder}/{name}"], check=True, capture_output=True)
    keys = json.load(open(f"{folder}/receiver"))
    vapid = json.load(open(f"{folder}/vapid"))
    to = ["--endpoint", f"{server.url}wpush/v1/x", "--p256dh", keys["pub"], "--auth", keys["auth"], "--file", "-"]
    signed = ["--subject", "mailto:a@example.net", "--vapid-key", f"{folder}/vapid"]
    for encoding in ("aes128gcm", "aesgcm"):
        for text in (b"", b"x", "grüße 😀".encode(), os.urandom(3993)):
            command = [bellwire, "send", *to, "--encoding", encoding, *signed]
            subprocess.run(command, input=text, check=True, capture_output=True)
            headers, body = Recorder.requests.pop()
            what = f"http_ece reads {encoding} of {len(text)} bytes"
            check(decrypt_with_peer(headers, body, keys) == text, what)
            # py_vapid knows only the current form, without a blank after the comma.
            authorization = headers["Authorization"].replace(", ", ",")
            if encoding == "aesgcm":
                authorization = f"vapid t={authorization.split()[1]},k={vapid['pub']}"
            check(Vapid02.verify(authorization), f"py_vapid verifies the signature on {encoding}")


def check_receiving():
    receiver = ec.generate_private_key(ec.SECP256R1())
    number = receiver.private_numbers().private_value
    auth = os.urandom(16)
    keys = {"priv": encode(number.to_bytes(32, "big")), "pub": encode(point(receiver)), "auth": encode(auth)}
    pusher = WebPusher(
        {"endpoint": "https://push.example.net/x", "keys": {"p256dh": keys["pub"], "auth": keys["auth"]}}
    )
    lines, texts = [], []
    for encoding in ("aes128gcm", "aesgcm"):
        for length in (1, 2, 200, 3993):
            text = os.urandom(length)
            push = pusher.encode(text, content_encoding=encoding)
            line = dict(keys, encoding=encoding, body=encode(push["body"]))
            if encoding == "aesgcm":
                line["headers"] = {
                    "Encryption": "salt=" + push["salt"].decode().rstrip("="),
                    "Crypto-Key": "dh=" + push["crypto_key"].decode().rstrip("="),
                }
            lines.append(json.dumps(line))
            texts.append(text)
    result = subprocess.run([bellwire, "decrypt"], input="\n".join(lines), check=True, capture_output=True, text=True)
    for line, text in zip(result.stdout.splitlines(), texts, strict=True):
        answer = json.loads(line)
        check(answer == {"ok": encode(text)}, f"bellwire reads pywebpush: {answer.get('error')}")


def main():
    started, server = time.monotonic(), Listening(Recorder)
    with tempfile.TemporaryDirectory() as folder:
        check_sending(server, folder)
    check_receiving()
    seconds = time.monotonic() - started
    print(f"peers: {check.passed} checks against http_ece, py_vapid and pywebpush in {seconds:.1f} s")


checked(main)
