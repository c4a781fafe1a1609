"""Fills a store and an engine's database as their users would, and keeps them as files for the tests of upgrades.

usage: keep_store.py PATH_OF_BELLWIRE COMMIT [--cleanly]

Writes Tests/Vectors/Upgrades/mailbox-NUMBER.tar.gz and engine-NUMBER.tar.gz, where NUMBER is the store's schema of that
program. The first holds the state folder and facts.json, which says what must be found in it. The programs are killed,
so that the WAL is part of the archive, unless --cleanly ends the server. What an older program cannot do is left out.
"""

import http.client
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import time
import uuid

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "Tests/Vectors/Upgrades"
sys.path.append(str(ROOT / "Tests"))

from kit.coding import path_of  # noqa: E402
from kit.server import Server  # noqa: E402
from kit.websocket import BlockingWebSocket  # noqa: E402

MONTH = 30 * 86_400
YEAR = 365 * 86_400
TELEGRAM = '{"loc_key":"MESSAGE_TEXT","loc_args":["Ada","%s"],"custom":{"from_id":"5","msg_id":"%d"},"user_id":77}'


class Keeper:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.environment = {"HOME": str(folder), "PATH": "/usr/bin:/bin"}
        self.facts = {"devices": [], "waiting": [], "fetched": []}
        self.server = Server(program, folder)
        self.server.environment = self.environment
        self.state, self.port = self.server.state, self.server.start().port

    def call(self, *words):
        words = [self.program, *words]
        return subprocess.run(words, env=self.environment, capture_output=True, text=True, timeout=60)

    def has(self, command):
        return self.call(command, "--help").returncode == 0

    def run(self, *words):
        """What a command prints as JSON."""
        done = self.call(*words, "--json")
        assert done.returncode == 0, f"{words}: {done.stderr}"
        return json.loads(done.stdout or "null")

    def ask(self, *words):
        return self.run(*words, "--state", str(self.state))

    def push(self, path, body, method="POST", **fields):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request(method, path, body, {"TTL": str(MONTH), "Content-Encoding": "aes128gcm", **fields})
        status = connection.getresponse().status
        assert status == 201, f"a push to {path} was answered {status}"

    def send(self, subscription, text, *options):
        """Encrypts and pushes as an application server does."""
        target = self.folder / "target.json"
        target.write_text(json.dumps(subscription))
        target.chmod(0o600)
        assert self.run("send", "--to", str(target), "--ttl", str(MONTH), *options, text), f"not sent: {text}"

    def fill_devices(self):
        for name, owner in [("phone", "ann"), ("desk", "bob")]:
            device = self.ask("device", "add", name, "--owner", owner)
            self.facts["devices"].append({"name": name, "owner": owner, "bearer": device["bearer"]})
        if self.has("owner"):
            self.ask("owner", "add", "carol")

    def fill_endpoints(self):
        """An open endpoint, one that is bound to a key, one that ended, and messages that wait."""
        key = str(self.folder / "vapid.json")
        vapid = self.run("keys", "new", "vapid", key)["application-server-key"]
        agent = BlockingWebSocket(self.port, self.facts["devices"][0]["bearer"])
        channels = [str(uuid.uuid4()) for _ in range(3)]
        opened, ended = agent.register(channels[0]), agent.register(channels[1])
        agent.say({"messageType": "register", "channelID": channels[2], "key": vapid})
        bound = agent.receive()["pushEndpoint"]
        agent.say({"messageType": "unregister", "channelID": channels[1], "code": 200})
        agent.receive()
        agent.close()
        self.facts.update(open=opened, ended=ended, bound=bound, vapid=vapid)
        time.sleep(0.5)  # The server notices that the agent is away.
        self.push(opened, "first")
        self.push(opened, "replaced", Topic="t")
        self.push(opened, "second", Topic="t", Urgency="high")
        receiver = self.run("keys", "new", "receiver", str(self.folder / "receiver.json"))
        keys = {"p256dh": receiver["p256dh"], "auth": "A" * 22}
        self.send({"endpoint": bound, "keys": keys}, "signed", "--vapid-key", key, "--subject", "mailto:a@example.org")
        self.facts["waiting"] = ["first", "second", None]

    def fill_registrations(self):
        """One with messages, a callback and an engine, one with a secret, and one that only signals."""
        lasting = ("--app", "telegram", "--expires", str(YEAR))
        open_one = ("--account", "me", "--user-id", "77", "--callback", "http://127.0.0.1:65535/hook")
        made = self.ask("register", *lasting, *open_one)
        self.facts["registration"] = {"id": made["id"], **self.push_telegram(made)}
        locked = self.ask("register", *lasting, "--account", "locked", "--secret", "new")
        self.facts["locked"] = {"id": locked["id"], "secret": locked["register_device"]["secret"]}
        signals = self.ask("register", *lasting, "--account", "signals", "--type", "4")
        self.push(path_of(signals["endpoint"]), "version=7", "PUT")
        self.facts["signals"] = {"id": signals["id"]}

    def push_telegram(self, made):
        """Two messages of Telegram's, and one that cannot be decrypted."""
        subscription = {name: made[name] for name in ("endpoint", "keys")}
        for number, text in enumerate(["one", "two"], 11):
            self.facts["fetched"].append(TELEGRAM % (text, number))
            self.send(subscription, self.facts["fetched"][-1])
        self.push(path_of(made["endpoint"]), b"\0" * 120)
        return subscription

    def end(self, cleanly):
        self.server.stop() if cleanly else self.server.kill()

    def keep(self, commit):
        copy = self.folder / "copy.db"
        for ending in ("", "-wal"):
            source = self.state / ("bellwire.db" + ending)
            if source.exists():
                (self.folder / ("copy.db" + ending)).write_bytes(source.read_bytes())
        with sqlite3.connect(copy) as database:
            number = database.execute("PRAGMA user_version").fetchone()[0]
            self.facts["made"] = database.execute("SELECT wall FROM state").fetchone()[0]
        self.facts.update(schema=number, commit=commit)
        (self.folder / "facts.json").write_text(json.dumps(self.facts))
        names = ["bellwire.db", "bellwire.db-wal", "keys/master.json"]
        pack(f"mailbox-{number:02}", self.folder, ["facts.json", *("state/" + name for name in names)])
        return number


