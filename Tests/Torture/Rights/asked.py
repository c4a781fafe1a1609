"""Requests to an engine as clients write them, with values from the whole range."""

import json

import pushes

# The value of a member: an identifier (some are used repeatedly), a number, or a text.
IDS, NUMBERS, TEXTS, FLAGS = "ids", "numbers", "texts", "flags"
KINDS = {
    "chat_id": IDS,
    "message_id": IDS,
    "user_id": IDS,
    "notification_group_id": IDS,
    "notification_id": IDS,
    "max_notification_id": IDS,
    "call_id": IDS,
    "id": IDS,
    "last_read_inbox_message_id": IDS,
    "mute_for": NUMBERS,
    "paused_for": NUMBERS,
    "unread_count": NUMBERS,
    "unread_mention_count": NUMBERS,
    "limit": NUMBERS,
    "date": NUMBERS,
    "session_timeout": NUMBERS,
    "others_online_since": NUMBERS,
    "name": TEXTS,
    "title": TEXTS,
    "text": TEXTS,
    "activation_token": TEXTS,
    "secret": TEXTS,
    "force_read": FLAGS,
    "active": FLAGS,
    "paused": FLAGS,
    "mobile": FLAGS,
    "fetched": FLAGS,
    "self": FLAGS,
}
WORDS = {
    "type": ("private", "basic_group", "supergroup", "channel", "secret"),
    "state": ("pending", "ready", "hangup"),
    "policy": ("learn", "strict"),
    "dialect": ("telegram", "matrix", "icq", "zpns", "plain", "declarative", "auto"),
    "action": ("default", "reply", "mark_read", "accept", "decline"),
    "notify_mode": ("disabled", "sendOnlyOne", "sendOnePerConversation", "all"),
}
SHAPES = {
    "setOption": ["value"],
    "getOption": ["name"],
    "removeNotification": ["notification_group_id", "notification_id"],
    "removeNotificationGroup": ["notification_group_id", "max_notification_id"],
    "setChatNotificationSettings": ["chat_id", "notification_settings"],
    "getChatNotificationSettings": ["chat_id"],
    "setScopeNotificationSettings": ["scope", "notification_settings"],
    "getScopeNotificationSettings": ["scope"],
    "viewMessages": ["chat_id", "message_ids", "force_read"],
    "openChat": ["chat_id"],
    "closeChat": ["chat_id"],
    "setChatDraftMessage": ["chat_id"],
    "getMessageLocally": ["chat_id", "message_id"],
    "getChat": ["chat_id"],
    "getUser": ["user_id"],
    "getCurrentState": [],
    "resetAllNotificationSettings": [],
    "setReactionNotificationSettings": ["notification_settings"],
    "toggleChatIsMarkedAsUnread": ["chat_id"],
    "toggleChatDefaultDisableNotification": ["chat_id"],
    "clearAllDraftMessages": [],
    "readAllChatMentions": ["chat_id"],
    "setAlarm": [],
    "registerDevice": ["device_token", "other_user_ids"],
    "getPushReceiverId": ["payload"],
    "processPushNotification": ["payload"],
    "bellwire.processPush": ["payload", "dialect"],
    "bellwire.setMe": ["user_id"],
    "bellwire.setChatPolicy": ["policy"],
    "bellwire.setOnline": ["self", "others_online_since"],
    "bellwire.setFetching": ["active"],
    "bellwire.release": [],
    "bellwire.actionTaken": ["id"],
    "bellwire.rawPushTaken": ["id"],
    "bellwire.heard": ["id"],
    "bellwire.getChats": ["limit"],
    "bellwire.muteChat": ["chat_id", "mute_for"],
    "bellwire.pause": ["paused", "paused_for"],
    "bellwire.setSource": ["notify_mode", "session_timeout", "paused", "mobile", "fetched"],
    "bellwire.invokeNotificationAction": [
        "notification_group_id",
        "notification_id",
        "action",
        "text",
        "activation_token",
    ],
    "bellwire.setCall": ["call_id", "chat_id", "state"],
    "bellwire.setChat": [
        "chat_id",
        "title",
        "type",
        "last_read_inbox_message_id",
        "unread_count",
        "unread_mention_count",
    ],
    "bellwire.removeChat": ["chat_id"],
    "bellwire.addSecretChat": ["chat_id", "title", "date"],
    "bellwire.removeSecretChat": ["chat_id"],
    "bellwire.addMessage": ["message"],
    "bellwire.editMessage": ["message"],
    "bellwire.deleteMessages": ["chat_id", "message_ids"],
    "bellwire.setPinnedMessage": ["chat_id", "message"],
    "bellwire.signalTaken": ["id"],
    "bellwire.open": ["account"],
}
LAST = ("close", "logOut", "destroy")


