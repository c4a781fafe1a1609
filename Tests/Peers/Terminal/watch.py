"""bellwire watch on a terminal: groups live, keys, hostile texts, sizes, a server that goes and comes.

usage: watch.py PATH_OF_BELLWIRE
"""

import json
import re
import sys
import time

sys.path.append(__file__.rsplit("/", 3)[0])

from kit.checks import Checks, checked
from terminal import Room, columns_of, restored

check = Checks("watch")

HOSTILE = [
    "\x1b[2J\x1b[Hcleared",
    "\x9b31mred\x1b]0;title\x07",
    "\u202eevil\u2066 \u200fright",
    "日本語" * 40,
    "日" * 9 + "x" * 300,
    "👨\u200d👩\u200d👧\u200d👦 family 👍🏽 🇩🇪 ❤\ufe0f",
    "e" + "\u0301" * 300 + " pile",
    "\u200b\u200b\u200bzero\u00ad",
    "two\r\nlines\tand a tab",
    "नमस्ते 한국어 עברית العربية",
]


def telegram(name, text, number, sender=5):
    custom = {"from_id": str(sender), "msg_id": str(number)}
    return {"loc_key": "MESSAGE_TEXT", "loc_args": [name, text], "custom": custom}


def keys(room, chats):
    """Moving, help, mute, reply, dismiss."""
    room.push(chats, telegram("Ada", "first", 1))
    room.push(chats, telegram("Ben", "second", 2, 6))
    room.see("Ben: second")
    # The names of the chats are asked for when their first notification is there.
    screen = room.wait(lambda screen: screen[1].strip() == "Ben" and screen[3].strip() == "Ada", "names")
    check(screen[0].startswith(" bellwire  me") and "2 notifications" in screen[0], f"title: {screen[0]}")
    rows = [line.strip() for line in screen[1:5]]
    check("Ben: second" in rows[1] and "Ada: first" in rows[3], f"the newest group comes first: {rows}")

    room.type("?")
    room.see("mute the chat, for a time or for good")
    room.type("q")
    room.miss("mute the chat")

    # The selection stays on its row while groups move: it began on Ada.
    room.type("m")
    room.see("mute Ada: 1 15 minutes")
    room.type("2")
    screen = room.see("Ada is muted until")
    room.wait(lambda screen: "muted" in screen[3] and "muted" not in screen[1], "the mark of the chat")
    chats_now = json.loads(room.run("account", "list", "--json"))["accounts"][0]["chats"]
    times = {chat["title"]: chat["mute_for"] for chat in chats_now}
    check(3500 < times["Ada"] <= 3600 and times["Ben"] == 0, f"the engine has muted Ada: {times}")
    room.type("u")
    room.see("Ada is not muted")

    room.type("Down", "r")
    room.see("reply to Ada:")
    room.type("-l", "héllo 日本")
    room.type("Left", "BSpace")
    # Pasted breaks send nothing, and pasted escapes do nothing.
    room.tmux("set-buffer", "x\ny\x1b[2J")
    room.tmux("paste-buffer", "-p")
    room.see("reply to Ada: héllo x y[2J本")
    room.type("Enter")
    room.see("the reply is on its way")
    screen = room.miss("Ada: first")
    check("1 notification" in screen[0], f"a reply removes the notification: {screen[0]}")

    room.type("Down", "d")
    screen = room.see("no notifications; new ones appear here")
    check("dismissed" in "".join(screen), "it says so")
    for number in range(3):
        room.push(chats, telegram("Cay", f"number {number}", 10 + number, 7))
    room.see("number 2")
    room.type("D")
    room.see("all of Cay dismissed")
    room.miss("number")


def links(room, plain):
    room.push(plain, {"title": "Oven", "message": "pizza", "click": "https://example.org/7"})
    screen = room.see("Oven: pizza")
    check(any("link: https://example.org/7" in line for line in screen), "the link is shown")
    room.type("Enter")
    screen = room.see("opened https://example.org/7")
    room.miss("pizza")
    deadline = time.monotonic() + 10
    opened = ""
    while not opened and time.monotonic() < deadline:
        time.sleep(0.05)
        try:
            with open(room.opened) as file:
                opened = file.read()
        except FileNotFoundError:
            pass
    check(opened == "https://example.org/7\n", f"xdg-open got the link: {opened}")
    check(not any("noise" in line for line in room.screen()), "what it prints is not on the screen")


def hostile(room, chats):
    for number, text in enumerate(HOSTILE):
        room.push(chats, telegram("E\x1b[2J日\u202e", text, 100 + number, 8))
    screen = room.wait(lambda screen: len(columns_of(screen, r"\d\d:\d\d ?$")) == len(HOSTILE), "all hostile texts")
    columns = columns_of(screen, r"\d\d:\d\d(?= ?$)")
    check(set(columns) == {99}, f"the times stand in their column: {columns}\n" + "\n".join(screen))
    whole = "\n".join(screen)
    check("\\u{9b}31mred" in whole and "evil\\u{2066}" in whole, "escapes are seen as text")
    check("bellwire" in screen[0] and "? help" in whole, "nothing was cleared")
    check(whole.count("two lines and a tab") == 1, "breaks are spaces")
    for key in ("Down",) * len(HOSTILE) + ("Up",) * 3 + ("Home", "End"):
        room.type(key)
    time.sleep(0.3)
    moved = room.screen()
    check(moved[1 : len(HOSTILE) + 2] == screen[1 : len(HOSTILE) + 2], "moving tears nothing")
    for columns, rows in ((40, 12), (39, 12), (100, 30)):
        room.resize(columns, rows)
        screen = room.wait(
            lambda screen, rows=rows: (
                screen[0].startswith(" bellwire") and len(screen) == rows + 1 and screen[rows - 1].strip() != ""
            ),
            f"{columns}x{rows}",
        )
        found = room.wait(
            lambda screen, columns=columns: set(columns_of(screen, r"\d\d:\d\d(?= ?$)")) == {columns - 1},
            f"the times at {columns}x{rows}",
        )
        check("notifications" in found[0] and not found[-1].strip(), f"title and end at {columns}x{rows}")
    room.type("D")
    room.miss("cleared")


