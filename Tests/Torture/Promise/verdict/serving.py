"""The rules of the promise for applications on the bus."""

import collections

from verdict.lineage import FOREVER
from verdict.served import ATTEMPTS, WINDOW, Served


def rule(story, findings):
    served = Served(story)
    for one in RULES:
        one(served, story, findings)


def ends_of(push, served):
    """When the promise may have ended without an answer."""
    one = served.registrations[push.registration]
    ends = [push.delete_sent, one.leave_sent]
    if push.topic:
        same = (other for other in one.pushes if other.topic == push.topic and other is not push)
        ends += [max(other.sent, push.sent) for other in same if other.may_be_kept and not other.precedes(push)]
    return min(ends)


def chances(served):
    """For each application, the times in which everything ran and it answered at once."""
    spans = collections.defaultdict(list)
    for one in served.connections.values():
        if one.mode == "prompt":
            for begin, end in served.steady.after(one.up):
                if min(end, one.down) - begin >= WINDOW:
                    spans[one.application].append((begin, min(end, one.down), one))
    return spans


def arrives(served, story, findings):
    """1: an accepted message comes to an application that is there and answers; so does an endpoint."""
    spans = chances(served)
    for number, one in served.registrations.items():
        for begin, end, _ in spans[one.application]:
            deadline = max(begin, one.accepted) + WINDOW
            if deadline <= end and one.leave_sent > deadline:
                limit = deadline + story.slack(deadline)
                what = f"registration {number}, accepted at {one.accepted:.3f}"
                findings.check(1, one.told <= limit, lambda: f"{what}: no endpoint until {limit:.3f}")
                break
    for push in served.pushes.values():
        if not push.is_accepted or push.ttl == 0 or push.errors >= ATTEMPTS:
            continue
        end_of_promise = min(ends_of(push, served), push.sent + push.ttl)
        for begin, end, connection in spans[served.registrations[push.registration].application]:
            deadline = max(begin, push.done) + WINDOW
            if deadline > end or deadline > end_of_promise:
                continue
            limit = deadline + story.slack(deadline)
            holds = any(came.how == "taken" and came.time <= limit for came in push.deliveries)
            findings.check(1, holds, lambda: f"{push}: not taken by {connection.number} until {limit:.3f}")
            break


def is_as_sent(served, story, findings):
    """2, 3: the body is that of the push, and it comes to its registration, as long as that lives."""
    for event in served.strangers:
        findings.check(3, False, lambda: f"a message that nobody sent: {event}")
    for push in served.pushes.values():
        one = served.registrations[push.registration]
        for came in push.deliveries:
            findings.check(2, came.digest == push.digest, lambda: f"{push}: came with another body")
            findings.check(
                3,
                came.connection.application == one.application and came.token == one.token,
                lambda: f"{push}: came to application {came.connection.application}",
            )
            late = came.start > one.ended + 0.1 + story.slack(came.start)
            findings.check(3, not late, lambda: f"{push}: came after its registration ended at {one.ended:.3f}")
            findings.check(3, came.time >= one.told, lambda: f"{push}: came before the endpoint")


def keeps_its_name(served, story, findings):
    """4, 9: all deliveries of a push are alike, and no other has its id."""
    for push in served.pushes.values():
        names = {one.id for one in push.deliveries}
        if names:
            findings.check(4, len(names) == 1, lambda: f"{push}: came under ids {names}")
        if len(push.deliveries) > 1:
            digests = {one.digest for one in push.deliveries}
            findings.check(9, len(names) == len(digests) == 1, lambda: f"{push}: its deliveries differ")
    for name, pushes in served.by_id.items():
        findings.check(4, len(pushes) == 1, lambda: f"id {name}: {', '.join(map(str, pushes))}")


def is_in_time(served, story, findings):
    """5: nothing comes more than a second after it expired, unless the desktop was stopped meanwhile."""
    for push in served.pushes.values():
        for one in push.deliveries:
            if push.done < FOREVER and not any(a <= one.start and push.sent <= b for a, b in served.stops):
                limit = push.done + push.ttl + 1 + story.slack(one.start)
                findings.check(5, one.start <= limit, lambda: f"{push}: due until {limit:.3f}")


