"""The eight callers: an administrator, two users of this machine, devices of two owners, one whose credential was
revoked, and one who never had one.
"""

import asyncio

from rights import Broken
from values import Values
from wires import HTTP, Lines, Session, local_socket


class Caller:
    """Somebody with a way to the server, and the connections that are open."""

    def __init__(self, service, name, owner, chance, uid=None, bearer=None):
        self.service, self.rights = service, service.rights
        self.name, self.owner, self.uid, self.bearer = name, owner, uid, bearer
        self.mark = "".join(character for character in owner if character.isalnum())
        self.is_administrator = uid == 0
        self.chance, self.values = chance, Values(chance)
        self.said = set()
        self.http = HTTP(self.connect)
        self.engine = self.agent = None
        self.serial = 0

    def __str__(self):
        return self.name

    @property
    def is_local(self):
        return self.uid is not None

    @property
    def device(self):
        """The device whose credential this caller uses, if any."""
        return self.rights.devices.get(self.bearer) if self.bearer else None

    def is_let_in(self, since):
        """Whether the server accepts the caller: True, False, or None if that changed meanwhile."""
        if self.is_administrator:
            return True
        thing = self.rights.local_users if self.is_local else self.device
        return thing.state(since) if thing else False

    def marked(self, text=""):
        self.serial += 1
        return f"zq{self.mark}zq {self.serial} {text}"[:120].strip()

    async def connect(self):
        if self.is_local:
            return await asyncio.open_unix_connection(sock=local_socket(self.service.socket, self.uid))
        return await asyncio.open_connection("127.0.0.1", self.service.port)

    async def ask(self, method, path, body=b"", fields=(), says=True):
        """An answer after inspection: status, fields, text."""
        if self.bearer:
            fields = [("Authorization", f"Bearer {self.bearer}"), *fields]
        if body and not any(name == "Content-Type" for name, _ in fields):
            fields = [("Content-Type", "application/json"), *fields]
        status, fields, text = await self.http.ask(method, path, fields, body)
        self.service.count(self, status)
        if says:
            self.rights.inspect(text + fields.get("location", ""), self)
        if status >= 500 and "retry-after" not in fields:
            raise Broken(f"{method} {path[:80]}: {status} without Retry-After")
        return status, fields, text

    def heard(self, text, message):
        self.rights.inspect(text, self)

    async def open_engine(self, path):
        if self.is_local:
            return await Session.open(
                f"ws://localhost{path}", self.heard, sock=local_socket(self.service.socket, self.uid)
            )
        return await Session.open(f"ws://127.0.0.1:{self.service.port}{path}", self.heard, self.bearer)

    async def open_lines(self):
        return Lines(*await self.connect(), self.heard)

    async def close(self):
        for session in (self.engine, self.agent):
            if session:
                await session.close()
        self.engine = self.agent = None
        self.http.close()
