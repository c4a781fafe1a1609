"""Telegram: handling push notifications."""

import json
import time

from casebook import MADE, TDLIB, TEMPLATE, VECTORS, NotOffered, add_case, case, equal, expect
from kit.coding import decode, encode
from kit.sealing import mtproto, web_push
from recorded import PAYLOADS, add_payload, add_probe, add_random, add_receiver, add_story
from recorded import RECEIVERS as RECEIVER_ROWS

USER, GROUP, CHANNEL = 555, -77, -1000000000099


def message(key="MESSAGE_TEXT", args=("Ann", "hello"), **members):
    custom = members.pop("custom", None) or {"from_id": str(USER), "msg_id": "11"}
    return {"loc_key": key, "loc_args": list(args), "custom": custom, **members}


def say(server, made, content, encoding="aes128gcm"):
    """Pushes as Telegram's server does."""
    text = content if isinstance(content, bytes) else json.dumps(content).encode()
    if "secret" in made:
        text = json.dumps({"p": mtproto(bytes.fromhex(made["secret"]), text)}).encode()
    body, fields = web_push(made, text, encoding)
    equal(server.push(made["endpoint"], body, fields), {"status": 201}, "answer to the sender")


def texts(server, made):
    return [one["text"] for one in server.shown(made["account"])]


def only(server, made):
    shown = server.shown(made["account"])
    equal(len(shown), 1, "notifications shown")
    return shown[0]


def tell(server, made, content):
    """Gives a payload to the engine, and waits until it was processed."""
    return server.owner(made["account"], "process", payload=json.dumps(content))


def custom_of(server, made, key, args, custom, **members):
    tell(server, made, message(key, args, custom=custom, **members))
    return only(server, made)


def updates_of(answer, kind):
    return [update for update in answer["updates"] if update["@type"].endswith(kind)]


# Subscribing


@case("telegram.register", "a device is registered twice, and both times with the same token")
def again(server):
    made = server.register("telegram", callback=True)
    created = server.events(made["id"], 1)[0]
    equal(created["type"], "registration.created", "first event")
    parameters = created["data"]["register_device"]
    equal(parameters["token_type"], 10, "token_type")
    equal(parameters["token"], made["token"], "token")


@case("telegram.register", "the application is told to register again, at least once a day")
def daily(server, made):
    if "refresh_after" not in made:
        raise NotOffered("endpoints do not say for how long they are")
    expect(0 < made["refresh_after"] <= 86400, f"after {made['refresh_after']} seconds")


@case("telegram.register", "unregistering names the token, and ends the endpoint")
def unregister(server):
    made = server.register("telegram", callback=True)
    say(server, made, message())
    # A callback that has not been confirmed hears nothing of the end.
    equal([event["type"] for event in server.events(made["id"], 2)][1], "push.message", "second event")
    server.revoke(made["id"])
    event = server.events(made["id"], 1)[0]
    equal(event["type"], "registration.deleted", "last event")
    equal(event["data"]["unregister_device"]["token"], made["token"], "token to unregister")
    equal(server.push(made["endpoint"], b"x", {"Content-Encoding": "aes128gcm"})["status"], 410, "push after that")


@case("telegram.register", "a restart asks the application to register again")
def restart(server):
    made = server.register("telegram", callback=True)
    say(server, made, message())
    equal([event["type"] for event in server.events(made["id"], 2)][1], "push.message", "second event")
    server.restart()
    event = server.events(made["id"], 1)[0]
    equal(event["type"], "registration.refresh", "event after the start")
    equal(event["data"]["register_device"]["token"], made["token"], "token")


TOKENS = {
    1: ("ApplePush", {"device_token": "ab", "is_app_sandbox": False}),
    2: ("FirebaseCloudMessaging", {"token": "abc", "encrypt": False}),
    3: ("MicrosoftPush", {"channel_uri": "https://a.example/"}),
    4: ("SimplePush", {"endpoint": "https://a.example/"}),
    5: ("UbuntuPush", {"token": "abc"}),
    6: ("BlackBerryPush", {"token": "abc"}),
    8: ("WindowsPush", {"access_token": "https://a.example/"}),
    9: ("ApplePushVoIP", {"device_token": "ab", "is_app_sandbox": False, "encrypt": False}),
    10: ("WebPush", {"endpoint": "https://a.example/", "p256dh_base64url": "", "auth_base64url": ""}),
    11: ("MicrosoftPushVoIP", {"channel_uri": "https://a.example/"}),
    12: ("TizenPush", {"reg_id": "abc"}),
    13: ("HuaweiPush", {"token": "abc", "encrypt": False}),
}
POINT = "BCEkBjzL8Z3C-oi2Q7oE5t2Np-p7osjGLg93qUP0wvqRT21EEWyf0cQDQcakQMqz4hQKYOQ3il2nNZct4HgAUQU"


