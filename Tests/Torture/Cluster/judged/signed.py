"""Rules for pushes that application servers sign. Nodes judge the times in a signature alike, whatever their clocks say
(24), so that a few minutes decide nothing.
"""

import copy

from judged.cluster_story import LAG
from verdict import refused, restored


def rule(story, findings):
    others = copy.copy(story)
    others.pushes = {number: push for number, push in story.pushes.items() if number not in story.edges}
    refused.rule(others, findings)
    for number in story.edges:
        push = story.pushes[number]
        is_new = push.sent <= story.subs[push.sub].live_since + LAG
        if push.status is None or is_new or "gone" in restored.expected(push, story):
            continue
        if push.status == 503 and story.is_at_fault(push.done):
            continue
        allowed = {401, 429, 503} if push.wrong else {201, 429}
        what = "expired two minutes ago" if push.wrong else "is valid"
        findings.check(
            24,
            push.status in allowed and not (push.wrong and push.deliveries),
            lambda: f"{push}: its signature {what}, by node {story.via.get(push.number, -1) + 1}",
        )
