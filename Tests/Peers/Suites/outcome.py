"""What came of a suite: how many cases passed, and which did not, with the reason if it is known."""

import dataclasses


@dataclasses.dataclass
class Outcome:
    suite: str
    version: str
    what: str
    passed: int = 0
    # The case, and why it is no mistake of ours.
    explained: list = dataclasses.field(default_factory=list)
    # The case, and what was seen.
    failed: list = dataclasses.field(default_factory=list)
    seconds: float = 0

    @property
    def cases(self):
        return self.passed + len(self.explained) + len(self.failed)

    def judge(self, case, holds, seen="", known=None):
        """Counts a case. `known` says why a case is expected to fail."""
        if holds:
            self.passed += 1
        elif known:
            self.explained.append((case, known))
        else:
            self.failed.append((case, seen))

    @property
    def holds(self):
        return self.passed > 0 and not self.failed

    def lines(self):
        for case, seen in self.failed:
            yield f"MISS  {self.suite}: {case}: {seen}"
        yield (
            f"{'pass' if self.holds else 'MISS'}  {self.suite} {self.version}: {self.cases:,} cases, "
            f"{self.passed:,} passed, {len(self.explained)} failed and explained, {self.seconds:.0f} s"
        )
