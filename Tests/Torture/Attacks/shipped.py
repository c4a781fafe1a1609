"""The whole program under attack, and one beside it without attack; a neighbour pushes to both."""

import tempfile
import time

from kit.server import Server
from target import Beside, percentile99


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
