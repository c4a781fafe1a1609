"""Applications with a callback: they register, get pushes, and record what comes and when."""

import asyncio
import base64
import hashlib
import hmac
import json

from clients.sender import Closed
from clients.viewer import number_of
from events import now
from kit.coding import decode

# How an event is answered: weight and action.
MODES = {"at once": 80, "late": 14, "busy": 3, "silent": 3}


class Application:
    """One registration and the receiver of its callback. Each has its own address, because a host gets only a
    limited number of requests in a second.
    """

    # The average pause between its pushes, and what else its registration asks for.
    REST, TERMS = 0.12, {}

    def __init__(self, world, number, account=None):
        self.world, self.number, self.account = world, number, account or f"a{number}"
        self.random, self.log = world.branch(), world.log
        # The oldest first: those from before a rotation still work.
        self.tokens, self.secrets = [], []
        self.attempts, self.id = 0, None
        self.client = world.network.client(self.random)
        # `is_removed`: with its owner, who tells nobody.
        self.is_revoked = self.is_removed = False
        self.is_known = asyncio.Event()

    async def begin(self):
        terms = {"token_type": 10, "app": "torture", "account": self.account, "dialect": "plain", **self.TERMS}
        answer = await self.control("POST", "registrations", {**terms, "callback": await self.listen()})
        self.id = answer["id"]
        self.learn("application", answer)

    async def listen(self):
        """The address of its callback."""
        self.server = await asyncio.start_server(self.serve, f"127.0.1.{self.number}", 0)
        return f"http://127.0.1.{self.number}:{self.server.sockets[0].getsockname()[1]}/"

    def learn(self, event, answer):
        self.tokens.append(answer["endpoint"].rsplit("/", 1)[1])
        self.secrets.append(base64.b64decode(answer["callback_secret"].removeprefix("whsec_")))
        self.log.note(event, r=self.number, token=self.tokens[-1], secret=answer["callback_secret"])
        self.is_known.set()

    async def rotate(self):
        """New endpoint, new keys, new secret. The callback may come before the answer."""
        self.is_known.clear()
        try:
            self.learn("rotated", await self.control("POST", f"registrations/{self.id}/rotate"))
        finally:
            self.is_known.set()

    async def ask(self, method, path, body=None):
        """Uses the control socket, whose users may name this machine for a callback."""
        return await self.world.server.control(method, path, body)

    async def control(self, method, path, body=None):
        """Of two changes at once, the server refuses one for now; its own are changes, too."""
        for _ in range(10):
            status, answer = await self.ask(method, path, body)
            if status != 503:
                break
            await asyncio.sleep(0.2)
        if not 200 <= status < 300:
            raise SystemExit(f"torture: {method} {path}: {status} {answer}")
        return answer

    async def revoke(self):
        self.is_revoked = True
        self.log.note("revoking", r=self.number)
        await self.control("DELETE", f"registrations/{self.id}")
        self.log.note("revoked", r=self.number)

    async def serve(self, reader, writer):
        try:
            while await self.answer(reader, writer):
                pass
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # The server was killed, or the run is over.
        writer.close()

    async def answer(self, reader, writer):
        """Whether another request may come."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")[1:-2]
        fields = {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in head)}
        body = await reader.readexactly(int(fields["content-length"]))
        time = now()
        # The first event can come before the answer that contains the secret.
        await self.is_known.wait()
        self.attempts += 1
        number = self.attempts
        self.note(number, time, fields, body)
        mode = self.choose_mode()
        if mode == "late":
            await asyncio.sleep(self.random.uniform(0, 0.2))
        if mode == "silent":
            return False
        status = 503 if mode == "busy" else 200
        challenge = fields.get("webhook-challenge")
        lines = [f"HTTP/1.1 {status} x", "Content-Length: 0"]
        if challenge:
            lines.append(f"webhook-challenge: {challenge}")
        if status == 200:
            # From here on the application has the event, whatever happens to the answer.
            self.log.note("done", r=self.number, n=number)
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n")
        await writer.drain()
        return True

    def choose_mode(self):
        weights = MODES if not self.world.is_calm else {"at once": 1}
        return self.random.choices(list(weights), list(weights.values()))[0]

    def note(self, number, time, fields, body):
        event = json.loads(body)
        data = event["data"]
        signed = f"{fields['webhook-id']}.{fields['webhook-timestamp']}.".encode() + body
        expected = [base64.b64encode(hmac.digest(one, signed, hashlib.sha256)).decode() for one in self.secrets]
        push = number_of(decode(data["payload"]).decode()) if "payload" in data else None
        self.log.note(
            "attempt",
            at=time,
            r=self.number,
            n=number,
            id=fields["webhook-id"],
            type=event["type"],
            p=push,
            count=data.get("count"),
            is_signed=any(f"v1,{one}" in fields["webhook-signature"].split() for one in expected),
            challenged="webhook-challenge" in fields,
        )

    async def run(self):
        """The sender: messages, and now and then some fetch signals."""
        while not self.world.is_over and not self.is_removed:
            if self.random.random() < 0.75:
                await self.push("message")
            else:
                for _ in range(self.random.randint(1, 4)):
                    await self.push("signal")
            await asyncio.sleep(self.random.expovariate(1 / self.REST))

    async def push(self, kind):
        number = self.world.next_push()
        body = f"bw-{number}-".encode().ljust(10) + self.random.randbytes(20).hex().encode()
        method = "POST"
        if kind == "signal":
            method, body = "PUT", f"version={number}".encode()
        at = max(0, len(self.tokens) - self.random.choice([1, 1, 1, 2]))
        fields = [("TTL", 86_400)]
        signed = self.sign(at, fields)
        self.log.note("tell", p=number, r=self.number, kind=kind, sample=body[10:34].hex(), k=at, **signed)
        try:
            status, answer = await self.client.ask(method, f"/wpush/v1/{self.tokens[at]}", fields, body)
            self.log.note("told", p=number, status=status, retry=answer.get("retry-after"))
            if status == 201:
                self.accepted(at)
        except (OSError, Closed, TimeoutError):
            self.client.close()
            self.client = self.world.network.client(self.random)
            await asyncio.sleep(0.02)

    def sign(self, at, fields):
        """Its senders need no signature. Returns what the log should know of one."""
        return {}

    def accepted(self, at):
        pass
