"""What a script pushes with curl is shown on the screen of a server with a desktop, without any further step.

usage: heard.py PATH_OF_BELLWIRE
"""

import asyncio
import json
import subprocess
import sys

sys.path.append(__file__.rsplit("/", 3)[0])

from kit.checks import Checks, checked
from kit.desktop import Session
from kit.screen import Recorder

check = Checks("heard")


def curl(address, *words):
    answer = subprocess.run(
        ["curl", "-sS", "-m", "10", "-w", " %{http_code}", *words, address], capture_output=True, text=True
    )
    return answer.stdout + answer.stderr


async def shown(recorder, text):
    """The call that shows this text: application, title, body, hints."""

    def found():
        return [call for call in recorder.visible.values() if text in str(call)]

    await check.eventually(lambda: len(found()) == 1, f"{text} is on the screen")
    return found()[0]


async def main(bellwire):
    with Session(bellwire) as session:
        recorder = await Recorder(session).appear()
        server, base = session.serve("--desktop")
        place = json.loads(session.run("topic", "add", "nightly build", "--json"))
        check(place["listening"], "the desktop of the server listens at once")
        check(
            session.run("topic", "add", "nightly build", "--address").strip() == place["endpoint"], "only the address"
        )
        tested = await asyncio.to_thread(session.run, "test")
        check("shows notifications" in tested and "a client listens to nightly build" in tested, f"test: {tested}")
        check("everything works" in tested, f"the test goes as far as the screen: {tested}")
        check(place["endpoint"].startswith(base), "the address is one of this server")

        answer = await asyncio.to_thread(curl, place["endpoint"], "-d", "the build is green")
        check(answer == " 201", f"a push was answered {answer}")
        call = await shown(recorder, "the build is green")
        check("nightly build" in str(call[0]) and call[3] == "nightly build", f"the title is the name: {call}")
        check("anybody" not in str(call), "the owner made the address for this, so there is no warning")

        words = ["-H", "Title: CI", "-H", "Priority: urgent", "-H", "Tags: skull,main", "-d", "broken"]
        answer = await asyncio.to_thread(curl, place["endpoint"], *words, "-H", "Click: https://ci.example/7")
        check(answer == " 201", f"a push with fields was answered {answer}")
        call = await shown(recorder, "broken")
        check(call[3] == "💀 CI" and "Tags: main" in call[4], f"title and tags: {call}")
        check(call[6]["urgency"].value == 2, f"urgency: {call}")

        words = ["-d", json.dumps({"title": "Oven", "message": "pizza", "priority": 1})]
        await asyncio.to_thread(curl, place["endpoint"], *words)
        call = await shown(recorder, "pizza")
        check(call[3] == "Oven" and call[6]["urgency"].value == 0, f"JSON: {call}")

        looks = {}
        for priority in ("3", "4"):
            words = ["-F", "title=Door", "-F", f"message=ring {priority}", "-F", f"priority={priority}"]
            answer = await asyncio.to_thread(curl, place["endpoint"], *words)
            check(answer == " 201", f"a form was answered {answer}")
            looks[priority] = (await shown(recorder, f"ring {priority}"))[3]
        check(looks["3"] == "Door" and looks["4"] != "Door", f"high is not the usual: {looks}")
        answer = await asyncio.to_thread(curl, place["endpoint"], "-H", "Delay: 30m", "-d", "later")
        check("a push is shown at once" in answer and answer.endswith(" 400"), f"a delay was answered {answer}")
        answer = await asyncio.to_thread(curl, place["endpoint"], "-i", "-H", "Icon: https://a/b", "-d", "iconic")
        check("bellwire-ignored: icon" in answer.lower(), f"what is ignored is named: {answer}")

        for number in range(60):
            await asyncio.to_thread(curl, place["endpoint"], "-d", f"burst {number}")
        await asyncio.sleep(1.5)
        titles = [call[3] for call in recorder.visible.values()]
        more = [int(title.split()[0]) for title in titles if title.endswith("more notifications")]
        check(len(more) == 1 and more[0] >= 60 - 20, f"the summary says the true number: {titles}")

        answer = await asyncio.to_thread(curl, place["endpoint"], "--data-binary", "@/bin/true")
        check(answer.endswith((" 400", " 413")), f"a body that is no text was answered {answer}")
        alerts = json.loads(session.run("topic", "add", "alerts", "--from", "alertmanager", "--json"))["endpoint"]
        for status in ("firing", "resolved"):
            words = {"alertname": "Load", "severity": "critical"}
            alert = {"status": status, "fingerprint": "a", "labels": words, "annotations": {"summary": "db1 is slow"}}
            body = json.dumps({"groupKey": "g", "status": status, "alerts": [alert]})
            answer = await asyncio.to_thread(curl, alerts, "--json", body)
            check(answer == " 201", f"an alert was answered {answer}")
            if status == "firing":
                call = await shown(recorder, "db1 is slow")
                check(call[6]["urgency"].value == 2, f"an alert: {call}")
            else:
                await check.eventually(lambda: "db1 is slow" not in str(recorder.visible), "a resolved alert is gone")

        again = json.loads(session.run("topic", "add", "nightly build", "--json"))
        check(again["endpoint"] == place["endpoint"], "the name has one address")
        check(session.end(server) == 0, "the server ends")
    print(f"heard: {check.passed} checks passed")


checked(main, sys.argv[1])
