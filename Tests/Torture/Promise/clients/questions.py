"""Who answers questions elsewhere than on a screen, and who sends messages with buttons."""

import asyncio
import contextlib
import json
import re
import signal

from clients.sender import Client, Closed
from clients.topics import Topics, opened
from kit import control
from kit.process import send

# What readers are told of a question that has ended.
RESULT = re.compile(r"bw-question (\d+)\n→ (?:(withdrawn|expired)[^(]*|(.+) \((.+), .+\))")
BROKEN = (OSError, asyncio.IncompleteReadError, ValueError, TimeoutError, Closed)


class Questions(Topics):
    """All of one owner, and what is known of it. `ids` are those of questions that were stored."""

    def __init__(self, stage, count):
        super().__init__(stage.world, count)
        self.note, self.door = stage.log.note, Door(stage)
        self.asked, self.waits, self.notes = 0, 0, 0
        self.ids, self.askers, self.tasks = {}, set(), set()

    async def begin(self):
        await super().begin()
        await self.door.begin()
        for name in self.names:
            # Buttons may reach this machine.
            await self.make("registrations", **control.topic(name, inside=["127.0.0.1"]))
        self.asker = Caller(self, "asker", await self.token("asker", write=True))
        self.racer = Caller(self, "racer", await self.token("racer", read=True, answer=True))
        self.reader = Reader(self, await self.token("reader", read=True, answer=True))

    async def make(self, what, **members):
        status, answer = await self.world.server.control("POST", what, members)
        if status != 201:
            raise SystemExit(f"torture: {what}: {status} {answer}")
        return answer

    async def token(self, name, **rights):
        token = (await self.make("tokens", name=name, **rights))["token"]
        self.note("secret", what=f"the token of the {name}", text=token)
        return token

    def start(self, coroutine):
        """Something that ends by itself."""
        task = asyncio.get_running_loop().create_task(coroutine)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def know(self, number, name):
        """The server has said that it has stored the question."""
        if number not in self.ids:
            self.ids[number] = name
            self.note("posed-question", q=number, id=name)
            if self.racer.random.random() < 0.6:
                self.start(self.racer.race(number, name))

    def tell(self, number, who, question, **facts):
        """What somebody was told of it, unless it is open."""
        if question["state"] != "open":
            answer, by = question.get("answer"), question.get("by")
            self.note("result", q=number, who=who, state=question["state"], answer=answer, by=by, **facts)

    def kill_askers(self):
        for one in list(self.askers):
            self.note("asker-kill")
            send(one, signal.SIGKILL)

    async def finish(self):
        """Everybody who asks for it is told each result, and the history has it."""
        for number, name in self.ids.items():
            await self.racer.look(number, name)
        for _ in range(20):
            with contextlib.suppress(*BROKEN):
                async with opened(self, self.names, "poll=1&since=all") as lines:
                    found = [kept(event) async for event in lines]
                return self.note("recorded", found=found)
            await asyncio.sleep(0.1)
        raise SystemExit("torture: the history of questions cannot be read")


def kept(event):
    """What of an event is in the log."""
    found = RESULT.fullmatch(event.get("message", ""))
    members = {"id": event["id"], "kind": event["event"], "sequence": event.get("sequence_id")}
    return members | {"result": result(found) if found else None}


class Caller:
    """Somebody with a token, who sends requests."""

    def __init__(self, questions, name, token):
        self.questions, self.name, self.token = questions, name, token
        self.random, self.note = questions.world.branch(), questions.note

    @contextlib.asynccontextmanager
    async def client(self):
        """Nobody waits for what is asked there when the server dies."""
        client = Client(self.questions.world.server.port)
        try:
            with contextlib.suppress(*BROKEN):
                yield client
        finally:
            client.close()

    async def request(self, client, method, path, what=None, is_open=False):
        """Status and object of the answer."""
        fields = [] if is_open else [("Authorization", f"Bearer {self.token}")]
        body = json.dumps(what).encode() if what else b""
        status, answer = await client.ask(method, path, fields, body)
        return status, json.loads(answer["body"] or b"{}")

    async def decide(self, client, number, method, path, what=None, is_open=False):
        status, found = await self.request(client, method, path, what, is_open)
        self.note("decided", q=number, who=self.name, status=status)
        if status == 200:
            self.questions.tell(number, self.name, found)

    async def press(self, client, number, path, answer, what, is_open=False):
        """Now and then twice, and then it is too late."""
        for _ in range(self.random.choice([1, 1, 2])):
            self.note("press", q=number, who=self.name, answer=answer)
            await self.decide(client, number, "POST", path, what, is_open)

    async def race(self, number, name):
        """Answers what is still open by its number, and else is too late."""
        await asyncio.sleep(self.random.choice([0, 0.05, 0.2, 0.6, 1.5]))
        async with self.client() as client:
            path = f"/v1/questions/{name}"
            status, found = await self.request(client, "GET", path)
            self.note("decided", q=number, who=self.name, status=status)
            if status != 200:
                return
            self.questions.tell(number, self.name, found)
            if found["state"] == "open":
                what = {"answer": self.random.choice(found["answers"]), "number": found["number"]}
                await self.press(client, number, path + "/answer", what["answer"], what)

    async def take_back(self, number, pause):
        await asyncio.sleep(pause)
        async with self.client() as client:
            if name := self.questions.ids.get(number):
                self.note("take-back-question", q=number)
                await self.decide(client, number, "DELETE", f"/v1/questions/{name}")

    async def look(self, number, name):
        async with self.client() as client:
            status, found = await self.request(client, "GET", f"/v1/questions/{name}")
            self.note("looked-up", q=number, status=status, state=found.get("state"))
            if status == 200:
                self.questions.tell(number, "later", found)


