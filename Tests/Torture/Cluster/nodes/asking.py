"""Requests to the API of nodes: through their control sockets, or with the secret of a device."""

import asyncio
import contextlib
import json
import uuid

PATIENCE = 3.0


async def ask_node(node, method, path, body=None, bearer=None, key=None):
    """Status and answer of one node. Raises OSError or TimeoutError."""
    data = json.dumps(body).encode() if body else b""
    fields = {"Host": "localhost", "Connection": "close", "Content-Length": len(data)}
    if body:
        fields["Content-Type"] = "application/json"
    if bearer:
        fields["Authorization"] = f"Bearer {bearer}"
    if key:
        fields["Idempotency-Key"] = key
    lines = [f"{method} /api/v1/{path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items())]
    async with asyncio.timeout(PATIENCE):
        reader, writer = await connect(node, bearer)
        try:
            writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + data)
            head, _, rest = (await reader.read()).partition(b"\r\n\r\n")
        finally:
            writer.transport.abort()
    if not head:
        raise ConnectionResetError
    return int(head.split(b" ", 2)[1]), json.loads(rest) if rest else None


async def connect(node, bearer):
    if bearer:
        return await asyncio.open_connection("127.0.0.1", node.port)
    return await asyncio.open_unix_connection(str(node.state / "control.sock"))


class Callers:
    """What the peers take for their server: asks one node after the other, until one answers."""

    TRIES = 40

    def __init__(self, nodes, random):
        self.nodes, self.random = nodes, random

    async def control(self, method, path, body=None, bearer=None):
        """What was perhaps done already is found done: a registration has a key by which it is known again, and
        what was perhaps removed may be missing.
        """
        key, is_doubtful = uuid.UUID(int=self.random.getrandbits(128), version=4).hex, False
        status, answer = 503, None
        for attempt in range(self.TRIES):
            node = self.random.choice(self.nodes)
            try:
                status, answer = await ask_node(
                    node, method, path, body, bearer, key if path == "registrations" else None
                )
                if status < 500:
                    break
            except (OSError, TimeoutError) as error:
                is_doubtful = True
                if method == "POST" and path != "registrations":
                    raise ConnectionResetError from error
            await asyncio.sleep(min(1, 0.05 * 2**attempt))
        if method == "DELETE" and is_doubtful and status == 404:
            return 204, None
        return status, answer

    async def everywhere(self, method, path, bearer=None):
        """What each node answers, 0 for none."""

        async def ask(node):
            with contextlib.suppress(OSError, TimeoutError):
                return (await ask_node(node, method, path, None, bearer))[0]
            return 0

        return await asyncio.gather(*(ask(node) for node in self.nodes))
