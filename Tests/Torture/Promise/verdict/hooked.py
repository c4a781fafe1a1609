"""What a log says about callbacks, and the two rules for them."""

import collections

from verdict.lineage import FOREVER, Lineage


class Told:
    """A push to a registration."""

    def __init__(self, event):
        self.number, self.kind, self.sent = event["p"], event["kind"], event["t"]
        self.sample, self.done, self.status = event["sample"], FOREVER, None
        # Which of its endpoints, the oldest first.
        self.at, self.retry = event.get("k", 0), None
        self.is_signed, self.wrong = event.get("signed", False), event.get("wrong")

    @property
    def is_accepted(self):
        return self.status == 201

    @property
    def may_be_kept(self):
        return not self.wrong and (self.status is None or self.status == 201 or self.status >= 500)

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
        # Each endpoint with the moment since which it is there; the secrets of its callback.
        self.tokens, self.secrets = [], []
        # Who revokes it is told of the end; it is not when its owner is removed.
        self.revoke_sent = self.revoked = self.remove_sent = self.removed = FOREVER

    def end_sent(self):
        return min(self.revoke_sent, self.remove_sent)

    def ended(self):
        return min(self.revoked, self.removed)


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
        one.tokens.append((event["token"], event["t"]))
        one.secrets.append(event["secret"])

    on_rotated = on_application

    def on_tell(self, event):
        push = self.pushes[event["p"]] = Told(event)
        self.applications[event["r"]].pushes[event["p"]] = push

    def on_told(self, event):
        push = self.pushes[event["p"]]
        push.status, push.done, push.retry = event["status"], event["t"], event.get("retry")

    def on_attempt(self, event):
        one = self.applications[event["r"]]
        one.attempts.append(Attempt(event))
        one.by_number[event["n"]] = one.attempts[-1]

    def on_done(self, event):
        self.applications[event["r"]].by_number[event["n"]].is_done = True

    def on_revoking(self, event):
        self.applications[event["r"]].revoke_sent = event["t"]

    def on_revoked(self, event):
        self.applications[event["r"]].revoked = event["t"]

    def on_removing(self, event):
        self.applications[event["r"]].remove_sent = event["t"]

    def on_removed(self, event):
        self.applications[event["r"]].removed = event["t"]

    def missing(self):
        """How much of what was promised has not come."""
        return sum(len(missing(one, self)) for one in self.applications.values())


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
    if one.remove_sent < FOREVER:
        return []
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
        answers_rightly(number, one, story, findings)
        is_taken(number, one, story, findings)
        ends_with_its_owner(number, one, story, findings)


def answers_rightly(number, one, story, findings):
    """14: an endpoint that has ended answers 410, and an existing one, or one from before a rotation, never does."""
    lineage = story.lineage
    for push in one.pushes.values():
        if push.status is None:
            continue
        since = one.tokens[push.at][1] if one.tokens else FOREVER
        if one.ended() + 1 < push.sent and lineage.surely_ended(one.ended(), push.sent):
            allowed = {410}
        elif lineage.perhaps_ended(one.end_sent(), push.done) or not lineage.surely(since, push.sent):
            allowed = {201, 410, 429, 503}
        else:
            allowed = {201, 429, 503}
        if push.wrong:
            # A clock that is wrong may make an old signature look new.
            is_early = push.wrong == "expired" and story.has_jumped(push.sent - 1, push.done)
            allowed = allowed - (set() if is_early else {201}) | {401}
        findings.check(
            story.invariant(24 if story.has_jumped(since, push.done) else 14, since, push.sent),
            push.status in allowed,
            lambda: f"application {number}: {push} was not answered by one of {sorted(allowed)}",
        )


def is_taken(number, one, story, findings):
    """15: a push is refused only while there is a fault, and with Retry-After."""
    for push in one.pushes.values():
        if push.status is not None and push.status >= 500:
            text = f"application {number}: {push}"
            findings.check(15, bool(push.retry), lambda: f"{text}: the answer has no Retry-After")
            since = one.tokens[push.at][1] if one.tokens else FOREVER
            at_fault = (
                story.is_at_fault(push.done)
                or not story.lineage.surely(since, push.sent)
                or ((push.is_signed or push.wrong) and story.has_jumped(push.sent - 1, push.done))
            )
            findings.check(15, at_fault, lambda: f"{text}: refused although there was no fault")


def ends_with_its_owner(number, one, story, findings):
    """18: when its owner was removed, its callback is told nothing more."""
    if one.removed == FOREVER:
        return
    for attempt in one.attempts:
        limit = one.removed + 2 + story.slack(attempt.start)
        findings.check(
            18,
            attempt.start <= limit or not story.lineage.surely_ended(one.removed, attempt.start),
            lambda: f"application {number}: {attempt.type} came at {attempt.start:.3f}, after its owner was removed",
        )


def arrives(number, one, hooks, findings):
    """18: every accepted message comes, signed."""
    late = {push.number for push in missing(one, hooks)}
    for push in one.pushes.values():
        if push.is_accepted and push.kind == "message":
            findings.check(18, push.number not in late, lambda: f"application {number}: {push} never came")
    for attempt in one.attempts:
        findings.check(18, attempt.is_signed, lambda: f"application {number}: {attempt.id} is not signed")
        push = one.pushes.get(attempt.push)
        findings.check(18, attempt.push is None or push, lambda: f"application {number}: nobody sent {attempt.push}")
        findings.check(
            3,
            not push or not push.wrong or push.status == 201,
            lambda: f"application {number}: {push} came with a wrong signature ({push.wrong})",
        )
        findings.check(
            18, not push or push.sent < one.ended(), lambda: f"application {number}: {push} came, sent after the end"
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
    # Signals that wait end with the owner.
    accepted = accepted if one.remove_sent == FOREVER else 0
    findings.check(
        21, len(taken) <= possible, lambda: f"application {number}: {len(taken)} signals for {possible} PUTs"
    )
    findings.check(
        21,
        accepted <= count <= possible,
        lambda: f"application {number}: the signals count {count} PUTs, of {accepted} to {possible}",
    )
