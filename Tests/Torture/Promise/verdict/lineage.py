"""What a store remembers after restores: the backup's moments and the new ones, not those in between."""

import bisect

FOREVER = float("inf")


class Life:
    """The time of one store, from its restore to the next. `backup`: when the command began and when it ended."""

    def __init__(self, start, before=None, backup=None, has_former=False):
        self.start, self.before, self.backup, self.has_former = start, before, backup, has_former
        self.confirm_sent = self.confirmed = start if has_former or not before else FOREVER
        # The life in which the backup was made.
        self.origin = before
        while self.origin and self.origin.start > backup[0]:
            self.origin = self.origin.before


class Lineage:
    """What happened at one moment may be unknown at a later one. All times are those of the peers' log.

    The moment of a backup lies between the start and the end of its command: what was done before the start is surely
    in it, and what began before the end is perhaps in it.
    """

    def __init__(self):
        self.lives, self.starts = [Life(-FOREVER)], [-FOREVER]

    def restore(self, time, backup, has_former):
        self.lives.append(Life(time, self.lives[-1], backup, has_former))
        self.starts.append(time)

    def life(self, time):
        return self.lives[max(0, bisect.bisect_right(self.starts, time) - 1)]

    def end_of_life(self, time):
        """The last moment before the next restore."""
        at = bisect.bisect_right(self.starts, time)
        return self.starts[at] - 1e-6 if at < len(self.starts) else FOREVER

    def order(self, time):
        """Changes when what was over may come again, so that it comes after what is newer."""
        return sum(one.start <= time and not one.has_former for one in self.lives)

    def crosses(self, time, later):
        """There was a restore in between."""
        return len(self.lives) > 1 and self.life(time) is not self.life(later)

    def surely(self, time, at):
        return self.knows(time, at, 0, False)

    def perhaps(self, time, at):
        return self.knows(time, at, 1, False)

    def surely_ended(self, time, at):
        """What ended then is still ended: the former store tells a restore what ended after the backup."""
        return self.knows(time, at, 0, True)

    def perhaps_ended(self, time, at):
        return self.knows(time, at, 1, True)

    def knows(self, time, at, edge, is_end):
        if time > at:
            return False
        if len(self.lives) == 1:
            return True
        life = self.life(at)
        while time < life.start:
            if is_end and life.has_former:
                life = life.before
                continue
            at, life = life.backup[edge], life.origin
            if time > at:
                return False
        return True
