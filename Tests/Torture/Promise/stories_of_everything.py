"""Stories with signatures, owners, rotated endpoints and a faulty proxy."""

from stories import again, attempt, delivery, push, restored, saved, told, viewed

DAY = 86_400


def sent(number, time, status=201, wrong=None, retry=None, **other):
    """A push with a signature, which may be wrong."""
    asked, answer = push(number, time, status, retry=retry)
    return [dict(asked, signed=wrong is None, wrong=wrong, **other), answer]


def silent(number, time, until, **other):
    """A push without an answer."""
    return [push(number, time)[0], dict(e="silence", t=until, p=number, late=False, **other)]


def faulty(number, time):
    """A connection of the client through a faulty proxy."""
    return [dict(one, faulty=True) if one["e"] == "open" else one for one in again(time, number)]


def removed(time, registration=1):
    """The owner of the registration is removed."""
    return [dict(e="removing", t=time, r=registration), dict(e="removed", t=time + 0.1, r=registration)]


def rotated(time):
    return [dict(e="rotated", t=time, r=1, token="Q" * 38, secret="whsec_" + "q" * 44)]


def to(at, number, time, status, **other):
    """A push to a certain endpoint of the registration."""
    asked = dict(e="tell", t=time, p=number, r=1, kind="message", sample="00" * 24, k=at, **other)
    return [asked, dict(e="told", t=time + 0.1, p=number, status=status, retry="1" if status == 503 else None)]


SKEWED = [dict(e="jump", t=4, offset=-DAY), dict(e="jump", t=8, offset=0)]
DEVICE = [
    dict(e="making", t=1, d=1),
    dict(e="made", t=1.1, d=1),
    dict(e="open", t=5, c=9, a=5, mode="prompt", d=1),
    dict(e="admitted", t=5.1, c=9),
    dict(e="revoke", t=10, d=1),
    dict(e="withdrawn", t=10.1, d=1),
]
OWNS = [dict(e="owns", t=1, o=1, r=1), dict(e="owns", t=1, o=2, r=2)]

GOOD = [
    ("signatures that are right, wrong, and too old", sent(2, 5) + delivery(2, 5.1) + sent(3, 6, 401, "missing")),
    ("a clock that is wrong for signatures", SKEWED + sent(2, 5, 503, retry="1")),
    ("an old signature while the clock is behind", SKEWED + sent(2, 5, 201, "expired") + delivery(2, 5.2)),
    (
        "a faulty proxy that delivers late, and keeps an acknowledgement",
        push(2, 5)
        + delivery(2, 5.1)
        + faulty(2, 7)
        + delivery(2, 7.1, connection=2)
        + [dict(e="ack", t=7.2, c=2, id="id2")]
        + again(11, 3)
        + delivery(2, 11.1, connection=3),
    ),
    (
        "a push that arrives after its sender has lost its connection",
        silent(2, 5, 5.1, loose=True) + push(3, 6) + delivery(3, 6.1) + delivery(2, 6.2),
    ),
    (
        "an owner who sees their own registration and is removed; what was accepted does not come any more",
        OWNS
        + [dict(e="listed", t=4, o=1, rs=[1]), dict(e="peeked", t=4, o=1, r=2, how="GET", status=404)]
        + told(2, 5)
        + told(4, 5.2, "signal")
        + removed(6)
        + [dict(e="knocked", t=6.2, o=1, status=401)]
        + to(0, 3, 8, 410),
    ),
    (
        "a rotation: both endpoints work, and a restore forgets the new one",
        told(2, 5)
        + attempt(1, 5.2, p=2)
        + saved(6)
        + rotated(7)
        + to(1, 3, 7.5, 201)
        + to(0, 4, 8, 201)
        + attempt(2, 8.5, "e3", p=3)
        + attempt(3, 8.6, "e4", p=4)
        + restored(12, former=False)
        + to(1, 5, 14, 503)
        + to(0, 6, 14, 201)
        + attempt(4, 15, "e6", p=6),
    ),
    (
        "a viewer after a restore: what was shown is gone, and numbers go on",
        [dict(e="process", t=1, r=1, p=number) for number in (7, 8)]
        + saved(4)
        + viewed("welcome", 5, shown=[[1, 1, 7]])
        + restored(6, former=False)
        + viewed("welcome", 8, c=2, shown=[])
        + viewed("view", 9, c=2, gone=[], added=[[1, 2, 8]]),
    ),
    (
        "a viewer that dismisses before the restored server says what there is",
        [dict(e="process", t=1, r=1, p=7)]
        + viewed("welcome", 3, shown=[[1, 1, 7]])
        + saved(4)
        + restored(6, former=False)
        + viewed("dismiss", 7.9, c=2, name=1)
        + viewed("welcome", 8, c=2, shown=[[1, 1, 7]])
        + viewed("welcome", 9, c=3, shown=[]),
    ),
    ("a device that is removed while it is connected", [*DEVICE, dict(e="closed", t=10.5, c=9, us=False)]),
]

