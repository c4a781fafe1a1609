"""What befalls the machines of a cluster. Some acts are about the node that sends callbacks, because it leads, and last
until another one leads.
"""

import asyncio
import signal

from events import now

# How long all may take until each node is well again, after what befell them has passed.
RECOVERY = 30
# Longer than a node leads without renewing that.
LEAD = 18
# Longer than anybody may wait for an engine.
PARTED = 50


class Acts:
    def __init__(self, nodes, servers, world):
        self.nodes, self.servers, self.world = nodes, servers, world
        self.log, self.random = world.log, world.branch()
        self.count = 0

    def lead(self):
        """The node that called last."""
        return self.random.choice(self.nodes) if self.world.caller is None else self.nodes[self.world.caller]

    async def perform(self, kind):
        """One act, until everything is well again. Whether it is."""
        self.count += 1
        self.log.note("fault", kind=kind)
        await getattr(self, kind.replace("-", "_"))()
        self.log.note("healed")
        is_well = await self.are_well()
        if is_well:
            self.log.note("usable")
        return is_well

    async def are_well(self):
        end = now() + RECOVERY
        while not await asyncio.to_thread(self.servers.are_ready) and now() < end:
            await asyncio.sleep(0.1)
        found = await asyncio.gather(*(node.is_healthy(max(1, end - now())) for node in self.nodes))
        for node, is_well in zip(self.nodes, found):
            if not is_well:
                self.log.note("unwell", n=node.number, code=node.process.returncode, status=await node.health())
        return all(found)

    async def kill_node(self, node=None, pauses=(0, 0.3, 1, 3)):
        node = node or self.random.choice(self.nodes)
        self.log.note("node-kill", n=node.number)
        await node.end()
        self.log.note("node-dead", n=node.number)
        await asyncio.sleep(self.random.choice(pauses))
        await node.begin()
        self.log.note("node-begun", n=node.number)

    async def kill_lead(self):
        """Another one leads when its time is over, which does not end earlier because it starts again."""
        await self.kill_node(self.lead(), [0, 1])

    async def lose_lead(self):
        await self.kill_node(self.lead(), [LEAD])

    async def freeze_lead(self):
        await self.freeze(self.lead(), [LEAD])

    async def cut_lead(self):
        await self.cut_node(self.lead(), LEAD)

    async def part_node(self):
        """For longer than a client of an engine may do without its state."""
        await self.cut_node(seconds=PARTED)

    async def end_node(self):
        """As an administrator does it."""
        node = self.random.choice(self.nodes)
        self.log.note("node-kill", n=node.number)
        code = await node.end(signal.SIGTERM)
        self.log.note("node-ended", n=node.number, code=code)
        await node.begin()
        self.log.note("node-begun", n=node.number)

    async def freeze_node(self):
        await self.freeze(self.random.choice(self.nodes), [0.5, 1, 2, 4, 8])

    async def freeze_nats(self):
        await self.freeze(self.random.choice(self.servers.all), [0.5, 1, 2, 4, 8])

    async def freeze(self, machine, seconds):
        machine.freeze()
        self.log.note("frozen", name=machine.name)
        await asyncio.sleep(self.random.choice(seconds))
        machine.thaw()
        self.log.note("thawed", name=machine.name)

    async def kill_nats(self):
        server = self.random.choice(self.servers.all)
        self.log.note("nats-kill", name=server.name)
        await server.end()
        await asyncio.sleep(self.random.choice([0, 1, 3, 8]))
        await server.begin()

    async def cut_node(self, node=None, seconds=None):
        """Its connections to NATS are reset, or nothing comes through any more."""
        node, is_reset = node or self.random.choice(self.nodes), self.random.random() < 0.5
        began, seconds = now(), seconds or self.random.choice([2.5, 4, 8])
        node.cut(is_reset)
        self.log.note("cut", n=node.number, reset=is_reset)
        refused = None
        while now() < began + seconds:
            if refused is None and await node.health(0.5) == 503:
                refused = now() - began
                self.log.note("refuses", n=node.number, after=round(refused, 3))
            await asyncio.sleep(0.05)
        self.log.note("joined", n=node.number, after=refused)
        node.join()

    async def kill_most(self):
        """Two servers or all of them: nothing is stored until most are back, and nothing is lost."""
        servers = self.random.sample(self.servers.all, self.random.choice([2, 3]))
        for server in servers:
            self.log.note("nats-kill", name=server.name)
        await asyncio.gather(*(server.end() for server in servers))
        await asyncio.sleep(self.random.choice([0, 2]))
        for server in servers:
            await server.begin()

    async def kill_all(self):
        """As if the power failed everywhere."""
        for node in self.nodes:
            self.log.note("node-kill", n=node.number)
        await asyncio.gather(self.kill_most(), *(node.end() for node in self.nodes))
        for node in self.nodes:
            await node.begin()
            self.log.note("node-begun", n=node.number)

    async def kill_both(self):
        """A node and a server of NATS, as if they shared a machine."""
        await asyncio.gather(self.kill_node(), self.kill_nats())

    async def kill_node_of_frozen(self):
        """A node starts while a server of NATS stands still."""
        await asyncio.gather(self.kill_node(), self.freeze_nats())

    async def watch(self, is_over):
        """Nodes that ended although nobody told them to."""
        seen = set()
        while not is_over():
            for machine in (*self.nodes, *self.servers.all):
                process = machine.process
                if process.returncode is not None and process.pid not in seen:
                    seen.add(process.pid)
                    self.log.note("machine-end", name=machine.name, code=process.returncode)
            await asyncio.sleep(0.05)


# How often each happens.
WEIGHTS = {
    "kill-lead": 2,
    "lose-lead": 1,
    "freeze-lead": 1,
    "cut-lead": 1,
    "part-node": 1,
    "kill-node": 5,
    "end-node": 1,
    "freeze-node": 3,
    "cut-node": 4,
    "kill-nats": 3,
    "freeze-nats": 3,
    "kill-most": 1,
    "kill-all": 1,
    "kill-both": 1,
    "kill-node-of-frozen": 1,
}
# Each once, and that is all there is time for in a short run. The first one shows its effect at the end.
SHORT = ["kill-lead", "kill-both", "cut-node", "freeze-node", "freeze-nats", "end-node", "kill-node-of-frozen"]
