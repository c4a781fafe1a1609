"""Application servers that sign their pushes (RFC 8292), and those that sign them wrongly or not at all."""

import json
import time

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils
from kit.coding import encode
from kit.sealing import point

HOUR = 3_600
# What can be wrong, how often, and whether it is wrong for a subscription without a key, too.
WRONGS = {
    "missing": (3, False),
    "other key": (3, False),
    "damaged": (2, True),
    "expired": (1, True),
    "audience": (1, True),
}


class Signer:
    """An application server and its key."""

    def __init__(self):
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.public, self.tokens = encode(point(self.key)), {}

    def token(self, audience, lifetime):
        claims = {"aud": audience, "exp": int(time.time()) + lifetime, "sub": "mailto:torture@example.org"}
        parts = [encode(json.dumps(part).encode()) for part in ({"typ": "JWT", "alg": "ES256"}, claims)]
        signed = ".".join(parts).encode()
        pair = utils.decode_dss_signature(self.key.sign(signed, ec.ECDSA(hashes.SHA256())))
        return signed.decode() + "." + encode(b"".join(number.to_bytes(32) for number in pair))

    def field(self, audience, lifetime, is_kept, note):
        """Senders keep a token for hours, or make one for each push."""
        token = self.tokens.get((audience, lifetime)) if is_kept else None
        if not token:
            token = self.tokens[audience, lifetime] = self.token(audience, lifetime)
            note("secret", what="a signature", text=token.rpartition(".")[2])
        return f"vapid t={token}, k={self.public}"


class Keyring:
    """The application servers of a run. A part of the subscriptions is restricted to the key of one of them."""

    def __init__(self, world, audience, count=4):
        self.random, self.audience, self.note = world.branch(), audience, world.log.note
        self.signers, self.channels = [Signer() for _ in range(count)], {}

    def signer(self, channel):
        if channel not in self.channels:
            self.channels[channel] = self.random.choice(self.signers) if self.random.random() < 0.4 else None
        return self.channels[channel]

    def sign(self, one, fields, chance, may_be_wrong=True):
        """Adds what the push needs, or something wrong, and returns which for the log."""
        wrong = None
        if may_be_wrong and chance.random() < (0.08 if one.signer else 0.02):
            kinds = {kind: weight for kind, (weight, anywhere) in WRONGS.items() if anywhere or one.signer}
            wrong = chance.choices(list(kinds), list(kinds.values()))[0]
        elif not one.signer and chance.random() > 0.1:
            return {}
        if wrong != "missing":
            fields.append(("Authorization", self.field(one, wrong, chance)))
        return {"signed": wrong is None, "wrong": wrong}

    def field(self, one, wrong, chance):
        signer = one.signer or chance.choice(self.signers)
        if wrong == "other key":
            signer = chance.choice([other for other in self.signers if other is not signer])
        audience = "https://elsewhere.example" if wrong == "audience" else self.audience
        lifetime = -2 * HOUR if wrong == "expired" else chance.choice([2 * HOUR, 12 * HOUR, 23 * HOUR])
        field = signer.field(audience, lifetime, chance.random() < 0.8, self.note)
        if wrong == "damaged":
            at = field.rindex(",") - chance.randrange(4, 80)
            field = field[:at] + ("A" if field[at] != "A" else "B") + field[at + 1 :]
        return field
