"""Pushes to clients that are away: forgotten with TTL 0, kept with any other."""

import os
import re
import sys

from bars import figures, line
from delivery import in_turn
from servers import Bellwire, Nginx

# Name, options of h2load, how many requests, and what the CPU of nginx may be multiplied with.
LOADS = [
    ("HTTP/1.1, 64 connections", ["--h1", "-c", "64"], 200_000, 0.88),
    ("HTTP/2, 64 connections, 16 streams", ["-c", "64", "-m", "16"], 400_000, 0.50),
    ("HTTP/2, 64 connections, 1 stream", ["-c", "64", "-m", "1"], 100_000, None),
    ("a new connection for each", ["--h1", "-c", "2000"], 2_000, None),
]
ENDPOINTS = 2_000


def post(place, server, urls, body, options, count):
    """Microseconds of the server's CPU time for each request."""
    before = server.cpu()
    output = place.on_load_core(
        *("h2load", "-n", count, "-d", body, "-i", urls, "-H", "TTL: 0", "-H", "Content-Encoding: aes128gcm", *options)
    )
    used = server.cpu() - before
    answered = re.search(r"(\d+) 2xx", output)
    if not answered or int(answered[1]) != count:
        sys.exit(f"bench: {count} requests were sent, but:\n{output}")
    return used / count * 1e6


def posts(place, bars, terms):
    print("\nPOST with TTL 0 to absent clients, 200 B; nginx reads the body and answers with the same fields")
    body = place.new("body")
    body.write_bytes(os.urandom(200))
    with Bellwire(place, 100) as ours, Nginx(place) as nginx:
        paths = [line.split()[1] for line in ours.register(100).read_text().splitlines()]
        urls = {server: place.new("urls") for server in (ours, nginx)}
        for server, file in urls.items():
            file.write_text("".join(f"https://localhost:{server.port}{path}\n" for path in paths))
        for name, options, count, most in LOADS:
            # As many requests as connections and streams at least.
            count = terms.few(count, 2_000)
            cpu = in_turn(
                (ours, nginx), terms.rounds, lambda server: post(place, server, urls[server], body, options, count)
            )
            bars.ratio(f"POST, {name}: CPU to that of nginx", *cpu, most)
            bars.check(f"POST, {name}: CPU", sorted(cpu[0])[terms.rounds // 2], unit=" us")


def stored(place, bars, terms):
    endpoints = terms.few(ENDPOINTS, 100)
    print(
        f"\nPOST with TTL 3600 to {endpoints:,} absent clients, 64 senders, 200 B, HTTP/1.1;"
        " on the disk before it is answered"
    )
    results, requests, rows, costs, limits, batches = [], [], [], [], [], []
    with Nginx(place) as nginx:
        for _ in range(terms.rounds):
            with Bellwire(place, endpoints) as ours:
                load = {"mode": "absent", "size": 200, "ttl": 3_600, "agents": ours.register(endpoints)}
                before = ours.commits()
                results.append(place.load(ours, terms.seconds, **load))
                batches.append(results[-1]["accepted"] / ((ours.commits() - before) % 2**32))
                requests.append(place.load(nginx, terms.seconds, **load))
            rows.append(row(place, round(batches[-1]), terms.seconds))
            costs.append(results[-1]["cpu_us"])
            limits.append(requests[-1]["cpu_us"] + 1.5 * rows[-1])
            print(
                f"      {batches[-1]:.1f} pushes a commit, a row {rows[-1]:.2f} us CPU,"
                f" nginx {requests[-1]['cpu_us']:.2f}"
            )
    line("bellwire", results)
    line("nginx", requests)
    bars.ratio("stored: CPU to that of nginx' request and 1.5 rows of SQLite in such batches", costs, limits, 1)
    rates = sorted(figures(results, "rate"))
    bars.check("stored: pushes a second on one core", rates[len(rates) // 2], least=20_000)


def row(place, batch, seconds):
    """Microseconds of CPU for a row of SQLite, in C."""
    output = place.tool(
        "rows", "--state", place.new("rows"), "--seconds", seconds, "size=200", f"batch={max(1, batch)}"
    )
    return float(output.split("=")[1])
