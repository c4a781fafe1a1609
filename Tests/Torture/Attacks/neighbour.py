"""Pushes to its own device at several servers in turn until its input ends: to a user agent that is connected and
acknowledges, and to one that is away.

Prints for each server the milliseconds of the answers, and which were not 201. Arguments: PORT/BEARER.
"""

import json
import select
import socket
import sys
import time
import uuid

sys.path.append(__file__.rsplit("/", 3)[0])

from kit.websocket import BlockingWebSocket, http_answer


class Place:
    """A user agent at one server with a channel, and a channel of another user agent that has left."""

    def __init__(self, port, bearer):
        self.port = int(port)
        away = BlockingWebSocket(self.port, bearer)
        self.away = away.register(str(uuid.uuid4()))
        away.close()
        self.agent = BlockingWebSocket(self.port, bearer)
        self.here = self.agent.register(str(uuid.uuid4()))
        self.times, self.wrong, self.kept, self.count = [], {}, None, 0

    def push(self):
        self.count += 1
        is_here = self.count % 2
        if self.kept is None or self.count % 10 == 0:
            self.kept = socket.create_connection(("127.0.0.1", self.port), timeout=10)
            self.kept.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # A waiting message replaces the one before.
        topic = "" if is_here else "Topic: latest\r\n"
        path = self.here if is_here else self.away
        start = time.monotonic()
        try:
            self.kept.sendall(
                (
                    f"POST {path} HTTP/1.1\r\nHost: localhost\r\nTTL: 60\r\nContent-Encoding: aes128gcm\r\n"
                    f"{topic}Content-Length: 100\r\n\r\n"
                ).encode()
                + bytes(100)
            )
            if is_here:
                self.acknowledge()
            status = http_answer(self.kept)
        except OSError as error:
            status, self.kept = type(error).__name__, None
        self.times.append((time.monotonic() - start) * 1_000)
        if status != 201:
            self.wrong[str(status)] = self.wrong.get(str(status), 0) + 1

    def acknowledge(self):
        message = self.agent.receive()
        if message.get("messageType") == "notification":
            update = {"channelID": message["channelID"], "version": message["version"]}
            self.agent.say({"messageType": "ack", "updates": [update]})


places = [Place(*word.split("/", 1)) for word in sys.argv[1:]]
print("begun", flush=True)
# Frequent enough for the shortest attack.
while not select.select([sys.stdin], [], [], 0.004)[0] or len(places[0].times) < 150:
    for place in places:
        place.push()
print(json.dumps([{"times": place.times, "wrong": place.wrong} for place in places]))
