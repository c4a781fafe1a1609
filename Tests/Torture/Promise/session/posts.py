"""Senders to the applications of a desktop and to its accounts, and somebody else who views these accounts."""

import asyncio
import hashlib
import json

from clients.sender import Client, Closed
from clients.viewer import Viewer, number_of

APP = "torture"
# A group shows ten; what gave way does not come up again when there is room.
MOST = 7
TOPICS = ["news", "weather"]


class Courier:
    """Pushes to the endpoints of applications, and withdraws."""

    def __init__(self, desk):
        self.desk, self.world, self.log = desk, desk.world, desk.world.log
        self.random, self.client = self.world.branch(), Client(desk.world.server.port)

    async def run(self):
        while not self.desk.is_over:
            live = [one for one in self.desk.registrations if one.endpoint and not one.is_ending]
            gone = [one for one in self.desk.registrations if one.has_ended]
            if gone and self.random.random() < 0.05:
                await self.push(self.random.choice(gone[-10:]))
            elif live:
                await self.push(self.random.choice(live))
            await asyncio.sleep(self.random.expovariate(1 / 0.2))

    async def push(self, one):
        number = self.world.next_push()
        size = self.random.choice([10, 40, 200, 1_000])
        body = b"bw" + number.to_bytes(8) + self.random.randbytes(size - 10)
        ttl = self.random.choice([0, 2, 5, 600, 600, 86_400])
        topic = self.random.choice(TOPICS) if self.random.random() < 0.2 else None
        fields = [("TTL", ttl), ("Content-Encoding", "aes128gcm"), *([("Topic", topic)] if topic else [])]
        if self.random.random() < 0.3:
            fields.append(("Urgency", self.random.choice(["very-low", "low", "normal", "high"])))
        digest, sample = hashlib.sha256(body).hexdigest()[:16], body[10:34].hex()
        self.log.note("send", p=number, v=one.number, ttl=ttl, topic=topic, digest=digest, sample=sample)
        status, location = None, ""
        try:
            status, answer = await self.client.ask("POST", one.endpoint, fields, body)
            location = answer.get("location", "").rsplit("/", 1)[-1]
        except (Closed, TimeoutError):
            await asyncio.sleep(0.05)
        self.log.note("sent", p=number, status=status, location=location)
        if status == 201 and self.random.random() < 0.12:
            asyncio.get_running_loop().create_task(self.withdraw(number, location))

    async def withdraw(self, number, location):
        await asyncio.sleep(self.random.choice([0, 0.1, 0.5, 2]))
        client = Client(self.world.server.port)
        self.log.note("take-back", p=number)
        try:
            status, _ = await client.ask("DELETE", "/m/" + location)
            self.log.note("taken-back", p=number, status=status)
        except (Closed, TimeoutError):
            pass
        client.close()


class Account:
    """Notifications that the desktop shows: their sender, and somebody who views them elsewhere."""

    def __init__(self, desk, number, dialect):
        self.desk, self.world, self.log, self.number = desk, desk.world, desk.world.log, number
        self.dialect = dialect
        self.random, self.client = self.world.branch(), Client(desk.world.server.port)
        self.entry = f"org.example.Account{number}"
        self.watcher, self.topics = Watcher(desk.world, self), {}

    async def begin(self):
        terms = {"token_type": 10, "app": APP, "account": f"a{self.number}", "dialect": self.dialect}
        status, answer = await self.world.server.control(
            "POST", "registrations", {**terms, "clear": True, "trust_clear": True}
        )
        if status != 201:
            raise SystemExit(f"torture: no account for the desktop: {status} {answer}")
        self.token = answer["endpoint"].rsplit("/", 1)[1]
        self.log.note("account", r=self.number, token=self.token, entry=self.entry)

    async def run(self):
        while not self.desk.is_over:
            topic = self.random.choice(TOPICS)
            if not self.desk.is_still and self.watcher.is_there and self.watcher.has_room(topic):
                await self.post(topic)
            await asyncio.sleep(self.random.expovariate(1 / 0.4))

    async def post(self, topic):
        number, salt = self.world.next_push(), self.random.randbytes(16)
        self.topics[number] = topic
        text, is_loud = f"bw-{number}-{salt.hex()}", True
        if self.dialect == "plain":
            is_loud = self.random.random() < 0.8
            payload = {"title": "Ada", "message": text, "topic": topic, "priority": 3 if is_loud else 1}
        else:
            # Its messages have numbers, and can be marked as read.
            custom = {"from_id": str(5 + TOPICS.index(topic)), "msg_id": str(number)}
            payload = {"loc_key": "MESSAGE_TEXT", "loc_args": ["Ada", text], "custom": custom}
        facts = {"is_loud": is_loud, "sample": salt.hex().encode().hex()}
        self.log.note("post", p=number, r=self.number, **facts)
        status = None
        try:
            body = json.dumps(payload).encode()
            status, _ = await self.client.ask("POST", f"/wpush/v1/{self.token}", [("TTL", 86_400)], body)
        except (Closed, TimeoutError):
            await asyncio.sleep(0.05)
        self.log.note("posted", p=number, status=status)


class Watcher(Viewer):
    """Dismisses one notification, dismisses a whole group, or reads a chat."""

    def __init__(self, world, account):
        super().__init__(world, account.number)
        self.sender, self.pushes = account, {}
        self.is_there, self.chats, self.messages = False, {}, {}

    def has_room(self, topic):
        return sum(self.sender.topics.get(push) == topic for push in self.pushes.values()) < MOST

    async def visit(self):
        try:
            await super().visit()
        finally:
            self.is_there = False

    def take(self, update):
        if "notification_group_id" in update and "chat_id" in update:
            self.chats[update["notification_group_id"]] = update["chat_id"]
        for group in update.get("groups", []):
            self.chats[group["id"]] = group["chat_id"]
        super().take(update)
        self.is_there |= update["@type"] == "updateActiveNotifications"
        self.pushes = {name: push for name, push in self.pushes.items() if name in self.shown}

    def keep(self, notifications):
        super().keep(notifications)
        for _, one in notifications:
            self.pushes[one["id"]] = number_of(one)
            self.messages[one["id"]] = one["type"].get("message_id", 0)

    def act(self):
        if not self.shown or self.sender.desk.is_still:
            return
        (group, name), dice, number = self.random.choice(list(self.shown.values())), self.random.random(), 0
        if dice < 0.8:
            number = self.world.next_push()
            self.asked[number] = ("dismissed", name)
            self.note("dismiss", name=name)
            self.say("removeNotification", notification_group_id=group, notification_id=name, **{"@extra": number})
            return
        for place, other in self.shown.values():
            if place == group:
                self.note("dismiss", name=other)
        if dice < 0.9:
            self.say("removeNotificationGroup", notification_group_id=group, max_notification_id=name)
        elif group in self.chats:
            self.say("viewMessages", chat_id=self.chats[group], message_ids=[self.messages[name]])
