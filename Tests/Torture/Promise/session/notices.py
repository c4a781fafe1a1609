"""A notification daemon without a screen, and the user before it, who dismisses and clicks at random.

usage: notices.py ADDRESS REPORTS NUMBER
"""

import asyncio
import random
import re
import sys

# A program of its own.
sys.path += [__file__.rsplit("/", 2)[0], __file__.rsplit("/", 4)[0]]

from dbus_fast import Message, MessageType, NameFlag
from dbus_fast.aio import MessageBus
from session.reports import Reporter, orders

NAME, PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"
# With tags, a call that a killed desktop made is recognised when it comes again.
CAPABILITIES = "actions body body-markup icon-static x-canonical-private-synchronous".split()
TAG = "x-canonical-private-synchronous"
EXPIRED, DISMISSED, CLOSED = 1, 2, 3


class Screen:
    def __init__(self, bus, note):
        self.bus, self.note, self.random = bus, note, random.Random()
        self.visible, self.tags, self.last = {}, {}, 0
        # How it answers, and whether somebody looks at it.
        self.mode, self.has_user = "well", True

    def handle(self, message):
        if message.message_type != MessageType.METHOD_CALL or message.interface != NAME:
            return None
        if message.member == "GetCapabilities":
            return Message.new_method_return(message, "as", [CAPABILITIES])
        if message.member == "GetServerInformation":
            return Message.new_method_return(message, "ssss", ["torture", "test", "1", "1.2"])
        if message.member == "CloseNotification":
            self.closes(message.body[0])
            return Message.new_method_return(message)
        if message.member == "Notify":
            return self.notify(message)
        return None

    def notify(self, message):
        _, old, _, title, body, actions, hints, _ = message.body
        hints = {name: hint.value for name, hint in hints.items()}
        push, more = re.search(r"bw-(\d+)-", body), re.match(r"(\d+) more notification", title)
        fails = self.mode == "failing" and self.random.random() < 0.5
        number = old if old in self.visible else self.last + 1
        facts = {
            "id": number,
            "old": old,
            "p": int(push.group(1)) if push else None,
            "count": int(more.group(1)) if more else None,
            "entry": hints.get("desktop-entry"),
            "sound": "suppress-sound" not in hints,
            "ok": not fails,
        }
        self.note("notify", **facts)
        if fails:
            return Message.new_error(message, "org.freedesktop.DBus.Error.Failed", "not now")
        self.last = max(self.last, number)
        former = self.tags.get(hints.get(TAG))
        if former != number and self.visible.pop(former, None):
            self.note("screen-gone", id=former, reason=0)
        self.tags[hints.get(TAG)] = number
        one = self.visible[number] = {"actions": actions[::2], "is_answered": False, **facts}
        if self.mode == "late":
            delay = self.random.uniform(0, 1.5)
            asyncio.get_running_loop().call_later(delay, lambda: self.bus.send(self.answer(message, one)))
            return True
        return self.answer(message, one)

    def answer(self, message, one):
        one["is_answered"] = True
        return Message.new_method_return(message, "u", [one["id"]])

    def closes(self, number):
        self.note("screen-close", id=number)
        if self.visible.pop(number, None):
            self.leaves(number, CLOSED)

    def leaves(self, number, reason):
        self.visible.pop(number, None)
        self.note("screen-gone", id=number, reason=reason)
        self.signal("NotificationClosed", "uu", [number, reason])

    def signal(self, member, signature, body):
        kind = MessageType.SIGNAL
        self.bus.send(
            Message(message_type=kind, path=PATH, interface=NAME, member=member, signature=signature, body=body)
        )

    async def user(self):
        while self.bus.connected:
            await asyncio.sleep(self.random.expovariate(1 / 0.5))
            # Nobody can choose what the daemon has not numbered yet.
            there = [one for one in self.visible.values() if one["is_answered"]]
            if not there or not self.has_user:
                continue
            one, dice = self.random.choice(there), self.random.random()
            if one["count"] and dice < 0.9:
                continue
            # What is muted would not come up any more.
            keys = [key for key in one["actions"] if not key.startswith("mute")]
            if dice < 0.15 and keys:
                key = self.random.choice(keys)
                self.note("screen-act", id=one["id"], key=key)
                self.signal("ActionInvoked", "us", [one["id"], key])
            self.leaves(one["id"], EXPIRED if dice > 0.95 else DISMISSED)


async def main(address, path, number):
    reporter = Reporter(path)
    bus = await MessageBus(bus_address=address).connect()
    screen = Screen(bus, lambda event, **facts: reporter.note(event, n=number, **facts))
    bus.add_message_handler(screen.handle)
    await bus.request_name(NAME, NameFlag.DO_NOT_QUEUE)
    reporter.note("screen-up", n=number, unique=bus.unique_name)
    print("ready", flush=True)
    user = asyncio.create_task(screen.user())
    async for order in orders(path, number):
        screen.mode, screen.has_user = order["mode"], order["user"]
    user.cancel()


asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
