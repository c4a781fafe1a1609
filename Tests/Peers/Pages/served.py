"""A server with devices, registrations and chats, and the programs that a person starts beside it."""

import os
import re
import signal

import requests
from kit import server
from kit.checks import Checks

check = Checks("pages")


class Server(server.Server):
    def __init__(self, bellwire, folder, environment=None):
        super().__init__(bellwire, folder, "--listen", "http://127.0.0.1:0", is_secure=True, environment=environment)
        # Users of this machine have to reach the control socket inside.
        os.chmod(folder, 0o755)
        self.session = requests.Session()
        self.session.trust_env = False
        self.session.verify = str(self.authority)

    def configure(self, local_users):
        """Changes the configuration, also while the server runs."""
        self.configuration.write_text(
            f"registration = token\ncallback-allow = 127.0.0.1/32\nlocal-users = {'yes' if local_users else 'no'}\n"
        )
        if self.process:
            self.process.send_signal(signal.SIGHUP)

    # A library that is loaded into the program changes the environment of one that it is new to, and a Swift program
    # finds its arguments beside that: `env` is before it, and has the change made.
    within = ("env",)

    def start(self):
        self.configure(local_users=True)
        super().start()
        self.plain_port = self.other_port()
        return self

    def run(self, *command, uid=0):
        """What a command prints for a user of this machine."""
        # Of the server's group, which may use the control socket.
        environment = self.environment | {"HOME": str(self.folder)}
        return super().run(*command, user=uid, group=0, env=environment, cwd="/")

    def link(self, uid=0):
        """A link to log in with."""
        found = re.search(rf"{re.escape(self.base)}/ui/login#\S+", text := self.run("ui", uid=uid))
        check(found, f"bellwire ui prints a link: {text}")
        return found[0]

    def code(self, uid=0):
        return self.link(uid).partition("#")[2]

    def push(self, endpoint, text, title, fields=None):
        headers = {"Title": title.encode(), "TTL": "600", **(fields or {})}
        answer = self.session.post(endpoint, text.encode(), headers=headers, timeout=self.limit)
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
