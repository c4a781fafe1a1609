"""Sends requests to servers in turn, over a kept connection and over new ones, until its input ends.

Prints for each server the milliseconds of every answer, and how many answers were missing.
"""

import json
import select
import sys
import time

from wire import Client


class Asked:
    """A server that gets requests, every tenth through a new connection."""

    def __init__(self, port):
        self.port, self.kept = port, None
        self.times, self.failures = [], 0

    def ask(self):
        start = time.monotonic()
        try:
            if self.kept is None or len(self.times) % 10 == 0:
                self.kept = Client(self.port, "http/1.1", timeout=5)
            if self.kept.ask() != 200:
                raise OSError("no answer")
        except OSError:
            self.failures, self.kept = self.failures + 1, None
        self.times.append((time.monotonic() - start) * 1000)


servers = [Asked(int(port)) for port in sys.argv[1:]]
print("begun", flush=True)
# Frequent enough for the shortest attack.
while not select.select([sys.stdin], [], [], 0.005)[0] or len(servers[0].times) < 100:
    for server in servers:
        server.ask()
print(json.dumps([{"times": server.times, "failures": server.failures} for server in servers]))
