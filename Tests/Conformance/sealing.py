"""Encrypts as senders do, with nothing of the server's code: RFC 8291, the draft aesgcm, Telegram's second layer."""

import base64
import os
import pathlib
import sys

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Peers/WebPush"))
from mtproto import mtproto  # noqa: E402


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def point(key):
    return key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def derive(secret, salt, info, length):
    return HKDF(SHA256(), length, salt, info).derive(secret)


def shared(own, other):
    return own.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), other))


def web_push(made, text, encoding="aes128gcm"):
    """The body and the fields of a push to keys in base64url."""
    own, other, auth = ec.generate_private_key(ec.SECP256R1()), decode(made["p256dh"]), decode(made["auth"])
    salt = os.urandom(16)
    secret = shared(own, other)
    if encoding == "aes128gcm":
        secret = derive(secret, auth, b"WebPush: info\0" + other + point(own), 32)
        key, nonce = keys(secret, salt, b"aes128gcm", b"")
        sealed = AESGCM(key).encrypt(nonce, text + b"\2", None)
        size = max(4096, len(sealed) + 1)
        body = salt + size.to_bytes(4, "big") + b"\x41" + point(own) + sealed
        return body, {"Content-Encoding": "aes128gcm"}
    secret = derive(secret, auth, b"Content-Encoding: auth\0", 32)
    context = b"P-256\0\0\x41" + other + b"\0\x41" + point(own)
    key, nonce = keys(secret, salt, b"aesgcm", context)
    fields = {
        "Content-Encoding": "aesgcm",
        "Encryption": f"salt={encode(salt)}",
        "Crypto-Key": f"dh={encode(point(own))}",
    }
    return AESGCM(key).encrypt(nonce, b"\0\0" + text, None), fields


def sealed_by_telegram(secret, text):
    return mtproto(secret, text)


def keys(secret, salt, encoding, context):
    key = derive(secret, salt, b"Content-Encoding: " + encoding + b"\0" + context, 16)
    return key, derive(secret, salt, b"Content-Encoding: nonce\0" + context, 12)


def opened(body, key, auth):
    """The text of an aes128gcm body, for adapters whose clients hold the keys themselves."""
    salt, sender, sealed = body[:16], body[21 : 21 + body[20]], body[21 + body[20] :]
    secret = derive(shared(key, sender), auth, b"WebPush: info\0" + point(key) + sender, 32)
    content, nonce = keys(secret, salt, b"aes128gcm", b"")
    return AESGCM(content).decrypt(nonce, sealed, None).rstrip(b"\0")[:-1]
