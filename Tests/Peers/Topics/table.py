"""The rows of what ntfy's and Gotify's programs send, and what answers them: one line for each.

A row is the part of the description that it belongs to, a request, and what is expected. `{t}` is a topic of the row's
own, `{d}` one whose messages nobody reads back.
"""

import base64
import json
import time
import urllib.parse

from expected import Cleared, Crossed, Deleted, Refused, Status, Told, about
from wire import JSON, Request, basic, encoded


def ask(method, target, body=b"", /, **fields):
    given = tuple((name.replace("_", "-"), value) for name, value in fields.items())
    return Request(method, target, encoded(body), given)


def put(body=b"", /, query="", **fields):
    return ask("PUT", f"/{{t}}{query and '?' + query}", body, **fields)


def tell(fields=None, /, **members):
    """A publish in JSON."""
    return ask("POST", "/", json.dumps({"topic": "{t}", **members}), **(fields or {}))


def get(target, /, **fields):
    return ask("GET", target, **fields)


def said(message="hi", **members):
    return Told(message=message, **members)


def queried(**values):
    return urllib.parse.urlencode(values, quote_via=urllib.parse.quote)


def each_name(names, value, expected, part="A3"):
    """A parameter under each of its names: as a field as it is written, and in a query in small letters."""
    for name in names:
        yield part, ask("PUT", "/{t}", b"hi", **{name.replace("-", "_"): value}), expected
        yield part, put(b"hi", query=queried(**{name.lower(): value})), expected


def an_attachment(name, kind=None, size=None):
    def holds(value):
        if not isinstance(value, dict) or not {"name", "url"} <= set(value) <= {
            "name",
            "url",
            "type",
            "size",
            "expires",
        }:
            return False
        if kind is None:
            return value["name"] == name and set(value) == {"name", "url"}
        kept = value.get("expires", 0) > time.time() and "/file/" in value["url"]
        return kept and (value["name"], value["size"]) == (name, size) and value["type"].startswith(kind)

    return holds


def buttons(*wanted):
    """Actions in this order. Each has an id of the server's."""

    def holds(value):
        if not isinstance(value, list) or len(value) != len(wanted):
            return False
        ids = [action.pop("id", "") for action in json.loads(json.dumps(value))]
        rest = [{name: part for name, part in action.items() if name != "id"} for action in value]
        return all(len(text) == 10 for text in ids) and rest == [{"clear": False} | action for action in wanted]

    return holds


def auth(value):
    return "auth=" + base64.urlsafe_b64encode(value.encode()).decode().rstrip("=")


LINK = "https://example.org/a"
TRIGGERED = said("triggered")
VIEW = {"action": "view", "label": "Open", "url": LINK}
CALL = {"action": "http", "label": "Do", "url": LINK}
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
ALERT = {
    "version": "4",
    "groupKey": "{}:{}",
    "status": "firing",
    "receiver": "web",
    "alerts": [
        {
            "status": "firing",
            "labels": {"alertname": "Disk full", "instance": "db1", "severity": "critical"},
            "annotations": {"summary": "90 % used", "description": "It is nearly full"},
            "startsAt": "2026-11-29T10:00:00Z",
            "endsAt": "0001-01-01T00:00:00Z",
            "generatorURL": LINK,
        }
    ],
    "commonLabels": {"alertname": "Disk full"},
}


