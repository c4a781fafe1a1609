"""What a push costs a cluster with few and with many subscriptions, and what these take of memory, disk and time.

Pushes go to subscriptions from all parts of the store, in turns.
"""

import asyncio
import json
import pathlib
import re
import statistics
import time

from cluster_pushes import LOADS, stored
from installation import Installation

SIZES = (1_000, 10_000, 100_000, 1_000_000)
# So many of them get pushes.
TARGETS = 5_000


def growth(place, bars, terms):
    print("\na node with many subscriptions, whose store was moved from SQLite, and a new node with an empty folder")
    rows = []
    for size in [size for size in SIZES if not terms.is_trial] or SIZES[:1]:
        rows.append({"subscriptions": size, "rounds": terms.rounds} | asyncio.run(measure(place, terms, size)))
        show(rows[-1])
    few, many = rows[0], rows[-1]
    for load in ("alone", "many"):
        name = f"cluster: {load}: CPU of a push, {many['subscriptions']:,} subscriptions to {few['subscriptions']:,}"
        bars.check(name, many[f"{load}_us"] / few[f"{load}_us"], 1.5)
    return {"growth": rows}


def show(row):
    print(
        f"      {row['subscriptions']:9,}  {row['alone_us']:6.1f} us alone {row['many_us']:6.1f} us of many"
        f"  p50 {row['p50_ms']:.2f} ms  {row['rss_mib']:6.1f} MiB RSS  {row['store_mib']:7.1f} MiB on the disk\n"
        f"      {'':9}  moved in {row['move_s']:.1f} s, nothing stored for {row['paused_ms']:.0f} ms;"
        f" a new node is ready after {row['join_s']:.1f} s; each server of NATS {row['nats_mib']:.0f} MiB RSS,"
        f" {row['nats_disk_mib']:.0f} MiB on the disk",
        flush=True,
    )


async def measure(place, terms, size):
    async with Installation(place, 1, True, is_moved=True) as installation:
        folder, agents = installation.folder, installation.folder / "agents"
        made = ("--state", folder / "node1", "--keys", folder / "keys", "--endpoints", size, "--messages", 0)
        await asyncio.to_thread(place.tool, "fill", *made, f"agents={agents}")
        thin(agents)
        node = await installation.add_node(None)
        found = await move(installation, node)
        found["store_mib"] = megabytes(node.state, "bellwire.db*")
        for load in ("alone", "many"):
            runs = [await stored(installation, terms, agents, **LOADS[load]) for _ in range(terms.rounds)]
            found[f"{load}_us"] = statistics.median(run["taker_us"] for run in runs)
        found["p50_ms"] = (await stored(installation, terms, agents, **LOADS["pace"]))["p50_ms"]
        found["rss_mib"] = memory(node)
        found["nats_mib"] = max(map(memory, installation.servers.all))
        found["nats_disk_mib"] = megabytes(folder / "nats/1", "**/*")
        began = time.monotonic()
        await installation.add_node(installation.servers, patience=300)
        return {name: round(value, 2) for name, value in (found | {"join_s": time.monotonic() - began}).items()}


def thin(agents):
    """Leaves every so many of the subscriptions, because the load program reads no larger file."""
    lines = agents.read_text().splitlines(keepends=True)
    agents.write_text("".join(lines[:: max(1, len(lines) // TARGETS)]))


async def move(installation, node):
    """How long a move took, and for how many milliseconds nothing could be stored."""
    installation.enter(node)
    began = time.monotonic()
    process = await asyncio.create_subprocess_exec(
        *(installation.place.bellwire, "migrate", "--config", node.configuration, "--json"),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    said, errors = await asyncio.wait_for(process.communicate(), 300)
    if process.returncode != 0:
        raise SystemExit(f"bench: bellwire migrate: {errors.decode()}")
    seconds = time.monotonic() - began
    await installation.wait_for(node)
    return {"move_s": seconds, "paused_ms": json.loads(said.splitlines()[-1])["paused_ms"]}


def memory(machine):
    status = pathlib.Path(f"/proc/{machine.process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024


def megabytes(folder, pattern):
    return sum(path.stat().st_blocks * 512 for path in folder.glob(pattern) if path.is_file()) / 2**20
