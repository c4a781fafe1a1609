"""Stories in which a cluster breaks a rule, each of which the checker must find, and one in which it breaks none."""

import sys

sys.path.append(__file__.rsplit("/", 3)[0])
sys.path.append(f"{sys.path[-1]}/Torture/Promise")

import stories_of_registrations as registrations
from judged import rules

FIELDS = dict(ttl=600, topic=None, headers={"encoding": "aes128gcm"}, digest="d", sample="")


def client(connection, time, node=0):
    """A connection to a node."""
    return [
        dict(e="open", t=time, c=connection, a=0, mode="prompt"),
        dict(e="greet", t=time + 0.01, c=connection),
        dict(e="at", t=time + 0.02, c=connection, a=0, node=node),
        dict(e="hello", t=time + 0.02, c=connection, uaid="u"),
    ]


def push(number, time, status=201, node=0, answered=0.01, **other):
    return [
        dict(e="push", t=time, p=number, s=1, **(FIELDS | other)),
        dict(e="via", t=time, p=number, n=node),
        dict(e="answer", t=time + answered, p=number, status=status, ttl="600", location="", retry="1"),
    ]


def delivery(number, time, connection=1):
    facts = dict(chan="x", id=f"i{number}", p=number, digest="d", headers={"encoding": "aes128gcm"}, start=time)
    return [
        dict(e="delivery", t=time, c=connection, a=0, **facts),
        dict(e="ack", t=time + 0.01, c=connection, id=f"i{number}"),
    ]


BEGIN = [
    dict(e="agent", t=0, a=0, resident=True),
    *client(1, 1),
    dict(e="register", t=1.1, c=1, s=1, chan="x", a=0),
    dict(e="registered", t=1.2, c=1, s=1, token="t"),
]
GONE = [dict(e="unregister", t=2, c=1, s=1), dict(e="unregistered", t=2.1, c=1, s=1)]
END = [dict(e="closed", t=60, c=1, us=True)]


def fault(kind, time, healed, *acts, well=None):
    ends = [dict(e="healed", t=healed)] + ([dict(e="usable", t=well or healed + 0.1)])
    return [dict(e="fault", t=time, kind=kind), *acts, *ends]


KILL = dict(e="node-kill", t=10, n=0)
SILENT = 'event=snapshot-failed reason="the cluster does not answer"'
AWAY = [dict(e="cut", t=0.5, n=1, reset=True), dict(e="joined", t=3, n=1, after=1.0)]

GOOD = [
    *push(1, 5),
    *delivery(1, 5.02),
    *fault("kill-node", 10, 12, KILL, dict(e="machine-end", t=10.1, name="node1", code=-9)),
    dict(e="closed", t=10.1, c=1, us=False),
    *client(2, 11, node=1),
    *push(2, 20, node=1),
    *delivery(2, 20.02, connection=2),
    dict(e="compared", t=50, differences=[]),
]
LOST = [*push(1, 5)]
BROKEN = {
    "a push is lost": (1, LOST),
    "a push comes twice": (7, [*push(1, 5), *delivery(1, 5.02), *delivery(1, 5.2)]),
    "it comes again after its acknowledgement": (
        8,
        [*push(1, 5), *delivery(1, 5.02), dict(e="closed", t=9, c=1, us=True), *client(2, 10), *delivery(1, 11, 2)],
    ),
    "a living endpoint is gone": (14, push(1, 5, 410)),
    "an ended endpoint takes pushes": (14, [*GONE, *push(1, 5)]),
    "a client is forgotten": (14, [dict(e="forgotten", t=5, a=0, c=1, kept=[1])]),
    "a node refuses although nothing fails": (15, push(1, 5, 503)),
    "nobody serves the client of a dead node": ("served", fault("kill-node", 10, 12, KILL)),
    "a node that is cut off says nothing": (
        "cut off",
        fault("cut-node", 10, 12, dict(e="cut", t=10, n=0, reset=True), dict(e="joined", t=12, n=0, after=None)),
    ),
    "it says so too late": (
        "cut off",
        fault("cut-node", 10, 13, dict(e="cut", t=10, n=0, reset=True), dict(e="joined", t=13, n=0, after=2.4)),
    ),
    "a node knows an ended endpoint": ("gone", [*GONE, dict(e="probe", t=4, s=1, n=2, status=201)]),
    "a node ends by itself": ("alive", [dict(e="machine-end", t=10, name="node1", code=-4)]),
    "a node does not end in order": ("alive", [KILL, dict(e="node-ended", t=10, n=0, code=None)]),
    "it takes too long": ("recovery", fault("kill-node", 10, 12, well=40)),
    "it never ends": ("recovery", [dict(e="fault", t=10, kind="kill-node"), dict(e="healed", t=11)]),
    "the stores differ": ("alike", [dict(e="compared", t=50, differences=["table message"])]),
    "a node mixes the order": (10, [*push(1, 5), *push(2, 6), *delivery(2, 6.02), *delivery(1, 6.1)]),
}
BROKEN |= {
    "two nodes mix the order of what was sent long after": (
        10,
        [*push(1, 5), *push(2, 7, node=1), *delivery(2, 7.02), *delivery(1, 7.1)],
    ),
    "a node repeats after a fault": (
        7,
        [*fault("freeze-nats", 3, 4.9), *push(1, 5), *delivery(1, 5.02), *delivery(1, 5.2)],
    ),
    "no snapshot can be kept": ("snapshots", [dict(e="snapshots", t=55, n=0, kept=0, failed=["disk"])]),
    "servers that work take no snapshot": ("snapshots", [dict(e="snapshots", t=55, n=0, kept=1, failed=[SILENT])]),
    "a node does not know a new endpoint": (14, push(1, 1.3, 410, node=1)),
    "a node that was away has missed an endpoint": (14, [*AWAY, *push(1, 3.5, 410, node=1)]),
    "a signature that expires soon is refused": (24, push(1, 5, 401, signed=True, edge=True)),
    "one that has just expired is taken": (24, push(1, 5, wrong="expired", edge=True)),
    "a wrong signature is taken": (14, push(1, 5, wrong="damaged")),
}
# Two nodes hear of each other a little later.
ALLOWED = [*push(1, 5), *push(2, 5.5, node=1), *delivery(2, 5.52), *delivery(1, 5.6)]
# Servers that are down take no copy.
SPARED = [*fault("kill-nats", 10, 12), dict(e="snapshots", t=55, n=0, kept=1, failed=[SILENT])]
# What fails next keeps the clients of a dead node away.
OVERTAKEN = [
    *fault("kill-node", 10, 10.5, KILL, dict(e="machine-end", t=10.1, name="node1", code=-9)),
    dict(e="closed", t=10.1, c=1, us=False),
    *fault("kill-nats", 10.9, 14, well=17),
    *client(2, 17.1, node=1),
]


def broken(events):
    begin, end = [*BEGIN, *registrations.BEGIN], [dict(e="over", t=60), *END]
    _, findings = rules.check(sorted([*begin, *events, *end], key=lambda event: event["t"]))
    return {rule: texts for rule, texts in findings.violations.items() if texts}


def main():
    good = (GOOD, registrations.GOOD, ALLOWED, OVERTAKEN, SPARED)
    wrong = [f"broken without reason: {found}" for found in map(broken, good) if found]
    stories = BROKEN | registrations.BROKEN
    for text, (rule, events) in stories.items():
        if rule not in broken(events):
            wrong.append(f"not found: {text} ({rule}): {broken(events)}")
    print("\n".join(wrong) or f"the rules of a cluster find {len(stories)} broken promises")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
