"""`bellwire serve` as it is shipped, compared with nginx, nchan, mosquitto, and with SQLite and OpenSSL in C."""

import sys

sys.path.append(f"{__file__.rsplit('/', 4)[0]}/Tests")
sys.path.append(f"{sys.path[-1]}/Torture/Attacks")

from bars import Bars
from crowd import idle, kept, start, storm
from delivery import delivery, gateway, loops, rate
from held import held
from posts import posts, stored
from terms import Terms

PARTS = {
    part.__name__: part for part in (delivery, rate, posts, stored, gateway, idle, kept, storm, held, loops, start)
}


def main():
    terms = Terms(PARTS, rounds=9)
    bars = Bars(terms.is_trial)
    with terms.place() as place:
        for part in terms.chosen(PARTS).values():
            part(place, bars, terms)
    terms.keep("push", {"figures": bars.kept})
    return bars.exit_code


if __name__ == "__main__":
    sys.exit(main())
