"""The rows of what ntfy's and Gotify's programs send, and what answers them: one line for each.

A row is a request and what is expected. `{t}` is a topic of the row's
own, `{d}` one whose messages nobody reads back.
"""

import base64
import json
import time
import urllib.parse

from expected import Cleared, Crossed, Deleted, Refused, Status, Told, about
from wire import JSON, Request, encoded


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


def each_name(names, value, expected):
    """A parameter under each of its names: as a field as it is written, and in a query in small letters."""
    for name in names:
        yield ask("PUT", "/{t}", b"hi", **{name.replace("-", "_"): value}), expected
        yield put(b"hi", query=queried(**{name.lower(): value})), expected


def an_attachment(name, kind=None, size=None):
    """A file of this kind and size that is kept here, or without a kind what a link leads to."""

    def holds(value):
        members = {"name", "url"} if kind is None else {"name", "url", "type", "size", "expires"}
        if not isinstance(value, dict) or set(value) != members or value["name"] != name:
            return False
        if kind is None:
            return True
        is_kept = value["expires"] > time.time() and "/file/" in value["url"]
        return is_kept and value["size"] == size and value["type"].startswith(kind)

    return holds


def is_whole(value):
    return type(value) is int


def buttons(*wanted):
    """Actions in this order. Each has an id of the server's."""

    def holds(value):
        if not isinstance(value, list) or len(value) != len(wanted):
            return False
        ids = [action.pop("id", "") for action in json.loads(json.dumps(value))]
        rest = [{name: part for name, part in action.items() if name != "id"} for action in value]
        return all(len(text) == 10 for text in ids) and rest == [{"clear": False} | action for action in wanted]

    return holds


def multipart(**parts):
    """A body of parts. A part that is bytes is a file."""
    lines = []
    for name, value in parts.items():
        named = f'Content-Disposition: form-data; name="{name}"'.encode()
        if isinstance(value, bytes):
            named += b'; filename="a.png"\r\nContent-Type: image/png'
        lines += [f"--{BORDER}".encode(), named, b"", value if isinstance(value, bytes) else value.encode()]
    return b"\r\n".join([*lines, f"--{BORDER}--".encode(), b""])


LINK = "https://example.org/a"
BORDER = "----border"
MULTIPART = f"multipart/form-data; boundary={BORDER}"
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
        yield ask(method, "/{t}", b"hi"), said()
        yield ask(method, "/", b'{"topic": "{t}", "message": "hi"}'), said()
        yield ask(method, "/{t}/my-id", b"hi"), said(sequence_id="my-id")
        # Only GET publishes by these words.
        yield ask(method, "/{t}/send", b"hi"), said(sequence_id="send")
    for word in ("publish", "send", "trigger"):
        yield get(f"/{{t}}/{word}?message=hi&t=T&p=4"), said(title="T", priority=4)
        yield get(f"/{{t}}/{word}", X_Message="hi"), said()
        yield get(f"/{{t}}/{word}"), TRIGGERED
    yield ask("DELETE", "/{t}/seq"), Deleted(sequence_id="seq")
    yield get("/{t}/seq/delete"), Deleted(sequence_id="seq")
    for word in ("clear", "read"):
        yield ask("PUT", f"/{{t}}/seq/{word}"), Cleared(sequence_id="seq")
        yield get(f"/{{t}}/seq/{word}"), Cleared(sequence_id="seq")
    yield get("/{t}?up=1"), Status(200, type=JSON, unifiedpush={"version": 1})
    yield get("/{t}", UnifiedPush="1"), Status(200, type=JSON, unifiedpush={"version": 1})
    yield get("/{t}/auth"), Crossed(200, type=JSON, success=True)
    yield get("/{t},{d}/auth"), Crossed(200, type=JSON, success=True)
    yield ask("HEAD", "/"), Status(200)
    for target in ("/", "/{t}", "/{t}/json", "/v1/account", "/a/b/c/d"):
        yield ask("OPTIONS", target, Authorization="Bearer tk_wrong"), Crossed(200)
    for method, target in [
        *[("GET", "/{t}/"), ("PUT", "/{t}/"), ("GET", "/{t}/nothing"), ("DELETE", "/{t}"), ("PUT", "/{t}/a/b")],
        *[("GET", "/a/b/c/d"), ("POST", "/v1/nothing"), ("PATCH", "/{t}"), ("PUT", "/{t},{d}"), ("PUT", "/a%20b")],
    ]:
        yield ask(method, target, b"hi"), Refused(40401)


