"""What Gotify's programs send, and what answers them: rows as those of ntfy's programs, and what needs several."""

import json
import re
import time
import urllib.parse

from expected import Crossed, Denied, Status, differs
from place import Socket
from table import MULTIPART, PNG, ask, get, is_whole, multipart
from wire import JSON, basic

DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")


def form(**values):
    return urllib.parse.urlencode(values)


def is_text(value):
    return isinstance(value, str)


def is_date(value):
    return is_text(value) and DATE.fullmatch(value) is not None


def is_application(value):
    return isinstance(value, dict) and not list(differs(value, APPLICATION))


APPLICATION = dict(
    id=is_whole, token=is_text, name=is_text, description=is_text, image=is_text, defaultPriority=is_whole
)
APPLICATION["internal"] = lambda value: isinstance(value, bool)
CLIENT = dict(id=is_whole, token=is_text, name=is_text)


class Message(Crossed):
    """The answer of a push: a message with these members, and no null."""

    def __init__(self, message="hi", **members):
        wanted = dict(message=message, title="Tool", priority=2, id=is_whole, appid=is_whole, date=is_date)
        super().__init__(200, type=JSON, **wanted | members)
        self.has_extras = "extras" in members

    def wrong(self, answer):
        yield from super().wrong(answer)
        if answer.status == 200 and isinstance(answer.members, dict):
            names = {"id", "appid", "message", "title", "priority", "date"} | ({"extras"} if self.has_extras else set())
            if set(answer.members) != names:
                yield f"it has {sorted(answer.members)}"


class Listed(Crossed):
    """A plain array of objects."""

    def __init__(self, **members):
        super().__init__(200, type=JSON)
        self.each = members

    def wrong(self, answer):
        yield from super().wrong(answer)
        if not isinstance(answer.members, list) or not answer.members:
            yield "it is no array, or empty"
            return
        for one in answer.members:
            yield from differs(one, self.each)


def push(body=None, /, query="", path="/message", **members):
    fields = {"Content_Type": JSON, "Authorization": None, "X_Gotify_Key": "{a}"}
    fields |= {name: members.pop(name) for name in list(members) if name[0].isupper()}
    return ask("POST", path + (query and f"?{query}"), json.dumps(members) if body is None else body, **fields)


def rows(place):
    yield from (("gotify", *row) for row in requests(place))


def requests(place):
    application, client = place.application["token"], place.client["token"]
    own = {"Authorization": None, "X_Gotify_Key": client}
    yield get("/application", **own), Listed(**APPLICATION)
    for given in [
        dict(X_Gotify_Key=client, Authorization=None),
        dict(Authorization=f"Bearer {client}"),
        dict(Authorization=f"bearer {client}"),
        dict(Authorization=basic(place.credential)),
    ]:
        yield (
            get("/current/user", **given),
            Crossed(200, type=JSON, id=is_whole, name=is_text, admin=lambda value: isinstance(value, bool)),
        )
    yield get(f"/current/user?token={client}", Authorization=None), Crossed(200, type=JSON)
    for given in (dict(X_Gotify_Key=application, Authorization=None), dict(Authorization=f"Bearer {application}")):
        yield push(message="hi", **given | {"X_Gotify_Key": given.get("X_Gotify_Key")}), Message()
    yield push(query=f"token={application}", message="hi", X_Gotify_Key=None), Message()
    for path in ("/gotify/message", "//message", "/gotify//message"):
        yield push(message="hi", path=path, X_Gotify_Key=application), Message()
    yield push(message="hi", path="/message/", X_Gotify_Key=application), Status(200, 301, 307, 308)
    sent = dict(X_Gotify_Key=application)
    yield push(message="hi", title="T", priority=7, **sent), Message(title="T", priority=7)
    for number in (-2, 0, 10):
        yield push(message="hi", priority=number, **sent), Message(priority=number)
    for blank in ("", "  "):
        yield push(message="hi", title=blank, **sent), Message()
    extras = {
        "client::display": {"contentType": "text/markdown"},
        "client::notification": {"click": {"url": "https://example.org/"}, "bigImageUrl": "https://example.org/a.png"},
        "android::action": {"onReceive": {"intentUrl": "app://x"}},
        "own::thing": {"deep": [1, 2.5, None, "ä", {"a": True}]},
    }
    yield push(message="hi", extras=extras, **sent), Message(extras=extras)
    yield push(message="hi", extras=None, title=None, priority=None, **sent), Message()
    yield (
        push(message="hi", id=7, appid=9999, date="2026-11-29T10:00:00Z", **sent),
        Message(appid=place.application["id"]),
    )
    yield push(message="x" * 1_000_000, **sent), Message("x" * 1_000_000)
    encoded = "application/x-www-form-urlencoded"
    yield (
        push(form(message="hi ä", title="T", priority="5"), Content_Type=encoded, **sent),
        Message("hi ä", title="T", priority=5),
    )
    yield (
        push(multipart(message="hi ä", title="T", priority="5"), Content_Type=MULTIPART, **sent),
        Message("hi ä", title="T", priority=5),
    )
    asked = form(token=application, message="hi", title="T", priority=5)
    yield push(b"", query=asked, Content_Type=None, X_Gotify_Key=None), Message(title="T", priority=5)
    for wrong in ({}, {"message": ""}, {"title": "T"}):
        yield push(**wrong, **sent), Denied(400)
    for wrong in (b"", b"{", b"[]", b'{"message": "hi", "priority": "much"}'):
        yield push(wrong, **sent), Denied(400)
    yield push(message="hi", X_Gotify_Key=None), Denied(401)
    for token in ("A" + "x" * 14, "wrong", ""):
        yield push(message="hi", X_Gotify_Key=token), Denied(401)
        yield get("/message", X_Gotify_Key=token, Authorization=None), Denied(401)
    yield push(message="hi", X_Gotify_Key=client), Denied(401, 400, 403)
    for path in ("/message", "/application", "/client", "/current/user"):
        yield get(path, Authorization=None), Denied(401)
        # A token that sends reads nothing.
        yield get(path, X_Gotify_Key=application, Authorization=None), Denied(401, 403)
    yield get("/gotify/nothing", **own), Denied(404)
    owner = {"Authorization": None, "X_Gotify_Key": place.credential}
    for path in ("/message/{none}", "/application/{none}", "/application/{none}/message", "/client/{none}"):
        yield ask("DELETE", path.replace("{none}", "999999999"), **owner), Denied(404)
    # A client makes clients as it is one itself, and no topics.
    yield ask("POST", "/application", b'{"name": "x"}', Content_Type=JSON, **own), Denied(403)
    yield ask("POST", "/client", b'{"name": "x"}', Content_Type=JSON, **own), Status(200, type=JSON, **CLIENT)
    yield get("/application/999999999/message", **own), Denied(404)
    for limit in ("0", "201", "-1", "many"):
        yield get(f"/message?limit={limit}", **own), Denied(400)
    for prefix in ("", "/gotify"):
        yield (
            get(f"{prefix}/version", Authorization=None),
            Crossed(200, type=JSON, version=is_text, commit=is_text, buildDate=is_text),
        )
        yield (get(f"{prefix}/health", Authorization=None), Status(200, type=JSON, health="green", database="green"))
        yield ask("HEAD", f"{prefix}/health", Authorization=None), Status(200)
    yield get("/client", **owner), Listed(**CLIENT)
    yield ask("OPTIONS", "/message", Authorization=None), Crossed(200)


