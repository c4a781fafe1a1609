"""`bellwire serve` as it is shipped, compared with nginx, nchan, mosquitto, and with SQLite and OpenSSL in C."""

import sys

sys.path.append(f"{__file__.rsplit('/', 4)[0]}/Tests")
sys.path.append(f"{sys.path[-1]}/Torture/Attacks")

from crowd import idle, kept, start, storm
from delivery import delivery, gateway, loops, rate
from held import held
from history import history
from posts import posts, stored
from terms import measure
from topics import topics

PARTS = {
    part.__name__: part
    for part in (delivery, rate, posts, stored, gateway, topics, history, idle, kept, storm, held, loops, start)
}


if __name__ == "__main__":
    sys.exit(measure("push", PARTS, rounds=9))
