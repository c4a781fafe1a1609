"""Rule 14 for what was ended at one node: a second later no node knows it any more, and its sessions have ended."""

# A node that is cut off sends user agents away after some seconds.
CUT_OFF = 5.0


def rule(story, findings):
    for event in story.events:
        if event["e"] == "secret-used":
            is_right(event, {200}, f"secret {event['d']}", story, findings)
        elif event["e"] == "secret-probe":
            is_right(event, {401}, f"secret {event['d']}, which has ended", story, findings)
        elif event["e"] == "end-probe":
            # A node asks to come again when it hears of an endpoint for the first time.
            wanted = {"push": {410, 503}, "engine": {404}}[event["what"]]
            is_right(event, wanted, f"{event['what']} of application {event['r']}, which has ended", story, findings)
    nodes = {event["c"]: event["node"] for event in story.places}
    for connection in story.connections.values():
        if connection.device is not None and connection.status is not None:
            is_let_in_rightly(connection, nodes, story, findings)


def is_right(event, wanted, text, story, findings):
    """A node that fails answers 503, or nothing."""
    status, is_at_fault = event["status"], story.is_at_fault(event["t"])
    findings.check(
        "ended",
        status in wanted or (is_at_fault and (status == 0 or status >= 500)),
        lambda: f"{text}: node {event['n'] + 1} answered {status} at {event['t']:.3f}",
    )


def is_let_in_rightly(connection, nodes, story, findings):
    device, allowed = story.devices[connection.device], {101}
    if any(time + 1 < connection.opened for time in device.revoked):
        allowed = {401}
    elif any(time < connection.answered for time in device.revoke_sent):
        allowed = {101, 401}
    if story.is_at_fault(connection.answered):
        allowed.add(503)
    # A node that has not heard of it yet.
    if connection.opened < device.made + 1:
        allowed |= {401, 503}
    if connection.status == 101 and not connection.reads_late:
        is_ended_in_time(connection, device, nodes, story, findings)
    findings.check(
        14,
        connection.status in allowed,
        lambda: (
            f"connection {connection.number} of device {device.number} was answered {connection.status} at"
            f" {connection.answered:.3f} instead of {sorted(allowed)}"
        ),
    )


def is_ended_in_time(connection, device, nodes, story, findings):
    for time in (time for time in device.revoked if connection.answered < time):
        is_away = story.is_away(nodes.get(connection.number, -1), time + 1)
        limit = time + (CUT_OFF if is_away else 1) + story.delay(time + 1)
        findings.check(
            "ended",
            connection.closed <= limit,
            lambda: (
                f"connection {connection.number} goes on after its device {device.number} was removed at {time:.3f}"
            ),
        )
