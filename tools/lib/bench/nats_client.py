"""As much of the protocol of NATS as a load on JetStream needs: one connection with many requests under way."""

import asyncio
import json
import ssl

# Answers come to names below this one.
INBOX = "_INBOX.bench"


def message(subject, data=b"", headers=()):
    """The bytes of a request."""
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
    head = f"NATS/1.0\r\n{lines}\r\n".encode() if lines else b""
    sizes = f"{len(head)} {len(head) + len(data)}" if head else str(len(data))
    return f"{'H' if head else ''}PUB {subject} {INBOX}.1 {sizes}\r\n".encode() + head + data + b"\r\n"


class NatsClient:
    """The answer to a request is JSON, and one that tells of an error ends everything."""

    @classmethod
    async def connect(cls, port, authorities, password):
        self = cls()
        self.received = b""
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", port)
        await self.reader.readline()
        await self.writer.start_tls(ssl.create_default_context(cafile=authorities), server_hostname="localhost")
        options = {"verbose": False, "user": "bellwire", "pass": password, "headers": True, "no_responders": True}
        self.writer.write(f"CONNECT {json.dumps(options)}\r\nSUB {INBOX}.* 1\r\n".encode())
        return self

    def close(self):
        self.writer.close()

    async def ask(self, subject, members):
        self.writer.write(message(subject, json.dumps(members).encode()))
        while True:
            for answer in await self.answers():
                return json.loads(answer)

    async def flood(self, requests, window, goes_on=lambda: True):
        """How many were answered: as many as there are, or until they shall not go on."""
        sent = answered = 0
        more = True
        while more or answered < sent:
            row = []
            while more and sent + len(row) - answered < window:
                request = next(requests, None) if goes_on() else None
                if request is None:
                    more = False
                else:
                    row.append(request)
            self.writer.write(b"".join(row))
            sent += len(row)
            if answered < sent:
                answered += len(await self.answers())
        return answered

    async def answers(self):
        """The answers that have come since, one at least unless the server said something else."""
        data = await asyncio.wait_for(self.reader.read(1 << 16), 60)
        if not data:
            raise SystemExit("bench: a server of NATS closed the connection")
        self.received += data
        found, start = [], 0
        while (end := self.received.find(b"\r\n", start)) >= 0:
            line, after = self.received[start:end], end + 2
            if line.startswith(b"MSG "):
                after += int(line.rsplit(b" ", 1)[1])
                if len(self.received) < after + 2:
                    break
                found.append(self.received[end + 2 : after])
                after += 2
            elif line == b"PING":
                self.writer.write(b"PONG\r\n")
            elif line.startswith((b"-ERR", b"HMSG")):
                raise SystemExit(f"bench: a server of NATS says {self.received[start : start + 300]}")
            start = after
        self.received = self.received[start:]
        for answer in found:
            if b'"error"' in answer:
                raise SystemExit(f"bench: JetStream refuses: {answer.decode()}")
        return found
