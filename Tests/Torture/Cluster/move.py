"""Moves a store to a cluster and back while clients and senders use it, and restores a backup of a node.

usage: move.py PROGRAM [--seed N] [--keep FOLDER]

The checker of the torture decides whether anything was lost, doubled, out of order, or refused for good.
"""

import argparse
import asyncio
import collections
import json
import pathlib
import random
import re
import shutil
import signal
import sys
import tempfile
import time

sys.path.append(__file__.rsplit("/", 3)[0])
sys.path.append(f"{sys.path[-1]}/Torture/Promise")

import events
from clients.sender import Client
from judged import rules
from kit.checks import Checks, Failed
from nodes.machines import COUNT, NATS, Node
from run import Scenario
from users.peers import NodesSender, RoamingAgent
from verdict.checker import report

RESIDENTS, GUESTS, SENDERS = 6, 8, 4
# There are no registrations and no engines.
REQUIRED = [1, 2, 3, 4, 5, 7, 8, 9, 10, 12, 14, "recovery"]
# For so long nothing may be accepted, with the start that follows a move.
GAP = 15


check = Checks("migrate")


class Move(Scenario):
    """One server becomes three nodes, and one of them a server again."""

    def __init__(self, folder, arguments):
        super().__init__(folder, arguments)
        files = [folder / "server.pem", folder / "server.key"]
        lines = self.nodes[0].configuration.read_text().splitlines()
        files = [line.split(" = ")[1] for name in ("certificate", "key") for line in lines if f"tls-{name} =" in line]
        self.all = [Node(number, arguments.program, folder, None, files, is_gated=False) for number in range(COUNT)]
        self.nodes[:] = self.all[:1]
        self.world.rest = 0.02
        self.paused = {}

    def store(self):
        ways = ", ".join(f"tls://bellwire:{self.servers.password}@127.0.0.1:{NATS + place}" for place in range(COUNT))
        return f"store = {ways}\nstore-authorities = {self.folder / 'nats/ca.pem'}\n"

    def enter(self, node):
        with node.configuration.open("a") as file:
            file.write(self.store() + f"node = {node.name}\n")

    def leave(self, node):
        lines = node.configuration.read_text().splitlines(keepends=True)
        node.configuration.write_text("".join(line for line in lines if not re.match("store|node", line)))

    async def ask(self, *words, status=0):
        """What the program says."""
        process = await asyncio.create_subprocess_exec(
            self.arguments.program,
            *map(str, words),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=self.nodes[0].environment(),
        )
        said, errors = (text.decode() for text in await asyncio.wait_for(process.communicate(), 60))
        check(process.returncode == status, f"{' '.join(map(str, words))}: {process.returncode}: {said}{errors}")
        return said + errors

    async def move(self, kind, *words):
        self.log.note("fault", kind=kind)
        said = await self.ask("migrate", "--config", self.nodes[0].configuration, "--json", *words)
        self.log.note("healed")
        self.paused[kind] = json.loads(said.splitlines()[-1])["paused_ms"]
        check('"step":"finishing"' in said and '"percent":100' in said, f"{kind}: the progress is shown: {said}")
        check(await self.nodes[0].is_healthy(20), f"{kind}: the server is well again")
        self.log.note("usable")

    async def begin(self):
        await self.servers.begin()
        await self.nodes[0].begin()
        check(await self.nodes[0].is_healthy(30), "the server starts")
        await self.balancer.begin()
        self.spawn(self.balancer.look())
        self.spawn(self.log.watch_delays())
        self.spawn(self.acts.watch(lambda: self.world.is_over))

    async def play(self):
        for number in range(RESIDENTS + GUESTS):
            self.spawn(RoamingAgent(self.world, 1 + number % 3, number < RESIDENTS).run())
        for _ in range(SENDERS):
            self.spawn(NodesSender(self.world).run())
        await asyncio.sleep(2)
        await self.refuse_early()
        self.enter(self.nodes[0])
        await self.move("move-in")
        await self.join()
        await asyncio.sleep(2)
        await self.back_up()
        await self.part()
        self.leave(self.nodes[0])
        await self.move("move-out", "--to", "sqlite", "--remove")
        await asyncio.sleep(2)
        await self.world.calm(8)
        self.world.is_over = True
        await self.restore()

    async def refuse_early(self):
        """The configuration has to come first, or the next start would not find the store."""
        other = self.folder / "other.conf"
        other.touch(mode=0o600)
        other.write_text(self.nodes[0].configuration.read_text() + self.store() + "node = other\n")
        said = await self.ask("migrate", "--config", other, status=3)
        check("does not name the cluster yet" in said, said)
        said = await self.ask("migrate", "--state", self.nodes[0].state, "--to", "sqlite", status=3)
        check("is there already" in said, said)

    async def join(self):
        """Nodes start with empty folders."""
        for node in self.all[1:]:
            self.enter(node)
            await node.begin()
            check(await node.is_healthy(30), f"{node.name} joins")
            self.nodes.append(node)

    async def back_up(self):
        await asyncio.sleep(0.5)
        self.kept = self.world.live()
        backup = self.folder / "node.backup"
        await self.ask("backup", "--config", self.nodes[1].configuration, "--with-keys", backup)
        self.kept = [one for one in self.kept if not one.is_ending]
        check("is whole" in await self.ask("backup", "--verify", backup), "the backup of a node is whole")
        self.restored = self.folder / "restored"
        await self.ask("restore", "--state", self.restored, backup)
        self.conf = self.folder / "restored.conf"
        self.conf.touch(mode=0o600)
        node = self.all[2]
        self.conf.write_text(
            node.configuration.read_text()
            .replace(str(node.state), str(self.restored))
            .replace(f"keys = {self.folder / 'keys'}", f"keys = {self.restored / 'keys'}")
        )
        said = await self.ask("migrate", "--config", self.conf, status=4)
        check("already have the store of a cluster" in said, said)

    async def part(self):
        """The others end, in order. Until then, nothing moves back."""
        self.leave(self.nodes[0])
        said = await self.ask("migrate", "--config", self.nodes[0].configuration, status=3)
        check("node2" in said and "node3" in said, said)
        for node in self.all[1:]:
            self.log.note("fault", kind="part")
            self.log.note("node-kill", n=node.number)
            self.nodes.remove(node)
            code = await node.end(signal.SIGTERM)
            self.log.note("node-ended", n=node.number, code=code)
            self.log.note("healed")
            check(await self.nodes[0].is_healthy(20), "the last node is well")
            self.log.note("usable")
        await asyncio.sleep(6)

    async def restore(self):
        """The backup becomes a cluster again, on servers that have none now."""
        await self.nodes[0].end(signal.SIGTERM)
        said = await self.ask("migrate", "--config", self.conf)
        check("nodes can start now" in said, said)
        node = self.all[2]
        shutil.copy(self.conf, node.configuration)
        node.state = self.restored
        await node.begin()
        check(await node.is_healthy(30), "the restored node starts")
        self.nodes[:] = [node]
        statuses = await self.answers(node)
        check(statuses[201] and not statuses[404] and not statuses[410], f"endpoints live on: {dict(statuses)}")
        said = await self.ask("backup", "--config", self.conf, "--with-keys", self.folder / "second.backup")
        await node.end(signal.SIGTERM)
        # A folder of a cluster is not served as a store of one machine.
        self.leave(node)
        await node.begin()
        code = await asyncio.wait_for(node.process.wait(), 20)
        check(code == 1 and "nodes of a cluster share" in node.said.read_text(), node.said.read_text()[-400:])
        said = await self.ask(*self.offline(node), "--to", "sqlite", "--remove")
        await node.begin()
        check(await node.is_healthy(30), "it is served as a store of one machine again")
        statuses = await self.answers(node)
        check(statuses[201] and not statuses[404] and not statuses[410], f"endpoints live on: {dict(statuses)}")

    def offline(self, node):
        name, servers = self.store().splitlines()[0].split(" = ")
        return (
            *("migrate", "--config", node.configuration, "--store", servers, "--node", node.name),
            *("--store-authorities", self.folder / "nats/ca.pem"),
        )

    async def answers(self, node):
        client, found = Client(node.port), collections.Counter()
        for one in self.kept[:40]:
            status, _ = await client.ask("POST", f"/wpush/v1/{one.token}", [("TTL", 60)], b"")
            found[status] += 1
        client.close()
        return found

    async def end(self):
        self.nodes[:] = self.all
        await super().end()


