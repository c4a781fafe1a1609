"""Matrix: HTTP notification protocol."""

import json

from casebook import SYNAPSE, case, equal, expect, lines

RECORDED = {row["name"]: row for row in lines("matrix-synapse.jsonl")}


def event(**members):
    event = {
        "id": "$one",
        "room_id": "!room:example.com",
        "type": "m.room.message",
        "sender": "@ann:example.com",
        "sender_display_name": "Ann",
        "room_name": "Office",
        "prio": "high",
        "content": {"msgtype": "m.text", "body": "hello"},
    }
    return {name: value for name, value in {**event, **members}.items() if value is not None}


def device(made, **members):
    device = {"app_id": "org.example.client", "pushkey": made["endpoint"], "pushkey_ts": 12345678, "data": {}}
    return {**device, "tweaks": {"sound": "bing"}, **members}


def notify(server, devices, rejected=(), **members):
    """A homeserver's request, with devices inside, as homeservers send it. It must be processed."""
    body = {"notification": {**event(**members), "devices": devices}}
    answer = server.notify(json.dumps(body))
    equal(answer, {"status": 200, "body": {"rejected": list(rejected)}}, "answer to the homeserver")


def only(server, made):
    shown = server.shown(made["account"])
    equal(len(shown), 1, "notifications shown")
    return shown[0]


def plain(text):
    """A server may write who says it before the text, or elsewhere."""
    return text.removeprefix("Ann: ")


def seen(server, made):
    return [plain(one["text"]) for one in server.shown(made["account"])]


def heard(server, made):
    return [plain(text) for text in server.rang(made["account"])]


def told(server, made):
    """Everything that its only notification says."""
    one = only(server, made)
    return f"{one['title']} {one['text']}"


def recorded(server, name, **terms):
    """Synapse's own request, for a pushkey of ours."""
    made = server.register("matrix", **terms)
    old = json.loads(RECORDED[name]["body"])["notification"]["devices"][0]["pushkey"]
    answer = server.notify(RECORDED[name]["body"].replace(old, made["endpoint"]))
    equal(answer, {"status": 200, "body": {"rejected": []}}, "answer to Synapse")
    return made


@case("matrix.request", "what a homeserver posts is processed, delivered and shown", SYNAPSE)
def posted(server):
    made = recorded(server, "event")
    one = only(server, made)
    expect("Shall we meet at seven?" in one["text"], "the text is shown")
    payloads = server.received(made["id"])
    equal(len(payloads), 1, "payloads that the application gets")
    content = json.loads(payloads[0])["notification"]["content"]
    equal(content["body"], "Shall we meet at seven?", "its text")


@case("matrix.path", "the recommended path leads to the gateway, whatever else the pushkey's path is", SYNAPSE)
def path(server):
    made = recorded(server, "event")
    expect("/_matrix/" not in made["endpoint"], "the pushkey has another path")
    equal(only(server, made)["title"], "Office", "title")


@case("matrix.body", "a body that is no JSON dictionary is a client's error, and nothing is shown")
def malformed(server, made):
    for body in ("", "[]", "{", '"x"', "{}", '{"notification":[]}', '{"notification":{}}'):
        status = server.notify(body)["status"]
        expect(400 <= status < 500, f"{body!r} is answered {status}")
    notify(server, [device(made)])
    equal(seen(server, made), ["hello"], "what is shown")


@case("matrix.example", "the example, once its commas are right: counts and devices outside of the notification")
def example(server, made):
    notification = event(
        id="$3957tyerfgewrf384",
        room_id="!slw48wfj34rtnrf:example.com",
        sender="@exampleuser:matrix.org",
        sender_display_name="Major Tom",
        room_name="Mission Control",
        room_alias="#exampleroom:matrix.org",
        content={"msgtype": "m.text", "body": "I'm floating in a most peculiar way."},
    )
    devices = [device(made, app_id="org.matrix.matrixConsole.ios")]
    body = {"notification": notification, "counts": {"unread": 2, "missed_calls": 1}, "devices": devices}
    answer = server.notify(json.dumps(body))
    equal(answer, {"status": 200, "body": {"rejected": []}}, "answer")
    one = only(server, made)
    equal(one["title"], "Mission Control", "title")
    expect("Major Tom" in told(server, made), "it says who wrote")
    expect("I'm floating in a most peculiar way." in one["text"], "text")
    equal(server.badge(made["account"]), {"count": 2, "missed_calls": 1}, "counts")