def add_token(number, name, members):
    if number == 10:
        members = {**members, "p256dh_base64url": POINT, "auth_base64url": "AAAAAAAAAAAAAAAAAAAAAA"}

    def taken(server):
        made = server.register("telegram", user=number)
        request = {"@type": "registerDevice", "device_token": {"@type": f"deviceToken{name}", **members}}
        asked = server.ask(made["account"], request)
        equal(asked["answer"].get("@type"), "pushReceiverId", "answer")
        wanted = [one for one in updates_of(asked, "updateFetchRequired") if one["reason"] == "register_device"]
        equal([one["token_type"] for one in wanted], [number], "token_type that the host is asked to register")
        refused = {**request, "device_token": {"@type": "deviceTokenUnheardOf"}}
        equal(server.ask(made["account"], refused)["answer"].get("@type"), "error", "answer to another token")

    add_case(f"telegram.type-{number}", "taken", f"registerDevice takes a token of type {number}", "TDLib's API", taken)


for number, (name, members) in TOKENS.items():
    add_token(number, name, members)


@case("telegram.type-7", "no token of TDLib's has type 7, so a host is never asked for one")
def other_types(server):
    made = server.register("telegram", user=7)
    asked = []
    for name, members in list(TOKENS.values())[:5]:
        request = {"@type": "registerDevice", "device_token": {"@type": f"deviceToken{name}", **members}}
        asked += updates_of(server.ask(made["account"], request), "updateFetchRequired")
    equal([one["token_type"] for one in asked], [1, 2, 3, 4, 5], "types")


@case("telegram.type-4", "each PUT with version=number is answered 2xx, and is one signal")
def signals(server):
    made = server.register("telegram", keys=False)
    equal(server.signals(made["id"]), 0, "signals before")
    for number in (7, 5, 5):
        answer = server.push(made["endpoint"], f"version={number}".encode(), method="PUT")
        expect(200 <= answer["status"] < 300, f"a PUT is answered {answer['status']}")
    equal(server.signals(made["id"]), 3, "signals, although the number goes back")


@case("telegram.type-4", "the token is the endpoint")
def simple_token(server):
    made = server.register("telegram", keys=False)
    expect(made["endpoint"].startswith("http") and made["token"] == made["endpoint"], "the token is an address")


@case("telegram.type-10", "a push to the token's keys is decrypted for the application", MADE)
def delivered(server, made):
    say(server, made, message())
    equal([json.loads(text) for text in server.received(made["id"])], [message()], "what the application gets")


@case("telegram.token", "the token is a JSON object with endpoint and keys, and nothing that a sender does not know")
def members_of_token(server):
    token = json.loads(server.register("telegram")["token"])
    equal(sorted(set(token) - {"vapid", "expirationTime"}), ["endpoint", "keys"], "members")


@case("telegram.endpoint", "the endpoint is an absolute address, and each one another")
def absolute(server):
    tokens = [json.loads(server.register("telegram")["token"]) for _ in range(2)]
    for token in tokens:
        expect(token["endpoint"].split(":")[0] in ("http", "https"), "the endpoint is absolute")
    expect(tokens[0]["endpoint"] != tokens[1]["endpoint"], "two endpoints differ")


@case("telegram.keys", "the keys are an object of two values, and the pair that decrypts", MADE)
def pair(server, made):
    equal(json.loads(made["token"])["keys"], {"p256dh": made["p256dh"], "auth": made["auth"]}, "keys")
    say(server, {**made, **json.loads(made["token"])["keys"]}, message())
    equal(len(server.received(made["id"])), 1, "payloads that were decrypted")


@case("telegram.p256dh", "the public key is an uncompressed point in base64url without padding")
def uncompressed(server):
    text = json.loads(server.register("telegram")["token"])["keys"]["p256dh"]
    expect(len(decode(text)) == 65 and decode(text)[0] == 4 and encode(decode(text)) == text, "65 bytes, the first 4")


@case("telegram.auth", "the secret has 16 bytes in base64url without padding")
def sixteen(server):
    text = json.loads(server.register("telegram")["token"])["keys"]["auth"]
    expect(len(decode(text)) == 16 and encode(decode(text)) == text, "16 bytes")


# Encryption


