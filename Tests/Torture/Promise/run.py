"""Tortures a server and lets the checker decide whether it kept its promise.

usage: run.py PROGRAM [--long] [--seed N] [--jobs N] [--keep FOLDER] [--json FILE] [SCENARIO...]
       run.py PROGRAM --planted [--seed N] [--jobs N] [--json FILE] [MISTAKE...]
"""

import argparse
import asyncio
import collections
import concurrent.futures
import contextlib
import io
import json
import os
import pathlib
import resource
import shutil
import sys
import tempfile
import time
import traceback

sys.path.append(__file__.rsplit("/", 3)[0])

import events
import scenarios
from machine.power import Power
from machine.server import Server
from verdict import checker
from verdict.story import Story


def everything(folder, seed, kills, seconds):
    """Needs libraries that the other scenarios do without."""
    from everything import everything

    return everything(folder, seed, kills, seconds)


def questions(folder, seed, count, kills):
    """The same."""
    from questions import questions

    return questions(folder, seed, count, kills)


# For each scenario: its short and its long form, and what must have been examined. Those that take longest begin first.
SCENARIOS = {
    "everything": (
        lambda f, s: everything(f, s, 15, 25),
        lambda f, s: everything(f, s, 1_000, 1_200),
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15, 16, 18, 19, 20, 21, 25],
    ),
    "power": (
        lambda f, s: scenarios.power(f, s, 30),
        lambda f, s: scenarios.power(f, s, 400),
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15, 16, 18, 19, 20, 21, 25],
    ),
    "restores": (
        lambda f, s: scenarios.restores(f, s, 2),
        lambda f, s: scenarios.restores(f, s, 30),
        [1, 3, 4, 7, 8, 9, 10, 12, 13, 14, 18, 21, 23, 25],
    ),
    "kills": (
        lambda f, s: scenarios.kills(f, s, 40),
        lambda f, s: scenarios.kills(f, s, 400),
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 16, 25],
    ),
    "topics": (lambda f, s: scenarios.topics(f, s, 20), lambda f, s: scenarios.topics(f, s, 200), [27, 28, 29]),
    "questions": (
        lambda f, s: questions(f, s, 60, 14),
        lambda f, s: questions(f, s, 1_000, 100),
        [25, 28, 29, "restart", "ring"],
    ),
    "births": (lambda f, s: scenarios.births(f, s, 2), lambda f, s: scenarios.births(f, s, 20), [1, 3, 4, 7]),
    "clocks": (lambda f, s: scenarios.clocks(f, s, 8), lambda f, s: scenarios.clocks(f, s, 48), [24]),
    "callbacks": (
        lambda f, s: scenarios.callbacks(f, s, 40),
        lambda f, s: scenarios.callbacks(f, s, 300),
        [15, 18, 19, 20, 21, 25],
    ),
    "disks": (lambda f, s: scenarios.broken_disks(f, s, 6), lambda f, s: scenarios.broken_disks(f, s, 18), [1, 15]),
    "full": (lambda f, s: scenarios.full_disk(f, s, 2), lambda f, s: scenarios.full_disk(f, s, 12), [1, 15]),
    "backlog": (scenarios.backlog, scenarios.backlog, [1, 17]),
    "silence": (scenarios.silence, scenarios.silence, [11]),
    "desktop": (
        lambda f, s: scenarios.desktop(f, s, 24),
        lambda f, s: scenarios.desktop(f, s, 240),
        [1, 2, 3, 4, 5, 7, 8, 9, 10, 12, 13, 14, 16, 19, 22, 25, "restart"],
    ),
    "life": (lambda f, s: scenarios.long_life(f, s, 2), lambda f, s: scenarios.long_life(f, s, 5), [26]),
}

# What must also have been examined in the long form. In the short one, its acts may not have come.
LONG = {"everything": [23, 24]}

