"""The second encryption of a push, as Telegram's server makes it, from single AES blocks."""

import base64
import hashlib
import os
import struct

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes


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
    return base64.urlsafe_b64encode(sealed).rstrip(b"=").decode()
