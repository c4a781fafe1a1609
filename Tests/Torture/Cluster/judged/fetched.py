"""Rules for fetchers: what they did not take comes again on the next connection, and what they took does not."""

import collections

from judged.cluster_story import LAG
from judged.looked import PROMPT, Looked
from verdict.story import FOREVER


def rule(story, findings):
    looked = Looked(story)
    taken, asked = collections.defaultdict(dict), collections.defaultdict(set)
    pushes = collections.defaultdict(dict)
    for event in story.events:
        if event["e"] == "raw-taken":
            taken[event["r"]].setdefault(event["id"], event["t"])
        elif event["e"] == "raw-take":
            asked[event["r"]].add(event["id"])
        elif event["e"] == "raw":
            known = pushes[event["r"]].setdefault(event["id"], event["p"])
            findings.check("fetched", known == event["p"], lambda: f"payload {event['id']} is another one: {event}")
    for viewer, kind in looked.kinds.items():
        if kind == "fetcher":
            one = story.hooks.applications[looked.of[viewer]]
            comes_again(viewer, looked.stays[viewer], taken[viewer], asked[viewer], story, findings)
            comes(viewer, looked.stays[viewer], pushes[viewer], one, story, findings)


def comes(viewer, stays, pushes, one, story, findings):
    """Each accepted push comes, under one name."""
    names = collections.defaultdict(set)
    for name, push in pushes.items():
        names[push].add(name)
    # Payloads are kept from the first fetcher on.
    begin = min((stay.begin for stay in stays), default=FOREVER) + LAG
    for push in one.pushes.values():
        if push.is_accepted and push.sent > begin and one.revoke_sent == FOREVER:
            findings.check("fetched", push.number in names, lambda: f"fetcher {viewer}: {push} never came")
        count = len(names[push.number])
        findings.check("fetched", count <= 1, lambda: f"fetcher {viewer}: {push} has {count} names")
    strange = names.keys() - one.pushes.keys()
    findings.check(3, not strange, lambda: f"fetcher {viewer} got what nobody sent: {strange}")


def comes_again(viewer, stays, taken, asked, story, findings):
    for before, after in zip(stays, stays[1:]):
        limit = after.begin + PROMPT
        is_long = after.end > limit and story.is_quiet(after.begin, limit)
        for name in before.payloads:
            if name not in asked and is_long:
                time = after.payloads.get(name, FOREVER)
                findings.check("fetched", time <= limit, lambda: f"fetcher {viewer}: {name} came not again: {time:.3f}")
    for stay in stays:
        for name, time in stay.payloads.items():
            settled = taken.get(name, FOREVER) + story.slack(stay.begin)
            findings.check(
                "fetched",
                stay.begin <= settled,
                lambda: f"fetcher {viewer}: {name} came at {time:.3f} after {settled:.3f}",
            )
        names = [int(name) for name in stay.payloads]
        findings.check("fetched", names == sorted(names), lambda: f"fetcher {viewer}: mixed order at {stay.begin:.3f}")
