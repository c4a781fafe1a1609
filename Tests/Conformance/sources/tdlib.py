"""TDLib: Notification API."""

import json
import time

from casebook import MADE, TDLIB, add_case, case, equal, expect
from kit.coding import decode
from kit.sealing import mtproto
from recorded import PAYLOADS, RANDOM, RECEIVERS, add_payload, add_probe, add_random, add_receiver, add_story, payload
from sources.telegram import VECTORS_OF_P, message, only, say, tell, texts, updates_of, wanted


def text(number, chat="555", **more):
    return message(args=("Ann", f"m{number}"), custom={"from_id": chat, "msg_id": str(number), **more})


def in_group(number, **more):
    custom = {"channel_id": "88", "chat_from_id": "5", "msg_id": str(number), **more}
    return message("CHAT_MESSAGE_TEXT", ["Ann", "Office", f"m{number}"], custom=custom)


def option(server, made, name, value=None):
    form = {"@type": "optionValueEmpty"} if value is None else {"@type": "optionValueInteger", "value": str(value)}
    return server.ask(made["account"], {"@type": "setOption", "name": name, "value": form})["answer"]


def ask(server, made, kind, **members):
    return server.ask(made["account"], {"@type": kind, **members})


def remove(server, made, one):
    return ask(server, made, "removeNotification", notification_group_id=one["group"], notification_id=one["id"])


def shown(server, made, member):
    return [one[member] for one in server.shown(made["account"])]


def groups_of(answer):
    return updates_of(answer, "updateNotificationGroup")


def now():
    return int(time.time())


# Overview


@case("tdlib.overview", "what is shown, its ids and its changes are the same after the server was killed")
def persistent(server, made):
    for number in (1, 2, 3):
        tell(server, made, text(number))
    remove(server, made, server.shown(made["account"])[1])
    tell(server, made, text(3, edit_date=str(now())) | {"loc_args": ["Ann", "edited"]})
    before = server.shown(made["account"])
    equal([one["text"] for one in before], ["Ann: m1", "Ann: edited"], "before")
    server.restart()
    # The count of a group is what is left after a start.
    after = [{**one, "total": 0} for one in server.shown(made["account"])]
    equal(after, [{**one, "total": 0} for one in before], "after the start")
    tell(server, made, text(4))
    equal(shown(server, made, "id")[-1], 4, "id of the next one")


add_story("tdlib.overview", "restart persistence")
add_story("tdlib.overview", "log out / destroy while notifications are shown")


@case("tdlib.groups", "messages of a chat are one group, those of another chat another one")
def one_group_a_chat(server, made):
    for number, chat in ((1, "555"), (2, "556"), (3, "555")):
        tell(server, made, text(number, chat))
    groups = {one["text"]: one["group"] for one in server.shown(made["account"])}
    equal(groups["Ann: m1"], groups["Ann: m3"], "group of the same chat")
    expect(groups["Ann: m1"] != groups["Ann: m2"], "two chats are two groups")


add_random("tdlib.groups", "groups")


@case("tdlib.messages-group", "an ordinary message is in a group of type Messages")
def ordinary(server, made):
    tell(server, made, text(1))
    equal(only(server, made)["kind"], "Messages", "type of the group")


@case("tdlib.mentions-group", "mentions and pins are in one group of type Mentions, apart from the messages")
def mentions(server, made):
    tell(server, made, in_group(1))
    tell(server, made, in_group(2, mention="1"))
    pin = {"channel_id": "88", "chat_from_id": "5", "msg_id": "3"}
    tell(server, made, message("PINNED_NOTEXT", ["Ann", "Office"], custom=pin))
    equal(sorted(shown(server, made, "kind")), ["Mentions", "Mentions", "Messages"], "types")
    equal(len(set(shown(server, made, "group"))), 2, "groups")


add_story("tdlib.mentions-group", "mentions in a supergroup")
add_story("tdlib.mentions-group", "pinned messages")
add_probe("tdlib.mentions-group", "probe: pinned replaced by muted pinned, watched to the end")

SECRET = -1999999999958


@case("tdlib.secret-chat-group", "a new secret chat is one notification in a group of its own")
def secret_chat(server, made):
    server.owner(made["account"], "secret_chat", chat=SECRET)
    one = only(server, made)
    equal([one["kind"], one["type"], one["chat"], one["total"]], ["SecretChat", "NewSecretChat", SECRET, 1], "it")


