"""Small stories of topics, for `test_checker.py`."""


def post(number, time, name=None, status=200, **more):
    facts = dict(dict(m=number, topic="a", delay=0, kept=True, sequence=None), **more)
    answer = dict(e="published", t=time + 0.1, m=number, status=status, id=name or f"i{number}", time=int(time))
    return [dict(e="publish", t=time, **facts), answer]


def one(number, name=None, kind="message", topic="a", sequence=None):
    text = number if kind == "message" else None
    return dict(id=name or f"i{number}", kind=kind, topic=topic, number=text, sequence=sequence)


def followed(reader=1, time=3, topics=("a",)):
    return [dict(e="followed", t=time, r=reader, topics=list(topics), since="all")]


def heard(number, time, reader=1, **more):
    return [dict(e="heard", t=time, r=reader, **one(number, **more))]


def history(*found, time=29):
    return [dict(e="history", t=time, r=9, found=list(found))]


def lit(screen, time):
    return [dict(e="lit", t=time, r=screen, topic="a")]


def showed(screen, time, *names):
    return [dict(e="showed", t=time, r=screen, topic="a", names=list(names), whole=True)]


def closed(screen, time, number=1):
    return [dict(e="shut", t=time, r=screen, topic="a", name=5, number=number)]


def cleared(name, of):
    return one(0, name=name, kind="clear", sequence=of)


CLOSED = lit(20, 4) + lit(21, 4) + post(1, 5) + showed(20, 5.1, 5) + showed(21, 5.1, 5) + closed(20, 6)
ENDED = post(1, 5, sequence="q") + post(2, 7, kind="delete", sequence="q")
DELETION = one(2, kind="delete", sequence="q")

GOOD = [
    (
        "a topic with messages, one of them scheduled, and one that is not kept",
        followed()
        + post(1, 5, delay=10)
        + post(2, 6)
        + post(3, 7, kept=False)
        + heard(2, 6.1)
        + heard(3, 7.1)
        + heard(1, 15.2)
        + history(one(2), one(1)),
    ),
    ("a deleted message", followed() + ENDED + heard(1, 5.1) + heard(2, 7.1, kind="delete") + history(DELETION)),
    (
        "a message that is closed on a screen, while another one still hears of it",
        CLOSED + showed(21, 6.1, 5) + lit(21, 7) + showed(21, 7.1) + history(one(1), cleared("j", "i1")),
    ),
    (
        "a message that is deleted, sent again and deleted again",
        ENDED
        + post(3, 8, sequence="q")
        + post(4, 9, kind="delete", sequence="q")
        + history(one(4, kind="delete", sequence="q")),
    ),
    ("a closed message that is deleted", ENDED[:2] + closed(20, 6) + ENDED[2:] + history(DELETION)),
    ("a request without an answer", post(1, 5)[:1] + history(one(1))),
    (
        "a scheduled message that another state replaces",
        post(1, 5, delay=12, sequence="q") + post(2, 6, sequence="q") + history(one(2, sequence="q")),
    ),
]

BROKEN = [
    (27, "an accepted message that is not in the history", post(1, 5) + history()),
    (27, "a message that is twice in the history", post(1, 5) + history(one(1), one(1, name="j"))),
    (27, "an id that is twice in the history", post(1, 5) + history(one(1), one(1))),
    (27, "a history in another order", post(1, 5) + post(2, 6) + history(one(2), one(1))),
    (27, "a message that is not kept, in the history", post(1, 5, kept=False) + history(one(1))),
    (27, "a reader that gets a message twice", followed() + post(1, 5) + heard(1, 5) + heard(1, 9) + history(one(1))),
    (27, "a reader that misses a message", followed() + post(1, 5) + history(one(1))),
    (27, "a reader that gets a message before it is sent", followed() + heard(1, 4) + post(1, 5) + history(one(1))),
    (
        27,
        "a reader that gets messages in another order",
        followed() + post(1, 5) + post(2, 5) + heard(2, 6) + heard(1, 6.1) + history(one(1), one(2)),
    ),
    (28, "a scheduled message that never comes", post(1, 5, delay=10) + history()),
    (28, "a scheduled message that comes too early", followed() + post(1, 5, delay=10) + heard(1, 9) + history(one(1))),
    (28, "a reader that misses a scheduled message", followed() + post(1, 5, delay=10) + history(one(1))),
    (29, "a deleted message that is in the history", ENDED + history(one(1, sequence="q"), DELETION)),
    (29, "a closed message that a screen shows after its return", CLOSED + lit(21, 7) + showed(21, 7.1, 5)),
    (29, "a closed message that the same screen shows", CLOSED + showed(20, 6.1, 5)),
    (29, "a closed message whose end is not told", CLOSED + history(one(1))),
    (29, "a closed message whose end is told twice", CLOSED + history(one(1), cleared("j", "i1"), cleared("k", "i1"))),
    (29, "a deletion that is not told", ENDED + history()),
]
