"""What a stored push costs on one server with SQLite, and on one and three nodes over three servers of NATS.

Everything runs on the same cores: the nodes, the servers and the load. So three nodes are not faster than one here.
"""

import argparse
import asyncio
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tools/lib"), str(ROOT / "Tests/Torture/Cluster"), str(ROOT / "Tests/Torture/Promise")]

import figures  # noqa: E402
from authority import Authority  # noqa: E402
from machines import NatsServers, Node  # noqa: E402
from websocket import WebSocket  # noqa: E402

# How many nodes each has, and whether they share their store.
SETUPS = {"sqlite": (1, False), "one node": (1, True), "three nodes": (3, True)}
DEVICES, CHANNELS, SENDERS, SIZE = 40, 4, 32, 200
# How many pushes a second, when their latency is measured.
PACE = 200
TICK = os.sysconf("SC_CLK_TCK")


class Registrant:
    """Registers channels, and leaves."""

    def __init__(self):
        self.endpoints, self.done = [], asyncio.get_running_loop().create_future()

    def opened(self):
        self.socket.tell(messageType="hello", use_webpush=True)

    def refused(self, status):
        self.done.set_exception(SystemExit(f"bench: no device: {status}"))

    def text(self, message, _):
        if message["messageType"] == "register":
            self.endpoints.append("/wpush/v1/" + message["pushEndpoint"].rsplit("/", 1)[1])
        if len(self.endpoints) == CHANNELS:
            return self.done.set_result(self.endpoints)
        channel = f"00000000-0000-4000-8000-{len(self.endpoints):012}"
        self.socket.tell(messageType="register", channelID=channel)

    def closed(self, _):
        if not self.done.done():
            self.done.set_exception(SystemExit("bench: a node closed the connection"))


async def control(node, method, path, body):
    reader, writer = await asyncio.open_unix_connection(str(node.state / "control.sock"))
    data = json.dumps(body).encode()
    head = f"{method} /api/v1/{path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    writer.write(f"{head}Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data)
    answer = (await reader.read()).partition(b"\r\n\r\n")[2]
    writer.close()
    return json.loads(answer)


async def register(node):
    """Endpoints of devices that are not connected."""
    found = []
    for number in range(DEVICES):
        device = await control(node, "POST", "devices", {"name": f"bench {number}"})
        peer = Registrant()
        peer.socket = await WebSocket.connect(peer, node.port, "/u/" + device["bearer"])
        found += await asyncio.wait_for(peer.done, 30)
        peer.socket.close()
    return found


class Line:
    """A connection of a sender."""

    def __init__(self, node, endpoints, chance):
        self.node, self.endpoints, self.chance = node, endpoints, chance

    async def begin(self):
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.node.port)
        return self

    async def push(self):
        body = self.chance.randbytes(SIZE)
        head = f"POST {self.chance.choice(self.endpoints)} HTTP/1.1\r\nHost: 127.0.0.1:{self.node.port}\r\n"
        head += f"TTL: 3600\r\nContent-Encoding: aes128gcm\r\nContent-Length: {SIZE}\r\n\r\n"
        self.writer.write(head.encode() + body)
        answer = await self.reader.readuntil(b"\r\n\r\n")
        if not answer.startswith(b"HTTP/1.1 201"):
            raise SystemExit(f"bench: a push was refused: {answer.decode()}")


def processor(machines):
    """Seconds that these processes have used."""
    seconds = 0
    for machine in machines:
        words = pathlib.Path(f"/proc/{machine.process.pid}/stat").read_text().rpartition(")")[2].split()
        seconds += (int(words[11]) + int(words[12])) / TICK
    return seconds


async def at_full_speed(lines, seconds, nodes, servers):
    end, count = time.monotonic() + seconds, 0

    async def run(line):
        nonlocal count
        while time.monotonic() < end:
            await line.push()
            count += 1

    before, began = (processor(nodes), processor(servers)), time.monotonic()
    await asyncio.gather(*map(run, lines))
    took, used = time.monotonic() - began, (processor(nodes) - before[0], processor(servers) - before[1])
    return {"rate": count / took, "cpu_us": used[0] / count * 1e6, "nats_us": used[1] / count * 1e6}


async def at_a_pace(lines, seconds):
    """What waits for a free connection takes longer."""
    free, found = asyncio.Queue(), []
    for line in lines:
        free.put_nowait(line)

    async def one(planned):
        line = await free.get()
        await line.push()
        found.append(time.monotonic() - planned)
        free.put_nowait(line)

    tasks, began = [], time.monotonic() + 0.1
    for number in range(int(seconds * PACE)):
        planned = began + number / PACE
        await asyncio.sleep(max(0, planned - time.monotonic()))
        tasks.append(asyncio.ensure_future(one(planned)))
    await asyncio.gather(*tasks)
    found.sort()
    return {"p50_ms": found[len(found) // 2] * 1e3, "p99_ms": found[int(len(found) * 0.99)] * 1e3}


async def measure(name, arguments, folder):
    count, is_shared = SETUPS[name]
    (folder / "keys").mkdir(mode=0o700)
    made = [arguments.bellwire, "keys", "new", "master", folder / "keys/master.json"]
    subprocess.run(made, check=True, capture_output=True)
    files = Authority(folder).certify("127.0.0.1", "server")
    servers = NatsServers(folder) if is_shared else None
    nodes = [Node(number, arguments.bellwire, folder, servers, files, False) for number in range(count)]
    machines = [*nodes, *(servers.all if servers else [])]
    try:
        if servers:
            await servers.begin()
        for node in nodes:
            await node.begin()
            if not await node.is_healthy(60):
                raise SystemExit(f"bench: {node.name} does not start: {node.said.read_text()[-1000:]}")
        endpoints = await register(nodes[0])
        # The other nodes hear of them.
        await asyncio.sleep(1)
        chance = random.Random(1)
        lines = [await Line(nodes[n % count], endpoints, chance).begin() for n in range(SENDERS)]
        await at_full_speed(lines, 0.5, nodes, machines[count:])
        found = await at_full_speed(lines, arguments.seconds, nodes, machines[count:])
        await asyncio.sleep(1)
        return found | await at_a_pace(lines, arguments.seconds)
    finally:
        for machine in machines:
            if machine.process and machine.process.returncode is None:
                await machine.end(within=10)


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("bellwire")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--folder", default=".build")
    parser.add_argument("--json")
    return parser.parse_args()


def main():
    arguments = parse()
    arguments.bellwire = str(pathlib.Path(arguments.bellwire).resolve())
    runs = {name: [] for name in SETUPS}
    for _ in range(arguments.rounds):
        for name in SETUPS:
            with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
                runs[name].append(asyncio.run(measure(name, arguments, pathlib.Path(folder).resolve())))
    medians = {
        name: {key: round(statistics.median(run[key] for run in row), 2) for key in row[0]}
        for name, row in runs.items()
    }
    for name, one in medians.items():
        print(
            f"{name:12} {one['rate']:8,.0f} stored pushes a second, {one['cpu_us']:6.0f} µs of Bellwire and"
            f" {one['nats_us']:6.0f} µs of NATS for each; at {PACE} a second p50 {one['p50_ms']:.2f} ms,"
            f" p99 {one['p99_ms']:.2f} ms"
        )
    if arguments.json:
        rows = [{"setup": name, "runs": runs[name]} | one for name, one in medians.items()]
        terms = {"rounds": arguments.rounds, "seconds": arguments.seconds, "senders": SENDERS, "size": SIZE}
        figures.keep("cluster", arguments.json, terms | {"pace": PACE, "setups": rows})


if __name__ == "__main__":
    main()