@case("tdlib.calls-group", "a call is in a group of calls while it rings, one group for each chat")
def calls(server, made):
    for number, chat in ((1, 555), (2, 556)):
        server.owner(made["account"], "call", id=number, chat=chat, state="pending")
    equal(shown(server, made, "kind"), ["Calls", "Calls"], "types")
    equal(sorted(shown(server, made, "chat")), [555, 556], "chats")
    server.owner(made["account"], "call", id=1, chat=555, state="discarded")
    equal(shown(server, made, "chat"), [556], "chats after one has ended")


for name in (
    "group size overflow and return (size 3)",
    "group count overflow and return (count 2)",
    "more than keep size (size 1, 30 pushes)",
    "removing the newest notification moves the group back (count 1)",
):
    add_story("tdlib.limits", name)
add_random("tdlib.limits", "dates")


@case("tdlib.limits", "what does not fit into a group disappears, and comes back without a sound")
def size(server, made):
    equal(option(server, made, "notification_group_size_max", 2), {"@type": "ok"}, "setting the size")
    for number in (1, 2, 3):
        tell(server, made, text(number))
    equal(texts(server, made), ["Ann: m2", "Ann: m3"], "with three messages")
    server.rang(made["account"])
    remove(server, made, server.shown(made["account"])[1])
    equal(texts(server, made), ["Ann: m1", "Ann: m2"], "after a removal")
    equal(server.rang(made["account"]), [], "sounds")


@case("tdlib.limits", "the oldest group disappears when there is one too many, and comes back without a sound")
def count(server, made):
    option(server, made, "notification_group_count_max", 1)
    for number, chat in ((1, "555"), (2, "556")):
        tell(server, made, text(number, chat) | {"date": str(now() + number - 10)})
    equal(texts(server, made), ["Ann: m2"], "with two groups")
    server.rang(made["account"])
    one = only(server, made)
    ask(server, made, "removeNotificationGroup", notification_group_id=one["group"], max_notification_id=one["id"])
    equal(texts(server, made), ["Ann: m1"], "after the other group was removed")
    equal(server.rang(made["account"]), [], "sounds")


add_story("tdlib.enable", "disabled by default (no option set)")
add_probe("tdlib.enable", "probe: start with the count 0 and later again")


def switch(value):
    def off(server, made):
        option(server, made, "notification_group_count_max", 5)
        tell(server, made, text(1))
        equal(len(server.shown(made["account"])), 1, "shown while it is on")
        equal(option(server, made, "notification_group_count_max", value), {"@type": "ok"}, "switching off")
        equal(server.shown(made["account"]), [], "shown while it is off")
        tell(server, made, text(2))
        equal(server.shown(made["account"]), [], "shown of what came while it is off")
        option(server, made, "notification_group_count_max", 5)
        tell(server, made, text(3))
        expect("Ann: m3" in texts(server, made), "it can be switched on again")

    return off


case("tdlib.enable", "0 switches it off", name="zero")(switch(0))


@case("tdlib.enable", "an empty option takes what was set away")
def emptied(server, made):
    option(server, made, "notification_group_count_max", 5)
    value = ask(server, made, "getOption", name="notification_group_count_max")["answer"]
    equal(value, {"@type": "optionValueInteger", "value": "5"}, "what was set")
    equal(option(server, made, "notification_group_count_max"), {"@type": "ok"}, "emptying it")
    value = ask(server, made, "getOption", name="notification_group_count_max")["answer"]
    expect(value.get("value") != "5" and value["@type"].startswith("optionValue"), "what was set is gone")
    tell(server, made, text(1))
    equal(server.shown(made["account"]), [], "what is shown")


@case("tdlib.ids", "groups and notifications are counted from 1, and shown in the order of their ids")
def counted(server, made):
    for number, chat in ((5, "555"), (6, "556"), (7, "555")):
        tell(server, made, text(number, chat) | {"date": str(now() - 10 + number)})
    found = sorted([one["group"], one["id"]] for one in server.shown(made["account"]))
    equal(found, [[1, 1], [1, 3], [2, 2]], "groups and ids")


