"""What was done, what it may cost, and what it did cost: one line for each bound."""

import time

from target import Watch

MEGABYTE = 1 << 20
# The memory that malloc keeps in the worst case, on one loop.
MEMORY_BOUND = 8 * MEGABYTE
# How much longer others may wait than in quiet, and than for a server on the same two cores without attack.
SLOWER, SLOWER_BY = 10, 20


class Report:
    def __init__(self):
        self.bounds = self.missed = 0
        self.rows = []
        print(f"      {'attack':22} {'what was done':52} {'bound':52} measured")

    def bound(self, name, done, bound, measured, holds):
        self.bounds += 1
        self.missed += not holds
        row = {"attack": name, "done": done, "bound": bound, "measured": str(measured), "holds": bool(holds)}
        self.rows.append(row)
        print(f"{'pass' if holds else 'MISS'}  {name:22} {done:52} {bound:52} {measured}", flush=True)

    def told(self):
        """Each attack, which has its name in the first of its bounds, and each bound that was missed."""
        attacks, name = {}, ""
        for row in self.rows:
            name = row["attack"] or name
            first = {"attack": name, "done": row["done"], "bounds": 0, "missed": 0, "others": ""}
            attack = attacks.setdefault(name, first)
            attack["bounds"] += 1
            attack["missed"] += not row["holds"]
            if row["bound"].startswith("others: p"):
                attack["others"] = attack["others"] or row["measured"]
        missed = [{name: row[name] for name in ("bound", "measured")} for row in self.rows if not row["holds"]]
        return {"attacks": list(attacks.values()), "missed": missed}


class Attack:
    """One attack: others are served meanwhile, and afterwards everything is as before."""

    def __init__(self, report, target, name, done, is_watched=True, forgets_in=3, p99=None):
        """`p99`: so many milliseconds others may wait, or as long as twice elsewhere."""
        self.report, self.target, self.name, self.done = report, target, name, done
        self.p99 = p99
        self.watch = Watch(target) if is_watched else None
        self.forgets_in = forgets_in
        self.is_first = True

    def __enter__(self):
        if self.watch:
            self.watch.__enter__()
        self.first_cpu, self.start = self.target.cpu(), time.monotonic()
        return self

    def __exit__(self, kind, *_):
        if kind:
            return
        if self.watch:
            self.watch.__exit__()
            quiet, elsewhere = self.target.quiet, self.watch.other_p99
            self.at_most(
                f"others: p99, {quiet:.1f} ms in quiet, {elsewhere:.1f} elsewhere",
                self.watch.p99,
                max(self.p99, 2 * elsewhere) if self.p99 else quiet * SLOWER + SLOWER_BY + elsewhere,
                "ms",
            )
            self.exactly("others: requests that failed", self.watch.failures, 0)
        if not self.target.is_alive():
            return self.bound("the server stays up", "it has ended", False)
        first = self.target.first_descriptors
        took = self.target.wait_for(lambda: self.target.descriptors() <= first, self.forgets_in)
        self.bound(
            f"descriptors are closed within {self.forgets_in:.1f} s",
            f"{self.target.descriptors()} of {first}",
            took is not None,
        )

        def grown():
            return self.target.memory() - self.target.first_memory

        self.target.wait_for(lambda: grown() <= MEMORY_BOUND, 10)
        self.at_most("memory is returned: growth", grown() / MEGABYTE, MEMORY_BOUND / MEGABYTE, "MB")

    def cpu(self):
        """CPU seconds of the server since the beginning."""
        return self.target.cpu() - self.first_cpu

    def bound(self, bound, measured, holds):
        is_named = self.is_first or not holds
        self.report.bound(self.name if is_named else "", self.done if is_named else "", bound, measured, holds)
        self.is_first = False

    def at_most(self, what, value, limit, unit):
        self.bound(f"{what} <= {limit:.4g} {unit}", f"{value:.4g} {unit}", value <= limit)

    def between(self, what, values, least, most):
        """All these times in seconds; None stands for one that did not end."""
        ended = [value for value in values if value is not None]
        holds = len(ended) == len(values) > 0 and least <= min(ended) and max(ended) <= most
        measured = f"{min(ended):.2f}-{max(ended):.2f} s" if ended else "never"
        if len(ended) < len(values):
            measured += f", {len(values) - len(ended)} never"
        self.bound(f"{what} in {least:.2f}-{most:.2f} s", measured, holds)

    def exactly(self, what, value, expected):
        self.bound(f"{what}: {expected}", str(value), value == expected)
