"""`bellwire serve` with a certificate of its own, through TLS and in clear, seen from outside."""

import contextlib
import http.client
import os
import pathlib
import socket
import ssl
import subprocess
import sys
import tempfile
import time

READY_WITHIN = 20


def certificate(folder):
    """A certificate for localhost, on P-256, in chain.pem, and its key in key.pem."""
    made = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 90 -subj /CN=localhost".split()
    made += ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    subprocess.run(
        [*made, "-keyout", f"{folder}/key.pem", "-out", f"{folder}/chain.pem"], check=True, capture_output=True
    )


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


class Served:
    """The program, until the block ends."""

    def __init__(self, program):
        self.program = program

    def __enter__(self):
        self.place = tempfile.TemporaryDirectory()
        folder = self.place.name
        certificate(folder)
        # Keeps the server from reading this machine's configuration.
        pathlib.Path(folder, "none.conf").write_text("")
        self.plain, self.port = free_port(), free_port()
        self.log = open(f"{folder}/log", "wb")
        command = [self.program, "serve", "--config", f"{folder}/none.conf", "--state", f"{folder}/state"]
        command += [
            "--keys",
            f"{folder}/keys",
            "--registration",
            "token",
            "--base-url",
            f"https://localhost:{self.port}",
        ]
        command += ["--tls-certificate", f"{folder}/chain.pem", "--tls-key", f"{folder}/key.pem"]
        command += ["--listen", f"127.0.0.1:{self.port}", "--listen", f"http://127.0.0.1:{self.plain}"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=self.log)
        self.authority = f"{folder}/chain.pem"
        self.context = ssl.create_default_context(cafile=self.authority)
        self.proc = pathlib.Path(f"/proc/{self.process.pid}")
        if self.wait_for(self.answers, READY_WITHIN) is None:
            sys.exit("suites: the server did not start")
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.log.close()
        self.place.cleanup()

    def ask(self):
        """Seconds until a new client has its answer through TLS."""
        start = time.monotonic()
        client = http.client.HTTPSConnection("localhost", self.port, timeout=10, context=self.context)
        with contextlib.closing(client):
            client.request("GET", "/health")
            client.getresponse().read()
        return time.monotonic() - start

    def answers(self):
        try:
            return self.ask() >= 0
        except OSError:
            if not self.is_alive():
                sys.exit(f"suites: the server has ended: {pathlib.Path(self.place.name, 'log').read_text()}")
            return False

    def is_alive(self):
        return self.process.poll() is None

    def memory(self):
        """Resident bytes."""
        return int((self.proc / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def descriptors(self):
        return len(os.listdir(self.proc / "fd"))

    def wait_for(self, condition, seconds):
        """The seconds it took, or None."""
        start = time.monotonic()
        while time.monotonic() - start < seconds:
            if condition():
                return time.monotonic() - start
            time.sleep(0.05)
        return None
