"""What a server tells at /metrics, what others say about it, and a Prometheus that reads it every second."""

import contextlib
import json
import re
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

import yaml
from kit.certificate import free_port
from kit.checks import Failed
from kit.process import ended, wait_for
from prometheus_client.parser import text_string_to_metric_families

# What Prometheus adds itself.
ADDED = {"job", "instance"}
NAME = re.compile(r"\b(?:bellwire|process)_[a-z_]+")
SELECTOR = re.compile(r"((?:bellwire|process)_[a-z_]+)\{([^}]*)\}")
CONDITION = re.compile(r'(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"')
GROUPING = re.compile(r"\b(?:by|on|without|ignoring)\s*\(([^)]*)\)")


class Served:
    def __init__(self, text):
        self.types = dict(line.split()[2:4] for line in text.splitlines() if line.startswith("# TYPE "))
        self.families = list(text_string_to_metric_families(text))
        # The values of each label of each series.
        self.series = {}
        for family in self.families:
            for sample in family.samples:
                labels = self.series.setdefault(sample.name, {})
                for label, value in sample.labels.items():
                    labels.setdefault(label, set()).add(value)

    def well_formed(self, check):
        """What promtool does not look at."""
        for family in self.families:
            name = family.name + ("_total" if family.type == "counter" else "")
            check(name in self.types, f"{name} has a type, and is no counter without _total")
            check(family.type in ("counter", "gauge", "histogram"), f"{name} is a {family.type}")
            check(family.documentation.endswith("."), f"the help of {name} is a sentence")
            words = name.removesuffix("_total").split("_")
            for unit in ("seconds", "bytes"):
                check(unit not in words[:-1], f"{name} ends in its unit")
            seen = [(sample.name, tuple(sorted(sample.labels.items()))) for sample in family.samples]
            check(len(seen) == len(set(seen)), f"each series of {name} is there once")
        check(len(self.families) == len(self.types), "each family is there once")

    def holds(self, expression, where, check):
        """Every name, label and value of a query is one that the server serves."""
        names = set(NAME.findall(expression))
        for name in names:
            check(name in self.series, f"{where}: {name} is served")
        for name, conditions in SELECTOR.findall(expression):
            for label, relation, value in CONDITION.findall(conditions):
                if label in ADDED:
                    continue
                known = self.series[name].get(label, set())
                check(known, f"{where}: {name} has the label {label}")
                # No status of 500 is served while all is well.
                for word in value.split("|") if label != "status" else ():
                    check(word in known, f"{where}: {name} knows {label} {relation} {word}")
        known = ADDED.union(*(self.series[name] for name in names))
        for labels in GROUPING.findall(expression):
            for label in labels.split(","):
                check(label.strip() in known, f"{where}: there is the label {label}")
        return {re.sub("_(bucket|sum|count)$", "", name) for name in names}

    def documented(self, page, check):
        """docs/metrics.md lists each family, and what it says of labels is so."""
        listed = set(re.findall(r"`((?:bellwire|process)_[a-z_]+)`", page))
        check(listed == set(self.types), f"docs/metrics.md lists {sorted(listed ^ set(self.types))}")
        values = {(label, value) for labels in self.series.values() for label in labels for value in labels[label]}
        told = re.findall(r'[{,](\w+)="([^"]*)"', page) + re.findall(r'`(le)="([^"]*)"`', page)
        check(told, "docs/metrics.md gives examples")
        for label, value in told:
            check((label, value) in values, f'docs/metrics.md: {label}="{value}" is served')


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
