"""The server under attack, seen from outside: its answers, descriptors, memory and CPU time."""

import json
import pathlib
import resource
import subprocess
import sys
import time

from kit.process import Watched
from wire import Client

HERE = pathlib.Path(__file__).parent


class Limits:
    """The server's own time limits in seconds, divided to keep a test short."""

    def __init__(self, divisor):
        self.handshake = 10 / divisor
        self.head = 10 / divisor
        self.body = 30 / divisor
        self.idle = 75 / divisor
        self.answer = 60 / divisor
        self.lingering = 2 / divisor
        # An idle connection has as much time to send the rest as a body has.
        self.deaf = self.idle + self.body


class Target(Watched):
    """A server for a family of attacks, which ends with the block."""

    program = ""
    certificate = ""

    def __init__(self, divisor=20, descriptors=None, connections=50_000):
        self.limits = Limits(divisor)
        limits = ("--divide", str(divisor), "--connections", str(connections))
        self.command = [self.program, "--certificate", self.certificate, *limits]
        self.descriptor_limit = descriptors

    def __enter__(self):
        self.process, self.port, self.plain_port = self.start()
        # Nobody attacks this server: waits here are due to the machine.
        self.other_process, self.other_port, _ = self.start()
        self.warm_up()
        return self

    def __exit__(self, *_):
        for process in (self.process, self.other_process):
            process.kill()
            process.wait()

    def start(self):
        process = subprocess.Popen(self.command, stdout=subprocess.PIPE, text=True, preexec_fn=self.restrict)
        line = process.stdout.readline().split()
        if line[:1] != ["ready"]:
            sys.exit(f"attack: the server did not start: {' '.join(line)}")
        return process, int(line[1]), int(line[2])

    def restrict(self):
        if self.descriptor_limit:
            resource.setrlimit(resource.RLIMIT_NOFILE, (self.descriptor_limit, self.descriptor_limit))

    def warm_up(self):
        """Uses both protocols, so that caches are filled."""
        clients = [Client(self.port, alpn) for alpn in ("http/1.1", "h2") for _ in range(20)]
        for client in clients:
            client.ask() if client.alpn == "http/1.1" else client.open()
        for client in clients:
            client.close()
        self.wait_for(lambda: self.descriptors() < 15)
        with Watch(self) as watch:
            time.sleep(1)
        self.quiet = watch.p99
        self.wait_for(lambda: self.descriptors() < 15)
        self.first_memory, self.first_descriptors = self.memory(), self.descriptors()


class Beside:
    """A program beside this one until the block ends: it begins, and prints at the end what it saw."""

    def __init__(self, name, *words):
        self.words = [sys.executable, HERE / name, *map(str, words)]

    def __enter__(self):
        self.process = subprocess.Popen(self.words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()
        return self

    def __exit__(self, *_):
        output, _ = self.process.communicate(input="")
        self.saw(*json.loads(output))


class Watch(Beside):
    """Another client that sends requests as usual, in turn to this server and to one without attack."""

    def __init__(self, target):
        super().__init__("somebody.py", target.port, target.other_port)

    def saw(self, attacked, other):
        self.failures = attacked["failures"]
        self.p99, self.other_p99 = percentile99(attacked["times"]), percentile99(other["times"])


def percentile99(times):
    return sorted(times)[int((len(times) - 1) * 0.99)]
