"""A user agent: connects, acknowledges or not, leaves in every possible way, and comes again."""

import asyncio
import hashlib
import uuid

from events import now
from kit.coding import content
from kit.websocket import PING, WebSocket

# How a connection behaves: weight, whether it always reads, how it acknowledges, how it ends.
MODES = {
    "prompt": (8, "at once"),
    "late": (3, "after a while"),
    "forgetful": (3, "half of it, after a while"),
    "mute": (3, "never"),
    "fragile": (3, "dies instead"),
    "hasty": (2, "and dies"),
    "slow": (2, "at once"),
}


def number_of(body):
    """The push that made this body, or None if nobody sent it."""
    return int.from_bytes(body[2:10]) if body[:2] == b"bw" and len(body) >= 10 else None


class Session:
    """One connection."""

    def __init__(self, agent, mode, route):
        self.agent, self.route, self.world, self.log = agent, route, agent.world, agent.world.log
        self.random, self.mode = agent.random, mode
        self.number = self.world.next_connection()
        self.patience = self.random.randint(1, 8)
        # After a restore, a client asks again for everything that it registered.
        self.asks_again = agent.restores < self.world.restores
        self.is_ready, self.ended = False, asyncio.get_running_loop().create_future()
        self.socket = None
        self.log.note("open", c=self.number, a=agent.number, mode=mode, d=agent.device, faulty=route.is_faulty)

    def refused(self, status):
        self.log.note("refused", c=self.number, status=status)
        self.agent.refused(status)

    def opened(self):
        if self.agent.device:
            self.log.note("admitted", c=self.number)
            # A restore may have brought it back, unless it is to stay away.
            self.agent.is_revoked &= self.agent.patience < float("inf")
            self.agent.pause = 0
        hello = {"messageType": "hello", "use_webpush": True}
        if self.agent.uaid:
            hello["uaid"] = self.agent.uaid
        self.log.note("greet", c=self.number)
        self.socket.tell(**hello)

    def text(self, message, start):
        kind = message.get("messageType")
        if kind == "notification":
            self.delivered(message, start)
        elif kind == "hello":
            self.greeted(message)
        elif kind == "register":
            self.registered(message)
        elif kind == "unregister":
            self.unregistered(message)

    def greeted(self, message):
        agent, uaid = self.agent, message["uaid"]
        is_forgotten = bool(agent.uaid) and uaid != agent.uaid
        if is_forgotten:
            self.log.note(
                "forgotten",
                a=agent.number,
                c=self.number,
                kept=[one.number for one in agent.channels.values() if one.token],
            )
            agent.lose_all()
        agent.uaid, self.is_ready = uaid, True
        self.log.note("hello", c=self.number, uaid=uaid)
        if self.mode == "slow":
            asyncio.get_running_loop().create_task(self.read_in_bursts())
        agent.tidy(self)

    async def read_in_bursts(self):
        while not self.ended.done() and not self.socket.left_at:
            self.socket.transport.pause_reading()
            await asyncio.sleep(self.random.uniform(0.05, 0.5))
            if not self.ended.done() and not self.socket.left_at:
                self.socket.transport.resume_reading()
            await asyncio.sleep(0.02)

    def registered(self, message):
        one = self.agent.channels.get(message["channelID"])
        if message["status"] != 200 or not one:
            return
        token = message["pushEndpoint"].rsplit("/", 1)[1]
        if one.token and one.token != token:
            one = self.agent.replace(one, token, self)
        if not one.token:
            one.token = token
            self.log.note("registered", c=self.number, s=one.number, token=token)
        one.asked = []
        one.revive()

    def unregistered(self, message):
        one = self.agent.ending.pop(message["channelID"], None)
        if one and message["status"] == 200:
            one.end()
            self.log.note("unregistered", c=self.number, s=one.number)

    def delivered(self, message, start):
        body = content(message)
        self.log.note(
            "delivery",
            c=self.number,
            a=self.agent.number,
            chan=message["channelID"],
            id=message["version"],
            p=number_of(body),
            digest=hashlib.sha256(body).hexdigest()[:16],
            headers=message.get("headers"),
            start=round(start, 6),
        )
        self.patience -= 1
        if self.mode in ("prompt", "slow"):
            self.acknowledge(message)
        elif self.mode == "late" or (self.mode == "forgetful" and self.random.random() < 0.5):
            asyncio.get_running_loop().call_later(self.random.uniform(0.0005, 0.15), self.acknowledge, message)
        elif self.mode == "fragile" and self.patience <= 0:
            self.socket.abort()
        elif self.mode == "hasty":
            self.acknowledge(message)
            if self.patience <= 0:
                self.socket.abort() if self.random.random() < 0.5 else self.socket.close()

    def acknowledge(self, message):
        update = {"channelID": message["channelID"], "version": message["version"]}
        if self.socket.tell(messageType="ack", updates=[update]):
            self.log.note("ack", c=self.number, id=message["version"])
            if self.random.random() < 0.05:
                self.log.note("ping", c=self.number, n=message["version"])
                self.socket.send(PING, message["version"].encode()[:100])

    def pong(self, payload):
        self.log.note("pong", c=self.number, n=payload.decode())

    def closed(self, by_us):
        self.log.note("closed", at=self.socket.left_at if by_us else None, c=self.number, us=by_us)
        if not self.ended.done():
            self.ended.set_result(None)


