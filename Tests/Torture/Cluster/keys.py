"""A cluster gets another master key while all nodes serve.

usage: keys.py PROGRAM [--keep FOLDER]
"""

import asyncio
import json
import shutil
import signal
import subprocess
import sys

sys.path.append(__file__.rsplit("/", 3)[0])
sys.path.append(f"{sys.path[-1]}/Torture/Promise")

from kit.checks import Failed
from unbroken import check, sealing_keys, with_cluster

ROTATE = ("keys", "rotate-master")


def make_key(program, path):
    said = subprocess.run([program, "keys", "new", "master", path, "--json"], check=True, capture_output=True).stdout
    return json.loads(said)["id"]


async def read_again(cluster, node):
    """Until its heartbeats say that it has the key."""
    node.send(signal.SIGHUP)
    await asyncio.sleep(3)
    check(await node.health() == 200, f"{node.name} is well after it has read its keys again")


async def refusals(cluster, next_key):
    first, second, third = cluster.nodes
    said, code = await cluster.say(first, *ROTATE)
    check(code != 0 and "put the new key onto each node first" in said, said)
    for node in (first, second):
        shutil.copy(next_key, cluster.keys(node) / "master-next.json")
        await read_again(cluster, node)
    said, code = await cluster.say(first, *ROTATE)
    check(code != 0 and "these nodes do not have the key of master-next.json: node3;" in said, said)
    check("node2" not in said, said)
    said, code = await cluster.say(third, *ROTATE)
    check(code != 0 and "put the new key onto each node first" in said, said)


async def rotate(cluster, former, key):
    for node in cluster.nodes:
        check(set(sealing_keys(node.state / "bellwire.db")) == {former}, f"{node.name}: nothing has changed yet")
    said, code = await cluster.say(cluster.nodes[1], *ROTATE)
    check(code == 0 and "nothing is sealed under the former key any more" in said, said)
    # The others read every two seconds whether it is over.
    await asyncio.sleep(3)
    for node in cluster.nodes:
        found = sealing_keys(node.state / "bellwire.db")
        check(set(found) == {key}, f"{node.name}: {found}")
        check(len(found[key]) >= 6, f"{node.name}: too little is sealed: {found}")
    said, code = await cluster.say(cluster.nodes[0], *ROTATE)
    check(code != 0 and "in use already" in said, said)


async def without_former(cluster):
    """Nodes that have no former key begin with what they have, and with nothing."""
    for node in cluster.nodes:
        keys = cluster.keys(node)
        (keys / "master-next.json").rename(keys / "master.json")
        if node is cluster.nodes[2]:
            shutil.rmtree(node.state)
        await cluster.restart(node)


async def with_former_only(cluster, former_key):
    node = cluster.nodes[2]
    await node.end(signal.SIGTERM)
    keys = cluster.keys(node) / "master.json"
    new = keys.read_bytes()
    keys.write_bytes(former_key.read_bytes())
    node.said.write_text("")
    await node.begin()
    code = await asyncio.wait_for(node.process.wait(), 30)
    said = node.said.read_text()
    check(code != 0 and "which this node does not have" in said and "hint: put the file" in said, said)
    keys.write_bytes(new)
    await cluster.start(node)


async def play(cluster):
    program, folder = cluster.program, cluster.folder
    former = make_key(program, folder / "master.json")
    key = make_key(program, folder / "master-next.json")
    for node in cluster.nodes:
        shutil.copy(folder / "master.json", cluster.keys(node) / "master.json")
    await cluster.begin()
    await cluster.push()
    await asyncio.sleep(4)
    await refusals(cluster, folder / "master-next.json")
    shutil.copy(folder / "master-next.json", cluster.keys(cluster.nodes[2]) / "master-next.json")
    await read_again(cluster, cluster.nodes[2])
    await rotate(cluster, former, key)
    count, slowest = cluster.pushes, cluster.slowest
    await without_former(cluster)
    await cluster.stop_pushing()
    await with_former_only(cluster, folder / "master.json")
    await cluster.compare()
    messages = await cluster.collect()
    print(f"keys: {count} pushes until the key was changed, each answered with 201, the slowest after {slowest:.2f} s")
    print(f"keys: {cluster.pushes} pushes in all; {messages} messages arrived, each once")


def main():
    try:
        with_cluster(play)
    except Failed as failure:
        sys.exit(str(failure))


if __name__ == "__main__":
    main()
