"""Programs that a trial starts and ends."""

import contextlib
import os
import socket
import subprocess
import time

from kit.checks import Failed
from kit.process import end

# As any user but root: a proxy that starts as root wants a second user. In a namespace this needs no rights.
UNPRIVILEGED = "unshare --user --map-user=1000 --map-group=1000".split()


@contextlib.contextmanager
def ended(process, *codes):
    """Ends the process at the end, and looks at its exit code."""
    try:
        yield process
    finally:
        code = end(process, seconds=30)
    if code not in codes:
        raise Failed(f"{process.args[0]} ends with {code}")


@contextlib.contextmanager
def served(command, state, folder, options):
    """A bellwire that logs each request, and can be told what to do."""
    process = subprocess.Popen(
        [*command, "--state", state, "--registration", "token", "--access-log", "yes", *options],
        stderr=open(f"{folder}/bellwire.log", "w"),
        stdout=subprocess.DEVNULL,
    )
    with ended(process, 0):
        wait_for("bellwire", f"{state}/control.sock", process)
        yield process


def proxy(arguments, folder):
    homes = dict.fromkeys(("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"), folder)
    log = open(f"{folder}/proxy.log", "w")
    process = subprocess.Popen([*UNPRIVILEGED, *arguments], env=os.environ | homes, stdout=log, stderr=log)
    # HAProxy ends by the signal.
    return ended(process, 0, -15, 143)


def wait_for(what, address, process):
    family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
    deadline = time.monotonic() + 20
    while True:
        with socket.socket(family) as s:
            if s.connect_ex(address) == 0:
                return
        if time.monotonic() > deadline or process.poll() is not None:
            raise Failed(f"{what} did not start")
        time.sleep(0.05)
