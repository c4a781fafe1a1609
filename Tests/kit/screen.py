"""A notification server that shows nothing and remembers everything."""

from dbus_fast import Message, MessageFlag, MessageType, Variant
from kit import bus
from kit.checks import Failed

NAME = "org.freedesktop.Notifications"
PATH = "/org/freedesktop/Notifications"
DUNST = (
    "actions body body-hyperlinks icon-static x-canonical-private-synchronous x-dunst-stack-tag body-markup"
).split()
PLASMA = "actions body body-markup inline-reply inhibitions persistence".split()


class Recorder:
    """A notification server that shows nothing and remembers everything."""

    def __init__(self, desk, capabilities=DUNST, spec="1.2", name="recorder"):
        self.desk = desk
        self.capabilities = capabilities
        self.information = [name, "test", "1", spec]
        self.calls = []
        self.signatures = []
        self.visible = {}
        self.tags = {}
        self.badges = []
        self.activations = []
        self.last = 0
        self.answers = True
        self.inhibited = False
        self.units = []
        self.bus = None

    async def appear(self, name=NAME):
        self.bus = await bus.connected(self.desk.address)
        self.bus.add_message_handler(self.handle)
        await bus.ask(self.bus, "AddMatch", "s", "interface='com.canonical.Unity.LauncherEntry'")
        await self.bus.request_name(name)
        return self

    def disappear(self):
        self.bus.disconnect()
        self.visible.clear()

    def handle(self, message):
        if message.message_type == MessageType.SIGNAL and message.member == "Update":
            self.badges.append((message.body[0], {k: v.value for k, v in message.body[1].items()}))
            return None
        if message.message_type != MessageType.METHOD_CALL:
            return None
        if message.interface == "org.freedesktop.Application":
            if message.flags & MessageFlag.NO_REPLY_EXPECTED:
                raise Failed("FAILED: an application's answer is waited for")
            self.activations.append((message.path, message.member, message.body))
            return Message.new_method_return(message)
        if message.member == "StartTransientUnit":
            self.units.append((message.signature, message.body))
            return (
                Message.new_method_return(message, "o", ["/job/1"])
                if self.answers is True
                else Message.new_error(message, self.answers, "")
            )
        if message.interface == "org.freedesktop.DBus.Properties":
            return Message.new_method_return(message, "v", [Variant("b", self.inhibited)])
        if message.interface != NAME:
            return None
        if message.member == "GetCapabilities":
            return Message.new_method_return(message, "as", [list(self.capabilities)])
        if message.member == "GetServerInformation":
            return Message.new_method_return(message, "ssss", self.information)
        if message.member == "CloseNotification":
            if self.visible.pop(message.body[0], None) is not None:
                self.signal("NotificationClosed", "uu", [message.body[0], 3])
            return Message.new_method_return(message)
        if message.member == "Notify":
            self.signatures.append(message.signature)
            number = self.notify(message.body)
            return Message.new_method_return(message, "u", [number]) if self.answers else True
        return None

    def notify(self, body):
        hints = dict(body[6])
        self.calls.append((*body[:6], hints, body[7]))
        number = body[1]
        tag = hints.get("x-dunst-stack-tag")
        if number not in self.visible:
            self.last += 1
            number = self.last
            # Like dunst: the previous notification with the same tag goes away.
            if tag is not None:
                self.visible.pop(self.tags.get(tag.value), None)
        if tag is not None:
            self.tags[tag.value] = number
        self.visible[number] = self.calls[-1]
        return number

    def signal(self, member, signature, body, over=None):
        bus.signal(over or self.bus, PATH, NAME, member, signature, *body)

    def user_closes(self, number, reason=2):
        self.visible.pop(number, None)
        self.signal("NotificationClosed", "uu", [number, reason])

    def user_chooses(self, number, key, token=None):
        if token is not None:
            self.signal("ActivationToken", "us", [number, token])
        self.signal("ActionInvoked", "us", [number, key])

    @property
    def bodies(self):
        return [call[4] for _, call in sorted(self.visible.items())]

    @property
    def sounding(self):
        return [call for call in self.calls if "suppress-sound" not in call[6]]
