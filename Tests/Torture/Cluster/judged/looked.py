"""Rules for engines of a cluster: those of one server (19, 20), for clients that go from node to node."""

import collections

from judged import whole
from verdict.story import FOREVER
from verdict.viewed import GROUP_SIZE, View

# After the node of a client has died, it has the whole state of its engine so soon; while nothing fails, news comes.
WHOLE, PROMPT = 45.0, 5.0
# A node that is cut off sends clients away.
CUT_OFF = 5.0


class Stay:
    """A connection of a client to an engine."""

    def __init__(self, event):
        self.viewer, self.node, self.begin = event["r"], event["node"], event["t"]
        self.welcome = self.end = FOREVER
        # When each push was seen, and when each payload came.
        self.seen, self.payloads = {}, {}


class Looked:
    def __init__(self, story):
        self.story, self.stays = story, collections.defaultdict(list)
        self.of, self.kinds, self.names = {}, {}, collections.defaultdict(dict)
        self.dismissed, self.wholes = collections.defaultdict(set), collections.defaultdict(list)
        by_number = {}
        for event in story.events:
            kind = event["e"]
            if kind == "viewer":
                self.of[event["r"]], self.kinds[event["r"]] = event["of"], event["kind"]
            elif kind == "view-at":
                by_number[event["r"], event["c"]] = stay = Stay(event)
                self.stays[event["r"]].append(stay)
            elif kind in ("welcome", "view", "view-off", "dismiss", "raw"):
                stay = by_number.get((event["r"], event["c"]))
                if stay:
                    getattr(self, "on_" + kind.replace("-", "_"))(event, stay)

    def on_welcome(self, event, stay):
        stay.welcome = min(stay.welcome, event["t"])
        self.see(event, stay, event["shown"])
        if self.kinds[event["r"]] == "viewer":
            shown = {push for _, _, push in event["shown"]}
            self.wholes[self.of[event["r"]]].append((event["t"], event["r"], shown))

    def on_view(self, event, stay):
        self.see(event, stay, event["added"])

    def see(self, event, stay, rows):
        for _, name, push in rows:
            self.names[self.of[event["r"]]][name] = push
            stay.seen.setdefault(push, event["t"])

    def on_view_off(self, event, stay):
        stay.end = event["t"]

    def on_dismiss(self, event, stay):
        self.dismissed[self.of[event["r"]]].add(event["name"])

    def on_raw(self, event, stay):
        stay.payloads.setdefault(event["id"], event["t"])
        stay.seen.setdefault(event["p"], event["t"])


def rule(story, findings):
    looked = Looked(story)
    keeps_all(looked, story, findings)
    for account in list(looked.wholes):
        whole.rule(account, story.hooks.applications[account], looked, story, findings)
    for viewer, stays in looked.stays.items():
        one = story.hooks.applications[looked.of[viewer]]
        for stay in stays:
            ends(stay, one, story, findings)
            is_sent_away(stay, story, findings)
        if looked.kinds[viewer] == "viewer":
            shows_all(viewer, stays, one, looked, story, findings)
        if looked.kinds[viewer] != "glance":
            come_back(stays, one, story, findings)
    for event in story.events:
        if event["e"] == "view-refused":
            one = story.hooks.applications[looked.of[event["r"]]]
            is_right = event["status"] == 503 or event["status"] == 404 and one.revoke_sent < event["t"]
            is_early = event["t"] < one.tokens[0][1] + 1
            findings.check("engines", is_right or is_early, lambda: f"a living engine answers {event}")
        elif event["e"] == "looked":
            findings.check("engines alike", not event["differences"], lambda: f"account {event['r']}: {event}")


def keeps_all(looked, story, findings):
    """19, 20: what one viewer sees is continuous, whichever nodes it sees it at. What others dismiss may go."""
    views = {}
    for event in sorted(story.events, key=lambda event: event["t"]):
        if event["e"] not in ("welcome", "view", "processed", "dismiss", "dismissed"):
            continue
        viewer = event["r"]
        if looked.kinds[viewer] != "viewer":
            continue
        if viewer not in views:
            views[viewer] = View(viewer, findings)
            account = looked.of[viewer]
            views[viewer].touched = {looked.names[account].get(name) for name in looked.dismissed[account]}
        if event["e"] in ("welcome", "dismiss") or not views[viewer].is_new:
            getattr(views[viewer], "on_" + event["e"])(event)
        if event["e"] == "welcome":
            # What came at other nodes is often told in whole.
            views[viewer].on_view({"c": event["c"], "gone": [], "added": event["shown"]})


def deadline(story, time):
    """Later if something fails meanwhile."""
    limit = time + PROMPT
    for begin, _ in story.blows:
        if time - WHOLE < begin <= limit:
            limit = max(limit, begin + WHOLE)
    return limit


def shows_all(viewer, stays, one, looked, story, findings):
    """Each accepted push is seen, or gave way to newer ones."""
    seen, account = {}, looked.of[viewer]
    for stay in stays:
        for push, time in stay.seen.items():
            seen.setdefault(push, time)
    gone = {looked.names[account].get(name) for name in looked.dismissed[account]}
    for push in one.pushes.values():
        if push.kind != "message" or not push.is_accepted or push.number in gone:
            continue
        limit = deadline(story, push.done) + story.slack(push.done)
        newer = sum(other in one.pushes and other > push.number and time <= limit for other, time in seen.items())
        holds = seen.get(push.number, FOREVER) <= limit or newer >= GROUP_SIZE
        if holds or limit <= min(story.over, one.revoke_sent):
            findings.check("engines", holds, lambda: f"viewer {viewer} did not see {push} until {limit:.3f}")


def come_back(stays, one, story, findings):
    """Who lost its node, or left it, is told everything by another one in time."""
    for before in (stay for stay in stays if stay.end < min(story.over, one.revoke_sent)):
        limit = before.end + WHOLE
        time = min((stay.welcome for stay in stays if stay.begin > before.end), default=FOREVER)
        if time > limit > min(story.over, one.revoke_sent):
            continue
        longest = max(story.figures.get("longest wait for an engine", 0), round(min(time, limit) - before.end, 1))
        story.figures["longest wait for an engine"] = longest
        findings.check(
            "engines", time <= limit, lambda: f"client {before.viewer} left node {before.node + 1} at {before.end:.3f}"
        )


def ends(stay, one, story, findings):
    """The connection ends within a second of the account, on every node. One that is cut off sends clients away."""
    if one.revoked < FOREVER and stay.begin < one.revoked:
        is_away = story.is_away(stay.node, one.revoked + 1)
        limit = one.revoked + (CUT_OFF if is_away else 1) + story.delay(one.revoked + 1)
        findings.check(
            "ended", stay.end <= limit, lambda: f"client {stay.viewer} stays at node {stay.node + 1} after {limit:.3f}"
        )


def is_sent_away(stay, story, findings):
    """Who is connected to a node that is cut off hears nothing there."""
    for node, begin, end in story.partings:
        limit = begin + CUT_OFF + story.lateness(begin + CUT_OFF)
        if stay.node == node and stay.welcome <= begin < stay.end and limit < end:
            findings.check(
                "engines",
                stay.end <= limit,
                lambda: f"client {stay.viewer} stays at node {node + 1}, which was cut off at {begin:.3f}",
            )
