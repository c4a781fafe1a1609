"""Small stories of questions, of two screens and of buttons, for `test_checker.py`."""


def asked(number, time, *more):
    """A question that is stored and shown at once, with a program that waits."""
    what = f"question {number}"
    return [
        dict(e="ask", t=time, q=number, answers=["yes", "no"], life=8),
        dict(e="posed-question", t=time + 0.1, q=number, id=f"i{number}"),
        dict(e="wait", t=time + 0.1, q=number, k=number),
        *(own(screen, kind, time + 0.1, what=what) for screen in (1, 2) for kind in ("ring", "up")),
    ]


def own(screen, kind, time, **facts):
    return dict(e=f"own-{kind}", t=time, r=screen, **facts)


def pressed(number, time, answer="yes", who="racer", **more):
    return [dict(e="press", t=time, q=number, who=who, answer=answer, **more)]


def result(number, time, answer="yes", who="stream", by="racer", state="answered", **more):
    return [dict(e="result", t=time, q=number, who=who, state=state, answer=answer, by=by, **more)]


def gone(time, what="question 1", screens=(1, 2)):
    return [own(screen, "down", time, what=what) for screen in screens]


def recorded(*found, time=29):
    return [dict(e="recorded", t=time, found=list(found))]


def kept(name, sequence=None, kind="message", answer=None):
    found = answer and dict(state="answered", answer=answer, by="racer")
    return dict(id=name, kind=kind, sequence=sequence, result=found)


def note(number, time, screens=(1, 2)):
    sent = [dict(e="send-note", t=time, n=number), dict(e="sent-note", t=time + 0.1, n=number, status=200, id="n1")]
    kinds = ("ring", "up")
    return sent + [own(one, kind, time + 0.1, what=f"note {number}") for one in screens for kind in kinds]


def closed(time, screen=1, what="note 1"):
    return [own(screen, "closes", time, what=what), own(screen, "down", time, what=what)]


def started(screen, time):
    return [
        own(screen, "desk-start", time, life=1),
        own(screen, "screen-up", time),
        own(screen, "desk-ready", time + 0.1, life=1),
        own(screen, "woken", time + 0.1),
    ]


def killed(screen, time):
    return [own(screen, "desk-kill", time, life=1, signal=9), own(screen, "desk-dead", time, life=1, code=-9)]


SCREENS = started(1, 1) + started(2, 1)
ASKED = SCREENS + asked(1, 5)
ENDED = ASKED + pressed(1, 6) + result(1, 6.1) + gone(6.2)
TOLD = ENDED + result(1, 6.1, who="curl", k=1)
WHOLE = recorded(kept("i1"), kept("u1", "i1", answer="yes"))
NOTE = SCREENS + note(1, 5)
CLEARED = recorded(kept("n1"), kept("c1", "n1", "message_clear"))
AWAY = NOTE[: len(SCREENS)] + killed(2, 4) + note(1, 5, screens=[1]) + closed(6)
RING = [dict(e="ring-at", t=6, n=1, who="screen-1", r=1), dict(e="rung", t=6.1, n=1)]

GOOD = [
    (
        "a question with one answer, of which one who presses later is told",
        TOLD + pressed(1, 7, "no") + result(1, 7.1) + WHOLE,
    ),
    ("a question that a command asks", TOLD + [dict(e="ask-end", t=6.2, q=1, code=0)] + WHOLE),
    ("a question whose program is killed before its end", ENDED + [dict(e="wait-end", t=5.5, q=1, k=1)] + WHOLE),
    (
        "a question that expires",
        ASKED
        + result(1, 13.1, None, by=None, state="expired")
        + gone(13.2)
        + result(1, 13.1, None, "curl", None, "expired", k=1),
    ),
    ("a note that is closed, and stays closed on a screen that was away", AWAY + started(2, 8) + CLEARED),
    ("a close of which a desktop that died may not have heard", NOTE + closed(6) + killed(1, 6.1) + started(1, 7)),
    ("a button that is pressed twice", NOTE + RING + [dict(one, t=one["t"] + 2) for one in RING]),
]

BROKEN = [
    (28, "a second answer", TOLD + pressed(1, 7, "no") + result(1, 7.1, "no")),
    (28, "an answer that nobody has given", ASKED + pressed(1, 6) + result(1, 6.1, "no")),
    (28, "an answer in the name of somebody else", ASKED + pressed(1, 6) + result(1, 6.1, by="reader")),
    (28, "a question that expires too early", ASKED + result(1, 8, None, by=None, state="expired")),
    (28, "a question that nobody has withdrawn", ASKED + result(1, 8, None, by=None, state="withdrawn")),
    (28, "an answer of which who waits is not told", ENDED),
    (28, "an answer of which who waits is told late", ENDED + result(1, 9, who="curl", k=1)),
    (28, "a command that ends with the code of another answer", TOLD + [dict(e="ask-end", t=7, q=1, code=1)]),
    (28, "who comes too late is refused", TOLD + [dict(e="decided", t=8, q=1, who="racer", status=404)]),
    (28, "a question that is open at the end", ASKED + [dict(e="looked-up", t=28, q=1, status=200, state="open")]),
    (28, "a question that is not in the history", TOLD + recorded(kept("u1", "i1", answer="yes"))),
    (28, "a result that is not in the history", TOLD + recorded(kept("i1"))),
    (28, "another result in the history", TOLD + recorded(kept("i1"), kept("u1", "i1", answer="no"))),
    (28, "a press on a screen that does nothing", ASKED + pressed(1, 6, who="screen-1", r=1)),
    (29, "a question that has ended and is on a screen", TOLD[: -len(gone(6)) - 1] + gone(6.2, screens=[1])),
    (29, "a note that is closed and is on the other screen", NOTE + closed(6)),
    (29, "a note that nobody shows", SCREENS + note(1, 5, screens=[1])),
    (29, "a note that rings again", NOTE + [own(1, "ring", 8, what="note 1")]),
    (
        29,
        "a note that was closed and rings on a screen that was away",
        AWAY + started(2, 8) + [own(2, "ring", 8.2, what="note 1")],
    ),
    (29, "a close that readers are not told", NOTE + closed(6) + gone(6.1, "note 1", [2]) + recorded(kept("n1"))),
    ("ring", "a request that is repeated by itself", NOTE + RING + [dict(e="rung", t=8, n=1)]),
    ("restart", "a desktop that ends by itself", SCREENS + [own(1, "desk-dead", 5, life=1, code=1)]),
]
