"""ZEGO: update a push notification."""

import json

from casebook import case, equal, expect

NO_PAYLOAD = object()


def push(server, made, title="Ann", body="calls you", payload=NO_PAYLOAD, mutable=True, **more):
    """What reaches the device: Apple's part, and `payload`, which is JSON in a text."""
    alert = {"title": title, "body": body, **more.pop("alert", {})}
    content = {"aps": {"alert": alert, "sound": "ring.caf", **({"mutable-content": 1} if mutable else {})}, **more}
    if payload is not NO_PAYLOAD:
        content["payload"] = payload
    answer = server.push(made["endpoint"], json.dumps(content).encode())
    equal(answer, {"status": 201}, "answer to the sender")


def named(name="1", **more):
    return json.dumps({"customId": name, **more})


def seen(server, made):
    return [one["text"] for one in server.shown(made["account"])]


@case("zego.retract", "a push with the same customId retracts the one before")
def retracted(server, made):
    push(server, made, payload=named())
    equal(seen(server, made), ["calls you"], "before")
    push(server, made, body="The call was cancelled", payload=named())
    equal(seen(server, made), ["The call was cancelled"], "after")


@case("zego.retract", "one with another customId, or from another account, does not")
def another(server):
    made, other = server.register("zpns"), server.register("zpns")
    push(server, made, payload=named("1"))
    push(server, made, body="another call", payload=named("2"))
    push(server, other, body="elsewhere", payload=named("1"))
    equal(seen(server, made), ["calls you", "another call"], "here")
    equal(seen(server, other), ["elsewhere"], "there")


@case("zego.mutable", "without mutable-content both are shown")
def immutable(server, made):
    push(server, made, payload=named())
    push(server, made, body="again", payload=named(), mutable=False)
    equal(seen(server, made), ["calls you", "again"], "what is shown")
    push(server, made, body="at last", payload=named())
    expect("at last" in seen(server, made) and len(seen(server, made)) == 2, "with it one is replaced")


@case("zego.invitation", "customId travels in payload, which is JSON in a text, and reaches the application")
def example(server, made):
    push(server, made, payload='{"customId":"1"}')
    one = server.shown(made["account"])
    equal([[part["title"], part["text"]] for part in one], [["Ann", "calls you"]], "what is shown")
    equal(json.loads(one[0]["data"]["payload"])["customId"], "1", "customId in the data")


@case("zego.invitation", "a call that is cancelled in time is no longer on the screen, and its end makes the only text")
def cancelled(server, made):
    push(server, made, payload=named("call", type="call"))
    equal([one["kind"] for one in server.shown(made["account"])], ["Calls"], "while it rings")
    push(server, made, body="The call was cancelled", payload=named("call"))
    found = server.shown(made["account"])
    equal([[one["kind"], one["text"]] for one in found], [["Messages", "The call was cancelled"]], "after that")


@case("zego.code", "title, subtitle and body are shown")
def alert(server, made):
    push(server, made, title="Title", body="Body", alert={"subtitle": "Subtitle"})
    one = server.shown(made["account"])
    equal(len(one), 1, "notifications")
    words = f"{one[0]['title']} {one[0]['text']}"
    expect("Title" in words and "Body" in words and "Subtitle" in words, f"all three are in it: {words!r}")


def add_unchanged(name, payload):
    @case("zego.code", f"{name}: shown as it is, beside the others", name=name)
    def unchanged(server, made):
        push(server, made, payload=named())
        for body in ("one", "two"):
            push(server, made, body=body, payload=payload)
        equal(seen(server, made), ["calls you", "one", "two"], "what is shown")


for name, payload in {
    "no payload": NO_PAYLOAD,
    "payload that is no JSON": "{customId:1",
    "payload that is an empty text": "",
    "payload that is a list": '["1"]',
    "payload without customId": '{"other":"1"}',
    "customId that is null": '{"customId":null}',
}.items():
    add_unchanged(name, payload)


@case("zego.code", "customId may also be at the top level, where the code looks for delivered ones")
def top_level(server, made):
    push(server, made, customId="1")
    push(server, made, body="new", payload=named("1"))
    equal(seen(server, made), ["new"], "what is shown")


@case("zego.code", "the new one takes its place, without a sound")
def in_place(server, made):
    push(server, made, payload=named())
    before = server.shown(made["account"])
    equal(server.rang(made["account"]), ["calls you"], "sounds of the first")
    push(server, made, body="new", payload=named())
    after = server.shown(made["account"])
    equal([len(before), len(after), after[0]["text"]], [1, 1, "new"], "what is shown")
    equal(after[0]["id"], before[0]["id"], "id")
    equal(server.rang(made["account"]), [], "sounds of the second")


@case("zego.code", "if the user has removed the first one, the second is shown all the same")
def removed(server, made):
    push(server, made, payload=named())
    one = server.shown(made["account"])[0]
    request = {"notification_group_id": one["group"], "notification_id": one["id"]}
    server.ask(made["account"], {"@type": "removeNotification", **request})
    equal(seen(server, made), [], "after the removal")
    push(server, made, body="new", payload=named())
    equal(seen(server, made), ["new"], "what is shown")


@case("zego.code", "only what was delivered can be replaced, and the name can be used again")
def chain(server, made):
    for body in ("one", "two", "three"):
        push(server, made, body=body, payload=named())
        equal(seen(server, made), [body], "what is shown")


@case("zego.ios", "the effect lasts: after a restart the name still replaces")
def after_restart(server, made):
    push(server, made, payload=named())
    server.restart()
    push(server, made, body="new", payload=named())
    equal(seen(server, made), ["new"], "what is shown")
