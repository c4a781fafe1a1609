"""A cluster that is pushed to all the time, and in which nothing may fail."""

import argparse
import asyncio
import contextlib
import json
import os
import pathlib
import sqlite3
import tempfile
import time

from clients.authority import Authority
from clients.sender import Client
from kit.agent import Visitor
from kit.checks import Checks
from kit.coding import path_of
from nodes import asking
from nodes.machines import COUNT, NatsServers, Node

# Nodes whose commits always come too late refuse after three seconds, which would be no fault of what is tested.
REST = 0.2
ENCRYPTED = [("Content-Encoding", "aes128gcm")]


check = Checks("keys")


def text(number):
    return str(number).encode()


def note(number):
    return json.dumps({"title": "steady", "message": str(number)}).encode()


class Pusher:
    """Pushes to one node, one push after the other."""

    def __init__(self, cluster, node, path, fields, body):
        self.cluster, self.node, self.path, self.fields, self.body = cluster, node, path, fields, body
        self.is_paused, self.is_resting = False, asyncio.Event()

    async def run(self):
        client = Client(self.node.port)
        while not self.cluster.is_over:
            self.is_resting.set()
            await asyncio.sleep(REST)
            if self.is_paused:
                client.close()
                continue
            self.is_resting.clear()
            await self.push(client)

    async def push(self, client):
        self.cluster.pushes += 1
        number, began = self.cluster.pushes, time.monotonic()
        try:
            status, _ = await client.ask("POST", self.path, [("TTL", 86_400), *self.fields], self.body(number))
        except Exception as error:
            status = repr(error)
        took = time.monotonic() - began
        self.cluster.slowest = max(self.cluster.slowest, took)
        if status == 201:
            self.cluster.accepted.setdefault(self.path, []).append(number)
        else:
            self.cluster.refused.append(f"push {number} through {self.node.name}: {status} after {took:.1f} s")


class Steady:
    """Three servers of NATS and three nodes, each with a folder of its own for keys."""

    def __init__(self, folder, program):
        self.folder, self.program = folder, program
        self.pushes, self.slowest, self.accepted, self.refused = 0, 0.0, {}, []
        self.is_over, self.tasks, self.pushers = False, [], []
        self.agent = Visitor("", hello={"use_webpush": True})
        self.servers = NatsServers(folder)
        self.files = Authority(folder).certify("127.0.0.1", "server")
        self.nodes = [self.node(number) for number in range(COUNT)]

    def node(self, number):
        keys = self.folder / f"keys{number + 1}"
        keys.mkdir(mode=0o700, exist_ok=True)
        return Node(number, self.program, self.folder, self.servers, self.files, is_gated=False, keys=keys)

    def keys(self, node):
        return self.folder / f"keys{node.number + 1}"

    async def begin(self):
        await self.servers.begin()
        for node in self.nodes:
            await self.start(node)

    async def start(self, node, within=60):
        await node.begin()
        check(await node.is_healthy(within), f"{node.name} does not start: {node.said.read_text()[-1500:]}")

    async def restart(self, node, program=None):
        """Stops in order, while nobody pushes to it."""
        own = [pusher for pusher in self.pushers if pusher.node is node]
        for pusher in own:
            pusher.is_paused = True
        await asyncio.sleep(2 * REST)
        for pusher in own:
            await pusher.is_resting.wait()
        code = await node.end(15)
        check(code == 0, f"{node.name} ended with {code}")
        node.program = program or node.program
        await self.start(node)
        for pusher in own:
            pusher.is_paused = False

    async def say(self, node, *words):
        """What a command says at a node, and its exit code."""
        command = [node.program, *words, "--state", node.state]
        environment = {**os.environ, "SWIFT_BACKTRACE": "enable=no"}
        process = await asyncio.create_subprocess_exec(*command, stdout=-1, stderr=-2, env=environment)
        said, _ = await asyncio.wait_for(process.communicate(), 120)
        return said.decode(), process.returncode

    async def push(self):
        """Lets two senders push to each node from now on."""
        self.agent.url = f"ws://127.0.0.1:{self.nodes[0].port}/"
        await self.agent.visit(lambda _: True)
        check(self.agent.path, "the user agent has an endpoint")
        said, code = await self.say(self.nodes[0], "topic", "add", "steady", "--json")
        check(code == 0, said)
        webhook = path_of(json.loads(said)["endpoint"])
        # Nodes that have not heard of an address yet would ask to come again, and so would one whose servers on a busy
        # machine are just choosing who leads.
        await asyncio.sleep(3)
        for node in self.nodes:
            self.pushers.append(Pusher(self, node, self.agent.path, ENCRYPTED, text))
            self.pushers.append(Pusher(self, node, webhook, [("Content-Type", "application/json")], note))
        self.tasks = [asyncio.create_task(pusher.run()) for pusher in self.pushers]

    async def stop_pushing(self):
        self.is_over = True
        await asyncio.gather(*self.tasks)
        check(not self.refused, f"{len(self.refused)} pushes failed: {self.refused[:5]}")

    async def compare(self, within=15):
        """All stores have the same rows, once all have followed."""
        end = time.monotonic() + within
        paths = [node.state / "bellwire.db" for node in self.nodes]
        while (found := await asyncio.to_thread(asking.differences, paths)) and time.monotonic() < end:
            await asyncio.sleep(0.2)
        check(not found, f"the stores differ: {found[:3]}")

    async def collect(self):
        """The user agent gets each accepted message once."""
        expected = sorted(self.accepted[self.agent.path])
        self.agent.url = f"ws://127.0.0.1:{self.nodes[1].port}/"
        taken = await self.agent.visit(lambda taken: len(taken) >= len(expected), 60)
        check(sorted(taken) == expected, f"{len(taken)} of {len(expected)} messages arrived")
        return len(expected)

    async def end(self):
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        for machine in (*self.nodes, *self.servers.all):
            if machine.process and machine.process.returncode is None:
                await machine.end(within=10)


def with_cluster(play, *others):
    """Plays with a cluster of PROGRAM, the first word of the command, and with the programs that `others` names."""
    parser = argparse.ArgumentParser()
    for name in ("program", *others):
        parser.add_argument(name)
    parser.add_argument("--keep", type=pathlib.Path)
    arguments = vars(parser.parse_args())
    programs = [str(pathlib.Path(arguments[name]).resolve()) for name in ("program", *others)]

    async def run(folder):
        cluster = Steady(folder, programs[0])
        try:
            return await play(cluster, *programs[1:])
        finally:
            await cluster.end()

    with tempfile.TemporaryDirectory() as temporary:
        folder = (arguments["keep"] or pathlib.Path(temporary)).resolve()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return asyncio.run(run(folder))


# Under a key of its owner, which itself is sealed under the master key.
SEALED_OTHERWISE = {"topic_message", "topic_scheduled", "topic_file", "topic_picture"}


def sealing_keys(path):
    """The ids of the master keys under which something in a store is sealed, with the columns."""
    found = {}
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=5)) as store:
        tables = [name for (name,) in store.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in set(tables) - SEALED_OTHERWISE:
            columns = [row[1] for row in store.execute(f'PRAGMA table_info("{table}")')]
            for column in (name for name in columns if name.startswith("sealed")):
                for (start,) in store.execute(f'SELECT DISTINCT substr("{column}", 2, 8) FROM "{table}"'):
                    found.setdefault(start.hex(), set()).add(f"{table}.{column}")
    return found