def is_not_repeated(served, story, findings):
    """7, 16: a message comes again only if it was not taken, or if the desktop has died since."""
    for push in served.pushes.values():
        if push.deliveries:
            findings.case(7)
        for before, one in zip(push.deliveries, push.deliveries[1:]):
            is_gone = before.connection.down <= one.time and not before.is_taken
            holds = before.life != one.life or before.how == "error" or is_gone
            findings.check(7, holds, lambda: f"{push}: came twice without a break")
        if push.ttl == 0:
            findings.check(16, len(push.deliveries) <= 1, lambda: f"{push}: came again")


def answer_is_final(served, story, findings):
    """8: what an application took comes no more, once everything ran for two seconds after that."""
    for push in served.pushes.values():
        for index, one in enumerate(push.deliveries):
            settled = served.steady.reached(one.answered, 2)
            if not one.is_taken or settled == FOREVER or served.dies_between(one.time, settled):
                continue
            late = [other for other in push.deliveries[index + 1 :] if other.start > settled]
            findings.check(8, not late, lambda: f"{push}: came again at {late[0].time:.3f}, settled at {settled:.3f}")


def is_in_order(served, story, findings):
    """10: first deliveries come in order of acceptance, and so do all of one life; one message at a time."""
    rows, flights = collections.defaultdict(list), collections.defaultdict(list)
    for push in served.pushes.values():
        for number, one in enumerate(push.deliveries):
            if number == 0:
                rows[push.registration].append(one)
            rows[push.registration, one.life, one.connection.number].append(one)
            flights[one.life, one.connection.number].append(one)
    for row in rows.values():
        latest = None
        for one in sorted(row, key=lambda one: one.time):
            if latest:
                holds = not one.push.precedes(latest.push)
                findings.check(10, holds, lambda: f"{one.push} came after the later {latest.push}")
            if not latest or one.push.sent > latest.push.sent:
                latest = one
    for row in flights.values():
        row.sort(key=lambda one: one.time)
        for before, one in zip(row, row[1:]):
            holds = before.answered <= one.time
            findings.check(10, holds, lambda: f"{one.push} came while {before.push} was not answered")


def ended_is_ended(served, story, findings):
    """12, 13: what was replaced or withdrawn comes no more, once the desktop was connected after that."""
    for one in served.registrations.values():
        for push in one.pushes:
            if push.ttl == 0:
                # Only the desktop has it, for a second, which rule 5 asks for.
                continue
            newer = [other for other in one.pushes if push.topic == other.topic and push.precedes(other)]
            ends = [(12, other.done) for other in newer if push.topic and other.is_accepted and other.ttl > 0]
            for invariant, time in [*ends, *((13, time) for time in push.deleted)]:
                settled = served.steady.reached(time, 0.2)
                late = [came for came in push.deliveries if came.start > settled + story.slack(came.start)]
                if late and served.is_crowded(push.sent, time + WINDOW):
                    continue
                findings.check(
                    invariant, not late, lambda: f"{push}: ended at {time:.3f}, and came at {late[0].time:.3f}"
                )


def gone_is_gone(served, story, findings):
    """14: a registration keeps its endpoint, which is live until it ends, and is gone soon after that."""
    for number, one in served.registrations.items():
        if one.endpoints:
            findings.check(14, len(set(one.endpoints)) == 1, lambda: f"registration {number} got another endpoint")
        gone = served.steady.reached(one.ended, 1.5) if one.ended < FOREVER else FOREVER
        for push in one.pushes:
            if push.status is None or (push.status >= 500 and story.faults):
                continue
            allowed = {410} if push.sent > gone else {201, 429} | ({410} if push.done > one.leave_sent else set())
            findings.check(14, push.status in allowed, lambda: f"{push}: its registration ended at {one.ended:.3f}")


RULES = [
    arrives,
    is_as_sent,
    keeps_its_name,
    is_in_time,
    is_not_repeated,
    answer_is_final,
    is_in_order,
    ended_is_ended,
    gone_is_gone,
]
