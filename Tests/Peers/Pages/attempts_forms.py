"""Forms as they are meant, without the right token, about other people's things, and with values that nobody means."""

import re

from people import CONTENT, COOKIE, UID, encoded
from served import check

LONG = "x" * 10_000


def meant(stage, case):
    """Each form does what it says."""
    administrator, server = stage.administrator, stage.server
    heard = server.tell("topic", "add", "to be used", "--from", "uptime-kuma")
    stage.secrets.add(heard["endpoint"].rpartition("/")[2])
    server.alert(heard["endpoint"], "zq-title-of-a-push", "zq-text-of-a-push")
    of, account = f"/ui/registrations/{heard['id']}", f"/ui/accounts/{heard['id']}"

    def state():
        return server.account("to be used")

    check.soon(lambda: state()["chats"], "the push makes a chat")
    chat = state()["chats"][0]["chat_id"]
    inbox = case("GET the messages", administrator.get("/ui/"), 200, shows=CONTENT)
    case.holds("their text is there", f"{CONTENT[1]} of 0" in inbox.text)
    case.holds("no text of others", f"{CONTENT[1]} of {UID}" not in inbox.text)
    case("GET what is new of them", administrator.get("/ui/messages"), 200, shows=CONTENT)
    page = case("GET the status", administrator.get("/ui/status"), 200)
    for section in ("state", "registrations", "devices", "errors", "events", "plots"):
        case.holds(f"section {section}", f'id="{section}"' in page.text)
    live = case("GET what is new", administrator.get("/ui/live"), 200)
    case.holds("what is new is JSON", (live.field("content-type") or "").startswith("application/json"))
    case("GET the chats", administrator.get(account), 200, shows=("zq-title-of-a-push",))
    for file, kind in (("script.js", "text/javascript"), ("style.css", "text/css"), ("icon.svg", "image/svg+xml")):
        answer = stage.wire.ask("GET", f"/ui/{file}")
        case.holds(f"GET {file}: 200 and {kind}", answer.status == 200 and kind in (answer.field("content-type") or ""))
        case.holds(f"GET {file}: nosniff", answer.field("x-content-type-options") == "nosniff")
    before = {device["id"] for device in server.devices()}
    fields = administrator.adding(name="new")
    made = case("add a device", administrator.post("/ui/devices", fields), 200)
    case.holds("the address is shown", f"wss://localhost:{server.port}/u/" in made.text)
    case.holds("a QR code is shown", "<svg" in made.text)
    case("add it again", administrator.post("/ui/devices", fields | {"name": "newer"}), 409)
    case("add one by a form of another time", administrator.post("/ui/devices", fields | {"once": "7777"}), 409)
    case("add one by no form", administrator.post("/ui/devices", {"name": "newer"}), 409)
    [new] = {device["id"] for device in server.devices()} - before
    case("remove it", administrator.post(f"/ui/devices/{new}/remove"), 303)
    case.holds("it is removed", {device["id"] for device in server.devices()} == before)
    case("pause", administrator.post(f"{account}/pause", {"for": "3600"}), 303)
    case.holds("it is paused", state()["source"]["paused"])
    case("unpause", administrator.post(f"{account}/unpause"), 303)
    case.holds("it is not paused", not state()["source"]["paused"])
    case("mute", administrator.post(f"{account}/mute", {"chat": chat, "for": "3600"}), 303)
    case.holds("it is muted for an hour", 3_500 < state()["chats"][0]["mute_for"] <= 3_600)
    case("unmute", administrator.post(f"{account}/unmute", {"chat": chat}), 303)
    case.holds("it is not muted", state()["chats"][0]["mute_for"] == 0)
    count = state()["total_count"]
    case("send a test", administrator.post(f"{of}/test"), 303)
    try:
        check.soon(lambda: state()["total_count"] > count, "the test makes a notification", 5)
    except Exception as error:
        case.finding("send a test", str(error))
    case("revoke", administrator.post(f"{of}/revoke"), 303)
    case.holds("it is gone", heard["id"] not in str(server.registrations()))
    case("revoke it again", administrator.post(f"{of}/revoke"), 404)
    old = administrator.cookie
    case("log out", administrator.post("/ui/logout"), 303)
    case("the old cookie", stage.wire.ask("GET", "/ui/live", f"Cookie: {COOKIE}={old}"), 401)
    administrator.log_in()
    case.changed()


