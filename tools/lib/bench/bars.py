"""Figures, and what they have to reach."""

import statistics
import subprocess


class Bars:
    """In a trial they say nothing, because its figures mean nothing."""

    def __init__(self, is_trial=False):
        self.is_trial, self.missed, self.kept = is_trial, 0, []

    def check(self, name, value, most=None, least=None, unit="", spread=None):
        """A figure with its bar, or without one for comparison only."""
        is_reached = (most is None or value <= most) and (least is None or value >= least)
        self.missed += not is_reached
        bar = f", at most {most:g}" if most is not None else f", at least {least:g}" if least is not None else ""
        around = f" ({spread[0]:.3g} to {spread[1]:.3g})" if spread else ""
        word = "    " if not bar or self.is_trial else "pass" if is_reached else "MISS"
        print(f"{word}  {name}: {number(value)}{unit}{around}{bar}{unit if bar else ''}", flush=True)
        self.kept.append(
            {"name": name, "value": round(value, 4), "unit": unit.strip(), "most": most, "least": least}
            | ({"spread": [round(value, 4) for value in spread]} if spread else {})
        )

    def ratio(self, name, ours, theirs, most=None):
        """The median of the ratios of both lists, whose items were measured one after the other."""
        ratios = [mine / other for mine, other in zip(ours, theirs)]
        self.check(name, statistics.median(ratios), most, spread=(min(ratios), max(ratios)))

    @property
    def exit_code(self):
        return 1 if self.missed and not self.is_trial else 0


def number(value):
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def median(runs, name):
    return statistics.median(run[name] for run in runs)


def figures(runs, name):
    return [run[name] for run in runs]


def line(service, runs):
    """A line with the usual figures of a load."""
    text = f"      {service:10} {median(runs, 'cpu_us'):7.2f} us CPU  {median(runs, 'rate'):7,.0f}/s"
    for kind, word in (("receive", "received"), ("answer", "answered")):
        if median(runs, f"{kind}_p50"):
            text += f"  {word} p50 {median(runs, f'{kind}_p50'):.3f} p99 {median(runs, f'{kind}_p99'):.3f} ms"
    print(text, flush=True)


def processor():
    """How fast it is, by OpenSSL."""
    command = ["openssl", "speed", "-elapsed", "-seconds", "1", "-bytes", "1024", "-evp", "aes-128-gcm"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return said.strip().splitlines()[-1]
