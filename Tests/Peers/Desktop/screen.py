"""A session bus for a test, with the probe and notification servers: real ones under Xvfb, and one that records its
calls.
"""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import tempfile
import time

from dbus_fast import Message, MessageFlag, MessageType, Variant
from dbus_fast.aio import MessageBus

NAME = "org.freedesktop.Notifications"
PATH = "/org/freedesktop/Notifications"
DUNST = (
    "actions body body-hyperlinks icon-static x-canonical-private-synchronous x-dunst-stack-tag body-markup"
).split()
PLASMA = "actions body body-markup inline-reply inhibitions persistence".split()


class Failed(Exception):
    pass


class Checks:
    passed = 0

    def __call__(self, condition, what):
        if not condition:
            raise Failed(f"presenter: FAILED: {what}")
        self.passed += 1


check = Checks()


async def eventually(condition, what, seconds=15):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise Failed(f"presenter: FAILED: {what}")
        await asyncio.sleep(0.01)
    check(True, what)


class Desk:
    """A bus and everything that a test starts on it."""

    def __init__(self, probe):
        self.program = probe
        self.holder = tempfile.TemporaryDirectory(prefix="bellwire-screen-")
        self.folder = self.holder.name
        self.processes = []
        self.environment = dict(os.environ, HOME=self.folder, XDG_RUNTIME_DIR=self.folder)
        for name in ("XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID", "DISPLAY", "http_proxy"):
            self.environment.pop(name, None)
        self.environment["XDG_DATA_HOME"] = self.folder + "/data"
        os.makedirs(self.folder + "/data/dbus-1/services")
        os.makedirs(self.folder + "/data/applications")
        self.environment["PATH"] = self.folder + "/bin:" + self.environment["PATH"]
        os.makedirs(self.folder + "/bin")
        self.make_opener()
        bus = self.run("dbus-daemon", "--session", "--nofork", "--print-address=1", out=True)
        self.address = bus.stdout.readline().strip()
        self.environment["DBUS_SESSION_BUS_ADDRESS"] = self.address

    def make_opener(self):
        """Makes a program that opens links and records them."""
        path = self.folder + "/bin/xdg-open"
        with open(path, "w") as file:
            file.write(f'#!/bin/sh\nprintf "%s|%s|%s\\n" "$#" "$1" "$XDG_ACTIVATION_TOKEN" >> {self.folder}/opened\n')
        os.chmod(path, 0o700)

    def install(self, name, program=None, actions=None):
        """An application: a program that the bus starts by name, and its desktop entry."""
        if program is not None:
            with open(f"{self.folder}/data/dbus-1/services/{name}.service", "w") as file:
                file.write(f"[D-BUS Service]\nName={name}\nExec={program}\n")
            self.tell(
                "dbus-send",
                "--session",
                "--dest=org.freedesktop.DBus",
                "--print-reply",
                "/org/freedesktop/DBus",
                "org.freedesktop.DBus.ReloadConfig",
            )
        if actions is not None:
            with open(f"{self.folder}/data/applications/{name}.desktop", "w") as file:
                file.write(
                    "[Desktop Entry]\nType=Application\nName=Chat\nExec=chat\n"
                    f"DBusActivatable=true\nActions={actions}\n"
                )

    def opened(self):
        with contextlib.suppress(FileNotFoundError), open(self.folder + "/opened") as file:
            return file.read().splitlines()
        return []

    def run(self, *words, out=False, take=False):
        process = subprocess.Popen(
            words,
            env=self.environment,
            text=True,
            stdin=subprocess.PIPE if take else None,
            stdout=subprocess.PIPE if out else subprocess.DEVNULL,
            stderr=open(self.folder + "/errors", "a"),
        )
        self.processes.append(process)
        return process

    async def serve(self, *words):
        """A notification server, once it owns the name. An earlier call would start another server."""
        process = self.run(*words)
        bus = await MessageBus(bus_address=self.address).connect()
        for _ in range(1000):
            reply = await bus.call(
                Message(
                    destination="org.freedesktop.DBus",
                    path="/org/freedesktop/DBus",
                    interface="org.freedesktop.DBus",
                    member="NameHasOwner",
                    signature="s",
                    body=[NAME],
                )
            )
            if reply.body == [True]:
                break
            await asyncio.sleep(0.02)
        bus.disconnect()
        return process

    def display(self):
        read, write = os.pipe()
        server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", "1024x768x24", "-nolisten", "tcp"],
            pass_fds=[write],
            stderr=subprocess.DEVNULL,
        )
        self.processes.append(server)
        os.close(write)
        with os.fdopen(read) as pipe:
            self.environment["DISPLAY"] = ":" + pipe.readline().strip()

    def tell(self, *words):
        """The output of a program that ends by itself."""
        return subprocess.run(words, env=self.environment, capture_output=True, text=True).stdout

    def screenshot(self, path):
        subprocess.run(["import", "-window", "root", path], env=self.environment, check=True)
        colours = subprocess.run(["identify", "-format", "%k", path], capture_output=True, text=True, check=True)
        return int(colours.stdout)

    def paints(self, path, colour):
        self.screenshot(path)
        shades = subprocess.run(
            ["convert", path, "-format", "%c", "histogram:info:-"], capture_output=True, text=True, check=True
        )
        return "#" + colour in shades.stdout

    def click(self, x, y, button=1):
        subprocess.run(["xdotool", "mousemove", str(x), str(y), "click", str(button)], env=self.environment, check=True)

    @staticmethod
    def end(process, how=signal.SIGTERM):
        if process.poll() is None:
            process.send_signal(how)
            process.wait(20)

    def close(self):
        for process in reversed(self.processes):
            with contextlib.suppress(Exception):
                self.end(process, signal.SIGKILL)
        self.holder.cleanup()


