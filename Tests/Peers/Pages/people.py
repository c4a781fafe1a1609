"""Who uses the status page: an administrator and a user of this machine, each with a session, devices and a chat."""

import json
import re

from served import check
from wire import Answer, Wire, encoded

UID = 4001
# How the texts of pushes begin. Only pages with messages may show them, to their owner.
CONTENT = ("zq-title-of-a-push", "zq-text-of-a-push")
CSP = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self'",
    "connect-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}
FORM = "Content-Type: application/x-www-form-urlencoded"
COOKIE = "__Host-bellwire"


class Person:
    """Somebody who is logged in."""

    def __init__(self, stage, uid):
        self.stage, self.uid = stage, uid
        self.log_in()

    def log_in(self):
        code = self.stage.server.code(self.uid)
        answer = self.stage.log_in(code)
        check(answer.status == 303, f"a code logs in: {answer.status}")
        self.cookie = cookie_of(answer)
        self.stage.secrets |= {code, self.cookie}
        self.csrf = self.stage.wire.ask("GET", "/ui/", self.header).form("/ui/logout")["csrf"]

    @property
    def header(self):
        return f"Cookie: {COOKIE}={self.cookie}"

    @property
    def is_logged_in(self):
        return self.stage.wire.ask("GET", "/ui/live", self.header).status == 200

    def get(self, target, *fields, **how):
        return self.stage.wire.ask("GET", target, self.header, *fields, **how)

    def post(self, target, fields=None, *more, csrf=None, **how):
        """Sends a form with its token."""
        fields = dict(fields or {}) | {"csrf": self.csrf if csrf is None else csrf}
        return self.stage.wire.ask("POST", target, self.header, FORM, *more, body=encoded(fields), **how)

    def adding(self, **fields):
        """The fields of a form for a new device, which may be sent only once."""
        return self.get("/ui/status").form("/ui/devices") | fields

    def adding_token(self, topic, **fields):
        """The fields of the form for a new token of a topic."""
        return self.get(f"/ui/topics/{topic}").form("/tokens") | {"use": "push"} | fields

    def send(self, target, body, *fields, kind=FORM, method="POST"):
        """Sends a body as it is given."""
        return self.stage.wire.ask(method, target, self.header, kind, *fields, body=body)


def cookie_of(answer):
    """The value of the one cookie that an answer sets."""
    found = re.fullmatch(rf"{COOKIE}=([^;]+)(;.*)?", answer.field("set-cookie") or "")
    check(found, f"the answer sets one cookie: {answer.field('set-cookie')}")
    return found[1]


class Stage:
    """The server, its people and what belongs to them, and what has been found out."""

    def __init__(self, server, meddler):
        self.server, self.meddler = server, meddler
        self.wire = Wire(server.port, server.authority)
        self.plain = Wire(server.plain_port)
        self.findings, self.count, self.secrets = [], 0, set(CONTENT)
        self.things = {uid: self.make(uid) for uid in (0, UID)}
        self.administrator, self.user = Person(self, 0), Person(self, UID)

    def make(self, uid):
        """A device, and a registration whose account has a chat."""
        device = self.server.tell("device", "add", f"device of {uid}", uid=uid)
        heard = self.server.tell("topic", "add", f"alerts of {uid}", "--from", "uptime-kuma", uid=uid)
        self.server.alert(heard["endpoint"], *(f"{text} of {uid}" for text in CONTENT))
        topic = self.server.tell("topic", "add", f"topic-of-{uid}", uid=uid)
        token = self.server.tell("token", "add", f"token of {uid}", "--topic", f"topic-of-{uid}", uid=uid)
        self.secrets |= {device["bearer"], heard["endpoint"].rpartition("/")[2], token["token"], topic["token"]}
        return {
            "device": device["id"],
            "registration": heard["id"],
            "chat": self.chat(uid)["chat_id"],
            "topic": topic["id"],
            "token": str(token["id"]),
        }

    def chat(self, uid):
        def found():
            return self.server.account(f"alerts of {uid}", uid=uid)["chats"]

        return check.soon(found, "the push makes a chat")[0]

    def targets(self, uid):
        """Every form about the things of somebody, with what else it has to say."""
        thing = self.things[uid]
        device, of, account = (
            f"/ui/devices/{thing['device']}",
            f"/ui/registrations/{thing['registration']}",
            f"/ui/accounts/{thing['registration']}",
        )
        return [
            (f"{device}/remove", {}),
            (f"{device}/confirm", {}),
            (f"{of}/test", {}),
            (f"{of}/revoke", {}),
            (f"{account}/pause", {"for": "3600"}),
            (f"{account}/unpause", {}),
            (f"{account}/mute", {"chat": thing["chat"], "for": "3600"}),
            (f"{account}/unmute", {"chat": thing["chat"]}),
        ] + [
            (f"/ui/topics/{thing['topic']}/{step}", fields)
            for step, fields in (
                ("remove", {}),
                ("settings", {"title": "x", "description": "", "keep": ""}),
                ("mute", {"for": "3600"}),
                ("unmute", {}),
                ("revoke", {"token": thing["token"]}),
            )
        ]

    def log_in(self, code, *fields, wire=None):
        return (wire or self.wire).ask("POST", "/ui/login", FORM, *fields, body=encoded({"code": code}))

    def seen(self):
        """What belongs to everybody, and what they have set. Whether a chat is muted counts, not for how long yet."""
        accounts = self.server.tell("account", "list")["accounts"]
        for account in accounts:
            for chat in account["chats"]:
                chat["mute_for"] = chat["mute_for"] > 0
        return self.owned() + [json.dumps(account, sort_keys=True) for account in accounts]

    def owned(self):
        registrations = self.server.registrations()
        for registration in registrations:
            # It is told to the second, and measured by another clock.
            registration.pop("expires")
        tokens = self.server.tell("token", "list")["tokens"]
        return [json.dumps(thing, sort_keys=True) for thing in self.server.devices() + registrations + tokens]


