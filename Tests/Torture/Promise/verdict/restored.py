"""Rule 23, as far as it is not the other rules seen across a restore: backups are whole, and devices that were removed
stay outside.
"""

THIRTY_DAYS = 30 * 86_400


class Device:
    """A credential that user agents connect with."""

    def __init__(self, event):
        self.number, self.asked, self.made = event["d"], event["t"], float("inf")
        self.revoke_sent, self.revoked = [], []


class Backup:
    def __init__(self, event):
        self.number, self.start, self.end = event["f"], event["t"], float("inf")


def expected(push, story):
    """What the endpoint may be when it gets this push: live, gone, or missing since a restore."""
    sub = story.subs[push.sub]
    for time in sub.ended:
        # Who ends what a restore has forgotten leaves no trace of it.
        was_known = story.lineage.surely(sub.live_since, time)
        if was_known and time + 1 < push.sent and story.lineage.surely_ended(time, push.sent):
            return {"gone"}
    words = set()
    # While the answer is on its way, the store may be restored.
    moments = {push.sent, push.done}
    if any(story.lineage.perhaps(time, at) for time in sub.register_sent for at in moments):
        words.add("live")
    if any(story.lineage.perhaps_ended(time, at) for time in sub.end_sent for at in moments):
        words.add("gone")
    if not all(story.lineage.surely(sub.live_since, at) for at in moments):
        restored = story.lineage.lives[-1].start
        words.add("gone" if story.slept(push.sent) + push.sent - restored > THIRTY_DAYS else "missing")
    return words


def rule(story, findings):
    for event in story.safes:
        backup_is_whole(event, findings)
    for event in story.restores:
        findings.check(23, event["code"] == 0, lambda: f"the restore of backup {event['f']} failed: {event['text']}")
        findings.check(
            23, event["is_untouched"], lambda: f"the restore of backup {event['f']} wrote to the former store"
        )
    for connection in story.connections.values():
        if connection.device is not None and connection.status is not None:
            is_let_in_rightly(connection, story, findings)


def backup_is_whole(event, findings):
    """A backup that was killed leaves the former file as it was, or none where there was none, or a whole new one."""
    is_new = event["now"] != event["was"]
    what = f"backup {event['f']}" + (" (killed)" if event["is_killed"] else "")
    findings.check(23, event["now"] or not event["was"], lambda: f"{what}: the former file is gone")
    findings.check(23, event["is_killed"] or event["code"] == 0, lambda: f"{what} failed: {event['text']}")
    if event["code"] == 0:
        findings.check(23, event["now"] and is_new, lambda: f"{what} ended well and made no file")
        findings.check(23, len(event["names"]) == 1, lambda: f"{what} left {event['names']}")
    if event["now"]:
        findings.check(23, event["verified"] == 0, lambda: f"{what}: the file is not whole: {event['text']}")


def is_let_in_rightly(connection, story, findings):
    device, lineage = story.devices[connection.device], story.lineage
    life, start, end = lineage.life(connection.answered), connection.opened, connection.answered
    if any(lineage.surely_ended(time, start) for time in device.revoked):
        allowed = {401}
    else:
        allowed = set()
        is_new = device.made > life.start
        if lineage.perhaps(device.asked, end):
            allowed |= {101} if is_new or end > life.confirm_sent else set()
            allowed |= {503} if not is_new and start < life.confirmed else set()
        is_perhaps_ended = any(lineage.perhaps_ended(time, end) for time in device.revoke_sent)
        if is_perhaps_ended or not lineage.surely(device.made, start):
            allowed.add(401)
    if connection.status == 101 and not connection.reads_late:
        is_ended_in_time(connection, device, story, findings)
    findings.check(
        story.invariant(14, min(device.made, start), end),
        connection.status in allowed,
        lambda: (
            f"connection {connection.number} of device {device.number} was answered {connection.status} at"
            f" {connection.answered:.3f} instead of {sorted(allowed)}"
        ),
    )


def is_ended_in_time(connection, device, story, findings):
    """Within a second of its credential."""
    for time in device.revoked:
        if connection.answered < time:
            limit = time + 1.1 + story.slack(time + 1)
            findings.check(
                14,
                connection.closed <= limit,
                lambda: f"connection {connection.number} goes on after its device {device.number} was removed",
            )
