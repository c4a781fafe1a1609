"""Decides from a log alone whether the server kept its promise. It knows nothing about the server.

usage: checker.py LOG...
"""

import bisect
import collections
import signal
import sys

import events
from verdict import (
    asked,
    dismissed,
    hooked,
    overheard,
    own_screens,
    owned,
    refused,
    restored,
    screening,
    secrets_shown,
    serving,
    survived,
    topics,
    viewed,
)
from verdict.story import FOREVER, Story

# After this time on a connection, all waiting messages have come.
WINDOW = 5.0
# The write-ahead log keeps its size, up to 64 MiB and a batch.
WAL_LIMIT = 68 << 20


class Findings:
    def __init__(self):
        self.cases = collections.Counter()
        self.violations = collections.defaultdict(list)

    def case(self, invariant, count=1):
        self.cases[invariant] += count

    def violation(self, invariant, text):
        self.violations[invariant].append(text)

    def check(self, invariant, holds, text):
        """`text` is a function because most checks pass."""
        self.cases[invariant] += 1
        if not holds:
            self.violations[invariant].append(text())

    def merge(self, other):
        self.cases += other.cases
        for invariant, texts in other.violations.items():
            self.violations[invariant] += texts


def check(story):
    findings = Findings()
    for rule in RULES:
        rule(story, findings)
    return findings


def ends_of(push, story):
    """The moments at which the promise may have ended without an acknowledgement."""
    sub = story.subs[push.sub]
    ends = [push.delete_sent, *sub.end_sent]
    if push.topic:
        ends += [
            max(other.sent, push.sent)
            for other in sub.pushes
            if other.topic == push.topic and other is not push and other.may_be_kept and not other.precedes(push)
        ]
    return ends


def arrives(story, findings):
    """1: an accepted message is seen on every connection that lasts, until it is acknowledged."""
    lasting = collections.defaultdict(list)
    for one in story.connections.values():
        if one.mode == "prompt" and not one.is_faulty and one.closed - one.ready >= WINDOW:
            lasting[one.agent].append(one)
    for push in story.pushes.values():
        findings.check("answered", not push.is_silent, lambda: f"{push}: no answer in time")
        if not push.is_accepted or push.granted == 0:
            continue
        expiry, ends, lineage = push.sent + push.granted, ends_of(push, story), story.lineage
        for connection in lasting[story.subs[push.sub].agent]:
            start = max(connection.ready, push.done)
            deadline = start + WINDOW
            if connection.closed < deadline or expiry < deadline or not lineage.surely(push.done, start):
                continue
            if not story.is_quiet(start, deadline) or any(lineage.perhaps_ended(end, deadline) for end in ends):
                continue
            limit = deadline + story.slack(deadline)
            holds = any(lineage.perhaps_ended(time, limit) for time in push.acknowledged) or any(
                one.connection is connection and one.start <= limit for one in push.deliveries
            )
            invariant = story.invariant(24 if story.has_jumped(push.sent, deadline) else 1, push.done, start)
            findings.check(
                invariant,
                holds,
                lambda: (
                    f"{push}: not seen on connection {connection.number} from {connection.ready:.3f}"
                    f" to {connection.closed:.3f}"
                ),
            )
            if not holds:
                break


def is_as_sent(story, findings):
    """2, 3: body, headers and channel are those of the push."""
    for event in story.strangers:
        findings.check(3, False, lambda: f"delivered but never sent: {event}")
    for connection in story.connections.values():
        for one in connection.deliveries:
            push, sub = one.push, story.subs[one.push.sub]
            findings.check(
                2,
                one.digest == push.digest and one.headers == push.headers,
                lambda: f"{push}: came as {one.digest} {one.headers}, not {push.headers}",
            )
            findings.check(
                3,
                one.channel == sub.channel and connection.agent == sub.agent,
                lambda: f"{push}: came on channel {one.channel} of client {connection.agent}",
            )
            if not connection.reads_late:
                for ended in sub.ended:
                    findings.check(
                        story.invariant(3, ended, one.start),
                        not has_surely_ended(story, ended, one),
                        lambda: f"{push}: came after its subscription ended at {ended:.3f}",
                    )


