"""Somebody who looks at the status page, all the time. Whatever it shows is kept for the checker."""

import asyncio
import urllib.parse

from clients.sender import Client, Closed


class Visitor:
    def __init__(self, world, pause=1.5):
        self.world, self.server, self.note, self.pause = world, world.server, world.log.note, pause
        self.client = Client(self.server.tls_port, self.server.authority.trusted("http/1.1"))
        self.cookie = None

    async def run(self):
        while not self.world.is_over:
            try:
                if self.cookie or await self.enter():
                    await self.look()
            except (OSError, ValueError, Closed, TimeoutError):
                pass  # The server was killed.
            await asyncio.sleep(self.pause)

    async def enter(self):
        """By a link, as `bellwire ui` prints it."""
        status, answer = await self.server.control("POST", "page-links")
        if status != 201:
            return False
        code = answer["url"].partition("#")[2]
        self.note("secret", what="a code for the status page", text=code)
        status, fields = await self.ask("POST", "/ui/login", urllib.parse.urlencode({"code": code}).encode())
        if status == 303:
            self.cookie = fields["set-cookie"].partition(";")[0]
            self.note("secret", what="a session of the status page", text=self.cookie.partition("=")[2])
        return status == 303

    async def look(self):
        for path in ("/ui/", "/ui/live?last=0"):
            status, fields = await self.ask("GET", path)
            if status in (303, 401):
                # The session ended with the former life of the server.
                self.cookie = None
                return
            self.note("shown", where=path, text=fields["body"].decode())

    async def ask(self, method, path, body=b""):
        fields = [("Cookie", self.cookie)] if self.cookie else []
        if body:
            fields += [("Content-Type", "application/x-www-form-urlencoded"), ("Origin", self.server.origin)]
        return await self.client.ask(method, path, fields, body)