class Reader(Caller):
    """Follows all topics, and presses what the stream offers, as its program would: without a credential."""

    def __init__(self, questions, token):
        super().__init__(questions, "reader", token)
        # What opens a stream asks for these.
        self.world, self.bearer = questions.world, token
        self.last, self.stream = "all", None

    async def run(self):
        while True:
            with contextlib.suppress(*BROKEN):
                self.stream = opened(self, self.questions.names, f"since={self.last}")
                async with self.stream as lines:
                    async for event in lines:
                        if event["event"] not in ("open", "keepalive"):
                            self.last = event["id"]
                            self.take(event)
            await asyncio.sleep(0.05)

    def cut(self):
        with contextlib.suppress(AttributeError):
            self.stream.writer.transport.abort()

    def take(self, event):
        text = event.get("message", "")
        if found := RESULT.fullmatch(text):
            self.note("result", who="stream", **result(found))
        elif number := re.fullmatch(r"bw-question (\d+)", text):
            offers = [one for one in event.get("actions", []) if one["action"] == "http"]
            self.questions.know(int(number[1]), event["id"])
            if offers and self.random.random() < 0.5:
                self.questions.start(self.use(int(number[1]), self.random.choice(offers)))

    async def use(self, number, offer):
        await asyncio.sleep(self.random.choice([0, 0.05, 0.3, 0.8]))
        path = "/" + offer["url"].split("/", 3)[3]
        async with self.client() as client:
            await self.press(client, number, path, offer["label"], json.loads(offer["body"]), is_open=True)


def result(found):
    """What `RESULT` has found."""
    state = found[2] or "answered"
    # The text does not say who took it back.
    return {"q": int(found[1]), "state": state, "answer": found[3], "by": found[4]}


class Notes:
    """Sends messages, some of which have a button."""

    def __init__(self, questions):
        self.questions, self.world = questions, questions.world
        self.random, self.client = self.world.branch(), Client(self.world.server.port)

    async def run(self):
        while not self.world.is_over:
            await self.send()
            await asyncio.sleep(self.random.uniform(0.2, 1))

    async def send(self):
        self.questions.notes += 1
        number = self.questions.notes
        fields = [("Authorization", f"Bearer {self.questions.bearer}")]
        if self.random.random() < 0.6:
            address = f"http://127.0.0.1:{self.questions.door.port}/{number}"
            fields.append(("Actions", json.dumps([{"action": "http", "label": "Ring", "url": address}])))
        path, text = f"/{self.random.choice(self.questions.names)}", f"bw-note {number}"
        self.questions.note("send-note", n=number)
        try:
            status, answer = await self.client.ask("POST", path, fields, text.encode())
        except (Closed, TimeoutError):
            return
        name = json.loads(answer["body"])["id"] if status == 200 else None
        self.questions.note("sent-note", n=number, status=status, id=name)


class Door:
    """What buttons speak to. It takes its time, so that a kill may come before its answer."""

    def __init__(self, stage):
        self.random, self.note = stage.world.branch(), stage.log.note
        self.waiting = 0

    async def begin(self):
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]

    async def serve(self, reader, writer):
        self.waiting += 1
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            self.note("rung", n=int(head.split(" ", 2)[1].strip("/")))
            await asyncio.sleep(self.random.choice([0, 0.4, 1]))
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            await writer.drain()
        self.waiting -= 1
        writer.close()