@case("matrix.id", "a request that comes again is processed, and shown once")
def once(server, made):
    for id in ("$one", "$one", "$two", "$one"):
        notify(server, [device(made)], id=id)
    equal(seen(server, made), ["hello"] * 2, "notifications of two events")
    equal(heard(server, made), ["hello"] * 2, "sounds")


@case("matrix.id", "a request that comes again after the server was killed is still a duplicate")
def once_after_restart(server, made):
    notify(server, [device(made)], id="$one")
    server.restart()
    for id in ("$one", "$two"):
        notify(server, [device(made)], id=id)
    equal(seen(server, made), ["hello"] * 2, "notifications of two events")


@case("matrix.id", "the same event is a new one for another device")
def another_device(server):
    one, two = server.register("matrix"), server.register("matrix")
    notify(server, [device(one)])
    notify(server, [device(two)])
    equal([seen(server, made) for made in (one, two)], [["hello"]] * 2, "on both")


@case("matrix.room-id", "events of a room are one conversation, those of another room another one")
def rooms(server, made):
    for id, room in (("$1", "!a:x"), ("$2", "!b:x"), ("$3", "!a:x")):
        notify(server, [device(made)], id=id, room_id=room, content={"msgtype": "m.text", "body": id})
    groups = {plain(one["text"]): one["group"] for one in server.shown(made["account"])}
    equal(sorted(groups), ["$1", "$2", "$3"], "what is shown")
    equal(groups["$1"], groups["$3"], "conversation of the first and the third")
    expect(groups["$1"] != groups["$2"], "the second has its own")


@case("matrix.type", "an encrypted event is shown without a text, and a call rings")
def types(server, made):
    notify(server, [device(made)], id="$1", type="m.room.encrypted", content={"ciphertext": "gibberish"})
    one = only(server, made)
    expect(one["text"] and "gibberish" not in one["text"], "something is said, but not the ciphertext")
    content = {"call_id": "12", "offer": {}, "lifetime": 60000}
    notify(server, [device(made)], id="$2", type="m.call.invite", content=content)
    expect("Calls" in [one["kind"] for one in server.shown(made["account"])], "the call is in a group of calls")


@case("matrix.sender", "without a display name the sender's id is the name")
def sender(server, made):
    notify(server, [device(made)], sender_display_name=None)
    expect("@ann:example.com" in told(server, made), "it says who wrote")


@case("matrix.sender-display-name", "the display name says who wrote")
def display_name(server, made):
    notify(server, [device(made)], sender_display_name="Ann Lee")
    expect("Ann Lee" in told(server, made), "it says who wrote")


@case("matrix.room-name", "the room's name is the title, before its alias")
def room_name(server, made):
    notify(server, [device(made)], room_name="The office", room_alias="#office:example.com")
    equal(only(server, made)["title"], "The office", "title")


@case("matrix.room-alias", "without a name the alias is the title")
def room_alias(server, made):
    notify(server, [device(made)], room_name=None, room_alias="#office:example.com")
    equal(only(server, made)["title"], "#office:example.com", "title")


def rings(server, **members):
    made = server.register("matrix")
    notify(server, [device(made)], **members)
    equal(seen(server, made), ["hello"], "text")
    return heard(server, made)


@case("matrix.prio", "low is shown without a sound; high has one, and so has a request without prio")
def prio(server):
    sounds = [rings(server, prio=prio) for prio in ("low", "high", None)]
    equal(sounds, [[], ["hello"], ["hello"]], "sounds")


