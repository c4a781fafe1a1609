"""Tortures a server and lets the checker decide whether it kept its promise.

usage: run.py PROGRAM [--long] [--seed N] [--keep FOLDER] [--planted NAME] [SCENARIO...]
"""

import argparse
import asyncio
import collections
import os
import pathlib
import resource
import sys
import tempfile
import time

import checker
import events
import scenarios
from server import Server
from story import Story

# For each scenario: its short and its long form, and what must have been examined.
SCENARIOS = {
    "kills": (
        lambda f, s: scenarios.kills(f, s, 40),
        lambda f, s: scenarios.kills(f, s, 400),
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 16, 25],
    ),
    "clocks": (lambda f, s: scenarios.clocks(f, s, 8), lambda f, s: scenarios.clocks(f, s, 48), [24]),
    "callbacks": (
        lambda f, s: scenarios.callbacks(f, s, 40),
        lambda f, s: scenarios.callbacks(f, s, 300),
        [15, 18, 19, 20, 21, 25],
    ),
    "disks": (lambda f, s: scenarios.broken_disks(f, s, 3), lambda f, s: scenarios.broken_disks(f, s, 18), [1, 15]),
    "full": (lambda f, s: scenarios.full_disk(f, s, 2), lambda f, s: scenarios.full_disk(f, s, 12), [1, 15]),
    "backlog": (scenarios.backlog, scenarios.backlog, [1, 17]),
    "silence": (scenarios.silence, scenarios.silence, [11]),
    "restores": (
        lambda f, s: scenarios.restores(f, s, 3),
        lambda f, s: scenarios.restores(f, s, 30),
        [1, 3, 4, 7, 8, 9, 10, 12, 13, 14, 18, 21, 23, 25],
    ),
    "life": (lambda f, s: scenarios.long_life(f, s, 2), lambda f, s: scenarios.long_life(f, s, 5), [26]),
}

# Mistakes that a build can contain: the scenario that shows each, and the rule that it breaks.
PLANTS = {
    "ANSWER_BEFORE_COMMIT": ("kills", 1),
    "ACKNOWLEDGE_BY_TOPIC": ("kills", 1),
    "ID_IS_ROW": ("kills", 4),
    "DROP_OLDEST": ("backlog", 1),
    "EXPIRY_BY_WALL_CLOCK": ("clocks", 24),
    "OUTBOX_AFTER_ANSWER": ("callbacks", 18),
    "MERGE_IN_FLIGHT": ("callbacks", 21),
    "UPDATE_BEFORE_COMMIT": ("callbacks", 19),
    "BACKUP_MISSES_NEWEST": ("restores", 23),
    "RESTORE_FORGETS_ENDED": ("restores", 23),
}


def perform(name, folder, seed, is_long):
    short, long, required = SCENARIOS[name]
    path = asyncio.run((long if is_long else short)(folder, seed))
    story = Story(events.read(path))
    return story, checker.check(story), required


def search(plant, folder, seed):
    """Whether the mistake is found."""
    name, invariant = PLANTS[plant]
    _, findings, _ = perform(name, folder, seed, False)
    broken = {one: len(texts) for one, texts in findings.violations.items() if texts}
    is_found = bool(broken.get(invariant))
    print(
        f"{'found' if is_found else 'MISSED'}  {plant}: in {name}, seed {seed}; violations "
        + (", ".join(f"{count} of {one}" for one, count in broken.items()) or "none")
    )
    for text in findings.violations[invariant][:1]:
        print(f"      {text}")
    return is_found


def play(name, folder, seed, is_long):
    before = time.monotonic()
    story, findings, required = perform(name, folder, seed, is_long)
    counts = collections.Counter(event["e"] for event in story.events)
    accepted = sum(push.is_accepted for push in story.pushes.values())
    told = sum(event.get("status") == 201 for event in story.events if event["e"] == "told")
    print(
        f"\n{name}: seed {seed}, {counts['kill']} kills, {counts['push']:,} pushes"
        f" ({accepted:,} accepted), {counts['delivery']:,} deliveries, {counts['ack']:,}"
        f" acknowledgements, {counts['open']:,} connections, {counts['fault']} faults,"
        f" {counts['jump']} jumps, {counts['tell']:,} pushes to registrations ({told:,} accepted),"
        f" {counts['attempt']:,} callbacks, {counts['backup']} backups, {counts['restored']} restores,"
        f" {time.monotonic() - before:.0f} s"
    )
    is_good = checker.report(findings, required)
    for event in story.failures:
        print(f"FAIL  the server did not start again at {event['t']:.3f}")
    return is_good and not story.failures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--keep", help="folder for the logs")
    parser.add_argument("--planted", choices=PLANTS, help="the mistake that PROGRAM was built with")
    parser.add_argument("scenarios", nargs="*", choices=[[], *SCENARIOS])
    arguments = parser.parse_intermixed_args()
    if os.environ.get("TORTURE_NAMESPACE") != "own":
        # Private mounts, which end with this process.
        os.environ["TORTURE_NAMESPACE"] = "own"
        own = ["unshare", "--mount"] + ([] if os.getuid() == 0 else ["--map-root-user"])
        os.execvp("unshare", [*own, sys.executable, *sys.argv])
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    Server.program = arguments.program
    started, missed = time.monotonic(), []
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(arguments.keep or temporary)
        if arguments.planted:
            return 0 if search(arguments.planted, folder, arguments.seed) else 1
        for name in arguments.scenarios or SCENARIOS:
            if not play(name, folder, arguments.seed, arguments.long):
                missed.append(name)
    print(
        f"\ntorture: seed {arguments.seed}, {time.monotonic() - started:.0f} s, "
        + (f"the promise was broken in {', '.join(missed)}" if missed else "the promise was kept")
    )
    return 1 if missed else 0


sys.exit(main())
