"""Where servers and load programs run: their folder, certificate and cores."""

import os
import pathlib
import subprocess
import sys

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