@case("tdlib.ids", "the id of a notification is never used again, the id of a group of calls is")
def reused(server, made):
    places = []
    for number in (1, 2, 3):
        server.owner(made["account"], "call", id=number, chat=555 + number, state="pending")
        one = only(server, made)
        places.append([one["group"], one["id"]])
        server.owner(made["account"], "call", id=number, chat=555 + number, state="discarded")
    equal(places, [[1, 1], [1, 2], [1, 3]], "groups and ids of three calls")


add_story("tdlib.ids", "duplicates and out of order")
for probe in ("drop_notification_ids, restart, pushes", "drop_notification_ids, push, restart, pushes"):
    add_probe("tdlib.ids", f"probe: {probe}")


def real(server, made, number, chat=555, **more):
    if chat > 0:
        server.owner(made["account"], "chat", id=chat, title="Ann", kind="private")
    members = {"chat": chat, "id": number, "text": f"r{number}", "date": now() - 100, **more}
    return server.owner(made["account"], "message", **members)


@case("tdlib.new-message", "a message from the server is a NewMessage with everything in it")
def whole(server, made):
    real(server, made, 11)
    one = only(server, made)
    equal([one["type"], one["kind"], one["text"]], ["NewMessage", "Messages", "r11"], "it")


@case("tdlib.new-message", "one that mentions the user is in the group of mentions")
def whole_mention(server, made):
    chat = -1000000000088
    server.owner(made["account"], "chat", id=chat, title="Office", kind="supergroup")
    real(server, made, 11, chat, mention=True, sender=5)
    one = only(server, made)
    equal([one["type"], one["kind"]], ["NewMessage", "Mentions"], "it")


@case("tdlib.new-push-message", "a push is a NewPushMessage, until the message itself replaces it without a sound")
def replaced(server, made):
    tell(server, made, text(11))
    equal(only(server, made)["type"], "NewPushMessage", "before")
    server.rang(made["account"])
    real(server, made, 11)
    one = only(server, made)
    equal([one["type"], one["text"]], ["NewMessage", "r11"], "after")
    equal(server.rang(made["account"]), [], "sounds")


add_random("tdlib.new-push-message", "content")
for probe in ("numbers in arguments", "no sender in a basic group", "texts that TDLib cleans", "surrogates"):
    add_probe("tdlib.new-push-message", f"probe: {probe}")


@case("tdlib.new-secret-chat", "each new secret chat has its own group with one notification, which can be removed")
def secret_chats(server, made):
    for chat in (SECRET, SECRET + 1):
        server.owner(made["account"], "secret_chat", chat=chat)
    both = server.shown(made["account"])
    equal([one["total"] for one in both], [1, 1], "counts")
    expect(both[0]["group"] != both[1]["group"], "two groups")
    remove(server, made, both[0])
    equal([one["id"] for one in server.shown(made["account"])], [both[1]["id"]], "what is left")


@case("tdlib.new-call", "the group of a call can be used again by another chat")
def call_group(server, made):
    server.owner(made["account"], "call", id=1, chat=555, state="pending")
    first = only(server, made)
    equal([first["type"], first["kind"]], ["NewCall", "Calls"], "the first")
    server.owner(made["account"], "call", id=1, chat=555, state="discarded")
    server.owner(made["account"], "call", id=2, chat=556, state="pending")
    second = only(server, made)
    equal([second["group"], second["chat"]], [first["group"], 556], "group and chat of the second")


@case("tdlib.push-message-ids", "viewing a message known only by its push removes its notification")
def viewed(server, made):
    for number in (11, 12):
        tell(server, made, text(number))
    answer = ask(server, made, "viewMessages", chat_id=555, message_ids=[11 << 20], force_read=True)["answer"]
    equal([answer, texts(server, made)], [{"@type": "ok"}, ["Ann: m12"]], "what is left")


add_story("tdlib.push-message-ids", "viewMessages of a push message")
add_probe("tdlib.push-message-ids", "probe: viewing in chats of each kind")

# Updates


@case("tdlib.four-updates", "all four are sent, and no other about notifications")
def four(server, made):
    names = set()
    for content in (text(1), text(1, edit_date=str(now()))):
        names |= {update["@type"] for update in tell(server, made, content)["updates"]}
    known = {"updateNotificationGroup", "updateNotification", "updateHavePendingNotifications"}
    equal(sorted(name for name in names if "." not in name), sorted(known), "updates after the start")


