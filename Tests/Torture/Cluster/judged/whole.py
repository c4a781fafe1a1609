"""What the engine of an account shows at any node: its newest notifications, as far as nobody has dismissed them."""

from verdict.viewed import GROUP_SIZE


def rule(account, one, looked, story, findings):
    """Each time that a viewer is told everything, nothing is missing between what is shown."""
    gone = {looked.names[account].get(name) for name in looked.dismissed[account]}
    pushes = [push for push in one.pushes.values() if push.kind == "message" and push.is_accepted]
    pushes.sort(key=lambda push: push.done)
    for time, viewer, shown in looked.wholes[account]:
        limit = time - story.slack(time)
        rows = [one.pushes[push] for push in shown if push in one.pushes]
        # What was sent before all of these were accepted may have given way to them. Nobody knows when those were
        # that got no answer.
        oldest = min((push.done for push in rows if push.is_accepted), default=0) if len(rows) >= GROUP_SIZE else 0
        missing = [
            push
            for push in pushes
            if push.done < limit and push.sent > oldest and push.number not in shown and push.number not in gone
        ]
        findings.check(
            "engines",
            not missing,
            lambda: f"viewer {viewer} was told everything at {time:.3f}, and {missing[0]} was missing",
        )
