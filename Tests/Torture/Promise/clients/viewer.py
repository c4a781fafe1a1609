"""Who looks: a viewer of an account's notifications, which dismisses, and somebody at the status page."""

import asyncio
import json
import re
import urllib.parse

from clients.sender import Client, Closed


def number_of(notification, text=r"bw-(\d+)-"):
    """The push whose text it shows."""
    found = re.search(text, json.dumps(notification))
    return int(found.group(1)) if found else None


class Viewer:
    app, role = "torture", {}

    def __init__(self, world, application):
        self.world, self.random = world, world.branch()
        self.application, self.account, self.log = application, f"a{application}", world.log
        self.shown, self.asked, self.connection = {}, {}, 0

    async def run(self):
        while not self.world.is_over:
            self.connection += 1
            try:
                await self.visit()
            except (OSError, asyncio.IncompleteReadError, ConnectionError):
                pass  # The server was killed.
            await asyncio.sleep(self.random.choice([0, 0.02, 0.2]))

    async def visit(self):
        reader, self.writer = await asyncio.open_unix_connection(
            str(self.world.server.state / "control.sock"), limit=1 << 24
        )
        try:
            self.say("bellwire.open", app=self.app, account=self.account, **self.role)
            while line := await reader.readline():
                self.take(json.loads(line))
                if self.random.random() < 0.05:
                    self.act()
                if self.random.random() < 0.01 and not self.world.is_calm:
                    return
        finally:
            self.writer.close()

    def say(self, kind, **members):
        self.writer.write(json.dumps({"@type": kind, **members}).encode() + b"\n")

    def act(self):
        """Dismisses a notification, or processes a push itself."""
        number = self.world.next_push()
        if self.random.random() < 0.5 and self.shown:
            group, name = self.random.choice(list(self.shown.values()))
            self.asked[number] = ("dismissed", name)
            self.note("dismiss", name=name)
            self.say("removeNotification", notification_group_id=group, notification_id=name, **{"@extra": number})
        else:
            self.asked[number] = ("processed", number)
            self.note("process", p=number)
            payload = {
                "data": {
                    "loc_key": "MESSAGE_TEXT",
                    "loc_args": ["Ada", f"bw-{number}-x"],
                    "custom": {"from_id": "5", "msg_id": str(number)},
                }
            }
            self.say("processPushNotification", payload=json.dumps(payload), **{"@extra": number})

    def note(self, event, **facts):
        self.log.note(event, r=self.application, c=self.connection, **facts)

    def take(self, update):
        kind = update["@type"]
        if kind == "updateActiveNotifications":
            self.shown = {}
            groups = [(group["id"], one) for group in update["groups"] for one in group["notifications"]]
            self.keep(groups)
            self.note("welcome", shown=[[g, one["id"], number_of(one)] for g, one in groups])
        elif kind == "updateNotificationGroup":
            group = update["notification_group_id"]
            for name in update["removed_notification_ids"]:
                self.shown.pop(name, None)
            added = [(group, one) for one in update["added_notifications"]]
            self.keep(added)
            self.note(
                "view",
                gone=update["removed_notification_ids"],
                added=[[group, one["id"], number_of(one)] for _, one in added],
            )
        elif kind in ("ok", "error") and update.get("@extra") in self.asked:
            what, name = self.asked.pop(update["@extra"])
            if kind == "ok":
                self.note(what, name=name)

    def keep(self, notifications):
        for group, one in notifications:
            self.shown[one["id"]] = (group, one["id"])


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
        for path in ("/ui/", "/ui/status", "/ui/live?last=0"):
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