@case("telegram.secret", "a payload under the client's key is shown, and one in clear is not", MADE)
def sealed(server):
    made = server.register("telegram", sealed=True)
    equal(len(bytes.fromhex(made["secret"])), 256, "bytes of the key")
    say(server, {name: value for name, value in made.items() if name != "secret"}, message(args=("Ann", "in clear")))
    say(server, made, message(args=("Ann", "under the key")))
    equal(texts(server, made), ["Ann: under the key"], "what is shown")


VECTORS_OF_P = json.loads((VECTORS / "mtproto-push.json").read_text())["vectors"]


def add_vector(vector):
    def decrypted(server):
        made = server.register("telegram", user=777, secret=vector["auth_key"])
        body, fields = web_push(made, vector["payload"].encode())
        equal(server.push(made["endpoint"], body, fields), {"status": 201}, "answer to the sender")
        expected = [vector["plaintext"]] if vector["expect"] == "ok" else []
        say(server, {**made, "secret": vector["auth_key"]}, message())
        equal(server.received(made["id"]), [*expected, json.dumps(message())], "what the application gets")

    add_case("telegram.p", vector["name"], vector["name"], TDLIB, decrypted)


for vector in VECTORS_OF_P:
    # TDLib is not strict about one of them, so the recording decides nothing.
    if "note" not in vector:
        add_vector(vector)


def broken(made, change):
    """A payload under the key, with one security check that must fail."""
    text = json.dumps(message(args=("Eve", "forged"))).encode()
    data = bytearray(decode(mtproto(bytes.fromhex(made["secret"]), text)))
    return json.dumps({"p": encode(bytes(change(data)))}).encode()


def flipped(place):
    def change(data):
        data[place] ^= 1
        return data

    return change


CHECKS = {
    "another key": flipped(0),
    "another message key": flipped(8),
    "another first block": flipped(24),
    "another last block": flipped(-1),
    "cut by a byte": lambda data: data[:-1],
    "cut by a block": lambda data: data[:-16],
    "only a head": lambda data: data[:24],
    "nothing": lambda data: b"",
    "a block more": lambda data: data + bytes(16),
}


def add_check(name, change):
    def refused(server):
        made = server.register("telegram", sealed=True)
        open_parts = {part: value for part, value in made.items() if part != "secret"}
        body, fields = web_push(open_parts, broken(made, change))
        expect(server.push(made["endpoint"], body, fields)["status"] == 201, "the sender learns nothing")
        say(server, made, message())
        equal(texts(server, made), ["Ann: hello"], "what is shown")

    add_case("telegram.p", name, f"a payload with {name} is not shown, and the next one is", MADE, refused)


for name, change in CHECKS.items():
    add_check(name, change)


@case("telegram.p", "a text of any length around the blocks is decrypted", MADE)
def lengths(server):
    made = server.register("telegram", sealed=True)
    for extra in range(17):
        say(server, made, message(args=("Ann", "x" * extra), custom={"from_id": "555", "msg_id": str(100 + extra)}))
    equal([len(text) for text in texts(server, made)][-5:], [len("Ann: ") + extra for extra in range(12, 17)], "texts")


for encoding in ("aes128gcm", "aesgcm"):

    def both(server, encoding=encoding):
        made = server.register("telegram")
        say(server, made, message(args=("Ann", encoding)), encoding)
        equal(texts(server, made), [f"Ann: {encoding}"], "what is shown")

    add_case("telegram.web-push", encoding, f"a payload in {encoding} is shown", MADE, both)


for encoding in ("aes128gcm", "aesgcm"):

    def taken(server, encoding=encoding):
        made = server.register("telegram")
        content = message(args=("Ann", f"ü {encoding}"))
        say(server, made, content, encoding)
        equal([json.loads(text) for text in server.received(made["id"])], [content], "what the application gets")

    add_case("telegram.web-push", f"{encoding} taken", f"a payload in {encoding} reaches the application", MADE, taken)


@case("telegram.web-push", "a payload for other keys is not shown", MADE)
def other_keys(server):
    made, other = server.register("telegram"), server.register("telegram")
    body, fields = web_push(other, json.dumps(message(args=("Eve", "not yours"))).encode())
    server.push(made["endpoint"], body, fields)
    say(server, made, message())
    equal(texts(server, made), ["Ann: hello"], "what is shown")


# Structure


@case("telegram.structure", "a payload is the object itself, or within data, in clear or encrypted", MADE)
def wrapped(server):
    for sealed_too in (False, True):
        made = server.register("telegram", sealed=sealed_too)
        say(server, made, message(args=("Ann", "flat")))
        say(server, made, {"data": message(args=("Ann", "wrapped"), custom={"from_id": "555", "msg_id": "12"})})
        equal(texts(server, made), ["Ann: flat", "Ann: wrapped"], "what is shown")


