"""What readers of ntfy's streams get, in each of the four forms."""

import json
import threading
import time

from expected import Cleared, Deleted, Refused, Told, kept
from place import Socket, name
from wire import basic

TYPES = {
    "json": "application/x-ndjson; charset=utf-8",
    "sse": "text/event-stream; charset=utf-8",
    "raw": "text/plain; charset=utf-8",
}


def texts(events):
    return [event.get("message") for event in events]


class Streams:
    def __init__(self, place, judge):
        self.place, self.wire, self.judge = place, place.wire, judge
        judge.attempt(self.begin)

    def begin(self):
        """Opens what stays quiet."""
        self.quiet_topic = name()
        self.quiet = {kind: self.wire.stream(f"/{self.quiet_topic}/{kind}") for kind in TYPES}
        self.quiet_socket = self.place.socket(f"/{self.quiet_topic}/ws")
        self.began = time.monotonic()

    def publish(self, topic, text="hi", **fields):
        answer = self.wire.ask("PUT", f"/{topic}", text, **fields)
        self.judge(answer.status == 200, f"PUT /{topic} {fields}", answer)
        return answer.members or {}

    def polled(self, topic, wanted, query=""):
        got = texts(self.wire.poll(topic, query))
        self.judge(got == wanted, f"/{topic}/json?poll=1{query} has {wanted}", got)

    def run(self):
        self.judge.attempt(self.scheduled)
        for part in (self.json, self.sse, self.raw, self.websocket, self.empty, self.since, self.filters, self.several):
            self.judge.attempt(part)
        for part in (self.sequences, self.refused, self.order, self.cached, self.files):
            self.judge.attempt(part)
        self.judge.attempt(self.delivered)
        self.judge.attempt(self.kept_open)

    def opened(self, event, topics):
        wrong = differs_open(event, topics)
        self.judge(not wrong, f"the open event of {topics}", wrong)

    def json(self):
        topic = name()
        first = self.publish(topic, "before", Title="<T>", Tags="a,b", Priority="4")
        with self.wire.stream(f"/{topic}/json?since=all") as stream:
            self.judge(stream.answered.fields["content-type"] == TYPES["json"], "type of /json", stream.answered)
            self.judge("chunked" in stream.answered.fields.get("transfer-encoding", ""), "/json is chunked")
            self.judge(stream.answered.fields.get("access-control-allow-origin") == "*", "CORS on a stream")
            self.opened(stream.event(), topic)
            self.judge(kept(stream.event()) == kept(first), "what is stored comes first", first)
            second = self.publish(topic, "after\nline")
            self.judge(kept(stream.event()) == kept(second), "what comes is as it was answered", second)
        with self.wire.stream(f"/{topic}/json") as stream:
            stream.event()
            third = self.publish(topic, "third")
            self.judge(kept(stream.event()) == kept(third), "a stream without since has only what comes", third)

    def sse(self):
        topic = name()
        with self.wire.stream(f"/{topic}/sse") as stream:
            self.judge(stream.answered.fields["content-type"] == TYPES["sse"], "type of /sse", stream.answered)
            lines = [stream.line(), stream.line(), stream.line()]
            is_open = lines[0] == "event: open" and lines[1].startswith("data: {") and lines[2] == ""
            self.judge(is_open, "the open event of /sse", lines)
            told = self.publish(topic, "hi")
            lines = [stream.line(), stream.line()]
            is_told = lines[0].startswith("data: {") and json.loads(lines[0][6:]) == told and lines[1] == ""
            self.judge(is_told, "a message of /sse has no line for its event", lines)
            self.wire.ask("PUT", f"/{topic}/{told.get('id')}/clear")
            lines = [stream.line(), stream.line()]
            is_clear = lines[0].startswith("data: {") and '"message_clear"' in lines[0] and lines[1] == ""
            self.judge(is_clear, "message_clear of /sse has no line for its event", lines)

    def raw(self):
        topic = name()
        with self.wire.stream(f"/{topic}/raw") as stream:
            self.judge(stream.answered.fields["content-type"] == TYPES["raw"], "type of /raw", stream.answered)
            self.judge(stream.line() == "", "the open event of /raw is an empty line")
            self.publish(topic, "one\ntwo", Title="no")
            line = stream.line()
            self.judge(line == "one two", "a message of /raw is one line", line)
        answer = self.wire.ask("GET", f"/{topic}/raw?poll=1")
        self.judge(answer.body == b"one two\n", "what is polled of /raw", answer)

    def websocket(self):
        topic = name()
        first = self.publish(topic, "before")
        with self.place.socket(f"/{topic}/ws?since=all") as socket:
            self.judge(socket.is_open, "/ws opens", socket.answered)
            self.judge("sec-websocket-protocol" not in socket.answered.fields, "/ws has no subprotocol")
            self.opened(json.loads(socket.text()), topic)
            wanted = kept(first | {"sequence_id": first.get("id")})
            self.judge(kept(json.loads(socket.text())) == wanted, "/ws sends sequence_id always", wanted)
            second = self.publish(topic, "second", X_Sequence_ID="s")
            self.judge(kept(json.loads(socket.text())) == kept(second), "what comes on /ws", second)
            socket.send(b"ping", 9)
            self.judge(socket.frame() == (10, b"ping"), "pings are answered")
            socket.send(b"x" * 65)
            self.judge(socket.text() is None, "a text of 65 bytes ends it")
        with Socket(
            self.place.port, f"/{topic}/ws", self.place.credential, [("Origin", "https://a.example")]
        ) as socket:
            self.judge(socket.is_open, "/ws takes any Origin", socket.answered)
        for fields, status in [((), 403), ([("Authorization", basic("wrong"))], 401)]:
            with Socket(self.place.port, f"/{topic}/ws", None, fields) as socket:
                answer = socket.answered
                self.judge((answer.status, answer.body) == (status, b""), f"/ws is refused with {status}", answer)

    def empty(self):
        """What is not there."""
        for kind, form in TYPES.items():
            answer = self.wire.ask("GET", f"/{name()}/{kind}?poll=1")
            is_empty = (answer.status, answer.body, answer.type) == (200, b"", form)
            self.judge(is_empty, f"an empty poll of /{kind} has no bytes", answer)

    def since(self):
        topic = name()
        told = [self.publish(topic, text) for text in ("a", "b", "c")]
        ids = [event.get("id") for event in told]
        self.polled(topic, ["a", "b", "c"])
        self.polled(topic, ["a", "b", "c"], "&since=all")
        self.polled(topic, [], "&since=none")
        self.polled(topic, ["c"], "&since=latest")
        self.polled(topic, ["b", "c"], f"&since={ids[0]}")
        self.polled(topic, [], f"&since={ids[2]}")
        self.polled(topic, ["a", "b", "c"], "&since=aaaaaaaaaaaa")
        # A number of twelve digits is an id.
        self.polled(topic, ["a", "b", "c"], "&since=999999999999")
        self.polled(topic, ["a", "b", "c"], f"&since={told[0].get('time')}")
        self.polled(topic, [], f"&since={told[2].get('time', 0) + 100}")
        for duration in ("10m", "1h30m", "24h"):
            self.polled(topic, ["a", "b", "c"], f"&since={duration}")
        for alias in (f"po=1&si={ids[1]}", f"x-poll=yes&x-since={ids[1]}", f"POLL={ids[1]}&poll=true&since={ids[1]}"):
            got = texts(self.wire.ask("GET", f"/{topic}/json?{alias}").lines)
            self.judge(got == ["c"], f"/{topic}/json?{alias}", got)
        got = texts(self.wire.ask("GET", f"/{topic}/json", X_Poll="1", X_Since=ids[1]).lines)
        self.judge(got == ["c"], "poll and since as fields", got)
        with self.wire.stream(f"/{topic}/json?since={ids[1]}") as stream:
            events = [stream.event(), stream.event()]
            self.judge(texts(events) == [None, "c"], "a stream goes on after an id", events)
            live = self.publish(topic, "d")
            self.judge(stream.event().get("id") == live.get("id"), "and has each message once")

    def filters(self):
        topic = name()
        self.publish(topic, "a", Title="T", Priority="5", Tags="x,y")
        told = self.publish(topic, "b", Tags="x")
        self.publish(topic, "c", Priority="1")
        for query, wanted in [
            *[("&message=a", "a"), ("&m=b", "b"), ("&title=T", "a"), ("&t=T", "a"), (f"&id={told.get('id')}", "b")],
            *[("&priority=5", "a"), ("&p=high,urgent", "a"), ("&prio=3", "b"), ("&priority=1,default", "bc")],
            *[("&tags=x", "ab"), ("&tag=x,y", "a"), ("&ta=z", ""), ("&tags=x&priority=5", "a"), ("&title=t", "")],
        ]:
            self.polled(topic, list(wanted), query)
        got = texts(self.wire.ask("GET", f"/{topic}/json?poll=1", X_Tags="x", X_Priority="max").lines)
        self.judge(got == ["a"], "filters as fields", got)
        with self.wire.stream(f"/{topic}/json?tags=y&since=all") as stream:
            got = [stream.event().get("event"), stream.event().get("message")]
            self.judge(got == ["open", "a"], "filters are not for the open event, and for what is replayed", got)
            self.publish(topic, "no")
            self.publish(topic, "yes", Tags="y")
            got = stream.event().get("message")
            self.judge(got == "yes", "a filter of what comes", got)

    def several(self):
        one, two = name(), name()
        self.publish(one, "a")
        told = self.publish(two, "b")
        self.publish(one, "c")
        self.polled(f"{one},{two}", ["a", "b", "c"])
        self.polled(f"{one},{two}", ["c"], f"&since={told.get('id')}")
        # An id is known in all topics.
        self.polled(one, ["c"], f"&since={told.get('id')}")
        with self.wire.stream(f"/{one},{two}/json") as stream:
            self.opened(stream.event(), f"{one},{two}")
            self.publish(two, "d")
            event = stream.event()
            self.judge(event.get("topic") == two, "a message names its own topic", event)
        upper, lower = name() + "A", name()
        self.publish(upper, "x")
        self.polled(upper.swapcase(), [])
        self.polled(lower, [])

    def sequences(self):
        topic = name()
        first = self.publish(topic, "1 %")
        again = self.wire.ask("PUT", f"/{topic}/{first.get('id')}", "2 %").members
        self.judge(again and again.get("sequence_id") == first.get("id") != again.get("id"), "an update", again)
        self.polled(topic, ["1 %", "2 %"])
        answer = self.wire.ask("PUT", f"/{topic}/{first.get('id')}/clear")
        self.judge(not list(Cleared(sequence_id=first.get("id")).wrong(answer)), "the answer of a clear", answer)
        events = self.wire.poll(topic)
        self.judge(events[-1:] == [answer.members] and len(events) == 3, "a clear is replayed", events)
        gone = self.publish(topic, "secret", X_Sequence_ID="gone")
        answer = self.wire.ask("DELETE", f"/{topic}/gone")
        self.judge(not list(Deleted(sequence_id="gone").wrong(answer)), "the answer of a delete", answer)
        events = self.wire.poll(topic, f"&since={events[-1]['id']}")
        self.judge(events == [answer.members], "what was deleted is replayed as its delete alone", (gone, events))
        with self.wire.stream(f"/{topic}/json") as stream:
            stream.event()
            later = self.publish(topic, "no", X_Sequence_ID="later", Delay="1h")
            self.publish(topic, "instead", X_Sequence_ID="later", Delay="2h")
            told = [event for event in self.wire.poll(topic, "&sched=1") if event.get("sequence_id") == "later"]
            self.judge(texts(told) == ["instead"], "a scheduled message is replaced", (later, told))
            answer = self.wire.ask("DELETE", f"/{topic}/later")
            event = stream.event()
            self.judge(event == answer.members, "a scheduled message is cancelled", event)
            self.judge("instead" not in texts(self.wire.poll(topic, "&sched=1")), "and is gone")

    def refused(self):
        topic = name()
        for kind in ("json", "sse", "raw"):
            answer = self.wire.ask("GET", f"/{topic}/{kind}?since=nonsense")
            self.judge(not list(Refused(40008).wrong(answer)), f"since of /{kind}", answer)
            answer = self.place.as_(None).ask("GET", f"/{topic}/{kind}")
            self.judge(not list(Refused(40301).wrong(answer)), f"/{kind} of nobody", answer)

    def order(self):
        """More in one second than a time can tell apart."""
        topic, wanted = name(), [str(number) for number in range(30)]
        with self.wire.stream(f"/{topic}/json") as stream:
            stream.event()
            told = [self.publish(topic, text) for text in wanted]
            self.judge(texts(stream.event() for _ in wanted) == wanted, "the order of what comes")
        self.polled(topic, wanted)
        self.polled(topic, wanted[11:], f"&since={told[10].get('id')}")

    def cached(self):
        topic = name()
        with self.wire.stream(f"/{topic}/json") as stream:
            stream.event()
            told = self.publish(topic, "now or never", Cache="no")
            self.judge(stream.event() == told and "expires" not in told, "what is not cached comes", told)
        self.polled(topic, [])

    def files(self):
        topic, content = name(), b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20
        told = self.wire.ask("PUT", f"/{topic}", content, Filename="a b.png").members or {}
        path = "/" + told.get("attachment", {}).get("url", "///").split("/", 3)[3]
        got = self.wire.ask("GET", path, Authorization=None)
        self.judge((got.status, got.body) == (200, content), "a file is read without a credential", got)
        self.judge("a b.png" in got.fields.get("content-disposition", ""), "under its name", got.fields)
        self.judge(got.fields.get("x-content-type-options") == "nosniff", "and is what it says", got.fields)
        head = self.wire.ask("HEAD", path, Authorization=None)
        self.judge(head.fields.get("content-length") == str(len(content)), "HEAD tells its length", head.fields)
        self.wire.ask("DELETE", f"/{topic}/{told.get('id')}")
        end = time.monotonic() + 1
        while (gone := self.wire.ask("GET", path)).status != 404 and time.monotonic() < end:
            time.sleep(0.05)
        self.judge(gone.status == 404, "a file ends with its message", gone)

    def kept_open(self):
        """Phones end streams of which they hear nothing for a minute."""
        for stream in (*self.quiet.values(), self.quiet_socket.connection):
            stream.socket.settimeout(max(1, self.began + 50 - time.monotonic()))
        opened, kept_open = self.quiet["json"].event(), self.quiet["json"].event()
        passed = kept_open.get("time", 0) - opened.get("time", 0)
        is_kept = kept_open.get("event") == "keepalive" and kept_open.get("topic") == self.quiet_topic and passed <= 46
        self.judge(is_kept and set(kept_open) == set(opened), "an event keeps /json open", kept_open)
        lines = [self.quiet["sse"].line() for _ in range(6)]
        self.judge(lines[3] == "event: keepalive" and lines[4].startswith("data: {"), "and /sse", lines)
        lines = [self.quiet["raw"].line() for _ in range(2)]
        self.judge(lines == ["", ""], "and an empty line /raw", lines)
        kinds = [self.quiet_socket.frame()[0] for _ in range(2)]
        self.judge(kinds == [1, 9], "and a ping /ws", kinds)

    def scheduled(self):
        topic = name()
        stream = self.wire.stream(f"/{topic}/json")
        stream.event()
        self.publish(topic, "later", Delay="10s", Title="T")
        self.polled(topic, [])
        self.polled(topic, ["later"], "&scheduled=1")
        self.polled(topic, ["later"], "&sched=yes")
        before = self.publish(topic, "sooner")
        self.judge(stream.event() == before, "what is scheduled waits", before)
        self.soon, self.came = (topic, before, time.time() + 10), []
        # The other parts take longer than it waits.
        self.waiting = threading.Thread(target=self.wait, args=(stream,), daemon=True)
        self.waiting.start()

    def wait(self, stream):
        with stream:
            stream.socket.settimeout(20)
            self.came += [stream.event(), time.time()]

    def delivered(self):
        topic, before, due = self.soon
        self.waiting.join(20)
        event, at = self.came
        self.judge(event.get("message") == "later" and event.get("title") == "T", "what is scheduled comes", event)
        self.judge(-1 <= at - due <= 2, "it comes in its time", at - due)
        self.judge(event.get("time", 0) <= at + 1, "and has that time", event)
        # It is behind what came before it.
        self.polled(topic, ["later"], f"&since={before.get('id')}")
        self.polled(topic, ["sooner", "later"])


def differs_open(event, topics):
    """What is wrong with an open event."""
    told = Told(event="open", topic=topics)
    told.own = set()
    return list(told.wrong_event(event))