def publish():
    for method in ("PUT", "POST"):
        yield "A1", ask(method, "/{t}", b"hi"), said()
        yield "A1", ask(method, "/", b'{"topic": "{t}", "message": "hi"}'), said()
        yield "A1", ask(method, "/{t}/my-id", b"hi"), said(sequence_id="my-id")
        # Only GET publishes by these words.
        yield "A1", ask(method, "/{t}/send", b"hi"), said(sequence_id="send")
    for word in ("publish", "send", "trigger"):
        yield "A1", get(f"/{{t}}/{word}?message=hi&t=T&p=4"), said(title="T", priority=4)
        yield "A1", get(f"/{{t}}/{word}", X_Message="hi"), said()
        yield "A1", get(f"/{{t}}/{word}"), TRIGGERED
    yield "A1", ask("DELETE", "/{t}/seq"), Deleted(sequence_id="seq")
    yield "A1", get("/{t}/seq/delete"), Deleted(sequence_id="seq")
    for word in ("clear", "read"):
        yield "A1", ask("PUT", f"/{{t}}/seq/{word}"), Cleared(sequence_id="seq")
        yield "A1", get(f"/{{t}}/seq/{word}"), Cleared(sequence_id="seq")
    yield "A1", get("/{t}?up=1"), Status(200, type=JSON, unifiedpush={"version": 1})
    yield "A1", get("/{t}", UnifiedPush="1"), Status(200, type=JSON, unifiedpush={"version": 1})
    yield "A1", get("/{t}/auth"), Crossed(200, type=JSON, success=True)
    yield "A1", get("/{t},{d}/auth"), Crossed(200, type=JSON, success=True)
    yield "A1", ask("HEAD", "/"), Status(200)
    for target in ("/", "/{t}", "/{t}/json", "/v1/account", "/a/b/c/d"):
        yield "A1", ask("OPTIONS", target, Authorization="Bearer tk_wrong"), Crossed(200)
    for method, target in [
        *[("GET", "/{t}/"), ("PUT", "/{t}/"), ("GET", "/{t}/nothing"), ("DELETE", "/{t}"), ("PUT", "/{t}/a/b")],
        *[("GET", "/a/b/c/d"), ("POST", "/v1/nothing"), ("PATCH", "/{t}"), ("PUT", "/{t},{d}"), ("PUT", "/a%20b")],
    ]:
        yield "A1", ask(method, target, b"hi"), Refused(40401)


def topics():
    yield "A2", ask("PUT", "/" + "Aa0_-" + "x" * 59, b"hi"), Status(200, message="hi", topic="Aa0_-" + "x" * 59)
    yield "A2", ask("PUT", "/" + "x" * 65, b"hi"), Refused(40401)
    yield "A2", ask("POST", "/", json.dumps({"topic": "x" * 65})), Refused(40009)
    for name in ("a b", "a/b", "a,b", "ä", "", "~poll"):
        yield "A2", ask("POST", "/", json.dumps({"topic": name, "message": "hi"})), Refused(40009)
    yield "A2", ask("POST", "/", b'{"message": "hi"}'), Refused(40009)
    for name in ("docs", "static", "file", "app", "metrics", "account", "settings", "signup", "login", "v1"):
        yield "A2", ask("POST", "/", json.dumps({"topic": name, "message": "hi"})), Refused(40010)
        yield "A2", ask("PUT", f"/{name}", b"hi"), Refused(40010)
    gotify = "message stream application client user current version health plugin image gotifyinfo gotify"
    for name in [*gotify.split(), "wpush", "api", "ui"]:
        yield "F36", ask("POST", "/", json.dumps({"topic": name, "message": "hi"})), Refused(40010)


def parameters():
    for name in ("X-Message", "Message", "m"):
        yield "A3", ask("PUT", "/{t}", **{name.replace("-", "_"): r"one\ntwo"}), said("one\ntwo")
        yield "A3", put(query=queried(**{name.lower(): r"one\ntwo"})), said("one\ntwo")
    yield from each_name(["X-Title", "Title", "t"], "T", said(title="T"))
    yield from each_name(["X-Priority", "Priority", "prio", "p"], "4", said(priority=4))
    yield from each_name(["X-Tags", "Tags", "Tag", "ta"], "a, b,,c ", said(tags=["a", "b", "c"]))
    yield from each_name(["X-Click", "Click"], "geo:1,2", said(click="geo:1,2"))
    yield from each_name(["X-Icon", "Icon"], LINK, said(icon=LINK))
    yield from each_name(["X-Attach", "Attach", "a"], f"{LINK}.jpg", said(attachment=an_attachment("a.jpg")))
    yield from each_name(["X-Markdown", "Markdown", "md"], "yes", said(content_type="text/markdown"))
    yield from each_name(["X-Cache", "Cache"], "no", said(expires=None))
    yield from each_name(["X-Firebase", "Firebase"], "no", said())
    yield from each_name(["X-Sequence-ID", "Sequence-ID", "sid"], "s1", said(sequence_id="s1"))
    yield from each_name(["X-Email", "X-E-Mail", "Email", "E-Mail", "mail", "e"], "a@example.org", Refused(40001))
    yield from each_name(["X-Call", "Call"], "+15551234", Refused(40032))
    yield from each_name(["X-Call", "Call"], "yes", Refused(40032))
    yield from each_name(["X-Delay", "Delay", "X-At", "At", "X-In", "In"], "30m", said(time=about(1800)))
    yield from each_name(["X-Actions", "Actions", "Action"], f"view, Open, {LINK}", said(actions=buttons(VIEW)))
    yield from each_name(
        ["X-Filename", "Filename", "file", "f"],
        "n.txt",
        said("You received a file: n.txt", attachment=an_attachment("n.txt", "text/plain", 2)),
    )
    polled = Told(event="poll_request", message="New message", poll_id="abc")
    polled.own = {"message"}
    for name in ("X-Poll-ID", "Poll-ID"):
        yield "A3", ask("PUT", "/{d}", b"x", **{name.replace("-", "_"): "abc"}), polled


