"""Buttons of a topic's notification: published as ntfy's tools do, pressed on the screen, sent, and told in place.

usage: buttons.py PATH_OF_BELLWIRE
"""

import asyncio
import http.server
import json
import os
import signal
import subprocess
import sys
import threading

sys.path.append(__file__.rsplit("/", 3)[0])

from kit.checks import Checks, checked
from kit.desktop import Session
from kit.screen import Recorder

check = Checks("buttons")


class Door(http.server.ThreadingHTTPServer):
    """What a button speaks to: it remembers each request, and answers when it may."""

    def __init__(self):
        self.requests = []
        self.status = 200
        self.opens = threading.Event()
        self.opens.set()
        super().__init__(("127.0.0.1", 0), Answerer)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"


class Answerer(http.server.BaseHTTPRequestHandler):
    def do_PUT(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.requests.append((self.path, dict(self.headers.items()), body))
        self.server.opens.wait(20)
        self.send_response(self.server.status)
        self.send_header("Location", self.server.url + "/elsewhere")
        self.end_headers()

    def log_message(self, *_):
        pass


def publish(address, token, text, actions, **fields):
    words = [f"-H{name}: {value}" for name, value in fields.items()]
    if token:
        words.append(f"-HAuthorization: Bearer {token}")
    command = ["curl", "-sS", "-m", "10", "-HActions: " + json.dumps(actions), *words, "-d", text, address]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


async def shown(recorder, text):
    """The number and the call of the notification that shows this text."""

    def found():
        return [(number, call) for number, call in recorder.visible.items() if text in str(call)]

    await check.eventually(lambda: len(found()) == 1, f"{text} is on the screen")
    return found()[0]


def keys(call):
    return dict(zip(call[5][1::2], call[5][::2], strict=True))


async def main(bellwire):
    with Session(bellwire) as session:
        door = Door()
        recorder = await Recorder(session).appear()
        # A clipboard is a program that takes a text.
        os.makedirs(session.folder + "/bin")
        with open(session.folder + "/bin/xclip", "w") as file:
            file.write(f'#!/bin/sh\necho "$@" > {session.folder}/said\ncat > {session.folder}/copied\n')
        os.chmod(session.folder + "/bin/xclip", 0o700)
        session.environment["PATH"] = session.folder + "/bin:" + session.environment["PATH"]
        session.environment.pop("WAYLAND_DISPLAY", None)
        session.environment["DISPLAY"] = ":77"
        server, base = session.serve("--desktop")
        place = json.loads(session.run("topic", "add", "door", "--inside", "127.0.0.1", "--json"))
        address, token = place["topic"]["address"], place["token"]
        unlock = {
            "action": "http",
            "label": "Unlock",
            "url": door.url + "/open?a=b",
            "method": "PUT",
            "headers": {"Authorization": "Bearer mine"},
            "body": "{}",
        }
        code = {"action": "copy", "label": "Code", "value": "47 11"}
        look = {"action": "view", "label": "Look", "url": "https://cam.example/1"}
        publish(address, token, "**ring**", [look, unlock, code], Markdown="yes")
        number, call = await shown(recorder, "<b>ring</b>")
        labels = call[5][1::2]
        check(labels[:3] == ["Look", "127.0.0.1: Unlock", "Code"], f"the sender's come first: {labels}")

        recorder.user_chooses(number, keys(call)["127.0.0.1: Unlock"])
        recorder.user_closes(number)
        number, call = await shown(recorder, "Unlock: 200")
        check("suppress-sound" in call[6], "a result makes no sound")
        path, fields, body = door.requests[0]
        check((path, body) == ("/open?a=b", b"{}"), f"the request is the sender's: {door.requests}")
        check(fields["Authorization"] == "Bearer mine" and "Cookie" not in fields, f"its fields are, too: {fields}")
        first = fields["Idempotency-Key"]
        for status, said in ((503, "Unlock: failed: 503"), (302, "Unlock: failed: 302")):
            door.status = status
            # A second click within a second is no other press.
            await asyncio.sleep(1.1)
            recorder.user_chooses(number, keys(call)["127.0.0.1: Unlock"])
            number, call = await shown(recorder, said)
        check([path for path, _, _ in door.requests] == ["/open?a=b"] * 3, "no redirect is followed")
        check(len({fields["Idempotency-Key"] for _, fields, _ in door.requests}) == 3, "each press has a key")

        recorder.user_chooses(number, keys(call)["Code"])
        number, call = await shown(recorder, "Code: copied")
        with open(session.folder + "/copied") as file:
            check(file.read() == "47 11", "the text is in the clipboard")
        with open(session.folder + "/said") as file:
            check("47" not in file.read(), "no other process could read it as an argument")

        # Without the owner's leave, and from anybody, nothing inside is reached.
        other = json.loads(session.run("topic", "add", "other", "--json"))
        before = len(door.requests)
        for text, where, mine in (
            ("stranger", address, None),
            ("elsewhere", other["topic"]["address"], other["token"]),
        ):
            publish(where, mine, text, [dict(unlock, label=text)])
            number, call = await shown(recorder, text)
            recorder.user_chooses(number, keys(call)[f"127.0.0.1: {text}"])
            await shown(recorder, text + ": failed: its address is not allowed")
        port = int(base.rsplit(":", 1)[1])
        name = dict(unlock, url=door.url.replace("127.0.0.1", "localhost"), label="Name")
        metadata = dict(unlock, url="https://169.254.169.254/", label="Metadata")
        publish(address, token, "dangerous", [name, metadata])
        for label in ("localhost: Name", "169.254.169.254: Metadata"):
            number, call = await shown(recorder, "dangerous")
            recorder.user_chooses(number, keys(call)[label])
            await shown(recorder, label.split()[1] + ": failed: its address is not allowed")
        check(len(door.requests) == before, "nothing was sent there")

        # A kill in the middle: nothing is sent by itself.
        (door.status, before) = (200, len(door.requests))
        door.opens.clear()
        publish(address, token, "again?", [dict(unlock, label="Lock")])
        number, call = await shown(recorder, "again?")
        recorder.user_chooses(number, keys(call)["127.0.0.1: Lock"])
        await check.eventually(lambda: len(door.requests) == before + 1, "the request is on its way")
        server.send_signal(signal.SIGKILL)
        server.wait()
        door.opens.set()
        server, base = session.serve("--desktop", port=port)
        number, call = await shown(recorder, "Lock: unknown whether it ran")
        await asyncio.sleep(1)
        check(len(door.requests) == before + 1, "it was not sent by itself")
        recorder.user_chooses(number, keys(call)["127.0.0.1: Again: Lock"])
        await shown(recorder, "Lock: 200")
        sent = [fields["Idempotency-Key"] for _, fields, _ in door.requests[before:]]
        check(len(sent) == 2 and sent[0] == sent[1] != first, f"it is the same press: {sent}")
        check(session.end(server) == 0, "the server ends")
    print(f"buttons: {check.passed} checks passed")


checked(main, sys.argv[1])
