"""Pictures of the status page for the documents: on a desk by day and by night, and on a phone."""

import json
import subprocess
import time

import requests
from looks import PHONE

DESK = (1000, 1100)
# How many pushes come in each second while the page is watched.
PUSHES = [1, 2, 4, 3, 1, 0, 2, 5, 8, 6, 3, 1, 0, 0, 1, 3, 2, 4, 7, 4, 2, 1, 3, 2, 1]


def take(visit, folder):
    tab, server = visit.tab, visit.server
    backup, door = (server.tell("topic", "add", name)["endpoint"] for name in ("nightly backup", "front door"))
    for name in ("laptop", "phone"):
        server.tell("device", "add", name)
    visit.person.log_in()
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


def save(picture, path):
    """In few colours, to stay small."""
    command = ["convert", "png:-", "-strip", "+dither", "-colors", "64", "-define", "png:compression-level=9"]
    subprocess.run([*command, f"png8:{path}"], input=picture, check=True, timeout=60)
    print(f"pages: {path.name} {json.dumps(path.stat().st_size)} bytes")
