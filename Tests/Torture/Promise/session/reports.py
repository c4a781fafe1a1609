"""What programs on the bus saw: each tells it to the process that keeps the log, and may be told something."""

import asyncio
import json
import socket

from events import now


class Reporter:
    """The program's side."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)

    def note(self, event, **facts):
        self.socket.sendall(json.dumps({"e": event, "t": now(), **facts}).encode() + b"\n")


async def orders(path, number):
    """What the process with the log wants of this program."""
    reader, writer = await asyncio.open_unix_connection(path)
    writer.write(json.dumps({"e": "here", "n": number}).encode() + b"\n")
    while line := await reader.readline():
        yield json.loads(line)


class Reports:
    """The side of the log."""

    def __init__(self, path, log):
        self.path, self.log = path, log
        self.writers, self.tasks = {}, set()

    async def begin(self):
        self.server = await asyncio.start_unix_server(self.serve, self.path)

    async def serve(self, reader, writer):
        self.tasks.add(asyncio.current_task())
        try:
            while line := await reader.readline():
                event = json.loads(line)
                if event["e"] == "here":
                    self.writers[event["n"]] = writer
                else:
                    self.log.note(event.pop("e"), at=event.pop("t"), **event)
        except (OSError, json.JSONDecodeError):
            pass  # It was killed in the middle of a word.
        writer.close()
        self.tasks.discard(asyncio.current_task())

    def order(self, number, **facts):
        if number in self.writers:
            self.writers[number].write(json.dumps(facts).encode() + b"\n")

    async def close(self):
        """Waits for what the programs said before they ended."""
        self.server.close()
        await asyncio.wait([*self.tasks, asyncio.create_task(asyncio.sleep(0))], timeout=2)