@case("telegram.example", "the example is shown by its sentence, once its last comma is gone")
def printed(server):
    text = RECEIVER_ROWS["seed001 structure, literal with trailing comma"]["payload"]
    head, _, tail = text.rpartition(",")
    made = server.register("telegram", user=14124122)
    say(server, made, (head + tail).encode())
    shown = only(server, made)
    equal(shown["text"], "John Doe shared a contact Contact Exchange in the group My magical group", "sentence")
    equal(shown["chat"], -241233, "chat")
    equal(shown["sound"], "sound1.mp3", "sound")


add_receiver("telegram.example", RECEIVER_ROWS["seed001 structure, literal with trailing comma"])
add_receiver("telegram.example", RECEIVER_ROWS["seed001 structure, data unwrapped"])


@case("telegram.loc-key", "the key decides what is said")
def keys(server, made):
    for number, key in enumerate(("MESSAGE_PHOTO", "MESSAGE_VIDEO", "MESSAGE_ROUND")):
        tell(server, made, message(key, ["Ann"], custom={"from_id": "555", "msg_id": str(number + 1)}))
    expected = ["Ann sent you a photo", "Ann sent you a video", "Ann sent you a video message"]
    equal(texts(server, made), expected, "sentences")


@case("telegram.loc-args", "arguments are put in their places, also out of order")
def places(server, made):
    custom = {"chat_id": "77", "chat_from_id": "5", "msg_id": "1"}
    shown = custom_of(server, made, "CHAT_REACT_TEXT", ["Ann", "Office", "😀", "see you"], custom)
    equal(shown["text"], 'Ann: 😀 in Office to your "see you"', "sentence")


@case("telegram.loc-args", "an argument that looks like a place stays as it is")
def nested(server, made):
    equal(custom_of(server, made, "MESSAGE_TEXT", ["{2}", "{1}"], None)["text"], "{2}: {1}", "sentence")


@case("telegram.custom", "the application gets what custom says when the notification is opened")
def data(server, made):
    shown = custom_of(server, made, "MESSAGE_TEXT", ["Ann", "x"], {"from_id": "555", "msg_id": "9", "own": "value"})
    equal(shown["data"], {"from_id": "555", "msg_id": "9", "own": "value"}, "data")


@case("telegram.attachb64", "what is no serialised object is an error of the payload", TDLIB)
def damaged(server, made):
    custom = {"from_id": "555", "msg_id": "1", "attachb64": "AA"}
    answer = tell(server, made, message("MESSAGE_PHOTO", ["Ann"], custom=custom))["answer"]
    equal(answer.get("code"), 400, "error")
    del custom["attachb64"]
    equal(custom_of(server, made, "MESSAGE_PHOTO", ["Ann"], custom)["text"], "Ann sent you a photo", "without it")


for probe in ("attachments with every key", "attachments of pins", "base64 of attachments"):
    add_probe("telegram.attachb64", f"probe: {probe}")


def call(server, made, **custom):
    custom = {"from_id": "555", **custom}
    return tell(server, made, message("PHONE_CALL_REQUEST", ["Ann"], custom=custom))


def wanted(answer):
    found = updates_of(answer, "updateFetchRequired")
    equal(len(found), 1, "requests to fetch")
    return found[0]


def add_call_member(paragraph, name, value):
    def passed_on(server, made):
        asked = wanted(call(server, made, **{name: value}))
        equal(asked["loc_key"], "PHONE_CALL_REQUEST", "key")
        equal(asked.get(name), value, f"{name} that the client gets")
        equal([one["kind"] for one in server.shown(made["account"])], ["Calls"], "groups shown")

    add_case(paragraph, "passed on", f"the client gets {name} of a call, with its value", "the paragraph", passed_on)


add_call_member("telegram.updates", "updates", encode(b"serialised updates of a call"))
add_call_member("telegram.call-id", "call_id", "7000000000000000001")
add_call_member("telegram.call-ah", "call_ah", "-7000000000000000002")


def add_secret_key(key):
    def chat(server, made):
        custom = {"encryption_id": "42", "random_id": "4242", "from_id": "555"}
        asked = wanted(tell(server, made, message(key, [], custom=custom)))
        equal(asked["loc_key"], key, "key")
        equal(only(server, made)["text"], "You have a new message", "sentence")

    add_case("telegram.encryption-id", key, f"{key} is shown without content, and fetched", TEMPLATE, chat)


