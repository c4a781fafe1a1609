"""The rules of the promise for the screen of a desktop."""

import bisect

from verdict.lineage import FOREVER
from verdict.screened import DISMISSED, Screened
from verdict.steady import Steady, of_desktop

# What is removed has left the screen after this time.
PATIENCE = 2.0
# A daemon that failed so often for a notification is not asked again.
ATTEMPTS = 3


def rule(story, findings):
    screened = Screened(of_desktop(story))
    steady = Steady(screened.events, with_screen=True)
    is_seen(screened, steady, findings)
    sounds_once(screened, steady, findings)
    is_removed(screened, steady, story, findings)
    is_like_a_view(screened, findings)


def is_seen(screened, steady, findings):
    """1: what an account accepted is seen in a view or on the screen."""
    for one in screened.accounts.values():
        summaries = [notice.until for notice in screened.notices if notice.count and notice.entry == one.entry]
        for push, (event, status) in one.posts.items():
            if status == 201 and steady.reached(event["t"], PATIENCE) < FOREVER:
                holds = push in one.seen or push in screened.calls or any(time > event["t"] for time in summaries)
                findings.check(1, holds, lambda: f"account {one.number}: push {push} of {event['t']:.3f} is never seen")


def sounds_once(screened, steady, findings):
    """22: a notification sounds once at most, and is repeated only after a restart of the desktop or the daemon."""
    loud = {push: event for one in screened.accounts.values() for push, (event, _) in one.posts.items()}
    for push, calls in screened.calls.items():
        if not isinstance(push, int):
            continue
        times = [call["t"] for call in calls if call["sound"]]
        findings.check(22, len(times) <= 1, lambda: f"push {push} sounds at {times}")
        for before, call in zip(calls, calls[1:]):
            at = bisect.bisect_right(screened.breaks, before["t"])
            holds = not before["ok"] or (at < len(screened.breaks) and screened.breaks[at] <= call["t"])
            findings.check(22, holds, lambda: f"push {push} is shown at {before['t']:.3f} and {call['t']:.3f}")
        event = loud.get(push)
        if event and event["is_loud"] and steady.contains(event["t"], calls[0]["t"]):
            findings.check(22, calls[0]["sound"], lambda: f"push {push} comes up at {calls[0]['t']:.3f} without sound")


def is_removed(screened, steady, story, findings):
    """22: what the engine has no more, or the user has dismissed, leaves the screen in two seconds."""
    removed = {push: time for one in screened.accounts.values() for push, time in one.removed.items()}
    for one in screened.notices:
        # Nobody hears of what the user does while the desktop is dead.
        if one.push and one.reason == DISMISSED and screened.is_alive(one.until - 0.3, one.until + 0.6):
            removed[one.push] = min(one.until, removed.get(one.push, FOREVER))
    for one in screened.notices:
        time = removed.get(one.push)
        if time is None:
            continue
        limit = steady.reached(max(one.since, time), PATIENCE)
        limit += story.slack(limit) if limit < FOREVER else 0
        findings.check(
            22,
            one.until <= limit,
            lambda: (
                f"push {one.push} was removed at {time:.3f}, and is on the screen from {one.since:.3f} to {limit:.3f}"
            ),
        )


def is_like_a_view(screened, findings):
    """19: in quiet, the screen shows what a new view of the engine shows; a summary counts what has no room."""
    for one in screened.accounts.values():
        for time, shown in one.looks:
            there = [n for n in screened.notices if n.entry == one.entry and n.since <= time < n.until]
            pushes, counts = {n.push for n in there if n.push}, [n.count for n in there if n.count]
            where = f"account {one.number} at {time:.3f}"
            findings.check(19, pushes <= shown, lambda: f"{where}: the screen still has {sorted(pushes - shown)}")
            gone = {push for push in shown if push in screened.expired or screened.failures[push] >= ATTEMPTS}
            missing = shown - pushes
            if one.entry not in screened.expired:
                findings.check(
                    19,
                    len(missing - gone) <= sum(counts) <= len(missing),
                    lambda: f"{where}: {sorted(missing)} are not on the screen, and the summary counts {counts}",
                )
