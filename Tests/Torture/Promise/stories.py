"""The events of small stories, for `test_checker.py`."""

TOKEN, UAID = "T" * 38, "ab" * 16


def story(*more):
    """One client with one subscription and one push that went well, and the given events."""
    told = [
        dict(e="ready", t=0),
        dict(e="open", t=1, c=1, a=0, mode="prompt"),
        dict(e="greet", t=1, c=1),
        dict(e="hello", t=1, c=1, uaid=UAID),
        dict(e="register", t=1, c=1, s=1, a=0, chan="x"),
        dict(e="registered", t=1.1, c=1, s=1, token=TOKEN),
        *push(1, 2),
        *delivery(1, 2.05),
        dict(e="ack", t=2.06, c=1, id="id1"),
        *more,
        dict(e="closed", t=30, c=1, us=True),
        dict(e="end", t=31),
    ]
    return sorted(told, key=lambda one: one["t"])


def push(number, time, status=201, ttl=60, topic=None, retry=None):
    return [
        dict(e="push", t=time, p=number, s=1, ttl=ttl, topic=topic, headers=None, digest="d", sample="00" * 24),
        dict(
            e="answer",
            t=time + 0.1,
            p=number,
            status=status,
            ttl=str(ttl),
            location="http://a/m/" + "L" * 22,
            retry=retry,
        ),
    ]


def delivery(number, time, name=None, connection=1, **other):
    return [
        dict(
            dict(
                e="delivery",
                t=time,
                start=time,
                c=connection,
                a=0,
                chan="x",
                p=number,
                id=name or f"id{number}",
                digest="d",
                headers=None,
            ),
            **other,
        )
    ]


def again(time, number=2):
    """The client comes back."""
    return [
        dict(e="closed", t=time - 0.1, c=number - 1, us=True),
        dict(e="open", t=time, c=number, a=0, mode="prompt"),
        dict(e="greet", t=time, c=number),
        dict(e="hello", t=time, c=number, uaid=UAID),
    ]


def told(number, time, kind="message"):
    """A push to a registration."""
    return [
        dict(e="application", t=1, r=1, token="R" * 38, secret="whsec_" + "s" * 44),
        dict(e="attempt", t=1.1, r=1, n=0, id="e0", type="registration.created", p=None, count=None, is_signed=True),
        dict(e="done", t=1.1, r=1, n=0),
        dict(e="tell", t=time, p=number, r=1, kind=kind, sample="00" * 24),
        dict(e="told", t=time + 0.1, p=number, status=201),
    ]


def refused(time, **other):
    """A push to a registration that is not taken."""
    return told(2, time)[:-1] + [dict(e="told", t=time, p=2, status=503, **other)]


def attempt(number, time, name="e1", type="push.message", is_done=True, **other):
    """One request to its callback."""
    told = [
        dict(dict(e="attempt", t=time, r=1, n=number, id=name, type=type, p=None, count=None, is_signed=True), **other)
    ]
    return told + [dict(e="done", t=time, r=1, n=number)] if is_done else told


def viewed(event, time, c=1, **other):
    """What a viewer saw."""
    return [dict(e=event, t=time, r=1, c=c, **other)]


def saved(time, number=1, **other):
    """A backup that ends half a second later."""
    safe = dict(
        dict(e="safe", f=number, is_killed=False, code=0, was="a", now="b", names=["b"], verified=0, text=""), **other
    )
    return [dict(e="backup", t=time, f=number), dict(e="backed", t=time + 0.5, f=number), dict(safe, t=time + 0.6)]


def restored(time, number=1, former=True, **other):
    """A backup becomes the store, and the client comes back."""
    return [
        dict(e="kill", t=time),
        dict(dict(e="restored", t=time + 0.1, f=number, former=former, code=0, text="", is_untouched=True), **other),
        dict(e="confirm", t=time + 0.5),
        dict(e="confirmed", t=time + 0.6),
        *again(time + 1),
    ]


def device(time, status, connection=9):
    """A client with a device knocks."""
    return [
        dict(e="making", t=1, d=1),
        dict(e="made", t=1.1, d=1),
        dict(e="open", t=time, c=connection, a=5, mode="prompt", d=1),
        dict(e="refused", t=time + 0.1, c=connection, status=status)
        if status != 101
        else dict(e="admitted", t=time + 0.1, c=connection),
    ]
