"""The checker can fail: small stories that break the promise, one for each rule."""

import sys

sys.path.append(__file__.rsplit("/", 3)[0])

import desk_stories
import question_stories
import stories_of_everything
import topic_stories
from stories import TOKEN, again, attempt, delivery, device, push, refused, restored, saved, story, told, viewed
from verdict import checker
from verdict.story import Story

REVOKED = [dict(e="revoke", t=10, d=1), dict(e="withdrawn", t=10.1, d=1)]
UNREGISTERED = [dict(e="unregister", t=10, c=1, s=1), dict(e="unregistered", t=10.1, c=1, s=1)]
FAULT = [dict(e="fault", t=5, kind="full"), dict(e="healed", t=6), dict(e="usable", t=7)]
STOP = [dict(e="stopped", t=5.2), dict(e="continued", t=8)]
QUIET = [
    one for number in range(2, 202) for one in push(number, 3 + number / 100) + delivery(number, 3.001 + number / 100)
]
SLOW = [
    one for number in range(202, 402) for one in push(number, 4 + number / 100) + delivery(number, 4.1 + number / 100)
]
PHASES = [dict(e="phase", t=2.5, name=""), dict(e="phase", t=5.9, name=""), dict(e="phase", t=20, name="")]
MEASURES = [
    dict(e="measure", t=3, when="before x", descriptors=9, memory=0, wal=0),
    dict(e="measure", t=9, when="after x", descriptors=10, memory=0, wal=0),
]

GOOD = [
    ("one push", []),
    ("a push to a registration that a fault prevents", FAULT + refused(5.5, retry="1")),
    ("a message that expires while the server stands still", push(2, 5, ttl=2) + STOP + delivery(2, 8.1)),
    (
        "an acknowledgement that is lost in a still stand",
        push(2, 5)
        + delivery(2, 5.1)
        + STOP
        + [dict(e="ack", t=5.3, c=1, id="id2")]
        + again(8.1)
        + delivery(2, 8.2, connection=2),
    ),
    ("a server that ends for want of memory", [dict(e="kill", t=5, signal=0), dict(e="dead", t=5.1, code=-4)]),
    (
        "a callback with a repeat, merged signals and an end",
        told(2, 5)
        + attempt(1, 5.2, p=2, is_done=False)
        + attempt(2, 6, p=2)
        + attempt(3, 7, p=2)
        + told(3, 8, "signal")
        + told(4, 8.2, "signal")
        + attempt(4, 8.4, "e2", type="push.fetch", count=2)
        + [dict(e="revoked", t=9, r=1)]
        + attempt(5, 9.1, "e3", type="registration.deleted"),
    ),
    (
        "a viewer that dismisses, and is back after more than are shown",
        [dict(e="process", t=4, r=1, p=number) for number in range(4, 14)]
        + viewed("welcome", 5, shown=[[1, 1, 7], [1, 2, 8]])
        + viewed("dismiss", 6, name=1)
        + viewed("view", 6.1, gone=[1], added=[])
        + viewed("dismissed", 6.2, name=1)
        + viewed("view", 7, gone=[], added=[[1, 3, 9]])
        + viewed("processed", 7.1, name=9)
        + viewed("welcome", 8, c=2, shown=[[1, name, name] for name in range(4, 14)]),
    ),
]

AWAY = [dict(e="process", t=4, r=1, p=number) for number in range(7, 20)]
AWAY += viewed("welcome", 5, shown=[[1, 1, 7]]) + viewed("welcome", 6, c=2, shown=[[1, n, n + 6] for n in range(4, 14)])
GOOD += [
    (
        "a notification that gave way while the viewer was away comes back",
        AWAY + viewed("view", 7, c=2, gone=[9], added=[[1, 3, 9]]),
    )
]

