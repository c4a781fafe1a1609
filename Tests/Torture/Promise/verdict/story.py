"""The story in a log: pushes, subscriptions and connections, with everything that happened to them."""

import bisect
import collections

from verdict.lineage import FOREVER, Lineage
from verdict.restored import Backup, Device


class Push:
    def __init__(self, event):
        self.number, self.sub, self.sent = event["p"], event["s"], event["t"]
        self.ttl, self.topic = event["ttl"], event["topic"]
        self.digest, self.headers, self.sample = event["digest"], event["headers"], event["sample"]
        # `done`: after this the server does no more for the request.
        self.done, self.status, self.granted = FOREVER, None, event["ttl"]
        self.location = self.retry = None
        self.is_silent = self.is_untouched = False
        # Who signed, and what is wrong with the signature that it has or should have.
        self.is_signed, self.wrong = event.get("signed", False), event.get("wrong")
        self.deliveries, self.acknowledged, self.deleted = [], [], []
        self.delete_sent = FOREVER

    @property
    def is_accepted(self):
        return self.status is not None and 200 <= self.status < 300

    @property
    def is_refused(self):
        return self.status is not None and self.status >= 400

    @property
    def may_be_kept(self):
        """The push was accepted, or possibly: a fault can be noticed after the message was written."""
        if self.wrong or self.is_untouched:
            return False
        return self.is_accepted or self.status is None or self.status >= 500

    def precedes(self, other):
        return self.done < other.sent

    def __str__(self):
        answer = self.status or "no answer"
        return (
            f"push {self.number} (sub {self.sub}, ttl {self.ttl}, topic {self.topic}, sent"
            f" {self.sent:.3f}, {answer} at {self.done:.3f}; delivered "
            + (", ".join(f"{d.start:.3f} on connection {d.connection.number}" for d in self.deliveries[:6]) or "never")
            + "; acknowledged "
            + (", ".join(f"{t:.3f}" for t in self.acknowledged[:4]) or "never")
            + ")"
        )


class Subscription:
    def __init__(self):
        self.channel = self.agent = self.token = self.device = None
        self.live_since = FOREVER
        # The client repeats requests without an answer. A restore can bring it back, so that it ends again.
        self.register_sent, self.end_sent, self.ended = [], [], []
        self.pushes = []


class Connection:
    def __init__(self, event):
        self.number, self.agent, self.mode = event["c"], event["a"], event["mode"]
        self.opened, self.greeted, self.ready = event["t"], FOREVER, FOREVER
        # `replaced`: a newer connection of its client was answered, so the server knows of that at the latest.
        self.closed = self.replaced = FOREVER
        self.uaid, self.device = None, event.get("d")
        # How its handshake was answered, if it has a device.
        self.status, self.answered = None, FOREVER
        self.deliveries, self.pings = [], {}
        # Behind a faulty proxy, things are on their way for any time.
        self.is_faulty = event.get("faulty", False)
        self.reads_late = self.mode == "slow" or self.is_faulty


class Delivery:
    def __init__(self, event, connection, push):
        self.connection, self.push = connection, push
        self.start, self.time, self.id = event["start"], event["t"], event["id"]
        self.channel, self.digest = event["chan"], event["digest"]
        self.headers = event["headers"]
        # How many restores came before it was sent that may repeat what was over.
        self.order = 0


