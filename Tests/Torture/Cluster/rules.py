"""The promise of a cluster: that of one server, and what several nodes owe each other."""

import collections
import types

import checker
import restored
from story import FOREVER, Story

# So late may a node hear of what another one has done.
LAG = 1.0
# For so long a node that comes back and says that it is well may not know yet what happened meanwhile. It takes new
# endpoints for ended ones, and delivers what was replaced or withdrawn. Only a strict check objects.
CATCHES_UP = 5.0
# In these seconds the clients of a dead node are served, a node that is cut off says so, an ended endpoint is gone on
# all nodes, and everything is well again.
SERVED, CUT_OFF, GONE, RECOVERED = 5.0, 2.0, 1.0, 20.0


class ClusterStory(Story):
    def __init__(self, events, is_strict):
        self.is_strict = is_strict
        self.agents, self.places, self.cuts, self.dead, self.probes = {}, [], [], [], []
        self.machine_ends, self.unwell, self.comparisons, self.told_to_end = [], [], [], collections.Counter()
        self.via, self.absences = {}, collections.defaultdict(list)
        super().__init__(events)

    def on_via(self, event):
        self.via[event["p"]] = event["n"]

    def on_frozen(self, event):
        self.leaves(event["name"], event["t"])

    def on_thawed(self, event):
        self.returns(event["name"], event["t"])

    def leaves(self, name, time):
        self.absences[name].append([time, FOREVER])

    def returns(self, name, time):
        self.absences[name][-1][1] = time

    def may_not_know_it_yet(self, push):
        """The endpoint is new, or was made while the node of this push was away."""
        born = self.subs[push.sub].live_since
        return born <= push.sent <= born + LAG or any(
            begin - LAG <= born <= push.sent <= end + CATCHES_UP
            for begin, end in self.absences[f"node{self.via.get(push.number, -1) + 1}"]
        )

    def on_agent(self, event):
        self.agents[event["a"]] = event["resident"]

    def on_at(self, event):
        self.places.append(event)

    def on_joined(self, event):
        self.returns(f"node{event['n'] + 1}", event["t"])
        self.cuts.append(event)

    def on_cut(self, event):
        self.leaves(f"node{event['n'] + 1}", event["t"])

    def on_probe(self, event):
        self.probes.append(event)

    def on_unwell(self, event):
        self.unwell.append(event)

    def on_compared(self, event):
        self.comparisons.append(event)

    def fault_at(self, time):
        after = 1 if self.is_strict else CATCHES_UP
        return next((one for one in self.faults if one[1] <= time <= one[3] + after), None)

    def slack(self, time):
        """A node that is frozen or cut off hears nothing until then."""
        fault = self.fault_at(time)
        return super().slack(time) + LAG + (time - fault[1] if fault else 0)


def excuse_repeats(story, findings):
    """A node that waited for the servers may deliver a message again on the same connection."""
    for push in story.pushes.values():
        kept = []
        for one in push.deliveries:
            if kept and kept[-1].connection is one.connection and story.fault_at(one.start):
                findings.case("repeated after a fault, excused")
            else:
                kept.append(one)
        push.deliveries = kept


def gone_is_gone(story, findings, is_strict=False):
    """14: an endpoint that ended is 410, one that lives is not. A node that cannot say it answers 503."""
    for event in story.forgotten:
        kept = [number for number in event["kept"] if story.is_surely_live(story.subs[number], event["t"])]
        findings.check(14, not kept, lambda: f"client {event['a']} got another uaid though it had {kept}")
    for push in story.pushes.values():
        if push.status is None or push.status >= 500:
            continue
        words = restored.expected(push, story)
        found = {410: "gone", 201: "live", 429: "live"}.get(push.status, str(push.status))
        holds = found in words
        if not holds and found == "gone" and not is_strict and story.may_not_know_it_yet(push):
            findings.case("410 for a new endpoint, excused")
            continue
        node = story.via.get(push.number, -1) + 1
        findings.check(14, holds, lambda: f"{push}: is {' or '.join(sorted(words))}, by node {node}")


def goes_on(story, findings):
    """15: nodes refuse only while something fails, and all is well soon after it."""
    for push in story.pushes.values():
        if push.status is not None and push.status >= 500:
            findings.check(15, bool(push.retry), lambda: f"{push}: the answer has no Retry-After")
            # Until a node certainly knows, it asks to come again.
            if "gone" in restored.expected(push, story) or story.may_not_know_it_yet(push):
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


def are_served(story, findings):
    """Who was connected to a node that died is served by a node within five seconds."""
    greetings = collections.defaultdict(list)
    for one in story.connections.values():
        greetings[one.agent].append(one)
    node_of = {event["c"]: event["node"] for event in story.places}
    for event in (event for event in story.events if event["e"] == "node-kill"):
        kinds = {kind for kind, begin, healed, _ in story.faults if begin <= event["t"] <= healed}
        if not kinds & {"kill-node", "end-node"}:
            continue
        for agent in (agent for agent, is_resident in story.agents.items() if is_resident):
            served = [one for one in greetings[agent] if one.ready <= event["t"] <= one.closed]
            if not served or node_of.get(served[-1].number) != event["n"]:
                continue
            again = [one.ready for one in greetings[agent] if event["t"] < one.ready <= event["t"] + SERVED]
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
    """10, for pushes that went through the same node."""
    for node in set(story.via.values()):
        connections = {
            number: types.SimpleNamespace(
                deliveries=[one for one in connection.deliveries if story.via.get(one.push.number) == node]
            )
            for number, connection in story.connections.items()
        }
        pushes = {number: push for number, push in story.pushes.items() if story.via.get(number) == node}
        checker.is_in_order(types.SimpleNamespace(pushes=pushes, connections=connections), findings)


def keeps_snapshots(story, findings):
    """New nodes need them. A node tries for the first time after 20,000 entries of the log."""
    for event in (event for event in story.events if event["e"] == "snapshots"):
        failed = event["failed"]
        if failed or event["kept"]:
            findings.check("snapshots", not failed, lambda: f"node {event['n'] + 1}: {len(failed)} times {failed[0]}")


RULES = [
    *(checker.arrives, checker.is_as_sent, checker.keeps_its_name, checker.is_in_time, checker.is_not_repeated),
    *(checker.acknowledgement_is_final, checker.topic_replaces, checker.withdrawal_holds),
    *(checker.now_or_never, goes_on, are_served, says_that_it_is_cut_off, is_gone_everywhere),
    *(live, are_alike),
]
REQUIRED = [1, 2, 3, 4, 5, 7, 8, 9, 10, 12, 14, "gone", "alike", "recovery"]
# What may not come in a short run.
REQUIRED_IN_LONG = [13, 16, "served", "cut off", "alive"]


def check(events, is_strict):
    """Strict: a node that comes back knows every endpoint and repeats nothing, snapshots are kept, and pushes through
    several nodes keep their order.
    """
    story, findings = ClusterStory(events, is_strict), checker.Findings()
    if not is_strict:
        excuse_repeats(story, findings)
    for rule in RULES:
        rule(story, findings)
    gone_is_gone(story, findings, is_strict)
    if is_strict:
        keeps_snapshots(story, findings)
        checker.is_in_order(story, findings)
    else:
        keeps_order_of_a_node(story, findings)
    return story, findings
