"""bellwire top on a terminal: tables, rates, hostile names, sizes, a server that goes and comes. Only the
control socket of that server exists.

usage: top.py PATH_OF_BELLWIRE
"""

import copy
import json
import os
import socketserver
import sys
import threading
import time

sys.path.append(__file__.rsplit("/", 3)[0])

from kit.checks import Checks, checked
from kit.webserver import Handler
from terminal import Room, restored, width

EXAMPLE = {
    "version": "0.1.0",
    "address": "https://push.example",
    "usable": True,
    "administrator": True,
    "owner": "local",
    "counts": {"accepted": 1000, "repeated": 1, "refused": 2, "delivered": 900, "acknowledged": 800},
    "durations": {"bounds": [0.0005, 0.001, 0.25], "counts": [0, 60, 99, 100]},
    "waiting": {"messages": 3, "bytes": 2560},
    "user_agents": 2,
    "devices": [
        {"id": 1, "name": "desk", "owner": "me", "connected": True},
        {"id": 2, "name": "phone\x1b[2J日本\u202e", "owner": "me", "connected": False, "last_seen": 86400},
        {"id": 3, "name": "e" + "\u0301" * 200 + "日" * 60, "owner": "me", "connected": True},
    ],
    "registrations": [
        {"id": f"r{number}", "app": "telegram", "account": f"account {number}", "waiting": number}
        for number in range(40)
    ],
    "errors": [{"errno": 104, "status": 413, "count": 2, "message": "too large", "advice": "send less"}],
    "events": [{"time": 1000 * number, "kind": "accepted", "subject": "telegram/me"} for number in range(5)],
}


class Answers(Handler):
    def do_GET(self):
        answer = self.server.answer(self.path)
        self.answer(200 if answer else 404, json.dumps(answer or {"message": "not found"}).encode())


class Overview(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True

    def __init__(self, folder):
        os.makedirs(folder, exist_ok=True)
        self.path = folder + "/control.sock"
        if os.path.exists(self.path):
            os.remove(self.path)
        super().__init__(self.path, Answers)
        self.lock = threading.Lock()
        self.state = copy.deepcopy(EXAMPLE)
        self.asked = 0
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def get_request(self):
        # The handler wants an address to print.
        return self.socket.accept()[0], ("local", 0)

    def answer(self, path):
        if path != "/api/v1/overview":
            return None
        with self.lock:
            self.asked += 1
            # Ten more with each question.
            self.state["counts"]["accepted"] += 10
            return copy.deepcopy(self.state)

    def change(self, **members):
        with self.lock:
            self.state.update(members)

    def end(self):
        self.shutdown()
        self.server_close()
        os.remove(self.path)


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