def values():
    for word, number in [("min", 1), ("low", 2), ("default", 3), ("HIGH", 4), ("max", 5), ("Urgent", 5)]:
        yield "A3", put(b"hi", Priority=word), said(priority=number)
    for number in range(1, 6):
        yield "A3", put(b"hi", X_Priority=number), said(priority=number)
    for wrong in ("0", "6", "-1", "much", "1.5"):
        yield "A3", put(b"hi", X_Priority=wrong), Refused(40007)
    for browser in ("u=1", "u=1, i"):
        yield "F13", put(b"hi", Priority=browser), said()
        yield "F13", put(b"hi", query="p=5", Priority=browser), said(priority=5)
    yield "A3", put(b"hi", query="title=q", Title="h"), said(title="h")
    yield "A3", put(b"hi", query="title=q", Title=""), said(title="q")
    yield "A3", put(b"hi", X_Title="", Title="second"), said(title="second")
    yield "A3", put(b"hi", X_Title="  trimmed  "), said(title="trimmed")
    yield "A3", put(b"hi", query="x-title=q"), said(title="q")
    yield "A3", put(b"body", X_Message="field"), said("body")
    yield "A3", put(b"hi", Title="=?UTF-8?B?w6TDtg==?="), said(title="äö")
    yield "A3", put(b"hi", Title="=?utf-8?q?=C3=A4_b?="), said(title="ä b")
    yield "A3", put(b"hi", Title="a =?UTF-8?Q?=C3=A4?= b"), said(title="a ä b")
    yield "A3", put(b"hi", Title="=?UTF-8?B?***?="), said(title="=?UTF-8?B?***?=")
    yield "F9", put(b"hi", Title="Größe 你好"), said(title="Größe 你好")
    yield "A3", put(b"hi", Title=b"Gr\xf6\xdfe"), said(title=lambda text: text and text.startswith("Gr\ufffd"))
    yield "A3", put(b"hi", query="title=a%00b"), said(title="ab")
    yield "A3", put(b"hi", Title="x" * 1024), said(title="x" * 1024)
    yield "A3", put(b"hi", Title="x" * 1025), Refused(40057)
    yield "A3", put(b"hi", Tags="x" * 512), said(tags=["x" * 512])
    yield "A3", put(b"hi", Tags="x" * 256 + "," + "y" * 257), Refused(40058)
    yield "A3", put(b"hi", Icon="ftp://example.org/a"), Refused(40021)
    yield "A3", put(b"hi", Attach="file:///etc/passwd"), Refused(40013)
    yield "A3", put(b"hi", Attach="https://example.org/"), said(attachment=an_attachment("attachment"))
    yield "A3", put(b"hi", Attach=LINK, Filename="b.png"), said(attachment=an_attachment("b.png"))
    yield "A3", put(b"*hi*", Content_Type="text/markdown"), said("*hi*", content_type="text/markdown")
    yield "A3", put(b"*hi*", Content_Type="Text/Markdown; charset=utf-8"), said("*hi*", content_type="text/markdown")
    for no in ("no", "0", "false", "off", "maybe"):
        yield "A3", put(b"hi", Markdown=no), said()
    for yes in ("1", "yes", "true", "True"):
        yield "A3", put(b"hi", Markdown=yes), said(content_type="text/markdown")
    yield "A3", put(b"hi", X_Cache=""), said()
    yield "A3", put(b"hi", query="timezone=Europe/Berlin"), said()
    yield "A3", put(b"hi", Delay="tomorrow, 9am", Timezone="Nowhere/City"), Status(400)
    for wrong in ("a b", "x" * 65, "ä"):
        yield "A3", put(b"hi", X_Sequence_ID=wrong), Refused(40049)
    yield "A3", put(b"hi", X_Email="yes"), Refused(40001)


