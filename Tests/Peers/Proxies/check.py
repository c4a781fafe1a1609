"""The samples in deploy for nginx, Caddy, Apache and HAProxy, in front of bellwire: push, WebSocket, sub-path, logs.

usage: check.py PATH_OF_BELLWIRE [--silence SECONDS] [PROXY...]

All of them run at once. A WebSocket is silent for 20 seconds, or for 3 minutes with --silence 180.
"""

import argparse
import asyncio
import glob
import json
import os
import subprocess
import sys
import tempfile
import time

sys.path.append(__file__.rsplit("/", 3)[0])

from client import CLAIMED, SEEN, Client, judged, silence, stranger, use
from kit.certificate import certificate, free_port
from kit.checks import Checks
from proxies import ALL, SITE, Place
from running import proxy, served, wait_for


async def trial(bellwire, name, path, folder, seconds):
    check = Checks(f"proxies: {name} {path or 'with a name of its own'}")
    certificate(folder)
    port, backend = free_port(), free_port()
    client = Client(f"https://localhost:{port}{path}", f"{folder}/chain.pem")
    arguments = ALL[name](Place(folder, port, f"127.0.0.1:{backend}"), path)
    options = ["--base-url", client.base, "--listen", f"http://127.0.0.1:{backend} trusted-proxies=127.0.0.1"]
    with served([bellwire, "serve"], f"{folder}/state", folder, options) as server, proxy(arguments, folder) as front:
        await asyncio.to_thread(wait_for, check.name, ("127.0.0.1", port), front)
        devices = [bellwire, "device", "--state", f"{folder}/state", "--json"]
        added = subprocess.run([*devices[:2], "add", "test", *devices[2:]], check=True, capture_output=True)
        agent, secrets = await use(client, json.loads(added.stdout)["bearer"], check)
        quiet = asyncio.create_task(silence(agent, seconds, check))
        await stranger(client, check, lambda text: bool(path) and text in (SITE.encode(), b""))
        await quiet
        listed = subprocess.run([*devices[:2], "list", *devices[2:]], check=True, capture_output=True)
        check(b"stranger" not in listed.stdout, "a stranger has added no device")
        server.terminate()
        check(await asyncio.to_thread(server.wait, 30) == 0, "bellwire ends in good order")
        status, _, _ = await asyncio.to_thread(client.ask, "POST", agent.endpoint, b"", TTL="1")
        check(status in (502, 503), f"senders are told to try again while bellwire is away: {status}")
    logs(folder, secrets, check)
    return check.passed


def logs(folder, secrets, check):
    names = [name for name in glob.glob(f"{folder}/*") if name.endswith(".log")]
    for name in names:
        text = open(name).read()
        for secret in secrets:
            check(secret not in text, f"{os.path.basename(name)} has no endpoint, message or device in it")
    text = open(f"{folder}/bellwire.log").read()
    check(f"client={SEEN}" in text, "bellwire is told who the client is")
    check(CLAIMED not in text, "no client can say who it is")
    kept = "".join(open(name).read() for name in names if not name.endswith("bellwire.log"))
    check("/wpush/" not in kept and "/u/" not in kept, "requests to endpoints are not logged")


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bellwire")
    parser.add_argument("--silence", type=float, default=20)
    parser.add_argument("proxy", nargs="*", help=", ".join(ALL))
    options = parser.parse_intermixed_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        trials = []
        for name in options.proxy or ALL:
            for path in ["", "/push"]:
                own = f"{folder}/{name}{path.replace('/', '-')}"
                os.mkdir(own)
                trials.append(trial(os.path.abspath(options.bellwire), name, path, own, options.silence))
        results = await asyncio.gather(*trials, return_exceptions=True)
    passed = judged(results)
    count = len(results) // 2
    print(f"proxies: {passed} checks passed with {count} proxies, silent for {options.silence:.0f} s, ", end="")
    print(f"in {time.monotonic() - began:.0f} s")


asyncio.run(main())
