"""One server with SQLite, or nodes over three servers of NATS, as they are shipped."""

import asyncio
import pathlib
import re
import subprocess
import tempfile
import types
import urllib.request

from kit import control
from kit.process import Running
from nodes.machines import COUNT, NATS, NatsServers, Node

# An owner may have so many user agents.
SHARE = 500
METRICS = 9280


def processor(machine):
    """CPU seconds of all its threads, to the nanosecond."""
    return Running(machine.process).cpu()


class Installation:
    """Ends with the block. All of it may use all cores, because a cluster has more processes than there are cores.

    `count`: of nodes. `is_moved`: the first is a server with SQLite at first, and has the folders `node1` and `keys`.
    """

    def __init__(self, place, count, is_shared, is_moved=False):
        self.place, self.count, self.is_shared, self.is_moved = place, count, is_shared, is_moved
        self.temporary = tempfile.TemporaryDirectory(dir=place.folder, prefix="installation")
        self.folder = pathlib.Path(self.temporary.name)
        self.nodes, self.servers = [], None

    async def __aenter__(self):
        self.servers = NatsServers(self.folder) if self.is_shared else None
        try:
            if self.servers:
                await self.servers.begin()
            if not self.is_moved:
                (self.folder / "keys").mkdir(mode=0o700)
                words = [self.place.bellwire, "keys", "new", "master", self.folder / "keys/master.json"]
                subprocess.run(words, check=True, capture_output=True)
                for _ in range(self.count):
                    await self.add_node(self.servers)
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *_):
        for machine in [*self.nodes, *(self.servers.all if self.servers else [])]:
            if machine.process and machine.process.returncode is None:
                await machine.end(within=10)
        self.temporary.cleanup()

    async def add_node(self, servers, patience=60):
        """A node that is ready."""
        number, files = len(self.nodes), (self.place.certificate, self.place.key)
        node = Node(number, self.place.bellwire, self.folder, servers, files, is_gated=False)
        with node.configuration.open("a") as file:
            file.write(f"metrics-listen = http://127.0.0.1:{METRICS + number}\n")
        self.nodes.append(node)
        await node.begin()
        await self.wait_for(node, patience)
        return node

    def enter(self, node):
        """Writes what a node with SQLite needs to become one of the cluster."""
        ways = (f"tls://bellwire:{self.servers.password}@127.0.0.1:{NATS + number}" for number in range(COUNT))
        with node.configuration.open("a") as file:
            file.write(f"store = {', '.join(ways)}\nstore-authorities = {self.folder / 'nats/ca.pem'}\n")
            file.write(f"node = {node.name}\n")

    async def wait_for(self, node, patience=60):
        if not await node.is_healthy(patience):
            raise SystemExit(f"bench: {node.name} is not ready: {node.said.read_text()[-1000:]}")

    async def register(self, clients):
        """The files that name the credentials of this many clients, and the clients, which are away now."""
        bearers, agents = self.folder / "bearers", self.folder / "agents"
        socket = self.nodes[0].state / "control.sock"
        owners = [{"name": "bench", "owner": f"bench{number}"} for number in range(-(-clients // SHARE))]
        bearers.write_text("\n".join(control.ask(socket, "POST", "devices", owner)["bearer"] for owner in owners))
        await self.run(0, 1, mode="register", subscribers=clients, bearers=bearers, agents=agents)
        # The other nodes hear of them.
        await asyncio.sleep(1)
        return bearers, agents

    async def run(self, number, seconds, **options):
        """What the load program says of its load on a node."""
        node = self.nodes[number]
        server = types.SimpleNamespace(port=node.tls_port, pid=node.process.pid, service="bellwire")
        return await asyncio.to_thread(self.place.load, server, seconds, **options)

    def waiting(self, number=0):
        """How many messages wait, as this node knows."""
        with urllib.request.urlopen(f"http://127.0.0.1:{METRICS + number}/metrics", timeout=10) as answer:
            return int(re.search(r"^bellwire_messages_waiting (\d+)", answer.read().decode(), re.M)[1])

    async def until_all_know(self, least):
        """All nodes know the same messages, at least so many. Those that follow may be behind for a while, and the load
        program may end before it has read an answer.
        """
        for _ in range(300):
            known = {self.waiting(node.number) for node in self.nodes}
            if len(known) == 1 and min(known) >= least:
                return
            await asyncio.sleep(0.1)
        raise SystemExit(f"bench: {least} messages wait, but the nodes know {known}")

    def used(self):
        """CPU seconds until now: of each node, and of all servers of NATS."""
        servers = self.servers.all if self.servers else []
        return [processor(node) for node in self.nodes], sum(map(processor, servers))

    def since(self, before):
        nodes, servers = self.used()
        return [now - then for now, then in zip(nodes, before[0])], servers - before[1]
