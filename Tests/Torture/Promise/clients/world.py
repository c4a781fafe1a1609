"""What all peers of a run share: the server, the ways to it, the log, the subscriptions, and the mood."""

import asyncio
import random
from typing import NamedTuple

from clients.sender import Client


class Route(NamedTuple):
    port: int
    # For TLS.
    context: object = None
    # A proxy that cuts, delays and forgets is in between.
    is_faulty: bool = False


class Network:
    """Nothing but plain HTTP/1.1. Other networks have the same methods."""

    def __init__(self, server):
        self.server = server

    def to_agents(self, chance, is_calm):
        """The route of a connection of a user agent."""
        return Route(self.server.port)

    def client(self, chance):
        """The connection of a sender. It may share it with others."""
        return Client(self.server.port)


class Subscription:
    def __init__(self, number, agent, channel, signer=None):
        self.number, self.agent, self.channel = number, agent, channel
        # The application server whose key it is restricted to, if it is.
        self.token, self.signer = None, signer
        self.is_ending = self.has_ended = self.is_lost = False
        # When it was asked for again, without an answer since.
        self.asked = []

    def request(self):
        """The message that registers it."""
        key = {"key": self.signer.public} if self.signer else {}
        return {"messageType": "register", "channelID": self.channel, **key}

    def lose(self):
        self.is_ending = self.is_lost = True

    def end(self):
        self.is_ending = self.has_ended = True

    def revive(self):
        self.is_ending = self.has_ended = self.is_lost = False


class World:
    def __init__(self, server, log, seed):
        self.server, self.log = server, log
        self.random = random.Random(seed)
        # How peers reach the server, and the application servers that sign, if there are any.
        self.network, self.keyring = Network(server), None
        self.subscriptions, self.agents = [], []
        self.pushes = self.connections = self.subscribed = self.devices = 0
        # Restores until now. After each, clients ask again for what they registered.
        self.restores = 0
        # In a calm, clients stay and acknowledge, so everything must arrive.
        self.is_calm = self.is_over = False
        self.rest = 0.0

    def branch(self):
        """A separate source of random numbers, so that the timing of other peers does not change them."""
        return random.Random(self.random.getrandbits(64))

    def subscribe(self, agent, channel):
        self.subscribed += 1
        # A channel keeps its key: with another one, it would be another subscription.
        signer = self.keyring.signer(channel) if self.keyring else None
        subscription = Subscription(self.subscribed, agent, channel, signer)
        self.subscriptions.append(subscription)
        return subscription

    def live(self):
        return [one for one in self.subscriptions if one.token and not one.is_ending]

    def gone(self):
        return [one for one in self.subscriptions if one.token and one.has_ended]

    def lost(self):
        """Those that a restore may have forgotten."""
        return [one for one in self.subscriptions if one.token and one.is_lost]

    def named(self, token):
        return next((one for one in self.subscriptions if one.token == token), None)

    def next_push(self):
        self.pushes += 1
        return self.pushes

    def next_device(self):
        self.devices += 1
        return self.devices

    def next_connection(self):
        self.connections += 1
        return self.connections

    def secrets(self):
        for agent in self.agents:
            if agent.uaid:
                yield agent.uaid
        for one in self.subscriptions:
            if one.token:
                yield one.token

    async def calm(self, seconds=6.0):
        """Long enough for all waiting messages to be due."""
        self.log.note("calm")
        self.is_calm = True
        await asyncio.sleep(seconds)
        self.is_calm = False
        self.log.note("storm")
