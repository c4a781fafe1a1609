"""What a cluster costs: beside one server with SQLite, with many subscriptions, and with streams instead of a log."""

import sys

sys.path.append(f"{__file__.rsplit('/', 4)[0]}/Tests")
sys.path += [f"{sys.path[-1]}/Torture/{folder}" for folder in ("Cluster", "Promise")]

from bars import Bars
from cluster_growth import growth
from cluster_pushes import pushes
from cluster_streams import streams
from terms import Terms

PARTS = {part.__name__: part for part in (pushes, growth, streams)}


def main():
    terms = Terms(PARTS, rounds=3, seconds=3)
    bars, found = Bars(terms.is_trial), {}
    with terms.place() as place:
        for part in terms.chosen(PARTS).values():
            found |= part(place, bars, terms)
    terms.keep("cluster", found | {"figures": bars.kept})
    return bars.exit_code


if __name__ == "__main__":
    sys.exit(main())
