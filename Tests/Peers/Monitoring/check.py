"""Metrics, dashboard, alerts and docs/metrics.md, held against each other: by promtool, by prometheus_client, and by a
Prometheus that reads a running server.

usage: check.py PATH_OF_BELLWIRE       with prometheus and promtool on the PATH
"""

import asyncio
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.request

import websockets
import yaml

sys.path.append(__file__.rsplit("/", 3)[0])
sys.path.append(f"{sys.path[-1]}/Peers/Proxies")

from client import Client, UserAgent
from kit.certificate import free_port
from kit.checks import Checks, checked
from kit.server import Server
from reader import Served, prometheus

CHECKOUT = pathlib.Path(__file__).resolve().parents[3]
RULES = CHECKOUT / "deploy/monitoring/bellwire.rules.yaml"
DASHBOARD = CHECKOUT / "deploy/monitoring/bellwire.dashboard.json"
check = Checks("monitoring")


def promtool(*arguments, given=""):
    done = subprocess.run(["promtool", *arguments], input=given, capture_output=True, text=True)
    said = (done.stdout + done.stderr).strip()
    check(done.returncode == 0, f"promtool {' '.join(arguments[:2])}: {said}")
    return said


class Trial:
    """A server with a user agent, and what senders do right and wrong."""

    def __init__(self, server, metrics):
        self.server, self.metrics = server, metrics

    async def begin(self):
        self.client = Client(self.server.base, self.server.authority)
        self.agent = UserAgent(self.client, check)
        await self.agent.connect(self.server.tell("device", "add", "test")["bearer"])
        await self.push()
        registered = self.server.tell("register", "--app", "telegram", "--account", "me")
        answers = [
            ("POST", f"{self.client.base}/wpush/v1/nobody", 404),
            ("PUT", f"{self.client.base}/wpush/v1/nobody", 404),
            ("POST", f"{self.client.base}/_matrix/push/v1/notify", 400),
            # It is not encrypted, which only the owner learns.
            ("POST", registered["endpoint"], 201),
        ]
        for method, url, expected in answers:
            status, _, _ = await asyncio.to_thread(self.client.ask, method, url, b"{", Content_Type="application/json")
            check(status == expected, f"{method} is answered with {status}")
        try:
            await self.client.socket("/u/nobody")
        except websockets.InvalidStatus as refusal:
            check(refusal.response.status_code == 401, "an unknown device is refused")

    async def push(self):
        await self.agent.pushed(b"text", "a push is taken")

    def text(self):
        with urllib.request.urlopen(f"http://{self.metrics}/metrics", timeout=10) as answer:
            return answer.read().decode()


def panels():
    """The panels of the dashboard, which is as Grafana exports it."""
    dashboard = json.loads(DASHBOARD.read_text())
    found = [panel for panel in dashboard["panels"] if panel["type"] != "row"]
    ids = [panel["id"] for panel in dashboard["panels"]]
    check(len(ids) == len(set(ids)), "each panel has a number of its own")
    taken = set()
    for panel in dashboard["panels"]:
        place = panel["gridPos"]
        cells = {(x + place["x"], y + place["y"]) for x in range(place["w"]) for y in range(place["h"])}
        check(not cells & taken and place["x"] + place["w"] <= 24, f"{panel['title']} has a place of its own")
        taken |= cells
    for panel in found:
        check(panel["targets"] and panel["description"], f"{panel['title']} has queries, and is described")
        for target in panel["targets"]:
            check(target["datasource"]["uid"] == "${datasource}", f"{panel['title']} asks the chosen source")
    return found


def queries():
    """Title and expression of each query, with its variables as Grafana fills them in."""
    for panel in panels():
        for target in panel["targets"]:
            expression = target["expr"]
            for variable, value in {"$__rate_interval": "10s", "$job": ".*", "$instance": ".*"}.items():
                expression = expression.replace(variable, value)
            check("$" not in expression, f"{panel['title']} has no other variables")
            yield panel["title"], expression


def alerts():
    for group in yaml.safe_load(RULES.read_text())["groups"]:
        yield from ((rule["alert"], rule["expr"]) for rule in group["rules"])


def hold(text):
    """What the files say is what the server serves."""
    check(promtool("check", "metrics", given=text) == "", "promtool finds nothing in the metrics")
    metrics = Served(text)
    metrics.well_formed(check)
    metrics.documented((CHECKOUT / "docs/metrics.md").read_text(), check)
    shown = set()
    for title, expression in queries():
        shown |= metrics.holds(expression, title, check)
    check(shown == set(metrics.types), f"the dashboard shows {sorted(set(metrics.types) - shown)}")
    for name, expression in alerts():
        metrics.holds(expression, name, check)


async def read(trial, reader):
    """Each query finds something, and no alert is raised by a server that is well."""
    reader.wait_for("the server", lambda: reader.values("up") == [1])
    open_queries = list(queries())
    deadline = time.monotonic() + 60
    while open_queries and time.monotonic() < deadline:
        await trial.push()
        await asyncio.sleep(0.5)
        # What is shown only while it is not 0 is there all the same.
        found = [(query, reader.values(query[1].removesuffix(" > 0"))) for query in open_queries]
        open_queries = [query for query, values in found if not values or not all(map(math.isfinite, values))]
    check(not open_queries, f"these queries find nothing: {open_queries}")
    names = {name for name, _ in alerts()}
    reader.wait_for("the rules", lambda: all(rule["health"] == "ok" for rule in reader.rules()))
    rules = {rule["name"]: rule["state"] for rule in reader.rules()}
    check(set(rules) == names, "Prometheus reads every rule")
    check(set(rules.values()) == {"inactive"}, f"no alert is raised: {rules}")
    for name, expression in alerts():
        check(reader.values(expression) == [], f"{name} has no reason")


async def main(bellwire):
    promtool("check", "rules", str(RULES))
    promtool("test", "rules", str(pathlib.Path(__file__).with_name("rules_test.yaml")))
    with tempfile.TemporaryDirectory() as folder:
        metrics = f"127.0.0.1:{free_port()}"
        options = ["--metrics-listen", f"http://{metrics}", "--registration", "token", "--access-log", "yes"]
        with Server(bellwire, folder, *options, is_secure=True) as server:
            trial = Trial(server, metrics)
            await trial.begin()
            hold(trial.text())
            with prometheus(folder, metrics, str(RULES)) as reader:
                await read(trial, reader)


began = time.monotonic()
checked(main, sys.argv[1])
print(f"monitoring: {check.passed} checks of metrics, dashboard and alerts in {time.monotonic() - began:.0f} s")
