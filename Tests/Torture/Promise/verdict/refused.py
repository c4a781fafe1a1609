"""What must be refused before it has any effect: pushes that nobody may make (rules 3 and 14), and requests that the
server itself gave up (rule 3).
"""

from verdict import restored

# The answers to a push with a wrong signature: it says so, the endpoint is at its limit of failures, or the clock of
# the server has just moved.
ANSWERS = {401, 429, 503}


def rule(story, findings):
    for push in story.pushes.values():
        if push.is_untouched:
            findings.check(
                3, not push.deliveries, lambda: f"{push}: came although the server said that it does nothing with it"
            )
        # By a clock that is behind, it has not expired yet.
        if push.wrong and not (push.wrong == "expired" and story.has_jumped(push.sent - 1, push.done)):
            findings.check(3, not push.deliveries, lambda: f"{push}: came with a wrong signature ({push.wrong})")
            if push.status is not None:
                is_refused_rightly(push, story, findings)


def is_refused_rightly(push, story, findings):
    words = restored.expected(push, story)
    allowed = set(ANSWERS) if "live" in words else {429, 503}
    if words & {"gone", "missing"}:
        allowed.add(410)
    findings.check(
        story.invariant(14, story.subs[push.sub].live_since, push.sent),
        push.status in allowed,
        lambda: f"{push}: its signature is wrong ({push.wrong}), and its subscription is {' or '.join(sorted(words))}",
    )
