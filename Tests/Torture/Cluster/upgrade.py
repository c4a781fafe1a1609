"""The nodes of a cluster get another build of the program one after the other, while the others serve.

usage: upgrade.py FROM TO [--keep FOLDER]
"""

import asyncio
import json
import subprocess
import sys

sys.path.append(__file__.rsplit("/", 3)[0])
sys.path.append(f"{sys.path[-1]}/Torture/Promise")

from kit.checks import Failed
from unbroken import check, with_cluster


def version(program):
    return subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.split()[1]


async def running(cluster, node):
    said, code = await cluster.say(node, "check", "--live", "--json")
    check(code == 0, said)
    return json.loads(said)["version"]


async def play(cluster, other):
    for node in cluster.nodes:
        command = [cluster.program, "keys", "new", "master", cluster.keys(node) / "master.json"]
        if node is cluster.nodes[0]:
            subprocess.run(command, check=True, capture_output=True)
        else:
            key = (cluster.keys(cluster.nodes[0]) / "master.json").read_bytes()
            path = cluster.keys(node) / "master.json"
            path.touch(mode=0o600)
            path.write_bytes(key)
    await cluster.begin()
    await cluster.push()
    await asyncio.sleep(3)
    former, next_one = version(cluster.program), version(other)
    for count, node in enumerate(cluster.nodes, 1):
        await cluster.restart(node, other)
        # Nodes of both builds follow each other for some seconds.
        await asyncio.sleep(4)
        found = [await running(cluster, one) for one in cluster.nodes]
        check(found == count * [next_one] + (3 - count) * [former], f"the nodes run {found}")
    # And back again.
    await cluster.restart(cluster.nodes[0], cluster.program)
    await asyncio.sleep(2)
    await cluster.stop_pushing()
    await cluster.compare()
    messages = await cluster.collect()
    print(
        f"upgrade: {former} to {next_one}: {cluster.pushes} pushes, each answered with 201, the slowest after "
        f"{cluster.slowest:.2f} s; {messages} messages arrived, each once"
    )


def main():
    try:
        with_cluster(play, "other")
    except Failed as failure:
        sys.exit(f"upgrade: FAILED: {failure}")


if __name__ == "__main__":
    main()