class Probe:
    """The presenter, and the engine that it talks to."""

    def __init__(self, desk, *words):
        # An application that can be opened, if nothing else is said.
        words = words or ("service", "org.example.Probe")
        self.process = desk.run(desk.program, desk.folder + "/state", *words, out=True, take=True)
        self.desk = desk
        self.requests = []
        if self.process.stdout.readline().strip() != "ready":
            raise Failed("presenter: FAILED: the probe did not start")
        asyncio.get_running_loop().run_in_executor(None, self.listen)

    def listen(self):
        for line in self.process.stdout:
            self.requests.append(json.loads(line))

    def tell(self, update):
        self.process.stdin.write(json.dumps(update) + "\n")
        self.process.stdin.flush()

    def group(self, added=(), removed=(), group=1, sound=-1, **more):
        self.tell(
            {
                "@type": "updateNotificationGroup",
                "notification_group_id": group,
                "notification_sound_id": str(sound),
                "added_notifications": list(added),
                "removed_notification_ids": list(removed),
                **more,
            }
        )

    def action(self, number, action, message=1, **more):
        """The user's action, which an engine repeats until it is confirmed."""
        self.tell(
            {
                "@type": "bellwire.updateNotificationAction",
                "id": number,
                "chat_id": 5,
                "message_id": message,
                "action": action,
                **more,
            }
        )

    def active(self, notifications, group=1):
        self.tell(
            {"@type": "updateActiveNotifications", "groups": [{"id": group, "notifications": list(notifications)}]}
        )

    def kill(self):
        self.desk.end(self.process, signal.SIGKILL)


def push(number, body="Hello", title="Alice", clear=False, silent=False, **more):
    return {
        "@type": "notification",
        "id": number,
        "date": 1700000000,
        "is_silent": silent,
        **({"bellwire.clear": True} if clear else {}),
        "type": {
            "@type": "notificationTypeNewPushMessage",
            "message_id": number << 20,
            "sender_name": "Alice",
            "content": {"@type": "pushMessageContentText", "text": "x"},
            "bellwire.presentation": {"title": title, "body": body, **more},
        },
    }


