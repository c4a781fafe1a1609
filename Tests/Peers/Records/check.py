"""Records of our own, and those of other TLS libraries: a megabyte each way, new keys, half-close, sessions, kills.

usage: check.py PATH_OF_SERVERPROBE [PROGRAM...]
"""

import contextlib
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import time

sys.path.append(__file__.rsplit("/", 3)[0])

from joined import Joined
from kit.certificate import certificate
from kit.checks import Checks, checked
from kit.process import Running
from programs import programs

# The server changes its keys once in a megabyte. GnuTLS takes no more than eight changes in a second.
RECORDS_PER_KEY = 60
BYTES = 1_000_000
PIECES = 10
# No program takes the beginning of a piece of these for a command, and one looks for commands only where a line begins.
LETTERS = b"acdefghijmnopstuvwxyz0123456789"


class Server(Running):
    """The probe, until the block ends."""

    def __init__(self, program, folder):
        _, _, both = certificate(folder)
        words = [program, "--certificate", both, "--records", str(RECORDS_PER_KEY)]
        super().__init__(subprocess.Popen(words, stdout=subprocess.PIPE, text=True))
        self.port = self.process.stdout.readline().split()[1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


class Story:
    """What happens with one program."""

    def __init__(self, program, server, folder):
        self.program, self.server, self.folder = program, server, folder
        self.check = Checks(f"records: {program.name}")
        self.pieces = [
            bytes(random.Random(one).choices(LETTERS, k=BYTES // PIECES - 1)) + b"\n" for one in range(PIECES)
        ]
        self.data = b"".join(self.pieces)

    @contextlib.contextmanager
    def joined(self, suite, group, resumes=False):
        words = self.program.command(self.server.port, suite, group, resumes, self.folder)
        joined = Joined(words, self.program.environment, self.folder / "log")
        try:
            yield joined
        finally:
            joined.kill()

    def upload(self, joined, share=1.0, connection=b"keep-alive"):
        """A megabyte, or a part of it, with new keys between its pieces."""
        head = b"POST /upload HTTP/1.1\r\nHost: localhost\r\nConnection: %s\r\nContent-Length: %d\r\n\r\n"
        joined.write(head % (connection, BYTES))
        for number in range(int(PIECES * share)):
            joined.write(self.pieces[number])
            if self.program.updates:
                joined.tell(self.program.updates[number % len(self.program.updates)])

    def echo(self, suite, group, resumes):
        with self.joined(suite, group, resumes) as joined:
            what = f"{suite or 'its suite'}, {group or 'its group'}, {'resumed' if resumes else 'new'}"
            for turn in range(2):
                self.upload(joined)
                self.same(joined.body(), f"{what}: megabyte {turn}")
            # Then one of the two ends closes its half: the program behind its request, or the server behind its answer.
            self.upload(joined, connection=b"keep-alive" if self.program.halves else b"close")
            if self.program.halves:
                joined.finish()
            self.same(joined.body(), f"{what}: the last megabyte")
            if not self.program.halves:
                joined.finish()
            code = joined.code()
            self.check(joined.data == b"" and code == 0, f"{what}: ends in good order", (code, joined.said()))
            self.check(self.program.agreed(suite, resumes, joined.said()), f"{what}: is agreed on", joined.said())

    def same(self, data, what):
        place = len(os.path.commonprefix([data, self.data]))
        self.check(data == self.data, what, f"{len(data)} bytes, other ones from {place}: {data[place:][:60]}")

    def killed(self):
        """In the middle of what it sends, and of what it gets."""
        with self.joined(*self.program.choices[0]) as joined:
            self.upload(joined, 0.5)
        with self.joined(*self.program.choices[0]) as joined:
            self.upload(joined)
            joined.read(100_000)

    def tell(self):
        started, used = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        for suite, group in self.program.choices:
            for resumes in (False, True)[: 1 + self.program.resumes]:
                self.echo(suite, group, resumes)
        self.killed()
        seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - used
        print(
            f"{self.program.name}: {self.check.passed} checks, {time.monotonic() - started:.1f} s, CPU {seconds:.1f} s"
        )
        return self.check.passed


def main(program, *names):
    passed = 0
    with tempfile.TemporaryDirectory() as name, Server(os.path.abspath(program), name) as server:
        folder, check = pathlib.Path(name), Checks("records")
        chosen = [one for one in programs(folder) if not names or one.name in names]
        descriptors = server.descriptors()
        for one in chosen:
            passed += Story(one, server, folder).tell()
        closed = server.wait_for(lambda: server.descriptors() <= descriptors, 10)
        check(closed is not None, "the server closes all connections", (server.descriptors(), descriptors))
        check(server.is_alive(), "the server stays up")
    print(f"records: {passed} checks passed with {len(chosen)} libraries")


checked(main, *sys.argv[1:])