def tokens(stage, case):
    """Every form without the token of its own session."""
    administrator, user = stage.administrator, stage.user
    further = [("/ui/devices", {"name": "by others"}), ("/ui/messages", {"delete": "1"}), ("/ui/logout", {})]
    for target, fields in [*stage.targets(0), *further]:
        name = target.rpartition("/")[2]
        token = administrator.csrf
        for what, wrong in (
            ("without the token", {}),
            ("with an empty token", {"csrf": ""}),
            ("with another session's token", {"csrf": user.csrf}),
            ("with a changed token", {"csrf": token[:-1] + ("A" if token[-1] != "A" else "B")}),
        ):
            case(f"{name} {what}", administrator.send(target, encoded(fields | wrong)), 403)
        twice = [*fields.items(), ("csrf", user.csrf), ("csrf", token)]
        case(f"{name} with two tokens", administrator.send(target, encoded(twice)), 400, 403)
        case(
            f"{name} with the token in the address",
            administrator.send(f"{target}?csrf={token}", encoded(fields)),
            403,
            404,
        )
        case(
            f"{name} without a session",
            stage.wire.ask("POST", target, "Content-Type: application/x-www-form-urlencoded", body=encoded(fields)),
            303,
            401,
            403,
        )
        owned = stage.owned()
        case.holds(f"{name} is refused", owned == case.before[: len(owned)])


def others_messages(stage, case, alerts):
    """Marks count for one's own messages alone."""
    before = stage.administrator.get(alerts).text
    position = re.search(r'data-at="(\d+)"', before)[1]
    message = re.search(r'id="m-(\w+)"', before)[1]
    for step, value, *wanted in (
        # The same position may be one of theirs.
        ("read", position, 303, 404),
        ("unread", position, 303, 404),
        ("delete", "900000", 404),
        ("read", "1,,2", 400),
        ("read", "-1", 404),
        ("read", ",".join(["1"] * 51), 400),
        ("read", LONG, 400),
        ("press", f"{message}.AAAAAAAAAA", 404),
        ("press", f"{message}.a.b.c", 400),
        ("nothing", "1", 400),
    ):
        case(f"{step} {value[:10]} of another", stage.user.post("/ui/messages", {step: value}), *wanted)
    case.holds("the others' messages are as before", f'id="m-{message}"' in stage.administrator.get(alerts).text)


def questions(stage, case):
    """They are answered by those whom they were asked."""
    topic = stage.things[0]["registration"]
    asked = stage.server.ask("POST", "questions", {"topic": topic, "message": "May I?", "ask": ["yes"]})
    place = f"/ui/questions/{asked['id']}"
    shown = stage.administrator.get("/ui/").text
    number = re.search(r'name="number" value="(\d+)"', shown)[1]
    case("the user's page without the question", stage.user.get("/ui/"), 200, shows=CONTENT)
    case("an answer of another", stage.user.post(f"{place}/answer", {"number": number, "place": "0"}), 404)
    case("a withdrawal of another", stage.user.post(f"{place}/withdraw"), 404)
    person = stage.administrator
    case("an answer to another question", person.post(f"{place}/answer", {"number": "1", "place": "0"}), 409)
    case("an answer that is none", person.post(f"{place}/answer", {"number": number, "place": "7"}), 400)
    case("no answer", person.post(f"{place}/answer", {"number": number}), 400)
    state = stage.server.ask("GET", f"questions/{asked['id']}")["state"]
    case.holds("the question is still open", state == "open")
    case("a deletion of a question", person.post("/ui/messages", {"delete": newest(person, topic)}), 409)
    case("an answer", person.post(f"{place}/answer", {"number": number, "place": "0"}), 303)
    answer = stage.server.ask("GET", f"questions/{asked['id']}").get("answer")
    case.holds("whoever asks gets it", answer == "yes")
    case.changed()


def newest(person, topic):
    return re.search(r'data-at="(\d+)"', person.get(f"/ui/?topic={topic}").text)[1]


