"""A desktop ends only as it should: in good order when it is asked to, and with a failure when its bus has ended."""

import signal

# By this code the program says that a new start would not help, and the unit does not start it again.
NO_HELP = 2


def rule(story, findings):
    ends_well(sorted(story.events, key=lambda event: event["t"]), findings)


def ends_well(events, findings):
    """restart: the codes are those on which the unit of the desktop relies (`Restart=on-failure`)."""
    reason = None
    for event in events:
        kind = event["e"]
        if kind == "desk-start":
            reason = None
        elif kind == "desk-kill":
            reason = event["signal"]
        elif kind == "bus-end":
            reason = "bus"
        elif kind == "desk-failed":
            findings.check("restart", False, lambda: f"the desktop does not start at {event['t']:.3f}")
        elif kind == "desk-dead":
            code, what = event["code"], f"at {event['t']:.3f} the desktop ends with {event['code']}"
            if reason == "bus":
                holds = code is not None and code > 0 and code != NO_HELP
                findings.check("restart", holds, lambda: f"{what} after its bus")
            elif reason == signal.SIGTERM:
                findings.check("restart", code == 0, lambda: f"{what} after SIGTERM")
            else:
                findings.check("restart", reason == signal.SIGKILL, lambda: f"{what} by itself")
