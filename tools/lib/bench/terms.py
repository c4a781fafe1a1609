"""What push, sweep and cluster share: their options, how much is measured, and where servers and load programs run."""

import argparse
import contextlib
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, __file__.rsplit("/", 2)[0])

import figures
from bars import Bars
from kit.certificate import certificate


class Place:
    """A folder on a disk, because the promise is about the disk. The server has the first core, the load the last."""

    def __init__(self, bellwire, bench, folder):
        self.bellwire, self.bench = os.path.realpath(bellwire), os.path.realpath(bench)
        self.folder = pathlib.Path(folder).resolve()
        # nginx and mosquitto may read their files as other users.
        self.folder.chmod(0o755)
        self.certificate, self.key, _ = certificate(self.folder)
        cores = sorted(os.sched_getaffinity(0))
        self.server_core, self.load_core = str(cores[0]), str(cores[-1])
        self.all_cores = ",".join(map(str, cores))
        self.made = 0

    def new(self, name):
        """A path that nothing has used."""
        self.made += 1
        return self.folder / f"{name}{self.made}"

    def on_load_core(self, *command, timeout=600):
        """What the command prints."""
        words = ["taskset", "-c", self.load_core, *map(str, command)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=timeout, check=False)
        if done.returncode != 0:
            sys.exit(f"bench: {' '.join(words)}:\n{done.stdout}{done.stderr}")
        # What was refused, for example.
        sys.stderr.write(done.stderr)
        return done.stdout

    def tool(self, name, *words):
        """What the program with the load generators prints."""
        return self.on_load_core(self.bench, name, *words)

    def load(self, server, seconds, may_repeat=False, may_refuse=False, **options):
        """The figures of one run of the load program. A message that is lost, repeated or refused ends everything."""
        words = [f"{name.replace('_', '-')}={value}" for name, value in options.items()]
        output = self.tool(
            "push",
            *("--port", server.port, "--certificate", self.certificate, "--seconds", seconds),
            *(f"service={server.service}", f"pid={server.pid}", *words),
        )
        result = {name: float(value) for name, value in (word.split("=") for word in output.split())}
        for fault, is_fine in (("lost", False), ("refused", may_refuse), ("duplicates", may_repeat)):
            if result.get(fault) and not is_fine:
                sys.exit(f"bench: {server.service} {words}: {output}")
        return result


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


def measure(name, parts, rounds, seconds=4):
    """Measures the chosen parts, each of which may return what is kept beside its bars."""
    terms, found = Terms(parts, rounds, seconds), {}
    bars = Bars(terms.is_trial)
    with terms.place() as place:
        for part in terms.chosen(parts).values():
            found |= part(place, bars, terms) or {}
    terms.keep(name, found | {"figures": bars.kept})
    return bars.exit_code
