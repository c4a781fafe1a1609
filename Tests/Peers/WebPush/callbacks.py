"""Bellwire's callbacks, received by a Python server and checked with another project's library.

usage: callbacks.py PATH_OF_CALLBACK_PROBE
"""

import json
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.path.append(__file__.rsplit("/", 3)[0])

from kit.checks import Checks, checked
from kit.coding import decode
from kit.webserver import Handler, Listening
from standardwebhooks.webhooks import Webhook

program = sys.argv[1]
check = Checks("callbacks")


class Hook(Listening):
    """Keeps each request and answers with `reply`: a status, or None for no answer."""

    def __init__(self):
        super().__init__(Exchange)
        self.seen = []
        self.arrived = threading.Condition()
        self.reply = lambda _: 200
        self.afterwards = lambda: None

    def wait(self, is_enough, what, seconds=60):
        with self.arrived:
            check(self.arrived.wait_for(lambda: is_enough(self.seen), seconds), what)
            return list(self.seen)


class Exchange(Handler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        entry = (time.monotonic(), dict(self.headers.items()), self.body())
        status = self.server.reply(entry)
        with self.server.arrived:
            self.server.seen.append(entry)
            self.server.arrived.notify_all()
        if status is None:
            self.close_connection = True
            return
        self.consent(status)
        self.server.afterwards()


class Probe:
    def __init__(self, folder):
        self.process = subprocess.Popen(
            [program, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        check(self.process.stdout.readline() == "ready\n", "the probe is ready")

    def __call__(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        return self.process.stdout.readline().strip()

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def end(self):
        self.process.stdin.close()
        check(self.process.wait(30) == 0, "the probe ends")


def payload(body):
    data = json.loads(body)["data"]
    text = data.get("payload")
    return text and decode(text).decode()


def story(folder):
    hook, probe = Hook(), Probe(folder)
    secrets = [probe("make", 1, hook.url)]
    for number in range(30):
        check(probe("add", 1, f"größe {number}") == "done", "an event is added")
    hook.wait(lambda seen: len(seen) == 31, "all events arrived")
    secrets.append(probe("rotate", 1))
    probe("add", 1, "after")
    hook.wait(lambda seen: len(seen) == 32, "the event after the rotation arrived")
    check(probe("end", 1) == "done", "the callback is ended")
    seen = hook.wait(lambda seen: len(seen) == 33, "the last event arrived")
    for index, (_, headers, body) in enumerate(seen):
        verified = Webhook(secrets[0]).verify(body, headers)
        check(verified == json.loads(body), "the event is signed with the first secret")
        if index > 30:
            check(Webhook(secrets[1]).verify(body, headers), "the event is also signed with the second secret")
        try:
            Webhook(secrets[0]).verify(body + b" ", headers)
            check(False, "the signature does not fit another body")
        except Exception as error:
            check("signature" in str(error), "the signature does not fit another body")
        check(headers["content-type"] == "application/json", "the content type is JSON")
    check(
        [payload(body) for _, _, body in seen]
        == [None] + [f"größe {number}" for number in range(30)] + ["after", None],
        "the events arrive in order",
    )
    check(len({headers["webhook-id"] for _, headers, _ in seen}) == 33, "each event has its own id")
    check(
        json.loads(seen[0][2])["type"] == "registration.created", "the first event says that the registration was made"
    )
    check(
        json.loads(seen[-1][2])["type"] == "registration.deleted", "the last event says that the registration has ended"
    )
    probe.end()
    hook.shutdown()


def kills(folder, rounds=40):
    """Kills before the answer, and between the answer and its record."""
    hook, probe = Hook(), Probe(folder)
    hook.reply = lambda _: 200
    probe("make", 1, hook.url)
    expected = [f"{number}" for number in range(rounds * 3)]
    for text in expected:
        probe("add", 1, text)
    dice = random.Random(1)
    for turn in range(rounds):
        now = threading.Event()
        if turn % 2:
            hook.reply = lambda _: now.set()
        else:
            hook.reply, hook.afterwards = lambda _: 200, now.set
        check(now.wait(60), "an attempt was made")
        time.sleep(dice.random() * 0.003)
        probe.kill()
        hook.reply, hook.afterwards = lambda _: 200, lambda: None
        probe = Probe(folder)
    seen = hook.wait(lambda seen: {payload(body) for _, _, body in seen} >= set(expected), "no event is lost")
    first, ids = [], {}
    for _, headers, body in seen:
        name = payload(body)
        if name not in ids:
            first.append(name)
        check(
            ids.setdefault(name, headers["webhook-id"]) == headers["webhook-id"],
            "all attempts at an event have the same id",
        )
    check(first == [None] + expected, "the events arrive in order")
    check(len(set(ids.values())) == len(ids), "no two events have the same id")
    probe.end()
    hook.shutdown()
    return len(seen) - len(ids)


def crowd(folder, count=10_000):
    """Hosts that accept a connection and never answer."""
    silent = socket.create_server(("0.0.0.0", 0), backlog=4096)
    held, ends = [], threading.Event()

    def hold():
        while not ends.is_set():
            held.append(silent.accept()[0])

    threading.Thread(target=hold, daemon=True).start()
    hook, probe = Hook(), Probe(folder)
    probe("make", 1, hook.url)
    hook.wait(lambda seen: len(seen) == 1, "the callback to the fast host is confirmed")
    check(probe("crowd", count, silent.getsockname()[1]) == "done", "the callbacks to silent hosts are made")
    arrivals, commits = [], []
    for number in range(60):
        started = time.monotonic()
        probe("add", 1, f"{number}")
        commits.append(time.monotonic() - started)
        seen = hook.wait(lambda seen: len(seen) == number + 2, "the fast host still gets events")
        arrivals.append(seen[-1][0] - started)
        time.sleep(max(0, 0.2 - arrivals[-1]))
    check(len(held) >= 256, f"the silent hosts were tried ({len(held)})")
    ends.set()
    probe.kill()
    hook.shutdown()
    silent.close()
    for connection in held:
        connection.close()
    arrivals.sort()
    commits.sort()
    check(arrivals[-2] < 0.5, f"the fast host does not wait for silent ones ({arrivals[-2]:.3f} s)")
    check(commits[-2] < 0.25, f"a push does not wait for silent hosts ({commits[-2]:.3f} s)")
    return arrivals, commits, len(held)


def main():
    with tempfile.TemporaryDirectory() as folder:
        story(folder)
    with tempfile.TemporaryDirectory() as folder:
        repeats = kills(folder)
    with tempfile.TemporaryDirectory() as folder:
        arrivals, commits, held = crowd(folder)
    print(
        f"callbacks: {check.passed} checks passed; {repeats} repeats after 40 kills; beside 10,000 silent"
        f" hosts ({held} connections) an event took {arrivals[len(arrivals) // 2] * 1000:.1f} ms"
        f" (at most {arrivals[-1] * 1000:.1f}), its commit {commits[len(commits) // 2] * 1000:.1f} ms"
        f" (at most {commits[-1] * 1000:.1f})"
    )


checked(main)
