"""Small stories of a desktop: good ones, and one for each way in which the promise can be broken there."""

TOKEN, ENDPOINT, ACCOUNT, SECRET = "k" * 36, "E" * 38, "A" * 38, "D" * 43
SAMPLE, ENTRY = b"0123456789abcdef01234567", "org.example.Account1001"

# A desktop with a daemon, an application with a registration, and an account.
DESK = [
    dict(e="desk-device", t=0.5, secret=SECRET),
    dict(e="account", t=0.5, r=1001, token=ACCOUNT, entry=ENTRY),
    dict(e="desk-start", t=1, life=1),
    dict(e="screen-up", t=1.05, n=1, unique=":1.9"),
    dict(e="desk-ready", t=1.1, life=1),
    dict(e="woken", t=1.2),
    dict(e="app-up", t=1.2, i=1, x=1, name="org.example.App", unique=":1.5", mode="prompt"),
    dict(e="app-register", t=1.3, x=1, v=1, token=TOKEN),
    dict(e="app-registered", t=1.35, x=1, v=1, ok=True),
    dict(e="app-endpoint", t=1.4, x=1, i=1, v=1, endpoint=ENDPOINT),
    dict(e="app-up", t=1.2, i=2, x=2, name="org.example.Other", unique=":1.6", mode="mute"),
]


def sent(number, time, status=201, ttl=60, topic=None):
    return [
        dict(e="send", t=time, p=number, v=1, ttl=ttl, topic=topic, digest="d", sample=SAMPLE.hex()),
        dict(e="sent", t=time + 0.1, p=number, status=status, location=f"L{number}" + "l" * 22),
    ]


def came(number, time, how="taken", name=None, life=":1.2", **other):
    one = dict(e="app-message", t=time, x=1, i=1, n=int(time * 1_000), token=TOKEN, p=number, digest="d")
    told = [dict(one, id=name or f"i{number}", source=life) | other]
    return told + [dict(e="app-reply", t=time + 0.01, x=1, i=1, n=int(time * 1_000), how=how)] if how else told


def killed(time, number=2):
    return [
        dict(e="desk-kill", t=time, life=number - 1, signal=9),
        dict(e="desk-dead", t=time + 0.01, life=number - 1, code=-9),
        dict(e="desk-start", t=time + 0.02, life=number),
        dict(e="desk-ready", t=time + 0.1, life=number),
        dict(e="woken", t=time + 0.1),
    ]


def ended(time):
    return [dict(e="app-unregister", t=time, x=1, v=1), dict(e="app-ended", t=time + 0.1, x=1, i=1, v=1)]


def taken_back(number, time):
    return [dict(e="take-back", t=time, p=number), dict(e="taken-back", t=time + 0.1, p=number, status=204)]


def posted(number, time):
    return [
        dict(e="post", t=time, p=number, r=1001, is_loud=True, sample=SAMPLE.hex()),
        dict(e="posted", t=time + 0.1, p=number, status=201),
        dict(e="view", t=time + 0.1, r=1001, c=1, gone=[], added=[[1, number, number]]),
    ]


def notify(number, time, sound=True, name=None, **other):
    one = dict(e="notify", t=time, n=1, id=name or number, old=0, p=number, count=None, entry=ENTRY, ok=True)
    return [dict(one, sound=sound) | other]


def closed(name, time, reason=3):
    return [dict(e="screen-gone", t=time, n=1, id=name, reason=reason)]


def removed(number, time):
    return [dict(e="view", t=time, r=1001, c=1, gone=[number], added=[])]


def looked(time, *numbers):
    return [dict(e="looked", t=time, r=1001, shown=[[1, one, one] for one in numbers])]


def overheard(text, member="Message", to=":1.5", source=":1.2"):
    return [dict(e="overheard", t=9, bus=0, kind="call", source=source, to=to, member=member, text=text.hex())]


BODY, TEXT = b"bw" + (2).to_bytes(8) + SAMPLE, b"bw-2-" + b"0123456789abcdef" * 2
SUMMARY = [dict(notify(None, 6, False, name=9)[0], count=2)]
LOST = [dict(e="bus-end", t=9), dict(e="desk-dead", t=9.1, life=1, code=69)]

GOOD = [
    ("a message, taken", DESK + sent(2, 5) + came(2, 5.2)),
    ("a message that comes again after an error", DESK + sent(2, 5) + came(2, 5.2, "error") + came(2, 10)),
    (
        "a message that comes again because the desktop was killed",
        DESK + sent(2, 5) + came(2, 5.2, None) + killed(6) + came(2, 6.3, life=":1.7"),
    ),
    ("a registration that ended", DESK + ended(9) + sent(2, 12, 410)),
    ("a notification, dismissed", DESK + posted(2, 5) + notify(2, 5.2) + closed(2, 7, 2) + removed(2, 7.1) + looked(9)),
    (
        "a notification that is shown again by another desktop",
        DESK + posted(2, 5) + notify(2, 5.2) + killed(6) + notify(2, 6.5, False) + looked(9, 2),
    ),
    (
        "a summary",
        DESK + posted(2, 5) + posted(3, 5.1) + posted(4, 5.2) + notify(2, 5.3) + SUMMARY + looked(9, 2, 3, 4),
    ),
    ("what an application gets", DESK + sent(2, 5) + came(2, 5.2) + overheard(TOKEN.encode() + b"\n" + BODY)),
    ("a bus that ends", DESK + LOST),
]