def topics():
    yield ask("PUT", "/" + "Aa0_-" + "x" * 59, b"hi"), Status(200, message="hi", topic="Aa0_-" + "x" * 59)
    yield ask("PUT", "/" + "x" * 65, b"hi"), Refused(40401)
    yield ask("POST", "/", json.dumps({"topic": "x" * 65})), Refused(40009)
    for name in ("a b", "a/b", "a,b", "ä", "", "~poll"):
        yield ask("POST", "/", json.dumps({"topic": name, "message": "hi"})), Refused(40009)
    yield ask("POST", "/", b'{"message": "hi"}'), Refused(40009)
    for name in ("docs", "static", "file", "app", "metrics", "account", "settings", "signup", "login", "v1"):
        yield ask("POST", "/", json.dumps({"topic": name, "message": "hi"})), Refused(40010)
        # Gotify answers for that one.
        if name != "static":
            yield ask("PUT", f"/{name}", b"hi"), Refused(40010)
    gotify = "message stream application client user current version health plugin image gotifyinfo gotify"
    for name in [*gotify.split(), "wpush", "api", "ui"]:
        yield ask("POST", "/", json.dumps({"topic": name, "message": "hi"})), Refused(40010)


def parameters():
    for name in ("X-Message", "Message", "m"):
        yield ask("PUT", "/{t}", **{name.replace("-", "_"): r"one\ntwo"}), said("one\ntwo")
        yield put(query=queried(**{name.lower(): r"one\ntwo"})), said("one\ntwo")
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
        yield ask("PUT", "/{d}", b"x", **{name.replace("-", "_"): "abc"}), polled


def values():
    for word, number in [("min", 1), ("low", 2), ("default", 3), ("HIGH", 4), ("max", 5), ("Urgent", 5)]:
        yield put(b"hi", Priority=word), said(priority=number)
    for number in range(1, 6):
        yield put(b"hi", X_Priority=number), said(priority=number)
    for wrong in ("0", "6", "-1", "much", "1.5"):
        yield put(b"hi", X_Priority=wrong), Refused(40007)
    for browser in ("u=1", "u=1, i"):
        yield put(b"hi", Priority=browser), said()
        yield put(b"hi", query="p=5", Priority=browser), said(priority=5)
    yield put(b"hi", query="title=q", Title="h"), said(title="h")
    yield put(b"hi", query="title=q", Title=""), said(title="q")
    yield put(b"hi", X_Title="", Title="second"), said(title="second")
    yield put(b"hi", X_Title="  trimmed  "), said(title="trimmed")
    yield put(b"hi", query="x-title=q"), said(title="q")
    yield put(b"body", X_Message="field"), said("body")
    yield put(b"hi", Title="=?UTF-8?B?w6TDtg==?="), said(title="äö")
    yield put(b"hi", Title="=?utf-8?q?=C3=A4_b?="), said(title="ä b")
    yield put(b"hi", Title="a =?UTF-8?Q?=C3=A4?= b"), said(title="a ä b")
    yield put(b"hi", Title="=?UTF-8?B?***?="), said(title="=?UTF-8?B?***?=")
    yield put(b"hi", Title="Größe 你好"), said(title="Größe 你好")
    yield put(b"hi", Title=b"Gr\xf6\xdfe"), said(title=lambda text: text and text.startswith("Gr\ufffd"))
    yield put(b"hi", query="title=a%00b"), said(title="ab")
    yield put(b"hi", Title="x" * 1024), said(title="x" * 1024)
    yield put(b"hi", Title="x" * 1025), Refused(40057)
    yield put(b"hi", Tags="x" * 512), said(tags=["x" * 512])
    yield put(b"hi", Tags="x" * 256 + "," + "y" * 257), Refused(40058)
    yield put(b"hi", Icon="ftp://example.org/a"), Refused(40021)
    yield put(b"hi", Attach="file:///etc/passwd"), Refused(40013)
    yield put(b"hi", Attach="https://example.org/"), said(attachment=an_attachment("attachment"))
    yield put(b"hi", Attach=LINK, Filename="b.png"), said(attachment=an_attachment("b.png"))
    yield put(b"*hi*", Content_Type="text/markdown"), said("*hi*", content_type="text/markdown")
    yield (put(b"*hi*", Content_Type="Text/Markdown; charset=utf-8"), said("*hi*", content_type="text/markdown"))
    for no in ("no", "0", "false", "off", "maybe"):
        yield put(b"hi", Markdown=no), said()
    for yes in ("1", "yes", "true", "True"):
        yield put(b"hi", Markdown=yes), said(content_type="text/markdown")
    yield put(b"hi", X_Cache=""), said()
    yield put(b"hi", query="timezone=Europe/Berlin"), said()
    yield put(b"hi", Delay="tomorrow, 9am", Timezone="Nowhere/City"), Status(400)
    for wrong in ("a b", "x" * 65, "ä"):
        yield put(b"hi", X_Sequence_ID=wrong), Refused(40049)
    yield put(b"hi", X_Email="yes"), Refused(40001)


