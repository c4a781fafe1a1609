"""The server under attack, seen from outside: its answers, descriptors, memory and CPU time."""

import json
import os
import pathlib
import resource
import subprocess
import sys
import time

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


class Target:
    """A server for a family of attacks, which ends with the block."""

    program = ""
    certificate = ""

    def __init__(self, divisor=20, descriptors=None, connections=50_000):
        self.limits = Limits(divisor)
        self.command = [
            self.program,
            "--certificate",
            self.certificate,
            "--divide",
            str(divisor),
            "--connections",
            str(connections),
        ]
        self.descriptor_limit = descriptors

    def __enter__(self):
        self.process, self.port, self.plain_port = self.start()
        # Nobody attacks this server: waits here are due to the machine.
        self.other_process, self.other_port, _ = self.start()
        self.folder = pathlib.Path(f"/proc/{self.process.pid}")
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

    def is_alive(self):
        return self.process.poll() is None

    def memory(self):
        """Resident bytes."""
        return int((self.folder / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def descriptors(self):
        return len(os.listdir(self.folder / "fd"))

    def ticks(self):
        fields = (self.folder / "stat").read_text().rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])

    def cpu(self):
        """CPU seconds, finer than clock ticks."""
        return sum(int((task / "schedstat").read_text().split()[0]) for task in (self.folder / "task").iterdir()) / 1e9

    def wait_for(self, condition, seconds=10):
        """The seconds it took, or None."""
        start = time.monotonic()
        while time.monotonic() - start < seconds:
            if condition():
                return time.monotonic() - start
            time.sleep(0.02)
        return None


class Watch:
    """Another client that sends requests as usual, in turn to this server and to one without attack."""

    def __init__(self, target):
        self.target = target

    def __enter__(self):
        self.process = subprocess.Popen(
            [sys.executable, HERE / "somebody.py", str(self.target.port), str(self.target.other_port)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.process.stdout.readline()
        return self

    def __exit__(self, *_):
        output, _ = self.process.communicate(input="")
        attacked, other = json.loads(output)
        self.failures = attacked["failures"]
        self.p99, self.other_p99 = percentile99(attacked["times"]), percentile99(other["times"])


def percentile99(times):
    return sorted(times)[int((len(times) - 1) * 0.99)]


def make_certificate(folder):
    """For localhost, in one file with its key."""
    path = folder / "server.pem"
    subprocess.run(
        [
            *"openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes".split(),
            *"-days 30 -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout".split(),
            folder / "key.pem",
            "-out",
            folder / "certificate.pem",
        ],
        check=True,
        capture_output=True,
    )
    path.write_bytes((folder / "certificate.pem").read_bytes() + (folder / "key.pem").read_bytes())
    return str(path)
