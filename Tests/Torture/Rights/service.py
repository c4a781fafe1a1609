"""The program under test, and what the test counts."""

import asyncio
import collections
import os
import re
import signal

from kit.server import Server
from rights import Rights
from wires import HTTP


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
