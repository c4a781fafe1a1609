"""What stands between the machines of a cluster: a balancer before the nodes, and which node a connection
comes from.
"""

import asyncio
import contextlib
import os
import pathlib

from events import now
from kit.gate import Gate


class Balancer(Gate):
    """Chooses a node at random, among those that accept connections and said that they are well."""

    PAUSE = 0.3

    def __init__(self, port, nodes, random):
        super().__init__(port, None)
        self.nodes, self.random = nodes, random
        self.well = set(nodes)
        # The node and the port of a client that it serves.
        self.places = {}

    async def look(self):
        """Asks each node as HAProxy would do."""
        while True:
            found = await asyncio.gather(*(node.health(0.5) for node in self.nodes))
            self.well = {node for node, status in zip(self.nodes, found) if status == 200}
            await asyncio.sleep(self.PAUSE)

    async def connect(self, reader, writer):
        source = writer.get_extra_info("peername")[1]
        row = [node for node in self.nodes if node in self.well] or list(self.nodes)
        self.random.shuffle(row)
        for node in row:
            self.places[source] = node.number, now()
            try:
                return await self.join(reader, writer, node.tls_port)
            except ConnectionRefusedError:
                self.well.discard(node)


def inode(port):
    """Of the socket of this machine that has this port, the other end of which is ours."""
    for table in ("/proc/self/net/tcp", "/proc/self/net/tcp6"):
        for line in pathlib.Path(table).read_text().splitlines()[1:]:
            words = line.split()
            if int(words[1].rsplit(":", 1)[1], 16) == port and words[9] != "0":
                return words[9]
    return None


def is_open(pid, wanted):
    folder = f"/proc/{pid}/fd"
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):
            with contextlib.suppress(OSError):
                if os.readlink(f"{folder}/{name}") == f"socket:[{wanted}]":
                    return True
    return False


def find(port, nodes):
    """The number of the node, or None if it has ended meanwhile."""
    wanted = inode(port)
    if wanted:
        for node in nodes:
            if node.process and node.process.returncode is None and is_open(node.process.pid, wanted):
                return node.number
    return None
