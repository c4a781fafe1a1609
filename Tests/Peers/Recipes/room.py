"""A room on a Matrix homeserver, for a recipe."""

import json
import pathlib

from homeserver import Homeserver, User


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