for key in ("ENCRYPTION_REQUEST", "ENCRYPTION_ACCEPT", "ENCRYPTED_MESSAGE"):
    add_secret_key(key)


@case("telegram.random-id", "the same encrypted message is shown once, and another one beside it")
def once(server, made):
    for number in ("1", "1", "2"):
        tell(server, made, message("ENCRYPTED_MESSAGE", [], custom={"encryption_id": "42", "random_id": number}))
    equal(texts(server, made), ["You have a new message"] * 2, "what is shown for two messages")


@case("telegram.contact-id", "the notification is in the chat with the person who joined")
def joined(server, made):
    shown = custom_of(server, made, "CONTACT_JOINED", ["Bea"], {"contact_id": "9000"})
    equal([shown["chat"], shown["text"]], [9000, "Bea joined Telegram!"], "chat and sentence")


@case("telegram.msg-id", "the message has that id, and is shown once")
def same_message(server, made):
    for text in ("first", "again"):
        tell(server, made, message(args=("Ann", text), custom={"from_id": "555", "msg_id": "31"}))
    shown = only(server, made)
    equal(shown["text"], "Ann: first", "text")
    tell(server, made, {"loc_key": "MESSAGE_DELETED", "custom": {"from_id": "555", "messages": "31"}})
    equal(server.shown(made["account"]), [], "after its deletion")


def add_chat(paragraph, custom, key, args, chat):
    def there(server, made):
        equal(custom_of(server, made, key, args, {**custom, "msg_id": "3"})["chat"], chat, "chat")
        # One chat is one group, so a second message joins it.
        tell(server, made, message(key, args, custom={**custom, "msg_id": "4"}))
        equal([one["total"] for one in server.shown(made["account"])], [2, 2], "count of its group")

    add_case(paragraph, "chat", f"the chat of {key} is the one that the payload names", "the paragraph", there)


add_chat("telegram.channel-id", {"channel_id": "99"}, "CHANNEL_MESSAGE_TEXT", ["News", "x"], CHANNEL)
add_chat("telegram.chat-id", {"chat_id": "77"}, "CHAT_MESSAGE_TEXT", ["Ann", "Office", "x"], GROUP)
add_chat("telegram.from-id", {"from_id": "555"}, "MESSAGE_TEXT", ["Ann", "x"], USER)


def sender_of(server, custom):
    made = server.register("telegram")
    custom = {"channel_id": "88", "msg_id": "1", **custom}
    answer = tell(server, made, message("CHAT_MESSAGE_TEXT", ["Ann", "Office", "x"], custom=custom))
    groups = updates_of(answer, "updateNotificationGroup")
    return groups[0]["added_notifications"][0]["type"]["sender_id"]


SENDERS = {
    "telegram.chat-from-broadcast-id": (
        {"chat_from_broadcast_id": "99", "chat_from_id": "5"},
        {"@type": "messageSenderChat", "chat_id": CHANNEL},
    ),
    "telegram.chat-from-group-id": (
        {"chat_from_group_id": "66", "chat_from_id": "5"},
        {"@type": "messageSenderChat", "chat_id": -1000000000066},
    ),
    "telegram.chat-from-id": ({"chat_from_id": "5"}, {"@type": "messageSenderUser", "user_id": 5}),
}
for paragraph, (custom, sender) in SENDERS.items():

    def author(server, custom=custom, sender=sender):
        equal(sender_of(server, custom), sender, "sender")

    add_case(paragraph, "sender", "the sender is the one that counts", "the paragraph", author)


@case("telegram.mention", "a mention is in the group of mentions, a message beside it is not")
def mentioned(server, made):
    custom = {"channel_id": "88", "chat_from_id": "5"}
    for number, more in ((1, {}), (2, {"mention": "1"})):
        content = message("CHAT_MESSAGE_TEXT", ["Ann", "Office", "x"], custom={**custom, **more, "msg_id": str(number)})
        tell(server, made, content)
    equal(sorted(one["kind"] for one in server.shown(made["account"])), ["Mentions", "Messages"], "groups")


@case("telegram.silent", "a silent message is shown without a sound, the next one with it")
def quiet(server, made):
    tell(server, made, message(args=("Ann", "psst"), custom={"from_id": "555", "msg_id": "1", "silent": "1"}))
    equal(server.rang(made["account"]), [], "sounds of the silent one")
    tell(server, made, message(args=("Ann", "hey"), custom={"from_id": "555", "msg_id": "2"}))
    equal(server.rang(made["account"]), ["Ann: hey"], "sounds of the other")
    equal(texts(server, made), ["Ann: psst", "Ann: hey"], "what is shown")


