"""Idle connections take no CPU time, and a new connection is accepted as fast as the first."""

import statistics
import time

import wire
from crowd import Workers
from report import Attack
from target import Target
from wire import Client

PROCESSES = 4


def run(report, is_long):
    count, seconds = (10_000, 10) if is_long else (1_200, 2)
    with Target(divisor=1) as target:
        # Nobody else connects meanwhile, because that would be measured, too.
        with Attack(
            report, target, "idle connections", f"{count} through TLS, every second one HTTP/2", is_watched=False
        ) as attack:
            alone = first_answer(target)

            def open_part(_):
                clients = []
                for index in range(count // PROCESSES):
                    if index % 2:
                        clients.append(Client(target.port, "http/1.1", timeout=60))
                        clients[-1].ask()
                    else:
                        clients.append(Client(target.port, "h2", timeout=60).open())
                        clients[-1].send(wire.request(1))
                return clients

            workers = Workers(PROCESSES, open_part)
            attack.exactly("all connections are open", workers.done(60), True)
            attack.exactly("descriptors", target.descriptors() - target.first_descriptors, count)
            # HTTP/2 frees memory when it has been idle for a second, and the timers of those whose
            # handshake is over are put off when its time would have been over.
            time.sleep(target.limits.handshake + 1 if is_long else 1.2)
            target.wait_for(lambda: is_at_rest(target), 5)
            before = target.ticks()
            time.sleep(seconds)
            attack.at_most(f"ticks of CPU in {seconds} s", target.ticks() - before, seconds / 2, "")
            # The best of three, because others use the machine, too.
            among = min(first_answer(target) for _ in range(3))
            attack.at_most(f"connect and first answer, {alone * 1e3:.2f} ms alone: ratio", among / alone, 1.5, "")
            attack.bound("memory for each", f"{per_connection(target, count):.1f} KB", True)
            workers.let_go()


def is_at_rest(target):
    before = target.ticks()
    time.sleep(0.3)
    return target.ticks() == before


def first_answer(target):
    """Seconds to the first answer over new connections: the quartile that other programs disturb least."""
    times = []
    for _ in range(100):
        start = time.monotonic()
        client = Client(target.port, "http/1.1")
        client.ask()
        times.append(time.monotonic() - start)
        client.close()
    return statistics.quantiles(times)[0]


def per_connection(target, count):
    return (target.memory() - target.first_memory) / count / 1024
