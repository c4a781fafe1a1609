"""A terminal of tmux with a shell in it, and a server beside it, for tests of the terminal views."""

import contextlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import unicodedata
import urllib.request

from kit import process
from kit.checks import Failed

PATIENCE = 15


def width(text):
    """The columns that tmux gives a text."""
    columns, joined = 0, False
    for character in text:
        wide = unicodedata.east_asian_width(character) in "WF"
        zero = unicodedata.category(character) in ("Mn", "Me", "Cf") or joined and wide
        columns += 0 if zero else 2 if wide else 1
        joined = character == "\u200d"
    return columns


class Room:
    """A folder, a server and a terminal; all end together."""

    def __init__(self, bellwire, columns=100, rows=30):
        self.bellwire = bellwire
        self.holder = tempfile.TemporaryDirectory(prefix="bellwire-terminal-", ignore_cleanup_errors=True)
        self.folder = self.holder.name
        self.port = 0
        self.asked = 0
        self.server = None
        self.opened = self.folder + "/opened"
        os.makedirs(self.folder + "/bin")
        with open(os.open(self.folder + "/bin/xdg-open", os.O_WRONLY | os.O_CREAT, 0o755), "w") as file:
            file.write(f'#!/bin/sh\necho "$1" >> {self.opened}\necho noise; echo noise >&2\n')
        self.environment = {
            "HOME": self.folder,
            "PATH": f"{self.folder}/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "SHELL": "/bin/bash",
            "WAYLAND_DISPLAY": "none",
            "TZ": "UTC",
            "BELLWIRE": bellwire,
        }
        words = ["new-session", "-d", "-x", str(columns), "-y", str(rows), "bash --norc --noprofile"]
        self.tmux("-f", "/dev/null", "-u", *words)
        self.tmux("set-option", "-g", "escape-time", "0")
        self.tmux("set-option", "-g", "status", "off")
        self.type("PS1='ready$ '; clear", "Enter")
        self.wait(lambda screen: screen[0].startswith("ready$"), "a shell")

    def tmux(self, *words):
        return subprocess.run(
            [shutil.which("tmux"), "-S", self.folder + "/tmux", *words],
            check=True,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            env=self.environment,
        ).stdout

    def serve(self):
        output = open(self.folder + "/serve.log", "a")
        self.server = subprocess.Popen(
            [self.bellwire, "serve", "--listen", f"http://127.0.0.1:{self.port}"],
            stdout=subprocess.PIPE,
            stderr=output,
            text=True,
            env=self.environment,
        )
        base = process.ready(self.server)
        if not base:
            raise Failed("the server did not start")
        self.port = int(base.rsplit(":", 1)[1])

    def kill(self):
        self.server.kill()
        self.server.wait(PATIENCE)

    def run(self, *words):
        return subprocess.run(
            [self.bellwire, *words], check=True, capture_output=True, text=True, timeout=PATIENCE, env=self.environment
        ).stdout

    def register(self, dialect, presentation):
        words = ["--clear", "yes", "--trust-clear", "--presentation", json.dumps(presentation), "--json"]
        made = self.run("register", "--app", "script", "--account", "me", "--dialect", dialect, *words)
        return json.loads(made)["endpoint"]

    @staticmethod
    def push(endpoint, body):
        request = urllib.request.Request(endpoint, json.dumps(body).encode(), method="POST")
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            if answer.status != 201:
                raise Failed(f"a push was answered {answer.status}")

    def type(self, *keys):
        self.tmux("send-keys", *keys)

    def start(self, *words, before=""):
        self.type("-l", f'{before} "$BELLWIRE" {shlex.join(words)}'.strip())
        self.type("Enter")

    def screen(self):
        return self.tmux("capture-pane", "-p").split("\n")

    def wait(self, condition, what, within=PATIENCE):
        """The screen for which the condition holds."""
        deadline = time.monotonic() + within
        while True:
            screen = self.screen()
            with contextlib.suppress(IndexError):
                if condition(screen):
                    return screen
            if time.monotonic() > deadline:
                raise Failed(f"not within {within} s: {what}\n" + "\n".join(screen))
            time.sleep(0.05)

    def see(self, text, within=PATIENCE):
        return self.wait(lambda screen: any(text in line for line in screen), text, within)

    def miss(self, text):
        return self.wait(lambda screen: not any(text in line for line in screen), f"{text} is gone")

    def resize(self, columns, rows):
        self.tmux("resize-window", "-x", str(columns), "-y", str(rows))

    def state(self):
        """Of the terminal: second screen, cursor, wrapping, pasted text in brackets."""
        return self.tmux("display", "-p", "#{alternate_on} #{cursor_flag} #{wrap_flag}").strip()

    def settings(self):
        """What stty says."""
        self.asked += 1
        self.type(f"clear; stty -a; echo 'settings 'end {self.asked}.", "Enter")
        screen = self.see(f"settings end {self.asked}.")
        return [line for line in screen if ";" in line or line.startswith(("-", "i", "o"))]

    def process(self):
        """The number of the view's process."""
        shell = self.tmux("display", "-p", "#{pane_pid}").strip()
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            with open(f"/proc/{shell}/task/{shell}/children") as file:
                children = file.read().split()
            if children:
                return children[0]
            time.sleep(0.05)
        raise Failed("the shell runs nothing")

    def signal(self, name):
        subprocess.run(["kill", "-" + name, self.process()], check=True)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        try:
            if kind is not None:
                print("\n".join(self.screen()), file=sys.stderr)
        finally:
            self.close()

    def close(self):
        with contextlib.suppress(Exception):
            self.tmux("kill-server")
        with contextlib.suppress(Exception):
            self.kill()
        self.holder.cleanup()


def columns_of(screen, pattern):
    """Where what matches the pattern ends, in each line that has it."""
    found = []
    for line in screen:
        match = re.search(pattern, line)
        if match:
            found.append(width(line[: match.end()]))
    return found


def restored(room, check, view, settings, leave, what):
    """Whatever ends the view, the terminal is as it was."""
    check(room.state().startswith("1 0 0"), f"the view has the second screen: {room.state()}")
    leave()
    room.wait(lambda screen: screen[-2:] != view and any(line.startswith("ready$") for line in screen), what)
    room.wait(lambda screen: room.state() == "0 1 1", f"{what}: {room.state()}")
    after = room.settings()
    check(after == settings, f"{what}: the settings of the terminal are as before: {after}")