@case("matrix.content", "without content something is shown all the same", SYNAPSE)
def no_content(server):
    made = recorded(server, "event_id_only")
    expect(only(server, made)["text"], "there is a text")


@case("matrix.content", "the text of the content is shown")
def content(server, made):
    notify(server, [device(made)], content={"msgtype": "m.text", "body": "Grüße 👋"})
    equal(seen(server, made), ["Grüße 👋"], "text")


@case("matrix.counts", "a count that is left out is zero", SYNAPSE)
def left_out(server):
    made = recorded(server, "event")
    equal(server.badge(made["account"]), {"count": 1, "missed_calls": 0}, "counts of an event")
    notify(server, [device(made)], id="$later", counts={})
    equal(server.badge(made["account"]), {"count": 0, "missed_calls": 0}, "counts of a later one")


@case("matrix.counts", "counts alone change the badge and are neither shown nor heard", SYNAPSE)
def alone(server, made):
    notify(server, [device(made)], counts={"unread": 3})
    equal(heard(server, made), ["hello"], "sounds of the event")
    equal(server.badge(made["account"])["count"], 3, "count with the event")
    body = json.loads(RECORDED["badge"]["body"])
    body["notification"]["devices"][0]["pushkey"] = made["endpoint"]
    equal(server.notify(json.dumps(body)), {"status": 200, "body": {"rejected": []}}, "answer to Synapse")
    equal(server.badge(made["account"])["count"], 0, "count after that")
    equal(heard(server, made), [], "sounds of the counts")


def add_count(paragraph, name, member):
    @case(paragraph, f"the badge has the newest number of {name}, and does not add them up")
    def newest(server, made):
        for number, id in ((4, "$1"), (9, "$2"), (2, "$3")):
            notify(server, [device(made)], id=id, counts={name: number})
            equal(server.badge(made["account"])[member], number, f"badge after {number}")


add_count("matrix.unread", "unread", "count")
add_count("matrix.missed-calls", "missed_calls", "missed_calls")


@case("matrix.devices", "each of several devices gets it, with its own data only")
def several(server):
    both = [server.register("matrix") for _ in range(2)]
    devices = [device(made, data={"own": made["account"]}) for made in both]
    notify(server, devices)
    for made in both:
        equal(seen(server, made), ["hello"], "text")
        payload = "".join(server.received(made["id"]))
        expect(made["account"] in payload, "it gets its own data")
        expect(all(other["account"] not in payload for other in both if other is not made), "and not the other's")


@case("matrix.devices", "a request without devices is a client's error")
def none(server, made):
    for devices in ([], None, "x"):
        body = {"notification": {**event(), "devices": devices}}
        status = server.notify(json.dumps(body))["status"]
        expect(400 <= status < 500, f"devices {devices!r} are answered {status}")
    notify(server, [device(made)])
    equal(seen(server, made), ["hello"], "what is shown after that")


@case("matrix.app-id", "an endpoint that was made for one application rejects others")
def app_id(server):
    made = server.register("matrix", app_id="org.example.client")
    notify(server, [device(made, app_id="org.example.other")], rejected=[made["endpoint"]])
    equal(server.shown(made["account"]), [], "shown of the other's")
    notify(server, [device(made)], id="$two")
    equal(seen(server, made), ["hello"], "shown of its own")


@case("matrix.pushkey", "the pushkey is the endpoint, and one that never was is rejected")
def pushkey(server, made):
    never = made["endpoint"][:-8] + "AAAAAAAA"
    notify(server, [device(made, pushkey=never), device(made)], rejected=[never])
    equal(seen(server, made), ["hello"], "what is shown")


@case("matrix.pushkey-ts", "it reaches the application")
def pushkey_ts(server, made):
    notify(server, [device(made, pushkey_ts=1795282969)])
    payload = json.loads(server.received(made["id"])[0])
    equal(payload["notification"]["devices"][0]["pushkey_ts"], 1795282969, "pushkey_ts in the payload")


