"""The program under test, and what the test counts."""

import asyncio
import collections
import os
import pathlib
import re
import signal
import subprocess

from rights import Rights
from wires import HTTP


class Service:
    def __init__(self, program, folder, chance):
        self.program, self.chance = program, chance
        self.folder = pathlib.Path(folder)
        self.control = self.folder / "state/control.sock"
        self.rights = Rights()
        self.answers = collections.Counter()
        # The rules that were broken, and how often, each with the first numbers.
        self.findings, self.shapes = {}, {}
        self.senders = {}
        self.administrator = None

    def configure(self, local_users):
        """Changes the configuration while the server runs, like an operator."""
        (self.folder / "bellwire.conf").write_text(
            f"registration = token\nlocal-users = {'yes' if local_users else 'no'}\n"
        )
        if hasattr(self, "process"):
            self.process.send_signal(signal.SIGHUP)

    def start(self):
        # Other users of this machine must be able to reach the control socket.
        os.chmod(self.folder, 0o755)
        self.configure(local_users=True)
        self.log = open(self.folder / "log", "wb")
        self.process = subprocess.Popen(
            [
                self.program,
                "serve",
                "--listen",
                "http://127.0.0.1:0",
                "--state",
                self.folder / "state",
                "--keys",
                self.folder / "keys",
                "--config",
                self.folder / "bellwire.conf",
            ],
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
        )
        ready = self.process.stdout.readline().split()
        if ready[:2] != ["bellwire:", "ready"]:
            raise SystemExit(f"rights: the server did not start: {self.logged()}")
        self.port = int(ready[2].rsplit(":", 1)[1])

    def logged(self):
        """The end of the log, without the bodies that were sent to be unreadable."""
        lines = (self.folder / "log").read_text(errors="replace").splitlines()
        return "\n".join([line for line in lines if "event=undecryptable" not in line][-12:])

    def broken(self, text):
        shape = re.sub(r"[0-9]+|zq\S*|[A-Za-z0-9_-]{16,}", "#", text)[:90]
        first = self.shapes.setdefault(shape, text)
        self.findings[first] = self.findings.get(first, 0) + 1

    def end(self):
        """The server ends by itself, with exit code 0."""
        self.process.terminate()
        try:
            return self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()
        finally:
            self.log.close()

    def memory(self):
        """Resident bytes."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/statm").read_text().split()
        return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def count(self, who, status):
        self.answers[str(who), status] += 1

    def sender(self, caller):
        if caller.name not in self.senders:
            self.senders[caller.name] = HTTP(lambda: asyncio.open_connection("127.0.0.1", self.port))
        return self.senders[caller.name]