def gaps(story):
    """The longest time without an accepted push in each move."""
    accepted = sorted(push.done for push in story.pushes.values() if push.status == 201)
    for kind, begin, _, usable in story.faults:
        row = [time for time in accepted if begin - 1 <= time <= usable + 5]
        yield kind, max((after - before for before, after in zip(row, row[1:])), default=0)


def judge(folder, move):
    story, findings = rules.check(events.read(folder / "cluster.log"))
    statuses = collections.Counter(str(push.status) for push in story.pushes.values())
    known = [push for push in story.pushes.values() if push.status and 400 <= push.status < 500]
    print(f"migrate: {dict(statuses)}, {check.passed} checks")
    for kind, gap in gaps(story):
        findings.check("recovery", gap <= GAP, lambda: f"{kind}: nothing was accepted for {gap:.1f} s")
        if kind in move.paused:
            print(f"migrate: {kind}: nothing was stored for {move.paused[kind]} ms, accepted for {gap:.1f} s")
    print(f"migrate: {len(known)} refusals of endpoints that had ended, or of a full backlog")
    return report(findings, REQUIRED)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--keep", type=pathlib.Path)
    # The first node is one machine before, whose clock nobody compares.
    arguments = parser.parse_args(namespace=argparse.Namespace(without=["clocks"]))
    arguments.program = str(pathlib.Path(arguments.program).resolve())
    random.seed(arguments.seed)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as temporary:
        folder = (arguments.keep or pathlib.Path(temporary)).resolve()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        move = Move(folder, arguments)
        try:
            asyncio.run(move.run())
        except Failed as failure:
            print(failure)
            return 1
        is_good = judge(folder, move)
    print(f"migrate: seed {arguments.seed}, {time.monotonic() - began:.0f} s: " + ("good" if is_good else "FAILED"))
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
