"""Rules for callbacks of a cluster: those of one server (18, 21), and that one node after the other sends them."""

import bisect

from verdict import hooked
from verdict.story import FOREVER

# Events come so soon while nothing fails, and so soon after the node that sends them has died.
PROMPT, TAKEN_OVER = 5.0, 45.0
# A node that no longer reaches the servers may send for so long.
LEASE = 20.0
# And at least so long another one cannot, after it has begun.
REIGN = 8.0
# Receivers refuse a time that is so far from theirs (Standard Webhooks).
TOLERANCE = 300


class Calls:
    """Who called when, and what befell the machines."""

    def __init__(self, story, hooks):
        self.story, nodes = story, {}
        for event in story.events:
            if event["e"] == "from":
                nodes[event["r"], event["n"]] = event
        self.rows = sorted(
            (attempt.start, nodes[r, n]["node"], nodes[r, n]["skew"])
            for r, one in hooks.applications.items()
            for n, attempt in one.by_number.items()
            if (r, n) in nodes and nodes[r, n]["node"] is not None
        )
        self.times = [time for time, *_ in self.rows]
        self.blows = list(self.relevant())

    def sender(self, time):
        """The node that called last before."""
        at = bisect.bisect_left(self.times, time)
        return self.rows[at - 1][:2] if at else (-FOREVER, None)

    def relevant(self):
        """What befell the node that sends, or the servers. Until somebody has called again, it may be any node."""
        last = -FOREVER
        for time, name in self.story.blows:
            called, node = self.sender(time)
            if name.startswith("nats") or called <= last or name == f"node{node + 1}":
                last = time
                yield time

    def deadline(self, time):
        """When an event that was accepted then must have come."""
        deadline = time + PROMPT
        for blow in self.blows[bisect.bisect_left(self.blows, time - TAKEN_OVER) :]:
            if blow > deadline:
                break
            deadline = max(deadline, blow + TAKEN_OVER)
        return deadline

    def pauses(self):
        """How long nobody called after something relevant, at most."""
        rows = [
            self.times[at] - blow for blow in self.blows if (at := bisect.bisect(self.times, blow)) < len(self.times)
        ]
        return round(max(rows, default=0), 1)


def rule(story, findings):
    hooks = story.hooks
    calls = Calls(story, hooks)
    for number, one in hooks.applications.items():
        if number not in story.callers:
            continue
        hooked.arrives(number, one, hooks, findings)
        hooked.keeps_its_name(number, one, findings)
        hooked.is_in_order(number, one, hooks, findings)
        hooked.signals_follow(number, one, hooks, findings)
        if number in story.steady:
            goes_on(number, one, calls, story, findings)
    for number, one in hooks.applications.items():
        answers_rightly(number, one, story, findings)
    is_sent_by_one(calls, story, findings)
    for time, node, skew in calls.rows:
        findings.check(
            24,
            abs(skew) <= TOLERANCE,
            lambda: f"node {node + 1} called at {time:.3f}, with a time that is {skew} s off",
        )
    story.figures["longest pause of callbacks"] = calls.pauses()
    story.figures["callbacks"] = len(calls.rows)
    changes = sum(before[1] != after[1] for before, after in zip(calls.rows, calls.rows[1:]))
    story.figures["changes of the node that calls"] = changes


def goes_on(number, one, calls, story, findings):
    """Whoever answers at once gets each event in time, although the node that sends them dies."""
    came = {}
    for attempt in one.attempts:
        if attempt.is_done and attempt.push:
            came.setdefault(attempt.push, attempt.start)
    for push in one.pushes.values():
        if push.kind != "message" or not push.is_accepted or one.revoke_sent < FOREVER:
            continue
        time, deadline = came.get(push.number, FOREVER), calls.deadline(push.done) + story.slack(push.done)
        if min(time, deadline) <= story.end:
            text = f"application {number}: {push} came at {time:.3f}, due {deadline:.3f}"
            findings.check("goes on", time <= deadline, lambda text=text: text)


def is_sent_by_one(calls, story, findings):
    """Another node calls only after something befell the one before."""
    begin = -FOREVER
    for before, after in zip(calls.rows, calls.rows[1:]):
        if before[1] == after[1]:
            continue
        # Only who ends in order gives the lead back before its time is over.
        is_early = after[0] < begin + REIGN and not any(
            event["e"] == "node-ended" and event["n"] == before[1] and begin <= event["t"] <= after[0]
            for event in story.events
        )
        begin = after[0]
        reasons = [(time, name) for time, name in story.blows if before[0] - LEASE <= time <= after[0]]
        holds = any(name.startswith("nats") or name == f"node{before[1] + 1}" for _, name in reasons)
        findings.check(
            "one sender",
            holds and not is_early,
            lambda: f"node {before[1] + 1} called at {before[0]:.3f}, and node {after[1] + 1} at {after[0]:.3f}",
        )


def answers_rightly(number, one, story, findings):
    """14, 15: an endpoint that has ended is 410 on all nodes, a living one never; 503 only while something fails."""
    for push in one.pushes.values():
        if push.status is None:
            continue
        since = one.tokens[0][1]
        is_over = one.revoked + 1 < push.sent
        allowed = {410} if is_over else {201, 429} | ({410} if one.revoke_sent < push.done else set())
        is_at_fault = story.is_at_fault(push.done) or push.sent < since + 1
        text = f"application {number}: {push}, by node {story.via.get(push.number, -1) + 1}"
        if push.status == 503:
            findings.check(15, bool(push.retry), lambda: f"{text}: the answer has no Retry-After")
            findings.check(15, is_at_fault or is_over, lambda: f"{text}: refused although nothing had failed")
        else:
            findings.check(14, push.status in allowed, lambda: f"{text}: was not answered by one of {sorted(allowed)}")
