"""The samples in deploy for nginx, Caddy, Apache and HAProxy, in front of bellwire: push, WebSocket, sub-path, logs.

usage: check.py PATH_OF_BELLWIRE [--silence SECONDS] [PROXY...]

All of them run at once. A WebSocket is silent for 20 seconds, or for 3 minutes with --silence 180.
"""

import argparse
import asyncio
import glob
import os
import sys
import tempfile
import time

sys.path.append(__file__.rsplit("/", 3)[0])

from client import CLAIMED, SEEN, Client, judged, silence, stranger, use
from kit.certificate import certificate, free_port
from kit.checks import Checks
from kit.process import wait_for
from kit.server import Server
from proxies import ALL, SITE, Place, proxy


class Behind(Server):
    """A bellwire behind a proxy. It logs each request."""

    def __init__(self, program, folder, base):
        super().__init__(program, folder, "--base-url", base, "--registration", "token", "--access-log", "yes")
        self.port, self.log = free_port(), self.folder / "bellwire.log"

    @property
    def address(self):
        return f"{super().address} trusted-proxies=127.0.0.1"


async def trial(bellwire, name, path, folder, seconds):
    check = Checks(f"proxies: {name} {path or 'with a name of its own'}")
    certificate(folder)
    port = free_port()
    client = Client(f"https://localhost:{port}{path}", f"{folder}/chain.pem")
    server = Behind(bellwire, folder, client.base)
    arguments = ALL[name](Place(folder, port, f"127.0.0.1:{server.port}"), path)
    with server, proxy(arguments, folder) as front:
        await asyncio.to_thread(wait_for, check.name, ("127.0.0.1", port), front)
        agent, secrets = await use(client, server.tell("device", "add", "test")["bearer"], check)
        quiet = asyncio.create_task(silence(agent, seconds, check))
        await stranger(client, check, lambda text: bool(path) and text in (SITE.encode(), b""))
        await quiet
        check("stranger" not in server.run("device", "list", "--json"), "a stranger has added no device")
        await asyncio.to_thread(server.stop)
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
