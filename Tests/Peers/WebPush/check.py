"""bellwire against independent libraries: they read what it sends, and it reads what they send.

usage: check.py PATH_OF_BELLWIRE
"""

import base64
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading
import time

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from py_vapid import Vapid02
from pywebpush import WebPusher

bellwire = sys.argv[1]
passed = 0


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def check(condition, what):
    global passed
    if not condition:
        sys.exit(f"peers: FAILED: {what}")
    passed += 1


class Recorder(http.server.BaseHTTPRequestHandler):
    """Keeps each request and answers 201."""

    requests = []

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.requests.append((self.headers, body))
        self.send_response(201)
        self.send_header("Location", "/m/1")
        self.end_headers()

    def log_message(self, *_):
        pass


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
    for name, kind in (("receiver", "receiver"), ("vapid", "vapid")):
        subprocess.run([bellwire, "keys", "new", kind, f"{folder}/{name}"], check=True, capture_output=True)
    keys = json.load(open(f"{folder}/receiver"))
    vapid = json.load(open(f"{folder}/vapid"))
    endpoint = f"http://127.0.0.1:{server.server_port}/wpush/v1/x"
    for encoding in ("aes128gcm", "aesgcm"):
        for text in (b"", b"x", "grüße 😀".encode(), os.urandom(3993)):
            subprocess.run(
                [
                    bellwire,
                    "send",
                    "--endpoint",
                    endpoint,
                    "--p256dh",
                    keys["pub"],
                    "--auth",
                    keys["auth"],
                    "--encoding",
                    encoding,
                    "--subject",
                    "mailto:a@example.net",
                    "--vapid-key",
                    f"{folder}/vapid",
                    "--file",
                    "-",
                ],
                input=text,
                check=True,
                capture_output=True,
            )
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
    numbers = receiver.private_numbers()
    public = numbers.public_numbers
    point = b"\x04" + public.x.to_bytes(32, "big") + public.y.to_bytes(32, "big")
    auth = os.urandom(16)
    keys = {"priv": encode(numbers.private_value.to_bytes(32, "big")), "pub": encode(point), "auth": encode(auth)}
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


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Recorder)
threading.Thread(target=server.serve_forever, daemon=True).start()
started = time.monotonic()
with tempfile.TemporaryDirectory() as folder:
    check_sending(server, folder)
check_receiving()
server.shutdown()
print(f"peers: {passed} checks against http_ece, py_vapid and pywebpush in {time.monotonic() - started:.1f} s")