def in_json():
    full = dict(message="hi", title="T", tags=["a", "b"], priority=4, click=LINK, icon=LINK, sequence_id="s")
    told = dict(title="T", tags=["a", "b"], priority=4, click=LINK, icon=LINK, sequence_id="s")
    yield "A4", tell(**full, markdown=True), said(**told, content_type="text/markdown")
    nothing = (
        "title tags priority click attach icon filename delay email call sequence_id markdown cache firebase actions"
    )
    yield "A4", tell(message="hi", **dict.fromkeys(nothing.split())), said()
    yield "A4", tell(message="hi", unknown={"a": [1]}, another=None), said()
    yield "A4", tell(message="hi", priority=0), said()
    yield "A4", tell(message="hi", priority=6), Refused(40007)
    yield "A4", tell(message="hi", cache="no"), said(expires=None)
    yield "A4", tell(message="hi", cache="yes", firebase="no"), said()
    for name in ("cache", "firebase"):
        yield "A4", tell(message="hi", **{name: False}), Refused(40024)
    yield "A4", tell(message="hi", tags="a"), Refused(40024)
    yield "A4", tell(message="hi", delay="30m"), said(time=about(1800))
    yield "A4", tell(message="hi", attach=f"{LINK}.jpg", filename="n"), said(attachment=an_attachment("n"))
    yield "A4", tell(message="hi", attach=f"{LINK}.jpg"), said(attachment=an_attachment("a.jpg"))
    yield (
        "A4",
        tell(message="hi", actions=[VIEW, CALL | {"method": "put"}]),
        said(actions=buttons(VIEW, CALL | {"method": "PUT"})),
    )
    yield "A4", tell(message="hi", email="a@example.org"), Refused(40001)
    yield "A4", tell(message="hi", call="yes"), Refused(40032)
    yield "A4", tell(message="hi", icon="icon.png"), Refused(40021)
    yield "A4", tell(message="hi", sequence_id="a b"), Refused(40049)
    yield "A4", tell(), TRIGGERED
    yield "A4", tell(message=""), TRIGGERED
    yield "A4", tell({"Content_Type": "text/plain"}, message="hi"), said()
    yield "A4", put(b'{"message": "hi"}', Content_Type=JSON), said('{"message": "hi"}')
    for broken in (b"", b"{", b"[1]", b'"text"', b'{"topic": 1}', b'{"topic": "a", "message": 1}'):
        yield "A4", ask("POST", "/", broken), Refused(40024)
    yield "A4", tell(message="x" * 8192), Refused(41303)
    merged = dict(X_Priority="high", X_Tags="a,b", X_Icon=LINK, X_Click=LINK, X_Markdown="yes")
    yield (
        "F11",
        tell(merged, message="hi", title="T"),
        said(title="T", priority=4, tags=["a", "b"], icon=LINK, click=LINK, content_type="text/markdown"),
    )
    yield (
        "F11",
        tell({"X_Title": "field", "X_Priority": "1"}, message="hi", title="json"),
        said(title="json", priority=1),
    )
    yield "F11", tell({"X_Actions": f"view, Open, {LINK}"}, message="hi"), said(actions=buttons(VIEW))
    yield "A4", ask("POST", "/?title=query", b'{"topic": "{t}", "message": "hi"}'), said(title="query")
    yield "A11", tell(message="<b> & \u2028 ä"), said("<b> & \u2028 ä")


