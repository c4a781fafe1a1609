"""What stands between the machines of a cluster: gates before the servers of NATS, a balancer before the nodes, and
which node a connection comes from.
"""

import asyncio
import contextlib
import os
import pathlib

from events import now


class Gate:
    """Hands on what comes, until it is shut. Then connections are reset and refused, or nothing arrives any more."""

    def __init__(self, port, target):
        self.port, self.target = port, target
        self.server, self.writers, self.pumps, self.is_reset = None, set(), set(), False
        self.is_open = asyncio.Event()
        self.is_open.set()

    async def begin(self):
        self.server = await asyncio.start_server(self.admit, "127.0.0.1", self.port)
        return self

    def end(self):
        self.server.close()
        for writer in list(self.writers):
            writer.transport.abort()

    def shut(self, is_reset):
        self.is_reset = is_reset
        self.is_open.clear()
        for writer in list(self.writers) if is_reset else []:
            writer.transport.abort()

    def open(self):
        self.is_open.set()

    async def admit(self, reader, writer):
        if self.is_reset and not self.is_open.is_set():
            return writer.transport.abort()
        self.writers.add(writer)
        try:
            await self.is_open.wait()
            await self.connect(reader, writer)
        except OSError:
            pass
        finally:
            writer.transport.abort()
            self.writers.discard(writer)

    async def connect(self, reader, writer):
        await self.join(reader, writer, self.target)

    async def join(self, reader, writer, port):
        there, further = await asyncio.open_connection("127.0.0.1", port)
        self.writers.add(further)
        pumps = [asyncio.ensure_future(self.pump(reader, further)), asyncio.ensure_future(self.pump(there, writer))]
        try:
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for pump in pumps:
                pump.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)
            further.transport.abort()
            self.writers.discard(further)

    async def pump(self, reader, writer):
        while data := await reader.read(65_536):
            await self.is_open.wait()
            writer.write(data)
            await writer.drain()


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
