"""A Synapse on loopback with SQLite, and requests that a client makes."""

import itertools
import subprocess
import sys
import time

import requests

CONFIGURATION = """
server_name: home.test
pid_file: {folder}/pid
signing_key_path: {folder}/signing.key
log_config: {folder}/log.yaml
media_store_path: {folder}/media
report_stats: false
macaroon_secret_key: a
form_secret: b
registration_shared_secret: c
trusted_key_servers: []
federation_domain_whitelist: []
enable_registration: true
enable_registration_without_verification: true
database: {{name: sqlite3, args: {{database: "{folder}/homeserver.db"}}}}
listeners:
  - {{port: {port}, bind_addresses: [127.0.0.1], type: http, resources: [{{names: [client]}}]}}
rc_message: {{per_second: 1000, burst_count: 1000}}
rc_login: {{address: {{per_second: 1000, burst_count: 1000}}}}
rc_registration: {{per_second: 1000, burst_count: 1000}}
{setting}
"""

LOG = """
version: 1
formatters: {{short: {{format: "%(asctime)s %(name)s %(levelname)s %(message)s"}}}}
handlers: {{file: {{class: logging.FileHandler, filename: {folder}/log, formatter: short}}}}
root: {{level: INFO, handlers: [file]}}
disable_existing_loggers: false
"""


class Homeserver:
    limit = 60

    def __init__(self, folder, port, setting, python=sys.executable, environment=None):
        """`setting` is what `bellwire check` says must be added to its configuration; `python` is a Python that has
        Synapse.
        """
        self.folder, self.setting = folder, setting
        self.python, self.environment = python, environment
        self.port = port
        self.url = f"http://127.0.0.1:{port}"
        self.process = None

    def start(self):
        self.folder.mkdir()
        values = {"folder": self.folder, "port": self.port, "setting": self.setting}
        (self.folder / "log.yaml").write_text(LOG.format(**values))
        configuration = self.folder / "homeserver.yaml"
        configuration.write_text(CONFIGURATION.format(**values))
        command = [self.python, "-m", "synapse.app.homeserver", "-c", configuration]
        output = open(self.folder / "output", "wb")
        subprocess.run(command + ["--generate-keys"], check=True, stdout=output, stderr=subprocess.STDOUT)
        self.process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, env=self.environment)
        deadline = time.monotonic() + self.limit
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                requests.get(self.url + "/_matrix/client/versions", timeout=2).raise_for_status()
                return
            except requests.RequestException:
                time.sleep(0.1)
        raise RuntimeError((self.folder / "output").read_text()[-2000:])

    def stop(self):
        self.process.terminate()
        self.process.wait(self.limit)


class User:
    numbers = itertools.count()

    def __init__(self, homeserver, name):
        self.homeserver, self.session = homeserver, requests.Session()
        answer = self.ask(
            "POST", "register", {"username": name, "password": "secret", "auth": {"type": "m.login.dummy"}}
        )
        self.id, self.token = answer["user_id"], answer["access_token"]
        self.session.headers["Authorization"] = "Bearer " + self.token

    def ask(self, method, path, body=None):
        answer = self.session.request(method, f"{self.homeserver.url}/_matrix/client/v3/{path}", json=body, timeout=30)
        if answer.status_code != 200:
            raise RuntimeError(f"{method} {path}: {answer.status_code} {answer.text}")
        return answer.json()

    def create_room(self, *others):
        room = self.ask(
            "POST", "createRoom", {"preset": "private_chat", "name": "Office", "invite": [user.id for user in others]}
        )
        for user in others:
            user.ask("POST", f"rooms/{room['room_id']}/join", {})
        return room["room_id"]

    def say(self, room, text, formatted=None):
        """The id of the event."""
        content = {"msgtype": "m.text", "body": text}
        if formatted:
            content |= {"format": "org.matrix.custom.html", "formatted_body": formatted}
        path = f"rooms/{room}/send/m.room.message/{next(self.numbers)}"
        return self.ask("PUT", path, content)["event_id"]

    def redact(self, room, event):
        self.ask("PUT", f"rooms/{room}/redact/{event}/{next(self.numbers)}", {})

    def add_pusher(self, pushkey, gateway, **data):
        self.ask(
            "POST",
            "pushers/set",
            {
                "pushkey": pushkey,
                "kind": "http",
                "app_id": "org.example.client",
                "append": True,
                "app_display_name": "Client",
                "device_display_name": "Desktop",
                "lang": "en",
                "data": {"url": gateway + "/_matrix/push/v1/notify", **data},
            },
        )

    def pushkeys(self):
        return {pusher["pushkey"] for pusher in self.ask("GET", "pushers")["pushers"]}
