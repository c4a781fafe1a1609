"""Pictures of the pages for the documents: on a desk by day and by night, and on a phone."""

import json
import subprocess
import time

import requests
from looks import PHONE

DESK = (1000, 1100)
# Title, fields and text of messages, as programs send them.
MESSAGES = [
    (
        "front door",
        "Somebody is at the door",
        {"Tags": "camera", "Click": "https://cam.example/door"},
        "2 people, no parcel",
    ),
    ("nightly backup", "Backup of nas is done", {"Tags": "nas"}, "48 GiB in 41 minutes\nphotos: 12 new\nmail: 340 new"),
    (
        "nightly backup",
        "Disk of nas is nearly full",
        {"Priority": "5", "Tags": "warning,nas"},
        "/dev/sda1 has 2 % left",
    ),
    ("front door", "", {}, "The battery of the bell is low."),
]
# How many pushes come in each second while the page is watched.
PUSHES = [1, 2, 4, 3, 1, 0, 2, 5, 8, 6, 3, 1, 0, 0, 1, 3, 2, 4, 7, 4, 2, 1, 3, 2, 1]


def take(visit, folder):
    tab, server = visit.tab, visit.server
    backup, door = (server.tell("topic", "add", name)["endpoint"] for name in ("nightly backup", "front door"))
    for name in ("laptop", "phone"):
        server.tell("device", "add", name)
    visit.person.log_in()
    take_messages(visit, folder, {"front door": door, "nightly backup": backup})
    take_topics(visit, folder)
    tab.open(f"{server.base}/ui/status")
    tab.size(*DESK)
    # One push is refused, as after a typing mistake.
    requests.post(backup[:-3] + "abc", b"x", headers={"TTL": "60"}, verify=str(server.authority), timeout=10)
    for number, count in enumerate(PUSHES):
        began = time.monotonic()
        for place in range(count):
            server.push(door if place % 3 else backup, f"push {number}", "Example")
        time.sleep(max(0, 1 - (time.monotonic() - began)))
    for is_dark in (False, True):
        visit.looks.dark(is_dark)
        time.sleep(2.5)
        save(tab.picture(whole=False), folder / f"status-page-{'dark' if is_dark else 'light'}.png")
    visit.looks.dark(False)
    tab.size(*PHONE)
    tab.do("() => document.querySelector('#title-registrations').scrollIntoView()")
    time.sleep(2.5)
    save(tab.picture(whole=False), folder / "status-page-phone.png")


def take_messages(visit, folder, topics):
    for topic, title, fields, text in MESSAGES:
        visit.server.push(topics[topic], text, title, fields)
    visit.server.tell("topic", "add", "deploy")
    asked = {
        "topic": "deploy",
        "title": "Release 2.4",
        "message": "All checks passed. Put it on?",
        "ask": ["yes", "no"],
    }
    visit.server.ask("POST", "questions", asked)
    oldest = visit.server.ask("GET", "messages?limit=5")["messages"][-1]
    visit.tab.open(f"{visit.server.base}/ui/")
    visit.tab.click(f"document.querySelector('#m-{oldest['id']} [name=read]')")
    time.sleep(1)
    visit.tab.do("() => { document.activeElement.blur(); scrollTo(0, 0); }")
    for is_dark, size, name in ((False, (1000, 640), "light"), (True, (1000, 640), "dark"), (False, PHONE, "phone")):
        visit.looks.dark(is_dark)
        visit.tab.size(*size)
        time.sleep(0.5)
        save(visit.tab.picture(whole=False), folder / f"messages-{name}.png")


def take_topics(visit, folder):
    """The page of a topic with tokens, one of which was refused, and a new token."""
    tab, server = visit.tab, visit.server
    made = server.tell("topic", "add", "backups", "--title", "Backups", "--description", "what the NAS says at night")
    tokens = {
        name: server.tell("token", "add", name, "--topic", "backups", right)["token"]
        for name, right in (("Grafana", "--read"), ("nas", "--write"))
    }
    place = f"{server.base}/backups"
    for token in tokens.values():
        header = {"Authorization": f"Bearer {token}", "Title": "photos"}
        requests.post(place, b"12 new", headers=header, verify=str(server.authority), timeout=10)
    topic = f"{server.base}/ui/topics/{made['id']}"
    for is_dark, size, name in ((False, (1000, 1000), "light"), (True, (1000, 1000), "dark"), (False, PHONE, "phone")):
        visit.looks.dark(is_dark)
        tab.size(*size)
        tab.open(topic)
        time.sleep(0.5)
        save(tab.picture(whole=False), folder / f"topic-{name}.png")
    tab.size(1000, 900)
    tab.fill("document.querySelector('form[action$=\"/tokens\"] [name=name]')", "doorbell")
    tab.follow("document.querySelector('form[action$=\"/tokens\"] button')", "a new token")
    save(tab.picture(whole=False), folder / "topic-token.png")


def save(picture, path):
    """In few colours, to stay small."""
    command = ["convert", "png:-", "-strip", "+dither", "-colors", "64", "-define", "png:compression-level=9"]
    subprocess.run([*command, f"png8:{path}"], input=picture, check=True, timeout=60)
    print(f"pages: {path.name} {json.dumps(path.stat().st_size)} bytes")
