"""From a publisher to an acknowledged delivery."""

import contextlib

from bars import figures, line, median
from servers import Bellwire, Mosquitto, Nchan

CLIENTS = 100


def in_turn(servers, rounds, run):
    """The results of `run` for each server, which it measures in turn."""
    results = {server: [] for server in servers}
    for _ in range(rounds):
        for server in servers:
            results[server].append(run(server))
    return list(results.values())


def delivery(place, bars, terms):
    for size, most in ((200, 0.8), (4096, 0.9)):
        print(f"\n64 publishers, {CLIENTS} clients, {size} B, TTL 60, without a pause; one acknowledgement a frame")
        with Bellwire(place, CLIENTS) as ours, Mosquitto(place) as mosquitto, Nchan(place) as nchan:
            results = in_turn(
                (ours, mosquitto, nchan),
                terms.rounds,
                lambda server: place.load(
                    server, terms.seconds, size=size, subscribers=CLIENTS, **known(server, CLIENTS)
                ),
            )
        for server, runs in zip((ours, mosquitto, nchan), results):
            line(server.service, runs)
        cpu = [figures(runs, "cpu_us") for runs in results]
        bars.ratio(f"delivered, {size} B: CPU to that of mosquitto (QoS 1 both sides, memory only)", *cpu[:2], most)
        bars.ratio(f"delivered, {size} B: CPU to that of nchan (no acknowledgements)", cpu[0], cpu[2])
        bars.check(f"delivered, {size} B: pages written a message", median(results[0], "pages"), 0.05)


def rate(place, bars, terms):
    print(f"\n500 messages a second, {CLIENTS} clients, 200 B, TTL 60; one acknowledgement a frame")
    with Bellwire(place, CLIENTS) as ours, Mosquitto(place) as mosquitto:
        results = in_turn(
            (ours, mosquitto),
            terms.rounds,
            lambda server: place.load(
                server, terms.seconds, size=200, rate=500, subscribers=CLIENTS, **known(server, CLIENTS)
            ),
        )
    for server, runs in zip((ours, mosquitto), results):
        line(server.service, runs)
    for name, figure, most in (
        ("CPU", "cpu_us", 1.05),
        ("p50 of the delivery", "receive_p50", 1),
        ("p99 of the delivery", "receive_p99", 1),
    ):
        bars.ratio(f"500 a second: {name} to that of mosquitto", *(figures(runs, figure) for runs in results), most)


def loops(place, bars, terms):
    print(f"\none loop and two, 64 publishers, {CLIENTS} clients, 200 B, TTL 60, without a pause")
    if place.all_cores == place.server_core:
        print("      left out: there is only one core")
        return
    with contextlib.ExitStack() as stack:
        one = stack.enter_context(Bellwire(place, CLIENTS))
        two = stack.enter_context(Bellwire(place, CLIENTS, cores=place.all_cores, port=Bellwire.port + 1))
        results = in_turn(
            (one, two),
            terms.rounds,
            lambda server: place.load(server, terms.seconds, size=200, subscribers=CLIENTS, **known(server, CLIENTS)),
        )
    for name, runs in zip(("one loop", "two loops"), results):
        line(name, runs)
    bars.ratio("two loops: CPU a message to that of one", *(figures(runs, "cpu_us") for runs in reversed(results)), 1.1)


def gateway(place, bars, terms):
    """A push of the same size to the same client, from an application server and from a homeserver. The latter leaves a
    mark and therefore always waits for the disk.
    """
    for mode, clients, publishers in (("absent", "away", 512), ("load", "connected", 64)):
        print(f"\n640 B to {CLIENTS} clients that are {clients}, TTL 60, plain and by the Matrix gateway")
        runs = {"no": [], "yes": []}
        for _ in range(terms.rounds):
            for is_gateway, results in runs.items():
                with Bellwire(place, CLIENTS) as ours:
                    where = {"agents": ours.register(CLIENTS)} if mode == "absent" else {"bearers": ours.bearers}
                    options = {"mode": mode, "size": 640, "gateway": is_gateway, "publishers": publishers}
                    results.append(place.load(ours, terms.seconds, subscribers=CLIENTS, **where, **options))
        for name, results in zip(("plain", "gateway"), runs.values()):
            line(name, results)
        # A plain push to a connected client does not touch the disk, so there is no bar for that.
        bars.ratio(
            f"gateway, client {clients}: CPU to that of a plain push",
            *(figures(results, "cpu_us") for results in (runs["yes"], runs["no"])),
            1.5 if mode == "absent" else None,
        )


def known(server, clients):
    """For ours, user agents that come back in each round: an owner may have 500."""
    if not isinstance(server, Bellwire):
        return {}
    server.agents = server.agents or server.register(clients)
    return {"bearers": server.bearers, "agents": server.agents}
