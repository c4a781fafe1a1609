"""bellwire top on a terminal: tables, rates, hostile names, sizes, a server that goes and comes.

usage: top.py PATH_OF_BELLWIRE
"""

import json
import sys
import time

sys.path.append(__file__.rsplit("/", 3)[0])

from kit.checks import Checks, checked
from overview import Overview
from terminal import Room, restored, width

check = Checks("top")


def tables(room, server):
    screen = room.see("bellwire 0.1.0 https://push.example")
    check("accepted 1" in screen[2] and "waiting 3 (2.5 KiB)" in screen[3], f"numbers: {screen[:5]}")
    room.wait(lambda screen: "pushes/s" in screen[1] and "█" in screen[1], "rates")
    check("1 registrations (40)" in screen[4], f"tables: {screen[4]}")
    check(screen[6].startswith(" telegram/account 0"), f"the first row: {screen[6]}")
    room.type("End")
    room.see("telegram/account 39")
    room.type("Tab")
    screen = room.see("phone\\u{1b}[2J日本\\u{202e}")
    # Owner and state stand in their columns, whatever the names are.
    places = {width(line[: line.index("me ")]) for line in screen[6:9]}
    check(len(places) == 1, f"columns beside hostile names: {places}")
    room.type("3")
    room.see("advice: send less")
    room.type("Down", "4")
    room.wait(lambda screen: screen[6].startswith(" 01-01"), "events, the newest first")
    server.change(events=[{"time": 1000 * int(time.time()), "kind": "refused", "subject": "somebody"}])
    room.see("somebody")
    room.type("?")
    room.see("draw the screen again")
    room.type("x", "1")
    room.see("telegram/account 0")
    server.change(usable=False)
    room.see("the server accepts no pushes")
    server.change(usable=True)
    room.miss("the server accepts no pushes")


def sizes(room):
    for columns, rows in ((40, 12), (20, 6), (100, 30)):
        room.resize(columns, rows)
        room.wait(
            lambda screen, rows=rows: screen[0].startswith(" bellwire") and len(screen) == rows + 1, f"{columns}x{rows}"
        )
    room.see("telegram/account 5")


def main(bellwire):
    with Room(bellwire) as room:
        folder = room.folder + "/.local/state/bellwire"
        server = Overview(folder)
        settings = room.settings()
        room.type("clear", "Enter")
        room.start("top", "--every", "0.2")
        tables(room, server)
        sizes(room)
        server.end()
        room.see("the server is away; waiting for it")
        check("telegram/account 0" in "\n".join(room.screen()), "what it said last stays")
        server = Overview(folder)
        room.miss("waiting for it")
        room.type("q")
        room.wait(lambda screen: room.state() == "0 1 1", "the end")

        def view():
            room.type("clear", "Enter")
            room.start("top")
            return room.see("telegram/account 0")[-2:]

        restored(room, check, view(), settings, lambda: room.type("q"), "after q")
        restored(room, check, view(), settings, lambda: room.signal("TERM"), "after SIGTERM")
        restored(room, check, view(), settings, lambda: room.type("C-z"), "while it is stopped")
        room.type("fg", "Enter")
        room.see("telegram/account 0")
        before = server.asked
        room.wait(lambda screen: server.asked >= before + 2, "it asks every second")
        room.type("q")
        room.wait(lambda screen: room.state() == "0 1 1", "the end after fg")

        room.type("clear", "Enter")
        room.start("top", "--plain")
        room.see("too large")
        check(room.state() == "0 1 1", "plain text needs no second screen")
        text = room.run("top")
        check(text.startswith("bellwire 0.1.0") and "\x1b" not in text, "without a terminal it is plain")
        told = json.loads(room.run("top", "--json"))
        check(told["devices"] == server.state["devices"], "--json is what the server said")
        server.end()
    print(f"top: {check.passed} checks passed")


checked(main, sys.argv[1])
