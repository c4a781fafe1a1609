"""Tortures a cluster of three nodes and three servers of NATS, and decides whether it kept its promise.

usage: run.py PROGRAM [--long] [--seconds N] [--seed N] [--keep FOLDER] [--json FILE]
              [--only ACT,…] [--without ACT,…] [--strict]
"""

import argparse
import asyncio
import collections
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "Promise"))

import alike  # noqa: E402
import events  # noqa: E402
import rules  # noqa: E402
from acts import WEIGHTS, Acts  # noqa: E402
from authority import Authority  # noqa: E402
from checker import report  # noqa: E402
from gates import Balancer  # noqa: E402
from machines import BALANCER, COUNT, NatsServers, Node  # noqa: E402
from peers import Nodes, NodesSender, RoamingAgent  # noqa: E402
from sender import Client, Closed  # noqa: E402
from world import World  # noqa: E402

SHORT, LONG = 30, 600
RESIDENTS, GUESTS, SENDERS = 6, 8, 4


class Scenario:
    def __init__(self, folder, arguments):
        self.folder, self.arguments = folder, arguments
        self.log = events.EventLog(folder / "cluster.log")
        self.world = World(None, self.log, arguments.seed)
        self.world.rest = 0.03
        self.servers = NatsServers(folder)
        subprocess.run([arguments.program, "keys", "new", "master", self.key()], check=True, capture_output=True)
        authority = Authority(folder)
        files = authority.certify("127.0.0.1", "server")
        self.nodes = [Node(number, arguments.program, folder, self.servers, files) for number in range(COUNT)]
        self.balancer = Balancer(BALANCER, self.nodes, self.world.branch())
        self.world.network = Nodes(self.nodes, self.balancer, authority, self.log)
        self.acts = Acts(self.nodes, self.servers, self.log, self.world.branch())
        self.tasks = []

    def key(self):
        keys = self.folder / "keys"
        keys.mkdir(mode=0o700, exist_ok=True)
        return keys / "master.json"

    def spawn(self, coroutine):
        self.tasks.append(asyncio.get_running_loop().create_task(coroutine))

    async def begin(self):
        await self.servers.begin()
        for node in self.nodes:
            for gate in node.gates:
                await gate.begin()
            await node.begin()
            if not await node.is_healthy(60):
                raise SystemExit(f"torture: {node.name} does not start:\n{node.said.read_text()[-2000:]}")
        await self.balancer.begin()
        self.spawn(self.balancer.look())
        self.spawn(self.log.watch_delays())
        self.spawn(self.acts.watch(lambda: self.world.is_over))

    async def play(self):
        for number in range(RESIDENTS + GUESTS):
            self.spawn(RoamingAgent(self.world, 1 + number % 3, number < RESIDENTS).run())
        for _ in range(SENDERS):
            self.spawn(NodesSender(self.world).run())
        self.spawn(self.probe())
        await asyncio.sleep(1.5)
        chance, end, is_well = self.world.branch(), time.monotonic() + self.arguments.seconds, True
        names = [name for name in WEIGHTS if name in self.arguments.only and name not in self.arguments.without]
        # Each act comes once before any comes twice.
        chance.shuffle(names)
        row = list(names)
        while is_well and names and time.monotonic() < end:
            kind = row.pop() if row else chance.choices(names, [WEIGHTS[name] for name in names])[0]
            is_well = await self.acts.perform(kind)
            await asyncio.sleep(chance.choice([0.2, 1, 2.5]))
        await self.world.calm(8)
        # Nothing is under way any more when the stores are compared.
        self.world.is_over = True
        await asyncio.sleep(2)
        await self.compare()

    async def probe(self):
        """Asks each node about endpoints that ended a second ago."""
        seen = set()
        while not self.world.is_over:
            for one in self.world.gone():
                if one.number not in seen:
                    seen.add(one.number)
                    self.spawn(self.probe_one(one))
            await asyncio.sleep(0.02)

    async def probe_one(self, one):
        await asyncio.sleep(rules.GONE)

        async def ask(node):
            client = Client(node.port)
            client.PATIENCE = 10
            status = 0
            try:
                status, _ = await client.ask("POST", f"/wpush/v1/{one.token}", [("TTL", 60)], b"")
            except (Closed, TimeoutError):
                pass
            client.close()
            if not one.is_lost:
                self.log.note("probe", s=one.number, n=node.number, status=status)

        await asyncio.gather(*(ask(node) for node in self.nodes))

    async def compare(self, within=10):
        """They are the same once every node has followed. Rows that change all the time need several looks."""
        end = time.monotonic() + within
        paths = [node.state / "bellwire.db" for node in self.nodes]
        while (found := await asyncio.to_thread(alike.differences, paths)) and time.monotonic() < end:
            await asyncio.sleep(0.2)
        self.log.note("compared", differences=found, rows=alike.count(paths[0]))

    async def end(self):
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        for node in self.nodes:
            node.join()
        machines = [one for one in (*self.nodes, *self.servers.all) if one.process and one.process.returncode is None]
        for machine in machines:
            await machine.end(within=10)
        for node in self.nodes:
            said = node.said.read_text(errors="replace") if node.said.exists() else ""
            failed = [line for line in said.splitlines() if "event=snapshot-failed" in line]
            self.log.note("snapshots", n=node.number, kept=said.count("event=snapshot-kept"), failed=failed)
        for gate in (self.balancer, *(gate for node in self.nodes for gate in node.gates)):
            if gate.server:
                gate.end()
        self.log.close()

    async def run(self):
        try:
            await self.begin()
            await self.play()
        finally:
            await self.end()


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--seconds", type=float, help="how long something fails")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--keep", type=pathlib.Path, help="folder for logs and states")
    parser.add_argument("--json", type=pathlib.Path, help="also writes what happened to a file")
    parser.add_argument("--only", default=",".join(WEIGHTS), help="these acts: " + " ".join(WEIGHTS))
    parser.add_argument("--without", default="", help="not these acts")
    parser.add_argument(
        "--strict", action="store_true", help="holds nodes to order and knowledge among each other, too"
    )
    parser.add_argument("--judge", action="store_true", help="only judges what --keep has kept")
    arguments = parser.parse_args()
    arguments.only, arguments.without = arguments.only.split(","), arguments.without.split(",")
    arguments.seconds = arguments.seconds or (LONG if arguments.long else SHORT)
    return arguments


