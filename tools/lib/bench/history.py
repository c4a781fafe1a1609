"""What people wait for who look at a history: a search, a page, and the start of a server that has a long one."""

import contextlib
import http.client
import json
import ssl
import statistics
import time

from servers import Bellwire

# A topic keeps so many messages.
KEPT = 10_000
TOPICS = 100
# Texts are random letters, so no text has these.
WORDS = ("disk full", "backup", "nothing!")


def history(place, bars, terms):
    """Searches and pages among 100,000 messages, and starts with a thousand and a million."""
    count = terms.few(100_000, 1_000)
    print(f"\na history of {count:,} messages in {TOPICS} topics, asked over TLS by one who reads it")
    with Bellwire(place, TOPICS) as ours:
        filled = fill(place, ours, count)
        with Reader(place, ours) as reader:
            first = reader.search(WORDS[0])
            searches = [reader.search(word) for _ in range(terms.few(20, 2)) for word in WORDS]
            pages = [reader.page() for _ in range(terms.few(100, 3))]
    print(f"      {filled:,} messages")
    bars.check("history: the first search, which opens all", first, unit=" ms")
    bars.check("history: a search", statistics.median(searches), most=50, unit=" ms")
    bars.check("history: a page of 100", statistics.median(pages), most=5, unit=" ms")
    starts(place, bars, terms)


def starts(place, bars, terms):
    """The start, which checks the whole file, and the first page after it."""
    starts, pages = {}, {}
    for name, count in (("thousand", 1_000), ("million", terms.few(1_000_000, 2_000))):
        with Bellwire(place, TOPICS) as ours:
            print(f"      {fill(place, ours, count):,} messages")
        starts[name], pages[name] = [], []
        for _ in range(terms.few(9, 2)):
            with Bellwire(place, state=ours.state, keys=ours.keys) as again:
                again.bearers = ours.bearers
                starts[name].append(1e3 * again.start_seconds)
                with Reader(place, again) as reader:
                    pages[name].append(reader.page())
        bars.check(f"history: a start with a {name}", statistics.median(starts[name]), unit=" ms")
        bars.check(f"history: its first page with a {name}", statistics.median(pages[name]), unit=" ms")
    bars.ratio("history: the first page with a million to that with a thousand", *reversed(pages.values()), 1.1)


def fill(place, server, count):
    """How many messages there are then: at least these, or all that the topics keep."""
    sent = 0
    load = {"mode": "absent", "topics": "kept", "size": 150, "subscribers": TOPICS, "bearers": server.bearers}
    if count < 10_000:
        load |= {"rate": 1_000, "warm": 0}
    while sent < count:
        sent += int(place.load(server, 1 if count < 10_000 else 5, **load)["accepted"])
    return min(sent, TOPICS * KEPT)


class Reader(contextlib.closing):
    """Asks over one kept connection."""

    def __init__(self, place, server):
        trust = ssl.create_default_context(cafile=place.certificate)
        super().__init__(http.client.HTTPSConnection("localhost", server.port, context=trust))
        self.fields = {"Authorization": f"Bearer {server.bearers.read_text().split()[0]}"}
        self.get("?topic=none", 404)

    def __enter__(self):
        return self

    def get(self, query, status=200):
        """Milliseconds until the answer was read, and its messages."""
        began = time.monotonic()
        self.thing.request("GET", f"/api/v1/messages{query}", headers=self.fields)
        answer = self.thing.getresponse()
        text = answer.read()
        passed = 1e3 * (time.monotonic() - began)
        if answer.status != status:
            raise SystemExit(f"bench: a page was answered {answer.status}: {text[:200]}")
        return passed, json.loads(text)

    def search(self, words):
        """A search goes on where an answer says that there is more."""
        passed, before = 0, ""
        while before is not None:
            one, answer = self.get(f"?search={words.replace(' ', '%20')}{before}")
            passed += one
            before = f"&before={answer['before']}" if "before" in answer else None
        return passed

    def page(self):
        return self.get("?limit=100")[0]
