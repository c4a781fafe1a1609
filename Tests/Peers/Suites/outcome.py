"""What a suite of others runs against, and what came of it."""

import contextlib
import dataclasses
import http.client
import ssl
import tempfile
import time

from kit.certificate import certificate
from kit.server import Server


class Served(Server):
    """The program, until the block ends."""

    def __init__(self, program, *more):
        self.place = tempfile.TemporaryDirectory()
        chain, key, _ = certificate(self.place.name, days=90)
        words = ["--registration", "token", "--tls-certificate", chain, "--tls-key", key, *more]
        super().__init__(program, self.place.name, *words, "--listen", "http://127.0.0.1:0", is_secure=True)
        self.chain = chain
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


@dataclasses.dataclass
class Outcome:
    suite: str
    version: str
    what: str
    passed: int = 0
    # The case, and why it is no mistake of ours.
    explained: list = dataclasses.field(default_factory=list)
    # The case, and what was seen.
    failed: list = dataclasses.field(default_factory=list)
    seconds: float = 0

    @property
    def cases(self):
        return self.passed + len(self.explained) + len(self.failed)

    def judge(self, case, holds, seen="", known=None):
        """Counts a case. `known` says why a case is expected to fail."""
        if holds:
            self.passed += 1
        elif known:
            self.explained.append((case, known))
        else:
            self.failed.append((case, seen))

    @property
    def holds(self):
        return self.passed > 0 and not self.failed

    def lines(self):
        for case, seen in self.failed:
            yield f"MISS  {self.suite}: {case}: {seen}"
        yield (
            f"{'pass' if self.holds else 'MISS'}  {self.suite} {self.version}: {self.cases:,} cases, "
            f"{self.passed:,} passed, {len(self.explained)} failed and explained, {self.seconds:.0f} s"
        )