class Gotify:
    """Applications, clients, messages by pages, and the stream."""

    def __init__(self, place, judge):
        self.place, self.judge, self.wire = place, judge, place.as_(None)
        # A client reads; what makes applications and clients is a device, in the same field.
        self.own, self.reader = {"X_Gotify_Key": place.credential}, {"X_Gotify_Key": place.client["token"]}

    def told(self, expected, what, answer):
        wrong = list(expected.wrong(answer))
        self.judge(not wrong, f"{what}: {wrong}", answer)
        return answer.members if isinstance(answer.members, dict) else {}

    def json(self, method, path, members=None, **fields):
        body = b"" if members is None else json.dumps(members)
        return self.wire.ask(method, path, body, **self.own | fields | ({"Content_Type": JSON} if body else {}))

    def push(self, text, token, **members):
        answer = self.json("POST", "/message", {"message": text, **members}, X_Gotify_Key=token)
        self.judge(answer.status == 200, f"{text} is taken", answer)
        return answer.members or {}

    def run(self):
        application, client = self.place.application, self.place.client
        shapes = [(r"A[A-Za-z0-9._-]{14}", application), (r"C[A-Za-z0-9._-]{14}", client)]
        for shape, made in shapes:
            self.judge(re.fullmatch(shape, made.get("token", "")), "the shape of a token", made)
        self.judge(is_application(application), "an application", application)
        wanted = dict(name="Tool", description="Sends", defaultPriority=2)
        self.judge(not list(differs(application, wanted)), "is as it was made", application)
        self.judge(not application.get("image", "/").startswith("/"), "its image is a relative path", application)
        for part in (self.applications, self.pages, self.stream, self.clients):
            self.judge.attempt(part)

    def application(self, method, path, members=None, **wanted):
        answer = self.json(method, path, members)
        return self.told(Status(200, type=JSON, **APPLICATION | wanted), f"{method} {path}", answer)

    def emptied(self, path, **fields):
        self.told(Status(200, body=b""), f"DELETE {path}", self.json("DELETE", path, **fields))

    def applications(self):
        made = self.application("POST", "/application", {"name": "Other"}, name="Other", defaultPriority=0)
        path, token = f"/application/{made.get('id')}", made.get("token", "")
        changed = dict(name="New", description="d", defaultPriority=6)
        self.application("PUT", path, changed, **changed)
        first = self.push("one", token)
        self.judge((first.get("title"), first.get("priority")) == ("New", 6), "its name and priority", first)
        self.image(path)
        self.emptied(f"{path}/message", **self.reader)
        self.judge(self.page(f"{path}/message")["messages"] == [], "it has no messages then")
        self.emptied(path)
        self.told(Denied(404), "it is gone", self.json("DELETE", path))
        answer = self.json("POST", "/message", {"message": "x"}, X_Gotify_Key=token)
        self.told(Denied(401), "and so is its token", answer)
        again = self.application("POST", "/application", {"name": "Other"})
        self.judge(again.get("id", 0) > made.get("id", 0), "numbers only grow", (made, again))
        self.told(Denied(400), "an application without a name", self.json("POST", "/application", {}))

    def image(self, path):
        def sent(content):
            return self.wire.ask("POST", f"{path}/image", multipart(file=content), Content_Type=MULTIPART, **self.own)

        picture = self.told(Status(200, type=JSON, **APPLICATION), "an image", sent(PNG))
        got = self.wire.ask("GET", "/" + picture.get("image", ""))
        self.judge(got.status == 200 and got.type.startswith("image/"), "the image is read", got)
        self.told(Denied(400), "what is no image", sent(b"text"))
        self.application("DELETE", f"{path}/image")

    def page(self, path):
        answer = self.json("GET", path, **self.reader)
        paging = dict(size=is_whole, limit=is_whole, since=is_whole)
        is_page = isinstance(answer.members, dict) and isinstance(answer.members.get("messages"), list)
        is_page = is_page and not list(differs(answer.members.get("paging", {}), paging))
        self.judge(answer.status == 200 and is_page, f"GET {path} is a page", answer)
        return answer.members if is_page else {"messages": [], "paging": {}}

    def pages(self):
        own, token = f"/application/{self.place.application['id']}/message", self.place.application["token"]
        self.json("DELETE", own)
        told = [self.push(f"page {number}", token, extras={"a::b": {"n": number}}) for number in range(5)]
        ids = [message.get("id", 0) for message in told]
        self.judge(ids == sorted(set(ids)) and ids[0] > 0, "ids grow", ids)
        for path in (own, "/message"):
            page = self.page(f"{path}?limit=2")
            self.judge(page["messages"] == told[:2:-1], "the newest come first", page)
            paging = page["paging"]
            self.judge(not list(differs(paging, dict(size=2, limit=2, since=ids[3]))), "paging", paging)
            further = paging.get("next") or ""
            is_next = f"{path}?" in further and {"limit=2", f"since={ids[3]}"} == set(further.split("?")[1].split("&"))
            self.judge(is_next, "where it goes on", paging)
            page = self.page(f"{path}?limit=2&since={ids[3]}")
            self.judge(page["messages"] == told[2:0:-1], "since is what is older", page)
        page = self.page(f"{own}?limit=200")
        self.judge(page["messages"] == told[::-1], "the whole page", page)
        end = page["paging"]
        self.judge(end.get("since") == 0 and end.get("next") is None and end.get("size") == 5, "the last page", end)
        self.emptied(f"/message/{ids[2]}", **self.reader)
        self.told(Denied(404), "it is gone", self.json("DELETE", f"/message/{ids[2]}"))
        left = [message["id"] for message in self.page("/message?limit=4")["messages"]]
        self.judge(left == [ids[4], ids[3], ids[1], ids[0]], "the others stay", left)

    def stream(self):
        token, client = self.place.application["token"], self.place.client["token"]
        ways = [(f"/stream?token={client}", None, []), ("/gotify/stream", None, [("X-Gotify-Key", client)])]
        ways += [("/stream", client, []), ("/stream", None, [("Authorization", basic(self.place.credential))])]
        for path, bearer, fields in ways:
            with Socket(self.place.port, path, bearer, fields) as socket:
                if self.judge(socket.is_open, f"{path} opens", socket.answered):
                    self.judge(socket.is_quiet(), "nothing comes at the beginning")
                    told = self.push("live", token, title="T", priority=3)
                    self.judge(json.loads(socket.text()) == told, "what is pushed comes as it was answered", told)
                    socket.send(b"ping", 9)
                    self.judge(socket.frame() == (10, b"ping"), "pings are answered")
        for path in ("/stream", "/stream?token=Cwrong", f"/stream?token={token}"):
            with Socket(self.place.port, path) as socket:
                self.judge(socket.answered.status in (401, 403), f"{path} is refused", socket.answered)

    def clients(self):
        answer = self.json(
            "POST", "/client", {"name": "phone"}, X_Gotify_Key=None, Authorization=basic(self.place.credential)
        )
        made = self.told(Status(200, type=JSON, **CLIENT | {"name": "phone"}), "POST /client", answer)
        path = f"/client/{made.get('id')}"
        renamed = Status(200, type=JSON, **CLIENT | {"name": "tablet"})
        self.told(renamed, "PUT /client", self.json("PUT", path, {"name": "tablet"}))
        with Socket(self.place.port, f"/stream?token={made.get('token')}") as socket:
            self.emptied(path)
            began = time.monotonic()
            self.judge(
                socket.is_open and socket.text() is None and time.monotonic() - began < 1.5,
                "its stream ends within a second",
            )
        self.told(Denied(401), "its token is gone", self.json("GET", "/message", X_Gotify_Key=made.get("token")))
