"""testssl.sh: protocols, ciphers, certificate and known weaknesses of a TLS server, as an auditor asks for them."""

import concurrent.futures
import json
import re
import subprocess
import tempfile
import time

from outcome import Outcome, Served

BAD = ("MEDIUM", "HIGH", "CRITICAL")
# What an auditor would hold against a test, by the name of the finding.
EXPLAINED = {
    "cert_chain_of_trust": "the certificate is signed by itself, for this test",
    "cert_revocation": "such a certificate names nobody to ask",
}
# Groups that run side by side: protocols and ciphers, certificate and HTTP, and two of weaknesses.
PARTS = ["-p -s -f", "-P -S -h", "-H -I -T -R -C -B", "-O -Z -W -A -L -F -J -D -4"]
# Every cipher one by one, and the ways in which twenty browsers would connect.
LONG = ["-E", "-c"]


def version():
    text = subprocess.run(["testssl", "--version"], capture_output=True, text=True, check=False, timeout=60).stdout
    found = re.search(r"testssl\s+([\d.]+)", text)
    return found[1] if found else ""


def findings(port, options):
    """Name, severity and text of each finding."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["testssl", "--quiet", "--color", "0", "--warnings", "batch", "-n", "none", "--ip", "127.0.0.1"]
        command += ["--jsonfile", f"{folder}/seen.json", *options.split(), f"https://localhost:{port}/health"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=900, stdin=subprocess.DEVNULL)
        try:
            with open(f"{folder}/seen.json") as file:
                return [(one["id"], one["severity"], one["finding"]) for one in json.load(file)]
        except (OSError, ValueError) as error:
            return [(f"testssl.sh {options}", "CRITICAL", f"{error}: {done.stdout[-300:]}")]


def run(programs, is_long):
    outcome = Outcome("testssl.sh", version(), "`bellwire serve`; findings of severity MEDIUM and above")
    started = time.monotonic()
    parts = PARTS + (LONG if is_long else [])
    with Served(programs.bellwire) as served, concurrent.futures.ThreadPoolExecutor(len(parts)) as pool:
        for found in pool.map(lambda part: findings(served.port, part), parts):
            for name, severity, text in found:
                if name not in ("service", "scanTime", "engine_problem"):
                    outcome.judge(name, severity not in BAD, f"{severity}: {text}", EXPLAINED.get(name.split(" ")[0]))
        outcome.judge("the server stays up", served.is_alive() and served.ask_health() < 3, "it has ended")
    outcome.seconds = time.monotonic() - started
    return outcome