def in_json():
    full = dict(message="hi", title="T", tags=["a", "b"], priority=4, click=LINK, icon=LINK, sequence_id="s")
    told = dict(title="T", tags=["a", "b"], priority=4, click=LINK, icon=LINK, sequence_id="s")
    yield tell(**full, markdown=True), said(**told, content_type="text/markdown")
    nothing = (
        "title tags priority click attach icon filename delay email call sequence_id markdown cache firebase actions"
    )
    yield tell(message="hi", **dict.fromkeys(nothing.split())), said()
    yield tell(message="hi", unknown={"a": [1]}, another=None), said()
    yield tell(message="hi", priority=0), said()
    yield tell(message="hi", priority=6), Refused(40007)
    yield tell(message="hi", cache="no"), said(expires=None)
    yield tell(message="hi", cache="yes", firebase="no"), said()
    for name in ("cache", "firebase"):
        yield tell(message="hi", **{name: False}), Refused(40024)
    yield tell(message="hi", tags="a"), Refused(40024)
    yield tell(message="hi", delay="30m"), said(time=about(1800))
    yield tell(message="hi", attach=f"{LINK}.jpg", filename="n"), said(attachment=an_attachment("n"))
    yield tell(message="hi", attach=f"{LINK}.jpg"), said(attachment=an_attachment("a.jpg"))
    yield (
        tell(message="hi", actions=[VIEW, CALL | {"method": "put"}]),
        said(actions=buttons(VIEW, CALL | {"method": "PUT"})),
    )
    yield tell(message="hi", email="a@example.org"), Refused(40001)
    yield tell(message="hi", call="yes"), Refused(40032)
    yield tell(message="hi", icon="icon.png"), Refused(40021)
    yield tell(message="hi", sequence_id="a b"), Refused(40049)
    yield tell(), TRIGGERED
    yield tell(message=""), TRIGGERED
    yield tell({"Content_Type": "text/plain"}, message="hi"), said()
    yield put(b'{"message": "hi"}', Content_Type=JSON), said('{"message": "hi"}')
    for broken in (b"", b"{", b"[1]", b'"text"', b'{"topic": 1}', b'{"topic": "a", "message": 1}'):
        yield ask("POST", "/", broken), Refused(40024)
    yield tell(message="x" * 8192), Refused(41303)
    merged = dict(X_Priority="high", X_Tags="a,b", X_Icon=LINK, X_Click=LINK, X_Markdown="yes")
    yield (
        tell(merged, message="hi", title="T"),
        said(title="T", priority=4, tags=["a", "b"], icon=LINK, click=LINK, content_type="text/markdown"),
    )
    yield (tell({"X_Title": "field", "X_Priority": "1"}, message="hi", title="json"), said(title="json", priority=1))
    yield tell({"X_Actions": f"view, Open, {LINK}"}, message="hi"), said(actions=buttons(VIEW))
    yield ask("POST", "/?title=query", b'{"topic": "{t}", "message": "hi"}'), said(title="query")
    yield tell(message="<b> & \u2028 ä"), said("<b> & \u2028 ä")


def delays():
    now = int(time.time())
    for text, seconds in [
        *[("30m", 1800), ("1h30m", 5400), ("90s", 90), ("2 days", 172_800), ("1d", 86_400), ("1 hour", 3600)],
        *[("20 minutes", 1200), ("15 sec", 15), ("2 hours", 7200), ("5min", 300), (now + 600, 600)],
    ]:
        yield put(b"hi", Delay=text), said(time=about(seconds))
    later = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now + 900))
    yield put(b"hi", At=later), said(time=about(900))
    soon = dict(time=lambda value: isinstance(value, int) and now < value <= now + 7 * 86_400)
    for text in ("tomorrow, 10am", "10am", "tomorrow"):
        yield put(b"hi", At=text, Timezone="UTC"), said(**soon)
    for text, code in [("5s", 40005), ("4d", 40006), ("gibberish", 40004), (now + 9 * 86_400, 40006)]:
        yield put(b"hi", Delay=text), Refused(code)
    yield put(b"hi", Delay=now - 600), Refused(40004, 40005)
    yield put(b"hi", Delay="30m", Cache="no"), Refused(40002)
    yield put(b"hi", Delay="30m", Email="a@example.org"), Refused(40001, 40003)
    yield put(b"hi", Delay="30m", Call="yes"), Refused(40032, 40037)


