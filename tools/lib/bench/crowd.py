"""What many clients cost: idle ones, a storm of them after a start, and senders that keep their connections."""

import pathlib
import re
import statistics
import time

from bars import figures, line
from servers import Bellwire, Mosquitto
from wire import HEADERS, Client, request

FEW, MANY, BACK = 2_000, 18_000, 10_000
ENDPOINTS, MESSAGES = 1_000_000, 100_000


def idle(place, bars, terms):
    counts = [terms.few(FEW, 100), terms.few(MANY, 400)]
    costs = []
    for count in counts:
        print(f"\n{count:,} TLS WebSockets after hello, idle")
        with Bellwire(place, count) as ours:
            load = {"mode": "idle", "warm": 3, "hello_only": "yes", "bearers": ours.bearers}
            # The first ones make what all share, and bring in the pages of the program.
            place.load(ours, 3, subscribers=20, **load)
            run = place.load(ours, 3, subscribers=count, **load)
        costs.append(run["rss_kib"])
        print(
            f"      {run['pss_kib']:.2f} KiB PSS each, {run['open_us']:.0f} us CPU to open, {run['core']:.5f} of a core"
        )
        bars.check(f"idle, {count:,} clients: memory of one", costs[-1], 2.5, unit=" KiB")
    bars.check(f"idle: a client of {counts[1]:,} to one of {counts[0]:,}", costs[1] / costs[0], 1.1)
    print(f"\n{counts[1]:,} clients with an endpoint, 200 messages a second, 200 B, TTL 60, each to another client")
    runs = []
    for _ in range(min(3, terms.rounds)):
        with Bellwire(place, counts[1]) as ours:
            load = {"subscribers": counts[1], "rate": 200, "bearers": ours.bearers, "warm": 3}
            runs.append(place.load(ours, 2 * terms.seconds, **load))
    line("bellwire", runs)
    bars.check("idle: p99 of a message", statistics.median(figures(runs, "receive_p99")), 5, unit=" ms")


def storm(place, bars, terms):
    count = terms.few(BACK, 200)
    seconds = terms.few(10, 1)
    print(
        f"\n{count:,} clients back at once after a restart, {100 * seconds} messages in {seconds} seconds meanwhile,"
        " 200 B, TTL 60"
    )
    with Bellwire(place, count) as ours:
        agents, state, keys, bearers = ours.register(count), ours.state, ours.keys, ours.bearers
    results = {"bellwire": [], "mosquitto": []}
    for _ in range(terms.rounds):
        with Bellwire(place, state=state, keys=keys) as ours:
            results["bellwire"].append(come_back(place, ours, count, seconds, agents=agents, bearers=bearers))
        with Mosquitto(place) as mosquitto:
            results["mosquitto"].append(come_back(place, mosquitto, count, seconds))
    for service, runs in results.items():
        print(
            f"      {service:10} {statistics.median(figures(runs, 'cpu_us')):.0f} us CPU a client,"
            f" all back after {statistics.median(figures(runs, 'seconds')):.2f} s,"
            f" {sum(figures(runs, 'retries')):.0f} tried again"
        )
    bars.ratio(
        "back at once: CPU a client to that of mosquitto", *(figures(runs, "cpu_us") for runs in results.values()), 1
    )
    bars.check(
        "back at once: pushes refused or lost", sum(run["refused"] + run["lost"] for run in results["bellwire"]), 0
    )


def come_back(place, server, count, seconds, **options):
    # A client whose connection breaks in between gets a message again, as promised.
    return place.load(server, seconds, may_repeat=True, mode="storm", subscribers=count, rate=100, size=200, **options)


def start(place, bars, terms):
    endpoints, messages = terms.few(ENDPOINTS, 1_000), terms.few(MESSAGES, 100)
    print(f"\na start with {endpoints:,} endpoints and {messages:,} waiting messages of 1 KiB")
    state, keys = place.new("state"), place.new("keys")
    place.tool("fill", "--state", state, "--keys", keys, "--endpoints", endpoints, "--messages", messages)
    seconds, memory = [], []
    for _ in range(terms.rounds):
        # Nothing else needs a core meanwhile.
        with Bellwire(place, state=state, keys=keys, cores=place.all_cores) as ours:
            seconds.append(ours.start_seconds)
            memory.append(ours.figure("VmHWM") / 1024)
    log = (place.folder / "bellwire.log").read_text()
    if f"endpoints={endpoints} messages={messages}" not in log:
        raise SystemExit(f"bench: the server did not find what was made:\n{log}")
    bars.check("start: ready", statistics.median(seconds), 1.5, unit=" s")
    bars.check("start: most memory", statistics.median(memory), 300, unit=" MiB")


WARM, COUNT = 200, 5_000
# The protocol, and the KiB that a connection may cost.
CASES = [("http/1.1", 2), ("h2", 10)]


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
