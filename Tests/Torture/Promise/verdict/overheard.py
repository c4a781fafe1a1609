"""Rule 25 on the session bus: what may be heard there goes only to whom it belongs.

Every program of a session can listen to all of its bus. A body has to go to its application, and a text to the
notification daemon; nothing else of the run is there, and nothing of it reaches anybody else.
"""

import re

from verdict.secrets_shown import WORD
from verdict.served import Served

BODY = re.compile(rb"bw(.{8})", re.DOTALL)
TEXT = re.compile(rb"bw-\d+-([0-9a-f]{32})")
NOTIFICATIONS = "org.freedesktop.Notifications"


def rule(story, findings):
    served, screens, bus = Served(story), set(), 0
    # The numbers of connections begin anew with each bus.
    names = {(one.bus, one.unique): one.application for one in served.connections.values()}
    known = {one.name: one.application for one in served.connections.values()}
    for event in served.events:
        bus += event["e"] == "bus-end"
        if event["e"] == "screen-up":
            screens.add((bus, event["unique"]))
    owners = served.own_words()
    for event in served.events:
        if event["e"] == "overheard":
            to, source = event["to"], event["source"]
            who = known.get(to, names.get((event["bus"], to)))
            is_screen = to == NOTIFICATIONS or (event["bus"], to) in screens
            hear(event, who, names.get((event["bus"], source)), is_screen, served, owners, findings)


def hear(event, who, speaker, is_screen, served, owners, findings):
    """`who` is called, and `speaker` calls: the numbers of applications."""
    text, member = bytes.fromhex(event["text"]), event["member"]
    what = f"{member} from {event['source']} to {event['to']} at {event['t']:.3f}"

    def check(holds, words):
        findings.check(25, holds, lambda: f"{what}: {words}")

    findings.case(25)
    for found in BODY.finditer(text):
        push = served.pushes.get(int.from_bytes(found.group(1)))
        sample = bytes.fromhex(push.sample) if push else b""
        if len(sample) >= 16 and text.startswith(sample, found.end()):
            owner = served.registrations[push.registration].application
            check(member == "Message" and who == owner, f"has the body of {push}")
    if TEXT.search(text):
        check(member == "Notify" and is_screen, "has the text of a notification")
    for word in WORD.findall(text):
        check(word not in served.secrets, f"has {served.secrets.get(word)}")
        if word in owners:
            check(owners[word] in (who, speaker), f"has a secret of application {owners[word]}")
