"""How peers reach the server."""

from typing import NamedTuple

from clients.sender import Client


class Route(NamedTuple):
    port: int
    # For TLS.
    context: object = None
    # A proxy that cuts, delays and forgets is in between.
    is_faulty: bool = False


class Network:
    """Nothing but plain HTTP/1.1. Other networks have the same methods."""

    def __init__(self, server):
        self.server = server

    def to_agents(self, chance, is_calm):
        """The route of a connection of a user agent."""
        return Route(self.server.port)

    def client(self, chance):
        """The connection of a sender. It may share it with others."""
        return Client(self.server.port)
