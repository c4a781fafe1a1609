"""What a log says about the screen of a desktop."""

import collections

from verdict.lineage import FOREVER

EXPIRED, DISMISSED = 1, 2


class Notice:
    """What is on the screen: a notification of a push, or the summary of an account. `since` and `until`: when."""

    def __init__(self, event):
        self.since, self.until, self.reason = event["t"], FOREVER, None
        self.push, self.count, self.entry = event["p"], event["count"], event["entry"]


class Account:
    def __init__(self, event):
        self.number, self.entry = event["r"], event["entry"]
        self.posts, self.seen, self.names = {}, set(), {}
        # When a push has left the engine, as far as it did not come back.
        self.removed, self.looks = {}, []


class Screened:
    def __init__(self, events):
        self.events = events
        self.accounts, self.calls, self.notices = {}, collections.defaultdict(list), []
        self.posts, self.current, self.failures = {}, {}, collections.Counter()
        self.expired, self.acted, self.breaks, self.deaths = set(), set(), [], []
        for event in self.events:
            getattr(self, "on_" + event["e"].replace("-", "_"), self.ignore)(event)

    def ignore(self, event):
        pass

    def account_of(self, entry):
        return next((one for one in self.accounts.values() if one.entry == entry), None)

    def on_account(self, event):
        self.accounts[event["r"]] = Account(event)

    def on_post(self, event):
        self.posts[event["p"]] = self.accounts[event["r"]].posts[event["p"]] = [event, None]

    def on_posted(self, event):
        self.posts[event["p"]][1] = event["status"]

    def on_welcome(self, event):
        one = self.accounts.get(event["r"])
        if one:
            shown = {push for _, _, push in event["shown"]}
            for push in one.seen - shown:
                one.removed.setdefault(push, event["t"])
            self.adds(one, event["shown"])

    def on_view(self, event):
        one = self.accounts.get(event["r"])
        if one:
            self.adds(one, event["added"])
            for name in event["gone"]:
                one.removed.setdefault(one.names.get(name), event["t"])

    def on_looked(self, event):
        one = self.accounts[event["r"]]
        shown = {push for _, _, push in event["shown"]}
        one.seen |= shown
        one.looks.append((event["t"], shown))

    def adds(self, one, entries):
        for _, name, push in entries:
            one.names[name] = push
            one.seen.add(push)
            one.removed.pop(push, None)

    def on_notify(self, event):
        self.calls[event["p"] or event["entry"]].append(event)
        if not event["ok"]:
            self.failures[event["p"]] += 1
            return
        key = (event["n"], event["id"])
        self.leaves(key, event["t"])
        self.current[key] = Notice(event)
        self.notices.append(self.current[key])

    def leaves(self, key, time, reason=None):
        one = self.current.pop(key, None)
        if one:
            one.until, one.reason = time, reason
        return one

    def on_screen_gone(self, event):
        one = self.leaves((event["n"], event["id"]), event["t"], event["reason"])
        if one and event["reason"] == EXPIRED:
            self.expired.add(one.push or one.entry)

    def on_screen_act(self, event):
        one = self.current.get((event["n"], event["id"]))
        if one:
            self.acted.add(one.push)

    def on_screen_end(self, event):
        for key in [key for key in self.current if key[0] == event["n"]]:
            # A call whose answer got lost counts as failed.
            self.failures[self.current[key].push] += self.current[key].since + 2 > event["t"]
            self.leaves(key, event["t"])

    def on_screen_up(self, event):
        self.breaks.append(event["t"])

    def on_desk_start(self, event):
        self.breaks.append(event["t"])

    def on_desk_kill(self, event):
        self.deaths.append([event["t"], FOREVER])

    on_bus_end = on_desk_kill

    def on_desk_ready(self, event):
        if self.deaths:
            self.deaths[-1][1] = event["t"]

    def is_alive(self, start, end):
        """The desktop heard what happened then."""
        return not any(dead <= end and start <= ready for dead, ready in self.deaths)


def touched(story):
    """For each account, the pushes that the user at the screen has removed, perhaps."""
    screened = Screened(sorted(story.events, key=lambda event: event["t"]))
    for account in screened.accounts.values():
        gone = [one for one in screened.notices if one.entry == account.entry and one.reason == DISMISSED]
        pushes = {one.push for one in gone}
        # Reading or opening one can remove those before it, and a summary stands for many.
        last = max((one.until for one in gone if one.count or one.push in screened.acted), default=0)
        yield account.number, pushes | {push for push, (event, _) in account.posts.items() if event["t"] < last}