@case("telegram.schedule", "a scheduled message of a group counts as the user's own, another one does not")
def scheduled(server):
    own = []
    for more in ({}, {"schedule": "1"}):
        made = server.register("telegram")
        content = message("CHAT_MESSAGE_TEXT", ["Me", "Office", "x"], custom={"chat_id": "77", "msg_id": "1", **more})
        groups = updates_of(tell(server, made, content), "updateNotificationGroup")
        own.append(groups[0]["added_notifications"][0]["type"]["is_outgoing"])
    equal(own, [False, True], "is_outgoing")


add_probe("telegram.schedule", "probe: own chat, scheduled and sent")
add_probe("telegram.schedule", "probe: scheduled shown, then the option, then a restart")
add_story("telegram.edit-date", "edits")
add_probe("telegram.edit-date", "probe: edits of every kind of chat")


@case("telegram.edit-date", "an edit changes the text in its place, without a sound")
def edited(server, made):
    tell(server, made, message(args=("Ann", "helo")))
    before = only(server, made)
    server.rang(made["account"])
    custom = {"from_id": "555", "msg_id": "11", "edit_date": str(int(time.time()))}
    tell(server, made, message(args=("Ann", "hello!"), custom=custom))
    after = only(server, made)
    equal([after["id"], after["text"]], [before["id"], "Ann: hello!"], "id and text")
    equal(server.rang(made["account"]), [], "sounds")


@case("telegram.top-msg-id", "a mention names its thread")
def thread(server, made):
    custom = {"channel_id": "88", "chat_from_id": "5", "msg_id": "9", "mention": "1", "top_msg_id": "7"}
    answer = tell(server, made, message("CHAT_MESSAGE_TEXT", ["Ann", "Office", "x"], custom=custom))
    one = updates_of(answer, "updateNotificationGroup")[0]["added_notifications"][0]["type"]
    threads = [value for name, value in one.items() if "thread" in name]
    equal(threads, [7 << 20], "thread, as TDLib counts messages")


@case("telegram.sound", "the name of the file is passed on, without folders")
def file_name(server, made):
    tell(server, made, message(sound="sound1.mp3"))
    equal(only(server, made)["sound"], "sound1.mp3", "sound")
    tell(server, made, message(sound="/etc/passwd", custom={"from_id": "555", "msg_id": "12"}))
    expect("/" not in (server.shown(made["account"])[1]["sound"] or ""), "a path is not passed on")


@case("telegram.user-id", "a payload for another user of the client goes to that account", MADE)
def users(server):
    home, work = server.register("telegram", user=1001, others=[1002]), server.register("telegram", user=1002)
    say(server, home, message(args=("Ann", "to work"), user_id="1002"))
    say(server, home, message(args=("Ann", "to home"), user_id=1001))
    say(server, home, message(args=("Ann", "to nobody"), user_id="1003"))
    equal([texts(server, home), texts(server, work)], [["Ann: to home"], ["Ann: to work"]], "what each shows")


add_story("telegram.user-id", "addressing: user_id, unknown chats, senders, schedule, self")
for name, row in RECEIVER_ROWS.items():
    if name.startswith(("user_id", "duplicate user_id")) and "abort" not in row:
        add_receiver("telegram.user-id", row)


@case("telegram.announcement", "its text is shown as a message of the service, with a sound")
def announced(server, made):
    content = {"loc_key": "MESSAGE_ANNOUNCEMENT", "loc_args": [], "custom": {"announcement": "77"}}
    tell(server, made, {**content, "announcement": "A new version is out"})
    shown = only(server, made)
    equal(shown["text"], "A new version is out", "text")
    equal(server.rang(made["account"]), ["A new version is out"], "sounds")


@case("telegram.processing", "an unknown user or chat is shown by the arguments' names")
def introduced(server, made):
    custom = {"chat_id": "4711", "chat_from_id": "815", "msg_id": "1"}
    shown = custom_of(server, made, "CHAT_MESSAGE_TEXT", ["Ann", "Office", "hello"], custom)
    equal([shown["title"], shown["text"]], ["Office", "Ann @ Office: hello"], "title and text")


@case("telegram.processing", "what the client knows already is enough, where an argument is missing")
def known(server, made):
    server.owner(made["account"], "chat", id=-4711, title="The office", kind="basic_group")
    custom = {"chat_id": "4711", "chat_from_id": "815", "msg_id": "1"}
    equal(custom_of(server, made, "CHAT_MESSAGE_NOTEXT", ["Ann"], custom)["title"], "The office", "title")


# Service notifications


