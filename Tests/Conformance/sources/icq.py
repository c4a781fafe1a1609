"""ICQ for iOS 2.6."""

import json
import time

from casebook import case, equal, expect

ALL = "applePushNotification"


def push(server, made, key, args, badge=None, **more):
    alert = {"loc-key": key, "loc-args": list(args)}
    aps = {"alert": alert, "sound": "eventSound_ReceiveIm.wav", **({} if badge is None else {"badge": badge}), **more}
    raw(server, made, json.dumps({"aps": aps}))


def raw(server, made, text):
    equal(server.push(made["endpoint"], text.encode()), {"status": 201}, "answer to the sender")


def message(server, made, text="some text", sender="111111", badge=1):
    push(server, made, "IM2", [sender, "222222", text], badge)


def request(server, made, sender="333333", badge=1):
    push(server, made, "AR1", ["222222", sender, "nick", "John", "Johnson"], badge)


def seen(server, made):
    return [one["text"] for one in server.shown(made["account"])]


def only(server, made):
    shown = server.shown(made["account"])
    equal(len(shown), 1, "notifications shown")
    return shown[0]


@case("icq.events", "a message and a request for authorization are two conversations, and look different")
def two_kinds(server, made):
    message(server, made)
    request(server, made, sender="111111")
    one, two = server.shown(made["account"])
    expect(one["group"] != two["group"] and one["text"] != two["text"], "they are told apart")


@case("icq.online", "a subscriber counts as online, although no client runs")
def online(server, made):
    equal(server.presence(made["id"])["online"], True, "online")


@case("icq.online", "until the time without activity has passed; then nothing is shown")
def until(server):
    made = server.register("icq", mode=ALL, timeout=3)
    message(server, made, "in time")
    equal([seen(server, made), server.presence(made["id"])["online"]], [["in time"], True], "in time")
    time.sleep(3.3)
    # Whoever looks at the screen is there again, so this comes first.
    equal(server.presence(made["id"])["online"], False, "later")
    message(server, made, "too late")
    equal(seen(server, made), ["in time"], "what is shown later")


@case("icq.undelivered", "messages that were shown stay undelivered, until the first client takes them")
def stays(server, made):
    message(server, made, "one")
    message(server, made, "two")
    equal(seen(server, made), ["one", "two"], "what is shown")
    taken = server.received(made["id"])
    equal([json.loads(text)["aps"]["alert"]["loc-args"][2] for text in taken], ["one", "two"], "what the first gets")
    equal(server.received(made["id"]), [], "what the second gets")


@case("icq.undelivered", "another client takes this one offline, and nothing rings here")
def other_client(server, made):
    message(server, made, "before")
    equal(server.rang(made["account"]), ["before"], "sounds before")
    server.other_client(made["id"], False)
    equal(server.presence(made["id"])["online"], False, "online with another client")
    message(server, made, "meanwhile")
    equal(server.rang(made["account"]), [], "sounds with another client")
    equal(len(server.received(made["id"])), 2, "messages that are still to be delivered")


@case("icq.mobile", "a session can say that it is mobile")
def mobile(server, made):
    server.other_client(made["id"], True)
    equal(server.presence(made["id"]), {"online": False, "mobile": True}, "what others see")


@case("icq.mobile-icon", "others see whether the client is mobile, and its change")
def icon(server, made):
    found = []
    for answer in (True, False):
        server.other_client(made["id"], answer)
        found.append(server.presence(made["id"])["mobile"])
    equal(found, [True, False], "mobile")


@case("icq.notify-mode", "without a mode nothing is shown, and messages wait all the same")
def default_mode(server):
    made = server.register("icq")
    message(server, made)
    equal(seen(server, made), [], "what is shown")
    equal(len(server.received(made["id"])), 1, "what waits")