@case("matrix.data", "the pusher's data reach the application")
def data(server, made):
    own = {"format": "full", "default_payload": {"session": "abc"}}
    notify(server, [device(made, data=own)])
    payload = json.loads(server.received(made["id"])[0])
    equal(payload["notification"]["devices"][0]["data"], own, "data in the payload")


@case("matrix.tweaks", "an event with the tweak highlight is a mention")
def highlight(server, made):
    notify(server, [device(made)], id="$1")
    notify(server, [device(made, tweaks={"sound": "bing", "highlight": True})], id="$2")
    equal(sorted(one["kind"] for one in server.shown(made["account"])), ["Mentions", "Messages"], "groups")


@case("matrix.sound", "the sound is the one of the tweak, default is the usual one, and without it there is none")
def sound(server):
    found = []
    for tweaks in ({"sound": "bing"}, {"sound": "default"}, {}):
        made = server.register("matrix")
        notify(server, [device(made, tweaks=tweaks)])
        one = only(server, made)
        found.append([one["sound"] if one["sound"] != "default" else None, heard(server, made)])
    equal(found, [["bing", ["hello"]], [None, ["hello"]], [None, []]], "sound, and what is heard")


@case("matrix.user-is-target", "an invitation of this user says so, the one of somebody else is no such thing")
def invited(server):
    found = []
    for target in (True, None):
        made = server.register("matrix")
        content = {"membership": "invite"}
        notify(server, [device(made)], type="m.room.member", content=content, user_is_target=target)
        found += [one["text"] for one in server.shown(made["account"])]
    expect("invite" in found[0].lower(), f"the invitation is called so: {found[0]}")
    expect(len(found) == 1 or found[1] != found[0], "that of somebody else is told in another way")


@case("matrix.answer", "a request that was processed is answered 200 after the notification is kept", SYNAPSE)
def kept(server):
    made = recorded(server, "event")
    server.restart()
    expect("Shall we meet" in only(server, made)["text"], "it is still shown after the server was killed")


@case("matrix.answer-body", "the answer is an object with rejected, also if nothing is")
def empty(server, made):
    notify(server, [device(made)])
    equal(seen(server, made), ["hello"], "what is shown")


@case("matrix.answer-example", "a pushkey that is no address of the server's is rejected as it was written")
def foreign(server):
    pushkey = "V2h5IG9uIGVhcnRoIGRpZCB5b3UgZGVjb2RlIHRoaXM/"
    made = server.register("matrix")
    notify(server, [device(made, pushkey=pushkey), device(made)], rejected=[pushkey])


@case("matrix.rejected", "exactly the pushkeys that have ended are rejected, and the others are served")
def ended(server):
    gone, stays = server.register("matrix"), server.register("matrix")
    notify(server, [device(gone), device(stays)], id="$before")
    server.revoke(gone["id"])
    notify(server, [device(gone), device(stays)], rejected=[gone["endpoint"]], id="$after")
    equal(len(server.shown(stays["account"])), 2, "notifications of the other")
    equal(len({one["id"] for one in server.shown(stays["account"])}), 2, "ids of the other")


@case("matrix.apns-app-id", "two environments are two endpoints, each for its own app_id")
def environments(server):
    both = {name: server.register("matrix", app_id=name) for name in ("org.example.dev", "org.example.prod")}
    for name, made in both.items():
        notify(server, [device(made, app_id=name)])
    equal([seen(server, made) for made in both.values()], [["hello"]] * 2, "what both show")
    swapped = [device(both["org.example.dev"], app_id="org.example.prod")]
    notify(server, swapped, rejected=[both["org.example.dev"]["endpoint"]], id="$two")


@case("matrix.apns-errors", "a pushkey that has ended is rejected whenever it is used, not only once")
def again(server, made):
    notify(server, [device(made)])
    server.revoke(made["id"])
    for id in ("$2", "$2", "$3"):
        notify(server, [device(made)], rejected=[made["endpoint"]], id=id)
