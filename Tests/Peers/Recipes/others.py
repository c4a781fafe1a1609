"""Who takes part in a recipe beside its reader: what they do, as the comments of the page say."""

import asyncio
import json
import os
import pathlib
import re
import subprocess
import urllib.parse

from homeserver import Homeserver, User
from kit.coding import decode
from kit.desktop import Application
from kit.sealing import mtproto
from kit.webserver import Handler, Listening
from sender import Key, Sender
from subscribers import SOON, Browser, DesktopApplication, UserAgent


class Mastodon:
    """The part of a Mastodon server that knows subscriptions: `POST /api/v1/push/subscription`."""

    def __init__(self, vapid):
        self.given = given = {}

        class API(Handler):
            def do_POST(self):
                given.update(urllib.parse.parse_qsl(self.body().decode()))
                good = self.path == "/api/v1/push/subscription" and self.headers["Authorization"] == "Bearer secret"
                answer = {"id": 1, "endpoint": given.get("subscription[endpoint]"), "server_key": vapid}
                self.answer(200 if good else 401, json.dumps(answer if good else {"error": "refused"}).encode())

        self.url = Listening(API).url.rstrip("/")

    @property
    def subscription(self):
        keys = {name: self.given[f"subscription[keys][{name}]"] for name in ("p256dh", "auth")}
        return {"endpoint": self.given["subscription[endpoint]"], "keys": keys}

    @property
    def encoding(self):
        return "aes128gcm" if self.given.get("subscription[standard]") == "true" else "aesgcm"


class Room:
    """A room on a Synapse: Ann writes, and Bob is the reader of the page."""

    def __init__(self, session, python):
        advice = json.loads(session.run("check", "--json", state=".local/state/bellwire"))["senders"]
        self.server = Homeserver(
            pathlib.Path(session.folder) / "synapse",
            8008,
            json.dumps(advice["synapse"]).strip("{}"),
            python,
            {**session.environment, "SSL_CERT_FILE": session.folder + "/Keys/development-ca.pem"},
        )
        self.server.start()
        session.processes.append(self.server.process)
        self.ann, self.bob = User(self.server, "ann"), User(self.server, "bob")
        self.room = self.ann.create_room(self.bob)
        self.events = {}
        session.environment.update(HOMESERVER=self.server.url, TOKEN=self.bob.token)

    def say(self, words):
        self.events[words] = self.ann.say(self.room, words)

    def redact(self, words):
        self.ann.redact(self.room, self.events[words])


ROOT = pathlib.Path(__file__).resolve().parents[3]


