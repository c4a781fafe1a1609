"""The program under test and its eight callers: an administrator, two users of this machine, devices of two owners,
one whose credential was revoked, and one who never had one.
"""

import asyncio
import collections
import os
import re
import signal

from kit.server import Server
from rights import Broken, Rights
from values import Values
from wires import HTTP, Lines, Session, local_socket


class Service(Server):
    def __init__(self, program, folder, chance):
        super().__init__(program, folder)
        self.chance = chance
        self.rights = Rights()
        self.answers = collections.Counter()
        # The rules that were broken, and how often, each with the first numbers.
        self.findings, self.shapes = {}, {}
        self.senders = {}
        self.administrator = None

    def configure(self, local_users):
        """Changes the configuration while the server runs, like an operator."""
        self.configuration.write_text(f"registration = token\nlocal-users = {'yes' if local_users else 'no'}\n")
        if self.process:
            self.process.send_signal(signal.SIGHUP)

    def start(self):
        # Other users of this machine must be able to reach the control socket.
        os.chmod(self.folder, 0o755)
        self.configure(local_users=True)
        return super().start()

    def logged(self):
        """The end of the log, without the bodies that were sent to be unreadable."""
        lines = self.said().splitlines()
        return "\n".join([line for line in lines if "event=undecryptable" not in line][-12:])

    def broken(self, text):
        shape = re.sub(r"[0-9]+|zq\S*|[A-Za-z0-9_-]{16,}", "#", text)[:90]
        first = self.shapes.setdefault(shape, text)
        self.findings[first] = self.findings.get(first, 0) + 1

    def count(self, who, status):
        self.answers[str(who), status] += 1

    def sender(self, caller):
        if caller.name not in self.senders:
            self.senders[caller.name] = HTTP(lambda: asyncio.open_connection("127.0.0.1", self.port))
        return self.senders[caller.name]


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
