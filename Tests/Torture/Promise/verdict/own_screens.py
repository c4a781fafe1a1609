"""Rule 29: what an owner has closed on one of several screens, and a question that has ended, leaves all of them, and
rings on none that comes later. A button's request is sent once for each press.
"""

import bisect
import collections

from verdict import survived
from verdict.lineage import FOREVER
from verdict.steady import Steady

# After this time, a screen with its connection shows no more what is over, and shows what is new.
PATIENCE = 1.0
OWN = "own-"
# So long before and after the close, the desktop has to live to hear of it.
BEFORE, AFTER = 0.3, 0.6


def of_screen(story, number):
    """The events that belong to a screen, those of the server, and the end."""
    events = [
        event | {"e": event["e"].removeprefix(OWN)}
        for event in story.events
        if event["e"] in ("kill", "ready") or (event["e"].startswith(OWN) and event["r"] == number)
    ]
    return [*events, {"e": "end", "t": story.end}]


class Screen:
    def __init__(self, story, number):
        self.number, self.events = number, of_screen(story, number)
        self.steady = Steady(self.events, with_screen=True)
        # What was there, from when until when; what rang, and what its user has closed.
        self.showings, self.rings, self.closes = [], collections.defaultdict(list), []
        self.starts, self.deaths, there = [], [], {}
        for event in self.events:
            kind, time = event["e"], event["t"]
            if kind == "up":
                there[event["what"]] = [event["what"], time, FOREVER]
                self.showings.append(there[event["what"]])
            elif kind == "down":
                there.pop(event["what"])[2] = time
            elif kind == "ring":
                self.rings[event["what"]].append(time)
            elif kind == "closes":
                self.closes.append((event["what"], time))
            elif kind == "desk-start":
                self.starts.append(time)
            elif kind == "desk-kill":
                self.deaths.append([time, FOREVER])
            elif kind == "desk-ready" and self.deaths:
                self.deaths[-1][1] = time

    def started(self, time):
        """When the desktop was started that ran then."""
        return self.starts[bisect.bisect_right(self.starts, time) - 1]

    def certain_closes(self):
        """What the desktop has surely heard of, and when it had surely told the server."""
        for what, time in self.closes:
            if not any(dead <= time + AFTER and time - BEFORE <= ready for dead, ready in self.deaths):
                told = self.steady.reached(time, 0)
                if told < FOREVER:
                    yield what, told


def rule(story, findings):
    numbers = {event["r"] for event in story.events if event["e"] == "own-desk-start"}
    screens = [Screen(story, number) for number in sorted(numbers)]
    over = {}
    for one in screens:
        survived.ends_well(one.events, findings)
        for what, time in one.certain_closes():
            over[what] = min(time, over.get(what, FOREVER))
    closed = dict(over)
    for event in story.events:
        if event["e"] == "result":
            what = f"question {event['q']}"
            over[what] = min(event["t"], over.get(what, FOREVER))
    for one in screens:
        leaves(one, over, story, findings)
        rings_once(one, over, story, findings)
        is_seen(one, screens, over, story, findings)
    is_told(closed, story, findings)
    is_sent_once(story, findings)


def leaves(screen, over, story, findings):
    for what, since, until in screen.showings:
        if what in over:
            limit = screen.steady.reached(max(since, over[what]), PATIENCE)
            limit += story.slack(limit) if limit < FOREVER else 0
            findings.check(
                29,
                until <= limit,
                lambda: f"screen {screen.number} shows {what} until {until:.3f}; it was over at {over[what]:.3f}",
            )


def rings_once(screen, over, story, findings):
    """And not for what was over before the desktop started, or before it heard of that."""
    for what, times in screen.rings.items():
        findings.check(29, len(times) == 1, lambda: f"screen {screen.number} rings for {what} at {times}")
        end = over.get(what, FOREVER)
        limit = screen.steady.reached(end, PATIENCE) if end < FOREVER else FOREVER
        limit += story.slack(limit) if limit < FOREVER else 0
        for time in times:
            holds = time <= limit and screen.started(time) <= end
            findings.check(
                29, holds, lambda: f"screen {screen.number} rings for {what} at {time:.3f}; it was over at {end:.3f}"
            )


def is_seen(screen, screens, over, story, findings):
    """What nobody has ended or closed comes up, unless too much comes at once: then a summary counts it."""
    first = {}
    for what, since, _ in screen.showings:
        first.setdefault(what, since)
    summaries = [(since, until) for what, since, until in screen.showings if what == "summary"]
    closes = {what: time for one in screens for what, time in reversed(one.closes)}
    for event in story.events:
        if event["e"] == "posed-question":
            what = f"question {event['q']}"
        elif event["e"] == "sent-note" and event["status"] == 200:
            what = f"note {event['n']}"
        else:
            continue
        limit = screen.steady.reached(event["t"], PATIENCE)
        if any(since <= limit and event["t"] <= until for since, until in summaries):
            continue
        if limit < min(over.get(what, FOREVER), closes.get(what, FOREVER)):
            holds = first.get(what, FOREVER) <= limit + story.slack(limit)
            findings.check(29, holds, lambda: f"screen {screen.number} does not show {what} of {event['t']:.3f}")


def is_told(closed, story, findings):
    """29: readers with the credential of a device are told once what was closed."""
    names = {f"note {event['n']}": event["id"] for event in story.events if event["e"] == "sent-note"}
    for event in story.events:
        if event["e"] == "recorded":
            told = collections.Counter(one["sequence"] for one in event["found"] if one["kind"] == "message_clear")
            for what in closed:
                if names.get(what):
                    count = told[names[what]]
                    findings.check(29, count == 1, lambda: f"that {what} was closed is told {count} times")


def is_sent_once(story, findings):
    """ring: no request without a press."""
    presses, requests = collections.Counter(), collections.Counter()
    for event in story.events:
        if event["e"] == "ring-at":
            presses[event["n"]] += 1
        elif event["e"] == "rung":
            number = event["n"]
            requests[number] += 1
            holds = requests[number] <= presses[number]
            findings.check(
                "ring",
                holds,
                lambda: (
                    f"the button of note {number} was pressed {presses[number]} times, and request {requests[number]} "
                    f"came at {event['t']:.3f}"
                ),
            )