def delays():
    now = int(time.time())
    for text, seconds in [
        *[("30m", 1800), ("1h30m", 5400), ("90s", 90), ("2 days", 172_800), ("1d", 86_400), ("1 hour", 3600)],
        *[("20 minutes", 1200), ("15 sec", 15), ("2 hours", 7200), ("5min", 300), (now + 600, 600)],
    ]:
        yield "A5", put(b"hi", Delay=text), said(time=about(seconds))
    later = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now + 900))
    yield "A5", put(b"hi", At=later), said(time=about(900))
    soon = dict(time=lambda value: isinstance(value, int) and now < value <= now + 7 * 86_400)
    for text in ("tomorrow, 10am", "10am", "tomorrow"):
        yield "A5", put(b"hi", At=text, Timezone="UTC"), said(**soon)
    for text, code in [("5s", 40005), ("4d", 40006), ("gibberish", 40004), (now + 9 * 86_400, 40006)]:
        yield "A5", put(b"hi", Delay=text), Refused(code)
    yield "A5", put(b"hi", Delay=now - 600), Refused(40004, 40005)
    yield "A5", put(b"hi", Delay="30m", Cache="no"), Refused(40002)
    yield "A5", put(b"hi", Delay="30m", Email="a@example.org"), Refused(40001, 40003)
    yield "A5", put(b"hi", Delay="30m", Call="yes"), Refused(40032, 40037)


def bodies():
    yield "A6", put(b"  \n hi \r\n "), said("hi")
    yield "A6", put(), TRIGGERED
    yield "F8", put(X_Message="hi"), said("hi")
    yield "F8", put(b" \n\t ", X_Message="hi"), TRIGGERED
    yield "F17", put(rb"one\ntwo"), said(r"one\ntwo")
    yield "F6", put(b"a=b&title=x", Content_Type="application/x-www-form-urlencoded"), said("a=b&title=x")
    yield "A6", put(b"x" * 4096), said("x" * 4096)
    yield "A6", put("ä".encode() * 2048), said("ä" * 2048)
    long = dict(attachment=an_attachment("attachment.txt", "text/plain", 4097))
    yield "A6", put(b"x" * 4097), said("You received a file: attachment.txt", **long)
    yield "F15", put(b"x" * 4097, Title="T"), said("You received a file: attachment.txt", title="T", **long)
    yield "F15", tell(message="x" * 4097), said("You received a file: attachment.txt", **long)
    png = dict(attachment=an_attachment("attachment.png", "image/png", len(PNG)))
    yield "A6", put(PNG), said("You received a file: attachment.png", **png)
    yield "A6", put(PNG, X_Message=r"a\npicture"), said("a\npicture", **png)
    other = dict(attachment=an_attachment("attachment.bin", "application/octet-stream", 3))
    yield "A6", put(b"\xff\xfe\x00"), said("You received a file: attachment.bin", **other)
    named = dict(attachment=an_attachment("ä.log", "text/plain", 2))
    yield "A6", put(b"hi", Filename="ä.log", Message="look"), said("look", **named)
    yield "A6", put(b"text", Attach=LINK), said("text", attachment=an_attachment("a"))
    yield "A6", put(b"\xff\xfe", Attach=LINK), Refused(40011)
    yield "A6", put(b"x" * 5000, Attach=LINK), said("x" * 4096, attachment=an_attachment("a"))
    yield "A6", put(Attach=LINK), said("You received a file: a", attachment=an_attachment("a"))
    yield "A6", put(b"x" * 20_000_000, Filename="big"), Refused(41301)
    # Without a name a small file is the message, and X-Message is lost, as at ntfy.
    yield "F18", put(b"small file", X_Message="lost"), said("small file")
    yield "F16", ask("POST", "/", json.dumps({"topic": "{t}", "message": "я" * 1300})), said("я" * 1300)
    yield "F16", ask("POST", "/", json.dumps({"topic": "{t}", "message": "я" * 1400})), Refused(41303)
    chunked = b"2\r\nhi\r\n3;x=y\r\n du\r\n0\r\n\r\n"
    yield "F7", ask("PUT", "/{t}", chunked, Transfer_Encoding="chunked"), said("hi du")
    yield "F7", put(b"hi", Expect="100-continue"), said()
    yield (
        "F9",
        put(X_Message="x" * 4000, X_Actions=json.dumps([VIEW | {"label": "y" * 3000}])),
        said("x" * 4000, actions=buttons(VIEW | {"label": "y" * 3000})),
    )
    yield "F9", put(X_Message="x" * 8000), Status(200, message=lambda text: len(text) > 0)
    yield "F2", put(b"x" * 4096, Title="t" * 1024), said("x" * 4096, title="t" * 1024)