def two_messages(server, **terms):
    made = server.register("telegram", **terms)
    for number in (11, 12):
        say(server, made, message(args=("Ann", str(number)), custom={"from_id": "555", "msg_id": str(number)}))
    equal(texts(server, made), ["Ann: 11", "Ann: 12"], "two messages")
    return made


@case("telegram.DC_UPDATE", "the client gets the address, and for the first center loads its configuration", MADE)
def center(server):
    made = server.register("telegram", sealed=True)
    for number in ("1", "4"):
        say(server, made, {"loc_key": "DC_UPDATE", "custom": {"dc": number, "addr": "111.112.113.114:443"}})
    told = updates_of(server.ask(made["account"], COUNT), "updateDcOption")
    expected = [[1, "111.112.113.114:443", True], [4, "111.112.113.114:443", False]]
    equal([[one["dc"], one["address"], one["get_config"]] for one in told], expected, "data centers")


COUNT = {"@type": "getOption", "name": "notification_group_count_max"}


@case("telegram.MESSAGE_DELETED", "several ids of one chat are removed, others stay", MADE)
def deleted(server):
    made = two_messages(server)
    say(server, made, message(args=("Ann", "13"), custom={"from_id": "555", "msg_id": "13"}))
    say(server, made, {"loc_key": "MESSAGE_DELETED", "custom": {"from_id": "555", "messages": "11,13"}})
    equal(texts(server, made), ["Ann: 12"], "what is left")


@case("telegram.MESSAGE_DELETED", "ids of other chats stay, in groups and channels too", MADE)
def other_chats(server, made):
    chats = ({"channel_id": "99"}, {"chat_id": "77", "chat_from_id": "5"})
    for custom, key, args in zip(
        chats, ("CHANNEL_MESSAGE_NOTEXT", "CHAT_MESSAGE_NOTEXT"), (["News"], ["Ann", "Office"])
    ):
        say(server, made, message(key, args, custom={**custom, "msg_id": "5"}))
    say(server, made, {"loc_key": "MESSAGE_DELETED", "custom": {"from_id": "555", "messages": "5"}})
    equal(len(texts(server, made)), 2, "notifications after a deletion elsewhere")
    say(server, made, {"loc_key": "MESSAGE_DELETED", "custom": {"channel_id": "99", "messages": "5"}})
    equal(texts(server, made), ["Ann sent a message to the group Office"], "after the channel's")
    say(server, made, {"loc_key": "MESSAGE_DELETED", "custom": {"chat_id": "77", "messages": "5"}})
    equal(texts(server, made), [], "after the group's")


add_story("telegram.MESSAGE_DELETED", "MESSAGE_DELETED")


@case("telegram.READ_HISTORY", "messages up to the id are removed, and later ones stay", MADE)
def read(server):
    made = two_messages(server)
    say(server, made, {"loc_key": "READ_HISTORY", "custom": {"from_id": "555", "max_id": "11"}})
    equal(texts(server, made), ["Ann: 12"], "what is left")


@case("telegram.READ_HISTORY", "so it is in groups and channels, and other chats stay", MADE)
def read_elsewhere(server, made):
    for number in ("5", "6"):
        say(
            server,
            made,
            message("CHANNEL_MESSAGE_TEXT", ["News", number], custom={"channel_id": "99", "msg_id": number}),
        )
        custom = {"chat_id": "77", "chat_from_id": "5", "msg_id": number}
        say(server, made, message("CHAT_MESSAGE_TEXT", ["Ann", "Office", number], custom=custom))
    say(server, made, {"loc_key": "READ_HISTORY", "custom": {"channel_id": "99", "max_id": "5"}})
    equal(sorted(texts(server, made)), ["Ann @ Office: 5", "Ann @ Office: 6", "News: 6"], "after the channel's")
    say(server, made, {"loc_key": "READ_HISTORY", "custom": {"chat_id": "77", "max_id": "6"}})
    equal(texts(server, made), ["News: 6"], "after the group's")


add_story("telegram.READ_HISTORY", "READ_HISTORY")
add_story("telegram.READ_HISTORY", "READ_HISTORY in a chat that is in the chat list (size 2)")
add_random("telegram.READ_HISTORY", "read")


@case("telegram.GEO_LIVE_PENDING", "the client is told, and nothing is shown")
def locations(server, made):
    answer = tell(server, made, {"loc_key": "GEO_LIVE_PENDING", "custom": {}})
    equal(len(updates_of(answer, "updateLiveLocationsNeeded")), 1, "updates")
    equal(server.shown(made["account"]), [], "what is shown")


