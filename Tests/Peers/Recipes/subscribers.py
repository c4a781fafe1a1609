"""Who gets pushes in a recipe: applications, phones and a browser. Each one decrypts what it gets."""

import asyncio
import base64
import contextlib
import json
import os
import re
import ssl
import uuid

import http_ece
import websockets
from browser import Firefox
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from page import Page, Proxy
from session import Application

SOON = 15


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Subscriber:
    """The keys of somebody who decrypts pushes, and what was decrypted."""

    def __init__(self):
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.auth = os.urandom(16)
        self.texts = []
        self.endpoint = self.reading = self.socket = self.firefox = None

    @property
    def subscription(self):
        point = self.key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return {"endpoint": self.endpoint, "keys": {"p256dh": encode(point), "auth": encode(self.auth)}}

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
        address = re.sub("^http", "ws", address)
        trust = ssl.create_default_context(cafile=authority)
        self.socket = await websockets.connect(address, ssl=trust)
        await self.say(messageType="hello")
        await self.hear("hello")
        self.channel = str(uuid.uuid4())
        await self.say(messageType="register", channelID=self.channel)
        self.endpoint = (await self.hear("register"))["pushEndpoint"]
        self.reading = asyncio.create_task(self.listen())

    async def say(self, **message):
        await self.socket.send(json.dumps(message))

    async def hear(self, kind):
        answer = json.loads(await asyncio.wait_for(self.socket.recv(), SOON))
        if answer.get("messageType") != kind or answer.get("status", 200) != 200:
            raise RuntimeError(f"{kind} was answered {answer}")
        return answer

    async def listen(self):
        async for text in self.socket:
            message = json.loads(text)
            if message.get("messageType") == "notification":
                self.read(base64.urlsafe_b64decode(message.get("data", "") + "=="))
                update = {"channelID": message["channelID"], "version": message["version"]}
                await self.say(messageType="ack", updates=[update])

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