def actions():
    json_form = json.dumps([VIEW | {"clear": True}, CALL | {"headers": {"a": "b"}, "body": "x"}])
    yield (
        "A7",
        put(b"hi", Actions=json_form),
        said(actions=buttons(VIEW | {"clear": True}, CALL | {"headers": {"a": "b"}, "body": "x"})),
    )
    short = f"view, Open, {LINK}, clear=true; http, Do, {LINK}, method=put, headers.a=b, body=x"
    yield (
        "A7",
        put(b"hi", Actions=short),
        said(actions=buttons(VIEW | {"clear": True}, CALL | {"method": "PUT", "headers": {"a": "b"}, "body": "x"})),
    )
    # As aiontfy writes them, and ntfy-api, python-ntfy and ntfy_lite.
    for text in [
        f"action='view', label='Open', url='{LINK}', clear=0",
        f'view,Open,"{LINK}",clear=false',
        f"action=view, label=Open, url={LINK}, clear=False",
        f"view, label=Open, url={LINK}, clear=false",
    ]:
        yield "A7", put(b"hi", Actions=text), said(actions=buttons(VIEW))
    quoted = rf'view, "a, b; \"c\"", {LINK}'
    yield "A7", put(b"hi", Actions=quoted), said(actions=buttons(VIEW | {"label": 'a, b; "c"'}))
    sent = {"action": "broadcast", "label": "Go", "intent": "i", "extras": {"a": "b"}}
    yield "A7", put(b"hi", Actions="broadcast, Go, intent=i, extras.a=b"), said(actions=buttons(sent))
    yield (
        "A7",
        put(b"hi", Actions="copy, Take, 42"),
        said(actions=buttons(dict(action="copy", label="Take", value="42"))),
    )
    three = "; ".join([f"view, Open, {LINK}"] * 3)
    yield "A7", put(b"hi", Actions=three), said(actions=buttons(VIEW, VIEW, VIEW))
    for wrong in [
        f"{three}; view, Open, {LINK}",
        *("view, Open", "http, Do", "copy, Take", "dance, Do", f"view, , {LINK}", "view", f"view, a, {LINK}, what=x"),
        *(f"view, a, {LINK}, d, e", f"http, a, {LINK}, method=GET, body=x", f"view, a, {LINK}, clear=perhaps"),
        *("[", '[{"action": "view"}]', "view, 'a"),
    ]:
        yield "A7", put(b"hi", Actions=wrong), Refused(40018)


def unified_push():
    sealed = bytes(range(256))
    binary = dict(encoding="base64")
    yield "A8", ask("POST", "/{t}?up=1", sealed), said(base64.b64encode(sealed).decode(), **binary)
    yield (
        "F14",
        ask("POST", "/{t}", sealed, Content_Encoding="aes128gcm"),
        said(base64.b64encode(sealed).decode(), **binary),
    )
    yield "A8", ask("POST", "/{t}?up=1", b" as it is \n"), said(" as it is \n")
    yield "A8", ask("POST", "/{t}?up=1", sealed * 16), said(base64.b64encode(sealed * 16).decode(), **binary)
    yield "A8", ask("POST", "/{t}?up=1", sealed * 17), said(base64.b64encode(sealed * 16).decode(), **binary)
    yield "A8", ask("POST", "/{t}?up=1", b"hi", Title="T", Priority="high"), said(title="T", priority=4)
    yield "A12", ask("POST", "/upabcdefghij12?up=1", b"x", Authorization=None), Refused(50701)