# Mistakes that a build can contain: the scenario that shows each, and the rule that it breaks, or one of them.
PLANTS = {
    "ANSWER_BEFORE_COMMIT": ("kills", [1]),
    "ACKNOWLEDGE_BY_TOPIC": ("kills", [1]),
    "ID_IS_ROW": ("kills", [4]),
    "DROP_OLDEST": ("backlog", [1]),
    "EXPIRY_BY_WALL_CLOCK": ("clocks", [24]),
    "OUTBOX_AFTER_ANSWER": ("callbacks", [18]),
    "MERGE_IN_FLIGHT": ("callbacks", [21]),
    "UPDATE_BEFORE_COMMIT": ("callbacks", [19]),
    "STREAM_BEFORE_COMMIT": ("topics", [27]),
    "SCHEDULED_TWICE": ("topics", [27, 28]),
    "DELETED_RETURNS": ("topics", [29]),
    "DISMISSED_RETURNS": ("topics", [29]),
    "SECOND_ANSWER": ("questions", [28]),
    "ANSWER_LOST": ("questions", [28]),
    "REQUEST_REPEATED": ("questions", ["ring"]),
    "BACKUP_MISSES_NEWEST": ("restores", [23]),
    "RESTORE_FORGETS_ENDED": ("restores", [23]),
    "NO_SYNC": ("power", [18]),
    "NO_FOLDER_SYNC": ("births", [14, "alive"]),
    "ACKNOWLEDGE_BEFORE_REPLY": ("desktop", [1]),
    "SOUND_AGAIN": ("desktop", [22]),
    "LEAVE_ON_SCREEN": ("desktop", [22]),
}


def perform(name, folder, seed, is_long):
    short, long, required = SCENARIOS[name]
    paths = asyncio.run((long if is_long else short)(folder, seed))
    stories, findings = [], checker.Findings()
    for path in paths if isinstance(paths, list) else [paths]:
        stories.append(Story(events.read(path)))
        findings.merge(checker.check(stories[-1]))
    return stories, findings, required + (LONG.get(name, []) if is_long else [])


# A mistake is searched for with one seed after the other for so many seconds.
SEARCH = 60


def search(plant, folder, seed, _):
    """Whether the mistake is found in time, and what it broke."""
    name, rules = PLANTS[plant]
    os.environ["BELLWIRE_PLANT"] = plant
    before, broken, seconds = time.monotonic(), {}, 0
    while not broken.keys() & set(rules) and 1.5 * seconds < SEARCH:
        place = folder / plant / str(seed)
        place.mkdir(parents=True)
        _, findings, _ = perform(name, place, seed, False)
        broken = {one: len(texts) for one, texts in findings.violations.items() if texts}
        seconds, seed = time.monotonic() - before, seed + 1
    text = f"{plant}: in {name}, {seconds:.0f} s, seed {seed - 1}; violations "
    text += ", ".join(f"{count} of {one}" for one, count in broken.items()) or "none"
    rule = next((one for one in rules if one in broken), rules[0])
    lines = ["found   " + text if rule in broken else "MISSED  " + text]
    lines += [f"        {one}" for one in findings.violations[rule][:1]]
    found = {"mistake": plant, "scenario": name, "rule": rule, "violations": broken.get(rule, 0)}
    return found | {"seconds": round(seconds), "is_good": rule in broken, "text": "\n".join(lines) + "\n"}


# What a scenario is measured by: what it is called, and the events that are counted.
COUNTS = {
    "ends of the server": "kill",
    "power cuts": "cut",
    "ends of the desktop": "desk-kill",
    "of its bus": "bus-end",
    "of the notification daemon": "screen-end",
    "pushes": "push",
    "deliveries": "delivery",
    "acknowledgements": "ack",
    "connections": "open",
    "faults": "fault",
    "jumps": "jump",
    "pushes to registrations": "tell",
    "callbacks": "attempt",
    "backups": "backup",
    "restores": "restored",
    "messages to applications": "app-message",
    "notifications": "notify",
    "questions": "ask",
    "presses": "press",
    "ends of one of two desktops": "own-desk-kill",
    "of its notification server": "own-screen-end",
    "of who asks": "asker-kill",
    "closed": "own-closes",
}


