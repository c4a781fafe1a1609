"""What all peers of a run share: the server, the log, the subscriptions, and the mood."""

import asyncio
import random


class Subscription:
    def __init__(self, number, agent, channel):
        self.number, self.agent, self.channel = number, agent, channel
        self.token = None
        self.is_ending = self.has_ended = self.is_lost = False

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
        subscription = Subscription(self.subscribed, agent, channel)
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
