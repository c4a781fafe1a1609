"""A faulty proxy: connections through it are cut, delayed, delivered in tiny pieces, reset, or left half-open."""

import asyncio
import socket
import struct

# What happens to a link: weight.
KINDS = {"cut": 3, "reset": 3, "half-open": 3, "slow": 2, "pieces": 2}
DEADLY = {"cut", "reset", "half-open"}
# How long somebody who was not told that the other side is gone may go on believing in it. A peer of the test knows
# after less than its patience, so that its silence is never the proxy's fault.
NOT_TOLD = {"near": 3, "far": 20}


def reset(transport):
    """Nothing more is delivered, and the other end learns of it at once."""
    own = transport.get_extra_info("socket")
    if own and not transport.is_closing():
        own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()


class End(asyncio.Protocol):
    """One side of a link. The near one is who connected."""

    def __init__(self, link):
        self.link, self.buffer, self.news, self.transport = link, bytearray(), asyncio.Event(), None

    def connection_made(self, transport):
        self.transport = transport
        if self is self.link.near:
            self.link.begin()

    def data_received(self, data):
        if not self.link.is_hurt:
            self.buffer += data
            self.news.set()

    def connection_lost(self, error):
        self.link.lost(self)


class Link:
    def __init__(self, proxy):
        self.proxy, self.random = proxy, proxy.random
        is_faulty = self.random.random() < proxy.share and not proxy.world.is_calm
        self.near, self.far = End(self), End(self)
        self.kind = self.random.choices(list(KINDS), KINDS.values())[0] if is_faulty else "clean"
        # It is hurt after this many bytes, of both directions.
        self.left = int(2 ** self.random.uniform(0, 16)) if self.kind in DEADLY else 1 << 40
        self.is_hurt = self.is_over = False
        self.tasks = []

    def begin(self):
        self.spawn(self.connect())

    def spawn(self, coroutine):
        self.tasks.append(asyncio.get_running_loop().create_task(coroutine))

    async def connect(self):
        try:
            await asyncio.get_running_loop().create_connection(lambda: self.far, *self.proxy.target)
        except OSError:
            return reset(self.near.transport)
        if self.is_over:
            return reset(self.far.transport)
        self.spawn(self.carry(self.near, self.far))
        self.spawn(self.carry(self.far, self.near))

    async def carry(self, source, sink):
        while not self.is_hurt and not sink.transport.is_closing():
            await source.news.wait()
            if self.kind == "slow":
                await asyncio.sleep(self.random.uniform(0, 0.15))
            size = self.random.randint(1, 400) if self.kind == "pieces" else len(source.buffer)
            piece = bytes(source.buffer[: min(size, self.left)])
            del source.buffer[: len(piece)]
            if not source.buffer:
                source.news.clear()
            if self.is_hurt or sink.transport.is_closing():
                return
            sink.transport.write(piece)
            self.left -= len(piece)
            if self.left == 0:
                return self.hurt()
            if self.kind == "pieces":
                await asyncio.sleep(self.random.uniform(0, 0.003))
            if source.transport.is_closing() and not source.buffer:
                return sink.transport.close()

    def hurt(self):
        self.is_hurt = True
        for one in (self.near, self.far):
            one.news.set()
        self.proxy.note("hurt", kind=self.kind, port=self.proxy.port)
        if self.kind == "reset":
            reset(self.near.transport)
            reset(self.far.transport)
        elif self.kind == "cut":
            self.near.transport.close()
            self.far.transport.close()
        else:
            gone, kept = self.random.sample([self.near, self.far], 2)
            gone.transport.close()
            if self.random.random() < 0.5:
                kept.transport.pause_reading()
            seconds = NOT_TOLD["near" if kept is self.near else "far"]
            asyncio.get_running_loop().call_later(seconds, reset, kept.transport)

    def lost(self, end):
        """Who asked takes everything with it; what was answered is still delivered."""
        for one in (self.near, self.far):
            one.news.set()
        if self.is_over or self.is_hurt:
            return
        other = self.far if end is self.near else self.near
        if end is self.near or not end.buffer:
            self.is_over = True
            if other.transport:
                other.transport.close()


class Proxy:
    """Connections to its port lead to the target, more or less. `share`: how many are faulty, outside of calms."""

    def __init__(self, world, target_port, host="127.0.0.1", share=1.0):
        self.world, self.random, self.note, self.share = world, world.branch(), world.log.note, share
        self.target, self.host, self.port = (host, target_port), host, None

    async def begin(self):
        self.server = await asyncio.get_running_loop().create_server(lambda: Link(self).near, self.host, 0)
        self.port = self.server.sockets[0].getsockname()[1]
        return self
