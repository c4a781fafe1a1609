"""The log of what the peers saw: one JSON object on each line, with the time since boot."""

import asyncio
import json

from kit.process import now


class EventLog:
    # The peers share one thread. While it is busy, they see events late.
    BEAT, LATE = 0.01, 0.008

    def __init__(self, path):
        self.path = path
        self.file = open(path, "w", buffering=1 << 20)

    def note(self, event, at=None, **facts):
        facts["e"], facts["t"] = event, round(at if at is not None else now(), 6)
        self.file.write(json.dumps(facts, separators=(",", ":")) + "\n")

    async def watch_delays(self):
        last = now()
        while True:
            await asyncio.sleep(self.BEAT)
            here = now()
            if here - last - self.BEAT > self.LATE:
                self.note("late", since=round(last, 6))
            last = here

    def flush(self):
        self.file.flush()

    def close(self):
        self.file.close()


def read(path, kinds=()):
    """All events, or those of these kinds."""
    marks = [f'"e":"{kind}"' for kind in kinds]
    with open(path) as lines:
        return [json.loads(line) for line in lines if not marks or any(mark in line for mark in marks)]
