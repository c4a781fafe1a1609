"""The whole program under attack, and one beside it without attack; a neighbour pushes to both."""

import http.client
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time

from target import percentile99

HERE = pathlib.Path(__file__).parent


class Control(http.client.HTTPConnection):
    """The control socket, used as its administrator."""

    def __init__(self, path):
        super().__init__("localhost", timeout=20)
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(20)
        self.sock.connect(self.path)

    def ask(self, method, path, members=None):
        body = json.dumps(members) if members is not None else None
        fields = {"Content-Type": "application/json"} if body else {}
        self.request(method, path, body, fields)
        answer = self.getresponse()
        text = answer.read()
        if answer.status >= 300:
            raise OSError(f"{method} {path}: {answer.status} {text[:200]}")
        return json.loads(text) if text else None


class Shipped:
    """One `bellwire serve` without TLS, for added devices."""

    def __init__(self, program):
        self.folder = tempfile.TemporaryDirectory()
        base = self.folder.name
        # Keeps the server from reading this machine's configuration.
        pathlib.Path(base, "none.conf").write_text("")
        self.log = open(f"{base}/log", "wb")
        self.process = subprocess.Popen(
            [
                program,
                "serve",
                "--config",
                f"{base}/none.conf",
                "--listen",
                "http://127.0.0.1:0",
                "--state",
                f"{base}/state",
                "--keys",
                f"{base}/keys",
                "--registration",
                "token",
            ],
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
        )
        line = self.process.stdout.readline().split()
        if line[:2] != ["bellwire:", "ready"]:
            sys.exit(f"attack: the server did not start: {pathlib.Path(base, 'log').read_text()}")
        self.port = int(line[2].rsplit(":", 1)[1])
        self.socket = f"{base}/state/control.sock"
        self.control = Control(self.socket)
        self.proc = pathlib.Path(f"/proc/{self.process.pid}")

    def add_device(self, owner):
        name = f"{owner} {time.monotonic_ns()}"
        return self.control.ask("POST", "/api/v1/devices", {"name": name, "owner": owner})["bearer"]

    def remove_owner(self, name):
        """Removes the owner with everything that belongs to it."""
        for owner in self.control.ask("GET", "/api/v1/owners")["owners"]:
            if owner["name"] == name:
                self.control.ask("DELETE", f"/api/v1/owners/{owner['id']}")

    def is_alive(self):
        return self.process.poll() is None

    def memory(self):
        return int((self.proc / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def descriptors(self):
        return len(os.listdir(self.proc / "fd"))

    def cpu(self):
        """CPU seconds."""
        return sum(int((task / "schedstat").read_text().split()[0]) for task in (self.proc / "task").iterdir()) / 1e9

    def end(self):
        self.process.kill()
        self.process.wait()
        self.log.close()
        self.folder.cleanup()


class Neighbour:
    """Another user, who pushes to a device at both servers in turn until the block ends."""

    def __init__(self, servers, bearers):
        self.places = [f"{server.port}/{bearer}" for server, bearer in zip(servers, bearers)]

    def __enter__(self):
        self.process = subprocess.Popen(
            [sys.executable, HERE / "neighbour.py", *self.places],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.process.stdout.readline()
        return self

    def __exit__(self, *_):
        output, _ = self.process.communicate(input="")
        self.attacked, self.elsewhere = json.loads(output)
        for seen in (self.attacked, self.elsewhere):
            seen["p99"] = percentile99(seen["times"])


class Siege:
    """A server under siege, with everything that is compared."""

    def __init__(self, program):
        self.servers = [Shipped(program), Shipped(program)]
        self.server = self.servers[0]
        self.bearers = [server.add_device("neighbour") for server in self.servers]

    def __enter__(self):
        with self.neighbour():
            time.sleep(0.2)
        with self.neighbour() as quiet:
            time.sleep(1.5)
        self.quiet = quiet.attacked["p99"]
        self.first_memory = self.server.memory()
        return self

    def __exit__(self, *_):
        for server in self.servers:
            server.end()

    def neighbour(self):
        return Neighbour(self.servers, self.bearers)