def has_surely_ended(story, ended, delivery):
    """The promise had ended for the peers and for the server when this delivery began."""
    limit = ended + 0.1 + story.slack(delivery.start)
    return delivery.start > limit and story.lineage.surely_ended(ended, delivery.start)


def keeps_its_name(story, findings):
    """4, 9: all deliveries of a push have one id, which no other push has."""
    for push in story.pushes.values():
        names = {one.id for one in push.deliveries}
        if push.deliveries:
            findings.check(4, len(names) == 1, lambda: f"{push}: came under ids {names}")
        if len(push.deliveries) > 1:
            findings.check(
                9,
                len(names) == 1 and len({one.digest for one in push.deliveries}) == 1,
                lambda: f"{push}: its deliveries differ",
            )
    for name, pushes in story.by_id.items():
        findings.check(
            4, len(pushes) == 1, lambda: f"id {name} names {len(pushes)} pushes: {', '.join(map(str, pushes))}"
        )


def is_in_time(story, findings):
    """5: nothing is delivered more than a second after it expired."""
    for push in story.pushes.values():
        for one in push.deliveries:
            if one.connection.reads_late or push.done == FOREVER:
                continue
            limit = push.done + push.granted + 1 + story.slack(one.start)
            findings.check(
                24 if story.has_jumped(push.sent, one.start) else 5,
                one.start <= limit,
                lambda: f"{push}: came at {one.start:.3f}, due until {limit:.3f}",
            )


def is_not_repeated(story, findings):
    """6, 7: refused pushes come at most once, and others come again only after a break."""
    for push in story.pushes.values():
        if push.is_refused:
            findings.check(6, len(push.deliveries) <= 1, lambda: f"{push}: refused but repeated")
        for one in push.deliveries:
            limit = one.connection.replaced + 0.1 + story.slack(one.start)
            findings.check(
                7,
                one.start <= limit or one.connection.reads_late,
                lambda: f"{push}: came on connection {one.connection.number} after a newer one had replaced it",
            )
        seen = collections.Counter(one.connection.number for one in push.deliveries)
        for before, one in zip(push.deliveries, push.deliveries[1:]):
            findings.check(
                7,
                seen[one.connection.number] == 1
                and before.connection is not one.connection
                and before.connection.closed <= one.connection.ready,
                lambda: f"{push}: came twice without a break",
            )
        if len(push.deliveries) == 1:
            findings.case(7)


def acknowledgement_is_final(story, findings):
    """8: an acknowledgement is final after a quiet second, or after an answer to something sent later."""
    for push in story.pushes.values():
        for index, one in enumerate(push.deliveries):
            time = getattr(one, "acknowledged", None)
            if time is None:
                continue
            settled = (
                one.connection.closed > time + 1
                and not one.connection.is_faulty
                and story.is_quiet(time - 0.5, time + 1.1)
            )
            answered = one.connection.pings.get(one.id)
            if settled:
                is_final(push, index, time + 1, "a quiet second", story, findings)
            elif answered and story.is_quiet(time - 0.5, time):
                how = f"a ping after the acknowledgement was answered at {answered:.3f}"
                is_final(push, index, answered, how, story, findings)


def is_final(push, index, since, how, story, findings):
    later = push.deliveries[index + 1 :]
    findings.case(8)
    for one in later:
        findings.check(
            story.invariant(8, since, one.start),
            not story.lineage.surely_ended(min(since, one.start), one.start),
            lambda: f"{push}: came again at {one.start:.3f} after {how}",
        )


def is_in_order(story, findings):
    """10: first deliveries come in order of acceptance, and so do all deliveries of a connection."""
    first = collections.defaultdict(list)
    for push in story.pushes.values():
        if push.deliveries:
            first[push.sub, push.deliveries[0].order].append(push.deliveries[0])
    rows = [sorted(row, key=lambda one: one.time) for row in first.values()]
    for connection in story.connections.values():
        by_sub = collections.defaultdict(list)
        for one in connection.deliveries:
            by_sub[one.push.sub].append(one)
        rows += by_sub.values()
    for row in rows:
        latest = None
        for one in row:
            if one.push.is_refused:
                continue
            if latest:
                findings.check(
                    10, not one.push.precedes(latest.push), lambda: f"{one.push} came after the later {latest.push}"
                )
            if not latest or one.push.sent > latest.push.sent:
                latest = one