@case("tdlib.start", "a client that starts gets everything shown at once")
def at_start(server, made):
    equal(server.shown(made["account"]), [], "before")
    for number, chat in ((1, "555"), (2, "556"), (3, "556")):
        tell(server, made, text(number, chat) | {"date": str(now() - 10 + number)})
    equal(texts(server, made), ["Ann: m2", "Ann: m3", "Ann: m1"], "newest group first")


add_story("tdlib.start", "restart without message database")
add_random("tdlib.start", "restart")
for name in RANDOM:
    if name.startswith("probe: ") and name.endswith(("then a restart", "a restart moves them")):
        if "scheduled" not in name and "disabled" not in name and "enabled" not in name:
            add_probe("tdlib.start", name)


@case("tdlib.group-update", "it names type, chat, chat of the settings, sound, count, added and removed")
def fields(server, made):
    option(server, made, "notification_group_size_max", 1)
    tell(server, made, text(1))
    update = groups_of(tell(server, made, text(2)))
    equal(len(update), 1, "updates, combined")
    update = update[0]
    equal(update["type"], {"@type": "notificationGroupTypeMessages"}, "type")
    equal([update["chat_id"], update["notification_settings_chat_id"]], [555, 555], "chats")
    expect(update["notification_sound_id"] != "0", "it has a sound")
    equal(update["total_count"], 2, "count, which is higher than what is shown")
    equal([one["id"] for one in update["added_notifications"]], [2], "added")
    equal(update["removed_notification_ids"], [1], "removed")


@case("tdlib.group-update", "the settings of a mention are those of its sender's private chat")
def settings_chat(server, made):
    update = groups_of(tell(server, made, in_group(1, mention="1")))[0]
    equal([update["chat_id"], update["notification_settings_chat_id"]], [-1000000000088, 5], "chats")


add_random("tdlib.group-update", "mix")
add_story("tdlib.group-update", "mute a chat that has notifications")
for probe in (
    "mute_for of more than a year and less",
    "equal dates, watched to the end",
    "a hidden notification with the newest date is removed (size 1)",
    "hidden ones with the newest date are removed (size 1, group)",
    "a hidden notification of a hidden group with the newest date is removed",
):
    add_probe("tdlib.group-update", f"probe: {probe}")


@case("tdlib.change", "a change of what is shown is one update, with the new content under the same id")
def changed(server, made):
    tell(server, made, text(1))
    answer = tell(server, made, message("MESSAGE_PHOTO", ["Ann"], custom=text(1, edit_date=str(now()))["custom"]))
    updates = updates_of(answer, "updateNotification")
    equal([[one["notification_group_id"], one["notification"]["id"]] for one in updates], [[1, 1]], "group and id")
    equal(updates[0]["notification"]["type"]["content"]["@type"], "pushMessageContentPhoto", "content")


@case("tdlib.change", "an edit of a whole message changes its notification")
def edit_of_message(server, made):
    real(server, made, 11)
    answer = server.owner(made["account"], "edit", chat=555, id=11, text="edited", date=now() - 100)
    equal(len(updates_of(answer, "updateNotification")), 1, "updates")
    equal(only(server, made)["text"], "edited", "text")


add_probe("tdlib.change", "probe: edited after the count was 0, then a restart")


@case("tdlib.pending", "while the user is at another device a message waits, the client is told, and closing shows it")
def delayed(server, made):
    server.owner(made["account"], "away", seconds=now() + 1000)
    answer = real(server, made, 11, date=now())
    pending = updates_of(answer, "updateHavePendingNotifications")
    equal([one["have_delayed_notifications"] for one in pending][-1:], [True], "told that something waits")
    equal(server.shown(made["account"]), [], "while it waits")
    server.owner(made["account"], "release")
    equal(only(server, made)["text"], "r11", "after the release")


@case("tdlib.pending", "while news are still to be fetched the client is told, and again when they are there")
def unreceived(server, made):
    told = []
    for active in (True, False):
        answer = server.owner(made["account"], "fetching", active=active)
        told += [one["have_unreceived_notifications"] for one in updates_of(answer, "updateHavePendingNotifications")]
    equal(told[-2:], [True, False], "have_unreceived_notifications")


add_story("tdlib.pending", "close flushes everything (count 2)")


