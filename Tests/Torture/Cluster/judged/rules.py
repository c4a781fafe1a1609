"""The promise of a cluster: that of one server, and what several nodes owe each other."""

import collections
import types

from judged import called, fetched, looked, revoked, signed
from judged.cluster_story import LAG, ClusterStory
from verdict import checker, restored

# In these seconds the clients of a dead node are served, a node that is cut off says so, an ended endpoint is gone on
# all nodes, and everything is well again.
SERVED, CUT_OFF, GONE, RECOVERED = 5.0, 2.0, 1.0, 20.0


def gone_is_gone(story, findings):
    """14: an endpoint that ended is 410, one that lives is not. A node that cannot say it answers 503."""
    for event in story.forgotten:
        kept = [number for number in event["kept"] if story.is_surely_live(story.subs[number], event["t"])]
        findings.check(14, not kept, lambda: f"client {event['a']} got another uaid though it had {kept}")
    for push in story.pushes.values():
        if push.status is None or push.status >= 500 or push.wrong or push.number in story.edges:
            continue
        words = restored.expected(push, story)
        found = {410: "gone", 201: "live", 429: "live"}.get(push.status, str(push.status))
        node = story.via.get(push.number, -1) + 1
        findings.check(14, found in words, lambda: f"{push}: is {' or '.join(sorted(words))}, by node {node}")


def goes_on(story, findings):
    """15: nodes refuse only while something fails, and all is well soon after it."""
    for push in story.pushes.values():
        if push.status is not None and push.status >= 500 and push.number not in story.edges:
            findings.check(15, bool(push.retry), lambda: f"{push}: the answer has no Retry-After")
            # Until a node certainly knows, it asks to come again.
            is_new = push.sent <= story.subs[push.sub].live_since + LAG
            if is_new or "gone" in restored.expected(push, story):
                findings.case("asked to come again for an endpoint that is new or has ended")
                continue
            findings.check(
                15, story.is_at_fault(push.done), lambda: f"{push}: refused although nothing had failed for a second"
            )
    for kind, begin, healed, usable in story.faults:
        findings.check(
            "recovery",
            usable - healed <= RECOVERED,
            lambda: f"{kind} from {begin:.3f} to {healed:.3f}: well at {usable:.3f}; {story.unwell}",
        )


def served_until(story, begin):
    """What fails meanwhile takes its time, too."""
    limit = begin + SERVED
    for _, begins, _, usable in story.faults:
        if begin < begins < limit:
            limit += usable - begins
    return limit


def are_served(story, findings):
    """Who was connected to a node that died is served by a node within five seconds in which nothing else fails."""
    greetings = collections.defaultdict(list)
    for one in story.connections.values():
        greetings[one.agent].append(one)
    node_of = {event["c"]: event["node"] for event in story.places}
    for event in (event for event in story.events if event["e"] == "node-kill"):
        kinds = {kind for kind, begin, healed, _ in story.faults if begin <= event["t"] <= healed}
        if not kinds & {"kill-node", "kill-lead", "end-node"}:
            continue
        for agent in (agent for agent, is_resident in story.agents.items() if is_resident):
            served = [one for one in greetings[agent] if one.ready <= event["t"] <= one.closed]
            if not served or node_of.get(served[-1].number) != event["n"]:
                continue
            limit = served_until(story, event["t"])
            again = [one.ready for one in greetings[agent] if event["t"] < one.ready <= limit]
            findings.check(
                "served",
                bool(again),
                lambda: f"client {agent}: not served in time after node {event['n'] + 1} ended at {event['t']:.3f}",
            )


def says_that_it_is_cut_off(story, findings):
    for event in story.cuts:
        after = event["after"]
        findings.check(
            "cut off",
            after is not None and after <= CUT_OFF,
            lambda: f"node {event['n'] + 1}, which was cut off until {event['t']:.3f}, answered 503 after {after} s",
        )


