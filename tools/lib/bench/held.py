"""Pushes to registrations whose keys the server holds: TLS, signature, decryption, commit, answer, update."""

from bars import figures, line
from servers import Bellwire

CLIENTS = 100
# How many accounts, whether each has a client that listens, and the multiple of the bare decryption.
CASES = [(CLIENTS, True, 2.0), (1_000, False, 2.5), (100_000, False, 3.0)]


def bare_decryption(place):
    """Microseconds for 200 B in C."""
    return float(place.tool("decryption", "--rounds", "3", "--seconds", "0.2").split("=")[1])


def make(place, accounts):
    """The folders of a server with these accounts, and the file that says how to push to them."""
    state, keys, targets = place.new("state"), place.new("keys"), place.new("targets")
    place.tool("registrations", "--state", state, "--keys", keys, "--endpoints", accounts, f"targets={targets}")
    return state, keys, targets


def enough(seconds):
    """How many pushes to prepare for a load, with a second before it: more than one core can take."""
    return int(16_000 * (seconds + 1))


def held(place, bars, terms):
    costs = {}
    for accounts, have_clients, most in CASES:
        accounts = terms.few(accounts, CLIENTS)
        who = "each with a client" if have_clients else "without clients"
        print(f"\nregistrations whose keys we hold: {accounts:,} accounts {who}, 64 senders, TTL 60")
        state, keys, targets = make(place, accounts)
        runs, bare = [], []
        with Bellwire(place, state=state, keys=keys) as ours:
            for _ in range(terms.rounds):
                before = bare_decryption(place)
                load = {"mode": "registrations", "targets": targets, "subscribers": accounts if have_clients else 0}
                runs.append(place.load(ours, terms.seconds, count=enough(terms.seconds), **load))
                bare.append((before + bare_decryption(place)) / 2)
        line("bellwire", runs)
        print(f"      {runs[-1]['told']:.2f} updates and {runs[-1]['pages']:.2f} pages written a push")
        name = f"held keys, {accounts:,} accounts {who}"
        costs[accounts, have_clients] = figures(runs, "cpu_us")
        bars.ratio(f"{name}: CPU to bare decryption in C", figures(runs, "cpu_us"), bare, most)
    *_, few, many = costs.values()
    bars.ratio("held keys: an account of the many to one of the few", many, few)
