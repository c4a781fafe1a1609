"""Values from the whole range of their types, and correct and broken bodies."""

import json
import math
import os
import uuid

from kit.coding import encode

INTEGERS = [
    0,
    1,
    -1,
    2,
    10,
    127,
    128,
    255,
    256,
    65_535,
    65_536,
    2**31 - 1,
    2**31,
    -(2**31),
    2**32 - 1,
    2**32,
    2**53,
    2**53 + 1,
    2**62,
    2**63 - 2,
    2**63 - 1,
    2**63,
    -(2**63),
    -(2**63) - 1,
    2**64 - 1,
    2**64,
    10**30,
    -(10**12) - 1,
    1_000_000_000_000,
    -1_000_000_000_000,
    -2_000_000_000_000,
]
TEXTS = [
    "",
    " ",
    "0",
    "-1",
    "true",
    "null",
    "new",
    "admin",
    "../../etc/passwd",
    "%00%2f",
    "a" * 129,
    "\u0000",
    "\x1b[31m\x07",
    "\u202edrow",
    "\u2028",
    "\ud7ff\ue000",
    "😀" * 70,
    "é" * 300,
    "<b>&amp;</b>",
    "'; DROP TABLE owner; --",
    "{}",
    "1.2.3e",
    "1e999",
    "-9223372036854775808",
]
# Text that no JSON writer produces, used as it is.
BROKEN = [
    '{"a":1.2.3e}',
    '{"a":+1}',
    '{"a":01}',
    '{"a":NaN}',
    '{"a":"\\ud800"}',
    '{"a":1',
    "[" * 500,
    '{"a":1,"a":2}',
    "\x00",
    '"',
    '{"@type":"close"',
    "nul",
]


class Values:
    """Draws from one source of random numbers, so that a seed gives the same values again."""

    def __init__(self, chance):
        self.chance = chance

    def integer(self):
        if self.chance.random() < 0.7:
            return self.chance.choice(INTEGERS)
        return self.chance.getrandbits(self.chance.randrange(1, 70)) * self.chance.choice((1, -1))

    def text(self):
        if self.chance.random() < 0.8:
            return self.chance.choice(TEXTS)
        return "".join(
            chr(self.chance.choice((self.chance.randrange(1, 0x250), self.chance.randrange(0x2000, 0x2070))))
            for _ in range(self.chance.randrange(40))
        )

    def number(self):
        if self.chance.random() < 0.8:
            return self.integer()
        return self.chance.choice((0.0, -0.0, 1.5, 1e308, -1e308, 5e-324, math.pi))

    def any(self, depth=0):
        kind = self.chance.randrange(8 if depth < 3 else 5)
        if kind < 2:
            return self.number()
        if kind < 4:
            return self.text()
        if kind == 4:
            return self.chance.choice((None, True, False))
        if kind == 5:
            return [self.any(depth + 1) for _ in range(self.chance.randrange(4))]
        return {self.text()[:20]: self.any(depth + 1) for _ in range(self.chance.randrange(4))}

    def token(self):
        """An identifier that nobody was ever given."""
        return encode(self.chance.randbytes(self.chance.choice((0, 1, 15, 16, 16, 16, 17, 20, 28, 28))))

    def uuid(self):
        return str(uuid.UUID(int=self.chance.getrandbits(128), version=4))

    def spoiled(self, members):
        """The same members, with one changed, removed or added."""
        spoiled = dict(members)
        name = self.chance.choice(sorted(spoiled))
        fate = self.chance.randrange(4)
        if fate == 0:
            del spoiled[name]
        elif fate == 1:
            spoiled[self.text()[:30] or "other"] = self.any()
        else:
            spoiled[name] = self.any()
        return spoiled

    def json(self, value):
        """JSON text, and now and then something that is not JSON."""
        if self.chance.random() < 0.03:
            return self.chance.choice(BROKEN).encode()
        return json.dumps(value, ensure_ascii=self.chance.random() < 0.5).encode(errors="replace")

    def body(self):
        return os.urandom(self.chance.choice((0, 1, 17, 86, 104, 4_096, 5_630)))
