"""Who gets pushes in a recipe: applications, phones and a browser. Each one decrypts what it gets."""

import asyncio
import contextlib
import os
import ssl

import http_ece
from browser import Firefox
from cryptography.hazmat.primitives.asymmetric import ec
from kit import agent
from kit.coding import content, encode
from kit.desktop import Application
from kit.sealing import point
from page import Page, Proxy

SOON = 15


class Subscriber:
    """The keys of somebody who decrypts pushes, and what was decrypted."""

    def __init__(self):
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.auth = os.urandom(16)
        self.texts = []
        self.endpoint = self.reading = self.socket = self.firefox = None

    @property
    def subscription(self):
        return {"endpoint": self.endpoint, "keys": {"p256dh": encode(point(self.key)), "auth": encode(self.auth)}}

    def read(self, body):
        # Some senders only say that there is something, and encrypt nothing.
        with contextlib.suppress(Exception):
            body = http_ece.decrypt(body, private_key=self.key, auth_secret=self.auth, version="aes128gcm")
        self.texts.append(body.decode(errors="replace"))


class DesktopApplication(Subscriber):
    """An application of the session that registers by UnifiedPush."""

    async def start(self, session, name, vapid):
        self.connector = await Application(session, name).appear()
        await self.connector.register(**({"vapid": vapid} if vapid else {}))
        self.endpoint = await self.connector.endpoint()
        self.reading = asyncio.create_task(self.listen())

    async def listen(self):
        while True:
            _, message = await self.connector.messages.get()
            self.read(message)

    async def stop(self):
        self.reading.cancel()
        self.connector.disappear()


class UserAgent(Subscriber):
    """A phone with Sunup, or KDE's service: a client that speaks autopush as KUnifiedPush does."""

    async def start(self, address, authority):
        self.socket = agent.UserAgent(address, SOON, ssl=ssl.create_default_context(cafile=authority))
        await self.socket.connect()
        self.endpoint = (await self.socket.register())["pushEndpoint"]
        self.socket.patience = None
        self.reading = asyncio.create_task(self.listen())

    async def listen(self):
        while True:
            self.read(content(await self.socket.take()))

    async def stop(self):
        if self.reading is not None:
            self.reading.cancel()
        if self.socket is not None:
            await self.socket.close()


class Browser(Subscriber):
    """Firefox, with a site that is subscribed to pushes."""

    async def start(self, folder, address, authority, certificate):
        self.page, proxy = Page(certificate), Proxy()
        self.firefox = Firefox(folder, authority)
        self.firefox.make_profile(address, proxy.server.server_port)
        await asyncio.to_thread(self.browse)

    def browse(self):
        self.firefox.start()
        self.firefox.marionette.open(self.page.url)
        self.given = self.firefox.marionette.run("subscribe('open')")

    @property
    def subscription(self):
        return self.given

    @property
    def texts(self):
        return [body.decode(errors="replace") for _, _, body in self.page.seen]

    @texts.setter
    def texts(self, _):
        pass

    async def stop(self):
        await asyncio.to_thread(self.firefox.end)