def is_gone_everywhere(story, findings):
    for event in story.probes:
        findings.check(
            "gone",
            event["status"] in (0, 410) or event["status"] >= 500,
            lambda: f"subscription {event['s']}: node {event['n'] + 1} answered {event['status']} at {event['t']:.3f}",
        )


def live(story, findings):
    """No machine ends by itself, and who is told to end in order does."""
    killed = set()
    for event in story.events:
        if event["e"] == "node-kill":
            killed.add(f"node{event['n'] + 1}")
        elif event["e"] == "nats-kill":
            killed.add(event["name"])
        elif event["e"] == "machine-end":
            findings.check(
                "alive",
                event["name"] in killed,
                lambda: f"{event['name']} ended by itself with {event['code']} before {event['t']:.3f}",
            )
            killed.discard(event["name"])
        elif event["e"] == "node-ended":
            findings.check("alive", event["code"] == 0, lambda: f"node {event['n'] + 1} ended with {event['code']}")


def are_alike(story, findings):
    for event in story.comparisons:
        findings.check("alike", not event["differences"], lambda: "; ".join(event["differences"][:8]))


def keeps_order_of_a_node(story, findings):
    """10, for pushes that are stored and went through the same node."""
    for node in set(story.via.values()):
        pushes = {number: push for number, push in story.pushes.items() if push.ttl and story.via.get(number) == node}
        connections = {
            number: types.SimpleNamespace(
                deliveries=[one for one in connection.deliveries if one.push.number in pushes]
            )
            for number, connection in story.connections.items()
        }
        checker.is_in_order(types.SimpleNamespace(pushes=pushes, connections=connections), findings)


def keeps_order_of_all(story, findings):
    """10, for pushes through different nodes, and those that are not stored: the second was sent when each node had
    heard of the first.
    """
    for connection in story.connections.values():
        latest = {}
        for one in connection.deliveries:
            push = one.push
            before = latest.get(push.sub)
            if push.is_refused:
                continue
            if before and not (story.is_at_fault(push.done) or story.is_at_fault(before.sent)):
                findings.check(10, push.done + LAG >= before.sent, lambda: f"{push} came after {before}")
            if not before or push.sent > before.sent:
                latest[push.sub] = push


def keeps_snapshots(story, findings):
    """New nodes need them. A node tries for the first time after 20,000 entries of the log, and again soon if servers
    that are down do not take its copy.
    """
    for event in (event for event in story.events if event["e"] == "snapshots"):
        unanswered = [line for line in event["failed"] if "the cluster does not answer" in line]
        failed = [line for line in event["failed"] if line not in unanswered]
        if len(unanswered) > len(story.faults):
            failed += unanswered
        if failed or event["kept"]:
            findings.check("snapshots", not failed, lambda: f"node {event['n'] + 1}: {len(failed)} times {failed[0]}")


RULES = [
    *(checker.arrives, checker.is_as_sent, checker.keeps_its_name, checker.is_in_time, checker.is_not_repeated),
    *(checker.acknowledgement_is_final, checker.topic_replaces, checker.withdrawal_holds),
    *(checker.now_or_never, gone_is_gone, goes_on, are_served, says_that_it_is_cut_off, is_gone_everywhere),
    *(keeps_order_of_a_node, keeps_order_of_all, live, are_alike, keeps_snapshots),
    *(signed.rule, called.rule, looked.rule, fetched.rule, revoked.rule),
]
REQUIRED = [1, 2, 3, 4, 5, 7, 8, 9, 10, 12, 14, 18, 19, 21, "alike", "ended", "engines", "engines alike", "fetched"]
REQUIRED += ["gone", "goes on", "recovery"]
# What may not come in a short run.
REQUIRED_IN_LONG = [13, 16, 20, "served", "cut off", "alive", "one sender", 24]


def check(events):
    story, findings = ClusterStory(events), checker.Findings()
    for rule in RULES:
        rule(story, findings)
    return story, findings
