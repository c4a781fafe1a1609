"""Requests to the API and the control socket, and the expected answers."""

import json
import time

from rights import Broken, Thing, expect, judge

APPS = ["telegram", "matrix", "icq", "zpns", "plain", "declarative"]
# As many as an owner may keep.
MOST = 12


def terms(caller):
    """The members of a registration, whatever else is drawn."""
    chance = caller.chance
    members = {
        "token_type": 10,
        "app": f"{chance.choice(APPS)}-zq{caller.mark}zq",
        "account": f"zq{caller.mark}zq{chance.randrange(3)}",
        "clear": True,
        "dialect": chance.choice(APPS + ["auto"]),
    }
    if chance.random() < 0.3:
        members["user_id"] = chance.randrange(1, 2**40)
    if chance.random() < 0.2:
        members["other_user_ids"] = [str(chance.randrange(1, 2**40)) for _ in range(3)]
    if chance.random() < 0.2:
        members["token_type"], _ = 4, members.pop("clear")
    return members


def owned(caller, table):
    return [key for key, thing in table.items() if thing.owner == caller.owner and thing.end_begun is None]


def somebody(caller, table):
    """A key of the caller, of another owner, of something that has ended, or of nothing."""
    kind = caller.chance.random()
    mine = owned(caller, table)
    if kind < 0.5 and mine:
        return caller.chance.choice(mine)
    if kind < 0.85 and table:
        key = caller.chance.choice(list(table))
        caller.said.add(key)
        return key
    return caller.values.token()


async def register(caller):
    rights, chance = caller.rights, caller.chance
    members = terms(caller)
    is_right = chance.random() < 0.6 and len(owned(caller, rights.registrations)) < MOST
    text = json.dumps(members).encode()
    if not is_right:
        text = caller.values.json(caller.values.spoiled(members))
    key = f"{rights.phase} {chance.randrange(30)}" if is_right and chance.random() < 0.3 else None
    # With two requests at once under one key, the order would be unknown.
    async with rights.lock(caller.owner, key):
        since = time.monotonic()
        kept = rights.kept.get((caller.owner, key)) if key else None
        if kept and chance.random() < 0.5:
            text = kept[0]
        fields = [("Idempotency-Key", key)] if key else []
        status, _, answer = await caller.ask("POST", "/api/v1/registrations", text, fields, says=False)
        let_in = caller.is_let_in(since)
        if not let_in and status == refused(caller):
            return
        if let_in is False:
            raise Broken(f"{caller} registers: {status}")
        if kept:
            same = text == kept[0]
            expect(status, {201, 429} if same else {409, 429}, f"{caller}: a known Idempotency-Key")
            if status == 201 and answer != kept[1]:
                raise Broken(f"{caller}: another answer to the same Idempotency-Key")
            return
        if status == 400 and not is_right:
            return rights.inspect(answer, caller)
        expect(status, {201, 429} if is_right else {201, 400, 429}, f"{caller} registers")
        if status == 201:
            note_registration(caller, text, answer)
            if key:
                rights.kept[caller.owner, key] = (text, answer)


def refused(caller):
    return 403 if caller.is_local else 401


def note_registration(caller, text, answer):
    members, made = json.loads(text), json.loads(answer)
    caller.rights.inspect(answer, caller)
    caller.rights.registrations[made["id"]] = Thing(
        caller.owner,
        id=made["id"],
        bearer=caller.bearer,
        app=members["app"],
        account=members["account"],
        path=path(made["endpoint"]),
        takes_clear=members.get("clear") is True,
    )
    for name in ("id", "endpoint"):
        caller.rights.belongs(made[name], caller.owner)
    caller.rights.belongs(json.dumps(made.get("keys", {})), caller.owner)


def path(url):
    return "/" + url.split("/", 3)[3]


async def list_registrations(caller):
    since = time.monotonic()
    status, _, text = await caller.ask("GET", "/api/v1/registrations")
    if settled(caller, status, since):
        return
    listed = {entry["id"] for entry in json.loads(text)["registrations"]}
    for id, thing in list(caller.rights.registrations.items()):
        may = caller.rights.may(caller, thing, since)
        if may is not None and may != (id in listed) and (may or thing.end_known):
            raise Broken(f"{caller}: the list is wrong about one of {thing.owner}")


def settled(caller, status, since, allowed=frozenset({200})):
    """Whether there is nothing more to check: the caller is not let in, or must wait."""
    let_in = caller.is_let_in(since)
    if not let_in and status == refused(caller):
        return True
    if let_in is False:
        raise Broken(f"{caller} is not let in and is answered {status}")
    expect(status, allowed | {429}, f"{caller}")
    return status == 429