def others(stage, case):
    """A user of this machine has a session of their own and asks for what belongs to the administrator."""
    for target, fields in stage.targets(0):
        case(f"the administrator's {target.rpartition('/')[2]}", stage.user.post(target, fields), 404)
    registration = stage.things[0]["registration"]
    case("the administrator's chats", stage.user.get(f"/ui/accounts/{registration}"), 404)
    alerts = f"/ui/?topic={registration}"
    case("the administrator's messages", stage.user.get(alerts), 404)
    inbox = case("the user's messages", stage.user.get("/ui/"), 200, shows=CONTENT)
    case.holds("the user's text is there", f"{CONTENT[1]} of {UID}" in inbox.text)
    case.holds("no topic and no text of others", not re.search(r"(alerts|push) of 0", inbox.text))
    found = stage.user.get(f"/ui/?search={CONTENT[1]}")
    case("the user's search", found, 200, shows=CONTENT)
    case.holds("a search finds no text of others", f"{CONTENT[1]} of 0" not in found.text)
    message = re.search(r'id="m-(\w+)"', stage.administrator.get("/ui/").text)[1]
    picture = f"/ui/messages/{message}/picture"
    case("the picture of another's message", stage.user.get(picture), 404)
    case("a picture without a session", stage.wire.ask("GET", picture), 401)
    case("a picture that is none", stage.administrator.get(picture), 404)
    case("a picture of no message", stage.user.get("/ui/messages/../picture"), 400, 404)
    others_messages(stage, case, alerts)
    page = case("the user's page", stage.user.get("/ui/status"), 200)
    live = case("what is new for the user", stage.user.get("/ui/live"), 200)
    for name in ("device of 0", "alerts of 0"):
        case.holds(f"the user does not see {name}", name not in page.text and name not in live.text)
    for name in (f"device of {UID}", f"alerts of {UID}"):
        case.holds(f"the user sees {name}", name in page.text and name in live.text)
    mixed = stage.things[UID] | {"chat": stage.things[0]["chat"] + 2**41}
    target = f"/ui/accounts/{mixed['registration']}/mute"
    case("a chat that is not in the account", stage.user.post(target, {"chat": mixed["chat"], "for": "3600"}), 400, 404)
    # An owner that the form does not ask for is not listened to.
    before = {device["id"] for device in stage.server.devices()}
    made = case(
        "a device for the administrator",
        stage.user.post("/ui/devices", stage.user.adding(name="n", owner="admin")),
        200,
        400,
    )
    owners = {device["owner"] for device in stage.server.devices() if device["id"] not in before}
    case.holds("it belongs to the user", owners == ({f"uid:{UID}"} if made.status == 200 else set()))
    for device in stage.server.devices():
        if device["id"] not in before:
            stage.server.run("device", "remove", str(device["id"]))


def values(stage, case):
    """Values that are too long, of the wrong kind, or no text."""
    administrator = stage.administrator

    def add(rest):
        """Sends the form for a new device, with this in place of its name."""
        fields = administrator.adding()
        fields.pop("name")
        return administrator.send("/ui/devices", encoded(fields) + rest)

    account = f"/ui/accounts/{stage.things[0]['registration']}"
    chat = stage.things[0]["chat"]
    for what, name in (
        ("empty", b""),
        ("too long", LONG.encode()),
        ("not UTF-8", b"%ff%fe"),
        ("half an escape", b"a%2"),
        ("no escape", b"a%zz"),
        ("a NUL", b"a%00b"),
        ("line breaks", b"a%0d%0aSet-Cookie:%20a=b"),
    ):
        case(f"a device's name is {what}", add(b"&name=" + name), 400, 403)
    case("a device without a name", add(b""), 400)
    case("a device with two names", add(b"&name=a&name=b"), 400, 403)
    for what, of in (
        ("negative", "-1"),
        ("a word", "ever"),
        ("too large", "9" * 30),
        ("broken", "1.5"),
        ("hexadecimal", "0x10"),
    ):
        case(f"muted for a time that is {what}", administrator.post(f"{account}/mute", {"chat": chat, "for": of}), 400)
        case(f"paused for a time that is {what}", administrator.post(f"{account}/pause", {"for": of}), 400)
    for what, of in (("a word", "ada"), ("too large", "9" * 30), ("unknown", "12345"), ("empty", "")):
        case(f"a chat that is {what}", administrator.post(f"{account}/mute", {"chat": of, "for": "3600"}), 400, 404)
    case("a mute without a chat", administrator.post(f"{account}/mute", {"for": "3600"}), 400, 404)
    case("a body of 64 KiB", add(b"&name=" + b"x" * 2**16), 413)
    # The connection is cut before all of it was read.
    case("a body of a mebibyte", add(b"&name=" + b"x" * 2**20), 0, 413)
    case("ten thousand fields", add(b"&a=1" * 10_000), 400, 403, 413)
    case("nothing but ampersands", administrator.send("/ui/devices", b"&&&&=&=&"), 400, 403)
    body = encoded(administrator.adding(name="x"))
    for kind in (
        "application/json",
        "text/plain",
        "multipart/form-data; boundary=a",
        "application/x-www-form-urlencoded2",
    ):
        answer = administrator.send("/ui/devices", body, kind=f"Content-Type: {kind}")
        case(f"a form as {kind.partition(';')[0]}", answer, 400, 403, 415)
    case("a form without a type", administrator.send("/ui/devices", body, kind="X-Nothing: 1"), 400, 403, 415)
