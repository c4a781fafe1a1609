"""Correct and wrong pushes to endpoints that exist, that existed, and that never existed."""

import json
import time

from kit.coding import encode
from rights import Broken, expect


async def push(caller):
    """Anybody who knows an endpoint may push to it; the answer says only whether it exists."""
    rights, chance = caller.rights, caller.chance
    kind = chance.random()
    channels = list(rights.channels.values())
    registrations = list(rights.registrations.values())
    if kind < 0.5 and channels:
        await to_channel(caller, chance.choice(channels))
    elif kind < 0.8 and registrations:
        await to_registration(caller, chance.choice(registrations))
    else:
        await to_nothing(caller)


async def to_channel(caller, thing):
    chance = caller.chance
    # Here the owner of the endpoint speaks through a sender, whoever that is.
    thing.serial += 1
    text = f"zq{thing.mark}zq {thing.serial}"
    fields = [("TTL", "3600"), ("Content-Encoding", "aes128gcm")]
    is_right = chance.random() < 0.6
    if not is_right:
        fields = wrong_fields(caller)
        text = f"zq{thing.mark}zq wrong"
    since = time.monotonic()
    if is_right:
        thing.pushed.add(text)
    status, answer, _ = await ask(caller, "POST", thing.path, text.encode(), fields)
    if is_right and status != 201:
        thing.pushed.discard(text)
    check(thing, status, since, is_right, f"{caller}: a push to a channel of {thing.owner}'s")
    if is_right and status == 201 and chance.random() < 0.05:
        thing.pushed.discard(text)
        withdrawn, _, _ = await ask(caller, "DELETE", location(answer), b"", [])
        expect(withdrawn, {204, 429}, "withdrawal")


def location(answer):
    return "/" + answer["location"].split("/", 3)[-1] if "://" in answer["location"] else answer["location"]


async def to_registration(caller, thing):
    chance, values = caller.chance, caller.values
    text = chance.choice(
        (
            f"zq{mark(thing)}zq",
            json.dumps({"title": f"zq{mark(thing)}zq", "body": values.text()}),
            json.dumps(telegram(values, mark(thing))),
            json.dumps(matrix(values, mark(thing))),
            json.dumps(values.any()),
        )
    ).encode(errors="replace")
    if chance.random() < 0.05:
        text = values.json({"loc_key": "MESSAGE_TEXT", "custom": {}}).replace(b"{}", b'{"updates":1.2.3e}')
    since, path = time.monotonic(), thing.path
    method = chance.choice(("POST", "POST", "PUT"))
    fields = [("TTL", "60")] if chance.random() < 0.5 else []
    if chance.random() < 0.3:
        fields.append(("Content-Encoding", "aes128gcm"))
        text = values.body()
    if chance.random() < 0.2:
        fields = wrong_fields(caller)
    status, _, _ = await ask(caller, method, path, text, fields)
    # A rotated endpoint still works for days.
    check(thing, status, since, False, f"{caller}: a push to a registration that belongs to {thing.owner}")
    if status in (404, 410) and thing.state(since) is True:
        raise Broken(f"a registration that exists answers {status}")


def mark(thing):
    return "".join(character for character in thing.owner if character.isalnum())


def telegram(values, mark):
    return {
        "loc_key": values.chance.choice(
            (
                "MESSAGE_TEXT",
                "CHAT_MESSAGE_TEXT",
                "READ_HISTORY",
                "MESSAGE_DELETED",
                "PHONE_CALL_REQUEST",
                "MESSAGE_ANNOUNCEMENT",
                "DC_UPDATE",
                "GEO_LIVE_PENDING",
                "PINNED_TEXT",
                values.text(),
            )
        ),
        "loc_args": [f"zq{mark}zq", values.text(), values.text()],
        "date": values.number(),
        "random_id": str(values.integer()),
        "badge": str(values.integer()),
        "custom": {
            "from_id": values.integer(),
            "msg_id": values.integer(),
            "chat_id": values.number(),
            "max_id": str(values.integer()),
            "call_id": values.number(),
            "updates": values.any(),
            "top_msg_id": values.integer(),
            "announcement": values.text(),
            "messages": f"{values.integer()},{values.integer()}",
        },
    }


def matrix(values, mark):
    return {
        "notification": {
            "event_id": f"${values.token()}",
            "room_id": f"!zq{mark}zq",
            "type": values.text(),
            "content": values.any(),
            "prio": values.text(),
            "counts": {"unread": values.number(), "missed_calls": values.number()},
            "devices": [{"pushkey_ts": values.number()}],
        }
    }


async def to_nothing(caller):
    values, chance = caller.values, caller.chance
    token = values.token()
    known = [thing.path for thing in caller.rights.channels.values()]
    if known and chance.random() < 0.5:
        # A real endpoint with one letter changed.
        path = chance.choice(known)
        at = len(path) - 1 - chance.randrange(20)
        path = path[:at] + ("A" if path[at] != "A" else "B") + path[at + 1 :]
    else:
        path = chance.choice(
            (
                f"/wpush/v1/{token}",
                f"/wpush/{token}",
                f"/wpush/v2/{token}",
                f"/m/{token}",
                f"/wpush/v{values.integer()}/{token}",
            )
        )
    method = "DELETE" if path.startswith("/m/") else chance.choice(("POST", "PUT"))
    status, _, _ = await ask(caller, method, path, values.body(), wrong_fields(caller))
    # The server may check broken fields first.
    allowed = {204, 400, 404} if method == "DELETE" else {400, 401, 404, 405, 413, 429, 503}
    expect(status, allowed, f"{caller}: {path[:40]}")


async def ask(caller, method, path, body, fields):
    """Sends no credential, because a sender has none."""
    status, answer, text = await caller.service.sender(caller).ask(method, path, fields, body)
    caller.service.count("sender", status)
    caller.rights.inspect(text, caller)
    return status, answer, text


def wrong_fields(caller):
    values, chance = caller.values, caller.chance

    def value():
        return "".join(letter for letter in str(values.any()) if 0x20 <= ord(letter) < 0x7F)[:200] or "x"

    names = ["TTL", "Topic", "Urgency", "Content-Encoding", "Authorization", "Crypto-Key", "Encryption"]
    fields = [("TTL", str(values.integer()))]
    for name in chance.sample(names, 2):
        fields.append(
            (
                name,
                chance.choice(
                    (
                        value(),
                        str(values.integer()),
                        "aes128gcm",
                        "aesgcm",
                        f"vapid t={encode(b'{}')}.{encode(b'{}')}.x, k=x",
                    )
                ),
            )
        )
    return fields


def check(thing, status, since, is_right, what):
    state = thing.state(since)
    allowed = {201, 429} if is_right else {201, 400, 401, 413, 429, 503}
    if state is False:
        allowed = {410} | (set() if is_right else {400, 401, 413, 429, 503})
    elif state is None:
        allowed = allowed | {410}
    expect(status, allowed, what)