def topic_replaces(story, findings):
    """12: a message that a newer one of its topic replaced comes no more."""
    for sub in story.subs.values():
        topics = collections.defaultdict(list)
        for push in sub.pushes:
            if push.topic and push.is_accepted and push.granted > 0:
                topics[push.topic].append(push)
        for row in topics.values():
            row.sort(key=lambda push: push.done)
            ends = [push.done for push in row]
            for push in (push for push in sub.pushes if push.topic and push.deliveries):
                newer = [
                    other
                    for other in row[bisect.bisect_right(ends, push.sent) :]
                    if other.topic == push.topic and push.precedes(other)
                ]
                for one in push.deliveries if newer else []:
                    if not one.connection.reads_late:
                        found = next((other for other in newer if has_surely_ended(story, other.done, one)), None)
                        findings.check(
                            story.invariant(12, newer[0].done, one.start),
                            found is None,
                            lambda: f"{push}: came at {one.start:.3f}, replaced by {found}",
                        )


def withdrawal_holds(story, findings):
    """13: a message that was withdrawn comes no more."""
    for push in story.pushes.values():
        for time in push.deleted:
            late = [
                one for one in push.deliveries if not one.connection.reads_late and has_surely_ended(story, time, one)
            ]
            invariant = story.invariant(13, time, late[0].start) if late else 13
            findings.check(invariant, not late, lambda: f"{push}: came after it was withdrawn at {time:.3f}")


def gone_is_gone(story, findings):
    """14: an ended subscription answers 410, and an existing one never does. One that a restore may have forgotten
    answers 503.
    """
    for event in story.forgotten:
        kept = [number for number in event["kept"] if story.is_surely_live(story.subs[number], event["t"])]
        findings.check(14, not kept, lambda: f"client {event['a']} got another uaid though it had {kept}")
    for push in story.pushes.values():
        sub = story.subs[push.sub]
        if push.status is None or push.wrong:
            continue
        words = restored.expected(push, story)
        found = {410: "gone", 201: "live", 429: "live"}.get(push.status)
        # A fault makes an endpoint of any kind answer so, and rule 15 asks whether there was one.
        holds = found in words if found else push.status >= 500 and words != {"gone"}
        since = max((time for time in (sub.live_since, *sub.ended) if time < push.sent), default=push.sent)
        usual = 24 if story.has_jumped(since, push.done) and words != {"gone"} else 14
        findings.check(
            story.invariant(usual, since, push.sent),
            holds,
            lambda: f"{push}: its subscription is {' or '.join(sorted(words))}",
        )


def faults_pass(story, findings):
    """15: an answer with 5xx has Retry-After, and the service recovers by itself."""
    for kind, begin, healed, usable in story.faults:
        findings.check(
            15, usable - healed <= 10, lambda: f"{kind} from {begin:.3f} to {healed:.3f}: usable at {usable:.3f}"
        )
    for push in story.pushes.values():
        if push.status is not None and push.status >= 500:
            findings.check(15, bool(push.retry), lambda: f"{push}: the answer has no Retry-After")
            # Nobody can judge the times in a signature by a clock that has just moved.
            at_fault = (
                "missing" in restored.expected(push, story)
                or story.is_at_fault(push.done)
                or ((push.is_signed or push.wrong) and story.has_jumped(push.sent - 1, push.done))
            )
            findings.check(15, at_fault, lambda: f"{push}: refused although there was no fault")


def lives(story, findings):
    """The server starts whenever it is told to. It does not end by itself, and not badly when it is told to."""
    for event in story.starts:
        findings.check(
            "alive", event["e"] == "ready", lambda: f"the server did not start at {event['t']:.3f}: {event['text']}"
        )
    for kind, event in story.ends:
        expected = 0 if kind == signal.SIGTERM else -kind
        findings.check(
            "alive", event["code"] == expected, lambda: f"the server ended with {event['code']} before {event['t']:.3f}"
        )


