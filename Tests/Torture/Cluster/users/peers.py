"""Senders and user agents that know several nodes, and turn to another one when theirs does not answer."""

import asyncio
import re

from clients.agent import Agent, Session, number_of
from clients.sender import Client, Closed, Sender
from clients.world import Route
from kit.websocket import PING, WebSocket


def push_of(body):
    """The push that made this body: of a user agent's channel, or of a registration."""
    found = re.match(rb"(?:bw-|version=)(\d+)", body)
    return int(found.group(1)) if found else number_of(body)


class NodesClient(Client):
    """Stays with one node until it does not answer, or says that it cannot."""

    PATIENCE = 3

    def __init__(self, nodes, context, chance, log):
        super().__init__(0)
        self.nodes, self.chance, self.tls, self.log = nodes, chance, context, log
        self.choose()

    def choose(self):
        self.node = node = self.chance.choice(self.nodes)
        is_secure = self.chance.random() < 0.3
        self.close()
        self.port = node.tls_port if is_secure else node.port
        self.context = self.tls if is_secure else None

    async def ask(self, method, path, fields=(), body=b""):
        if push_of(body) is not None:
            self.log.note("via", p=push_of(body), n=self.node.number)
        try:
            status, answer = await super().ask(method, path, fields, body)
        except (TimeoutError, Closed) as error:
            # The node still has the request, and perhaps does it later.
            self.choose()
            raise Closed(is_loose=True) from error
        if status >= 500 or self.chance.random() < 0.1:
            self.choose()
        return status, answer


class Nodes:
    """A network: user agents come through the balancer, senders choose a node."""

    def __init__(self, nodes, balancer, authority, log):
        self.nodes, self.balancer, self.log = nodes, balancer, log
        self.tls = authority.trusted("http/1.1")

    def to_agents(self, chance, is_calm):
        return Route(self.balancer.port, self.tls)

    def client(self, chance):
        return NodesClient(self.nodes, self.tls, chance, self.log)


class NodesSender(Sender):
    """Tries a push again that may have been refused by a node that fails. It is a push of its own for the checker."""

    TRIES = 6

    async def push(self, one, ttl=None, size=None, topic=None):
        for attempt in range(self.TRIES):
            status = await super().push(one, ttl, size, topic)
            if status and status < 500 or self.world.is_over or one.is_ending:
                break
            await asyncio.sleep(0.05 * 2**attempt * self.random.random())
        return status


class RoamingSession(Session):
    """Leaves a node that does not answer."""

    # How often it asks, and how long it waits.
    BEAT, PATIENCE = 1.0, 2.0

    def __init__(self, agent, mode, route):
        super().__init__(agent, mode, route)
        self.beats, self.heard = 0, asyncio.get_running_loop().time()

    def text(self, message, start):
        self.heard = asyncio.get_running_loop().time()
        super().text(message, start)

    def pong(self, payload):
        self.heard = asyncio.get_running_loop().time()
        if not payload.startswith(b"beat"):
            super().pong(payload)

    def greeted(self, message):
        place = self.agent.world.network.balancer.places.get(self.source)
        self.log.note("at", c=self.number, a=self.agent.number, node=place[0])
        super().greeted(message)

    async def watch(self):
        """Until the connection ends, or the node has been silent."""
        loop = asyncio.get_running_loop()
        self.source = self.socket.transport.get_extra_info("sockname")[1]
        while not self.ended.done():
            if self.is_ready:
                self.beats += 1
                self.socket.send(PING, f"beat{self.beats}".encode())
            await asyncio.wait([self.ended], timeout=self.BEAT)
            if not self.ended.done() and loop.time() - self.heard > self.PATIENCE:
                self.log.note("deserted", c=self.number)
                self.socket.abort()
                return


class RoamingAgent(Agent):
    """`is_resident`: always there, as far as the nodes let it."""

    def __init__(self, world, channels, is_resident=False, has_device=False):
        super().__init__(world, channels, has_device)
        self.is_resident = is_resident
        world.log.note("agent", a=self.number, resident=is_resident)

    def choose(self):
        return "prompt" if self.is_resident else super().choose()

    async def visit(self, mode):
        route = self.world.network.to_agents(self.random, self.world.is_calm)
        session = RoamingSession(self, mode, route)
        try:
            connecting = WebSocket.connect(session, route.port, self.path, route.context)
            session.socket = await asyncio.wait_for(connecting, session.PATIENCE)
        except OSError:
            self.world.log.note("closed", c=session.number, us=False)
            return await asyncio.sleep(0.1)
        watching = asyncio.get_running_loop().create_task(session.watch())
        if not self.is_resident:
            return await self.stay(session)
        while not session.ended.done() and not self.world.is_over:
            await asyncio.wait([session.ended], timeout=0.1)
        if session.ended.done():
            watching.cancel()
        else:
            session.socket.close()
