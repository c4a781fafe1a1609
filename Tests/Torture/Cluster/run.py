"""Tortures a cluster of three nodes and three servers of NATS, and decides whether it kept its promise.

usage: run.py PROGRAM [--long] [--seconds N] [--seed N] [--keep FOLDER] [--json FILE]
              [--only ACT,…] [--without ACT,…]
"""

import argparse
import asyncio
import collections
import json
import pathlib
import random
import shutil
import sys
import tempfile
import time

sys.path.append(__file__.rsplit("/", 3)[0])
sys.path.append(f"{sys.path[-1]}/Torture/Promise")

import events
from acts import SHORT as SHORT_ACTS
from acts import WEIGHTS
from judged import rules
from scenario import Scenario
from verdict.checker import report

SHORT, LONG = 22, 600


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--seconds", type=float, help="how long something fails")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--keep", type=pathlib.Path, help="folder for logs and states; else only broken runs keep them")
    parser.add_argument("--json", type=pathlib.Path, help="also writes what happened to a file")
    parser.add_argument("--only", help="these acts, or nothing: " + " ".join(WEIGHTS))
    parser.add_argument("--without", default="", help="not these acts, or clocks: nodes have the same clocks then")
    parser.add_argument("--judge", action="store_true", help="only judges what --keep has kept")
    arguments = parser.parse_args()
    usual = list(WEIGHTS) if arguments.long or arguments.seconds else SHORT_ACTS
    arguments.only = arguments.only.split(",") if arguments.only else usual
    arguments.without = arguments.without.split(",")
    arguments.seconds = arguments.seconds or (LONG if arguments.long else SHORT)
    return arguments


def judge(arguments, folder, seconds):
    story, findings = rules.check(events.read(folder / "cluster.log"))
    happened = collections.Counter(event["e"] for event in story.events)
    acts = collections.Counter(kind for kind, *_ in story.faults)
    statuses = collections.Counter(str(push.status) for push in story.pushes.values())
    counts = {"acts": dict(acts), "pushes": happened["push"], "answers": dict(statuses)}
    counts |= {"deliveries": happened["delivery"], "acknowledgements": happened["ack"]}
    counts |= story.figures
    print(f"cluster: seed {arguments.seed}, {seconds:.0f} s, {json.dumps(counts)}")
    is_good = report(findings, rules.REQUIRED + (rules.REQUIRED_IN_LONG if arguments.long else []))
    if arguments.json:
        played = {"scenario": "cluster", "seed": arguments.seed, "is_good": is_good, "counts": counts}
        played["cases"] = {str(rule): count for rule, count in findings.cases.items()}
        played["violations"] = {str(rule): texts[:5] for rule, texts in findings.violations.items() if texts}
        arguments.json.write_text(json.dumps({"scenarios": [played | {"seconds": round(seconds)}]}))
    return is_good


def main():
    arguments = parse()
    arguments.program = str(pathlib.Path(arguments.program).resolve())
    random.seed(arguments.seed)
    began = time.monotonic()
    folder = arguments.keep or pathlib.Path(tempfile.mkdtemp(prefix="torture-"))
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not arguments.judge:
        asyncio.run(Scenario(folder.resolve(), arguments).run())
    is_good = judge(arguments, folder, time.monotonic() - began)
    if is_good and not arguments.keep:
        shutil.rmtree(folder)
    elif not is_good:
        print(f"torture: the logs are in {folder}")
    print(f"torture: seed {arguments.seed}, " + ("the promise was kept" if is_good else "the promise was broken"))
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