class Agent:
    def __init__(self, world, channels, has_device=False, owner=None):
        self.world, self.random = world, world.branch()
        self.number, self.wanted = len(world.agents), channels
        world.agents.append(self)
        self.uaid, self.channels, self.ending = None, {}, {}
        # A device of its own, whose secret is in the path.
        self.has_device, self.device, self.path, self.name = has_device, None, "/", None
        self.withdrawn = None
        self.owner = {"owner": owner} if owner else {}
        # How often it is refused, once it was revoked, until it stays away.
        self.patience = float("inf")
        self.is_revoked, self.restores, self.pause, self.is_away = False, 0, 0, False

    async def make_device(self):
        number = self.world.next_device()
        self.world.log.note("making", d=number)
        status, answer = await self.world.server.control("POST", "devices", {"name": f"torture {number}", **self.owner})
        if status == 201:
            self.world.log.note("made", d=number)
            self.device, self.name = number, answer["id"]
            self.path = "/u/" + answer["bearer"]
            self.world.log.note("secret", what="the secret of a device", text=answer["bearer"])

    async def revoke(self):
        self.begin_revocation()
        status, _ = await self.world.server.control("DELETE", f"devices/{self.name}")
        if status == 204:
            self.end_revocation()

    def begin_revocation(self):
        self.is_revoked, self.withdrawn = True, self.device
        self.world.log.note("revoke", d=self.withdrawn)
        for one in self.channels.values():
            one.is_ending = True

    def end_revocation(self):
        # It may have been let in meanwhile, and refused again.
        self.is_revoked = True
        self.world.log.note("withdrawn", d=self.withdrawn)
        for one in self.channels.values():
            one.end()

    def refused(self, status):
        """A restore may have forgotten its device, and then it gets another one."""
        self.patience -= self.is_revoked
        self.pause = 0.5 if self.is_revoked else 0.15
        if status == 401 and not self.is_revoked:
            self.device = None

    def lose_all(self):
        """The server knows this client no more: it gets new endpoints on all its channels."""
        for channel, one in self.channels.items():
            if one.token:
                one.lose()
                self.channels[channel] = self.world.subscribe(self, channel)
        self.ending = {}

    def replace(self, former, token, session):
        """The server gave another endpoint for a channel: a new one, or one that a restore brought back."""
        former.lose()
        one = self.world.named(token)
        if one:
            one.revive()
        else:
            one = self.world.subscribe(self, former.channel)
            note = self.world.log.note
            # A store that had forgotten it made it anew, perhaps for a request whose answer was lost.
            for at in former.asked or [session.tidied]:
                note("register", at=at, c=session.number, s=one.number, chan=one.channel, a=self.number)
        self.channels[former.channel] = one
        return one

    def tidy(self, session):
        """Registers missing channels; sometimes removes some, or registers the same again."""
        session.tidied = now()
        if session.asks_again:
            self.restores = self.world.restores
            for one in self.channels.values():
                if one.token:
                    self.ask_again(session, one)
        for channel, one in list(self.ending.items()):
            self.unregister(session, channel, one)
        dice = self.random.random()
        if dice < 0.12 and self.channels and not self.world.is_calm and not session.asks_again:
            channel = self.random.choice(list(self.channels))
            one = self.channels.pop(channel)
            if one.token and dice < 0.06:
                self.unregister(session, channel, one)
            elif one.token and dice < 0.09:  # A new subscription with the old name.
                self.unregister(session, channel, one)
                self.channels[channel] = self.world.subscribe(self, channel)
            elif one.token:  # A repeated request changes nothing.
                self.channels[channel] = one
                self.ask_again(session, one)
        while len(self.channels) < self.wanted:
            channel = str(uuid.UUID(int=self.random.getrandbits(128), version=4))
            self.channels[channel] = self.world.subscribe(self, channel)
        for channel, one in self.channels.items():
            if not one.token:
                self.world.log.note("register", c=session.number, s=one.number, chan=channel, a=self.number)
                session.socket.tell(**one.request())

    def ask_again(self, session, one):
        one.asked.append(session.tidied)
        session.socket.tell(**one.request())

    def unregister(self, session, channel, one):
        self.ending[channel] = one
        one.is_ending = True
        self.world.log.note("unregister", c=session.number, s=one.number)
        session.socket.tell(messageType="unregister", channelID=channel)

    def choose(self):
        if self.world.is_calm:
            return "prompt"
        modes = list(MODES)
        return self.random.choices(modes, [MODES[mode][0] for mode in modes])[0]

    async def run(self):
        while not self.world.is_over and self.patience > 0:
            if self.is_away:
                await asyncio.sleep(0.05)
                continue
            if self.has_device and not self.device:
                try:
                    await self.make_device()
                except (OSError, ValueError):
                    await asyncio.sleep(0.05)
                continue
            await self.visit(self.choose())
            if self.pause:
                await asyncio.sleep(self.pause)
            elif not self.world.is_calm:
                await asyncio.sleep(self.random.choice([0, 0.01, 0.05, 0.3, 0.8]))

    async def visit(self, mode):
        route = self.world.network.to_agents(self.random, self.world.is_calm)
        session = Session(self, mode, route)
        try:
            session.socket = await WebSocket.connect(session, route.port, self.path, route.context)
        except OSError:
            self.world.log.note("closed", c=session.number, us=False)
            return await asyncio.sleep(0.02)
        await self.stay(session)

    async def visit_briefly(self, mode="prompt", is_leaving=True):
        """Stays until it has its endpoints."""
        route = self.world.network.to_agents(self.random, True)
        session = Session(self, mode, route)
        session.socket = await WebSocket.connect(session, route.port, context=route.context)
        while not (self.channels and all(one.token for one in self.channels.values())):
            await asyncio.sleep(0.01)
        if is_leaving:
            session.socket.close()
            await session.ended
        else:
            session.socket.transport.pause_reading()

    async def stay(self, session):
        """Stays until the connection ends or its time is over; a prompt one stays through a calm."""
        remaining = self.random.expovariate(1 / 1.5)
        while not session.ended.done() and not self.world.is_over:
            await asyncio.wait([session.ended], timeout=0.1)
            remaining -= 0.1
            is_welcome = session.mode == "prompt" and self.world.is_calm and not session.route.is_faulty
            if (self.world.is_calm and not is_welcome) or (remaining <= 0 and not is_welcome):
                break
        if session.ended.done():
            return
        dice = self.random.random()
        # Slow ones, and those behind a faulty proxy, would read later what was sent before. A client that has not
        # registered yet gets another uaid.
        may_be_replaced = session.mode != "slow" and session.is_ready and not session.route.is_faulty
        may_be_replaced &= all(one.token for one in self.channels.values())
        if dice < 0.3 and may_be_replaced and not self.world.is_over:
            # A second connection comes while the first is open, and replaces it.
            loop = asyncio.get_running_loop()
            loop.call_later(self.random.uniform(0.1, 1), session.socket.close)
            return
        session.socket.abort() if dice < 0.6 else session.socket.close()
        await asyncio.wait([session.ended], timeout=1)
