"""The memory of connections that senders keep open after a request."""

import pathlib
import re
import time

from servers import Bellwire
from wire import HEADERS, Client, request

WARM, COUNT = 200, 5_000
# The protocol, and the KiB that a connection may cost.
CASES = [("http/1.1", 14.5), ("h2", 29.0)]


def kept(place, bars, terms):
    count = terms.few(COUNT, 400)
    print(f"\n{count:,} TLS connections after a request, idle")
    for protocol, most in CASES:
        with Bellwire(place) as ours:
            held = [connect(ours.port, protocol) for _ in range(WARM)]
            before = at_rest(ours)
            held += [connect(ours.port, protocol) for _ in range(count)]
            cost = (at_rest(ours) - before) / count
            for client in held:
                client.close()
        bars.check(f"kept connection, {protocol}: memory", cost, most, unit=" KiB")


def at_rest(server):
    """The KiB of Private_Dirty, after the seconds in which free memory goes back to the system."""
    time.sleep(3)
    return int(re.search(r"Private_Dirty:\s+(\d+)", pathlib.Path(f"/proc/{server.pid}/smaps_rollup").read_text())[1])


def connect(port, protocol):
    client = Client(port, protocol, timeout=30)
    if protocol == "h2":
        client.open()
        client.send(request(1))
        for kind, *_ in client.frames():
            if kind == HEADERS:
                return client
    elif client.ask():
        return client
    raise SystemExit(f"bench: no answer by {protocol}")
