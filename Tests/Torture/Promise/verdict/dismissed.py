"""Rule 29: what the owner of a topic has closed on one screen returns on none, and the history tells it to readers."""

import collections

from verdict.topics import Tale


def rule(story, findings):
    closed, lit = {}, {}
    for event in sorted(story.events, key=lambda event: event["t"]):
        if event["e"] == "lit":
            lit[event["r"]] = event["t"]
        elif event["e"] == "shut":
            closed.setdefault((event["topic"], event["name"]), event)
        elif event["e"] == "showed":
            for name in event["names"]:
                stays_closed(closed.get((event["topic"], name)), event, lit[event["r"]], findings)
    tale = Tale(story)
    for found in tale.histories:
        is_told(closed.values(), found, tale, findings)


def stays_closed(end, event, since, findings):
    """A screen that has asked, or that has come later, does not show it."""
    is_late = bool(end) and (end["r"] == event["r"] or end["t"] < since)
    findings.check(29, not is_late, lambda: f"screen {event['r']} of {event['topic']} shows {end} at {event['t']:.3f}")


def is_told(closed, found, tale, findings):
    """The readers are the owner's own. Who deletes a thing ends all events of it."""
    told = collections.Counter((event["topic"], event["sequence"]) for event in found if event["kind"] == "clear")
    for end in closed:
        post = tale.posts.get(end["number"])
        if not post or not post.is_accepted or not post.is_kept or tale.may_be_deleted(post):
            continue
        count = told[post.topic, post.sequence or post.id]
        findings.check(29, count > 0, lambda: f"{post}: it was closed at {end['t']:.3f}, which is not told")
        findings.check(29, post.sequence or count < 2, lambda: f"{post}: its end is told {count} times")