class Case:
    """Counts and prints the requests of one group, and compares what was there before with what is there now."""

    def __init__(self, stage, group):
        self.stage, self.group = stage, group
        self.before = stage.seen()

    def __call__(self, what, answer, *expected, shows=(), is_page=True):
        """The answer, which must have one of these statuses. Only what `shows` names may be in it."""
        self.stage.count += 1
        answer = answer or Answer(0, [])
        allowed = "/".join(str(status or "closed") for status in expected)
        print(f"{self.stage.count:4} {self.group:11} {what[:70]:70} {allowed:>12} {answer.status or 'closed'}")
        if answer.status not in expected:
            self.finding(what, f"{answer.status or 'closed'} instead of {allowed}")
        # A request that is no HTTP is refused before anybody knows that it was meant for a page.
        if is_page and answer.status not in (0, 400, 431, 501, 505):
            self.check_fields(what, answer)
        for secret in self.stage.secrets - set(shows):
            if secret in answer.text:
                self.finding(what, f"the answer shows a secret of {len(secret)} characters: {secret[:4]}…")
        return answer

    def check_fields(self, what, answer):
        policy = dict(
            part.split(None, 1) for part in (answer.field("content-security-policy") or "").split(";") if part
        )
        if "no-store" not in (answer.field("cache-control") or ""):
            self.finding(what, f"an answer {answer.status} without Cache-Control: no-store")
        # What is refused before anybody looks at the path has a body in JSON, which no browser shows as a page.
        is_plain = answer.status in (405, 413) and answer.field("content-type") == "application/json"
        for name, is_right in (
            ()
            if is_plain or not answer.body
            else (
                ("X-Content-Type-Options: nosniff", answer.field("x-content-type-options") == "nosniff"),
                # Under no-referrer, browsers would hide the origin of our own forms from us.
                ("Referrer-Policy: same-origin", answer.field("referrer-policy") == "same-origin"),
                ("the Content-Security-Policy", policy == CSP),
            )
        ):
            if not is_right:
                self.finding(what, f"an answer {answer.status} without {name}")
        cookie = answer.field("set-cookie")
        if cookie and answer.status == 303 and "Max-Age=0" not in cookie:
            flags = {part.strip().lower() for part in cookie.split(";")[1:]}
            wanted = {"secure", "httponly", "samesite=strict", "path=/", "max-age=43200"}
            if flags != wanted:
                self.finding(what, f"the cookie has {sorted(flags)}")

    def finding(self, what, text):
        found = f"{self.group}: {what}: {text}"
        if found not in self.stage.findings:
            print(f"     MISS {found}")
            self.stage.findings.append(found)

    def holds(self, what, is_true):
        if not is_true:
            self.finding(what, "is not so")

    def unchanged(self):
        """Nothing was made, changed or removed, and nobody was logged out."""
        after = self.stage.seen()
        if after != self.before:
            self.finding("all of these", "something has changed")
            for sign, one, other in (("-", self.before, after), ("+", after, self.before)):
                for thing in one:
                    if thing not in other:
                        print(f"     {sign} {thing}")
        for person in (self.stage.administrator, self.stage.user):
            if not person.is_logged_in:
                self.finding("all of these", f"uid {person.uid} is no longer logged in")
                person.log_in()

    def changed(self):
        """From here on, what is there now is what may not change."""
        self.before = self.stage.seen()