@case("tdlib.pinned", "the message of a notification can be had, and an unknown one cannot")
def locally(server, made):
    real(server, made, 11)
    answer = ask(server, made, "getMessageLocally", chat_id=555, message_id=11 << 20)["answer"]
    equal(answer["content"]["text"]["text"], "r11", "text of the message")
    answer = ask(server, made, "getMessageLocally", chat_id=555, message_id=12 << 20)["answer"]
    equal([answer["@type"], answer["code"]], ["error", 404], "an unknown one")


@case("tdlib.pinned", "a change of the pinned message is told, although the notification is the same")
def pinned_change(server, made):
    chat = -1000000000088
    server.owner(made["account"], "chat", id=chat, title="Office", kind="supergroup")
    server.owner(made["account"], "pin", chat=chat, id=5, text="pinned", date=now() - 500)
    server.owner(made["account"], "pinned_notice", chat=chat, id=11, pinned=5, sender=5, date=now() - 100)
    before = only(server, made)
    equal(before["kind"], "Mentions", "group")
    answer = server.owner(made["account"], "pin", chat=chat, id=5, text="changed", date=now() - 500)
    equal([one["notification"]["id"] for one in updates_of(answer, "updateNotification")], [before["id"]], "updates")


# Options


def add_range(paragraph, name, low, high, default):
    @case(paragraph, f"{low} to {high} are taken, and others are refused in TDLib's words", TDLIB)
    def limits(server, made):
        for value in (low, high):
            equal(option(server, made, name, value), {"@type": "ok"}, f"{value}")
        for value in (low - 1, high + 1):
            words = f'Option\'s "{name}" value {value} is outside of the valid range [{low}, {high}]'
            equal(option(server, made, name, value), {"@type": "error", "code": 400, "message": words}, f"{value}")
        kept = ask(server, made, "getOption", name=name)["answer"]
        equal(kept, {"@type": "optionValueInteger", "value": str(high)}, "value after that")

    @case(paragraph, f"without the option it is {default}")
    def unset(server):
        pushes = [{"do": {"push": {"date": f"T+{number}", **text(number)}}} for number in range(1, 13)]
        options = {} if name.endswith("count_max") else {"notification_group_count_max": 5}
        setup = {
            "my_id": 777,
            "private_chats": [555],
            "basic_groups": [],
            "supergroups": [],
            "channels": [],
            "message_database": True,
        }
        steps = server.play({"name": "unset", "options": options, "setup": setup, "steps": pushes})
        equal(len(steps), 12, "answers")
        left = set()
        for step in steps:
            equal(step["result"], "ok", "answer")
            for update in groups_of(step):
                left |= {one["id"] for one in update["added_notifications"]}
                left -= set(update["removed_notification_ids"])
        equal(len(left), default, "notifications shown of twelve")


add_range("tdlib.count-option", "notification_group_count_max", 0, 25, 0)
add_range("tdlib.size-option", "notification_group_size_max", 1, 25, 10)
add_random("tdlib.count-option", "options")
add_probe("tdlib.count-option", "probe: options by name")
add_story("tdlib.size-option", "change notification_group_size_max at run time")


def switches(server, made, **members):
    return ask(server, made, "setChatNotificationSettings", chat_id=-1000000000088, notification_settings=members)


@case("tdlib.own-groups", "a chat can show its mentions and pins among the others, by its own settings")
def among(server, made):
    tell(server, made, in_group(1, mention="1"))
    equal(only(server, made)["kind"], "Mentions", "before")
    off = {"use_default_disable_mention_notifications": False, "disable_mention_notifications": True}
    equal(switches(server, made, **off)["answer"], {"@type": "ok"}, "setting it")
    update = groups_of(tell(server, made, in_group(2, mention="1")))[0]
    equal(update["type"]["@type"], "notificationGroupTypeMessages", "group after that")
    equal(update["notification_settings_chat_id"], -1000000000088, "chat of the settings")


@case("tdlib.own-groups", "so can all chats of a scope")
def scope(server, made):
    settings = {"@type": "scopeNotificationSettings", "disable_pinned_message_notifications": True}
    kind = {"@type": "notificationSettingsScopeGroupChats"}
    answer = ask(server, made, "setScopeNotificationSettings", scope=kind, notification_settings=settings)["answer"]
    equal(answer, {"@type": "ok"}, "setting it")
    kept = ask(server, made, "getScopeNotificationSettings", scope=kind)["answer"]
    equal(kept["disable_pinned_message_notifications"], True, "what is kept")
    pin = {"channel_id": "88", "chat_from_id": "5", "msg_id": "3"}
    tell(server, made, message("PINNED_NOTEXT", ["Ann", "Office"], custom=pin))
    equal(only(server, made)["kind"], "Messages", "group of a pin")


