"""Pushes to clients that are away: forgotten with TTL 0, kept with any other."""

import os
import re
import sys

from bars import figures, line, processor
from delivery import in_turn
from servers import Bellwire, Nginx

# Name, options of h2load, how many requests, and what the CPU of nginx may be multiplied with.
LOADS = [
    ("HTTP/1.1, 64 connections", ["--h1", "-c", "64"], 200_000, 0.80),
    ("HTTP/2, 64 connections, 16 streams", ["-c", "64", "-m", "16"], 400_000, 0.50),
    ("HTTP/2, 64 connections, 1 stream", ["-c", "64", "-m", "1"], 100_000, None),
    ("a new connection for each", ["--h1", "-c", "1000"], 1_000, None),
]
ENDPOINTS = 2_000


def post(place, server, urls, body, options, count, ttl=0):
    """Microseconds of the server's CPU time for each request."""
    fields = ("-H", f"TTL: {ttl}", "-H", "Content-Encoding: aes128gcm")
    before = server.cpu()
    output = place.on_load_core("h2load", "-n", count, "-d", body, "-i", urls, *fields, *options)
    used = server.cpu() - before
    answered = re.search(r"(\d+) 2xx", output)
    if not answered or int(answered[1]) != count:
        sys.exit(f"bench: {count} requests were sent, but:\n{output}")
    return used / count * 1e6


def posts(place, bars, terms):
    print("\nPOST with TTL 0 to absent clients, 200 B; nginx reads the body and answers with the same fields")
    body = bytes_to_post(place)
    with Bellwire(place, 100) as ours, Nginx(place) as nginx:
        agents = ours.register(100)
        urls = {server: addresses(place, server, agents) for server in (ours, nginx)}
        for name, options, count, most in LOADS:
            # As many requests as connections and streams at least.
            count = terms.few(count, 2_000)
            cpu = in_turn(
                (ours, nginx), terms.rounds, lambda server: post(place, server, urls[server], body, options, count)
            )
            bars.ratio(f"POST, {name}: CPU to that of nginx", *cpu, most)
            bars.check(f"POST, {name}: CPU", sorted(cpu[0])[terms.rounds // 2], unit=" us")


def bytes_to_post(place):
    body = place.new("body")
    body.write_bytes(os.urandom(200))
    return body


def addresses(place, server, agents):
    """A file of addresses at this server: those of the clients."""
    urls = place.new("urls")
    paths = [line.split()[1] for line in agents.read_text().splitlines()]
    urls.write_text("".join(f"https://localhost:{server.port}{path}\n" for path in paths))
    return urls


def stored(place, bars, terms):
    endpoints = terms.few(ENDPOINTS, 100)
    print(
        f"\nPOST with TTL 3600 to {endpoints:,} absent clients, 64 senders, 200 B, HTTP/1.1;"
        " on the disk before it is answered"
    )
    results, requests, rows, costs, limits, batches, streams = [], [], [], [], [], [], []
    body = bytes_to_post(place)
    with Nginx(place) as nginx:
        for _ in range(terms.rounds):
            with Bellwire(place, endpoints) as ours:
                agents = ours.register(endpoints)
                load = {"mode": "absent", "size": 200, "ttl": 3_600, "agents": agents}
                before = ours.commits()
                results.append(place.load(ours, terms.seconds, **load))
                batches.append(results[-1]["accepted"] / ((ours.commits() - before) % 2**32))
                requests.append(place.load(nginx, terms.seconds, **load))
                urls, options = addresses(place, ours, agents), ["-c", "64", "-m", "16"]
                streams.append(post(place, ours, urls, body, options, terms.few(40_000, 2_000), ttl=3_600))
            rows.append(row(place, round(batches[-1]), terms.seconds))
            costs.append(results[-1]["cpu_us"])
            limits.append(requests[-1]["cpu_us"] + 1.3 * rows[-1])
            print(
                f"      {batches[-1]:.1f} pushes a commit, a row {rows[-1]:.2f} us CPU,"
                f" nginx {requests[-1]['cpu_us']:.2f}"
            )
    line("bellwire", results)
    line("nginx", requests)
    bars.ratio("stored: CPU to that of nginx' request and 1.3 rows of SQLite in such batches", costs, limits, 1)
    rates = sorted(figures(results, "rate"))
    bars.check("stored: CPU, HTTP/1.1", sorted(costs)[len(costs) // 2], 50, unit=" us")
    bars.check("stored: CPU, HTTP/2, 64 connections, 16 streams", sorted(streams)[len(streams) // 2], 25, unit=" us")
    print(f"      the processor: {processor()}")
    bars.check("stored: pushes a second on one core", rates[len(rates) // 2], least=20_000)


def row(place, batch, seconds):
    """Microseconds of CPU for a row of SQLite, in C."""
    output = place.tool(
        "rows", "--state", place.new("rows"), "--seconds", seconds, "size=200", f"batch={max(1, batch)}"
    )
    return float(output.split("=")[1])
