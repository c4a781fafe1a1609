"""What a cluster costs: beside one server with SQLite, with many subscriptions, and with streams instead of a log."""

import sys

sys.path.append(f"{__file__.rsplit('/', 4)[0]}/Tests")
sys.path += [f"{sys.path[-1]}/Torture/{folder}" for folder in ("Cluster", "Promise")]

from cluster_growth import growth
from cluster_pushes import pushes
from cluster_streams import streams
from terms import measure

PARTS = {part.__name__: part for part in (pushes, growth, streams)}


if __name__ == "__main__":
    sys.exit(measure("cluster", PARTS, rounds=3, seconds=3))