class Recorder:
    """A notification server that shows nothing and remembers everything."""

    def __init__(self, desk, capabilities=DUNST, spec="1.2", name="recorder"):
        self.desk = desk
        self.capabilities = capabilities
        self.information = [name, "test", "1", spec]
        self.calls = []
        self.signatures = []
        self.visible = {}
        self.tags = {}
        self.badges = []
        self.activations = []
        self.last = 0
        self.answers = True
        self.inhibited = False
        self.units = []
        self.bus = None

    async def appear(self, name=NAME):
        self.bus = await MessageBus(bus_address=self.desk.address).connect()
        self.bus.add_message_handler(self.handle)
        await self.bus.call(
            Message(
                destination="org.freedesktop.DBus",
                path="/org/freedesktop/DBus",
                interface="org.freedesktop.DBus",
                member="AddMatch",
                signature="s",
                body=["interface='com.canonical.Unity.LauncherEntry'"],
            )
        )
        await self.bus.request_name(name)
        return self

    def disappear(self):
        self.bus.disconnect()
        self.visible.clear()

    def handle(self, message):
        if message.message_type == MessageType.SIGNAL and message.member == "Update":
            self.badges.append((message.body[0], {k: v.value for k, v in message.body[1].items()}))
            return None
        if message.message_type != MessageType.METHOD_CALL:
            return None
        if message.interface == "org.freedesktop.Application":
            if message.flags & MessageFlag.NO_REPLY_EXPECTED:
                raise Failed("presenter: FAILED: an application's answer is waited for")
            self.activations.append((message.path, message.member, message.body))
            return Message.new_method_return(message)
        if message.member == "StartTransientUnit":
            self.units.append((message.signature, message.body))
            return (
                Message.new_method_return(message, "o", ["/job/1"])
                if self.answers is True
                else Message.new_error(message, self.answers, "")
            )
        if message.interface == "org.freedesktop.DBus.Properties":
            return Message.new_method_return(message, "v", [Variant("b", self.inhibited)])
        if message.interface != NAME:
            return None
        if message.member == "GetCapabilities":
            return Message.new_method_return(message, "as", [list(self.capabilities)])
        if message.member == "GetServerInformation":
            return Message.new_method_return(message, "ssss", self.information)
        if message.member == "CloseNotification":
            if self.visible.pop(message.body[0], None) is not None:
                self.signal("NotificationClosed", "uu", [message.body[0], 3])
            return Message.new_method_return(message)
        if message.member == "Notify":
            self.signatures.append(message.signature)
            number = self.notify(message.body)
            return Message.new_method_return(message, "u", [number]) if self.answers else True
        return None

    def notify(self, body):
        hints = dict(body[6])
        self.calls.append((*body[:6], hints, body[7]))
        number = body[1]
        tag = hints.get("x-dunst-stack-tag")
        if number not in self.visible:
            self.last += 1
            number = self.last
            # Like dunst: the previous notification with the same tag goes away.
            if tag is not None:
                self.visible.pop(self.tags.get(tag.value), None)
        if tag is not None:
            self.tags[tag.value] = number
        self.visible[number] = self.calls[-1]
        return number

    def signal(self, member, signature, body, bus=None):
        (bus or self.bus).send(
            Message(
                message_type=MessageType.SIGNAL,
                path=PATH,
                interface=NAME,
                member=member,
                signature=signature,
                body=body,
            )
        )

    def user_closes(self, number, reason=2):
        self.visible.pop(number, None)
        self.signal("NotificationClosed", "uu", [number, reason])

    def user_chooses(self, number, key, token=None):
        if token is not None:
            self.signal("ActivationToken", "us", [number, token])
        self.signal("ActionInvoked", "us", [number, key])

    @property
    def bodies(self):
        return [call[4] for _, call in sorted(self.visible.items())]

    @property
    def sounding(self):
        return [call for call in self.calls if "suppress-sound" not in call[6]]