def templates():
    body = json.dumps({"a": {"b": "B"}, "list": ["x", "y"], "yes": True, "n": 3}).encode()
    for text, result in [
        *[("{{.a.b}}", "B"), ("{{if .yes}}on{{else}}off{{end}}", "on"), ("{{range .list}}<{{.}}>{{end}}", "<x><y>")],
        *[("{{ .a.b | lower }}", "b"), ("{{.n}} left", "3 left")],
    ]:
        yield "A10", put(body, query=queried(tpl="yes", m=text)), said(result)
        yield "A10", put(body, X_Template="1", X_Message=text, X_Title="{{.a.b}}"), said(result, title="B")
    yield "A10", put(body, X_Template="yes", X_Message="hi", X_Priority="{{.n}}"), said(priority=3)
    yield "A10", put(b"no json", Template="yes", Message="hi"), Refused(40042)
    yield "A10", put(body, Template="yes", Message="{{.a"), Refused(40043)
    for wrong in ("{{call .a}}", '{{define "x"}}{{end}}', '{{template "x"}}'):
        yield "A10", put(body, Template="yes", Message=wrong), Refused(40044)
    yield "A10", put(body, Template="yes", Message="{{noSuchFunction .a}}"), Refused(40043)
    yield "A10", put(body, Template="nothing", Message="hi"), Refused(40047)
    yield "A10", put(json.dumps({"a": "x" * 5000}), Template="yes", Message="{{.a}}"), Refused(40041)
    yield "A10", put(json.dumps({"a": "x" * 131_072}), Template="yes", Message="hi"), Refused(41303)
    made = Status(200, title=bool, message=bool)
    yield "A10", put(json.dumps(ALERT), Template="alertmanager"), made
    grafana = {"status": "firing", "title": "CPU", "message": "too hot"}
    yield "A10", put(json.dumps(grafana), Template="grafana"), made
    starred = {"action": "created", "starred_at": "2026-11-29T10:00:00Z", "sender": {"login": "ann", "html_url": LINK}}
    starred |= {"repository": {"full_name": "a/b", "html_url": LINK, "stargazers_count": 1}}
    yield "A10", put(json.dumps(starred), Template="github"), made
    yield "A10", put(b'{"a": 1}', Template="github"), Refused(40045)


def errors_and_rights(place):
    """`place` has credentials, each with its own right."""
    own, other = place.credential, basic("wrong")
    for given in (basic(own), basic(own, ""), f"bearer {own}", f"BASIC {basic(own)[6:]}", basic(place.both)):
        yield "A13", put(b"hi", Authorization=given), said()
    yield "A13", put(b"hi", Authorization=f"Bearer {place.both}"), said()
    yield "A13", put(b"hi", query=auth(f"Bearer {own}"), Authorization=None), said()
    yield "A13", put(b"hi", query="authorization=" + auth(basic(own))[5:], Authorization=None), said()
    yield "A13", put(b"hi", query=auth(f"Bearer {own}"), Authorization=other), said()
    yield "A13", put(b"hi", query=auth("Bearer tk_wrong")), Refused(40101)
    yield "A13", put(b"hi", query="auth=%25%25", Authorization=None), Refused(50001)
    for given in (other, "Bearer tk_" + "a" * 29, "Bearer wrong", basic("", "")):
        for request in (
            put(b"hi"),
            get("/{t}/json?poll=1"),
            get("/{t}/auth"),
            ask("DELETE", "/{t}/x"),
            get("/v1/account"),
        ):
            request.fields = (("Authorization", given),)
            yield "A13", request, Refused(40101)
    for given in (None, "", "vapid t=a, k=b", "WebPush abc"):
        for request in (get("/{t}/json?poll=1"), get("/{t}/sse"), get("/{t}/auth"), ask("DELETE", "/{t}/x")):
            request.fields = (("Authorization", given),)
            yield "F12" if given is not None else "A13", request, Refused(40301)
    # From this machine, to a server where registration is open, anybody may publish.
    for given in (None, "", "vapid t=a, k=b"):
        yield "F12", ask("PUT", "/{d}", b"hi", Authorization=given), said()
    elsewhere = dict(Origin="https://example.org", Referer=LINK, X_Forwarded_For="10.0.0.1", Forwarded="for=10.0.0.1")
    elsewhere |= dict(Via="1.1 a", Cookie="a=b", Sec_Fetch_Site="cross-site", Host="example.org")
    for name, value in elsewhere.items():
        yield "A13", ask("PUT", "/{d}", b"hi", Authorization=None, **{name: value}), Refused(40301)
    read, write = f"Bearer {place.read}", f"Bearer {place.write}"
    yield "A13", ask("PUT", "/shared-a", b"hi", Authorization=write), said()
    yield "A13", ask("PUT", "/shared-a", b"hi", Authorization=read), Refused(40301)
    yield "A13", get("/shared-a/json?poll=1", Authorization=write), Refused(40301)
    yield "A13", get("/shared-a/json?poll=1", Authorization=read), Crossed(200, type="application/x-ndjson")
    yield "A13", get("/shared-a,{t}/json?poll=1", Authorization=read), Refused(40301)
    yield "A13", ask("PUT", "/{t}", b"hi", Authorization=write), Refused(40301)
    yield "A13", ask("DELETE", "/shared-a/x", Authorization=read), Refused(40301)
    yield "B2", get("/{t}/json?since=nonsense"), Refused(40008)
    yield "B2", get("/{t}/json?poll=1&since=1d"), Refused(40008)
    yield "B2", get("/{t}/ws"), Refused(40016)
    yield "F3", get("/{t}/json?poll=1&priority=much"), Refused(40007)


