"""Asks a server over a kept connection and over new ones, until its input ends.

Prints how long each answer took in milliseconds, and how often there was none.
"""

import json
import select
import sys
import time

from wire import Client

port = int(sys.argv[1])
times, failures, kept, count = [], 0, None, 0
print("begun", flush=True)
# Often enough, however short the attack is.
while not select.select([sys.stdin], [], [], 0.005)[0] or count < 30:
    count += 1
    start = time.monotonic()
    try:
        if kept is None or count % 10 == 0:
            kept = Client(port, "http/1.1", timeout=5)
        if kept.ask() != 200:
            raise OSError("no answer")
    except OSError:
        failures, kept = failures + 1, None
    times.append((time.monotonic() - start) * 1000)
print(json.dumps({"times": times, "failures": failures}))
