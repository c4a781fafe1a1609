"""Source archives of other people's suites: fetched once, beside the libraries, and unpacked for a run."""

import contextlib
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).parent
FOLDER = pathlib.Path(sys.prefix) / "suites"
WANTED = dict(line.split("==") for line in (HERE / "sdists.txt").read_text().split())


def archive(name):
    form = re.compile(rf"{name.replace('-', '[-_]')}-{re.escape(WANTED[name])}\.tar\.gz", re.I)
    return next((path for path in FOLDER.glob("*.tar.gz") if form.fullmatch(path.name)), None)


def fetch():
    """Downloads what is missing, in the versions of sdists.txt."""
    missing = [f"{name}=={version}" for name, version in WANTED.items() if not archive(name)]
    if missing:
        FOLDER.mkdir(exist_ok=True)
        command = [sys.executable, *"-m pip download --quiet --disable-pip-version-check --no-deps".split()]
        subprocess.run([*command, "--no-binary", ":all:", "--dest", FOLDER, *missing], check=True)


@contextlib.contextmanager
def unpacked(name):
    """A folder with its files, and its version."""
    fetch()
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(archive(name)) as tar:
            tar.extractall(folder, filter="data")
        yield folder, WANTED[name]


if __name__ == "__main__":
    fetch()
