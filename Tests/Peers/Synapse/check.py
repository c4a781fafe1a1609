"""Synapse pushes through the gateway of bellwire to a user agent that comes and goes.

usage: check.py PATH_OF_BELLWIRE
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.append(__file__.rsplit("/", 3)[0])

import requests
from agent import Agent
from between import Between, kill_after_answer, kill_meanwhile
from homeserver import Homeserver, User
from kit.certificate import free_port
from kit.checks import Checks, checked
from kit.meddler import Meddler
from kit.server import Server

check = Checks("synapse")


class Service(Server):
    """bellwire under a path, on a disk that can be full."""

    def __init__(self, folder):
        self.meddler = Meddler(folder)
        super().__init__(sys.argv[1], folder, environment=self.meddler.environment(folder / "state"))
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/push"
        self.options = ("--base-url", self.url)

    def setting(self):
        """What Synapse must be told, according to `bellwire check`."""
        words = [self.program, "check", "--json", *self.options]
        told = json.loads(subprocess.run(words, check=True, capture_output=True).stdout)
        return json.dumps(told["senders"]["synapse"]).strip("{}")


class Story:
    """Ann writes, and Bob's desktop is told: on one channel with the event, on the other with its id."""

    def __init__(self, service, homeserver, between):
        self.service, self.between = service, between
        self.ann, self.bob = User(homeserver, "ann"), User(homeserver, "bob")
        self.room = self.ann.create_room(self.bob)
        self.agent = Agent(service.url + "/")
        self.agent.connect()
        self.whole, self.whole_endpoint = self.agent.register()
        self.id_only, self.id_only_endpoint = self.agent.register()
        self.bob.add_pusher(self.whole_endpoint, between.url)
        self.bob.add_pusher(self.id_only_endpoint, between.url, format="event_id_only")
        self.events = []

    def say(self, text, formatted=None):
        self.events.append(self.ann.say(self.room, text, formatted))
        return self.events[-1]

    def arrive(self, event):
        return self.agent.wait(self.whole, event), self.agent.wait(self.id_only, event)

    def discovery(self):
        for path in ("", "/push"):
            answer = requests.get(f"http://127.0.0.1:{self.service.port}{path}/_matrix/push/v1/notify", timeout=10)
            check(answer.json() == {"unifiedpush": {"gateway": "matrix"}}, "the gateway answers discovery")

    def connected(self):
        whole, id_only = self.arrive(self.say("Shall we meet?", "Shall we <b>meet</b>?"))
        check(whole["content"]["body"] == "Shall we meet?", "the push has the text")
        check(
            whole["sender_display_name"] == "ann" and whole["room_name"] == "Office",
            "the push has the names of sender and room",
        )
        check(
            set(id_only) == {"event_id", "room_id", "prio", "counts", "devices"},
            "a pusher with event_id_only gets only the id",
        )
        whole, _ = self.arrive(self.say("x" * 20_000))
        check("content" not in whole and whole["room_name"] == "Office", "a text that is too long is left out")

    def absent(self):
        self.agent.close()
        before = len(self.between.passed)
        events = [self.say(f"while you were away {number}") for number in range(3)]
        self.between.wait(200, 6, since=before)
        self.agent.connect()
        for event in events:
            self.arrive(event)
        for channel in (self.whole, self.id_only):
            got = [body["event_id"] for _, body in self.agent.received[channel]]
            check(got[-3:] == events, "messages from the time offline arrive in order")

    def killed(self, trap):
        """Synapse repeats requests that were not answered, and the service recognises them."""
        process, self.between.trap = self.service.process, trap(self.service)
        event = self.say("are you there?")
        process.wait(30)
        self.service.start()
        self.agent.connect()
        self.arrive(event)
        # This message comes after all repetitions of earlier ones.
        self.arrive(self.say("there you are"))

    def disk_full(self):
        self.service.meddler.set(fault=Meddler.FULL)
        before = len(self.between.passed)
        event = self.say("the disk is full")
        self.between.wait(503, 2, since=before)
        check(self.bob.pushkeys() == {self.whole_endpoint, self.id_only_endpoint}, "a full disk ends no pusher")
        self.service.meddler.set(fault=Meddler.NOTHING)
        self.arrive(event)
        self.arrive(self.say("there is room again"))

    def revoked(self):
        self.agent.unregister(self.id_only)
        event = self.say("only one of you hears this")
        forgotten = "Synapse forgets only the revoked pushkey"
        check.soon(lambda: self.bob.pushkeys() == {self.whole_endpoint}, forgotten, 30)
        self.agent.wait(self.whole, event)

    def none_doubled(self):
        for channel, events in ((self.whole, self.events), (self.id_only, self.events[:-1])):
            for event in events:
                check(len(self.agent.versions(channel, event)) == 1, "each event arrives only once")

    def run(self):
        self.discovery()
        self.connected()
        self.absent()
        self.killed(kill_after_answer)
        for _ in range(3):
            self.killed(kill_meanwhile)
        self.disk_full()
        self.revoked()
        self.none_doubled()


def main():
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        service = Service(folder)
        homeserver = Homeserver(folder / "synapse", free_port(), service.setting())
        try:
            homeserver.start()
            service.start()
            Story(service, homeserver, Between(service.port)).run()
        except Exception:
            print(service.said()[-2000:], file=sys.stderr)
            raise
        finally:
            service.kill()
            if homeserver.process:
                homeserver.stop()
    print(f"synapse: {check.passed} checks passed in {time.monotonic() - started:.0f} s")


checked(main)
