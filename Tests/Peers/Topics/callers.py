"""Who may do what, and the small requests besides: rows as those of what is published.

The place has credentials, each with its own right.
"""

import base64
import json

from expected import Crossed, Refused, Status
from table import LINK, PNG, ask, get, is_whole, put, said
from wire import JSON, basic


def auth(value):
    return "auth=" + base64.urlsafe_b64encode(value.encode()).decode().rstrip("=")


def rights(place):
    """`place` has credentials, each with its own right."""
    own, other = place.credential, basic("wrong")
    for given in (basic(own), basic(own, ""), f"bearer {own}", f"BASIC {basic(own)[6:]}", basic(place.both)):
        yield put(b"hi", Authorization=given), said()
    yield put(b"hi", Authorization=f"Bearer {place.both}"), said()
    yield put(b"hi", query=auth(f"Bearer {own}"), Authorization=None), said()
    yield put(b"hi", query="authorization=" + auth(basic(own))[5:], Authorization=None), said()
    yield put(b"hi", query=auth(f"Bearer {own}"), Authorization=other), said()
    yield put(b"hi", query=auth("Bearer tk_wrong")), Refused(40101)
    yield put(b"hi", query="auth=%25%25", Authorization=None), Refused(50001)
    for given in (other, "Bearer tk_" + "a" * 29, "Bearer wrong", basic("", "")):
        for request in (
            put(b"hi"),
            get("/{t}/json?poll=1"),
            get("/{t}/auth"),
            ask("DELETE", "/{t}/x"),
            get("/v1/account"),
        ):
            request.fields = (("Authorization", given),)
            yield request, Refused(40101)
    for given in (None, "", "vapid t=a, k=b", "WebPush abc"):
        for request in (get("/{t}/json?poll=1"), get("/{t}/sse"), get("/{t}/auth"), ask("DELETE", "/{t}/x")):
            request.fields = (("Authorization", given),)
            yield request, Refused(40301)
    # From this machine, to a server where registration is open, anybody may publish.
    for given in (None, "", "vapid t=a, k=b"):
        yield ask("PUT", "/{d}", b"hi", Authorization=given), said()
    elsewhere = dict(Origin="https://example.org", Referer=LINK, X_Forwarded_For="10.0.0.1", Forwarded="for=10.0.0.1")
    elsewhere |= dict(Via="1.1 a", Cookie="a=b", Sec_Fetch_Site="cross-site", Host="example.org")
    for name, value in elsewhere.items():
        yield ask("PUT", "/{d}", b"hi", Authorization=None, **{name: value}), Refused(40301)
    read, write = f"Bearer {place.read}", f"Bearer {place.write}"
    yield ask("PUT", "/shared-a", b"hi", Authorization=write), said()
    yield ask("PUT", "/shared-a", b"hi", Authorization=read), Refused(40301)
    yield get("/shared-a/json?poll=1", Authorization=write), Refused(40301)
    yield get("/shared-a/json?poll=1", Authorization=read), Crossed(200, type="application/x-ndjson")
    yield get("/shared-a,{t}/json?poll=1", Authorization=read), Refused(40301)
    yield ask("PUT", "/{t}", b"hi", Authorization=write), Refused(40301)
    yield ask("DELETE", "/shared-a/x", Authorization=read), Refused(40301)
    yield get("/{t}/json?since=nonsense"), Refused(40008)
    yield get("/{t}/json?poll=1&since=1d"), Refused(40008)
    yield get("/{t}/ws"), Refused(40016)
    yield get("/{t}/json?poll=1&priority=much"), Refused(40007)


