"""A process, seen from outside: how it starts, what it uses as the kernel counts it, and how it ends."""

import contextlib
import os
import pathlib
import select
import signal
import socket
import subprocess
import time

from kit.checks import Failed

PAGE = os.sysconf("SC_PAGE_SIZE")


def now():
    """Seconds since the machine started, with those in which it slept."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def ready(process, mark="bellwire: ready ", seconds=60):
    """What follows the mark in the first line, or None without such a line in time."""
    if not select.select([process.stdout], [], [], seconds)[0]:
        return None
    line = process.stdout.readline()
    return line.removeprefix(mark).strip() if line.startswith(mark) else None


def end(process, how=signal.SIGTERM, seconds=20):
    """The exit code. A process that does not end in time is killed."""
    if process.poll() is None:
        process.send_signal(how)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    return process.returncode


@contextlib.contextmanager
def ended(process, *codes):
    """Ends the process at the end, and looks at its exit code."""
    try:
        yield process
    finally:
        code = end(process, seconds=30)
    if code not in codes:
        raise Failed(f"FAILED: {process.args[0]} ends with {code}")


def wait_for(what, address, process):
    """Until it takes connections at a port or at the path of a socket."""
    deadline = time.monotonic() + 20
    while True:
        with socket.socket(socket.AF_UNIX if isinstance(address, str) else socket.AF_INET) as tried:
            if tried.connect_ex(address) == 0:
                return
        if time.monotonic() > deadline or process.poll() is not None:
            raise Failed(f"FAILED: {what} does not start")
        time.sleep(0.05)


def send(process, how):
    """To a process of asyncio, whose own way would take the exit code of one that has just died. It goes to a
    descriptor, so that nobody else can get the signal.
    """
    if process is None or process.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        descriptor = os.pidfd_open(process.pid)
        try:
            signal.pidfd_send_signal(descriptor, how)
        finally:
            os.close(descriptor)


class Watched:
    """A process with a number."""

    process = None

    @property
    def proc(self):
        return pathlib.Path(f"/proc/{self.process.pid}")

    def is_alive(self):
        return self.process is not None and self.process.poll() is None

    def memory(self):
        """Resident bytes."""
        return int((self.proc / "statm").read_text().split()[1]) * PAGE

    def descriptors(self):
        return len(os.listdir(self.proc / "fd"))

    def ticks(self):
        """CPU time as the kernel gives it to everybody, in hundredths of a second."""
        fields = (self.proc / "stat").read_text().rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])

    def cpu(self):
        """CPU seconds, finer than ticks."""
        return sum(int((task / "schedstat").read_text().split()[0]) for task in (self.proc / "task").iterdir()) / 1e9

    def wakes(self):
        """How often each thread has slept by itself and was woken."""
        counts = {}
        for status in self.proc.glob("task/*/status"):
            try:
                lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
            except OSError:
                continue  # The thread has ended.
            counts[f"{lines['Name'].strip()}:{status.parent.name}"] = int(lines["voluntary_ctxt_switches"])
        return counts

    def wait_for(self, condition, seconds=10):
        """The seconds it took, or None."""
        start = time.monotonic()
        while time.monotonic() - start < seconds:
            if condition():
                return time.monotonic() - start
            time.sleep(0.02)
        return None


class Running(Watched):
    """A process that somebody else has started."""

    def __init__(self, process):
        self.process = process
