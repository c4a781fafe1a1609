"""What the tests of a library feed to it, written down by a plugin of pytest."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

from sdists import unpacked

HERE = pathlib.Path(__file__).parent


def recorded(name, plugin, options=(), variables=None):
    """The library's version, and the lines of its recorder, which writes them to the file in the variable RECORDED."""
    with unpacked(name) as (folder, version), tempfile.NamedTemporaryFile() as file:
        root = next(pathlib.Path(folder).iterdir())
        command = [sys.executable, "-B", "-m", "pytest", "-q", "-p", plugin, "-p", "no:cacheprovider"]
        command += ["-c", os.devnull, "--rootdir", root, *options, "tests"]
        own = {"RECORDED": file.name, "PYTHONPATH": f"{root}/src:{HERE}", "HYPOTHESIS_STORAGE_DIRECTORY": folder}
        done = subprocess.run(
            command, cwd=root, env=os.environ | own | (variables or {}), capture_output=True, text=True, timeout=400
        )
        lines = [json.loads(line) for line in file.read().splitlines()]
        if not lines:
            sys.exit(f"suites: the tests of {name} do not run: {(done.stdout + done.stderr)[-600:]}")
        return version, lines