def away(room, chats):
    room.push(chats, telegram("Ada", "stays", 200))
    room.see("Ada: stays")
    room.kill()
    screen = room.see("the server is away; waiting for it")
    check(any("Ada: stays" in line for line in screen), "what was shown stays")
    room.type("d")
    room.see("the server is away; try again when it is back")
    room.serve()
    room.miss("waiting for it")
    room.push(chats, telegram("Ada", "again", 201))
    screen = room.see("Ada: again")
    check("2 notifications" in screen[0], f"after the return: {screen[0]}")


def endings(room, settings):
    def view(before=""):
        room.start("watch", before=before)
        return room.see("2 notifications")[-2:]

    restored(room, check, view(), settings, lambda: room.type("q"), "after q")
    restored(room, check, view(), settings, lambda: room.type("C-c"), "after Ctrl-C")
    restored(room, check, view(), settings, lambda: room.signal("TERM"), "after SIGTERM")
    room.type("clear; echo ended by $?", "Enter")
    for stop in (lambda: room.type("C-z"), lambda: room.signal("TSTP")):
        restored(room, check, view(), settings, stop, "while it is stopped")
        room.type("fg", "Enter")
        room.see("2 notifications")
        check(room.state().startswith("1 0 0"), "it has the second screen again")
        room.type("q")
        room.wait(lambda screen: room.state() == "0 1 1", "the end after fg")
    room.type("clear", "Enter")
    room.start("watch", before="env -u WAYLAND_DISPLAY -u DISPLAY")
    room.see("2 notifications")
    return view


def ended(room, settings):
    """The account ends while it is shown: an error, after the terminal was given back."""
    room.type("clear", "Enter")
    room.start("watch")
    room.see("2 notifications")
    for registration in json.loads(room.run("registration", "list", "--json"))["registrations"]:
        room.run("registration", "revoke", registration["id"])
    room.see("bellwire: error: ")
    room.wait(lambda screen: room.state() == "0 1 1", "the end after an error")
    room.type("echo code $?", "Enter")
    room.see("code 3")
    check(room.settings() == settings, "the settings after an error")


def plain(room):
    room.type("clear", "Enter")
    room.start("watch", "me", "--plain")
    screen = room.see("2 shown")
    check(room.state() == "0 1 1", "plain lines need no second screen")
    check(any(line.startswith("= ") and "Ada: stays" in line for line in screen), "lines as ever")
    coloured = room.tmux("capture-pane", "-p", "-e")
    check("\x1b[" in coloured, "lines on a terminal have colours")
    room.type("C-c")
    for before in ("NO_COLOR=1", "TERM=dumb"):
        room.type("clear", "Enter")
        room.start("watch", *(["--plain"] if before == "NO_COLOR=1" else []), before=before)
        room.see("2 shown")
        check("\x1b[" not in room.tmux("capture-pane", "-p", "-e"), f"{before} has none")
        room.type("C-c")
        room.wait(lambda screen: sum(line.startswith("ready$") for line in screen) > 0, "the shell")
    for before, is_coloured in (("", True), ("NO_COLOR=1", False)):
        room.type("clear", "Enter")
        room.start("watch", before=before)
        room.see("2 notifications")
        room.type("m", "5")
        room.wait(lambda screen: screen[1].endswith(" muted"), "a muted chat")
        coloured = re.search("\x1b\\[(\\d+;)*3[1-6]m", room.tmux("capture-pane", "-p", "-e"))
        check(bool(coloured) == is_coloured, f"colours with {before or 'nothing'}: {coloured}")
        room.type("q")
        room.wait(lambda screen: room.state() == "0 1 1", "the end")
    room.type("clear", "Enter")
    room.start("watch", before="LC_ALL=de_DE.UTF-8")
    room.see("2 Benachrichtigungen")
    room.type("q")
    room.wait(lambda screen: room.state() == "0 1 1", "the end")


def shown_link(room, endpoint):
    """Where nothing opens links, they are shown."""
    room.push(endpoint, {"title": "Door", "message": "bell", "click": "https://example.org/" + "x" * 200})
    room.see("Door: bell")
    # The selection was on another group, and is there still.
    room.type("Home", "Enter")
    screen = room.see("nothing here opens links; copy it:")
    text = "".join(line.rstrip() for line in screen)
    check("https://example.org/" + "x" * 200 in text, "the whole link is there")
    room.type("x")
    room.see("2 notifications")
    room.type("q")
    room.wait(lambda screen: room.state() == "0 1 1", "the end")


def main(bellwire):
    with Room(bellwire) as room:
        settings = room.settings()
        room.serve()
        words = room.register("plain", {})
        chats = room.register("telegram", {"replies": True})
        room.type("clear", "Enter")
        room.start("watch")
        room.see("no notifications; new ones appear here")
        keys(room, chats)
        links(room, words)
        hostile(room, chats)
        away(room, chats)
        room.type("q")
        room.wait(lambda screen: room.state() == "0 1 1", "the end")
        endings(room, settings)
        shown_link(room, words)
        plain(room)
        ended(room, settings)
    print(f"watch: {check.passed} checks passed")


checked(main, sys.argv[1])
