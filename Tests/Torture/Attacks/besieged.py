"""Attacks after the handshake, on the whole program and beside one without attack: others push as fast as in quiet, and
nobody is refused.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time

from kit.server import Server
from target import HERE, Beside, percentile99
from worst import FAMILIES


class Shipped(Server):
    """One `bellwire serve` without TLS, for added devices."""

    def __init__(self, program):
        self.place = tempfile.TemporaryDirectory()
        super().__init__(program, self.place.name, "--registration", "token")
        self.start()

    def new_device(self, owner):
        return self.add_device(f"{owner} {time.monotonic_ns()}", owner=owner)

    def remove_owner(self, name):
        """Removes the owner with everything that belongs to it."""
        for owner in self.ask("GET", "owners")["owners"]:
            if owner["name"] == name:
                self.ask("DELETE", f"owners/{owner['id']}")

    def end(self):
        self.kill()
        self.place.cleanup()


class Neighbour(Beside):
    """Another user, who pushes to a device at both servers in turn until the block ends."""

    def __init__(self, servers, bearers):
        super().__init__("neighbour.py", *(f"{server.port}/{bearer}" for server, bearer in zip(servers, bearers)))

    def saw(self, attacked, elsewhere):
        self.attacked, self.elsewhere = attacked, elsewhere
        for seen in (attacked, elsewhere):
            seen["p99"] = percentile99(seen["times"])


class Siege:
    """A server under siege, with everything that is compared."""

    def __init__(self, program):
        self.servers = [Shipped(program), Shipped(program)]
        self.server = self.servers[0]
        self.bearers = [server.new_device("neighbour") for server in self.servers]

    def __enter__(self):
        with self.neighbour():
            time.sleep(0.2)
        with self.neighbour() as quiet:
            time.sleep(1.5)
        self.quiet = quiet.attacked["p99"]
        self.first_memory = self.server.memory()
        return self

    def __exit__(self, *_):
        for server in self.servers:
            server.end()

    def neighbour(self):
        return Neighbour(self.servers, self.bearers)


MEGABYTE = 1 << 20
# Others may wait three times as long as in quiet, and always up to 20 ms.
SLOWER, WAIT = 3, 20
# What was removed must also leave the memory. 32 MiB of it keep what was last read of the database (docs/limits.md).
MEMORY, CALM = 48 * MEGABYTE, 10


def run(report, is_long, program, family):
    kinds = list(FAMILIES[family])
    while kinds:
        with Siege(program) as siege:
            while kinds and siege.server.is_alive():
                besiege(report, siege, kinds.pop(0), 3 if is_long else 1, 6 if is_long else 1)


def besiege(report, siege, kind, rounds, seconds):
    server = siege.server
    first_descriptors = server.descriptors()
    seen = [one_round(siege, kind, f"worst{number}", seconds) for number in range(rounds)]
    attacked, elsewhere, limit = waits(siege, seen)
    if len(seen) == 1 and attacked > limit and server.is_alive():
        # The machine may have been busy in that second; then the median of three counts.
        seen += [one_round(siege, kind, f"again{number}", seconds) for number in range(2)]
        attacked, elsewhere, limit = waits(siege, seen)
    done = f"{seen[0].pieces} pieces, {seen[0].ends} connections cut, {seconds} s"
    name = kind.__name__.replace("_", " ")
    bound = f"others: p99, {siege.quiet:.1f} ms in quiet, {elsewhere:.1f} elsewhere <= {limit:.1f} ms"
    report.bound(name, done, bound, f"{attacked:.1f} ms", attacked <= limit)
    wrong = [entry.attacked["wrong"] for entry in seen if entry.attacked["wrong"]]
    report.bound("", "", "others: pushes that were not answered 201: none", str(wrong or "none"), not wrong)
    report.bound("", "", "the server stays up", "up" if server.is_alive() else "ended", server.is_alive())
    if not server.is_alive():
        return
    start = time.monotonic()
    while time.monotonic() - start < CALM and (
        server.memory() - siege.first_memory > MEMORY or server.descriptors() > first_descriptors
    ):
        time.sleep(0.1)
    grown = (server.memory() - siege.first_memory) / MEGABYTE
    report.bound(
        "",
        "",
        f"memory {CALM} s later: at most {MEMORY >> 20} MB more than before all attacks",
        f"{grown:.1f} MB",
        grown <= MEMORY / MEGABYTE,
    )
    report.bound(
        "",
        "",
        "descriptors return",
        f"{server.descriptors()} of {first_descriptors}",
        server.descriptors() <= first_descriptors,
    )


def waits(siege, seen):
    """How long others waited, how long for a server without attack, and the bound."""
    attacked, elsewhere = (
        statistics.median(getattr(entry, name)["p99"] for entry in seen) for name in ("attacked", "elsewhere")
    )
    return attacked, elsewhere, max(SLOWER * max(siege.quiet, elsewhere), WAIT)


def one_round(siege, kind, owner, seconds):
    """What the neighbour saw while one client attacked. Then the client's registrations are removed."""
    server = siege.server
    bearer = server.new_device(owner)
    words = [kind.__name__, server.port, bearer, server.socket, seconds]
    command = [sys.executable, HERE / "worst.py", *map(str, words)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as attacker:
        attacker.stdout.readline()
        with siege.neighbour() as neighbour:
            output = attacker.stdout.read()
    if attacker.returncode or not output:
        raise SystemExit(f"attack: {kind.__name__} could not be made")
    neighbour.pieces, neighbour.ends = (json.loads(output)[name] for name in ("pieces", "ends"))
    if server.is_alive():
        server.remove_owner(owner)
    return neighbour
