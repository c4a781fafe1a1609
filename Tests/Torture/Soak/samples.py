"""What a process uses, measured from outside, and what grew."""

import statistics
import time

from kit.process import Running

# Each quantity with its unit, the part by which it may grow from the second quarter of a soak to the last, and what may
# come on top: a measurement is not exact.
LIMITS = {
    "memory": ("MiB", 0.05, 2.0),
    "descriptors": ("", 0.0, 4.0),
    "log of changes": ("MiB", 0.10, 8.0),
    "store": ("MiB", 0.10, 4.0),
    "answer, middle": ("ms", 0.50, 1.0),
    "answer, 99 %": ("ms", 1.00, 10.0),
    "delivery, middle": ("ms", 0.50, 1.0),
    "delivery, 99 %": ("ms", 1.00, 20.0),
    "processor": ("% of a core", 0.30, 2.0),
    "wake-ups": ("a second", 0.30, 50.0),
}


def quantile(values, part):
    """In milliseconds; zero for no values."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))] * 1_000 if ordered else 0.0


class Meter(Running):
    """Takes a sample of a process whenever it is asked."""

    def __init__(self, process, state):
        super().__init__(process)
        self.state = state
        self.last = self.totals()

    def totals(self):
        return time.monotonic(), self.ticks() / 100, sum(self.wakes().values())

    def size(self, suffix):
        files = [file for file in self.state.iterdir() if file.name.endswith(suffix) and file.is_file()]
        return sum(file.stat().st_size for file in files) / 2**20

    def take(self, answers, deliveries):
        before, self.last = self.last, self.totals()
        seconds = self.last[0] - before[0]
        return {
            "memory": self.memory() / 2**20,
            "descriptors": float(self.descriptors()),
            "log of changes": self.size("-wal"),
            "store": self.size(".db"),
            "answer, middle": quantile(answers, 0.5),
            "answer, 99 %": quantile(answers, 0.99),
            "delivery, middle": quantile(deliveries, 0.5),
            "delivery, 99 %": quantile(deliveries, 0.99),
            "processor": (self.last[1] - before[1]) / seconds * 100,
            "wake-ups": (self.last[2] - before[2]) / seconds,
        }


def growth(samples):
    """For each quantity: its unit, the medians of the second and of the last quarter, and whether it grew."""
    quarter = max(1, len(samples) // 4)
    rows = []
    for name, (unit, part, offset) in LIMITS.items():
        values = [sample[name] for sample in samples]
        early = statistics.median(values[quarter : 2 * quarter])
        late = statistics.median(values[-quarter:])
        rows.append((name, unit, early, late, late > early * (1 + part) + offset))
    return rows


# What is drawn over the time.
CURVES = ("memory", "log of changes", "answer, 99 %", "delivery, 99 %", "answer, middle", "processor")


def told(samples):
    """Least, middle and most of each quantity, and the curves of some."""
    columns = {name: [round(sample[name], 2) for sample in samples] for name in LIMITS}
    ordered = {name: sorted(values) for name, values in columns.items()}
    quantities = {name: [one[0], one[len(one) // 2], one[-1]] for name, one in ordered.items()}
    return {"quantities": quantities, "curves": {name: columns[name] for name in CURVES}}
