"""Rules 3 and 14 for owners and accounts: nobody sees what belongs to others, or has rights that have ended."""

from verdict.hooked import Hooks

# The registration does not exist for the one who asks; or the answer says nothing about it.
NOTHING = {400, 401, 404, 429, 503}


def rule(story, findings):
    owners, processed = {}, {}
    for event in story.events:
        if event["e"] == "owns":
            owners[event["r"]] = event["o"]
        elif event["e"] in ("process", "post"):
            processed.setdefault(event["r"], set()).add(event["p"])
    applications = Hooks(story.events).applications
    for event in story.events:
        if event["e"] == "listed":
            strange = [one for one in event["rs"] if owners.get(one) != event["o"]]
            findings.check(3, not strange, lambda: f"owner {event['o']} has registrations of others: {strange}")
        elif event["e"] == "peeked":
            findings.check(
                3,
                event["status"] in NOTHING,
                lambda: f"owner {event['o']}: {event['how']} for application {event['r']}: {event['status']}",
            )
        elif event["e"] == "posed":
            findings.check(3, not event["is_believed"], lambda: f"owner {event['o']} got the user agent of another")
        elif event["e"] == "knocked":
            findings.check(14, event["status"] == 401, lambda: f"owner {event['o']} was removed: {event['status']}")
        elif event["e"] in ("welcome", "view"):
            number = event["r"]
            known = applications[number].pushes.keys() | processed.get(number, set())
            shown = [push for _, _, push in event.get("shown", event.get("added"))]
            strange = [push for push in shown if push is not None and push not in known]
            findings.check(3, not strange, lambda: f"account {number} shows pushes of others: {strange}")