BROKEN = [
    (3, "a message with a wrong signature", sent(2, 5, 401, "other key") + delivery(2, 5.1)),
    (3, "a request that the server said it does nothing with", silent(2, 5, 5.1, untouched=True) + delivery(2, 5.2)),
    (14, "a wrong signature that is accepted", sent(2, 5, 201, "damaged", ttl=0)),
    (14, "a right signature that is refused", sent(2, 5, 401)),
    (
        14,
        "a registration that accepts a push without its signature",
        told(2, 5) + attempt(1, 5.2, p=2) + to(0, 3, 6, 201, wrong="missing") + attempt(2, 6.2, "e3", p=3),
    ),
    (
        3,
        "an event of a push with a wrong signature",
        told(2, 5) + attempt(1, 5.2, p=2) + to(0, 3, 6, 401, wrong="other key") + attempt(2, 6.2, "e3", p=3),
    ),
    (15, "a signature that is refused for a time although the clock is right", sent(2, 5, 503, retry="1")),
    (3, "an owner who sees what is somebody else's", [*OWNS, dict(e="listed", t=4, o=1, rs=[1, 2])]),
    (3, "an owner who gets what is somebody else's", [*OWNS, dict(e="peeked", t=4, o=1, r=2, how="GET", status=200)]),
    (3, "a user agent that is believed to be another", [dict(e="posed", t=4, o=1, is_believed=True)]),
    (3, "an account that shows a push of another", told(2, 5) + viewed("welcome", 6, shown=[[1, 1, 9]])),
    (14, "an owner who was removed and is let in", [dict(e="knocked", t=4, o=1, status=200)]),
    (14, "a device that stays connected after it was removed", DEVICE),
    (14, "a registration that was removed with its owner and accepts a push", removed(4) + told(2, 6)),
    (14, "a registration that exists and answers 410", told(2, 5) + attempt(1, 5.2, p=2) + to(0, 3, 6, 410)),
    (14, "a former endpoint that answers 410", told(2, 5) + attempt(1, 5.2, p=2) + rotated(6) + to(0, 3, 7, 410)),
    (18, "a message that comes after the owner was removed", told(2, 5) + removed(6) + attempt(1, 9, p=2)),
    (18, "a message that was sent after the end", removed(4) + told(2, 6) + attempt(1, 6.2, p=2)),
    (
        7,
        "a message on a connection that a newer one has replaced",
        [one for one in again(8) if one["e"] != "closed"] + push(2, 9) + delivery(2, 9.5),
    ),
    (
        10,
        "messages in the wrong order through a faulty proxy",
        faulty(2, 4) + push(2, 5) + push(3, 6) + delivery(3, 6.1, connection=2) + delivery(2, 6.2, connection=2),
    ),
    (
        19,
        "a notification after a restore with a number that another had",
        [dict(e="process", t=1, r=1, p=number) for number in (7, 8)]
        + saved(4)
        + viewed("welcome", 5, shown=[[1, 1, 7]])
        + restored(6)
        + viewed("welcome", 8, c=2, shown=[[1, 1, 8]]),
    ),
    (
        25,
        "a secret of the page in the log",
        [
            dict(e="secret", t=2, what="a session", text="S" * 27),
            dict(e="shown", t=5, where="output", text=f"cookie={'S' * 27}"),
        ],
    ),
    (25, "a former token of a registration", rotated(3) + [dict(e="shown", t=5, where="/ui/", text="Q" * 38)]),
    (24, "an endpoint that ends when the clock jumps", SKEWED + push(2, 5, 410)),
    (5, "a message after it expired, with the clock right again", SKEWED + push(2, 10, ttl=2) + delivery(2, 14)),
    (1, "a message that never comes after the clock was wrong", SKEWED + push(2, 10)),
]