class Others:
    """Does what the comments of a page say that others do. Each verb answers whether it was done."""

    def __init__(self, session):
        self.session, self.shell = session, None
        self.folder = pathlib.Path(session.folder)
        self.authority = self.folder / "Keys/development-ca.pem"
        self.key = Key(session.bellwire, self.folder / "their-key.json")
        self.sender = Sender(session.bellwire, self.folder, self.authority)
        self.mastodon_server = Mastodon(self.key.public)
        self.subscriber = None
        session.environment.update(INSTANCE=self.mastodon_server.url, MASTODON_TOKEN="secret")

    async def starts(self, subscriber, *arguments):
        await self.end()
        self.subscriber = subscriber
        await subscriber.start(*arguments)
        return True

    async def end(self):
        if self.subscriber is not None:
            await self.subscriber.stop()
        self.subscriber = None

    async def application(self, name, signed=None):
        """An application appears and registers, and may tell the key of its server."""
        return await self.starts(DesktopApplication(), self.session, name, self.key.public if signed else None)

    async def phone(self, variable):
        """A phone connects to the address in a variable of the shell."""
        address, _ = await asyncio.to_thread(self.shell.run, f'printf %s "${variable}"')
        return await self.starts(UserAgent(), address, self.authority)

    async def kunifiedpush(self, file):
        """KDE's service starts and reads its settings."""
        text = (self.folder / file).read_text()
        if "[PushProvider]\nType=Autopush\n" not in text:
            return False
        address = re.search(r"^\[Autopush\]\nUrl=(.*)$", text, re.MULTILINE)[1]
        return await self.starts(UserAgent(), address, self.authority)

    async def registered(self, name, description):
        """An application is registered with KUnifiedPush, which has ended; the application runs."""
        await self.end()
        with open(self.folder / ".config/KDE/kunifiedpush-distributor.conf", "a") as file:
            file.write(f"\n[Clients]\nTokens=one\n\n[one]\nServiceName={name}\nDescription={description}\nVersion=2\n")
        application = DesktopApplication()
        application.connector = await Application(self.session, name).appear()
        application.reading = asyncio.create_task(application.listen())
        self.subscriber = application
        return True

    async def firefox(self, address):
        """Firefox starts with this address in dom.push.serverURL, and a site subscribes."""
        keys = self.folder / ".local/state/bellwire/keys"
        started = await self.starts(Browser(), self.folder, address, self.authority, keys / "development-tls.pem")
        with open(self.folder / "subscription.json", "w") as file:
            json.dump(self.subscriber.subscription, file)
        os.chmod(self.folder / "subscription.json", 0o600)
        return started

    async def push(self, text):
        """The server of the application encrypts and signs a text, and pushes it."""
        return await self.pushed(self.subscriber.subscription, text, "aes128gcm")

    async def refused(self, text):
        """The endpoint is gone."""
        send = self.sender.pywebpush
        return await asyncio.to_thread(send, self.subscriber.subscription, text.encode(), "aes128gcm", self.key) == 410

    async def mastodon(self, title, body):
        """Mastodon pushes what happened to its subscriber."""
        server = self.mastodon_server
        text = json.dumps({"notification_id": 7, "notification_type": "mention", "title": title, "body": body})
        return await self.pushed(server.subscription, text, server.encoding)

    async def earlier_mastodon(self, title, body):
        """The same before version 4.4."""
        self.mastodon_server.given.pop("subscription[standard]")
        return await self.mastodon(title, body)

    async def telegram(self, file, text):
        """Telegram pushes to a registration that has a secret, in the old encoding, as it does."""
        with open(self.folder / file) as opened:
            made = json.load(opened)["register_device"]
        content = {"loc_key": "MESSAGE_TEXT", "loc_args": ["Ada", text], "custom": {"from_id": "5", "msg_id": "9"}}
        sealed = json.dumps({"p": mtproto(decode(made["secret"]), json.dumps(content).encode())})
        return await self.pushed(json.loads(made["token"]), sealed, "aesgcm")

    async def pushed(self, subscription, text, encoding):
        send = self.sender.pywebpush
        return await asyncio.to_thread(send, subscription, text.encode(), encoding, self.key) == 201

    async def homeserver(self, text):
        """A Matrix homeserver pushes to the gateway at the address of the endpoint."""
        endpoint = self.subscriber.endpoint
        device = {"app_id": "org.kde.neochat", "pushkey": endpoint}
        body = {"notification": {"content": {"body": text}, "type": "m.room.message", "devices": [device]}}
        gateway = "/".join(endpoint.split("/")[:3]) + "/_matrix/push/v1/notify"
        answer = await asyncio.to_thread(lambda: self.sender.session.post(gateway, json=body))
        return answer.status_code == 200 and answer.json() == {"rejected": []}

    async def mollysocket(self, text):
        """MollySocket says that its body is encrypted, and does not encrypt it."""
        headers = {**self.key.sign(self.subscriber.endpoint, "aes128gcm"), "TTL": "2592000", "Urgency": "high"}
        headers |= {"Content-Encoding": "aes128gcm", "Topic": "mollysocket"}
        answer = await asyncio.to_thread(
            lambda: self.sender.session.post(self.subscriber.endpoint, data=text, headers=headers)
        )
        return answer.status_code == 201

    async def received(self, text):
        """The subscriber has got this text, and could decrypt it."""
        for _ in range(SOON * 20):
            if any(text in known for known in self.subscriber.texts):
                return True
            await asyncio.sleep(0.05)
        return False

    async def cron(self, file):
        """Cron runs the commands of a table, with as little around them as it has."""
        for line in (self.folder / file).read_text().splitlines():
            if line and not line.startswith("#"):
                if not await self.outside(line.split(None, 5)[5]):
                    return False
        return True

    async def unit(self, file, instance):
        """Systemd starts an instance of a unit."""
        text = (self.folder / file).read_text()
        command = re.search("^ExecStart=(.*)$", text, re.MULTILINE)[1]
        return await self.outside(command.replace("%i", instance).replace("%h", str(self.folder)))

    async def outside(self, command):
        bare = {"HOME": str(self.folder), "PATH": "/usr/bin:/bin"}
        words = [*self.session.within, "sh", "-c", command]
        done = await asyncio.to_thread(subprocess.run, words, env=bare, timeout=SOON)
        return done.returncode == 0

    async def webhook(self, file, service, name):
        """A service posts one of its recorded requests to the address that the reader has put into a file."""
        address = re.search(r"https://[^\s\"']+", (self.folder / file).read_text())[0]
        cases = json.loads((ROOT / "Tests/Vectors/webhooks.json").read_text())
        [case] = [case for case in cases if case["dialect"] == service and case["name"] == name]
        headers = {"Content-Type": "application/json"}
        if "event" in case:
            headers["X-GitHub-Event"] = case["event"]
        payload = case["payload"].encode()
        answer = await asyncio.to_thread(self.sender.session.post, address, data=payload, headers=headers)
        return answer.status_code == 201
