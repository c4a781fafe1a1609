"""What a log says about engines and their viewers, and the two rules for them."""

import collections

from verdict import screened

# A group shows this many notifications; older ones give way.
GROUP_SIZE = 10


class View:
    """What one viewer saw, over all its connections."""

    def __init__(self, number, findings):
        self.number, self.findings = number, findings
        self.shown, self.names, self.dismissed, self.doubtful = {}, {}, set(), set()
        self.highest, self.connection, self.fresh, self.seen = 0, None, set(), set()
        # Numbers between these came and gave way while the viewer was away; they may still come back.
        self.gaps, self.is_new = [], True
        # The pushes that the user of a desktop may have removed.
        self.touched = set()

    def check(self, invariant, holds, text):
        self.findings.check(invariant, holds, lambda: f"account {self.number}: {text()}")

    def begin_again(self):
        """After a restore, what was shown or dismissed may be newer than the backup. Numbers are never used again."""
        self.shown, self.dismissed, self.doubtful, self.is_new = {}, set(), set(), True

    def add(self, entries):
        highest = self.highest
        for group, name, push in entries:
            known = self.names.setdefault(name, push)
            self.check(
                19, known == push, lambda: f"notification {name} belongs to push {push}, and belonged to {known} before"
            )
            self.check(19, name not in self.dismissed, lambda: f"notification {name} came back")
            if name not in self.fresh:
                is_missed = any(low < name < high for low, high in self.gaps)
                self.check(
                    19,
                    name > highest or is_missed,
                    lambda: f"notification {name} is new, but its number is below {highest}",
                )
                self.fresh.add(name)
            self.highest = max(self.highest, name)
            self.shown[name] = group

    def on_welcome(self, event):
        self.is_new = False
        # A notification that was seen stays, unless that many newer ones of its group came.
        now = {name: group for group, name, _ in event["shown"]}
        for name, group in self.shown.items():
            newer = sum(other > name for other, place in now.items() if place == group)
            self.check(
                19,
                name in now or newer >= GROUP_SIZE or name in self.doubtful or self.names[name] in self.touched,
                lambda: f"notification {name} was seen, but is missing at {event['t']:.3f}",
            )
        groups = collections.defaultdict(list)
        for name, group in now.items():
            groups[group].append(name)
        self.gaps += [(self.highest, min(names)) for names in groups.values() if len(names) >= GROUP_SIZE]
        self.shown = {}
        self.add(event["shown"])

    def on_view(self, event):
        for name in event["gone"]:
            self.shown.pop(name, None)
        self.add(event["added"])
        if self.connection != event["c"]:
            self.connection, self.seen = event["c"], set()
        self.seen |= {push for _, _, push in event["added"]}

    def on_processed(self, event):
        self.check(
            20,
            self.connection == event["c"] and event["name"] in self.seen,
            lambda: f"push {event['name']} was answered before it was shown",
        )

    def on_dismiss(self, event):
        self.doubtful.add(event["name"])

    def on_dismissed(self, event):
        self.dismissed.add(event["name"])
        self.shown.pop(event["name"], None)


def rule(story, findings):
    views, touched = {}, dict(screened.touched(story))
    for event in sorted(story.events, key=lambda event: event["t"]):
        if event["e"] == "restored":
            for view in views.values():
                view.begin_again()
        elif event["e"] in ("welcome", "view", "processed", "dismiss", "dismissed"):
            if event["r"] not in views:
                views[event["r"]] = View(event["r"], findings)
                views[event["r"]].touched = touched.get(event["r"], set())
            view = views[event["r"]]
            # A viewer may dismiss what it saw before it is told what there is now.
            if event["e"] in ("welcome", "dismiss") or not view.is_new:
                getattr(view, "on_" + event["e"])(event)
