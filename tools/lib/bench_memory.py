"""Memory of our server for each idle TLS connection: the growth of Private_Dirty over 5,000 connections.

usage: bench_memory.py PATH_OF_BENCH FOLDER_WITH_CERTIFICATE_AND_KEY
"""

import pathlib
import re
import resource
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Tests/Torture/Attacks"))
import wire
from wire import Client

WARM_UP, COUNT = 200, 5_000
PORT = 18446
# The kind of connection, and the kilobytes that each may cost.
BARS = [("http/1.1", 14.5), ("h2", 29.0)]


def private_dirty(pid):
    text = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
    return int(re.search(r"Private_Dirty:\s+(\d+)", text)[1])


def connect(protocol):
    client = Client(PORT, protocol, timeout=30)
    if protocol == "h2":
        client.open()
        client.send(wire.request(1))
        frames = client.frames()
        while next(frames)[0] != wire.HEADERS:
            pass
    else:
        client.ask(b"POST /push HTTP/1.1\r\nHost: localhost\r\nContent-Length: 200\r\n\r\n" + b"x" * 200)
    return client


def measure(bench, folder, protocol):
    server = subprocess.Popen(
        [
            bench,
            "serve",
            "--port",
            str(PORT),
            "--certificate",
            f"{folder}/certificate.pem",
            "--key",
            f"{folder}/key.pem",
        ],
        stdout=subprocess.DEVNULL,
    )
    try:
        time.sleep(1)
        held = [connect(protocol) for _ in range(WARM_UP)]
        time.sleep(3)
        before = private_dirty(server.pid)
        held += [connect(protocol) for _ in range(COUNT)]
        # An HTTP/2 connection frees memory after an idle second.
        time.sleep(3)
        return (private_dirty(server.pid) - before) / COUNT
    finally:
        server.terminate()
        server.wait(10)


def main():
    bench, folder = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_NOFILE, (20_000, 20_000))
    missed = 0
    for protocol, bar in BARS:
        cost = measure(bench, folder, protocol)
        missed += cost > bar
        print(
            f"{'pass' if cost <= bar else 'MISS'}  idle TLS connection after a request, "
            f"{protocol:8} {cost:6.2f} KB, bar {bar}",
            flush=True,
        )
    return 1 if missed else 0


sys.exit(main())