def bodies():
    yield put(b"  \n hi \r\n "), said("hi")
    yield put(), TRIGGERED
    yield put(X_Message="hi"), said("hi")
    yield put(b" \n\t ", X_Message="hi"), TRIGGERED
    yield put(rb"one\ntwo"), said(r"one\ntwo")
    yield put(b"a=b&title=x", Content_Type="application/x-www-form-urlencoded"), said("a=b&title=x")
    yield put(b"x" * 4096), said("x" * 4096)
    yield put("ä".encode() * 2048), said("ä" * 2048)
    long = dict(attachment=an_attachment("attachment.txt", "text/plain", 4097))
    yield put(b"x" * 4097), said("You received a file: attachment.txt", **long)
    yield put(b"x" * 4097, Title="T"), said("You received a file: attachment.txt", title="T", **long)
    yield tell(message="x" * 4097), said("You received a file: attachment.txt", **long)
    png = dict(attachment=an_attachment("attachment.png", "image/png", len(PNG)))
    yield put(PNG), said("You received a file: attachment.png", **png)
    yield put(PNG, X_Message=r"a\npicture"), said("a\npicture", **png)
    other = dict(attachment=an_attachment("attachment.bin", "application/octet-stream", 3))
    yield put(b"\xff\xfe\x00"), said("You received a file: attachment.bin", **other)
    named = dict(attachment=an_attachment("ä.log", "text/plain", 2))
    yield put(b"hi", Filename="ä.log", Message="look"), said("look", **named)
    yield put(b"text", Attach=LINK), said("text", attachment=an_attachment("a"))
    yield put(b"\xff\xfe", Attach=LINK), Refused(40011)
    yield put(b"x" * 5000, Attach=LINK), said("x" * 4096, attachment=an_attachment("a"))
    yield put(Attach=LINK), said("You received a file: a", attachment=an_attachment("a"))
    yield put(b"x" * 20_000_000, Filename="big"), Refused(41301)
    # Without a name a small file is the message, and X-Message is lost, as at ntfy.
    yield put(b"small file", X_Message="lost"), said("small file")
    yield ask("POST", "/", json.dumps({"topic": "{t}", "message": "я" * 1300})), said("я" * 1300)
    yield ask("POST", "/", json.dumps({"topic": "{t}", "message": "я" * 1400})), Refused(41303)
    chunked = b"2\r\nhi\r\n3;x=y\r\n du\r\n0\r\n\r\n"
    yield ask("PUT", "/{t}", chunked, Transfer_Encoding="chunked"), said("hi du")
    yield put(b"hi", Expect="100-continue"), said()
    yield (
        put(X_Message="x" * 4000, X_Actions=json.dumps([VIEW | {"label": "y" * 3000}])),
        said("x" * 4000, actions=buttons(VIEW | {"label": "y" * 3000})),
    )
    yield put(X_Message="x" * 8000), Status(200, message=lambda text: len(text) > 0)
    yield put(b"x" * 4096, Title="t" * 1024), said("x" * 4096, title="t" * 1024)