LIMITS = "messages messages_expiry_duration emails calls reservations attachment_total_size attachment_file_size"
LIMITS = f"{LIMITS} attachment_expiry_duration attachment_bandwidth".split()
COUNTS = "messages messages_remaining emails emails_remaining calls calls_remaining reservations reservations_remaining"
COUNTS = f"{COUNTS} attachment_total_size attachment_total_size_remaining".split()
SETTINGS = dict.fromkeys("login signup payments calls emails reservations web_push".split())


def is_whole(value):
    return type(value) is int


def whole(*names):
    """An object that has these as integers."""
    return lambda value: isinstance(value, dict) and all(is_whole(value.get(name)) for name in names)


def small(place):
    yield "B3", get("/v1/health", Authorization=None), Crossed(200, type=JSON, healthy=True)
    for name in SETTINGS:
        yield (
            "B3",
            get("/v1/config", Authorization=None),
            Crossed(200, type=JSON, **{f"enable_{name}": lambda value: isinstance(value, bool)}),
        )
    yield (
        "B3",
        get("/v1/config", Authorization=None),
        Crossed(200, base_url=lambda text: isinstance(text, str), disallowed_topics=lambda value: "docs" in value),
    )
    yield "B3", get("/config.js", Authorization=None), Status(200, type="text/javascript")
    numbers = dict(
        messages=lambda value: type(value) is int, messages_rate=lambda value: isinstance(value, (int, float))
    )
    yield "B3", get("/v1/stats", Authorization=None), Crossed(200, type=JSON, **numbers)
    yield "B3", get("/v1/version", Authorization=None), Refused(40101)
    parts = dict(limits=whole(*LIMITS), stats=whole(*COUNTS))
    yield "B3", get("/v1/account", Authorization=None), Crossed(200, type=JSON, username="*", role="anonymous", **parts)
    yield (
        "B5",
        get("/v1/account"),
        Crossed(
            200,
            type=JSON,
            username=lambda name: name not in (None, "", "*"),
            role=lambda role: role in ("user", "admin"),
            **parts,
        ),
    )
    made = dict(token=lambda text: len(text) == 32 and text.startswith("tk_"), label="HA", expires=0)
    made |= dict(last_access=is_whole, last_origin=lambda value: isinstance(value, str))
    yield "B5", ask("POST", "/v1/account/token", b'{"label": "HA", "expires": 0}'), Crossed(200, type=JSON, **made)
    yield "B3", ask("POST", "/v1/account/token", b"{", Authorization=None), Refused(40101, 40301)
    gateway = "/_matrix/push/v1/notify"
    yield "B3", get(gateway), Status(200, type=JSON, unifiedpush=lambda value: value.get("gateway") == "matrix")
    yield "B3", ask("POST", gateway, b"{"), Status(400)
    device = {"app_id": "a", "pushkey": f"{place.base}/upmatrix1234ab?up=1"}
    notified = {"notification": {"devices": [device]}}
    yield "B3", ask("POST", gateway, json.dumps(notified), Content_Type=JSON), Status(200, rejected=[])
    foreign = {"notification": {"devices": [device | {"pushkey": "https://example.org/upmatrix1234ab?up=1"}]}}
    yield (
        "B3",
        ask("POST", gateway, json.dumps(foreign), Content_Type=JSON),
        Status(200, rejected=["https://example.org/upmatrix1234ab?up=1"]),
    )


def rows(place):
    for part in (publish, topics, parameters, values, in_json, delays, bodies, actions, unified_push, templates):
        yield from part()
    yield from errors_and_rights(place)
    yield from small(place)
