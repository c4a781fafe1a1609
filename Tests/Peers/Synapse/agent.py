"""A user agent that connects, disconnects, and remembers everything that it received."""

import json
import threading
import uuid

from kit.coding import decode
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect


class Agent:
    limit = 30

    def __init__(self, url):
        self.url = url.replace("http", "ws", 1)
        self.uaid, self.socket = None, None
        self.changed = threading.Condition()
        self.replies = {}
        # The notifications of each channel in order, with their versions.
        self.received = {}

    def connect(self):
        self.socket = connect(self.url, compression=None)
        threading.Thread(target=self.read, args=(self.socket,), daemon=True).start()
        hello = {"messageType": "hello", "use_webpush": True}
        self.uaid = self.ask({**hello, "uaid": self.uaid} if self.uaid else hello)["uaid"]

    def close(self):
        self.socket.close()

    def read(self, socket):
        try:
            for text in socket:
                message = json.loads(text)
                if message["messageType"] == "notification":
                    self.take(message, socket)
                with self.changed:
                    self.replies[message["messageType"]] = message
                    self.changed.notify_all()
        except ConnectionClosed:
            pass

    def take(self, message, socket):
        body = json.loads(decode(message["data"]))
        assert "headers" not in message, "it is in clear, and says so"
        self.received[message["channelID"]].append((message["version"], body["notification"]))
        update = {"channelID": message["channelID"], "version": message["version"], "code": 100}
        socket.send(json.dumps({"messageType": "ack", "updates": [update]}))

    def ask(self, message):
        kind = message["messageType"]
        self.replies.pop(kind, None)
        self.socket.send(json.dumps(message))
        with self.changed:
            if not self.changed.wait_for(lambda: kind in self.replies, self.limit):
                raise TimeoutError(kind)
            return self.replies[kind]

    def register(self):
        """A channel and its endpoint."""
        channel = str(uuid.uuid4())
        self.received[channel] = []
        reply = self.ask({"messageType": "register", "channelID": channel})
        return channel, reply["pushEndpoint"]

    def unregister(self, channel):
        self.ask({"messageType": "unregister", "channelID": channel})

    def versions(self, channel, event):
        """The versions under which an event arrived. There should be one."""
        return {version for version, body in list(self.received[channel]) if body.get("event_id") == event}

    def wait(self, channel, event):
        """The notification of an event."""
        with self.changed:
            if not self.changed.wait_for(lambda: self.versions(channel, event), self.limit):
                raise TimeoutError(f"{event} did not come")
        return next(body for _, body in self.received[channel] if body.get("event_id") == event)
