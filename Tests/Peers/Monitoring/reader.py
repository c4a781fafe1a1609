"""A Prometheus that reads one server every second."""

import contextlib
import json
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

import yaml
from kit.certificate import free_port
from kit.checks import Failed
from running import ended, wait_for


class Prometheus:
    def __init__(self, port):
        self.base = f"http://127.0.0.1:{port}"

    def is_ready(self):
        """It accepts connections before it answers queries."""
        try:
            with urllib.request.urlopen(f"{self.base}/-/ready", timeout=10) as answer:
                return answer.status == 200
        except urllib.error.HTTPError:
            return False

    def ask(self, path, **parameters):
        url = f"{self.base}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
        with urllib.request.urlopen(url, timeout=10) as answer:
            return json.load(answer)["data"]

    def values(self, expression):
        return [float(series["value"][1]) for series in self.ask("query", query=expression)["result"]]

    def rules(self):
        return [rule for group in self.ask("rules")["groups"] for rule in group["rules"]]

    def wait_for(self, what, condition):
        deadline = time.monotonic() + 30
        while not condition():
            if time.monotonic() > deadline:
                raise Failed(f"monitoring: FAILED: Prometheus does not see {what}")
            time.sleep(0.2)


@contextlib.contextmanager
def prometheus(folder, target, rules):
    """Reads `target` under the name of job that the rules ask for."""
    port = free_port()
    settings = {
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": [rules],
        "scrape_configs": [{"job_name": "bellwire", "static_configs": [{"targets": [target]}]}],
    }
    with open(f"{folder}/prometheus.yaml", "w") as file:
        yaml.safe_dump(settings, file)
    process = subprocess.Popen(
        [
            "prometheus",
            f"--config.file={folder}/prometheus.yaml",
            f"--storage.tsdb.path={folder}/series",
            f"--web.listen-address=127.0.0.1:{port}",
        ],
        stdout=subprocess.DEVNULL,
        stderr=open(f"{folder}/prometheus.log", "w"),
    )
    with ended(process, 0):
        wait_for("prometheus", ("127.0.0.1", port), process)
        reader = Prometheus(port)
        reader.wait_for("that it has started", reader.is_ready)
        yield reader
