"""Connections that never shake hands, and connections whose other end has vanished."""

import os
import subprocess
import sys
import time

sys.path.append(__file__.rsplit("/", 3)[0])

import wire
from crowd import Peer, drip
from report import Attack
from target import Target
from wire import Client

SLACK = 1.0


def run(report, is_long):
    with Target() as target:
        silent(report, target, 10_000 if is_long else 1_000)
        vanished(report, target, 1_000 if is_long else 150)


def silent(report, target, count):
    limit = target.limits.handshake
    with Attack(report, target, "half-open", f"{count} connections without a handshake") as attack:
        peers = [Peer(Client(target.port)) for _ in range(count)]
        drip(peers, limit + 3)
        attack.between("cut", [peer.cut_after for peer in peers], limit * 0.9, limit + SLACK)
        for peer in peers:
            peer.client.close()


class Link:
    """Another machine behind a link that can be cut: a network namespace."""

    def __init__(self):
        self.name = f"bellwire-{os.getpid()}"
        self.device = f"bw{os.getpid() % 100_000}"

    def __enter__(self):
        self.ip(f"netns add {self.name}")
        self.ip(f"link add {self.device} type veth peer name {self.device}p netns {self.name}")
        self.ip(f"addr add 198.18.0.1/30 dev {self.device}")
        self.ip(f"link set {self.device} up")
        self.ip(f"-n {self.name} addr add 198.18.0.2/30 dev {self.device}p")
        self.ip(f"-n {self.name} link set {self.device}p up")
        return self

    def __exit__(self, *_):
        self.ip(f"link del {self.device}", check=False)
        self.ip(f"netns del {self.name}", check=False)

    def cut(self):
        self.ip(f"link set {self.device} down")

    @staticmethod
    def ip(words, check=True):
        subprocess.run(["ip", *words.split()], check=check, capture_output=True)


def vanished(report, target, count):
    name, done = "vanished peers", f"{count} on a link that is cut"
    try:
        link = Link()
        link.__enter__()
    except (OSError, subprocess.CalledProcessError):
        link.__exit__()
        return print(f"skip  {name:22} {done:52} needs network namespaces")
    try:
        limit = target.limits.deaf + SLACK
        with Attack(report, target, name, done, forgets_in=limit) as attack:
            there = [sys.executable, __file__, "198.18.0.1", str(target.port), str(count)]
            process = subprocess.Popen(
                ["ip", "netns", "exec", link.name, *there], stdout=subprocess.PIPE, stdin=subprocess.PIPE
            )
            process.stdout.readline()
            link.cut()
            attack.bound("connections when the link is cut", str(target.descriptors()), target.descriptors() > count)
            time.sleep(target.limits.handshake + SLACK)
            attack.at_most(
                "descriptors after the handshake limit",
                target.descriptors(),
                target.first_descriptors + count * 2 // 3 + 3,
                "",
            )
            process.kill()
            process.wait()
    finally:
        link.__exit__()


def behind_the_link(host, port, count):
    """A third only connected, a third got an answer, a third does not read a long answer."""
    clients = []
    for index in range(count * 2 // 3):
        client = Client(port, "http/1.1", host=host, timeout=60)
        if index % 2:
            client.ask()
        else:
            client.send(wire.GET.replace(b"/a", b"/bytes/4000000"))
        clients.append(client)
    # Last, because these have the shortest time limit.
    clients += [Client(port, host=host, timeout=60) for _ in range(count - len(clients))]
    print("open", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    behind_the_link(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