add_story("tdlib.own-groups", "scope settings")
add_story("tdlib.own-groups", "disable_mention_notifications switched on while mentions are shown")
add_random("tdlib.own-groups", "settings")
for name in RANDOM:
    if name.startswith("probe: ") and ("disabled" in name or "enabled" in name):
        add_probe("tdlib.own-groups", name)

# Pushes


@case("tdlib.receiver", "two accounts have two identifiers, which find them again")
def identifiers(server):
    found = []
    for user in (5001, 5002):
        made = server.register("telegram", user=user)
        token = {"@type": "deviceTokenFirebaseCloudMessaging", "token": "abc", "encrypt": False}
        answer = ask(server, made, "registerDevice", device_token=token)["answer"]
        equal(answer["@type"], "pushReceiverId", "answer")
        found.append(answer["id"])
        equal(server.receiver(json.dumps({"user_id": user})), {"id": answer["id"]}, "receiver of a push")
    expect(found[0] != found[1], "two identifiers")


def add_key(vector):
    def found(server):
        equal(server.receiver(vector["payload"]), vector["tdlib_receiver_id"], "receiver")

    add_case("tdlib.receiver", f"key of {vector['name']}", f"the key of: {vector['name']}", TDLIB, found)


for vector in VECTORS_OF_P:
    add_key(vector)


for name, row in RECEIVERS.items():
    if not name.startswith(("user_id", "duplicate user_id", "seed001")) and "abort" not in row:
        add_receiver("tdlib.receiver-id", row)


@case("tdlib.receiver-id", "a key with padding among its first letters is an error, and the next payload is answered")
def padded(server):
    for name in ("p '=' padding within first 12", "p '==' within first 12"):
        found = server.receiver(RECEIVERS[name]["payload"])
        expect("error" in found or found.get("id") == "0", "no receiver is made up")
        equal(server.receiver('{"user_id":42}'), {"id": "42"}, "the next one")


@case("tdlib.process", "it is answered after its updates, and what is malformed is an error other than 406")
def answers(server, made):
    asked = ask(server, made, "processPushNotification", payload=json.dumps({"data": text(1)}))
    equal(asked["answer"], {"@type": "ok"}, "answer")
    equal(len(groups_of(asked)), 1, "updates that came before the answer")
    for content in ('{"loc_key":"MESSAGE_TEXT"', '{"loc_args":["Ann"]}', "[]"):
        answer = ask(server, made, "processPushNotification", payload=content)["answer"]
        equal([answer["@type"], answer["code"]], ["error", 400], f"answer to {content}")
    equal(texts(server, made), ["Ann: m1"], "what is shown")


@case("tdlib.process", "what only the server can tell asks the client to fetch")
def fetch(server, made):
    content = {"loc_key": "READ_REACTION", "loc_args": [], "custom": {"from_id": "555"}}
    asked = ask(server, made, "processPushNotification", payload=json.dumps(content))
    equal(wanted(asked)["loc_key"], "READ_REACTION", "what asked for it")


add_story("tdlib.process", "payload validation")
add_story("tdlib.process", "push into a hidden group: when is it answered (count 1)")
add_random("tdlib.process", "odd")
for probe in (
    "requests that are wrong",
    "fields that are only checked",
    "json shapes",
    "channel ids at the limits",
    "message ids in MESSAGE_DELETED",
):
    add_probe("tdlib.process", f"probe: {probe}")
for row in PAYLOADS:
    if row["source"] == "service" and row["loc_key"] not in ("MESSAGE_DELETED", "READ_HISTORY", "MESSAGE_MUTED"):
        add_payload("tdlib.process", row)


@case("tdlib.encrypted", "an encrypted push is shown, and one in clear is not once encryption was asked for", MADE)
def encrypted(server):
    made = server.register("telegram", sealed=True)
    say(server, {name: value for name, value in made.items() if name != "secret"}, text(1))
    say(server, made, text(2))
    equal(texts(server, made), ["Ann: m2"], "what is shown")


