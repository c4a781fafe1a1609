"""What a log says about callbacks, and the two rules for them."""

import collections

from lineage import FOREVER, Lineage


class Told:
    """A push to a registration."""

    def __init__(self, event):
        self.number, self.kind, self.sent = event["p"], event["kind"], event["t"]
        self.sample, self.done, self.status = event["sample"], FOREVER, None

    @property
    def is_accepted(self):
        return self.status == 201

    @property
    def may_be_kept(self):
        return self.status is None or self.status == 201 or self.status >= 500

    def __str__(self):
        return f"{self.kind} {self.number} (sent {self.sent:.3f}, {self.status} at {self.done:.3f})"


class Attempt:
    def __init__(self, event):
        self.start, self.id, self.type, self.push = event["t"], event["id"], event["type"], event["p"]
        self.count, self.is_signed = event["count"], event["is_signed"]
        self.is_done = False


class Application:
    def __init__(self):
        self.pushes, self.attempts, self.by_number = {}, [], {}
        self.token = self.secret = None
        self.revoked = FOREVER


class Hooks:
    def __init__(self, events, lineage=None):
        self.lineage, self.end = lineage or Lineage(), FOREVER
        self.applications = collections.defaultdict(Application)
        self.pushes = {}
        for event in events:
            getattr(self, "on_" + event["e"], self.ignore)(event)

    def ignore(self, event):
        pass

    def on_application(self, event):
        one = self.applications[event["r"]]
        one.token, one.secret = event["token"], event["secret"]

    def on_tell(self, event):
        push = self.pushes[event["p"]] = Told(event)
        self.applications[event["r"]].pushes[event["p"]] = push

    def on_told(self, event):
        push = self.pushes[event["p"]]
        push.status, push.done = event["status"], event["t"]

    def on_attempt(self, event):
        one = self.applications[event["r"]]
        one.attempts.append(Attempt(event))
        one.by_number[event["n"]] = one.attempts[-1]

    def on_done(self, event):
        self.applications[event["r"]].by_number[event["n"]].is_done = True

    def on_revoked(self, event):
        self.applications[event["r"]].revoked = event["t"]

    def are_silent(self):
        """Everything that was promised has come."""
        return all(not missing(one, self) for one in self.applications.values())


def done_messages(one):
    return {attempt.push for attempt in one.attempts if attempt.is_done and attempt.push}


def signals(one, hooks):
    """Each fetch signal when it was first received. Repetitions have the same id and are ignored."""
    taken = {}
    for attempt in one.attempts:
        if attempt.type == "push.fetch" and attempt.is_done:
            taken.setdefault((hooks.lineage.order(attempt.start), attempt.id), attempt)
    return taken


def missing(one, hooks):
    """What was accepted and has not come, unless a restore has forgotten it."""
    done, starts = done_messages(one), [taken.start for taken in signals(one, hooks).values()]
    last = max(starts, default=0)
    return [
        push
        for push in one.pushes.values()
        if push.is_accepted
        and hooks.lineage.surely(push.done, hooks.end)
        and (push.number not in done if push.kind == "message" else last < push.sent)
    ]


def rule(story, findings):
    hooks = Hooks(story.events, story.lineage)
    for number, one in hooks.applications.items():
        arrives(number, one, hooks, findings)
        keeps_its_name(number, one, findings)
        is_in_order(number, one, hooks, findings)
        signals_follow(number, one, hooks, findings)


def arrives(number, one, hooks, findings):
    """18: every accepted message comes, signed."""
    late = {push.number for push in missing(one, hooks)}
    for push in one.pushes.values():
        if push.is_accepted and push.kind == "message":
            findings.check(18, push.number not in late, lambda: f"application {number}: {push} never came")
    for attempt in one.attempts:
        findings.check(18, attempt.is_signed, lambda: f"application {number}: {attempt.id} is not signed")
        findings.check(
            18,
            attempt.push is None or attempt.push in one.pushes,
            lambda: f"application {number}: nobody sent {attempt.push}",
        )


def keeps_its_name(number, one, findings):
    """18: each event has an id, and all attempts at it have the same."""
    names, events = collections.defaultdict(set), collections.defaultdict(set)
    for attempt in one.attempts:
        events[attempt.id].add((attempt.type, attempt.push))
        if attempt.push:
            names[attempt.push].add(attempt.id)
    for push, ids in names.items():
        findings.check(18, len(ids) == 1, lambda: f"application {number}: push {push} came under {len(ids)} ids")
    for name, what in events.items():
        findings.check(18, len(what) == 1, lambda: f"application {number}: {name} names {what}")


def is_in_order(number, one, hooks, findings):
    """18: events come one after the other, in order of acceptance, and none after the last. A restore that does not
    know what ended after its backup begins with that backup's events again.
    """
    order = []
    for attempt in one.attempts:
        if not order or order[-1].id != attempt.id:
            order.append(attempt)
    findings.check(
        18,
        not order or order[0].type == "registration.created",
        lambda: f"application {number}: {order[0].type} came first",
    )
    seen, is_over, latest, begun = set(), False, None, 0
    for attempt in order:
        if hooks.lineage.order(attempt.start) > begun:
            seen, latest, begun = set(), None, hooks.lineage.order(attempt.start)
        findings.check(
            18,
            attempt.id not in seen,
            lambda: f"application {number}: {attempt.type} {attempt.id} came again after a later event",
        )
        findings.check(18, not is_over, lambda: f"application {number}: {attempt.type} came after the last event")
        is_over |= attempt.type == "registration.deleted"
        seen.add(attempt.id)
        push = one.pushes.get(attempt.push)
        if push:
            findings.check(
                18,
                latest is None or push.done >= latest.sent,
                lambda: f"application {number}: {push} came after {latest}",
            )
            if latest is None or push.sent > latest.sent:
                latest = push
    if one.revoked < FOREVER:
        findings.check(18, is_over, lambda: f"application {number}: was not told of its end")


def signals_follow(number, one, hooks, findings):
    """21: at least one signal begins after each accepted PUT, and there are no more signals than PUTs."""
    puts = [push for push in one.pushes.values() if push.kind == "signal"]
    taken = signals(one, hooks)
    late = {push.number for push in missing(one, hooks)}
    for push in puts:
        if push.is_accepted:
            findings.check(21, push.number not in late, lambda: f"application {number}: no signal came after {push}")
    if len(hooks.lineage.lives) > 1:
        return  # A restore forgets signals, and repeats others.
    count = sum(attempt.count for attempt in taken.values())
    accepted, possible = (sum(getattr(push, name) for push in puts) for name in ("is_accepted", "may_be_kept"))
    findings.check(
        21, len(taken) <= possible, lambda: f"application {number}: {len(taken)} signals for {possible} PUTs"
    )
    findings.check(
        21,
        accepted <= count <= possible,
        lambda: f"application {number}: the signals count {count} PUTs, of {accepted} to {possible}",
    )
