"""Other people's test programs against `bellwire serve`, and against our WebSocket server.

usage: check.py PATH_OF_BELLWIRE PATH_OF_WEBSOCKETPROBE [--long] [--json FILE] [SUITE...]
"""

import argparse
import concurrent.futures
import json
import sys
import time

sys.path.append(__file__.rsplit("/", 3)[0])

import autobahn
import http2_cases
import slowhttp
import testssl
import tls
import tls_records
import wsproto_cases

# Those that mostly wait come first, and the others run meanwhile, one after the other.
WAITING = {"slowhttptest": slowhttp.run, "testssl": testssl.run}
BUSY = {
    "tls": tls.run,
    "tls-records": tls_records.run,
    "h2": http2_cases.run_h2,
    "hpack": http2_cases.run_hpack,
    "wsproto": wsproto_cases.run,
    "autobahn": autobahn.run,
}


def run_one(run, programs, is_long):
    outcome = run(programs, is_long)
    print("\n".join(outcome.lines()), flush=True)
    return outcome


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bellwire")
    parser.add_argument("websocket")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--json")
    parser.add_argument("suites", nargs="*", choices=[[], *WAITING, *BUSY])
    programs = parser.parse_intermixed_args()
    names = programs.suites or [*WAITING, *BUSY]
    started = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor() as pool:
        waiting = {
            name: pool.submit(run_one, WAITING[name], programs, programs.long) for name in names if name in WAITING
        }
        outcomes = {name: run_one(BUSY[name], programs, programs.long) for name in names if name in BUSY}
        outcomes |= {name: one.result() for name, one in waiting.items()}
    outcomes = [outcomes[name] for name in names]
    if programs.json:
        rows = [
            {
                "suite": one.suite,
                "version": one.version,
                "what": one.what,
                "cases": one.cases,
                "passed": one.passed,
                "failed": [case for case, _ in one.failed],
                "explained": [{"case": case, "why": why} for case, why in one.explained],
                "seconds": round(one.seconds),
            }
            for one in outcomes
        ]
        with open(programs.json, "w") as file:
            json.dump({"long": programs.long, "suites": rows}, file)
    cases, failed = sum(one.cases for one in outcomes), sum(len(one.failed) for one in outcomes)
    print(f"suites: {cases:,} cases of {len(outcomes)} suites, {failed} failed, {time.monotonic() - started:.0f} s")
    return 0 if all(one.holds for one in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
