"""Who asks at topics, and waits for the answer."""

import asyncio
import contextlib
import json
import signal

from kit.process import send

# For how many seconds most questions can be answered, and a few.
LIFE, SHORT_LIFE = 8, 2
# However this process ends, what asks ends with it.
WITHIN = ["setpriv", "--pdeathsig", "KILL"]
CURL = ["curl", "-sSN", "--dump-header", "-", "--max-time", f"{LIFE + 4}"]


class Asker:
    """One question after the other at one topic. It asks again, under the same name, until it is told the result."""

    # Its questions are those of a token, which can take them back.
    has_token = True

    def __init__(self, questions, topic):
        self.questions, self.world, self.topic = questions, questions.world, topic
        self.random, self.note = self.world.branch(), questions.note

    async def run(self):
        while not self.world.is_over:
            await self.ask()
            await asyncio.sleep(self.random.uniform(0.5, 1.5))

    async def ask(self):
        self.questions.asked += 1
        number, dice = self.questions.asked, self.random.random()
        answers = [f"{word}-{number}" for word in self.random.sample(["yes", "no", "later", "never"], 3)]
        life = SHORT_LIFE if dice < 0.1 else LIFE
        self.note("ask", q=number, answers=answers, life=life)
        if self.has_token and 0.1 < dice < 0.2:
            self.questions.start(self.questions.asker.take_back(number, self.random.uniform(0.1, 0.8)))
        while not await self.wait(number, answers, life):
            await asyncio.sleep(0.05)
        if self.random.random() < 0.2:
            # Who repeats the request is told the same.
            await self.wait(number, answers, life)

    async def wait(self, number, answers, life):
        """Whether the result has come."""
        self.questions.waits += 1
        port, wait = self.world.server.port, self.questions.waits
        fields = [f"Authorization: Bearer {self.questions.asker.token}", f"Sequence-ID: ask-{number}"]
        address = f"http://127.0.0.1:{port}/{self.topic}?ask={','.join(answers)}&wait={life}s"
        words = [*CURL, "-H", fields[0], "-H", fields[1], "-d", f"bw-question {number}", address]
        async with self.started(words) as curl:
            return await self.read(curl.stdout, number, wait)

    @contextlib.asynccontextmanager
    async def started(self, words):
        """A program that asks, and may be killed."""
        program = await asyncio.create_subprocess_exec(
            *WITHIN, *words, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
        )
        self.questions.askers.add(program)
        try:
            yield program
        finally:
            self.questions.askers.discard(program)
            send(program, signal.SIGKILL)
            await program.wait()

    async def read(self, output, number, wait):
        status = 0
        while line := (await output.readline()).decode().strip():
            name, _, value = line.partition(":")
            if name.startswith("HTTP/"):
                status = int(name.split()[1])
            elif name.lower() == "location":
                self.note("wait", q=number, k=wait)
                self.questions.know(number, value.strip().rsplit("/", 1)[1])
        while line := await output.readline():
            if status == 200 and line.strip():
                self.questions.tell(number, "curl", json.loads(line), k=wait)
                return True
        self.note("wait-end", q=number, k=wait, status=status)
        return False


class Command(Asker):
    """Asks by `bellwire ask`, in the name of the owner."""

    has_token = False

    async def wait(self, number, answers, life):
        offers = [word for answer in answers for word in ("--answer", answer)]
        terms = ["--key", f"ask-{number}", "--wait", f"{life}s", "--json", "--state", str(self.world.server.state)]
        words = [self.world.server.program, "ask", self.topic, f"bw-question {number}", *offers, *terms]
        async with self.started(words) as command:
            said = await command.stdout.read()
            code = await command.wait()
        if said:
            self.questions.tell(number, "command", json.loads(said))
        self.note("ask-end", q=number, code=code)
        return bool(said)
