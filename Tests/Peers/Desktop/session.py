"""A session bus and a system bus for a test, with a receiver, a desktop, and applications."""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import tempfile
import time
import uuid

from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus

DISTRIBUTOR = "org.unifiedpush.Distributor.bellwire"
OBJECT = "/org/unifiedpush/Distributor"

BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>{kind}</type><listen>unix:dir={folder}</listen>
<servicedir>{folder}/services</servicedir>
<policy context="default"><allow send_destination="*" eavesdrop="true"/>
<allow eavesdrop="true"/><allow own="*"/></policy></busconfig>"""


class Failed(Exception):
    pass


class Checks:
    def __init__(self, name):
        self.name = name
        self.passed = 0

    def __call__(self, condition, what):
        if not condition:
            raise Failed(f"{self.name}: FAILED: {what}")
        self.passed += 1


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
        self.environment["DBUS_SESSION_BUS_ADDRESS"] = self.bus("session")
        self.environment["DBUS_SYSTEM_BUS_ADDRESS"] = self.bus("system")

    def bus(self, kind):
        path = f"{self.folder}/{kind}.conf"
        with open(path, "w") as file:
            file.write(BUS.format(kind=kind, folder=self.folder))
        bus = subprocess.Popen(
            ["dbus-daemon", "--nofork", "--print-address=1", "--config-file=" + path],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=self.environment,
        )
        self.processes.append(bus)
        return bus.stdout.readline().strip()

    def start(self, *words, log, ready="bellwire: ready "):
        """Starts a bellwire that runs until it is ended. Returns it and the words of its ready line."""
        output = open(f"{self.folder}/{log}.log", "a")
        process = subprocess.Popen(
            [*self.within, self.bellwire, *words],
            stdout=subprocess.PIPE,
            stderr=output,
            text=True,
            env=self.environment,
        )
        self.processes.append(process)
        line = process.stdout.readline()
        if not line.startswith(ready):
            raise Failed(f"{words[0]} did not start: {self.log(log)[-2000:]}")
        return process, line[len(ready) :].strip()

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
        return subprocess.run(
            [self.bellwire, *words, "--state", f"{self.folder}/{state}"],
            check=True,
            capture_output=True,
            text=True,
            env=self.environment,
        ).stdout

    def device(self, state="receiver"):
        """A new device, with its addresses and its secret."""
        return json.loads(self.run("device", "add", "desk", "--json", state=state))

    def mock(self, *words):
        """A system service, made by python-dbusmock."""
        process = subprocess.Popen(
            ["/usr/bin/python3", "-m", "dbusmock", "--system", *words],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=self.environment,
        )
        self.processes.append(process)
        return process

    def log(self, name):
        with open(f"{self.folder}/{name}.log") as file:
            return file.read()

    @staticmethod
    def end(process, how=signal.SIGTERM):
        if process.poll() is None:
            process.send_signal(how)
            process.wait(20)
        return process.returncode

    def close(self):
        for process in reversed(self.processes):
            with contextlib.suppress(Exception):
                self.end(process, signal.SIGKILL)
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
        self.bus = await MessageBus(bus_address=self.session.environment["DBUS_SESSION_BUS_ADDRESS"]).connect()
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
        return await self.bus.call(
            Message(
                destination=DISTRIBUTOR,
                path=OBJECT,
                interface="org.unifiedpush.Distributor2",
                member=member,
                signature="a{sv}",
                body=[body],
            )
        )

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
