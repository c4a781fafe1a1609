"""A way between programs of one machine that can be shut."""

import asyncio


class Gate:
    """Hands on what comes, until it is shut. Then connections are reset and refused, or nothing arrives any more."""

    def __init__(self, port=0, target=None):
        self.port, self.target = port, target
        self.server, self.writers, self.pumps, self.is_reset = None, set(), set(), False
        self.is_open = asyncio.Event()
        self.is_open.set()

    async def begin(self):
        self.server = await asyncio.start_server(self.admit, "127.0.0.1", self.port)
        self.port = self.server.sockets[0].getsockname()[1]
        return self

    def cut(self):
        """What is connected, and nothing else."""
        for writer in list(self.writers):
            writer.transport.abort()

    def end(self):
        self.server.close()
        self.cut()

    def shut(self, is_reset):
        self.is_reset = is_reset
        self.is_open.clear()
        if is_reset:
            self.cut()

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
