"""Attacks a server in every way we know and checks that it stays within its bounds.

usage: run.py PATH_OF_SERVERPROBE PATH_OF_BELLWIRE [--long] [--json FILE] [FAMILY...]
"""

import argparse
import json
import pathlib
import resource
import sys
import tempfile
import time

sys.path.append(__file__.rsplit("/", 3)[0])

import besieged
import deaf
import floods
import half_open
import handshakes
import idle
import oversize
import slow
import worst
from kit.certificate import certificate
from report import Report
from target import Target

FAMILIES = {
    "slow": slow.run,
    "idle": idle.run,
    "half-open": half_open.run,
    "handshakes": handshakes.run,
    "oversize": oversize.run,
    "floods": floods.floods,
    "garbage": floods.garbage,
    "deaf": deaf.run,
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("probe")
    parser.add_argument("bellwire")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--json")
    parser.add_argument("families", nargs="*", choices=[[], *FAMILIES, *worst.FAMILIES])
    arguments = parser.parse_intermixed_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        Target.program = arguments.probe
        _, _, Target.certificate = certificate(folder)
        report = Report()
        for name in arguments.families or [*FAMILIES, *worst.FAMILIES]:
            if name in FAMILIES:
                FAMILIES[name](report, arguments.long)
            else:
                besieged.run(report, arguments.long, arguments.bellwire, name)
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps({"long": arguments.long} | report.told()))
    print(f"attacks: {report.bounds} bounds, {report.missed} missed, {time.monotonic() - started:.0f} s")
    return 1 if report.missed or not report.bounds else 0


sys.exit(main())
