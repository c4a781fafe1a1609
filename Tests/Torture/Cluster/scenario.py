"""The scenario of a cluster: all kinds of peers, and one act after the other."""

import asyncio
import subprocess
import time

import events
from acts import WEIGHTS, Acts
from clients.authority import Authority
from clients.sender import Client, Closed
from clients.world import World
from judged import rules
from nodes import asking, machines
from nodes.asking import Callers
from nodes.gates import Balancer
from nodes.machines import BALANCER, COUNT, NatsServers, Node
from users.peers import Nodes
from users.people import People


class Scenario:
    def __init__(self, folder, arguments):
        self.folder, self.arguments = folder, arguments
        self.log = events.EventLog(folder / "cluster.log")
        self.world = world = World(None, self.log, arguments.seed)
        world.rest, world.viewers, world.caller, world.is_done = 0.03, 0, None, False
        self.servers = NatsServers(folder)
        subprocess.run([arguments.program, "keys", "new", "master", self.key()], check=True, capture_output=True)
        authority = Authority(folder)
        files = authority.certify("127.0.0.1", "server")
        self.nodes = [Node(number, arguments.program, folder, self.servers, files) for number in range(COUNT)]
        world.nodes, world.server = self.nodes, Callers(self.nodes, world.branch())
        world.keyring = machines.EdgeKeyring(world, f"https://localhost:{BALANCER}")
        for node in self.nodes if "clocks" not in arguments.without else []:
            node.clock = machines.set_apart(node, folder / f"{node.name}.clock", world.branch())
        self.balancer = Balancer(BALANCER, self.nodes, self.world.branch())
        self.world.network = Nodes(self.nodes, self.balancer, authority, self.log)
        self.acts = Acts(self.nodes, self.servers, world)
        self.tasks, self.people = [], People(world, self.spawn)

    def key(self):
        keys = self.folder / "keys"
        keys.mkdir(mode=0o700, exist_ok=True)
        return keys / "master.json"

    def spawn(self, coroutine):
        self.tasks.append(asyncio.get_running_loop().create_task(coroutine))

    async def begin(self):
        await self.servers.begin()
        for node in self.nodes:
            for gate in node.gates:
                await gate.begin()
            await node.begin()
            if not await node.is_healthy(60):
                raise SystemExit(f"torture: {node.name} does not start:\n{node.said.read_text()[-2000:]}")
        await self.balancer.begin()
        self.spawn(self.balancer.look())
        self.spawn(self.log.watch_delays())
        self.spawn(self.acts.watch(lambda: self.world.is_over))

    async def play(self):
        await self.people.begin()
        self.spawn(self.probe())
        chance, end, is_well = self.world.branch(), time.monotonic() + self.arguments.seconds, True
        names = [name for name in self.arguments.only if name in WEIGHTS and name not in self.arguments.without]
        if not names:
            await asyncio.sleep(self.arguments.seconds)
        # Each act comes once before any comes twice; the first one shows its effect late.
        row = [name for name in names if name != "kill-lead"]
        chance.shuffle(row)
        row += [name for name in names if name == "kill-lead"]
        while is_well and names and time.monotonic() < end:
            kind = row.pop() if row else chance.choices(names, [WEIGHTS[name] for name in names])[0]
            is_well = await self.acts.perform(kind)
            await asyncio.sleep(chance.choice([0.2, 1, 2.5]))
        self.world.is_calm = True
        self.log.note("calm")
        await asyncio.sleep(8)
        # Nothing is under way any more when the stores are compared.
        self.world.is_over = True
        await self.people.settle()
        await asyncio.sleep(2)
        self.world.is_done = True
        self.log.note("over")
        await self.people.compare()
        await self.compare()

    async def probe(self):
        """Asks each node about endpoints that ended a second ago."""
        seen = set()
        while not self.world.is_over:
            for one in self.world.gone():
                if one.number not in seen:
                    seen.add(one.number)
                    self.spawn(self.probe_one(one))
            await asyncio.sleep(0.02)

    async def probe_one(self, one):
        await asyncio.sleep(rules.GONE)

        async def ask(node):
            client = Client(node.port)
            client.PATIENCE = 10
            status = 0
            try:
                status, _ = await client.ask("POST", f"/wpush/v1/{one.token}", [("TTL", 60)], b"")
            except (Closed, TimeoutError):
                pass
            client.close()
            if not one.is_lost:
                self.log.note("probe", s=one.number, n=node.number, status=status)

        await asyncio.gather(*(ask(node) for node in self.nodes))

    async def compare(self, within=10):
        """They are the same once every node has followed. Rows that change all the time need several looks."""
        end = time.monotonic() + within
        paths = [node.state / "bellwire.db" for node in self.nodes]
        while (found := await asyncio.to_thread(asking.differences, paths)) and time.monotonic() < end:
            await asyncio.sleep(0.2)
        self.log.note("compared", differences=found, rows=asking.count(paths[0]))

    async def end(self):
        for task in self.tasks:
            task.cancel()
        ends = await asyncio.gather(*self.tasks, return_exceptions=True)
        for node in self.nodes:
            node.join()
        machines = [one for one in (*self.nodes, *self.servers.all) if one.process and one.process.returncode is None]
        for machine in machines:
            await machine.end(within=10)
        for node in self.nodes:
            said = node.said.read_text(errors="replace") if node.said.exists() else ""
            failed = [line for line in said.splitlines() if "event=snapshot-failed" in line]
            self.log.note("snapshots", n=node.number, kept=said.count("event=snapshot-kept"), failed=failed)
        for gate in (self.balancer, *(gate for node in self.nodes for gate in node.gates)):
            if gate.server:
                gate.end()
        self.log.close()
        # A peer that fails sees nothing more, and its rules would hold.
        for error in ends:
            if isinstance(error, Exception):
                raise error

    async def run(self):
        try:
            await self.begin()
            await self.play()
        finally:
            await self.end()
