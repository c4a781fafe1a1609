"""Everybody who uses a cluster: user agents, senders, an owner with registrations, and clients of its engines."""

import asyncio

import events
from events import now
from users.looking import Fetcher, Glance, NodesViewer
from users.peers import NodesSender, RoamingAgent
from users.registered import Owner
from users.revoking import Revoker
from verdict.hooked import Hooks

RESIDENTS, GUESTS, WITH_DEVICE, SENDERS = 6, 8, 3, 4
# Registrations: with a callback that always answers, with one that does not, with a fetcher, and those that end.
STEADY, UNSTEADY, FETCHED, MORTAL = 3, 2, 2, 3
# So long everything may take to come when the run is over.
PATIENCE = 45
# So long a node may ask to come again when all is over.
AGAIN = 5


class People:
    def __init__(self, world, spawn):
        self.world, self.spawn = world, spawn
        self.owner, self.viewers = Owner(world), []

    async def begin(self):
        for number in range(RESIDENTS + GUESTS + WITH_DEVICE):
            has_device = number >= RESIDENTS + GUESTS
            self.spawn(RoamingAgent(self.world, 1 + number % 3, number < RESIDENTS, has_device).run())
        for _ in range(SENDERS):
            self.spawn(NodesSender(self.world).run())
        await self.owner.begin()
        kinds = [dict(is_steady=True)] * STEADY + [dict(is_steady=False)] * UNSTEADY
        kinds += [dict(is_steady=True, has_callback=False)] * FETCHED
        kinds += [dict(is_steady=True, is_mortal=True)] * MORTAL
        ones = await asyncio.gather(*(self.owner.register(**terms) for terms in kinds))
        # Every node has heard of them then.
        await asyncio.sleep(1)
        for one in ones:
            if one.has_callback:
                self.viewers += [NodesViewer(self.world, one, is_acting) for is_acting in (True, False)]
            else:
                self.viewers.append(Fetcher(self.world, one))
        for viewer in self.viewers:
            self.spawn(viewer.run())
        # Payloads are kept from the first fetcher on.
        await asyncio.sleep(1)
        for one in ones:
            self.spawn(one.run())
        self.spawn(Revoker(self.world, self.owner, self.spawn).run())

    async def settle(self):
        """Until everything has come, or its time is over."""
        end = now() + PATIENCE
        while self.missing() and now() < end:
            await asyncio.sleep(1)

    def missing(self):
        kinds = ("application", "tell", "told", "attempt", "done", "revoking", "revoked")
        self.world.log.flush()
        hooks = Hooks(events.read(self.world.log.path, kinds))
        for one in self.owner.applications:
            if not one.has_callback or one.is_revoked:
                hooks.applications.pop(one.number, None)
        return hooks.missing()

    async def compare(self):
        """What the nodes show of each account, and what the viewers that are still there have put together."""
        for one in self.owner.applications:
            if one.is_revoked:
                continue
            shown = [await self.look(one, node) for node in self.world.nodes]
            seen = [
                sorted(name for _, name in viewer.shown.values())
                for viewer in self.viewers
                if viewer.source is one and viewer.is_there and viewer.KIND == "viewer"
            ]
            names = sorted(name for _, name, _ in shown[0] or [])
            found = [
                f"node {n + 1} shows {other}" for n, other in enumerate(shown) if other is None or other != shown[0]
            ]
            found += [f"a viewer has put together {other}" for other in seen if other != names]
            self.world.log.note("looked", r=one.number, count=len(names), differences=found)

    async def look(self, one, node):
        """What it shows. Like everybody else, whoever looks comes again if the node asks for that."""
        end = now() + AGAIN
        while True:
            glance = Glance(self.world, one, node)
            shown = await glance.look()
            if shown is not None or glance.status != 503 or now() > end:
                return shown
            await asyncio.sleep(0.3)
