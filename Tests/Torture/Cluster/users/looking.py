"""Clients of engines: viewers at any node, and fetchers, which take what waits for their application."""

import asyncio
from urllib.parse import quote

from clients.owned_peers import OwnedViewer
from clients.viewer import number_of
from kit.coding import decode
from kit.websocket import PING, WebSocket

# How often a client asks whether its node is there, and how long it waits.
BEAT, PATIENCE = 1.0, 2.0


class NodesViewer(OwnedViewer):
    """Leaves a node that is silent, and looks for another one. Only one viewer of an account acts."""

    KIND, ROLE = "viewer", "role=viewer"

    def __init__(self, world, application, is_acting):
        super().__init__(world, application)
        world.viewers += 1
        # The log has several viewers of an account.
        self.application, self.is_acting = world.viewers, is_acting
        self.node, self.is_there, self.has_ended = None, False, False
        self.log.note("viewer", r=self.application, of=application.number, kind=self.KIND)

    async def run(self):
        # Longer than anybody sends something.
        while not self.world.is_done and not self.has_ended:
            self.connection += 1
            try:
                await self.visit()
            except (OSError, TimeoutError):
                pass
            await asyncio.sleep(self.random.choice([0, 0.05, 0.2]))

    async def visit(self):
        self.node = self.choose_node()
        self.over, self.heard = asyncio.Event(), self.time()
        path = f"/api/v1/engine?app=torture&account={quote(self.account)}&{self.ROLE}"
        connecting = WebSocket.connect(self, self.node.tls_port, path, self.world.network.tls, self.owner.fields())
        await asyncio.wait_for(connecting, PATIENCE)
        while not self.over.is_set():
            try:
                await asyncio.wait_for(self.over.wait(), BEAT)
            except TimeoutError:
                if self.time() - self.heard > PATIENCE:
                    self.note("view-deserted")
                    self.socket.abort()
                self.socket.send(PING, b"beat")

    def choose_node(self):
        """Another one than before, if there is one that is well."""
        well = self.world.network.balancer.well or set(self.world.nodes)
        return self.random.choice(sorted(well - {self.node} or well, key=lambda node: node.number))

    def time(self):
        return asyncio.get_running_loop().time()

    def opened(self):
        self.is_there = True
        self.note("view-at", node=self.node.number)

    def refused(self, status):
        self.note("view-refused", node=self.node.number, status=status)

    def pong(self, payload):
        self.heard = self.time()

    def text(self, update, start):
        self.heard = self.time()
        if update["@type"] == "error" and "@extra" not in update:
            self.note("view-ended", code=update["code"])
            self.has_ended = update["code"] in (401, 404)
            return
        self.take(update)
        if self.is_acting and not self.world.is_over and self.random.random() < 0.05:
            self.act()
        if self.random.random() < 0.01 and not self.world.is_calm:
            self.socket.close()

    def closed(self, by_us):
        if self.is_there:
            self.note("view-off", us=by_us)
        self.is_there = False
        self.over.set()


class Fetcher(NodesViewer):
    """Takes most payloads; those that it does not take have to come again."""

    KIND, ROLE = "fetcher", "role=fetcher&raw=true"

    def __init__(self, world, application):
        super().__init__(world, application, is_acting=False)
        self.left, self.taking = set(), {}

    def opened(self):
        super().opened()
        self.left = set()

    def take(self, update):
        if update["@type"] == "updateActiveNotifications":
            self.note("welcome", shown=[])
        elif update["@type"] == "bellwire.updateRawPush":
            self.fetched(update)
        elif update["@type"] == "ok" and update.get("@extra") in self.taking:
            self.note("raw-taken", id=self.taking.pop(update["@extra"]))

    def fetched(self, update):
        name, payload = update["id"], update["payload"]
        text = decode(payload).decode()
        self.note("raw", id=name, p=number_of(text))
        if self.world.is_calm or self.random.random() < 0.7:
            number = self.world.next_push()
            self.taking[number] = name
            self.note("raw-take", id=name)
            self.socket.tell(**{"@type": "bellwire.rawPushTaken", "id": name, "@extra": number})
        else:
            self.left.add(name)
        if self.left and (self.world.is_calm or self.random.random() < 0.05):
            # They come on the next connection.
            self.socket.close()


class Glance(NodesViewer):
    """Looks once at what a certain node shows."""

    KIND = "glance"

    def __init__(self, world, application, node):
        super().__init__(world, application, is_acting=False)
        self.only, self.found, self.status = node, None, 0

    def choose_node(self):
        return self.only

    async def look(self):
        """What is shown, or nothing if there is no answer."""
        try:
            await asyncio.wait_for(self.visit(), 20)
        except (OSError, TimeoutError):
            pass
        return self.found

    def refused(self, status):
        self.status = status

    def take(self, update):
        if update["@type"] == "updateActiveNotifications":
            groups = [(group["id"], one) for group in update["groups"] for one in group["notifications"]]
            self.found = sorted([group, one["id"], number_of(one)] for group, one in groups)
            self.socket.close()
