"""What belongs to an owner: registrations with callbacks, and those who look at them; and a user agent that lies."""

import asyncio
from urllib.parse import quote

from clients.hooks import Application
from clients.proxy import Proxy
from clients.viewer import Viewer
from kit.websocket import WebSocket


class OwnedApplication(Application):
    """Made with the secret of a device. Some callbacks use TLS, and some go through a faulty proxy."""

    REST = 0.3

    def __init__(self, world, number, account, owner):
        super().__init__(world, number, account)
        self.owner = owner

    async def listen(self):
        address, context = f"127.0.1.{self.number % 250 + 1}", None
        if self.random.random() < 0.5:
            context = self.world.server.authority.proven(address, f"callback-{self.number}")
        self.server = await asyncio.start_server(self.serve, address, 0, ssl=context)
        port = self.server.sockets[0].getsockname()[1]
        if self.random.random() < 0.5:
            port = (await Proxy(self.world, port, address, share=0.4).begin()).port
        return f"http{'s' if context else ''}://{address}:{port}/"

    async def ask(self, method, path, body=None):
        return await self.owner.ask(method, path, body)


class SignedApplication(OwnedApplication):
    """Its senders sign. The first signature that is accepted binds an endpoint to its key, until a restore may have
    forgotten that.
    """

    TERMS = {"vapid": True}

    def __init__(self, world, number, account, owner):
        super().__init__(world, number, account, owner)
        self.signer, self.bound = self.random.choice(world.keyring.signers), {}

    def sign(self, at, fields):
        is_bound = self.bound.get(at) == self.world.restores
        return self.world.keyring.sign(self, fields, self.random, may_be_wrong=is_bound)

    def accepted(self, at):
        self.bound[at] = self.world.restores


class OwnedViewer(Viewer):
    """Looks at an account of its owner over a WebSocket."""

    def __init__(self, world, application):
        super().__init__(world, application.number)
        self.owner, self.account, self.source = application.owner, application.account, application

    async def visit(self):
        if self.source.is_removed:
            return await asyncio.sleep(1)
        route = self.world.network.to_agents(self.random, self.world.is_calm)
        path = f"/api/v1/engine?app=torture&account={quote(self.account)}&role=viewer"
        self.over = asyncio.Event()
        self.socket = await WebSocket.connect(self, route.port, path, route.context, self.owner.fields())
        await self.over.wait()

    def opened(self):
        pass

    def refused(self, status):
        self.note("turned-away", status=status)

    def text(self, update, start):
        self.take(update)
        if self.random.random() < 0.05:
            self.act()
        if self.random.random() < 0.01 and not self.world.is_calm:
            self.socket.close()

    def closed(self, by_us):
        self.over.set()

    def say(self, kind, **members):
        self.socket.tell(**{"@type": kind, **members})


class Impostor:
    """A user agent that names another one as itself, with the device of its own owner."""

    def __init__(self, world, bearer, uaid):
        self.world, self.bearer, self.uaid = world, bearer, uaid
        self.answer = asyncio.get_running_loop().create_future()

    async def visit(self):
        """The name that it gets, if any."""
        route = self.world.network.to_agents(self.world.random, True)
        self.socket = await WebSocket.connect(self, route.port, f"/u/{self.bearer}", route.context)
        return await self.answer

    def opened(self):
        self.socket.tell(messageType="hello", use_webpush=True, uaid=self.uaid)

    def text(self, message, start):
        self.settle(message.get("uaid"))
        self.socket.close()

    def refused(self, status):
        self.settle(None)

    def closed(self, by_us):
        self.settle(None)

    def settle(self, name):
        if not self.answer.done():
            self.answer.set_result(name)