@case("icq.sound", "the session's sound is that of pushes that name none")
def sound(server):
    made = server.register("icq", mode=ALL, presentation={"sound": "uh-oh"})
    raw(server, made, '{"aps":{"alert":{"loc-key":"IM2","loc-args":["1","2","x"]}}}')
    equal(only(server, made)["sound"], "uh-oh", "sound")


@case("icq.sound", "a push's own sound counts more")
def own_sound(server):
    made = server.register("icq", mode=ALL, presentation={"sound": "uh-oh"})
    message(server, made)
    equal(only(server, made)["sound"], "eventSound_ReceiveIm.wav", "sound")


@case("icq.loc-key", "the session's sentence is used, with the fields in their places")
def sentence(server):
    made = server.register(
        "icq", mode=ALL, presentation={"loc_key": "{1} wrote: {2}", "loc_args": ["srcId", "message"]}
    )
    message(server, made, "hello", sender="111111")
    equal(only(server, made)["text"], "111111 wrote: hello", "text")


@case("icq.action-key", "the session's label is that of the default action")
def label(server):
    made = server.register("icq", mode=ALL, presentation={"action_loc_key": "Answer"})
    message(server, made)
    equal(only(server, made)["action"], "Answer", "label")


@case("icq.action-key", "a push's own label counts more")
def own_label(server):
    made = server.register("icq", mode=ALL, presentation={"action_loc_key": "Answer"})
    alert = {"loc-key": "IM2", "loc-args": ["1", "2", "x"], "action-loc-key": "Read"}
    raw(server, made, json.dumps({"aps": {"alert": alert}}))
    equal(only(server, made)["action"], "Read", "label")


@case("icq.badge", "the badge is the newest number, and a session can do without")
def badge(server, made):
    for number in (1, 5, 3):
        message(server, made, f"m{number}", badge=number)
        equal(server.badge(made["account"])["count"], number, f"badge after {number}")
    without = server.register("icq", mode=ALL, presentation={"badge": False})
    message(server, without, badge=7)
    equal([seen(server, without), server.badge(without["account"])], [["some text"], None], "without")


@case("icq.loc-args", "each of the five fields can be in the sentence")
def five(server):
    fields = ["srcName", "srcId", "destName", "timestamp", "message"]
    made = server.register("icq", mode=ALL, presentation={"loc_key": "{1}|{2}|{3}|{4}|{5}", "loc_args": fields})
    message(server, made, "hello", sender="111111")
    found = only(server, made)["text"].split("|")
    equal([len(found), found[1], found[2], found[4]], [5, "111111", "222222", "hello"], "fields")
    expect(found[3], "the time is filled in")


@case("icq.timeout", "sessions end after the time that each of them names")
def timeouts(server):
    short, long = (server.register("icq", mode=ALL, timeout=timeout) for timeout in (3, 1000))
    message(server, short, "in time")
    message(server, long, "in time")
    equal([seen(server, short), seen(server, long)], [["in time"]] * 2, "at first")
    time.sleep(3.3)
    message(server, short, "later")
    message(server, long, "later")
    equal([seen(server, short), seen(server, long)], [["in time"], ["in time", "later"]], "after the shorter time")


def three(server, mode):
    """Two messages from one contact, and one from another."""
    made = server.register("icq", mode=mode)
    for sender, text in (("1", "a"), ("1", "b"), ("2", "c")):
        message(server, made, text, sender=sender)
    return made, server.rang(made["account"]), len(server.received(made["id"]))


@case("icq.disabled", "nothing rings, and all messages wait")
def mode_disabled(server):
    made, rang, waiting = three(server, "disabled")
    equal([rang, seen(server, made), waiting], [[], [], 3], "sounds, what is shown, what waits")


@case("icq.send-only-one", "the first one rings, and no other until the messages were fetched")
def mode_one(server):
    made, rang, waiting = three(server, "sendOnlyOne")
    equal([rang, waiting], [["a"], 3], "sounds, and what waits")
    message(server, made, "d", sender="3")
    equal(server.rang(made["account"]), ["d"], "sounds after they were fetched")