def strangers(place):
    """What counts of requests that a page could have made, and of those without a credential."""
    own, known = f"Bearer {place.credential}", basic(place.credential)
    foreign = dict(Origin="https://example.org", Sec_Fetch_Site="cross-site")
    for request in (
        put(b"hi", Authorization=own, **foreign),
        put(b"hi", query=auth(known), Authorization=None, **foreign),
    ):
        yield request, said()
    yield put(b"hi", Authorization=known, **foreign), Refused(40301, 40101)
    seen = dict(Sec_Fetch_Dest="image", Sec_Fetch_Mode="no-cors")
    for path in ("/{t}/publish?message=hi", "/{t}/x/clear", "/{t}/x/delete"):
        yield get(path, Authorization=own, **seen), Refused(40301)
    yield get(f"/{{t}}/publish?message=hi&{auth(own)}", Authorization=None, **seen), said()
    nobody = dict(Authorization=None)
    yield ask("PUT", "/{d}", b"\xff\xfe", **nobody), Refused(40011)
    yield ask("PUT", "/{d}", b"x" * 60_000, **nobody), Status(200, attachment=None)
    yield ask("PUT", "/{d}", b"x" * 70_000, **nobody), Refused(41301)
    yield ask("PUT", "/{d}", PNG, Filename="a.png", **nobody), Refused(40011, 40301, 40014)


LIMITS = "messages messages_expiry_duration emails calls reservations attachment_total_size attachment_file_size"
LIMITS = f"{LIMITS} attachment_expiry_duration attachment_bandwidth".split()
COUNTS = "messages messages_remaining emails emails_remaining calls calls_remaining reservations reservations_remaining"
COUNTS = f"{COUNTS} attachment_total_size attachment_total_size_remaining".split()
SETTINGS = "login signup payments calls emails reservations web_push".split()


def whole(*names):
    """An object that has these as integers."""
    return lambda value: isinstance(value, dict) and all(is_whole(value.get(name)) for name in names)


def others(place):
    yield get("/v1/health", Authorization=None), Crossed(200, type=JSON, healthy=True)
    for name in SETTINGS:
        yield (
            get("/v1/config", Authorization=None),
            Crossed(200, type=JSON, **{f"enable_{name}": lambda value: isinstance(value, bool)}),
        )
    yield (
        get("/v1/config", Authorization=None),
        Crossed(200, base_url=lambda text: isinstance(text, str), disallowed_topics=lambda value: "docs" in value),
    )
    yield get("/config.js", Authorization=None), Status(200, type="text/javascript")
    numbers = dict(
        messages=lambda value: type(value) is int, messages_rate=lambda value: isinstance(value, (int, float))
    )
    yield get("/v1/stats", Authorization=None), Crossed(200, type=JSON, **numbers)
    yield get("/v1/version", Authorization=None), Refused(40101)
    parts = dict(limits=whole(*LIMITS), stats=whole(*COUNTS))
    yield (get("/v1/account", Authorization=None), Crossed(200, type=JSON, username="*", role="anonymous", **parts))
    yield (
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
    yield (ask("POST", "/v1/account/token", b'{"label": "HA", "expires": 0}'), Crossed(200, type=JSON, **made))
    yield ask("POST", "/v1/account/token", b"{", Authorization=None), Refused(40101, 40301)
    changed = json.dumps({"token": place.both, "label": "HA", "expires": 4_000_000_000})
    told = dict(token=place.both, label="HA", expires=4_000_000_000)
    yield ask("PATCH", "/v1/account/token", changed), Crossed(200, type=JSON, **told)
    gateway = "/_matrix/push/v1/notify"
    yield get(gateway), Status(200, type=JSON, unifiedpush=lambda value: value.get("gateway") == "matrix")
    yield ask("POST", gateway, b"{"), Status(400)
    device = {"app_id": "a", "pushkey": f"{place.base}/upmatrix1234ab?up=1"}
    notified = {"notification": {"devices": [device]}}
    yield ask("POST", gateway, json.dumps(notified), Content_Type=JSON), Status(200, rejected=[])
    foreign = {"notification": {"devices": [device | {"pushkey": "https://example.org/upmatrix1234ab?up=1"}]}}
    yield (
        ask("POST", gateway, json.dumps(foreign), Content_Type=JSON),
        Status(200, rejected=["https://example.org/upmatrix1234ab?up=1"]),
    )


def rows(place):
    for part in (rights, strangers, others):
        yield from ((part.__name__, *row) for row in part(place))