def pack(name, folder, files):
    path = FOLDER / (name + ".tar.gz")
    with tarfile.open(path, "w:gz") as archive:
        for file in files:
            if (folder / file).exists():
                archive.add(folder / file, file)
    print(f"{path.relative_to(ROOT)}: {path.stat().st_size} bytes")


def keep_engine(program, folder, number):
    """An account with two messages and a call that rang, as its state, and a third message in the journal."""

    def run(requests, how):
        engine = subprocess.Popen(
            [program, "engine", "--database", str(folder / "engine")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for mark, request in enumerate(requests):
            print(json.dumps({**request, "@extra": mark}), file=engine.stdin, flush=True)
            while json.loads(engine.stdout.readline()).get("@extra") != mark:
                pass
        how(engine)
        engine.wait(30)

    def push(data):
        return {"@type": "processPushNotification", "payload": json.dumps({"data": json.loads(data)})}

    count = {"@type": "optionValueInteger", "value": "5"}
    call = '{"loc_key":"PHONE_CALL_REQUEST","loc_args":["Bob"],"custom":{"from_id":"2","call_id":"9"}}'
    token = {"@type": "deviceTokenSimplePush", "endpoint": "https://a.example"}
    requests = [
        {"@type": "setOption", "name": "notification_group_count_max", "value": count},
        {"@type": "registerDevice", "device_token": token, "other_user_ids": [5]},
        *(push(data) for data in (TELEGRAM % ("one", 11), TELEGRAM % ("two", 12), call)),
    ]
    run(requests, lambda engine: engine.stdin.close())
    # The next start turns the journal into the state.
    run([push(TELEGRAM % ("three", 13))], subprocess.Popen.kill)
    pack(f"engine-{number:02}", folder, ["engine/" + name for name in ("engine.db", "engine.db-wal", "master.json")])


def main():
    FOLDER.mkdir(exist_ok=True)
    program, commit = os.path.abspath(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory() as folder:
        keeper = Keeper(program, pathlib.Path(folder))
        try:
            keeper.fill_devices()
            keeper.fill_endpoints()
            if keeper.has("register"):
                keeper.fill_registrations()
        finally:
            keeper.end(cleanly="--cleanly" in sys.argv)
        keep_engine(program, keeper.folder, keeper.keep(commit))


if __name__ == "__main__":
    main()
