"""`bellwire serve` with a certificate of its own, through TLS and in clear, seen from outside."""

import contextlib
import http.client
import ssl
import tempfile
import time

from kit.certificate import certificate
from kit.server import Server


class Served(Server):
    """The program, until the block ends."""

    def __init__(self, program):
        self.place = tempfile.TemporaryDirectory()
        chain, key, _ = certificate(self.place.name, days=90)
        words = ["--registration", "token", "--tls-certificate", chain, "--tls-key", key]
        super().__init__(program, self.place.name, *words, "--listen", "http://127.0.0.1:0", is_secure=True)
        self.authority = chain
        self.context = ssl.create_default_context(cafile=chain)

    def __enter__(self):
        self.start()
        self.plain = self.other_port()
        return self

    def __exit__(self, *_):
        self.kill()
        self.place.cleanup()

    def ask_health(self):
        """Seconds until a new client has its answer through TLS."""
        start = time.monotonic()
        client = http.client.HTTPSConnection("localhost", self.port, timeout=10, context=self.context)
        with contextlib.closing(client):
            client.request("GET", "/health")
            client.getresponse().read()
        return time.monotonic() - start
