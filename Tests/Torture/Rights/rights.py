"""Who may see and do what: a simple model that checks every answer."""

import asyncio
import collections
import contextlib
import re
import time

# Everything that an owner sends contains a mark, so that it is recognised wherever it appears.
MARK = re.compile(r"zq([a-z0-9]+)zq")
TOKEN = re.compile(r"[A-Za-z0-9_-]{20,}")


class Broken(Exception):
    """A rule that did not hold."""


class Thing:
    """Something that belongs to an owner, with the time in which it certainly existed."""

    def __init__(self, owner, **members):
        self.owner = owner
        self.made = time.monotonic()
        self.end_begun = self.end_known = None
        self.__dict__.update(members)

    def ending(self):
        self.end_begun = self.end_begun or time.monotonic()

    def ended(self):
        self.ending()
        self.end_known = self.end_known or time.monotonic()

    def state(self, since):
        """The state over all the time since then: True, False, or None if it changed."""
        if self.end_known and self.end_known < since:
            return False
        return True if self.end_begun is None and self.made < since else None


class Rights:
    def __init__(self, phase=""):
        # The server still knows the keys of an earlier phase.
        self.phase = phase
        self.registrations, self.devices, self.agents, self.channels = {}, {}, {}, {}
        # The idempotency keys: (owner, key), with the body and answer of the request.
        self.kept = {}
        # Each identifier and secret, and its owner.
        self.owners = {}
        self.local_users = Thing("local users")
        self.locks = collections.defaultdict(asyncio.Lock)

    def lock(self, owner, key):
        """Held while a request with that idempotency key is under way."""
        return self.locks[owner, key] if key else contextlib.nullcontext()

    def belongs(self, text, owner):
        """Records every identifier and secret in this text as this owner's."""
        for token in TOKEN.findall(text):
            self.owners.setdefault(token, owner)

    def inspect(self, text, caller):
        """An answer contains nothing of others, apart from the caller's own words."""
        if caller.is_administrator:
            return
        for mark in MARK.findall(text):
            if mark != caller.mark:
                raise Broken(f"{caller} is told of {mark}: {text[:300]}")
        for token in TOKEN.findall(text):
            owner = self.owners.get(token, caller.owner)
            if owner != caller.owner and token not in caller.said:
                raise Broken(f"{caller} is told what belongs to {owner}: {text[:300]}")

    def sees(self, caller, thing):
        return caller.is_administrator or thing.owner == caller.owner

    def may(self, caller, thing, since):
        """True, False, or None if it changed during the request."""
        if thing is None or not self.sees(caller, thing):
            return False
        return thing.state(since)

    def account(self, caller, app, account, since):
        """Whether this caller has such an engine."""
        answers = [
            self.may(caller, registration, since)
            for registration in self.registrations.values()
            if (registration.app, registration.account) == (app, account)
        ]
        return True if True in answers else None if None in answers else False


def expect(status, allowed, what):
    if status not in allowed:
        raise Broken(f"{what} is answered {status} and not {' or '.join(map(str, sorted(allowed)))}")


def judge(may, status, good, what):
    """`good` are the statuses for callers with the right; all others are told that nothing is there."""
    allowed = {True: good, False: {404}, None: good | {404}}[may]
    # Callers with the right may always be told to try later.
    expect(status, allowed | ({429} if may is not False else set()), what)