def play(name, folder, seed, is_long):
    """What happened, how often each rule was examined and broken, and a text with all of it."""
    before, said = time.monotonic(), io.StringIO()
    played = {"scenario": name, "seed": seed, "is_good": False, "counts": {}, "cases": {}, "violations": {}}
    with contextlib.redirect_stdout(said):
        try:
            stories, findings, required = perform(name, folder, seed, is_long)
        except (Exception, SystemExit):
            print(f"\nFAIL  {name}: seed {seed}\n{traceback.format_exc()}")
        else:
            happened = collections.Counter(event["e"] for story in stories for event in story.events)
            played["counts"] = {what: happened[event] for what, event in COUNTS.items() if happened[event]}
            played["cases"] = {str(rule): count for rule, count in findings.cases.items()}
            played["violations"] = {str(rule): texts[:5] for rule, texts in findings.violations.items() if texts}
            words = ", ".join(f"{count:,} {what}" for what, count in played["counts"].items())
            print(f"\n{name}: seed {seed}, {time.monotonic() - before:.0f} s, {words}")
            played["is_good"] = checker.report(findings, required)
    return played | {"seconds": round(time.monotonic() - before), "text": said.getvalue()}


def prepare(program, is_ext4):
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    Server.program, Power.is_ext4 = program, is_ext4


def side_by_side(what, names, arguments, folder):
    """What became of each. So many run at once, each in a process of its own."""
    with concurrent.futures.ProcessPoolExecutor(
        arguments.jobs, initializer=prepare, initargs=(arguments.program, arguments.ext4), max_tasks_per_child=1
    ) as pool:
        futures = [pool.submit(what, name, folder, arguments.seed, arguments.long) for name in names]
        for future in concurrent.futures.as_completed(futures):
            played = future.result()
            print(played.pop("text"), end="", flush=True)
            yield played


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--jobs", type=int, default=1, help="how many scenarios run at once")
    parser.add_argument("--keep", help="folder for all logs; else those of broken scenarios stay in one of their own")
    parser.add_argument("--json", type=pathlib.Path, help="also writes what happened to a file")
    parser.add_argument("--ext4", action="store_true", help="power cuts lose only what they may lose on ext4")
    parser.add_argument("--planted", action="store_true", help="PROGRAM makes known mistakes; is each found?")
    parser.add_argument("names", nargs="*", metavar="NAME", help="scenarios, or mistakes with --planted")
    arguments = parser.parse_intermixed_args()
    known = PLANTS if arguments.planted else SCENARIOS
    for name in arguments.names:
        if name not in known:
            parser.error(f"there is no {name}: {' '.join(known)}")
    return arguments


def clear(folder, broken):
    """Only what may have to be looked at stays."""
    for place in folder.iterdir():
        if place.name.partition("-")[0] not in broken:
            # A scenario that ended early may have left a file system there.
            shutil.rmtree(place, ignore_errors=True)
    if any(folder.iterdir()):
        print(f"\ntorture: the logs are in {folder}")
    else:
        folder.rmdir()


def main():
    arguments = parse()
    if os.environ.get("TORTURE_NAMESPACE") != "own":
        # Private mounts, which end with this process.
        os.environ["TORTURE_NAMESPACE"] = "own"
        own = ["unshare", "--mount"] + ([] if os.getuid() == 0 else ["--map-root-user"])
        os.execvp("unshare", [*own, sys.executable, *sys.argv])
    started = time.monotonic()
    known, what = (PLANTS, search) if arguments.planted else (SCENARIOS, play)
    folder = pathlib.Path(arguments.keep or tempfile.mkdtemp(prefix="torture-"))
    played = list(side_by_side(what, arguments.names or list(known), arguments, folder))
    if not arguments.keep:
        clear(folder, [] if arguments.planted else [one["scenario"] for one in played if not one["is_good"]])
    if arguments.json:
        arguments.json.write_text(json.dumps({"mistakes" if arguments.planted else "scenarios": played}))
    bad = [one.get("scenario" if what is play else "mistake") for one in played if not one["is_good"]]
    verdict = ("the promise was kept", "the promise was broken in")
    if arguments.planted:
        verdict = ("every mistake was found", "missed:")
    seconds = time.monotonic() - started
    print(f"\ntorture: seed {arguments.seed}, {seconds:.0f} s, {' '.join([verdict[1], *bad]) if bad else verdict[0]}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