async def one_registration(caller):
    """All requests about one registration, which may belong to another owner."""
    rights, chance = caller.rights, caller.chance
    id = somebody(caller, rights.registrations)
    thing = rights.registrations.get(id)
    base = f"/api/v1/registrations/{id}"
    body = b""
    # Of two changes at once the store refuses one, which may be tried again.
    kind, good = chance.choice(
        [
            ("show", {200}),
            ("show", {200}),
            ("revoke", {204}),
            ("rotate", {200, 503}),
            ("secret", {200, 503, 400}),
            ("pending", {200}),
            ("fetched", {200}),
            ("source", {200}),
            ("active", {204, 400, 503}),
        ]
    )
    since = time.monotonic()
    if kind == "secret":
        body = caller.values.json({"secret": chance.choice(("new", caller.values.text()))})
    elif kind == "active":
        body = chance.choice((b"", b'{"mobile":true}', caller.values.json(caller.values.any())))
    elif kind == "fetched":
        body = json.dumps({"registration": id}).encode()
    method, path = {
        "show": ("GET", base),
        "revoke": ("DELETE", base),
        "rotate": ("POST", base + "/rotate"),
        "secret": ("POST", base + "/secret"),
        "pending": ("GET", f"/api/v1/pending?registration={id}"),
        "fetched": ("POST", "/api/v1/fetched"),
        "source": ("GET", f"/api/v1/sources/{id}"),
        "active": ("POST", f"/api/v1/sources/{id}/active"),
    }[kind]
    may_revoke = thing and kind == "revoke" and rights.sees(caller, thing)
    if may_revoke:
        thing.ending()
    status, _, text = await caller.ask(method, path, body, says=kind not in ("rotate", "secret"))
    let_in = caller.is_let_in(since)
    if not let_in and status == refused(caller):
        return
    if let_in is False:
        raise Broken(f"{caller} is not let in and is answered {status} to {method}")
    if status == 400 and kind in ("secret", "active"):
        return
    may = rights.may(caller, thing, since)
    if may_revoke and may is None and thing.end_known is None:
        thing.ended()
    judge(may, status, good, f"{caller}: {kind} of {thing.owner if thing else 'nobody'}'s")
    if kind == "rotate" and status == 200:
        made = json.loads(text)
        rights.inspect(made["id"], caller)
        thing.path = "/" + made["endpoint"].split("/", 3)[3]
        rights.belongs(made["endpoint"], thing.owner)


async def odd_requests(caller):
    """Paths and methods that do not exist, or only for administrators and users of this machine."""
    chance, values = caller.chance, caller.values
    number = chance.choice((values.integer(), values.token(), 2**32 - chance.randrange(2)))
    # An administrator's random number must not be that of a device or an owner that the test needs.
    while caller.is_administrator and isinstance(number, int) and 0 <= number < 2**20:
        number = values.integer()
    method, path = chance.choice(
        [
            ("DELETE", f"/api/v1/devices/{number}"),
            ("DELETE", f"/api/v1/owners/{number}"),
            ("POST", f"/api/v1/devices/{number}/export"),
            ("POST", f"/api/v1/owners/{number}/export"),
            ("POST", f"/api/v1/exports/{number}"),
            ("GET", "/api/v1/devices"),
            ("GET", "/api/v1/owners"),
            ("POST", "/api/v1/devices"),
            ("POST", "/api/v1/owners"),
            ("POST", "/api/v1/master-key"),
            ("PATCH", "/api/v1/registrations"),
            ("GET", f"/api/v1/{values.token()}"),
            ("GET", f"/api/v1/sources/{values.token()}/active"),
            ("GET", f"/u/{values.token()}"),
            ("GET", f"/wpush/{values.token()}"),
        ]
    )
    if caller.is_administrator and path == "/api/v1/master-key":
        return
    body = b""
    if method == "POST":
        body = values.json({"name": values.text(), "owner": chance.choice(("admin", "ann", "uid:0"))})
    status, _, _ = await caller.ask(method, path, body)
    if caller.is_administrator:
        allowed = {200, 201, 400, 404, 405, 409, 426, 429}
    elif caller.is_local:
        # A user may list their own devices, but sees neither other owners nor their names.
        allowed = {200, 400, 403, 404, 405, 429} if method == "GET" else {400, 403, 404, 405, 429}
    else:
        allowed = {400, 401, 404, 405, 426, 429} | ({200} if path.startswith("/wpush") else set())
    expect(status, allowed, f"{caller}: {method} {path[:60]}")


async def own_devices(caller):
    """A user of this machine adds and removes devices, and cannot see those of others."""
    if not caller.is_local or caller.is_administrator:
        return await odd_requests(caller)
    rights, since = caller.rights, time.monotonic()
    mine = [thing for thing in rights.devices.values() if thing.owner == caller.owner and thing.end_begun is None]
    if len(mine) < 4:
        body = json.dumps({"name": caller.marked()}).encode()
        status, _, text = await caller.ask("POST", "/api/v1/devices", body)
        if settled(caller, status, since, {201, 409}) or status != 201:
            return
        made = json.loads(text)
        rights.devices[made["bearer"]] = Thing(caller.owner, row=made["id"])
        rights.belongs(made["bearer"], caller.owner)
    else:
        thing = caller.chance.choice([thing for thing in rights.devices.values() if not thing.end_begun])
        is_mine = thing.owner == caller.owner
        if is_mine:
            thing.ending()
        status, _, _ = await caller.ask("DELETE", f"/api/v1/devices/{thing.row}")
        if is_mine and status in (204, 200):
            thing.ended()
        if status == 403 and caller.is_let_in(since) is not True:
            if is_mine:
                thing.end_begun = None
            return
        judge(True if is_mine else False, status, {204, 200}, f"{caller}: removal of a device of {thing.owner}'s")
