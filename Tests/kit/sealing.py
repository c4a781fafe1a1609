"""Encrypts as senders do, with nothing of the server's code: RFC 8291, the draft aesgcm, Telegram's second
layer from single AES blocks."""

import hashlib
import os
import struct

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from kit.coding import decode, encode


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


def ige(key, vector, text):
    """AES-256 in IGE mode, made from single blocks."""
    block = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    before, plain = vector[:16], vector[16:]
    out = b""
    for start in range(0, len(text), 16):
        part = text[start : start + 16]
        mixed = bytes(a ^ b for a, b in zip(part, before))
        before = bytes(a ^ b for a, b in zip(block.update(mixed), plain))
        plain = part
        out += before
    return out


def mtproto(secret, text):
    """The value of `p` as Telegram's server makes it (MTProto 2.0, to the client)."""
    padding = 12 + (-(4 + len(text) + 12)) % 16
    plain = struct.pack("<i", len(text)) + text + os.urandom(padding)
    key = hashlib.sha256(secret[96:128] + plain).digest()[8:24]
    a = hashlib.sha256(key + secret[8:44]).digest()
    b = hashlib.sha256(secret[48:84] + key).digest()
    sealed = ige(a[:8] + b[8:24] + a[24:], b[:8] + a[8:24] + b[24:], plain)
    sealed = hashlib.sha1(secret).digest()[-8:] + key + sealed
    return encode(sealed)


def keys(secret, salt, encoding, context):
    key = derive(secret, salt, b"Content-Encoding: " + encoding + b"\0" + context, 16)
    return key, derive(secret, salt, b"Content-Encoding: nonce\0" + context, 12)


def opened(body, key, auth):
    """The text of an aes128gcm body, for adapters whose clients hold the keys themselves."""
    salt, sender, sealed = body[:16], body[21 : 21 + body[20]], body[21 + body[20] :]
    secret = derive(shared(key, sender), auth, b"WebPush: info\0" + point(key) + sender, 32)
    content, nonce = keys(secret, salt, b"aes128gcm", b"")
    return AESGCM(content).decrypt(nonce, sealed, None).rstrip(b"\0")[:-1]
