"""Rules 27 to 29: what was accepted for a topic is in its history and reaches its readers, once and in one order; what
is scheduled comes when it is due; and what was deleted is told no more.
"""

import collections

from verdict.lineage import FOREVER


class Post:
    def __init__(self, event):
        self.number, self.topic, self.sent = event["m"], event["topic"], event["t"]
        self.delay, self.is_kept = event.get("delay", 0), event.get("kept", True)
        self.kind, self.sequence = event.get("kind", "message"), event.get("sequence")
        self.done, self.status, self.id = FOREVER, None, None

    @property
    def is_accepted(self):
        return self.status == 200

    @property
    def due(self):
        """When it may come, at the earliest and at the latest. The server counts whole seconds, and what is scheduled
        waits while nothing can be stored.
        """
        return (self.sent + self.delay - 1, FOREVER) if self.delay else (self.sent, self.done)

    def precedes(self, other):
        return self.due[1] < other.due[0]

    def __str__(self):
        return (
            f"{self.kind} {self.number} to {self.topic} (delay {self.delay}, kept {self.is_kept}, sequence"
            f" {self.sequence}, sent {self.sent:.3f}, {self.status or 'no answer'} at {self.done:.3f})"
        )


class Tale:
    """Posts by their numbers and ids; for each reader what it heard; and the history at the end."""

    def __init__(self, story):
        self.posts, self.heard = {}, collections.defaultdict(list)
        self.first, self.histories = {}, []
        for event in story.events:
            match event["e"]:
                case "publish":
                    self.posts[event["m"]] = Post(event)
                case "published":
                    post = self.posts[event["m"]]
                    post.done, post.status, post.id = event["t"], event["status"], event["id"]
                case "followed":
                    self.first.setdefault(event["r"], (event["t"], event["topics"]))
                case "heard":
                    self.heard[event["r"]].append(event)
                case "history":
                    self.histories.append(event["found"])
        self.by_id = {post.id: post for post in self.posts.values() if post.id}
        # What is scheduled is ended by another state of its sequence.
        self.by_sequence = collections.defaultdict(list)
        for post in self.posts.values():
            if post.sequence:
                self.by_sequence[post.topic, post.sequence].append(post)

    def post(self, event):
        """Nil for an event whose request was never answered and has no text."""
        return self.posts.get(event["number"]) or self.by_id.get(event["id"])

    def states(self, post):
        return [one for one in self.by_sequence.get((post.topic, post.sequence), []) if one is not post]

    def may_be_deleted(self, post):
        return any(one.kind == "delete" and one.done >= post.sent for one in self.states(post))

    def may_be_cancelled(self, post):
        """Another state of its sequence, also one that is scheduled, takes its place, and a deletion cancels it."""
        return post.delay and any(
            one.sent < post.due[1] and one.done >= post.sent and one.kind != "clear" for one in self.states(post)
        )


def rule(story, findings):
    tale = Tale(story)
    if not tale.posts:
        return
    for found in tale.histories:
        is_whole(found, tale, findings)
    for reader, events in tale.heard.items():
        is_once(reader, events, tale, findings)
    if tale.histories:
        places = {event["id"]: place for place, event in enumerate(tale.histories[-1])}
        for reader in tale.first:
            is_in_order(reader, tale.heard[reader], places, findings)
            has_all(reader, tale.heard[reader], tale, findings)


def is_whole(found, tale, findings):
    """27: the history has each accepted message once, in an order that agrees with the answers. 28, 29: also what was
    scheduled, and nothing that was deleted.
    """
    ids = collections.Counter(event["id"] for event in found)
    for name, count in ids.items():
        findings.check(27, count == 1, lambda: f"{name} is {count} times in the history")
    numbers = collections.Counter(event["number"] for event in found if event["number"] is not None)
    for number, count in numbers.items():
        findings.check(27, count == 1, lambda: f"{tale.posts[number]}: {count} times in the history")
    for post in tale.posts.values():
        if post.is_accepted and not post.is_kept:
            findings.check(27, post.number not in numbers, lambda: f"{post}: is in the history")
        elif post.is_accepted and post.kind != "message":
            # A later deletion also takes the events of its sequence.
            if not tale.may_be_deleted(post):
                findings.check(29, post.id in ids, lambda: f"{post}: its event is not in the history")
        elif post.is_accepted and not tale.may_be_deleted(post) and not tale.may_be_cancelled(post):
            findings.check(28 if post.delay else 27, post.number in numbers, lambda: f"{post}: not in the history")
    latest = None
    for post in filter(None, map(tale.post, found)):
        if latest:
            findings.check(27, not post.precedes(latest), lambda: f"{post} is after the later {latest}")
        if not latest or post.due[0] > latest.due[0]:
            latest = post
    deleted = {}
    for place, event in enumerate(found):
        if event["kind"] == "delete":
            deleted[event["topic"], event["sequence"]] = place
    for place, event in enumerate(found):
        if event["kind"] == "message" and event["sequence"]:
            end = deleted.get((event["topic"], event["sequence"]), -1)
            findings.check(29, end < place, lambda: f"{tale.post(event)}: was deleted, and is in the history")


def is_once(reader, events, tale, findings):
    """27, 28: a reader gets a message once, and not before it is due."""
    seen = collections.Counter(event["id"] for event in events)
    for name, count in seen.items():
        findings.check(27, count == 1, lambda: f"reader {reader} got {name} {count} times")
    for event in events:
        post = tale.post(event)
        if post is None:
            continue
        findings.check(
            28 if post.delay else 27,
            event["t"] >= post.due[0],
            lambda: f"reader {reader} got {post} at {event['t']:.3f}",
        )


def is_in_order(reader, events, places, findings):
    """27: in the order of the history."""
    latest, before = -1, None
    for event in events:
        place = places.get(event["id"])
        if place is not None:
            findings.check(27, place > latest, lambda: f"reader {reader} got {event['id']} after {before}")
            latest, before = max(latest, place), event["id"]


def has_all(reader, events, tale, findings):
    """27: what is in the history and came after the reader's first connection, has reached it."""
    begin, topics = tale.first[reader]
    got = {event["id"] for event in events}
    for event in tale.histories[-1]:
        post = tale.post(event)
        if event["topic"] in topics and post and post.sent > begin:
            findings.check(28 if post.delay else 27, event["id"] in got, lambda: f"reader {reader} never got {post}")
