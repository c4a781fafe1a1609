"""A server with devices, registrations and chats, and the programs that a person starts beside it."""

import json
import os
import re
import select
import signal
import subprocess
import time

import requests


class Failed(Exception):
    pass


def check(condition, what):
    if not condition:
        raise Failed(what)


def wait_until(value, what, limit=10):
    """The first result that is true. A server and a browser need a moment for most things."""
    deadline = time.monotonic() + limit
    while not (got := value()):
        if time.monotonic() > deadline:
            raise Failed(f"{what}: not within {limit} s")
        time.sleep(0.05)
    return got


class Server:
    limit = 30

    def __init__(self, bellwire, folder, environment=None):
        self.bellwire, self.folder = os.path.abspath(bellwire), folder
        self.state, self.keys, self.log = folder / "state", folder / "keys", folder / "log"
        self.authority = self.keys / "development-ca.pem"
        self.certificate = self.keys / "development-tls.pem"
        self.environment = os.environ | (environment or {})
        self.process = None
        # Users of this machine have to reach the control socket inside.
        os.chmod(folder, 0o755)
        self.session = requests.Session()
        self.session.trust_env = False
        self.session.verify = str(self.authority)

    def configure(self, local_users):
        """Changes the configuration, also while the server runs."""
        (self.folder / "bellwire.conf").write_text(
            f"listen = 127.0.0.1:0\nlisten = http://127.0.0.1:0\nregistration = token\n"
            f"local-users = {'yes' if local_users else 'no'}\n"
        )
        if self.process:
            self.process.send_signal(signal.SIGHUP)

    def start(self):
        self.configure(local_users=True)
        command = [self.bellwire, "serve", "--state", self.state, "--keys", self.keys]
        self.process = subprocess.Popen(
            # A library that is loaded into the program changes the environment of one that it is new to, and a Swift
            # program finds its arguments beside that: `env` is before it, and has the change made.
            ["env", *command, "--config", self.folder / "bellwire.conf"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=open(self.log, "ab"),
            env=self.environment,
        )
        ready, _, _ = select.select([self.process.stdout], [], [], self.limit)
        line = self.process.stdout.readline().decode() if ready else ""
        self.base = line.removeprefix("bellwire: ready ").strip()
        check(self.base.startswith("https://localhost:"), f"bellwire starts: {self.log.read_text()[-2000:]}")
        self.port = int(self.base.rsplit(":", 1)[1])
        self.plain_port = int(
            re.search(r"listening address=127\.0\.0\.1:(\d+) protocol=http ", self.log.read_text())[1]
        )

    def stop(self):
        if self.process is None:
            return
        self.process.terminate()
        code = self.process.wait(self.limit)
        self.process = None
        check(code == 0, f"bellwire ends with {code}")

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.wait(self.limit)
        self.process = None

    def run(self, *command, uid=0):
        """What a command prints for a user of this machine."""
        done = subprocess.run(
            [self.bellwire, *command, "--state", self.state],
            capture_output=True,
            text=True,
            timeout=self.limit,
            # Of the server's group, which may use the control socket.
            user=uid,
            group=0,
            env=self.environment | {"HOME": str(self.folder)},
            cwd="/",
        )
        check(done.returncode == 0, f"bellwire {command[0]}: {done.stderr}")
        return done.stdout

    def tell(self, *command, uid=0):
        return json.loads(self.run(*command, "--json", uid=uid))

    def link(self, uid=0):
        """A link to log in with."""
        found = re.search(rf"{re.escape(self.base)}/ui/login#\S+", text := self.run("ui", uid=uid))
        check(found, f"bellwire ui prints a link: {text}")
        return found[0]

    def code(self, uid=0):
        return self.link(uid).partition("#")[2]

    def push(self, endpoint, text, title):
        answer = self.session.post(
            endpoint, text.encode(), headers={"Title": title.encode(), "TTL": "600"}, timeout=self.limit
        )
        check(answer.status_code == 201, f"a push is accepted: {answer.status_code}")

    def alert(self, endpoint, monitor, text, number=7):
        """A push of Uptime Kuma, which makes a chat with a title."""
        body = {
            "heartbeat": {"monitorID": number, "status": 0, "msg": text},
            "monitor": {"id": number, "name": monitor},
        }
        answer = self.session.post(endpoint, json=body, headers={"TTL": "600"}, timeout=self.limit)
        check(answer.status_code == 201, f"a push is accepted: {answer.status_code}")

    def devices(self, uid=0):
        return self.tell("device", "list", uid=uid)["devices"]

    def registrations(self, uid=0):
        return self.tell("registration", "list", uid=uid)["registrations"]

    def account(self, name, uid=0):
        """The chats of a registration's account, and whether it is paused."""
        accounts = self.tell("account", "list", uid=uid)["accounts"]
        return next(account for account in accounts if account["account"] == name)
