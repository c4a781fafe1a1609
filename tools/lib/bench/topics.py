"""Topics: what a push with history costs, how soon the readers of a stream have it, and what a waiting stream takes."""

import os
import subprocess
import time

from bars import figures, line, median, processor
from servers import Bellwire

IDLE = 5_000


def topics(place, bars, terms):
    """Pushes to topics with and without a history beside stored pushes; 64 senders, HTTP/1.1."""
    count = terms.few(100, 10)
    print(f"\n200 B to {count} topics with a history and without, and to {count} absent clients; 64 senders, HTTP/1.1")
    kept, shown, stored = [], [], []
    for _ in range(terms.rounds):
        for runs, history in ((kept, "topics"), (shown, "off")):
            with Bellwire(place, count, more=("--history", history)) as ours:
                load = {"mode": "absent", "topics": "kept", "size": 150, "subscribers": count, "bearers": ours.bearers}
                runs.append(place.load(ours, terms.seconds, **load))
        with Bellwire(place, count) as ours:
            load = {"mode": "absent", "size": 200, "ttl": 3_600, "agents": ours.register(count)}
            stored.append(place.load(ours, terms.seconds, **load))
    line("with history", kept)
    line("without", shown)
    line("stored", stored)
    bars.ratio("topics: CPU of a push with history to that of one without", *cpu(kept, shown), 1.25)
    bars.ratio("topics: CPU of a push with history to that of a push for an absent client", *cpu(kept, stored))
    bars.check("topics: CPU of a push with history", median(kept, "cpu_us"), most=100, unit=" us")
    print(f"      the processor: {processor()}")
    streams(place, bars, terms)


def cpu(*runs):
    return (figures(each, "cpu_us") for each in runs)


def sync(folder):
    """Milliseconds of a write and its fdatasync, in the middle of a hundred."""
    times, path = [], folder / "sync"
    with open(path, "wb", buffering=0) as file:
        for _ in range(100):
            file.write(bytes(4_096))
            before = time.monotonic()
            os.fdatasync(file.fileno())
            times.append(time.monotonic() - before)
    path.unlink()
    return sorted(times)[len(times) // 2] * 1e3


def streams(place, bars, terms):
    """500 messages a second to readers, beside thousands of streams that wait; and what one of those takes."""
    idle, active = terms.few(IDLE, 50), terms.few(100, 10)
    print(f"\n500 messages a second to {active} streams, beside {idle:,} that wait; 200 B, with history")
    results, memory = [], {"topics": [], "user agents": []}
    for _ in range(terms.rounds):
        with Bellwire(place, idle) as ours, waiting(place, ours, idle):
            load = {"topics": "busy", "size": 150, "rate": 500, "subscribers": active, "bearers": ours.bearers}
            results.append(place.load(ours, terms.seconds, **load))
        for name, more in (("topics", {"topics": "quiet"}), ("user agents", {})):
            with Bellwire(place, idle) as made:
                load = {"mode": "idle", "subscribers": idle, "bearers": made.bearers, **more}
                if more:
                    # A topic that is made for its first reader stays, and is no part of the stream.
                    place.load(made, 1, **load)
            with Bellwire(place, state=made.state, keys=made.keys) as ours:
                memory[name].append(place.load(ours, 1, **load)["pss_kib"])
    line("streams", results)
    print(f"      a write and its fdatasync: {sync(place.folder):.3f} ms")
    bars.check("streams: accepted to read, p50", median(results, "receive_p50"), most=1, unit=" ms")
    bars.check("streams: accepted to read, p99", median(results, "receive_p99"), most=5, unit=" ms")
    bars.ratio("streams: memory of one that waits to that of an idle WebSocket", *memory.values(), 1)


class waiting:
    """Streams of another process, which are open while the block runs."""

    def __init__(self, place, server, count):
        words = [place.bench, "push", "--port", server.port, "--certificate", place.certificate, "--seconds", 3_600]
        words += [f"service={server.service}", f"pid={server.pid}", "mode=idle", "topics=quiet"]
        words += [f"subscribers={count}", f"bearers={server.bearers}"]
        command = ["taskset", "-c", place.load_core, *map(str, words)]
        self.process, self.server, self.count = subprocess.Popen(command, stdout=subprocess.DEVNULL), server, count

    def __enter__(self):
        before = self.server.descriptors()
        while self.server.descriptors() < before + self.count and self.process.poll() is None:
            time.sleep(0.2)

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
