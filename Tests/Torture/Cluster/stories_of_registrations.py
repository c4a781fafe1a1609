"""Stories about registrations in a cluster, their callbacks and engines, and what is ended; each breaks a rule."""


def call(number, time, event, push=None, node=0, skew=0, done=True, **other):
    """An attempt at an event."""
    facts = dict(type="push.message" if push else "registration.created", p=push, count=None, is_signed=True)
    return [
        dict(e="attempt", t=time, r=1, n=number, id=event, **(facts | other)),
        dict(e="from", t=time, r=1, n=number, node=node, skew=skew),
        *([dict(e="done", t=time + 0.01, r=1, n=number)] if done else []),
    ]


def tell(number, time, status=201, node=0, account=1):
    return [
        dict(e="tell", t=time, p=number, r=account, kind="message", sample="", k=0),
        dict(e="via", t=time, p=number, n=node),
        dict(e="told", t=time + 0.01, p=number, status=status, retry="1"),
    ]


def look(connection, time, node, *shown, viewer=1):
    return [
        dict(e="view-at", t=time, r=viewer, c=connection, node=node),
        dict(e="welcome", t=time + 0.01, r=viewer, c=connection, shown=list(shown)),
    ]


def show(connection, time, name, push, viewer=1):
    return dict(e="view", t=time, r=viewer, c=connection, gone=[], added=[[1, name, push]])


def leave(connection, time, viewer=1):
    return dict(e="view-off", t=time, r=viewer, c=connection, us=False)


def fetch(connection, time, name, push):
    return dict(e="raw", t=time, r=2, c=connection, id=name, p=push)


def kill(time, node):
    return [
        dict(e="fault", t=time, kind="kill-lead"),
        dict(e="node-kill", t=time, n=node),
        dict(e="node-begun", t=time + 1, n=node),
        dict(e="healed", t=time + 1),
        dict(e="usable", t=time + 2),
    ]


