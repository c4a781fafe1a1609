"""A session bus for a test, with the probe, and with real notification servers under Xvfb."""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import tempfile

from kit import bus, process
from kit.checks import Checks, Failed
from kit.screen import NAME

check = Checks("presenter")
eventually = check.eventually


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
        daemon = self.run("dbus-daemon", "--session", "--nofork", "--print-address=1", out=True)
        self.address = daemon.stdout.readline().strip()
        self.environment["DBUS_SESSION_BUS_ADDRESS"] = self.address

    def make_opener(self):
        """Makes a program that opens links and records them."""
        path = self.folder + "/bin/xdg-open"
        with open(path, "w") as file:
            file.write(f'#!/bin/sh\nprintf "%s|%s|%s\\n" "$#" "$1" "$XDG_ACTIVATION_TOKEN" >> {self.folder}/opened\n')
        os.chmod(path, 0o700)

    @contextlib.contextmanager
    def without(self, name):
        """Another program of this name is found meanwhile, which fails."""
        path = f"{self.folder}/bin/{name}"
        os.symlink("/bin/false", path)
        yield
        os.remove(path)

    def install(self, name, program=None, actions=None):
        """An application: a program that the bus starts by name, and its desktop entry."""
        if program is not None:
            with open(f"{self.folder}/data/dbus-1/services/{name}.service", "w") as file:
                file.write(bus.service(name, program))
            bus.tell(self.environment, "ReloadConfig")
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
        made = subprocess.Popen(
            words,
            env=self.environment,
            text=True,
            stdin=subprocess.PIPE if take else None,
            stdout=subprocess.PIPE if out else subprocess.DEVNULL,
            stderr=open(self.folder + "/errors", "a"),
        )
        self.processes.append(made)
        return made

    async def serve(self, *words):
        """A notification server, once it owns the name. An earlier call would start another server."""
        server = self.run(*words)
        watcher = await bus.connected(self.address)
        for _ in range(1000):
            if (await bus.ask(watcher, "NameHasOwner", "s", NAME)).body == [True]:
                break
            await asyncio.sleep(0.02)
        watcher.disconnect()
        return server

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
    def end(ended, how=signal.SIGTERM):
        process.end(ended, how)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        for each in reversed(self.processes):
            with contextlib.suppress(Exception):
                self.end(each, signal.SIGKILL)
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


def equip(desk, daemon, dunstrc):
    """A screen, and the configuration of dunst."""
    desk.display()
    with open(desk.folder + "/dunstrc", "w") as file:
        # Without this line the server renders markup without announcing it.
        file.write(dunstrc.format(markup="markup = full" if daemon.name == "dunst" else ""))


async def with_each(daemons, story, dunstrc, probe, folder=None, *names):
    """Tells a story to each of the notification servers, or to those of these names. Where its pictures are."""
    folder = folder or tempfile.mkdtemp()
    os.makedirs(folder, exist_ok=True)
    for daemon in daemons:
        if names and daemon.name not in names:
            continue
        with Desk(probe) as desk:
            equip(desk, daemon, dunstrc)
            await story(desk, folder, daemon)
    return folder
