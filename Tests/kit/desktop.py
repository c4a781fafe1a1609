"""A session bus and a system bus for a test, with a receiver, a desktop, and applications."""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import uuid

from dbus_fast import Message, MessageType, Variant
from kit import bus, process
from kit.checks import Failed


class Session:
    """Everything is in one folder and ends with it."""

    def __init__(self, bellwire):
        self.bellwire = bellwire
        # Words that lead into another system, if its programs run there.
        self.within = []
        self.holder = tempfile.TemporaryDirectory(prefix="bellwire-desktop-")
        self.folder = self.holder.name
        self.processes = []
        self.environment = dict(os.environ)
        for name in ("STATE_DIRECTORY", "CREDENTIALS_DIRECTORY", "NOTIFY_SOCKET", "http_proxy"):
            self.environment.pop(name, None)
        self.environment.update(
            HOME=self.folder,
            XDG_STATE_HOME=self.folder + "/state",
            XDG_CONFIG_HOME=self.folder + "/config",
            XDG_DATA_HOME=self.folder + "/data",
            XDG_RUNTIME_DIR=self.folder,
        )
        os.makedirs(self.folder + "/services")
        self.environment["DBUS_SESSION_BUS_ADDRESS"] = self.address = self.bus("session")
        self.environment["DBUS_SYSTEM_BUS_ADDRESS"] = self.bus("system")

    def bus(self, kind):
        words = bus.command(self.folder, kind, f"dir={self.folder}")
        return self.spawn(words, stderr=subprocess.DEVNULL).stdout.readline().strip()

    def spawn(self, words, **terms):
        """A process that ends with the session; what it prints can be read."""
        made = subprocess.Popen(words, **{"stdout": subprocess.PIPE, "text": True, "env": self.environment} | terms)
        self.processes.append(made)
        return made

    def start(self, *words, log, ready="bellwire: ready "):
        """Starts a bellwire that runs until it is ended. Returns it and the words of its ready line."""
        with open(f"{self.folder}/{log}.log", "a") as output:
            made = self.spawn([*self.within, self.bellwire, *words], stderr=output)
        told = process.ready(made, ready)
        if told is None:
            raise Failed(f"{words[0]} did not start: {self.log(log)[-2000:]}")
        return made, told

    def serve(self, *words, state="receiver", port=0):
        return self.start(
            "serve", "--listen", f"http://127.0.0.1:{port}", "--state", f"{self.folder}/{state}", *words, log="serve"
        )

    def desktop(self, *receivers, log="desktop"):
        path = self.folder + "/receivers"
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write("".join(address + "\n" for address in receivers))
        return self.start("desktop", "--state", self.folder + "/desk", "--receivers-file", path, log=log)[0]

    def run(self, *words, state="receiver"):
        """The output of a command that ends by itself."""
        return self.command(*words, "--state", f"{self.folder}/{state}", check=True).stdout

    def command(self, *words, **terms):
        """The same for one without a state, or that may fail."""
        return subprocess.run([self.bellwire, *words], capture_output=True, text=True, env=self.environment, **terms)

    def applications(self):
        """What the desktop tells of applications and receivers."""
        done = self.command("apps", "list", "--json")
        if done.returncode:
            raise Failed(f"apps list: {done.stderr}")
        told = json.loads(done.stdout)
        return {each["service"]: each for each in told["applications"]}, told["receivers"]

    def device(self, state="receiver"):
        """A new device, with its addresses and its secret."""
        return json.loads(self.run("device", "add", "desk", "--json", state=state))

    def mock(self, *words):
        """A system service, made by python-dbusmock."""
        words = ["/usr/bin/python3", "-m", "dbusmock", "--system", *words]
        return self.spawn(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def watch(self, account, state="receiver"):
        """A client of the account's engine, which prints what it is told."""
        return self.spawn([self.bellwire, "watch", account, "--json", "--state", f"{self.folder}/{state}"])

    def install(self, name, *words):
        """A program that the bus starts for its name."""
        with open(f"{self.folder}/services/{name}.service", "w") as file:
            file.write(bus.service(name, *words))
        bus.tell(self.environment, "ReloadConfig")

    def log(self, name):
        with open(f"{self.folder}/{name}.log") as file:
            return file.read()

    @staticmethod
    def end(ended, how=signal.SIGTERM):
        return process.end(ended, how)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is not None:
            for name in sorted(name for name in os.listdir(self.folder) if name.endswith(".log")):
                print(f"--- {name}\n{self.log(name[:-4])[-3000:]}", file=sys.stderr)
        self.close()

    def close(self):
        for each in reversed(self.processes):
            with contextlib.suppress(Exception):
                self.end(each, signal.SIGKILL)
        self.holder.cleanup()


def telegram(text, number):
    """Like Telegram's server, but in clear; other tests cover the encrypted forms."""
    return json.dumps(
        {"loc_key": "MESSAGE_TEXT", "loc_args": ["Ada", text], "custom": {"from_id": "5", "msg_id": str(number)}}
    ).encode()


class Application:
    """A connector for the second version of the protocol."""

    def __init__(self, session, name):
        self.session = session
        self.name = name
        self.token = "{" + str(uuid.uuid4()) + "}"
        self.endpoints = asyncio.Queue()
        self.messages = asyncio.Queue()
        self.bus = None
        self.answers = True
        self.unanswered = 0

    async def appear(self):
        self.bus = await bus.connected(self.session.environment["DBUS_SESSION_BUS_ADDRESS"])
        self.bus.add_message_handler(self.handle)
        await self.bus.request_name(self.name)
        return self

    def disappear(self):
        self.bus.disconnect()
        self.bus = None

    def handle(self, message):
        if message.message_type != MessageType.METHOD_CALL:
            return None
        if message.interface != "org.unifiedpush.Connector2":
            return None
        values = {name: value.value for name, value in message.body[0].items()}
        if message.member == "NewEndpoint":
            self.endpoints.put_nowait(values["endpoint"])
        elif message.member == "Message":
            if not self.answers:
                self.unanswered += 1
                return True
            self.messages.put_nowait((time.monotonic(), bytes(values["message"])))
        return Message.new_method_return(message, "a{sv}", [{}])

    async def call(self, member, **values):
        body = {name: Variant("s", value) for name, value in values.items()}
        return await self.bus.call(bus.request(2, member, "a{sv}", [body]))

    async def register(self, **values):
        reply = await self.call("Register", service=self.name, token=self.token, description="test", **values)
        return {name: value.value for name, value in reply.body[0].items()}

    async def endpoint(self, within=10):
        return await asyncio.wait_for(self.endpoints.get(), within)

    async def message(self, within=10):
        return (await asyncio.wait_for(self.messages.get(), within))[1]

    async def nothing(self, seconds):
        await asyncio.sleep(seconds)
        return self.messages.empty()