BEGIN = [
    dict(e="steady", t=0.1, r=1, calls=True),
    dict(e="steady", t=0.1, r=2, calls=False),
    dict(e="application", t=0.2, r=1, token="a", secret="s"),
    dict(e="application", t=0.2, r=2, token="b", secret="s"),
    dict(e="viewer", t=0.3, r=1, of=1, kind="viewer"),
    dict(e="viewer", t=0.3, r=2, of=2, kind="fetcher"),
    *call(1, 0.4, "first"),
    *look(1, 0.5, 0),
    *look(1, 0.5, 0, viewer=2),
]
MADE = [dict(e="making", t=3, d=1), dict(e="made", t=3.1, d=1)]
REMOVED = [dict(e="revoke", t=6, d=1), dict(e="withdrawn", t=6.1, d=1)]
ENDED = [dict(e="revoking", t=30, r=1), dict(e="revoked", t=30.1, r=1)]
LAST = call(9, 30.05, "last", type="registration.deleted")
SESSION = [dict(e="open", t=4, c=9, a=9, mode="prompt", d=1), dict(e="admitted", t=4.1, c=9)]
# The node that calls dies, another one goes on, and so does the engine.
GOOD = [
    *tell(11, 5),
    *call(2, 5.2, "e11", 11),
    show(1, 5.1, 1, 11),
    *kill(10, 0),
    leave(1, 10),
    *tell(12, 10.5, node=1),
    *call(3, 24, "e12", 12, node=1),
    *look(2, 20, 1, [1, 1, 11], [1, 2, 12]),
    *tell(21, 6, account=2),
    fetch(1, 6.1, "7", 21),
    dict(e="view-off", t=10, r=2, c=1, us=False),
    *look(2, 20, 1, viewer=2),
    fetch(2, 20.1, "7", 21),
    dict(e="raw-take", t=20.2, r=2, c=2, id="7"),
    dict(e="raw-taken", t=20.3, r=2, c=2, id="7"),
    *MADE,
    *SESSION,
    *REMOVED,
    dict(e="closed", t=6.5, c=9, us=False),
    *ENDED,
    *call(9, 30.05, "last", node=1, type="registration.deleted"),
    leave(2, 30.5),
    dict(e="closed", t=10, c=1, us=False),
    *(dict(e=kind, t=11, c=3, a=0, mode="prompt", node=1, uaid="u") for kind in ("open", "greet", "at", "hello")),
    dict(e="end-probe", t=32, r=1, n=2, what="push", status=410),
    dict(e="secret-probe", t=32, d=1, n=2, status=401),
]
BROKEN = {
    "an accepted event is lost": (18, tell(11, 5)),
    "it comes after 45 seconds": ("goes on", [*kill(5, 0), *tell(11, 6), *call(2, 55, "e11", 11, node=1)]),
    "it comes late although nothing fails": ("goes on", [*tell(11, 6), *call(2, 15, "e11", 11)]),
    "an event is not signed": (18, [*tell(11, 5), *call(2, 5.1, "e11", 11, is_signed=False)]),
    "an event has two names": (18, [*tell(11, 5), *call(2, 5.1, "e11", 11), *call(3, 5.2, "f11", 11)]),
    "events change their order": (
        18,
        [*tell(11, 5), *tell(12, 6, node=1), *call(2, 6.1, "e12", 12), *call(3, 6.2, "e11", 11)],
    ),
    "an event comes again after a later one": (
        18,
        [*tell(11, 5), *tell(12, 6), *call(2, 6.1, "e11", 11), *call(3, 6.2, "e12", 12), *call(4, 6.3, "e11", 11)],
    ),
    "two nodes call": ("one sender", [*tell(11, 5), *call(2, 5.1, "e11", 11, node=1)]),
    "a node that was replaced calls again": (
        "one sender",
        [
            *(kill(3, 0) + tell(11, 5) + call(2, 5.1, "e11", 11, node=1)),
            *(tell(12, 30) + call(3, 30.1, "e12", 12, node=0)),
        ],
    ),
    "a node calls in between": (
        "one sender",
        [*kill(3, 0), *call(2, 20, "x", node=1), *call(3, 20.5, "y", node=0), *call(4, 21, "z", node=1)],
    ),
    "the time of a call is wrong": (24, call(2, 5, "x", skew=400)),
    "a living registration is gone": (14, tell(11, 5, 410)),
    "an ended registration takes pushes": (14, [*ENDED, *LAST, *tell(11, 33)]),
    "a push is refused although nothing fails": (15, tell(11, 5, 503)),
    "a viewer misses a push": ("engines", [*tell(11, 5), *call(2, 5.1, "e11", 11)]),
    "a node tells everything but one": (
        "engines",
        [*tell(11, 5), *call(2, 5.1, "e11", 11), show(1, 5.1, 1, 11), leave(1, 6), *look(2, 9, 1)],
    ),
    "a viewer is not served again": ("engines", [leave(1, 5)]),
    "a viewer stays at a node that is cut off": (
        "engines",
        [dict(e="cut", t=40, n=0, reset=False), dict(e="joined", t=50, n=0, after=1.0)],
    ),
    "a notification is lost with its node": (19, [*tell(11, 5), show(1, 5.1, 1, 11), leave(1, 6), *look(2, 7, 1)]),
    "a notification gets another number": (
        19,
        [*tell(11, 5), show(1, 5.1, 1, 11), leave(1, 6), *look(2, 7, 1, [1, 1, 12])],
    ),
    "a living engine is missing": ("engines", [dict(e="view-refused", t=9, r=1, c=2, node=1, status=404)]),
    "nodes show different things": ("engines alike", [dict(e="looked", t=50, r=1, count=1, differences=["x"])]),
    "what was not taken comes not again": (
        "fetched",
        [*tell(21, 5, account=2), fetch(1, 5.1, "7", 21), leave(1, 6, viewer=2), *look(2, 7, 1, viewer=2)],
    ),
    "what was taken comes again": (
        "fetched",
        [
            *(tell(21, 5, account=2) + [fetch(1, 5.1, "7", 21), dict(e="raw-take", t=5.2, r=2, c=1, id="7")]),
            *(dict(e="raw-taken", t=5.3, r=2, c=1, id="7"), leave(1, 6, viewer=2), *look(2, 9, 1, viewer=2)),
            fetch(2, 9.1, "7", 21),
        ],
    ),
    "a fetcher misses a payload": ("fetched", tell(21, 5, account=2)),
    "a fetcher gets a payload under two names": (
        "fetched",
        [*tell(21, 5, account=2), fetch(1, 5.1, "7", 21), fetch(1, 5.2, "8", 21)],
    ),
    "an ended engine is there": (
        "ended",
        [*ENDED, *LAST, leave(1, 30.5), dict(e="end-probe", t=32, r=1, n=2, what="engine", status=200)],
    ),
    "its viewer stays": ("ended", [*ENDED, *LAST]),
    "an ended endpoint takes a push": ("ended", [dict(e="end-probe", t=32, r=2, n=2, what="push", status=201)]),
    "an ended secret opens a node": ("ended", [dict(e="secret-probe", t=32, d=1, n=2, status=200)]),
    "a node says nothing although nothing fails": ("ended", [dict(e="secret-probe", t=32, d=1, n=2, status=0)]),
    "the session of a removed device goes on": ("ended", [*MADE, *SESSION, *REMOVED]),
    "a removed device is let in": (14, [*MADE, *REMOVED, *(one | {"t": one["t"] + 5} for one in SESSION)]),
}
