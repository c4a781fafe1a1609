"""`bellwire serve` with a folder of its own."""

import json
import os
import pathlib
import re
import subprocess

from kit import control, process
from kit.checks import Failed


class Server(process.Watched):
    """Can be ended, killed and started again, at the same port, because endpoints contain it. It speaks TLS or listens
    in clear. `options` are those of the command.
    """

    limit = 60
    # Words that lead into another system, if its programs run there.
    within = ()

    def __init__(self, program, folder, *options, is_secure=False, environment=None):
        self.program, self.folder = os.path.abspath(program), pathlib.Path(folder)
        self.options, self.scheme = options, "" if is_secure else "http://"
        self.environment = os.environ | (environment or {})
        self.state, self.log = self.folder / "state", self.folder / "log"
        self.socket = self.state / "control.sock"
        self.configuration = self.folder / "bellwire.conf"
        self.port = 0

    @property
    def authority(self):
        """That of the certificate which it makes for itself."""
        return self.state / "keys/development-ca.pem"

    @property
    def certificate(self):
        return self.state / "keys/development-tls.pem"

    @property
    def address(self):
        """What it listens on."""
        return f"{self.scheme}127.0.0.1:{self.port}"

    def command(self):
        # With a file of its own, it does not read this machine's.
        self.configuration.touch()
        return [
            *(*self.within, self.program, "serve", "--config", self.configuration),
            *("--state", self.state, "--listen", self.address, *self.options),
        ]

    def start(self, **terms):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [str(word) for word in self.command()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env=self.environment,
                **terms,
            )
        self.base = process.ready(self.process, seconds=self.limit)
        if not self.base:
            self.kill()
            raise Failed(f"bellwire does not start: {self.said()[-2000:]}")
        if found := re.search(r":(\d+)(/|$)", self.base.removeprefix("http")):
            self.port = self.port or int(found[1])
        return self

    def __enter__(self):
        return self.start()

    def __exit__(self, kind, *_):
        self.stop() if kind is None else self.kill()

    def stop(self):
        """It ends by itself and in good order."""
        if self.process:
            code = process.end(self.process, seconds=self.limit)
            self.process = None
            if code != 0:
                raise Failed(f"bellwire ends with {code}: {self.said()[-2000:]}")

    def kill(self):
        killed, self.process = self.process, None
        if killed:
            killed.kill()
            killed.wait(self.limit)

    def other_port(self):
        """The one in clear, beside that of TLS."""
        return int(re.search(r"listening address=127\.0\.0\.1:(\d+) protocol=http ", self.said())[1])

    def said(self):
        return self.log.read_text(errors="replace")

    def run(self, *words, **terms):
        """What a command prints that ends by itself."""
        done = subprocess.run(
            [str(word) for word in (*self.within, self.program, *words, "--state", self.state)],
            capture_output=True,
            text=True,
            timeout=self.limit,
            **{"env": self.environment} | terms,
        )
        if done.returncode:
            raise Failed(f"bellwire {words[0]}: {done.stdout}{done.stderr}")
        return done.stdout

    def tell(self, *words, **terms):
        return json.loads(self.run(*words, "--json", **terms))

    def ask(self, method, what, members=None):
        """The answer of the API to an administrator."""
        return control.ask(self.socket, method, what, members)

    def add_device(self, name, **terms):
        return self.ask("POST", "devices", {"name": name, **terms})["bearer"]