@case("telegram.SESSION_REVOKE", "an encrypted one ends the session: nothing is shown, and the endpoint ends", MADE)
def revoked(server):
    made = two_messages(server, sealed=True, callback=True)
    say(server, made, {"loc_key": "SESSION_REVOKE", "date": int(time.time())})
    equal([event["type"] for event in server.events(made["id"], 5)][4], "session.revoked", "last event")
    equal(server.push(made["endpoint"], b"x", {"Content-Encoding": "aes128gcm"})["status"], 410, "push after that")


@case("telegram.SESSION_REVOKE", "one without the client's key does nothing", MADE)
def not_revoked(server):
    made = two_messages(server)
    say(server, made, {"loc_key": "SESSION_REVOKE", "date": int(time.time())})
    equal(texts(server, made), ["Ann: 11", "Ann: 12"], "what is shown")


@case("telegram.SESSION_REVOKE", "one for another user does nothing", MADE)
def other_user(server):
    made = two_messages(server, sealed=True, user=8001)
    say(server, made, {"loc_key": "SESSION_REVOKE", "user_id": 8002, "date": int(time.time())})
    say(server, made, message(args=("Ann", "13"), custom={"from_id": "555", "msg_id": "13"}, user_id=8001))
    equal(texts(server, made), ["Ann: 11", "Ann: 12", "Ann: 13"], "what is shown")


@case("telegram.MESSAGE_MUTED", "the badge changes, the client may fetch, and nothing is shown or heard")
def muted(server, made):
    answer = tell(server, made, {"loc_key": "MESSAGE_MUTED", "badge": "17", "custom": {"from_id": "555"}})
    equal(server.badge(made["account"])["count"], 17, "badge")
    equal(wanted(answer)["loc_key"], "MESSAGE_MUTED", "reason to fetch")
    equal(server.shown(made["account"]), [], "what is shown")


@case("telegram.MESSAGE_ANNOUNCEMENT", "it needs nothing but the push, and the same one is shown once")
def announcement_once(server, made):
    content = {"loc_key": "MESSAGE_ANNOUNCEMENT", "announcement": "Hello", "custom": {"announcement": "5"}}
    for _ in range(2):
        answer = tell(server, made, content)
        equal(updates_of(answer, "updateFetchRequired"), [], "requests to fetch")
    equal(texts(server, made), ["Hello"], "what is shown")


# The table of sentences


def chat_of(key, names):
    if key.startswith(("CHAT_", "CHANNEL_")) or {"Group name", "Chat name"} & set(names):
        return {"channel_id": "99"} if key.startswith("CHANNEL_") else {"chat_id": "77", "chat_from_id": "5"}
    return {"encryption_id": "42", "random_id": "1"} if key.startswith("ENCRYPT") else {"from_id": "555"}


def add_row(paragraph, key, template, names):
    """The sentence, with arguments that occur nowhere else."""
    counts = ("Number", "Score", "Duration")
    args = [str(70 + place) if name.startswith(counts) else f"«{name}»" for place, name in enumerate(names, 1)]
    sentence = template.partition(" (comment:")[0]
    for place, arg in enumerate(args, 1):
        sentence = sentence.replace(f"{{{place}}}", arg)

    def said(server, made):
        custom = chat_of(key, names)
        tell(server, made, message(key, args, custom=custom if "random_id" in custom else {**custom, "msg_id": "1"}))
        shown = only(server, made)
        if shown["type"] == "NewCall":
            equal(shown["kind"], "Calls", "group of a call")
            return
        # A bar separates title and body.
        equal(shown["text"], sentence.rpartition("|")[2], "sentence")

    add_case(paragraph, "sentence", f"{key} is shown by its sentence", TEMPLATE, said)


def paragraphs_of_rows():
    seen, rows = {}, (VECTORS / "telegram-loc-keys.tsv").read_text().splitlines()
    for key, template, names in (row.split("\t") for row in rows):
        again = key in seen
        seen[key] = True
        yield f"telegram.row-{key}" + ("-in-a-group" if again else ""), key, template, names.split(";") if names else []


ROWS = list(paragraphs_of_rows())
for row in ROWS:
    add_row(*row)
for row in PAYLOADS:
    fitting = [place for place, key, _, names in ROWS if key == row["loc_key"] and names == row.get("arg_names")]
    if row["source"] == "seed" and fitting:
        add_payload(fitting[0], row)
    elif row["source"] == "service" and row["loc_key"] in ("MESSAGE_DELETED", "READ_HISTORY", "MESSAGE_MUTED"):
        add_payload(f"telegram.{row['loc_key']}", row)
    elif row["source"] != "service":
        add_payload("telegram.loc-key", row)