def now_or_never(story, findings):
    """16: a message with TTL 0 is delivered at once or never."""
    for push in story.pushes.values():
        if push.ttl != 0 or not push.is_accepted:
            continue
        since = push.done + story.lag
        late = [one for one in push.deliveries if one.connection.greeted > push.done and one.start > since]
        findings.check(
            16, push.granted == 0 and not late, lambda: f"{push}: granted {push.granted}, came after a reconnect"
        )


def full_is_refused(story, findings):
    """17: a push is refused with Retry-After when there is no room; rule 1 checks that accepted messages are kept."""
    for push in story.pushes.values():
        if push.status == 429:
            findings.check(17, bool(push.retry), lambda: f"{push}: the answer has no Retry-After")


def others_are_not_delayed(story, findings):
    """11: compares the latencies of reading clients without and with silent ones beside them."""
    for quiet, silent in zip(story.phases[::3], story.phases[1::3]):
        end = story.phases[2]["t"] if len(story.phases) > 2 else story.end
        alone, beside = (latencies(story, *span) for span in ((quiet["t"], silent["t"]), (silent["t"], end)))
        if alone and beside:
            findings.check(
                11,
                beside <= alone + 0.05,
                lambda: f"p99 is {beside * 1e3:.1f} ms beside silent clients, {alone * 1e3:.1f} ms alone",
            )


def latencies(story, start, end):
    """The 99th percentile for clients that acknowledge at once."""
    times = sorted(
        push.deliveries[0].start - push.sent
        for push in story.pushes.values()
        if start < push.sent < end
        and push.deliveries
        and push.deliveries[0].connection.mode == "prompt"
        and push.deliveries[0].connection.ready < push.sent
    )
    return times[int(len(times) * 0.99)] if len(times) > 100 else None


def resources_return(story, findings):
    """26: descriptors, memory and the write-ahead log shrink again."""
    spans = collections.defaultdict(dict)
    for event in story.measures:
        spans[event["when"].split()[1]][event["when"].split()[0]] = event
    for name, span in spans.items():
        if "before" not in span or "after" not in span:
            continue
        before, after = span["before"], span["after"]
        for what, room in (("descriptors", 0), ("memory", 8 << 20)):
            findings.check(
                26,
                after[what] <= before[what] + room,
                lambda: f"{name}: {what} {before[what]} before, {after[what]} after",
            )
        findings.check(26, after["wal"] <= WAL_LIMIT, lambda: f"{name}: the write-ahead log has {after['wal']} bytes")


RULES = [
    arrives,
    is_as_sent,
    keeps_its_name,
    is_in_time,
    is_not_repeated,
    acknowledgement_is_final,
    is_in_order,
    topic_replaces,
    withdrawal_holds,
    gone_is_gone,
    faults_pass,
    lives,
    now_or_never,
    full_is_refused,
    others_are_not_delayed,
    resources_return,
    refused.rule,
    restored.rule,
    owned.rule,
    secrets_shown.rule,
    hooked.rule,
    viewed.rule,
    serving.rule,
    screening.rule,
    overheard.rule,
    survived.rule,
    topics.rule,
    dismissed.rule,
    asked.rule,
    own_screens.rule,
]


def report(findings, required):
    """Prints everything; returns whether all rules held and everything required was examined."""
    is_good = True
    for invariant in sorted(
        set(findings.cases) | set(required), key=lambda one: (isinstance(one, str), str(one).zfill(3))
    ):
        bad, count = findings.violations[invariant], findings.cases[invariant]
        is_empty = count == 0
        is_good &= not bad and not is_empty
        verdict = "NONE" if is_empty else "FAIL" if bad else "pass"
        print(f"{verdict}  invariant {invariant!s:8} {count:9,} cases, {len(bad)} violations")
        for text in bad[:5]:
            print(f"      broken: {text}")
    return is_good


def main():
    total = Findings()
    for path in sys.argv[1:]:
        total.merge(check(Story(events.read(path))))
    sys.exit(0 if report(total, []) else 1)


if __name__ == "__main__":
    main()
