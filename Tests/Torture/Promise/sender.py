"""Application servers: they push, withdraw, and record the answers."""

import asyncio
import base64
import hashlib
import socket


class Closed(Exception):
    pass


class Client:
    """HTTP/1.1 on one connection, which is opened when needed."""

    PATIENCE = 15

    def __init__(self, port):
        self.port, self.reader, self.writer = port, None, None

    async def ask(self, method, path, fields=(), body=b""):
        """Status and fields of a complete answer. Raises Closed or TimeoutError."""
        try:
            async with asyncio.timeout(self.PATIENCE):
                return await self.exchange(method, path, fields, body)
        except (OSError, asyncio.IncompleteReadError, TimeoutError) as error:
            self.close()
            raise TimeoutError if isinstance(error, TimeoutError) else Closed from error

    async def exchange(self, method, path, fields, body):
        if not self.writer:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
            self.writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
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
        self.client = Client(world.server.port)

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
                await self.push(self.random.choice(live))
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
        note(
            "push",
            p=number,
            s=one.number,
            ttl=ttl,
            topic=topic,
            headers=headers,
            digest=hashlib.sha256(body).hexdigest()[:16],
            sample=body[10:34].hex(),
        )
        try:
            status, answer = await self.client.ask(method, f"/wpush/v1/{one.token}", fields, body)
        except TimeoutError:
            note("silence", p=number, late=True)
            return 0
        except Closed:
            note("silence", p=number, late=False)
            await asyncio.sleep(0.01)
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
        client = Client(self.world.server.port)
        self.world.log.note("delete", p=number)
        try:
            status, _ = await client.ask("DELETE", "/m/" + location.rsplit("/", 1)[1])
            self.world.log.note("deleted", p=number, status=status)
        except (Closed, TimeoutError):
            self.world.log.note("deleted", p=number, status=0)
        client.close()
