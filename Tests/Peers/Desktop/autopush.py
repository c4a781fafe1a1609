"""Another push service, without any feature that only Bellwire has."""

import asyncio
import contextlib
import json
import uuid

import websockets


class PushService:
    def __init__(self):
        self.server = None
        self.socket = None
        self.agents = {}
        self.acknowledged = []
        self.waiting = {}
        self.said = asyncio.Queue()
        self.hellos = 0
        self.endpoints = 0

    async def start(self, port=0):
        self.server = await websockets.serve(self.serve, "127.0.0.1", port)
        self.port = self.server.sockets[0].getsockname()[1]
        return f"ws://127.0.0.1:{self.port}/"

    async def stop(self):
        self.server.close()
        await self.server.wait_closed()

    def forget(self):
        """Loses its database."""
        self.agents = {}

    async def serve(self, socket):
        with contextlib.suppress(websockets.ConnectionClosed):
            await self.talk(socket)

    async def talk(self, socket):
        self.socket = socket
        agent = None
        async for text in socket:
            message = json.loads(text)
            kind = message.get("messageType")
            self.said.put_nowait(message)
            if kind == "hello":
                self.hellos += 1
                agent = message.get("uaid")
                if agent not in self.agents:
                    agent = uuid.uuid4().hex
                    self.agents[agent] = {}
                await self.say(messageType="hello", uaid=agent, status=200, use_webpush=True)
                for waiting in list(self.waiting.values()):
                    await self.say(**waiting)
            elif kind == "register":
                self.endpoints += 1
                url = f"https://push.example/wpush/v1/{self.endpoints:020}"
                self.agents[agent][message["channelID"]] = url
                await self.say(messageType="register", channelID=message["channelID"], status=200, pushEndpoint=url)
            elif kind == "unregister":
                self.agents[agent].pop(message["channelID"], None)
                await self.say(messageType="unregister", channelID=message["channelID"], status=200)
            elif kind == "ack":
                for update in message["updates"]:
                    self.waiting.pop(update["version"], None)
                    self.acknowledged.append(update["version"])
            elif not message:
                await socket.send("{}")
            else:
                # Mozilla's service does the same with an unknown message.
                await socket.close(1011)

    async def say(self, **message):
        await self.socket.send(json.dumps(message))

    async def push(self, channel, data, version):
        message = dict(
            messageType="notification", channelID=channel, version=version, data=data, headers={"encoding": "aes128gcm"}
        )
        self.waiting[version] = message
        await self.say(**message)

    def channels(self):
        return [channel for agent in self.agents.values() for channel in agent]
