"""A push service with its own state, which can be ended, killed and started again."""

import re
import select
import signal
import subprocess


class Service:
    limit = 30

    def __init__(self, bellwire, folder):
        self.bellwire, self.folder = bellwire, folder
        self.log = self.folder / "bellwire.log"
        self.authority = self.folder / "keys/development-ca.pem"
        self.certificate = self.folder / "keys/development-tls.pem"
        self.port, self.process = 0, None

    def start(self):
        """Keeps the port of the first start, because endpoints contain it."""
        self.process = subprocess.Popen(
            [
                self.bellwire,
                "serve",
                "--listen",
                f"127.0.0.1:{self.port}",
                "--state",
                self.folder / "state",
                "--keys",
                self.folder / "keys",
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=open(self.log, "ab"),
        )
        ready, _, _ = select.select([self.process.stdout], [], [], self.limit)
        line = self.process.stdout.readline().decode() if ready else ""
        self.url = line.removeprefix("bellwire: ready ").strip()
        if not self.url.startswith("https://localhost:"):
            raise RuntimeError("bellwire does not start")
        self.port = int(self.url.rsplit(":", 1)[1])

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(self.limit)
        self.process = None
        if code != 0:
            raise RuntimeError(f"bellwire ended with {code}")

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.wait(self.limit)
        self.process = None

    def messages(self):
        """How many messages waited in the store at the last start."""
        return int(re.findall(r"store-opened .*\bmessages=(\d+)", self.log.read_text())[-1])
