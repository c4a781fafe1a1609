"""Files that come with messages of topics are at every node of a cluster, also when the node that took them is gone.

usage: files.py PROGRAM [--keep FOLDER]
"""

import asyncio
import json
import random
import shutil
import sys
import time

sys.path.append(__file__.rsplit("/", 3)[0])
sys.path.append(f"{sys.path[-1]}/Torture/Promise")

from clients.sender import Client, Closed
from keys import make_key
from kit.checks import Checks, Failed
from kit.coding import path_of
from unbroken import with_cluster

# What is read is as long as one answer; the other one has many chunks.
SIZE, LONG = 1 << 20, 15_000_000
SOON = 30

check = Checks("files")


async def ask(node, *words):
    client = Client(node.port)
    try:
        return await client.ask(*words)
    finally:
        client.close()


async def upload(node, bearer, content):
    """The path of the file."""
    fields = [("Authorization", f"Bearer {bearer}"), ("Filename", "a.bin")]
    status, answer = await ask(node, "PUT", "/files", fields, content)
    check(status == 200, f"{node.name} takes a file: {status} {answer.get('body')}")
    return path_of(json.loads(answer["body"])["attachment"]["url"])


async def read(node, path, content, what):
    status, answer = await ask(node, "GET", path)
    check(status == 200 and answer["body"] == content, f"{node.name} gives the file {what}: {status}")


async def has(node, count):
    """Until its folder has so many whole files."""
    end = time.monotonic() + SOON
    while True:
        names = [one.name for one in (node.state / "files").glob("*") if one.suffix != ".new"]
        if len(names) == count:
            return
        check(time.monotonic() < end, f"{node.name} has {names}")
        await asyncio.sleep(0.05)


async def token(cluster, node):
    said, code = await cluster.say(node, "token", "add", "files", "--json")
    check(code == 0, said)
    return json.loads(said)["token"]


async def play(cluster):
    first, second, third = cluster.nodes
    make_key(cluster.program, cluster.folder / "master.json")
    for node in cluster.nodes:
        shutil.copy(cluster.folder / "master.json", cluster.keys(node) / "master.json")
    await cluster.begin()
    bearer = await token(cluster, first)
    content, long = random.randbytes(SIZE), random.randbytes(LONG)
    path = await upload(first, bearer, content)
    await read(second, path, content, "at once")
    await has(third, 1)
    await first.end()
    for node in (second, third):
        await read(node, path, content, "of a node that was killed")
    began = time.monotonic()
    await upload(second, bearer, long)
    await has(third, 2)
    took = time.monotonic() - began
    # The killed one comes back, once with what it had and once with nothing.
    await cluster.start(first)
    await has(first, 2)
    await first.end()
    shutil.rmtree(first.state)
    await cluster.start(first)
    await has(first, 2)
    await second.end()
    await read(first, path, content, "from a new disk")
    folders = [{one.name: one.read_bytes() for one in (node.state / "files").iterdir()} for node in (first, third)]
    check(folders[0] == folders[1], "they lie on the disks as they came")
    return took


def main():
    try:
        took = with_cluster(play)
    except (Failed, Closed) as failure:
        sys.exit(f"files: {failure!r}" if isinstance(failure, Closed) else str(failure))
    print(f"files: {check.passed} checks; 15 MB were at another node {took:.1f} s after they were sent")


if __name__ == "__main__":
    main()