def actions():
    json_form = json.dumps([VIEW | {"clear": True}, CALL | {"headers": {"a": "b"}, "body": "x"}])
    yield (
        put(b"hi", Actions=json_form),
        said(actions=buttons(VIEW | {"clear": True}, CALL | {"headers": {"a": "b"}, "body": "x"})),
    )
    short = f"view, Open, {LINK}, clear=true; http, Do, {LINK}, method=put, headers.a=b, body=x"
    yield (
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
        yield put(b"hi", Actions=text), said(actions=buttons(VIEW))
    quoted = rf'view, "a, b; \"c\"", {LINK}'
    yield put(b"hi", Actions=quoted), said(actions=buttons(VIEW | {"label": 'a, b; "c"'}))
    sent = {"action": "broadcast", "label": "Go", "intent": "i", "extras": {"a": "b"}}
    yield put(b"hi", Actions="broadcast, Go, intent=i, extras.a=b"), said(actions=buttons(sent))
    yield (put(b"hi", Actions="copy, Take, 42"), said(actions=buttons(dict(action="copy", label="Take", value="42"))))
    three = "; ".join([f"view, Open, {LINK}"] * 3)
    yield put(b"hi", Actions=three), said(actions=buttons(VIEW, VIEW, VIEW))
    for wrong in [
        f"{three}; view, Open, {LINK}",
        *("view, Open", "http, Do", "copy, Take", "dance, Do", f"view, , {LINK}", "view", f"view, a, {LINK}, what=x"),
        *(f"view, a, {LINK}, d, e", f"http, a, {LINK}, method=GET, body=x", f"view, a, {LINK}, clear=perhaps"),
        *("[", '[{"action": "view"}]', "view, 'a"),
    ]:
        yield put(b"hi", Actions=wrong), Refused(40018)


def unified_push():
    sealed = bytes(range(256))
    binary = dict(encoding="base64")
    yield ask("POST", "/{t}?up=1", sealed), said(base64.b64encode(sealed).decode(), **binary)
    yield (ask("POST", "/{t}", sealed, Content_Encoding="aes128gcm"), said(base64.b64encode(sealed).decode(), **binary))
    yield ask("POST", "/{t}?up=1", b" as it is \n"), said(" as it is \n")
    yield ask("POST", "/{t}?up=1", sealed * 16), said(base64.b64encode(sealed * 16).decode(), **binary)
    yield ask("POST", "/{t}?up=1", sealed * 17), said(base64.b64encode(sealed * 16).decode(), **binary)
    yield ask("POST", "/{t}?up=1", b"hi", Title="T", Priority="high"), said(title="T", priority=4)
    yield ask("POST", "/upabcdefghij12?up=1", b"x", Authorization=None), Refused(50701)


def templates():
    body = json.dumps({"a": {"b": "B"}, "list": ["x", "y"], "yes": True, "n": 3}).encode()
    for text, result in [
        *[("{{.a.b}}", "B"), ("{{if .yes}}on{{else}}off{{end}}", "on"), ("{{range .list}}<{{.}}>{{end}}", "<x><y>")],
        *[("{{ .a.b | lower }}", "b"), ("{{.n}} left", "3 left")],
    ]:
        yield put(body, query=queried(tpl="yes", m=text)), said(result)
        yield put(body, X_Template="1", X_Message=text, X_Title="{{.a.b}}"), said(result, title="B")
    yield put(body, X_Template="yes", X_Message="hi", X_Priority="{{.n}}"), said(priority=3)
    yield put(b"no json", Template="yes", Message="hi"), Refused(40042)
    yield put(body, Template="yes", Message="{{.a"), Refused(40043)
    for wrong in ("{{call .a}}", '{{define "x"}}{{end}}', '{{template "x"}}'):
        yield put(body, Template="yes", Message=wrong), Refused(40044)
    yield put(body, Template="yes", Message="{{noSuchFunction .a}}"), Refused(40043)
    yield put(body, Template="nothing", Message="hi"), Refused(40047)
    yield put(json.dumps({"a": "x" * 5000}), Template="yes", Message="{{.a}}"), Refused(40041)
    yield put(json.dumps({"a": "x" * 131_072}), Template="yes", Message="hi"), Refused(41303)
    made = Status(200, title=bool, message=bool)
    yield put(json.dumps(ALERT), Template="alertmanager"), made
    grafana = {"status": "firing", "title": "CPU", "message": "too hot"}
    yield put(json.dumps(grafana), Template="grafana"), made
    starred = {"action": "created", "starred_at": "2026-11-29T10:00:00Z", "sender": {"login": "ann", "html_url": LINK}}
    starred |= {"repository": {"full_name": "a/b", "html_url": LINK, "stargazers_count": 1}}
    yield put(json.dumps(starred), Template="github"), made
    yield put(b'{"a": 1}', Template="github"), Refused(40045)


def services():
    """Bodies that are no plain text."""
    parts = {"title": "T", "message": "hi", "priority": "5"}
    yield put(multipart(**parts), Content_Type=MULTIPART), Status(200, message="hi", title="T")
    yield put(multipart(other="x"), Content_Type=MULTIPART), Refused(40000)
    known = json.dumps(ALERT)
    made = Status(200, title=lambda text: "90 % used" in text)
    yield put(known, Content_Type=JSON), made
    yield put(known, query="raw=1", Content_Type=JSON), said(known)
    yield put(known), said(known)
    yield put(known[:-1], Content_Type=JSON), said(known[:-1])
    yield put(b'{"temperature": 21}', Content_Type=JSON), said('{"temperature": 21}')


PARTS = (publish, topics, parameters, values, in_json, delays, bodies, actions, unified_push, templates, services)


def rows(place):
    """With the names of their parts."""
    for part in PARTS:
        yield from ((part.__name__, *row) for row in part())
