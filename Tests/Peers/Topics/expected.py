"""What an answer has to be. Each is told an answer, and says what is wrong with it."""

import json
import re
import time

from wire import JSON

ID = re.compile(r"[A-Za-z0-9]{12}")
# What each event has, besides its own.
EVENT = {"id", "time", "event", "topic"}


def differs(members, wanted):
    """What of an object is not as it was wanted. A wanted value may be a function that tells."""
    for name, value in wanted.items():
        got = members.get(name)
        if not (value(got) if callable(value) else type(got) is type(value) and got == value):
            yield f"{name} is {got!r}" + ("" if callable(value) else f" and not {value!r}")


def about(seconds, within=5):
    """A time so many seconds from now."""
    return lambda value: isinstance(value, int) and abs(value - time.time() - seconds) <= within


class Status:
    def __init__(self, *statuses, type=None, body=None, **members):
        self.statuses, self.type, self.body, self.wanted = statuses or (200,), type, body, members

    def wrong(self, answer):
        if answer.status not in self.statuses:
            yield f"the status is {answer.status} and not {self.statuses[0]}"
        elif self.type and answer.type.split(";")[0] != self.type:
            yield f"the type is {answer.type!r}"
        elif self.body is not None and answer.body != self.body:
            yield f"the body is {answer.body[:80]!r} and not {self.body[:80]!r}"
        elif self.wanted and not isinstance(answer.members, dict):
            yield "the body is no object"
        elif self.wanted:
            yield from differs(answer.members, self.wanted)
        if "www-authenticate" in answer.fields:
            yield "there is WWW-Authenticate"


class Crossed(Status):
    """An answer that pages of any origin may read."""

    def wrong(self, answer):
        yield from super().wrong(answer)
        if answer.fields.get("access-control-allow-origin") != "*":
            yield "there is no Access-Control-Allow-Origin: *"


class Told(Crossed):
    """An event as the answer of a publish: these members, those of each event, and no others."""

    event, own = "message", {"expires", "message"}

    def __init__(self, **members):
        super().__init__(200, type=JSON)
        self.members = {"event": self.event} | members

    def wrong(self, answer):
        yield from super().wrong(answer)
        if answer.status == 200 and not isinstance(answer.members, dict):
            yield "the body is no object"
        elif answer.status == 200:
            yield from self.wrong_event(answer.members)
            if not answer.body.endswith(b"\n"):
                yield "there is no line feed at the end"

    def wrong_event(self, event):
        yield from differs(event, {"time": about(0)} | self.members)
        if not ID.fullmatch(str(event.get("id"))):
            yield f"the id is {event.get('id')!r}"
        names = EVENT | self.own | {name for name, value in self.members.items() if value is not None}
        names -= {name for name, value in self.members.items() if value is None}
        if names != set(event):
            yield f"there are {sorted(set(event) - names)} too many, and {sorted(names - set(event))} are missing"
        if "expires" in event and event["expires"] <= event["time"]:
            yield "it expires at once"


class Deleted(Told):
    event, own = "message_delete", {"expires", "sequence_id"}


class Cleared(Told):
    event, own = "message_clear", {"expires", "sequence_id"}


class Refused(Crossed):
    """An error of ntfy by its number; several, where more than one is right."""

    def __init__(self, *codes):
        super().__init__(*{code // 100 for code in codes}, type=JSON)
        self.codes = codes

    def wrong(self, answer):
        yield from super().wrong(answer)
        members = answer.members
        if not isinstance(members, dict):
            yield "the body is no object"
            return
        if members.get("code") not in self.codes or members.get("http") != answer.status:
            yield f"it says code {members.get('code')!r} and http {members.get('http')!r}, not {self.codes[0]}"
        if not {"code", "http", "error"} <= set(members) <= {"code", "http", "error", "link"}:
            yield f"it has {sorted(members)}"
        if any(not isinstance(members.get(name, ""), str) for name in ("error", "link")):
            yield "error and link are no texts"


class Denied(Crossed):
    """An error of Gotify."""

    def __init__(self, *statuses):
        super().__init__(*statuses, type=JSON)

    def wrong(self, answer):
        yield from super().wrong(answer)
        members = answer.members
        if not isinstance(members, dict) or set(members) != {"error", "errorCode", "errorDescription"}:
            yield f"it has {members!r}"
        elif members["errorCode"] != answer.status:
            yield f"errorCode is {members['errorCode']}"


def kept(event):
    """The same as it is read later, in the text by which objects are compared."""
    return json.dumps(event, sort_keys=True, ensure_ascii=False)
