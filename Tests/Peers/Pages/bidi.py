"""WebDriver BiDi: JSON messages over a WebSocket, by which both browsers are driven and say what they do."""

import json
import time

import websockets.sync.client


class BrowserError(Exception):
    pass


class Bidi:
    """One session. Every call ends within `limit` seconds, with an answer or an exception."""

    limit = 30

    def __init__(self, url):
        self.socket = websockets.sync.client.connect(url, max_size=None, open_timeout=self.limit, proxy=None)
        self.count, self.events = 0, []

    def call(self, name, **parameters):
        self.count += 1
        self.socket.send(json.dumps({"id": self.count, "method": name, "params": parameters}))
        deadline = time.monotonic() + self.limit
        while True:
            message = self.receive(deadline - time.monotonic())
            if message is None:
                raise BrowserError(f"{name}: no answer within {self.limit} s to {str(parameters)[:300]}")
            if message.get("id") != self.count:
                continue
            if message["type"] == "error":
                raise BrowserError(f"{name}: {message['error']}: {message['message'][:500]}")
            return message["result"]

    def receive(self, limit):
        """The next answer or event. Events are also kept."""
        try:
            message = json.loads(self.socket.recv(max(limit, 0)))
        except TimeoutError:
            return None
        if message["type"] == "event":
            self.events.append(message)
        return message

    def catch_up(self):
        """Takes the events that have arrived; an answer comes after the events before it."""
        self.call("browsingContext.getTree", maxDepth=0)

    def close(self):
        self.socket.close()