class Story:
    # How long a message that nobody keeps may be on its way.
    lag = 0

    def __init__(self, events):
        self.events = events
        self.pushes, self.connections = {}, {}
        self.subs = collections.defaultdict(Subscription)
        self.strangers, self.shown, self.measures, self.faults = [], [], [], []
        self.forgotten, self.deaths, self.folders, self.jumps = [], [], [], []
        self.starts, self.by_id, self.phases = [], collections.defaultdict(set), []
        self.stops, self.ends, self.signal = [], [], None
        self.late_times, self.late, self.loose = [], [], []
        self.lineage, self.backups, self.devices = Lineage(), {}, {}
        self.safes, self.restores, self.sleeps, self.secrets = [], [], [], []
        for event in events:
            getattr(self, "on_" + event["e"], self.ignore)(event)
        self.end = events[-1]["t"] if events else 0
        self.close_replaced()

    def ignore(self, event):
        pass

    def on_push(self, event):
        push = self.pushes[event["p"]] = Push(event)
        self.subs[push.sub].pushes.append(push)

    def on_answer(self, event):
        push = self.pushes[event["p"]]
        push.status, push.done, push.retry = event["status"], event["t"], event["retry"]
        push.location = event["location"]
        if event["ttl"] is not None:
            push.granted = int(event["ttl"])

    def on_silence(self, event):
        push = self.pushes[event["p"]]
        push.done, push.is_silent = event["t"], event["late"]
        push.is_untouched = event.get("untouched", False)
        if event.get("loose"):
            push.done = FOREVER
            self.loose.append(push)

    def on_delete(self, event):
        self.pushes[event["p"]].delete_sent = event["t"]

    def on_deleted(self, event):
        if event["status"] == 204:
            self.pushes[event["p"]].deleted.append(event["t"])

    def on_register(self, event):
        one = self.subs[event["s"]]
        one.channel, one.agent = event["chan"], event["a"]
        one.register_sent.append(event["t"])
        one.device = self.connections[event["c"]].device

    def on_registered(self, event):
        self.subs[event["s"]].live_since = self.told(event)
        self.subs[event["s"]].token = event["token"]

    def on_unregister(self, event):
        """The request names a channel: after a restore, that may be a former subscription of the client."""
        one = self.subs[event["s"]]
        same = [sub for sub in self.subs.values() if sub.channel == one.channel] if self.restores else [one]
        for sub in same:
            sub.end_sent.append(event["t"])

    def on_unregistered(self, event):
        self.subs[event["s"]].ended.append(self.told(event))

    def on_open(self, event):
        self.connections[event["c"]] = Connection(event)

    def told(self, event, time="t"):
        """When the server said this at the latest: a slow client still reads what a former life has written to it."""
        return min(event[time], self.lineage.end_of_life(self.connections[event["c"]].opened))

    def on_greet(self, event):
        self.connections[event["c"]].greeted = event["t"]

    def on_hello(self, event):
        self.connections[event["c"]].ready = event["t"]
        self.connections[event["c"]].uaid = event["uaid"]

    def on_closed(self, event):
        self.connections[event["c"]].closed = min(event["t"], self.connections[event["c"]].closed)

    def on_delivery(self, event):
        connection, push = self.connections[event["c"]], self.pushes.get(event["p"])
        if not push:
            return self.strangers.append(event)
        delivery = Delivery(event, connection, push)
        delivery.order = self.lineage.order(self.told(event, "start"))
        connection.deliveries.append(delivery)
        push.deliveries.append(delivery)
        self.by_id[event["id"]].add(push)

    def on_ack(self, event):
        connection = self.connections[event["c"]]
        for delivery in reversed(connection.deliveries):
            if delivery.id == event["id"]:
                delivery.push.acknowledged.append(event["t"])
                delivery.acknowledged = event["t"]
                return

    def on_ping(self, event):
        self.connections[event["c"]].pings[event["n"]] = None

    def on_pong(self, event):
        self.connections[event["c"]].pings[event["n"]] = self.told(event)

    def on_late(self, event):
        self.late_times.append(event["t"])
        self.late.append((event["since"], event["t"]))

    def on_kill(self, event):
        self.deaths.append(event["t"])
        self.signal = event.get("signal")

    def on_dead(self, event):
        """What was on its way to the server has come to an end."""
        for push in self.loose:
            push.done = event["t"]
        self.loose.clear()
        if self.signal:
            self.ends.append((self.signal, event))

    def on_stopped(self, event):
        self.stops.append([event["t"], FOREVER])

    def on_continued(self, event):
        """What the server did not see for a while, it sees late."""
        self.stops[-1][1] = event["t"]
        self.late_times.append(event["t"])
        self.late.append(tuple(self.stops[-1]))

    def on_fault(self, event):
        self.faults.append([event["kind"], event["t"], FOREVER, FOREVER])

    def on_healed(self, event):
        self.faults[-1][2] = event["t"]

    def on_usable(self, event):
        self.faults[-1][3] = event["t"]

    def on_jump(self, event):
        """The time of day is this much ahead from now on."""
        self.jumps.append((event["t"], event.get("offset", 0)))

    def on_measure(self, event):
        self.measures.append(event)

    def on_shown(self, event):
        self.shown.append(event)

    def on_secret(self, event):
        self.secrets.append(event)

    def on_files(self, event):
        self.folders.append(event["folder"])

    def on_backup(self, event):
        self.backups[event["f"]] = Backup(event)

    def on_backed(self, event):
        self.backups[event["f"]].end = event["t"]

    def on_safe(self, event):
        self.safes.append(event)

    def on_restored(self, event):
        self.restores.append(event)
        backup = self.backups[event["f"]]
        self.lineage.restore(event["t"], (backup.start, backup.end), event["former"])

    def on_confirm(self, event):
        self.lineage.lives[-1].confirm_sent = event["t"]

    def on_confirmed(self, event):
        self.lineage.lives[-1].confirmed = event["t"]

    def on_slept(self, event):
        self.sleeps.append((event["t"], event["seconds"]))

    def on_making(self, event):
        self.devices[event["d"]] = Device(event)

    def on_made(self, event):
        self.devices[event["d"]].made = event["t"]

    def on_revoke(self, event):
        self.devices[event["d"]].revoke_sent.append(event["t"])
        for sub in self.subs.values():
            if sub.device == event["d"]:
                sub.end_sent.append(event["t"])

    def on_withdrawn(self, event):
        device = self.devices[event["d"]]
        device.revoked.append(event["t"])
        for sub in self.subs.values():
            if sub.device != device.number:
                continue
            if sub.live_since < device.revoke_sent[-1]:
                sub.ended.append(event["t"])
            elif sub.register_sent:
                sub.end_sent.append(device.revoke_sent[-1])

    def on_admitted(self, event):
        self.answered(event, 101)

    def on_refused(self, event):
        self.answered(event, event["status"])

    def answered(self, event, status):
        one = self.connections[event["c"]]
        one.status, one.answered = status, event["t"]

    def on_forgotten(self, event):
        self.forgotten.append(event)

    def on_ready(self, event):
        self.starts.append(event)

    def on_failed(self, event):
        self.starts.append(event)

    def on_phase(self, event):
        self.phases.append(event)

    def close_replaced(self):
        """A newer connection of a client ends the one before."""
        last = {}
        for one in sorted(self.connections.values(), key=lambda one: one.greeted):
            if one.greeted < FOREVER:
                if one.agent in last:
                    last[one.agent].closed = min(last[one.agent].closed, one.greeted)
                    last[one.agent].replaced = one.ready
                last[one.agent] = one
        # A client may read both at once; the server has written to the older one before.
        for push in self.pushes.values():
            push.deliveries.sort(key=lambda one: (one.connection.greeted, one.time))

    def slack(self, time):
        """How late an event at that time may have been seen."""
        at = bisect.bisect_left(self.late_times, time - 1)
        slack = 0.02
        while at < len(self.late) and self.late[at][0] <= time + 0.05:
            slack += self.late[at][1] - self.late[at][0]
            at += 1
        return slack

    def has_jumped(self, start, end):
        """The time of day has moved in between, or was wrong."""
        at = bisect.bisect_left(self.jumps, start, key=lambda jump: jump[0])
        if at < len(self.jumps) and self.jumps[at][0] <= end:
            return True
        return at > 0 and self.jumps[at - 1][1] != 0

    def slept(self, time):
        """How many seconds the machine has slept until then."""
        return max((seconds for at, seconds in self.sleeps if at <= time), default=0)

    def is_surely_live(self, sub, time):
        return self.lineage.surely(sub.live_since, time) and not any(
            self.lineage.perhaps_ended(end, time) for end in sub.end_sent
        )

    def invariant(self, usual, time, later):
        """The rule that is broken, if this one is: what a restore or a jump of the clock broke has rules of its own."""
        return 23 if self.lineage.crosses(time, later) else usual

    def is_at_fault(self, time):
        """There was a fault, or its consequences may not have been over."""
        return any(begin - 1 <= time <= usable + 1 for _, begin, _, usable in self.faults)

    def is_quiet(self, start, end):
        """There was neither a kill nor a stop nor a fault in between."""
        at = bisect.bisect_left(self.deaths, start)
        if at < len(self.deaths) and self.deaths[at] <= end:
            return False
        if any(begin <= end and start <= over for begin, over in self.stops):
            return False
        return not any(begin <= end and start <= max(healed, usable) for _, begin, healed, usable in self.faults)
