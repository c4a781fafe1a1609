"""When everything of a desktop ran undisturbed, from the log of its torture."""

import bisect

from verdict.lineage import FOREVER

# What breaks a thing, and what mends it.
THINGS = {
    "kill": ("server", True),
    "ready": ("server", False),
    "fault": ("disk", True),
    "usable": ("disk", False),
    "desk-kill": ("desktop", True),
    "desk-dead": ("desktop", True),
    "bus-end": ("desktop", True),
    "desk-ready": ("desktop", False),
    "desk-stop": ("pause", True),
    "desk-go": ("pause", False),
    "screen-end": ("screen", True),
    "screen-up": ("screen", False),
}
# After the machine has woken up, the desktop connects within this time.
CONNECT = 1.0


class Steady:
    """`windows`: from a moment at which the desktop surely has its connections, to the next disturbance."""

    def __init__(self, events, with_screen=False):
        self.windows, broken, begin = [], set(), None
        for event in events:
            thing, is_broken = THINGS.get(event["e"], (None, False))
            if thing == "screen" and not with_screen:
                continue
            if is_broken:
                broken.add(thing)
                self.close(begin, event["t"])
                begin = None
            elif thing:
                broken.discard(thing)
            elif event["e"] == "woken" and not broken and begin is None:
                begin = event["t"] + CONNECT
        self.close(begin, events[-1]["t"] if events else 0)
        self.ends = [end for _, end in self.windows]

    def close(self, begin, end):
        if begin is not None and begin < end:
            self.windows.append((begin, end))

    def after(self, time):
        """The windows, as far as they are later."""
        for begin, end in self.windows[bisect.bisect_right(self.ends, time) :]:
            yield max(begin, time), end

    def reached(self, time, seconds):
        """When it had been steady for so long since then."""
        return next((begin + seconds for begin, end in self.after(time) if begin + seconds <= end), FOREVER)

    def contains(self, start, end):
        return any(begin <= start and end <= last for begin, last in self.after(start))


def of_desktop(story):
    """The events in the order of their times, because programs on the bus report theirs a little later. After a restore
    the server knows other things than the desktop, and after a long sleep everything has expired.
    """
    ends = [event["t"] for event in story.events if event["e"] in ("restored", "slept")]
    last = min(ends, default=FOREVER)
    return sorted((event for event in story.events if event["t"] < last), key=lambda event: event["t"])
