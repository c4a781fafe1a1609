"""The CPU time of a push by the size of its body, and by how many clients, messages and accounts there are."""

import statistics
import sys

sys.path.append(f"{__file__.rsplit('/', 4)[0]}/Tests")

from bars import figures
from delivery import in_turn, known
from held import enough, make
from servers import Bellwire, Mosquitto
from terms import Terms

SIZES = (100, 500, 1_000, 2_000, 3_000, 4_096)
CONNECTIONS = (100, 1_000, 2_500, 5_000, 10_000)
BACKLOG = (0, 100_000, 300_000, 600_000, 900_000)
ACCOUNTS = (100, 1_000, 10_000, 30_000, 100_000)


def delivered(place, terms, clients, size):
    """The cost of a message from a publisher to its acknowledged delivery, for us and for mosquitto."""
    with Bellwire(place, clients) as ours, Mosquitto(place) as mosquitto:
        results = in_turn(
            (ours, mosquitto),
            terms.rounds,
            lambda server: place.load(server, terms.seconds, size=size, subscribers=clients, **known(server, clients)),
        )
    return {name: cost(runs) for name, runs in zip(("bellwire", "mosquitto"), results)}


def cost(runs):
    return statistics.median(figures(runs, "cpu_us"))


def by_size(place, terms, size):
    return delivered(place, terms, 100, size)


def by_connections(place, terms, clients):
    return delivered(place, terms, terms.few(clients, 200), 200)


def by_backlog(place, terms, messages):
    """Pushes to absent clients, while so many messages wait for others."""
    state, keys = place.new("state"), place.new("keys")
    messages, clients = terms.few(messages, 1_000), 500
    made = ("--endpoints", terms.few(10_000, 100), "--messages", messages)
    place.tool("fill", "--state", state, "--keys", keys, *made)
    with Bellwire(place, clients, state=state, keys=keys) as ours:
        load = {"mode": "absent", "size": 200, "ttl": 3_600, "agents": ours.register(clients)}
        return {"bellwire": cost([place.load(ours, terms.seconds, **load) for _ in range(terms.rounds)])}


def by_accounts(place, terms, accounts):
    """Pushes to registrations whose keys we hold, of so many accounts without a client."""
    state, keys, targets = make(place, terms.few(accounts, 100))
    with Bellwire(place, state=state, keys=keys) as ours:
        load = {"mode": "registrations", "targets": targets, "subscribers": 0, "count": enough(terms.seconds)}
        return {"bellwire": cost([place.load(ours, terms.seconds, **load) for _ in range(terms.rounds)])}


# What is on the axis, its values, and what measures one of them.
SWEEPS = {
    "size": ("bytes of a body", SIZES, by_size),
    "connections": ("connected clients", CONNECTIONS, by_connections),
    "backlog": ("waiting messages", BACKLOG, by_backlog),
    "accounts": ("accounts", ACCOUNTS, by_accounts),
}


def main():
    terms = Terms(SWEEPS, rounds=3)
    found = []
    with terms.place() as place:
        for name, (axis, values, measure) in terms.chosen(SWEEPS).items():
            print(f"\nCPU of a push in us by {axis}")
            series = {}
            for value in values:
                costs = measure(place, terms, value)
                print(f"      {value:9,}", *(f"  {service} {us:.2f}" for service, us in costs.items()), flush=True)
                for service, us in costs.items():
                    series.setdefault(service, []).append(round(us, 2))
            found.append({"sweep": name, "axis": axis, "values": values, "series": series})
    terms.keep("sweep", {"sweeps": found})
    return 0


if __name__ == "__main__":
    sys.exit(main())
