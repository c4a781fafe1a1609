"""The forms for topics and their tokens: as they are meant, about other people's things, and with values that nobody
means."""

import re

from attempts_login import CODE, SESSION
from people import CONTENT, UID
from served import check

LONG = "x" * 10_000


def meant(stage, case):
    """Each form does what it says, once."""
    person, server = stage.administrator, stage.server
    fields = person.get("/ui/topics").form("/ui/topics") | {"name": "made-here"}
    made = case("make a topic", person.post("/ui/topics", fields), 303)
    case("make it again", person.post("/ui/topics", fields), 409)
    place = (made.field("location") or "").partition("?")[0]
    check(place.startswith("/ui/topics/"), f"a new topic has a page: {place}")
    page = case("GET the topic", person.get(place), 200)
    case.holds("its address is there", f"localhost:{server.port}/made-here" in page.text)
    fields = page.form("/tokens") | {"name": "made here", "use": "both"}
    token = case("make a token", person.post(f"{place}/tokens", fields), 200)
    case("make it again", person.post(f"{place}/tokens", fields), 409)
    secret = (re.search(r"tk_[0-9a-z]{29}", token.text) or [""])[0]
    case.holds("the token is shown", secret)
    stage.secrets.add(secret)
    case("the page of the topic later", person.get(place), 200)
    case("the list of the topics", person.get("/ui/topics"), 200)
    fields = person.get(place).form("/send") | {"text": f"{CONTENT[1]} by hand"}
    case("send a message", person.post(f"{place}/send", fields), 303)
    case("send it again", person.post(f"{place}/send", fields), 409)
    inbox = case("GET the messages", person.get("/ui/"), 200, shows=CONTENT)
    case.holds("it has come once", inbox.text.count(f"{CONTENT[1]} by hand") == 1)
    case("ask before the end", person.get(f"{place}/remove"), 200)
    case("the end", person.post(f"{place}/remove"), 303)
    case("the end again", person.post(f"{place}/remove"), 404)
    case("the page of what has ended", person.get(place), 404)


def others(stage, case):
    """Nobody sees or changes topics of others, and an administrator of the server does not either."""
    for person, other in ((stage.user, 0), (stage.administrator, UID)):
        topic = f"/ui/topics/{stage.things[other]['topic']}"
        case(f"the topic of {other}", person.get(topic), 404)
        case(f"the end of the topic of {other}", person.get(f"{topic}/remove"), 404)
        for target, fields in stage.targets(other):
            if target.startswith("/ui/topics/"):
                case(f"{target.rpartition('/')[2]} of the topic of {other}", person.post(target, fields), 404)
        own = stage.things[UID if other == 0 else 0]["topic"]
        once = person.get("/ui/topics").form("/ui/topics")["once"]
        fields = {"once": once, "name": "a", "use": "both", "expires": ""}
        case(f"a token for the topic of {other}", person.post(f"{topic}/tokens", fields), 404)
        fields = {"once": str(int(once) + 1), "text": "x"}
        case(f"a message to the topic of {other}", person.post(f"{topic}/send", fields), 404)
        token = stage.things[other]["token"]
        case(f"the token of {other}", person.post(f"/ui/topics/{own}/revoke", {"token": token}), 404)
        page = case(f"the topics without those of {other}", person.get("/ui/topics"), 200)
        case.holds(f"no topic of {other}", f"topic-of-{other}" not in page.text)
    registration = stage.things[0]["registration"]
    # Alerts of a service come to a topic, too; what an application has registered is none.
    case("a topic of a service", stage.administrator.get(f"/ui/topics/{registration}"), 200)


def values(stage, case):
    """Values that are too long, of the wrong kind, or no text."""
    person, topic = stage.administrator, stage.things[0]["topic"]
    place = f"/ui/topics/{topic}"
    for what, name in (
        ("empty", ""),
        ("too long", "x" * 65),
        ("with a blank", "a b"),
        ("with a slash", "../ui"),
        ("with a line end", "a\r\nb"),
        ("reserved", "wpush"),
        ("like a secret one", "s_guess"),
        ("of UnifiedPush", "upABCDEFGHIJKL"),
    ):
        fields = person.get("/ui/topics").form("/ui/topics") | {"name": name}
        case(f"a topic's name is {what}", person.post("/ui/topics", fields), 400)
    fields = person.get("/ui/topics").form("/ui/topics") | {"name": "topic-of-0"}
    case("a topic's name is taken", person.post("/ui/topics", fields), 409)
    for name, value in (
        ("keep", "ever"),
        ("keep", "-1"),
        ("keep", "9" * 30),
        ("keep", "31536001"),
        ("title", LONG),
        ("description", LONG),
    ):
        fields = person.get(place).form("/settings") | {name: value}
        case(f"{name} is {value[:12]}", person.post(f"{place}/settings", fields), 400)
    for name, value in (
        ("use", "everything"),
        ("use", ""),
        ("expires", "ever"),
        ("expires", "-1"),
        ("expires", "9" * 30),
        ("name", ""),
        ("name", LONG),
        ("name", "a\0b"),
    ):
        fields = person.adding_token(topic, name="n") | {name: value}
        case(f"a token whose {name} is {value[:12]!r}", person.post(f"{place}/tokens", fields), 400, 403)
    fields = person.adding_token(topic, name="token of 0")
    case("a token's name is taken", person.post(f"{place}/tokens", fields), 409)
    case("a token by no form", person.post(f"{place}/tokens", {"name": "n", "use": "push"}), 409)
    for name, value in (("delay", "soon"), ("delay", "1s"), ("priority", "9"), ("tags", LONG), ("title", LONG)):
        fields = person.get(place).form("/send") | {"text": "x", name: value}
        case(f"a message whose {name} is {value[:12]}", person.post(f"{place}/send", fields), 400)
    for token in ("", "-1", "x", "9" * 30, "0"):
        case(f"the token {token[:12]}", person.post(f"{place}/revoke", {"token": token}), 404)
    for of in ("-1", "ever", "9" * 30):
        case(f"muted for {of[:12]}", person.post(f"{place}/mute", {"for": of}), 400)


def old_sign_in(stage, case):
    """Six minutes after signing in, there is no new token; the rest works."""
    person, topic = stage.administrator, stage.things[0]["topic"]
    fields = person.adding_token(topic, name="late")
    stage.meddler.set(slept=SESSION + CODE + 370)
    place = f"/ui/topics/{topic}"
    page = case("the page of a topic six minutes after signing in", person.get(place), 200)
    case.holds("there is no form for a token", page.form("/tokens") is None)
    case("a token six minutes after signing in", person.post(f"{place}/tokens", fields), 403)
