"""The story in a log of a cluster: what befell its machines, and through which node each push went."""

import collections
import functools

from verdict.hooked import Hooks
from verdict.story import FOREVER, Story

# So late may a node hear of what another one has done.
LAG = 1.0


class ClusterStory(Story):
    lag = LAG

    def __init__(self, events):
        self.agents, self.places, self.cuts, self.probes = {}, [], [], []
        self.unwell, self.comparisons, self.via = [], [], {}
        # Pushes with a signature that a clock which is some minutes off may misjudge.
        self.edges = set()
        # What befell which machine, and the registrations that have a callback, or always answer it at once.
        self.blows, self.callers, self.steady = [], set(), set()
        # When machines were frozen or cut off.
        self.absences = collections.defaultdict(list)
        # Nodes that were cut off, from when until when.
        self.partings = []
        # From then on nobody comes back.
        self.over = FOREVER
        # What is worth telling besides violations.
        self.figures = {}
        super().__init__(events)

    @functools.cached_property
    def hooks(self):
        return Hooks(self.events)

    def on_push(self, event):
        super().on_push(event)
        if event.get("edge"):
            self.edges.add(event["p"])

    def on_over(self, event):
        self.over = event["t"]

    def on_via(self, event):
        self.via[event["p"]] = event["n"]

    def on_frozen(self, event):
        self.blows.append((event["t"], event["name"]))
        self.absences[event["name"]].append([event["t"], FOREVER])

    def on_thawed(self, event):
        self.blows.append((event["t"], event["name"]))
        self.absences[event["name"]][-1][1] = event["t"]

    def on_node_kill(self, event):
        self.blows.append((event["t"], f"node{event['n'] + 1}"))

    on_node_begun = on_node_kill

    def on_cut(self, event):
        self.on_frozen(event | {"name": f"node{event['n'] + 1}"})
        self.partings.append([event["n"], event["t"], FOREVER])

    def on_nats_kill(self, event):
        self.blows.append((event["t"], event["name"]))

    def on_steady(self, event):
        if event["calls"]:
            self.callers.add(event["r"])
            self.steady.add(event["r"])

    def on_unsteady(self, event):
        if event["calls"]:
            self.callers.add(event["r"])

    def on_agent(self, event):
        self.agents[event["a"]] = event["resident"]

    def on_at(self, event):
        self.places.append(event)

    def on_joined(self, event):
        self.on_thawed(event | {"name": f"node{event['n'] + 1}"})
        self.partings[-1][2] = event["t"]
        self.cuts.append(event)

    def on_probe(self, event):
        self.probes.append(event)

    def on_unwell(self, event):
        self.unwell.append(event)

    def on_compared(self, event):
        self.comparisons.append(event)

    def ignore(self, event):
        """The names of some events have hyphens."""
        found = getattr(self, "on_" + event["e"].replace("-", "_"), None)
        if found and "-" in event["e"]:
            found(event)

    def is_away(self, node, time):
        """It is frozen or cut off then, or was until a moment ago."""
        return any(begin <= time <= end + 1 for begin, end in self.absences[f"node{node + 1}"])

    def fault_at(self, time):
        return next((one for one in self.faults if one[1] <= time <= one[3] + 1), None)

    def delay(self, time):
        """How late peers and machines may have been. A node that is frozen or cut off hears nothing until then."""
        fault = self.fault_at(time)
        return self.lateness(time) + (time - fault[1] if fault else 0)

    def lateness(self, time):
        """How late peers may have been."""
        return super().slack(time)

    def slack(self, time):
        return self.delay(time) + LAG
