"""What a log says about applications on the bus, and the rules for them."""

import collections

from verdict.lineage import FOREVER
from verdict.steady import Steady, of_desktop

# Within this time, everything that waits has come to an application that answers.
WINDOW = 5.0
# After so many errors a message is given up.
ATTEMPTS = 5
# The desktop stores messages of applications that sleep when it has about so many, and the receiver keeps them no more.
CROWD = 45
# An answer may still be on its way when its application leaves.
FLIGHT = 0.3


class Sent:
    """A push to an endpoint of an application."""

    def __init__(self, event):
        self.number, self.registration, self.sent = event["p"], event["v"], event["t"]
        self.ttl, self.topic, self.digest, self.sample = event["ttl"], event["topic"], event["digest"], event["sample"]
        self.done, self.status = FOREVER, None
        self.delete_sent, self.deleted, self.deliveries = FOREVER, [], []

    @property
    def is_accepted(self):
        return self.status == 201

    @property
    def may_be_kept(self):
        return self.status is None or self.status == 201 or self.status >= 500

    def precedes(self, other):
        return self.done < other.sent

    @property
    def errors(self):
        return sum(one.how == "error" for one in self.deliveries)

    def __str__(self):
        came = ", ".join(f"{d.time:.3f} to {d.connection.number} ({d.how})" for d in self.deliveries[:6])
        return (
            f"push {self.number} (registration {self.registration}, ttl {self.ttl}, topic {self.topic}, sent"
            f" {self.sent:.3f}, {self.status or 'no answer'} at {self.done:.3f}; came {came or 'never'})"
        )


class Registration:
    def __init__(self):
        self.application = self.token = None
        self.accepted, self.leave_sent, self.ended = FOREVER, FOREVER, FOREVER
        self.endpoints, self.told, self.pushes = [], FOREVER, []


class Connection:
    """One life of an application. `names`: by which it is called."""

    def __init__(self, event, bus):
        self.number, self.application, self.mode = event["i"], event["x"], event["mode"]
        self.name, self.unique, self.bus = event["name"], event["unique"], bus
        self.up, self.down, self.by_number = event["t"], FOREVER, {}


class Delivery:
    def __init__(self, event, connection, push, is_started):
        self.connection, self.push, self.time, self.id = connection, push, event["t"], event["id"]
        # The bus holds a call until the application that it starts is there, or another one with its name.
        self.start = event.get("start", push.sent) if is_started and event["n"] == 1 else self.time
        self.digest, self.token = event["digest"], event["token"]
        # The life of the desktop.
        self.life = (connection.bus, event["source"])
        self.how, self.answered = None, FOREVER

    @property
    def is_taken(self):
        """The desktop surely got the answer, if it was alive."""
        return self.how == "taken" and self.answered + FLIGHT < self.connection.down


class Served:
    def __init__(self, story):
        self.events = of_desktop(story)
        self.steady, self.end = Steady(self.events), story.end
        self.pushes, self.registrations = {}, collections.defaultdict(Registration)
        self.connections, self.strangers, self.stops, self.deaths = {}, [], [], []
        self.by_id, self.bus = collections.defaultdict(set), 0
        self.started = {one["x"] for one in self.events if one["e"] == "app-up" and "start" in one}
        # What nobody on the bus needs, and the texts that only the daemon gets.
        self.secrets, self.texts = {}, []
        for event in self.events:
            getattr(self, "on_" + event["e"].replace("-", "_"), self.ignore)(event)

    def ignore(self, event):
        pass

    def on_desk_stop(self, event):
        self.stops.append([event["t"], FOREVER])

    def on_desk_go(self, event):
        self.stops[-1][1] = event["t"]

    def on_desk_kill(self, event):
        self.deaths.append(event["t"])

    def on_bus_end(self, event):
        # The numbers of connections begin anew.
        self.bus += 1
        for one in self.connections.values():
            one.down = min(one.down, event["t"])
        self.deaths.append(event["t"])

    def on_app_up(self, event):
        self.connections[event["i"]] = Connection(event, self.bus)

    def on_app_down(self, event):
        one = self.connections[event["i"]]
        one.down = min(one.down, event["t"])

    def on_app_register(self, event):
        one = self.registrations[event["v"]]
        one.application, one.token = event["x"], event["token"]

    def on_app_registered(self, event):
        if event["ok"]:
            one = self.registrations[event["v"]]
            one.accepted = min(one.accepted, event["t"])

    def on_app_endpoint(self, event):
        one = self.registrations[event["v"]]
        one.endpoints.append(event["endpoint"])
        one.told = min(one.told, event["t"])

    def on_app_unregister(self, event):
        one = self.registrations[event["v"]]
        one.leave_sent = min(one.leave_sent, event["t"])

    def on_app_ended(self, event):
        if event["v"] is not None:
            self.registrations[event["v"]].ended = event["t"]

    def on_app_message(self, event):
        connection, push = self.connections[event["i"]], self.pushes.get(event["p"])
        if not push:
            return self.strangers.append(event)
        delivery = Delivery(event, connection, push, event["x"] in self.started)
        connection.by_number[event["n"]] = delivery
        push.deliveries.append(delivery)
        self.by_id[event["id"]].add(push)

    def on_app_reply(self, event):
        one = self.connections[event["i"]].by_number.get(event["n"])
        if one:
            one.how, one.answered = event["how"], event["t"]

    def on_send(self, event):
        push = self.pushes[event["p"]] = Sent(event)
        self.registrations[push.registration].pushes.append(push)

    def on_sent(self, event):
        push = self.pushes[event["p"]]
        push.status, push.done = event["status"], event["t"]
        if event["location"]:
            self.secrets[event["location"].encode()] = "the capability to withdraw"

    def on_take_back(self, event):
        self.pushes[event["p"]].delete_sent = event["t"]

    def on_taken_back(self, event):
        if event["status"] == 204:
            self.pushes[event["p"]].deleted.append(event["t"])

    def on_account(self, event):
        self.secrets[event["token"].encode()] = "the endpoint of an account"

    def on_desk_device(self, event):
        self.secrets[event["secret"].encode()] = "the secret of the device"

    def on_post(self, event):
        self.texts.append(bytes.fromhex(event["sample"]))

    def own_words(self):
        """The secrets of the applications, and whose they are."""
        ones = self.registrations.values()
        return {word.encode(): one.application for one in ones for word in (one.token, *one.endpoints) if word}

    def is_crowded(self, start, end):
        """The desktop may have stored what waited meanwhile."""
        times, level = [], 0
        for push in self.pushes.values():
            if push.is_accepted and push.ttl:
                taken = [one.answered for one in push.deliveries if one.how == "taken"]
                times += [(push.done, 1), (min([push.done + push.ttl + FLIGHT, *taken]), -1)]
        for time, change in sorted(times):
            level += change
            if level >= CROWD and start <= time <= end:
                return True
        return False

    def dies_between(self, start, end):
        return any(start <= time <= end for time in self.deaths)