@case("icq.send-one-per-conversation", "the first one of each contact rings")
def mode_conversation(server):
    made, rang, waiting = three(server, "sendOnePerConversation")
    equal([rang, waiting], [["a", "c"], 3], "sounds, and what waits")


@case("icq.all", "every one rings")
def mode_all(server):
    made, rang, waiting = three(server, ALL)
    equal([rang, waiting], [["a", "b", "c"], 3], "sounds, and what waits")


@case("icq.leave", "pushes come when the client has ended, also after a restart of the server")
def without_client(server, made):
    message(server, made, "one")
    server.restart()
    message(server, made, "two")
    equal(seen(server, made), ["one", "two"], "what is shown")


IM2 = '{"aps": {"alert": {"loc-key": "IM2", "loc-args": ["111111", "222222", "some_text_here"]}, "badge" : 1, %s}}'


@case("icq.one-message", "the shape as it is printed, with straight and with curly quotes")
def printed_message(server):
    for sound in ('"sound": "IM"', "“sound”: “IM”"):
        made = server.register("icq", mode=ALL)
        raw(server, made, IM2 % sound)
        one = only(server, made)
        equal([one["text"], one["sound"]], ["some_text_here", "IM"], f"text and sound of {sound}")
        equal(server.badge(made["account"])["count"], 1, "badge")


@case("icq.one-message-args", "the first is the sender, the second the receiver, the third the text")
def message_args(server, made):
    message(server, made, "the text", sender="777")
    one = only(server, made)
    equal([one["title"], one["text"]], ["777", "the text"], "title and text")
    message(server, made, "from another", sender="888")
    equal(len({one["group"] for one in server.shown(made["account"])}), 2, "conversations of two senders")


@case("icq.messages", "the number is told, and the newest one replaces the one before")
def several_messages(server, made):
    text = '{"aps": {"alert": {"loc-key": "New Messages" , "Loc-args": ["%d"]}, "badge": %d, "sound": "x.wav"}}'
    for number in (5, 8):
        raw(server, made, text % (number, number))
        expect(str(number) in only(server, made)["text"], f"{number} is in the text")
        equal(server.badge(made["account"])["count"], number, "badge")


AR1 = (
    '{"aps": {"alert": {"loc-key": "AR1", "loc-args": ["111111", "222222", "parparon5", "John", "Johnson"]}, '
    '"badge": 1, "sound": "eventSound_ReceiveIm.wav"}}%s'
)


@case("icq.one-request", "the shape as it is printed, with a brace too many and without it")
def printed_request(server):
    for brace in ("}", ""):
        made = server.register("icq", mode=ALL)
        raw(server, made, AR1 % brace)
        one = only(server, made)
        equal([one["sound"], server.badge(made["account"])["count"]], ["eventSound_ReceiveIm.wav", 1], "sound, badge")
        expect("John Johnson" in one["text"], f"the name is in {one['text']!r}")


@case("icq.one-request-args", "the first is the receiver, the second the sender, then nickname and names")
def request_args(server, made):
    raw(server, made, AR1 % "")
    one = only(server, made)
    expect(all(name in f"{one['title']} {one['text']}" for name in ("parparon5", "John", "Johnson")), "three names")
    expect("222222" in json.dumps(one["data"]) and "111111" in json.dumps(one["data"]), "both numbers in the data")


@case("icq.requests", "the number is told, and the newest one replaces the one before")
def several_requests(server, made):
    text = '{ "Aps": {"alert": {"loc-key": "AR2", "loc-args": ["%d"]}, "badge": %d, "sound": "x.wav"}}'
    for number in (2, 4):
        raw(server, made, text % (number, number))
        expect(str(number) in only(server, made)["text"], f"{number} is in the text")
        equal(server.badge(made["account"])["count"], number, "badge")
