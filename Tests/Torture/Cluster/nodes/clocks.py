"""Nodes as on machines of their own: each was started at another time, and its time of day is some minutes off."""

from clients.signing import HOUR, Keyring
from kit.meddler import Meddler

# The first node has the right time of day, the others are ahead and behind, in seconds.
OFFSETS = [0, 420, -420]
# How long the machine of a node is up already, in days at most. Nodes start with clocks that nobody can set apart.
UP = 30
# Valid by the right time, and not by a clock that is some minutes off; the same of one that has expired.
SOON, LATEST, JUST = 120, 24 * HOUR - 120, -120


def yesterday(folder):
    """The environment of a command that runs a day ago."""
    folder.mkdir(mode=0o700, exist_ok=True)
    meddler = Meddler(folder)
    meddler.set(offset=-86_400)
    return meddler.environment(folder)


def set_apart(node, folder, random):
    """What the environment of this node says from now on."""
    folder.mkdir(mode=0o700, exist_ok=True)
    meddler = Meddler(folder)
    up = random.randrange(1, UP) * 86_400 + random.randrange(86_400)
    # The machine has been up for longer, which also moves the time of day; that is put right, but for some minutes.
    meddler.set(slept=up, offset=OFFSETS[node.number] - up)
    return meddler.environment(folder)


class EdgeKeyring(Keyring):
    """Some signatures are valid for a short while, or were until a moment ago, so that minutes matter."""

    def sign(self, one, fields, chance, may_be_wrong=True):
        self.is_edge = False
        signed = super().sign(one, fields, chance, may_be_wrong)
        return signed | {"edge": True} if self.is_edge else signed

    def field(self, one, wrong, chance):
        self.is_edge = wrong in (None, "expired") and chance.random() < 0.4
        if not self.is_edge:
            return super().field(one, wrong, chance)
        signer = one.signer or chance.choice(self.signers)
        lifetime = JUST if wrong else chance.choice([SOON, LATEST])
        return signer.field(self.audience, lifetime, False, self.note)
