"""Uses a server moderately for a long time and fails if it needs more and more of anything.

python3 run.py BELLWIRE [--minutes N] [--seed S] [--leak]

--leak opens a connection a second and never closes it, to see that growth is found.
"""

import argparse
import asyncio
import json
import pathlib
import random
import signal
import sys
import tempfile

sys.path.append(__file__.rsplit("/", 3)[0])
sys.path.append(f"{sys.path[-1]}/Torture/Promise")

from events import EventLog
from machine.server import Server
from people import Phone, Script, Sender, administrate
from samples import Meter, growth, told

INTERVAL = 5


class World:
    def __init__(self, server, seed):
        self.server, self.random = server, random.Random(seed)
        self.over = asyncio.get_running_loop().create_future()
        self.phones, self.answers, self.deliveries = [], [], []
        self.pushes = self.delivered = 0
        self.troubles = {}

    @property
    def is_over(self):
        return self.over.done()

    def count(self, trouble):
        self.troubles[trouble] = self.troubles.get(trouble, 0) + 1


async def soak(options, folder):
    server = Server(folder, EventLog(folder / "log"))
    if not await server.start():
        sys.exit("the server does not start: " + (folder / "output").read_text(errors="replace")[-500:])
    world = World(server, options.seed)
    world.phones = [Phone(world, commutes=number % 3 == 0) for number in range(30)]
    people = world.phones + [Sender(world, 0.1) for _ in range(4)] + [Script(world, number) for number in range(5)]
    tasks = [asyncio.create_task(one.run()) for one in people] + [asyncio.create_task(administrate(world))]
    meter, samples, held = Meter(server.process, server.state), [], []
    for _ in range(max(8, options.minutes * 60 // INTERVAL)):
        await asyncio.sleep(INTERVAL)
        samples.append(meter.take(world.answers, world.deliveries))
        world.answers.clear()
        world.deliveries.clear()
        for task in tasks:
            if task.done():
                task.result()
        if options.leak:
            held += [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(INTERVAL)]
    world.over.set_result(None)
    await asyncio.wait(tasks, timeout=20)
    for task in tasks:
        task.cancel()
    await server.kill(signal.SIGTERM)
    return world, samples


def tell(world, rows, samples):
    print(f"{world.pushes} pushes, {world.delivered} deliveries, {len(samples)} samples")
    print(f"{'':20}{'second quarter':>16}{'last quarter':>16}")
    for name, unit, early, late, has_grown in rows:
        print(f"{name:20}{early:16.1f}{late:16.1f}  {unit}{'  GREW' if has_grown else ''}".rstrip())
    for trouble, count in sorted(world.troubles.items()):
        print(f"FAIL {trouble}: {count}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--minutes", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--leak", action="store_true")
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    Server.program = options.program
    with tempfile.TemporaryDirectory() as folder:
        world, samples = asyncio.run(soak(options, pathlib.Path(folder)))
    rows = growth(samples)
    tell(world, rows, samples)
    if options.json:
        figures = {"minutes": options.minutes, "seed": options.seed, "pushes": world.pushes} | told(samples)
        options.json.write_text(json.dumps(figures))
    has_failed = any(row[-1] for row in rows) or bool(world.troubles) or world.delivered == 0
    print("soak: " + ("FAILED" if has_failed else "nothing grew"))
    return 1 if has_failed else 0


if __name__ == "__main__":
    sys.exit(main())