def request(caller, kind):
    """A correct request, or one with a mistake."""
    values = caller.values
    members = {name: member(caller, name) for name in SHAPES.get(kind, [])}
    if members and values.chance.random() < 0.2:
        members = values.spoiled(members)
    return {"@type": kind, **members}


def member(caller, name):
    values, chance = caller.values, caller.chance
    kind = KINDS.get(name)
    if kind == IDS:
        return number(values, chance.randrange(1, 6) * chance.choice((1, 1, 1, -1, -(10**12))))
    if kind == NUMBERS:
        return number(values, chance.randrange(100))
    if kind == TEXTS:
        # The owner of an engine may read what an administrator writes into it.
        own = not caller.is_administrator and chance.random() < 0.6
        return caller.marked(values.text()) if own else values.text()
    if kind == FLAGS:
        return chance.random() < 0.5
    if name in WORDS:
        return chance.choice(WORDS[name])
    return OBJECTS.get(name, lambda caller: caller.values.any())(caller)


def number(values, usual):
    """A number, or text for a number with 64 bits."""
    drawn = usual if values.chance.random() < 0.6 else values.integer()
    return str(drawn) if values.chance.random() < 0.2 else drawn


def option(caller):
    kind = caller.chance.choice(("Integer", "Boolean", "String", "Empty"))
    value = {"Integer": caller.values.integer(), "Boolean": True, "String": caller.values.text(), "Empty": None}
    return {"@type": f"optionValue{kind}", "value": value[kind]}


def settings(caller):
    return {
        "@type": "chatNotificationSettings",
        "mute_for": caller.values.integer(),
        "sound_id": str(caller.values.integer()),
        "show_preview": caller.chance.random() < 0.5,
        "use_default_mute_for": False,
    }


def message(caller):
    sender = {"@type": "messageSenderUser", "user_id": member(caller, "user_id")}
    return {
        "@type": "message",
        "id": member(caller, "message_id"),
        "chat_id": member(caller, "chat_id"),
        "date": member(caller, "date"),
        "sender_id": sender,
        "content": {"@type": "messageText", "text": {"text": member(caller, "text")}},
    }


def payload(caller):
    mark = "" if caller.is_administrator else caller.mark
    made = caller.chance.choice(
        (lambda: pushes.telegram(caller.values, mark), lambda: pushes.matrix(caller.values, mark), caller.values.any)
    )()
    text = json.dumps(made)
    return text.replace('"updates": ', '"updates": 1.2.3e') if caller.chance.random() < 0.05 else text


def scope(caller):
    return {
        "@type": "notificationSettingsScope"
        + caller.chance.choice(("PrivateChats", "GroupChats", "ChannelChats", "Others"))
    }


def device_token(caller):
    return {
        "@type": "deviceTokenWebPush",
        "endpoint": "https://localhost/x",
        "p256dh_base64url": caller.values.token(),
        "auth_base64url": caller.values.token(),
    }


def message_ids(caller):
    return [member(caller, "message_id") for _ in range(caller.chance.randrange(5))]


OBJECTS = {
    "value": option,
    "notification_settings": settings,
    "message": message,
    "payload": payload,
    "scope": scope,
    "device_token": device_token,
    "message_ids": message_ids,
}
