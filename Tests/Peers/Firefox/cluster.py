"""Debian's Firefox and a cluster of three nodes: when the node that it is connected to is killed, it stays subscribed.

usage: cluster.py PATH_OF_BELLWIRE

Firefox and the sender reach the nodes through a balancer for TCP, which sends new connections to nodes that are well.
"""

import asyncio
import collections
import os
import pathlib
import random
import sys
import tempfile
import threading
import time

sys.path.append(__file__.rsplit("/", 3)[0])
sys.path += [f"{sys.path[-1]}/Torture/Promise", f"{sys.path[-1]}/Torture/Cluster"]

import requests
from browser import Firefox
from kit import control
from kit.checks import Checks
from nodes.gates import Balancer
from nodes.machines import BALANCER, COUNT, NatsServers, Node
from page import Page, Proxy
from sender import Sender

# A browser waits for some seconds before it connects again, and longer each time.
SOON = 60
URL = f"https://localhost:{BALANCER}"


check = Checks("firefox: a cluster")


class Cluster:
    """The machines, on a loop in a thread of their own."""

    def __init__(self, bellwire, folder):
        self.folder = folder
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self.servers = NatsServers(folder)
        self.nodes = [Node(number, bellwire, folder, self.servers, ("", ""), is_gated=False) for number in range(COUNT)]
        for node in self.nodes:
            lines = node.configuration.read_text().splitlines(keepends=True)
            # The first node makes a certificate, which all use.
            node.configuration.write_text("".join(line for line in lines if not line.startswith("tls-")))
        self.balancer = Balancer(BALANCER, self.nodes, random.Random(1))
        self.authority, self.certificate = (folder / f"keys/development-{name}.pem" for name in ("ca", "tls"))

    def run(self, coroutine, within=120):
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(within)

    def start(self):
        self.run(self.servers.begin())
        for node in self.nodes:
            self.begin(node)
        self.run(self.balancer.begin())
        asyncio.run_coroutine_threadsafe(self.balancer.look(), self.loop)

    def begin(self, node):
        self.run(node.begin())
        check(self.run(node.is_healthy(60)), f"{node.name} starts: {node.said.read_text()[-1000:]}")

    def user_agents(self, node):
        """How many are connected to it."""
        if not node.is_up:
            return 0
        return control.ask(node.state / "control.sock", "GET", "overview")["user_agents"]

    def node_of_browser(self):
        deadline = time.monotonic() + SOON
        while True:
            counts = [self.user_agents(node) for node in self.nodes]
            if sorted(counts) == [0, 0, 1]:
                return self.nodes[counts.index(1)]
            check(time.monotonic() < deadline, f"the browser is connected to one node: {counts}")
            time.sleep(0.1)

    def end(self):
        for machine in (*self.nodes, *self.servers.all):
            if machine.process and machine.process.returncode is None:
                self.run(machine.end())


class Run:
    def __init__(self, bellwire, folder):
        self.cluster = Cluster(bellwire, folder)
        self.bellwire, self.folder = bellwire, folder
        self.firefox, self.proxy, self.accepted = None, Proxy(), collections.Counter()

    def push(self):
        """Again, as a sender does, until a node takes it."""
        body = os.urandom(100)
        deadline = time.monotonic() + SOON
        while True:
            # No connection stays.
            sender = Sender(self.bellwire, self.folder, self.cluster.authority)
            try:
                status = sender.pywebpush(self.subscription, body)
            except requests.ConnectionError:
                status = 0
            sender.session.close()
            check(status in (0, 201, 503), f"a push: {status}")
            if status == 201:
                break
            check(time.monotonic() < deadline, "a push is accepted in time")
            time.sleep(0.3)
        self.accepted["open", "message", body] += 1

    def check_arrived(self, when):
        self.page.wait_for(self.accepted, SOON)
        # Who was killed before it noted that a message had arrived sends it again, under its id.
        check(set(self.page.seen) == set(self.accepted), f"{when}: {self.page.seen} of {self.accepted}")
        now = self.firefox.marionette.run("subscription(given[0])", "open")
        check(now == self.subscription, f"{when}: the subscription has not changed")

    def start(self):
        self.cluster.start()
        self.page = Page(self.cluster.certificate)
        self.firefox = Firefox(self.folder, self.cluster.authority)
        self.firefox.make_profile(URL.replace("https", "wss"), self.proxy.server.server_port)
        self.firefox.start()
        self.firefox.marionette.open(self.page.url)
        self.subscription = self.firefox.marionette.run("subscribe('open')")
        check(self.subscription["endpoint"].startswith(URL), f"the endpoint begins with {URL}")
        self.push()
        self.check_arrived("while all nodes live")

    def lose_nodes(self):
        for _ in range(2):
            node = self.cluster.node_of_browser()
            self.cluster.run(node.end())
            self.push()
            self.check_arrived(f"after {node.name} was killed")
            other = self.cluster.node_of_browser()
            check(other is not node, "the browser is connected to another node")
            self.cluster.begin(node)
            self.push()
            self.check_arrived(f"after {node.name} is back")
        check(not self.proxy.hosts, f"Firefox asks for other hosts: {sorted(self.proxy.hosts)}")

    def end(self):
        if self.firefox:
            self.firefox.end()
        self.cluster.end()


def main():
    began = time.monotonic()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        run = Run(str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(folder))
        keys = pathlib.Path(folder) / "keys"
        keys.mkdir(mode=0o700)
        try:
            for step in (Run.start, Run.lose_nodes):
                step(run)
        except Exception as error:
            print(f"firefox: a cluster: FAILED in {step.__name__}: {error!r}")
            return 1
        finally:
            run.end()
    print(
        f"firefox: a cluster: {run.accepted.total()} pushes seen by one subscription, two nodes killed,"
        f" in {time.monotonic() - began:.1f} s"
    )
    return 0


sys.exit(main())