GOOD_RESTORES = [
    (
        "a restore: what came after the backup is lost, what was acknowledged after it comes again",
        push(2, 5)
        + saved(7)
        + delivery(2, 8)
        + [dict(e="ack", t=8.1, c=1, id="id2")]
        + push(3, 9)
        + restored(10, former=False)
        + delivery(2, 11.1, connection=2),
    ),
    (
        "a restore beside the former store: what ended after the backup stays ended",
        push(2, 5) + saved(7) + UNREGISTERED + restored(12) + push(3, 14, 410),
    ),
    (
        "a restore without the former store: what ended after the backup lives",
        saved(7) + UNREGISTERED + restored(12, former=False) + push(3, 14) + delivery(3, 14.1, connection=2),
    ),
    (
        "a message for a connection whose successor a busy server has not answered yet",
        [dict(one, t=8.6) if one["e"] == "hello" else one for one in again(8) if one["e"] != "closed"]
        + push(2, 8.3)
        + delivery(2, 8.4)
        + [dict(e="ack", t=8.4, c=1, id="id2")],
    ),
    (
        "an endpoint that is newer than the backup, before and after thirty days",
        saved(0.1)
        + restored(12)
        + push(2, 14, 503, retry="1")
        + [dict(e="slept", t=15, seconds=31 * 86_400)]
        + push(3, 16, 410),
    ),
    (
        "an endpoint that a restore brings back, whose client ends a later one on the same channel",
        saved(7)
        + UNREGISTERED
        + [dict(e="register", t=10.2, c=1, s=2, a=0, chan="x"), dict(e="unregister", t=10.3, c=1, s=2)]
        + restored(12, former=False)
        + [dict(e="unregister", t=13.1, c=2, s=2), dict(e="unregistered", t=13.2, c=2, s=2)]
        + push(3, 14, 410),
    ),
    (
        "a replaced message that a restore brings back, after a newer one that a slow client has read late",
        push(2, 5, topic="a")
        + saved(5.12)
        + push(3, 5.3, topic="a")
        + delivery(3, 5.45)
        + [dict(e="ack", t=5.5, c=1, id="id3")]
        + push(4, 9.85)
        + restored(10, former=False)
        + delivery(4, 10.3)
        + delivery(2, 11.2, connection=2),
    ),
    ("a device that waits to be confirmed", saved(7) + restored(12, former=False) + device(12.2, 503)),
    ("a device that was removed", saved(7) + REVOKED + restored(12) + device(15, 401)),
    (
        "a callback after a restore: what it was told after the backup is lost or comes again",
        told(2, 5)
        + saved(7)
        + attempt(1, 8, p=2)
        + told(3, 9)
        + attempt(2, 9.2, "e3", p=3)
        + told(4, 10)
        + restored(12, former=False)
        + attempt(3, 13, p=2),
    ),
    ("a backup that was killed", saved(7, is_killed=True, code=-9, now="a", names=["b", "b.new"])),
]

