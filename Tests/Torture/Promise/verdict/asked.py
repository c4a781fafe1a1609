"""Rule 28: a question has one result, which somebody has brought about. All are told the same: who waits, at once; who
comes too late; who asks again; and who reads the history.
"""

import collections
import signal

from verdict.lineage import FOREVER
from verdict.own_screens import of_screen
from verdict.steady import Steady

# Who waits is told within this time.
PATIENCE = 1.0


class Asked:
    def __init__(self, event):
        self.number, self.sent, self.life = event["q"], event["t"], event["life"]
        # When the server had surely stored it, and what it is called since.
        self.posed, self.id = FOREVER, None
        self.presses, self.takings, self.results, self.waits, self.looks = [], [], [], {}, []
        # What `bellwire ask` has ended with.
        self.answers, self.codes = event["answers"], []

    @property
    def ended(self):
        """From then on it had its result."""
        return self.results[0]["t"] if self.results else FOREVER

    def is_brought_about(self, result):
        time = result["t"]
        if result["state"] == "answered":
            return any(
                press["t"] <= time and (press["who"], press["answer"]) == (result["by"], result["answer"])
                for press in self.presses
            )
        if result["state"] == "withdrawn":
            return any(taken <= time for taken in self.takings)
        # The server counts whole seconds.
        return time >= self.sent + self.life - 1

    @property
    def code(self):
        """The one by which `bellwire ask` tells the result."""
        one = self.results[0]
        if one["state"] == "answered":
            return 0 if one["answer"] == self.answers[0] else 1
        return {"expired": 3, "withdrawn": 4}[one["state"]]

    def agrees(self, result):
        one = self.results[0]
        if one["state"] == result["state"] == "withdrawn":
            return True
        return all(one[name] == result[name] for name in ("state", "answer", "by"))

    def __str__(self):
        one = self.results[0] if self.results else {"state": "open", "answer": None, "by": None, "t": FOREVER}
        return f"question {self.number} ({one['state']} {one['answer']} by {one['by']}, known at {one['t']:.3f})"


def questions(story):
    """By their numbers."""
    found = {}
    for event in story.events:
        kind, one = event["e"], found.get(event.get("q"))
        if kind == "ask":
            found[event["q"]] = Asked(event)
        elif kind == "posed-question":
            one.posed, one.id = event["t"], event["id"]
        elif kind == "press":
            one.presses.append(event)
        elif kind == "take-back-question":
            one.takings.append(event["t"])
        elif kind == "result":
            one.results.append(event)
            if "k" in event:
                one.waits[event["k"]][1:] = [event["t"], True]
        elif kind == "wait":
            # Until when, and whether it was told.
            one.waits[event["k"]] = [event["t"], FOREVER, False]
        elif kind == "wait-end" and event["k"] in one.waits:
            one.waits[event["k"]][1] = event["t"]
        elif kind == "looked-up":
            one.looks.append(event)
        elif kind == "ask-end":
            one.codes.append(event["code"])
    return found


def rule(story, findings):
    asked = questions(story)
    for one in asked.values():
        has_one_result(one, findings)
        is_told(one, story, findings)
    for event in story.events:
        if event["e"] == "decided":
            # While the server starts, it may be unable to say.
            holds = event["status"] in (200, 503)
            findings.check(28, holds, lambda: f"{asked[event['q']]}: {event['who']} was answered {event['status']}")
        elif event["e"] == "recorded":
            is_recorded(asked, event["found"], findings)
    steady = {}
    for one in asked.values():
        for press in one.presses:
            if number := press.get("r"):
                if number not in steady:
                    steady[number] = Steady(of_screen(story, number), with_screen=True)
                is_heeded(one, press, steady[number], story, findings)


def has_one_result(one, findings):
    for result in one.results:
        findings.check(
            28,
            one.agrees(result),
            lambda: f"{one}: {result['who']} was told {result['state']} {result['answer']} by {result['by']}",
        )
        findings.check(28, one.is_brought_about(result), lambda: f"{one}: nobody has done that")
    for code in one.codes:
        # It is killed, or the server is not reached in time.
        holds = code in (-signal.SIGKILL, 5) or (bool(one.results) and code == one.code)
        findings.check(28, holds, lambda: f"{one}: `bellwire ask` ends with {code}")
    for look in one.looks:
        findings.check(28, look["status"] == 200 and look["state"] != "open", lambda: f"{one}: at the end it is {look}")


def is_told(one, story, findings):
    """Who waits when it ends, is told, unless the connection broke before."""
    for begin, end, was_told in one.waits.values():
        limit = max(begin, one.ended) + PATIENCE
        if limit < FOREVER and (was_told or end > limit):
            limit += story.slack(limit)
            findings.check(28, was_told and end <= limit, lambda: f"{one}: who waits since {begin:.3f} is not told")


def is_recorded(asked, found, findings):
    """The history has the question once, and its result once."""
    ids = collections.Counter(event["id"] for event in found)
    results = collections.defaultdict(list)
    for event in found:
        if event["result"]:
            results[event["sequence"]].append(event["result"])
    for one in asked.values():
        if one.posed == FOREVER:
            continue
        findings.check(28, ids[one.id] == 1, lambda: f"{one}: {ids[one.id]} times in the history")
        said = results[one.id]
        holds = len(said) == 1 and bool(one.results) and one.agrees(said[0])
        findings.check(28, holds, lambda: f"{one}: the history says {said}")


def is_heeded(one, press, steady, story, findings):
    """What is pressed on a screen that has its connection, ends the question."""
    limit = press["t"] + PATIENCE
    if steady.contains(press["t"], limit):
        holds = one.ended <= limit + story.slack(limit)
        findings.check(28, holds, lambda: f"{one}: {press['who']} has pressed at {press['t']:.3f}")
