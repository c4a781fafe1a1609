"""What a stored push costs one server with SQLite, and one and three nodes over three servers of NATS."""

import asyncio
import statistics

from installation import Installation

# How many nodes each has, and whether they share their store.
SETUPS = {"sqlite": (1, False), "one node": (1, True), "three nodes": (3, True)}
CLIENTS, SIZE = 200, 200
# How many pushes are under way at the same time, and how many are sent in a second when their latency counts.
MANY, PACE = 256, 200
LOADS = {"alone": {"publishers": 1}, "many": {"publishers": MANY}, "pace": {"publishers": 32, "rate": PACE}}
# So many messages are acknowledged in a second at least, and clients come again at most so often for the rest.
DELIVERED, VISITS = 6_000, 20


def pushes(place, bars, terms):
    print(
        f"\npushes of {SIZE} B to {CLIENTS} absent clients: one after the other, {MANY} under way, {PACE} a second;"
        " then the clients come and acknowledge everything"
    )
    runs = {name: [] for name in SETUPS}
    for _ in range(terms.rounds):
        for name in SETUPS:
            runs[name].append(asyncio.run(measure(place, terms, name)))
    rows = [row for name, found in runs.items() for row in medians(name, found)]
    for row in rows:
        show(row)
    # At a pace, both take as many pushes in a second; what one costs depends on that.
    for load in ("alone", "pace", "many"):
        ours, theirs = (taker(runs[name], load) for name in ("one node", "sqlite"))
        bars.ratio(f"cluster: {load}: CPU of a node for a push to that of SQLite", ours, theirs, 2)
    waits = [mine["pace"]["p50_ms"] - other["pace"]["p50_ms"] for mine, other in zip(runs["one node"], runs["sqlite"])]
    bars.check("cluster: what half of the pushes at a pace take longer", statistics.median(waits), 10, unit=" ms")
    whole = [[run["many"]["nodes_us"] for run in runs[name]] for name in ("three nodes", "one node")]
    bars.ratio("cluster: many: CPU of three nodes for a push to that of one", *whole, 1.25)
    return {"pushes": rows}


def taker(runs, load):
    return [run[load]["taker_us"] for run in runs]


def medians(name, runs):
    for load in runs[0]:
        yield {"setup": name, "load": load} | {
            figure: round(statistics.median(run[load][figure] for run in runs), 3) for figure in runs[0][load]
        }


def show(row):
    text = f"      {row['setup']:12} {row['load']:10} {row['taker_us']:7.1f} us node"
    text += f" {row['follower_us']:7.1f} each other {row['nodes_us']:7.1f} all nodes {row['nats_us']:7.1f} NATS"
    if "rate" in row:
        text += f" {row['rate']:8,.0f}/s  p50 {row['p50_ms']:.2f} p99 {row['p99_ms']:.2f} ms"
        text += f"  {row['refused']:.0f} refused" if row["refused"] else ""
    print(text, flush=True)


async def measure(place, terms, name):
    """The figures of each load."""
    count, is_shared = SETUPS[name]
    async with Installation(place, count, is_shared) as installation:
        bearers, agents = await installation.register(CLIENTS)
        found = {}
        for load, options in LOADS.items():
            found[load] = await stored(installation, terms, agents, **options)
        if count > 1:
            found["all nodes"] = await stored(installation, terms, agents, range(count), publishers=MANY // count)
        if not is_shared:
            # Accepted and forgotten, which is what there is beside storing.
            found["forgotten"] = await stored(installation, terms, agents, publishers=MANY, ttl=0)
        found["removed"] = await removed(installation, bearers, agents)
        return found


async def stored(installation, terms, agents, at=(0,), ttl=3_600, **options):
    """CPU for each push, whose messages all nodes have in the end."""
    waiting, before = installation.waiting(), installation.used()
    # A node refuses while it is cut off from the servers, or too far behind, as on a machine with too much to do.
    options |= {"mode": "absent", "size": SIZE, "ttl": ttl, "agents": agents, "may_refuse": installation.is_shared}
    options["warm"] = terms.few(1, 0.2)
    seconds = terms.few(terms.seconds, 0.3)
    loads = await asyncio.gather(*(installation.run(number, seconds, **options) for number in at))
    count = int(sum(load["accepted"] for load in loads))
    await installation.until_all_know(waiting + (count if ttl else 0))
    found = shares(installation.since(before), count)
    if len(loads) == 1:
        # Without the handshakes of the senders, which come before.
        found["nodes_us"] += loads[0]["cpu_us"] - found["taker_us"]
        found["taker_us"] = loads[0]["cpu_us"]
    return found | {
        "rate": sum(load["rate"] for load in loads),
        "p50_ms": statistics.median(load["answer_p50"] for load in loads),
        "p99_ms": max(load["answer_p99"] for load in loads),
        "refused": sum(load["refused"] for load in loads),
    }


async def removed(installation, bearers, agents):
    """CPU for each message that its client gets from the first node and acknowledges."""
    waiting, before = installation.waiting(), installation.used()
    # Nothing is published meanwhile.
    options = {"mode": "load", "subscribers": CLIENTS, "bearers": bearers, "agents": agents, "rate": 0.001}
    for _ in range(VISITS):
        await installation.run(0, waiting / DELIVERED + 0.5, may_repeat=True, publishers=1, warm=0, **options)
        if installation.waiting() == 0:
            break
    await installation.until_all_know(0)
    return shares(installation.since(before), waiting)


def shares(used, count):
    """Microseconds for one of so many: of the node that takes it, of each other node, of all, and of the servers."""
    (first, *others), nats = used
    cost = {"taker_us": first, "follower_us": sum(others) / max(1, len(others)), "nodes_us": first + sum(others)}
    return {name: seconds / count * 1e6 for name, seconds in (cost | {"nats_us": nats}).items()}