BROKEN = [
    (23, "a message of the backup is lost", push(2, 5) + delivery(2, 5.1) + saved(7) + restored(12)),
    (
        23,
        "a message that was acknowledged before the backup comes again",
        saved(7) + restored(12, former=False) + delivery(1, 13.1, connection=2),
    ),
    (
        23,
        "a message that was acknowledged after the backup comes again",
        push(2, 5)
        + delivery(2, 5.1)
        + saved(7)
        + [dict(e="ack", t=8, c=1, id="id2")]
        + restored(12)
        + delivery(2, 13.1, connection=2),
    ),
    (23, "an endpoint that ended after the backup lives", saved(7) + UNREGISTERED + restored(12) + push(2, 14)),
    (
        23,
        "an endpoint that ended before the backup lives",
        UNREGISTERED + saved(12) + restored(14, former=False) + push(2, 16),
    ),
    (
        23,
        "an endpoint that ended answers as if it were newer than the backup",
        saved(7) + UNREGISTERED + restored(12) + push(2, 14, 503, retry="1"),
    ),
    (23, "an endpoint that is newer than the backup answers 410", saved(0.1) + restored(12) + push(2, 14, 410)),
    (
        15,
        "an endpoint of the backup answers as if it were newer",
        saved(7) + restored(12) + push(2, 14, 503, retry="1"),
    ),
    (
        23,
        "an endpoint that answers 503 for more than thirty days",
        saved(0.1) + restored(12) + [dict(e="slept", t=13, seconds=31 * 86_400)] + push(2, 14, 503, retry="1"),
    ),
    (
        14,
        "a client that a restore has forgotten",
        saved(7) + restored(12) + [dict(e="forgotten", t=13.5, c=2, a=0, kept=[1])],
    ),
    (18, "an event of the backup never comes", told(2, 5) + saved(7) + restored(12)),
    (
        18,
        "an event that ended after the backup comes again",
        told(2, 5)
        + told(3, 6)
        + saved(7)
        + attempt(1, 8, p=2)
        + attempt(2, 8.2, "e3", p=3)
        + restored(12)
        + attempt(3, 13, p=2),
    ),
    (23, "a device that is let in unconfirmed", saved(7) + restored(12, former=False) + device(12.2, 101)),
    (23, "a device that was removed is let in", saved(7) + REVOKED + restored(12) + device(15, 101)),
    (23, "a device that is not let in", saved(7) + restored(12) + device(15, 401)),
    (23, "a backup that is not whole", saved(7, verified=1)),
    (23, "a backup that failed", saved(7, code=1, now="a")),
    (23, "a killed backup that took the former one with it", saved(7, is_killed=True, code=-9, now=None)),
    (23, "a restore that failed", saved(7) + restored(12, code=1)),
    (23, "a restore that wrote to the former store", saved(7) + restored(12, is_untouched=False)),
    (1, "a message that never comes", push(2, 5)),
    (1, "an unacknowledged message that does not come again", push(2, 5) + delivery(2, 5.1) + again(8)),
    (2, "a message with another body", push(2, 5) + delivery(2, 5.1, digest="e")),
    (3, "a message that nobody sent", delivery(9, 5)),
    (3, "a message on another channel", push(2, 5) + delivery(2, 5.1, chan="y")),
    (3, "a message after its subscription ended", push(2, 5) + UNREGISTERED + delivery(2, 12)),
    (4, "a message with the id of another push", push(2, 5) + delivery(2, 5.1, "id1")),
    (4, "a message with two ids", push(2, 5) + delivery(2, 5.1) + again(8) + delivery(2, 8.1, "other", 2)),
    (5, "a message after it expired", push(2, 5, ttl=2) + delivery(2, 9)),
    (
        6,
        "a refused push that comes twice",
        push(2, 5, 503, retry="1") + delivery(2, 5.1) + again(8) + delivery(2, 8.1, connection=2),
    ),
    (7, "a message twice on one connection", push(2, 5) + delivery(2, 5.1) + delivery(2, 5.2)),
    (8, "a message that was acknowledged long before", again(8) + delivery(1, 8.1, connection=2)),
    (
        9,
        "a repeated message with another body",
        push(2, 5) + delivery(2, 5.1) + again(8) + delivery(2, 8.1, connection=2, digest="e"),
    ),
    (10, "messages in the wrong order", push(2, 5) + push(3, 6) + delivery(3, 6.1) + delivery(2, 6.2)),
    (11, "a silent client delays others", QUIET + SLOW + PHASES),
    (
        12,
        "a message that was replaced",
        push(2, 5, topic="t") + push(3, 6, topic="t") + delivery(3, 6.1) + delivery(2, 7),
    ),
    (
        13,
        "a message that was withdrawn",
        push(2, 5) + [dict(e="delete", t=6, p=2), dict(e="deleted", t=6.1, p=2, status=204)] + delivery(2, 7),
    ),
    (14, "an ended subscription that accepts a push", UNREGISTERED + push(2, 15)),
    (14, "an existing subscription that answers 410", push(2, 5, 410)),
    (14, "a client that the server has forgotten", [dict(e="forgotten", t=5, c=1, a=0, kept=[1])]),
    (15, "no Retry-After", FAULT + push(2, 5.5, 503)),
    (15, "a push refused without a fault", FAULT + push(2, 15, 503, retry="1")),
    (15, "a server that stays unusable after a fault", FAULT[:2]),
    (16, "a message with TTL 0 that comes later", push(2, 5, ttl=0) + again(5.3) + delivery(2, 5.4, connection=2)),
    (17, "no Retry-After", push(2, 5, 429)),
    (24, "a message lost when the clock jumps", [dict(e="jump", t=4, offset=86_400)] + push(2, 5)),
    (25, "a token in the log", [dict(e="shown", t=5, where="output", text=f"path=/wpush/{TOKEN}")]),
    (26, "descriptors grow", MEASURES),
    (18, "an accepted message never came", told(2, 5)),
    (18, "an event without a signature", told(2, 5) + attempt(1, 5.2, p=2, is_signed=False)),
    (18, "an event with a second id", told(2, 5) + attempt(1, 5.2, p=2, is_done=False) + attempt(2, 9, "e2", p=2)),
    (18, "events in another order", told(2, 5) + told(3, 6) + attempt(1, 6.2, "e3", p=3) + attempt(2, 6.3, p=2)),
    (
        18,
        "an event that comes before the earlier one was accepted",
        told(2, 5) + told(3, 6) + attempt(1, 6.2, p=2, is_done=False) + attempt(2, 6.3, "e3", p=3) + attempt(3, 9, p=2),
    ),
    (
        18,
        "an event after the last one",
        told(2, 5)
        + [dict(e="revoked", t=6, r=1)]
        + attempt(1, 6.2, "e9", type="registration.deleted")
        + attempt(2, 6.3, p=2),
    ),
    (
        21,
        "no signal after a PUT",
        told(2, 5, "signal") + attempt(1, 5.2, type="push.fetch", count=1) + told(3, 6, "signal"),
    ),
    (
        21,
        "a PUT counted in a signal that was sent before",
        told(2, 5, "signal")
        + attempt(1, 5.2, type="push.fetch", count=1)
        + told(3, 6, "signal")
        + attempt(2, 6.2, type="push.fetch", count=2),
    ),
    (
        21,
        "more signals than PUTs",
        told(2, 5, "signal")
        + attempt(1, 5.2, type="push.fetch", count=1)
        + attempt(2, 6.2, "e2", type="push.fetch", count=1),
    ),
    (
        19,
        "a notification that was seen and is missing",
        viewed("welcome", 5, shown=[[1, 1, 7]]) + viewed("welcome", 6, c=2, shown=[]),
    ),
    (
        19,
        "a notification with the number of another push",
        viewed("welcome", 5, shown=[[1, 1, 7]]) + viewed("welcome", 6, c=2, shown=[[1, 1, 8]]),
    ),
    (
        19,
        "a new notification with an older number",
        viewed("welcome", 5, shown=[[1, 5, 7]]) + viewed("view", 6, gone=[], added=[[1, 4, 8]]),
    ),
    (
        19,
        "a new notification with the number of one that was there before the viewer",
        AWAY + viewed("view", 8, c=2, gone=[], added=[[2, 0, 9]]),
    ),
    (
        19,
        "a notification that was dismissed and is still there",
        viewed("welcome", 5, shown=[[1, 1, 7]])
        + viewed("dismiss", 6, name=1)
        + viewed("dismissed", 6.1, name=1)
        + viewed("welcome", 7, c=2, shown=[[1, 1, 7]]),
    ),
    (
        20,
        "a push that is answered before it is shown",
        viewed("welcome", 5, shown=[])
        + viewed("processed", 6, name=7)
        + viewed("view", 6.1, gone=[], added=[[1, 1, 7]]),
    ),
    (15, "a push to a registration that is refused without a fault", FAULT + refused(15, retry="1")),
    (15, "a push to a registration without Retry-After", FAULT + refused(5.5)),
    (1, "a message that a still stand lost", push(2, 5.1) + STOP + again(9)),
    (5, "a message long after it expired in a still stand", push(2, 5, ttl=2) + STOP + delivery(2, 13)),
    (15, "a push refused after a still stand", STOP + push(2, 8, 503, retry="1")),
    ("alive", "a server that does not start", [dict(e="failed", t=5, text="")]),
    ("alive", "a server that crashes", [dict(e="kill", t=5, signal=9), dict(e="dead", t=5.1, code=-4)]),
    ("alive", "a server that ends badly", [dict(e="kill", t=5, signal=15), dict(e="dead", t=5.1, code=1)]),
    ("answered", "no answer", [push(2, 5)[0], dict(e="silence", t=25, p=2, late=True)]),
]


def main():
    wrong = 0
    others = (stories_of_everything, desk_stories, topic_stories, question_stories)
    broken = BROKEN + [one for each in others for one in each.BROKEN]
    for name, more in GOOD + GOOD_RESTORES + [one for each in others for one in each.GOOD]:
        good = checker.check(Story(story(*more))).violations
        if any(good.values()):
            wrong += 1
            print(f"MISS  the good story: {name}; {dict(good)}")
    for invariant, name, more in broken:
        findings = checker.check(Story(story(*more)))
        if not findings.violations[invariant]:
            wrong += 1
            print(f"MISS  invariant {invariant}: {name}; {dict(findings.violations)}")
    print(f"checker: {len(broken)} broken stories, {wrong} not found")
    return 1 if wrong else 0


sys.exit(main())
