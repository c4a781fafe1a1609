"""slowhttptest: heads, bodies and answers that take for ever, and ranges, through TLS and in clear.

The slow ones are ended within the limits of docs/attacks.md, others are served meanwhile, and afterwards the server is
as before.
"""

import concurrent.futures
import re
import subprocess
import tempfile
import threading
import time

from outcome import Outcome, Served

CONNECTIONS = 200
# A head has ten seconds, a body thirty, and who does not read is ended like an idle connection; closing takes as long
# again as a body.
HEAD, BODY, IDLE, DEAF = 10, 30, 75, 75 + 30
SLACK = 5
# What malloc keeps, and descriptors that the server opens once.
MEMORY, ONCE = 8 << 20, 3


class Attack:
    """One run of slowhttptest."""

    def __init__(self, name, options, least, most):
        self.name, self.options, self.least, self.most = name, options.split(), least, most


def attacks(is_long):
    yield Attack("slow heads", "-H -i 2 -x 10 -l 60", HEAD - SLACK, HEAD + SLACK)
    yield Attack("slow bodies", "-B -i 3 -x 10 -s 4000 -t POST -l 60", BODY - SLACK, BODY + SLACK)
    yield Attack("ranges", "-R -a 10 -b 3000 -l 30", 0, 2 * SLACK)
    slow = "-X -w 10 -y 20 -n 5 -z 10 -k 5"
    if is_long:
        yield Attack("slow reading", f"{slow} -l {DEAF + 2 * SLACK}", IDLE - SLACK, DEAF + SLACK)
    else:
        # It ends by itself before the server does.
        yield Attack("slow reading", f"{slow} -l 12", 0, 12 + SLACK)


class Others:
    """A client that comes anew ten times a second, and sees how long the server keeps the others."""

    def __init__(self, served):
        self.served, self.times, self.failures, self.is_over = served, [], 0, threading.Event()
        self.descriptors, self.held = served.descriptors(), []
        self.threads = [threading.Thread(target=work) for work in (self.ask, self.count)]

    def ask(self):
        while not self.is_over.wait(0.1):
            try:
                self.times.append(self.served.ask_health())
            except OSError:
                self.failures += 1

    def count(self):
        while not self.is_over.wait(0.25):
            self.held.append((time.monotonic(), self.served.descriptors() - self.descriptors))

    def took(self):
        """Seconds from when nearly all connections were there until the server had ended nearly all."""
        most = max(held for _, held in self.held)
        if most < CONNECTIONS * 0.5:
            return 0
        begun = next(when for when, held in self.held if held > most * 0.95)
        return max(when for when, held in self.held if held > CONNECTIONS * 0.1) - begun

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        for thread in self.threads:
            thread.join()


def version():
    text = subprocess.run(["slowhttptest", "-h"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"version ([\d.]+)", text)
    return found[1] if found else ""


def attacked(program, attack, scheme):
    """What the attack saw, as (case, whether it holds, what was seen)."""
    with Served(program) as served, tempfile.TemporaryDirectory() as folder:
        served.wait_for(lambda: served.descriptors() < 30, 5)
        memory, descriptors = served.memory(), served.descriptors()
        url = f"https://127.0.0.1:{served.port}/" if scheme == "TLS" else f"http://127.0.0.1:{served.plain}/"
        command = ["slowhttptest", *attack.options, "-c", str(CONNECTIONS), "-r", str(CONNECTIONS // 2)]
        with Others(served) as others:
            done = subprocess.run(
                [*command, "-p", "3", "-u", url, "-v", "1", "-g", "-o", f"{folder}/seen"],
                capture_output=True,
                text=True,
                timeout=300,
            )
        # A second each: closed, pending and connected ones, and whether its own probe was answered.
        lines = [list(map(int, line.split(","))) for line in open(f"{folder}/seen.csv").read().split()[3:]]
        took = others.took()
        name = f"{attack.name}, {scheme}"
        yield f"{name}: the program works", done.returncode == 0 and lines, done.stderr[-300:]
        yield f"{name}: ended in time", attack.least <= took <= attack.most, f"{took:.0f} s"
        down = [second for second, *_, served_then in lines if not served_then]
        yield f"{name}: its own probes are answered", not down, f"not in seconds {down}"
        worst = max(others.times, default=99)
        seen = f"{others.failures} of {len(others.times)} failed, the slowest took {worst:.1f} s"
        yield f"{name}: others are served", not others.failures and worst < 3, seen
        back = served.wait_for(lambda: served.descriptors() <= descriptors + ONCE, 5)
        yield f"{name}: descriptors are closed", back is not None, f"{served.descriptors()} of {descriptors}"
        back = served.wait_for(lambda: served.memory() - memory < MEMORY, 10)
        yield f"{name}: memory is returned", back is not None, f"grown by {(served.memory() - memory) >> 20} MB"


def run(programs, is_long):
    outcome = Outcome("slowhttptest", version(), f"`bellwire serve`, {CONNECTIONS} connections each")
    started = time.monotonic()
    runs = [(programs.bellwire, attack, scheme) for attack in attacks(is_long) for scheme in ("TLS", "clear")]
    with concurrent.futures.ThreadPoolExecutor(len(runs)) as pool:
        for cases in pool.map(lambda words: list(attacked(*words)), runs):
            for case, holds, seen in cases:
                outcome.judge(case, holds, seen)
    outcome.seconds = time.monotonic() - started
    return outcome