def judge(arguments, folder, seconds):
    story, findings = rules.check(events.read(folder / "cluster.log"), arguments.strict)
    happened = collections.Counter(event["e"] for event in story.events)
    acts = collections.Counter(kind for kind, *_ in story.faults)
    statuses = collections.Counter(str(push.status) for push in story.pushes.values())
    counts = {"acts": dict(acts), "pushes": happened["push"], "answers": dict(statuses)}
    counts |= {"deliveries": happened["delivery"], "acknowledgements": happened["ack"]}
    print(f"cluster: seed {arguments.seed}, {seconds:.0f} s, {json.dumps(counts)}")
    is_good = report(findings, rules.REQUIRED + (rules.REQUIRED_IN_LONG if arguments.long else []))
    if arguments.json:
        played = {"scenario": "cluster", "seed": arguments.seed, "is_good": is_good, "counts": counts}
        played["cases"] = {str(rule): count for rule, count in findings.cases.items()}
        played["violations"] = {str(rule): texts[:5] for rule, texts in findings.violations.items() if texts}
        arguments.json.write_text(json.dumps({"scenarios": [played | {"seconds": round(seconds)}]}))
    return is_good


def main():
    arguments = parse()
    arguments.program = str(pathlib.Path(arguments.program).resolve())
    random.seed(arguments.seed)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or pathlib.Path(temporary)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not arguments.judge:
            asyncio.run(Scenario(folder.resolve(), arguments).run())
        is_good = judge(arguments, folder, time.monotonic() - began)
    print(f"torture: seed {arguments.seed}, " + ("the promise was kept" if is_good else "the promise was broken"))
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
