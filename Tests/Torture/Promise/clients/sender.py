"""Application servers: they push, withdraw, and record the answers."""

import asyncio
import base64
import hashlib


class Closed(Exception):
    """There is no answer. `is_loose`: the request may still be on its way. `is_untouched`: the server has said that it
    does nothing with it.
    """

    def __init__(self, is_loose=False, is_untouched=False):
        self.is_loose, self.is_untouched = is_loose, is_untouched


class Client:
    """HTTP/1.1 on one connection, which is opened when needed."""

    # How long it waits, and how many requests it can have under way.
    PATIENCE, STREAMS = 15, 1

    def __init__(self, port, context=None, is_faulty=False):
        self.port, self.context, self.is_faulty = port, context, is_faulty
        self.reader, self.writer = None, None

    async def ask(self, method, path, fields=(), body=b""):
        """Status and fields of a complete answer. Raises Closed or TimeoutError."""
        try:
            async with asyncio.timeout(self.PATIENCE):
                return await self.exchange(method, path, fields, body)
        except (OSError, asyncio.IncompleteReadError, TimeoutError) as error:
            self.close()
            raise TimeoutError if isinstance(error, TimeoutError) else Closed(self.is_faulty) from error

    async def exchange(self, method, path, fields, body):
        if not self.writer:
            terms = dict(ssl=self.context, server_hostname="localhost") if self.context else {}
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port, **terms)
        lines = [
            f"{method} {path} HTTP/1.1",
            f"Host: 127.0.0.1:{self.port}",
            f"Content-Length: {len(body)}",
            *(f"{name}: {value}" for name, value in fields),
        ]
        self.writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        head = await self.reader.readuntil(b"\r\n\r\n")
        first, *rest = head.decode("latin-1").split("\r\n")[:-2]
        answer = {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in rest)}
        answer["body"] = await self.reader.readexactly(int(answer.get("content-length", 0)))
        return int(first.split()[1]), answer

    def close(self):
        if self.writer:
            self.writer.close()
        self.writer = None


class Sender:
    TOPICS = ["news", "weather", "score"]

    def __init__(self, world):
        self.world, self.random = world, world.branch()
        self.client = world.network.client(self.random)

    async def run(self):
        while not self.world.is_over:
            live, gone, lost = self.world.live(), self.world.gone(), self.world.lost()
            if lost and self.random.random() < 0.03:
                await self.push(self.random.choice(lost[-20:]))
            elif gone and self.random.random() < 0.03:
                await self.push(self.random.choice(gone[-20:]))
            elif live and self.random.random() < 0.04:
                # The first one is acknowledged or withdrawn while the second waits.
                one, topic = self.random.choice(live), f"pair-{self.world.pushes}"
                for _ in range(2):
                    await self.push(one, ttl=86_400, topic=topic)
            elif live:
                count = self.random.randint(1, self.client.STREAMS)
                await asyncio.gather(*(self.push(self.random.choice(live)) for _ in range(count)))
            await asyncio.sleep(self.world.rest * self.random.random())

    def shape(self, number, size=None):
        """Method, fields and body of a push, and the headers that its receiver must see."""
        size = size or self.random.choice([10, 40, 200, 200, 1_000, 4_096])
        body = b"bw" + number.to_bytes(8) + self.random.randbytes(max(0, size - 10))
        dice = self.random.random()
        if dice < 0.1:
            return "PUT", [], body, None
        if dice < 0.8:
            fields = [("Content-Encoding", "aes128gcm")]
            return "POST", fields, body, {"encoding": "aes128gcm"}
        salt = base64.urlsafe_b64encode(self.random.randbytes(16)).decode()
        key = base64.urlsafe_b64encode(b"\4" + self.random.randbytes(64)).decode()
        fields = [
            ("Content-Encoding", "aesgcm"),
            ("Encryption", f'keyid="a";salt="{salt}"'),
            ("Crypto-Key", f'keyid="a";dh={key}'),
        ]
        clean = {
            "encoding": "aesgcm",
            "encryption": f"keyid=a;salt={salt.rstrip('=')}",
            "crypto_key": f"keyid=a;dh={key.rstrip('=')}",
        }
        return "POST", fields, body, clean

    def lifetime(self):
        return self.random.choice([0, 1, 2, 3, 5, 60, 60, 600, 600, 86_400, 86_400, 86_400])

    async def push(self, one, ttl=None, size=None, topic=None):
        number = self.world.next_push()
        method, fields, body, headers = self.shape(number, size)
        ttl = self.lifetime() if ttl is None else ttl
        fields.append(("TTL", ttl))
        if topic is None and self.random.random() < 0.25:
            topic = self.random.choice(self.TOPICS)
        if topic:
            fields.append(("Topic", topic))
        if self.random.random() < 0.3:
            fields.append(("Urgency", self.random.choice(["very-low", "low", "normal", "high"])))
        note = self.world.log.note
        signed = self.world.keyring.sign(one, fields, self.random) if self.world.keyring else {}
        note(
            "push",
            p=number,
            s=one.number,
            ttl=ttl,
            topic=topic,
            headers=headers,
            digest=hashlib.sha256(body).hexdigest()[:16],
            sample=body[10:34].hex(),
            **signed,
        )
        client = self.client
        try:
            status, answer = await client.ask(method, f"/wpush/v1/{one.token}", fields, body)
        except TimeoutError:
            note("silence", p=number, late=True)
            return 0
        except Closed as end:
            note("silence", p=number, late=False, loose=end.is_loose, untouched=end.is_untouched)
            await asyncio.sleep(0.01)
            if self.client is client:
                client.close()
                self.client = self.world.network.client(self.random)
            return 0
        location = answer.get("location", "")
        note(
            "answer", p=number, status=status, ttl=answer.get("ttl"), location=location, retry=answer.get("retry-after")
        )
        if status == 201 and self.random.random() < 0.04:
            asyncio.get_running_loop().create_task(self.withdraw(number, location))
        return status

    async def withdraw(self, number, location):
        await asyncio.sleep(self.random.choice([0, 0.005, 0.1, 0.5]))
        client = self.world.network.client(self.random)
        self.world.log.note("delete", p=number)
        try:
            status, _ = await client.ask("DELETE", "/m/" + location.rsplit("/", 1)[1])
            self.world.log.note("deleted", p=number, status=status)
        except (Closed, TimeoutError):
            self.world.log.note("deleted", p=number, status=0)
        client.close()