@case("tdlib.encrypted", "a client that asks for it gets a key to register with, and payloads under it are shown", MADE)
def own_key(server):
    made = server.register("telegram", user=7001)
    token = {"@type": "deviceTokenFirebaseCloudMessaging", "token": "abc", "encrypt": True}
    asked = ask(server, made, "registerDevice", device_token=token)
    secret = decode(wanted(asked)["secret"])
    equal(len(secret), 256, "bytes of the key")
    payload = json.dumps({"p": mtproto(secret, json.dumps(text(1)).encode())})
    equal(server.receiver(payload), {"id": asked["answer"]["id"]}, "receiver of a payload under it")
    asked = ask(server, made, "processPushNotification", payload=payload)
    equal([asked["answer"], texts(server, made)], [{"@type": "ok"}, ["Ann: m1"]], "answer, and what is shown")


@case("tdlib.encrypted", "a push without content shows nothing, and asks the client to fetch")
def contentless(server, made):
    answer = tell(server, made, {})
    equal(server.shown(made["account"]), [], "what is shown")
    expect(wanted(answer)["reason"], "it says why")


@case("tdlib.payloads", "the first example: a wrapped text, with the sender's name")
def first_example(server, made):
    tell(server, made, payload("seed000 example 1 (WNS, data wrapper)"))
    one = only(server, made)
    expected = [12345678, "First name Last name", "First name Last name: qwerty"]
    equal([one["chat"], one["title"], one["text"]], expected, "chat, title and text")


@case("tdlib.payloads", "the second example: under a key that nobody has, so nothing is shown")
def second_example(server, made):
    content = {"google.sent_time": 1234567890123, "p": SECOND}
    # The number of its key is the first eight bytes.
    number = int.from_bytes(decode(SECOND[:12])[:8], "little", signed=True)
    equal(server.receiver(json.dumps(content)), {"id": str(number)}, "receiver")
    tell(server, made, content)
    equal(server.shown(made["account"]), [], "what is shown")


SECOND = "jdTXkJnEMUTK6R82AB-55bLA3U_RB-2K-CLDz7mWp7ckjMIfnCoHEcm710SkN"


@case("tdlib.payloads", "the third example: a mention in a supergroup, without a wrapper")
def third_example(server, made):
    tell(server, made, payload("seed000 example 3 (flat)"))
    one = only(server, made)
    expected = [-1000056781234, "Mentions", "First name Last name @ Chat title: qwerty"]
    equal([one["chat"], one["kind"], one["text"]], expected, "chat, group and text")


for name in ("seed000 example 1 (WNS, data wrapper)", "seed000 example 3 (flat)"):
    add_receiver("tdlib.payloads", RECEIVERS[name])


@case("tdlib.removing", "a removed notification does not come back, and is still counted")
def removed(server, made):
    for number in (1, 2):
        tell(server, made, text(number))
    equal(remove(server, made, server.shown(made["account"])[0])["answer"], {"@type": "ok"}, "answer")
    tell(server, made, text(1))
    tell(server, made, text(3))
    found = server.shown(made["account"])
    equal([one["text"] for one in found], ["Ann: m2", "Ann: m3"], "what is shown")
    equal(found[0]["total"], 3, "count")


@case("tdlib.removing", "a group is removed up to an id, and later messages are shown")
def removed_group(server, made):
    for number in (1, 2, 3):
        tell(server, made, text(number))
    ask(server, made, "removeNotificationGroup", notification_group_id=1, max_notification_id=2)
    equal(texts(server, made), ["Ann: m3"], "after the second")
    ask(server, made, "removeNotificationGroup", notification_group_id=1, max_notification_id=3)
    equal(texts(server, made), [], "after the third")
    tell(server, made, text(4))
    equal(texts(server, made), ["Ann: m4"], "the next message")


@case("tdlib.removing", "identifiers that cannot be are refused", TDLIB)
def refused(server, made):
    tell(server, made, text(1))
    answer = ask(server, made, "removeNotification", notification_group_id=0, notification_id=1)["answer"]
    equal([answer["code"], answer["message"]], [400, "Notification group identifier is invalid"], "group 0")
    answer = ask(server, made, "removeNotification", notification_group_id=1, notification_id=-1)["answer"]
    equal([answer["code"], answer["message"]], [400, "Notification identifier is invalid"], "notification -1")
    equal(texts(server, made), ["Ann: m1"], "what is shown")