BROKEN = [
    (1, "a message to an application never comes", DESK + sent(2, 5)),
    (1, "a message that was not taken does not come again", DESK + sent(2, 5) + came(2, 5.2, None) + killed(6)),
    (
        1,
        "a registration without an endpoint",
        DESK
        + [dict(e="app-register", t=5, x=1, v=2, token="o" * 36), dict(e="app-registered", t=5.1, x=1, v=2, ok=True)],
    ),
    (1, "a notification is never seen", DESK + posted(2, 5)[:2]),
    (2, "a message to an application with another body", DESK + sent(2, 5) + came(2, 5.2, digest="e")),
    (3, "a message to an application that nobody sent", DESK + came(9, 5.2)),
    (3, "a message to another registration", DESK + sent(2, 5) + came(2, 5.2, token="o" * 36)),
    (3, "a message to another application", DESK + sent(2, 5) + came(2, 5.2, i=2, x=2)),
    (3, "a message after the registration ended", DESK + sent(2, 5) + ended(6) + came(2, 7)),
    (3, "a message before the endpoint", DESK + sent(2, 1.21) + came(2, 1.38)),
    (4, "two messages with one id", DESK + sent(2, 5) + sent(3, 6) + came(2, 5.2, name="i") + came(3, 6.2, name="i")),
    (5, "a message to an application after it expired", DESK + sent(2, 5, ttl=2) + came(2, 9)),
    (7, "a message that was taken comes again", DESK + sent(2, 5) + came(2, 5.2) + came(2, 6)),
    (
        8,
        "a message comes again to another desktop long after it was taken",
        DESK + sent(2, 5) + came(2, 5.2) + killed(9) + came(2, 9.5, life=":1.7"),
    ),
    (9, "a repetition with another body", DESK + sent(2, 5) + came(2, 5.2, "error") + came(2, 9, digest="e")),
    (10, "messages to an application in the wrong order", DESK + sent(2, 5) + sent(3, 6) + came(3, 6.2) + came(2, 6.3)),
    (10, "two messages at a time", DESK + sent(2, 5) + sent(3, 6) + came(2, 5.2, None) + came(3, 6.3)),
    (12, "a replaced message", DESK + sent(2, 5, topic="t") + sent(3, 6, topic="t") + came(3, 6.2) + came(2, 7)),
    (13, "a message to an application that was withdrawn", DESK + sent(2, 5) + taken_back(2, 6) + came(2, 7)),
    (14, "another endpoint", DESK + [dict(e="app-endpoint", t=9, x=1, i=1, v=1, endpoint="F" * 38)]),
    (14, "an ended registration that accepts a push", DESK + ended(9) + sent(2, 15)),
    (14, "a live registration that answers 410", DESK + sent(2, 5, 410)),
    (16, "a message with TTL 0 twice", DESK + sent(2, 5, ttl=0) + came(2, 5.2, "error") + came(2, 5.5)),
    (22, "a notification sounds twice", DESK + posted(2, 5) + notify(2, 5.2) + killed(6) + notify(2, 6.5)),
    (22, "a notification is shown again without a reason", DESK + posted(2, 5) + notify(2, 5.2) + notify(2, 6, False)),
    (22, "a notification without its sound", DESK + posted(2, 5) + notify(2, 5.2, False)),
    (22, "a removed notification stays", DESK + posted(2, 5) + notify(2, 5.2) + removed(2, 7)),
    (
        22,
        "a dismissed notification comes back",
        DESK + posted(2, 5) + notify(2, 5.2) + closed(2, 7, 2) + killed(9) + notify(2, 9.5, False, name=3),
    ),
    (19, "a notification is not on the screen", DESK + posted(2, 5) + looked(9, 2)),
    (19, "the screen shows too much", DESK + posted(2, 5) + notify(2, 5.2) + looked(9)),
    (19, "a summary that counts wrongly", DESK + posted(2, 5) + SUMMARY + looked(9, 2)),
    (25, "a body for another application", DESK + sent(2, 5) + overheard(BODY, to=":1.6")),
    (25, "a body in a signal to everybody", DESK + sent(2, 5) + overheard(BODY, to=None)),
    (25, "the endpoint of another application", DESK + overheard(ENDPOINT.encode(), "NewEndpoint", ":1.6")),
    (25, "the token of another application", DESK + overheard(TOKEN.encode(), to=":1.6")),
    (25, "the secret of the device on the bus", DESK + overheard(SECRET.encode())),
    (25, "the endpoint of an account on the bus", DESK + overheard(ACCOUNT.encode())),
    (25, "the text of a notification for an application", DESK + overheard(TEXT)),
    (25, "a token in the desktop's output", DESK + [dict(e="shown", t=9, where="the desktop's output", text=TOKEN)]),
    ("restart", "a desktop that ends by itself", DESK + [dict(e="desk-dead", t=9, life=1, code=134)]),
    ("restart", "a desktop that is content without its bus", DESK + [LOST[0], dict(LOST[1], code=0)]),
    ("restart", "a desktop that does not start", DESK + [dict(e="desk-failed", t=9, life=1)]),
]
