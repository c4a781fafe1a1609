"""What push, sweep and cluster share: their options, and how much is measured."""

import argparse
import contextlib
import resource
import sys
import tempfile

sys.path.insert(0, __file__.rsplit("/", 2)[0])

import figures
from place import Place

# More than the clients of any part.
DESCRIPTORS = 20_000


class Terms:
    """The options, and what a trial makes of them."""

    def __init__(self, parts, rounds, seconds=4):
        parser = argparse.ArgumentParser()
        parser.add_argument("bellwire")
        parser.add_argument("bench")
        parser.add_argument("--only", choices=parts)
        parser.add_argument("--rounds", type=int, default=rounds)
        parser.add_argument("--seconds", type=float, default=seconds)
        parser.add_argument("--folder", default=".build")
        parser.add_argument("--json")
        parser.add_argument("--trial", action="store_true")
        self.arguments = parser.parse_args()
        self.is_trial = self.arguments.trial
        self.rounds = 1 if self.is_trial else self.arguments.rounds
        self.seconds = 1 if self.is_trial else self.arguments.seconds

    def few(self, count, in_trial):
        return min(count, in_trial) if self.is_trial else count

    def chosen(self, parts):
        return parts if self.arguments.only is None else {self.arguments.only: parts[self.arguments.only]}

    @contextlib.contextmanager
    def place(self):
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, DESCRIPTORS), most))
        with tempfile.TemporaryDirectory(dir=self.arguments.folder) as folder:
            yield Place(self.arguments.bellwire, self.arguments.bench, folder)

    def keep(self, name, found):
        """Writes the figures if they were asked for. Those of a trial mean nothing."""
        if self.arguments.json and not self.is_trial:
            figures.keep(name, self.arguments.json, {"rounds": self.rounds, "seconds": self.seconds} | found)
