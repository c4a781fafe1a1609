"""The presenter against Debian's notification servers that run without Wayland, under Xvfb.

usage: servers.py PATH_OF_PRESENTER_PROBE [FOLDER_FOR_SCREENSHOTS [NAME...]]
"""

import asyncio
import base64
import contextlib
import struct
import subprocess
import sys
import time
import zlib

import websockets
from websockets.datastructures import Headers
from websockets.http11 import Response

sys.path.append(__file__.rsplit("/", 3)[0])

from kit.checks import checked
from screen import Probe, check, eventually, push, with_each


class Daemon:
    """A real server: how to start it, and where to click to choose or close a notification, or to press its button
    that copies. Positions count from the edges of its window; negative ones from the right and the bottom.
    """

    def __init__(
        self,
        name,
        *command,
        window=None,
        choose=None,
        close=None,
        copy=None,
        loud="<span background='#ff00ff'>loud</span>",
    ):
        self.name = name
        self.command = command
        self.window = window
        self.choose = choose
        self.close = close
        self.copy = copy
        self.loud = loud

    def words(self, desk):
        """The command on this desk, whose folder has dunst's configuration."""
        return [word.replace("dunstrc", desk.folder + "/dunstrc") for word in self.command]

    def popups(self, desk):
        """Position and size of each window."""
        found = desk.tell("xdotool", "search", "--onlyvisible", "--class", self.window).split()
        shapes = [desk.tell("xdotool", "getwindowgeometry", "--shell", window) for window in found]
        values = [dict(line.split("=") for line in shape.split() if "=" in line) for shape in shapes]
        sizes = [tuple(int(v[name]) for name in ("X", "Y", "WIDTH", "HEIGHT")) for v in values if v]
        return [size for size in sizes if size[2] > 50]

    def click(self, desk, place, button=1):
        x, y, width, height = ([*self.popups(desk), (800, 20, 0, 0)] if self.window else [(800, 20, 0, 0)])[0]
        right, down = place
        desk.click(x + right + (width if right < 0 else 0), y + down + (height if down < 0 else 0), button)


def icon(*colour):
    """A link that contains a picture of one colour."""
    return "data:image/png;base64," + base64.b64encode(picture_file(*colour)).decode()


def picture_file(*colour):
    """A PNG of one colour."""

    def chunk(kind, data):
        checked = kind + data
        return struct.pack(">I", len(data)) + checked + struct.pack(">I", zlib.crc32(checked))

    rows = (b"\0" + bytes(colour) * 64) * 64
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        [
            chunk(b"IHDR", struct.pack(">IIBBBBB", 64, 64, 8, 2, 0, 0, 0)),
            chunk(b"IDAT", zlib.compress(rows)),
            chunk(b"IEND", b""),
        ]
    )


@contextlib.asynccontextmanager
async def gallery(asked, *colour):
    """A server with an engine that is silent, and with the picture of a message, once somebody may have it."""
    released = asyncio.Event()

    async def answer(connection, request):
        if not request.path.endswith("/picture"):
            return None
        asked.append((request.path, request.headers.get("Authorization")))
        await released.wait()
        body = picture_file(*colour)
        return Response(200, "OK", Headers({"Content-Length": str(len(body))}), body)

    async def stay(socket):
        await socket.wait_closed()

    async with websockets.serve(stay, "127.0.0.1", 0, process_request=answer) as server:
        yield server.sockets[0].getsockname()[1], released


# As the server writes those of a topic.
BUTTONS = [
    {"action": "a", "title": "Look", "kind": "view", "navigate": "https://cam.example/"},
    {"action": "b", "title": "Unlock", "kind": "http", "method": "POST", "url": "https://lock.example/"},
    {"action": "c", "title": "Code", "kind": "copy", "value": "4711"},
]
LIBRARIES = "/usr/lib"
DAEMONS = [
    Daemon("dunst", "dunst", "-conf", "dunstrc", choose=((0, 30), 1), close=((0, 30), 3)),
    Daemon("dunst-silent", "dunst", "-conf", "dunstrc", choose=((0, 30), 1), close=((0, 30), 3)),
    # A click beside a button does not choose it.
    Daemon(
        "xfce4-notifyd",
        LIBRARIES + "/x86_64-linux-gnu/xfce4/notifyd/xfce4-notifyd",
        window="notifyd",
        close=((150, 20), 1),
        copy=(328, 86),
    ),
    Daemon(
        "notification-daemon",
        LIBRARIES + "/notification-daemon/notification-daemon",
        window="notification-daemon",
        choose=((100, 30), 1),
        close=((-23, 28), 1),
    ),
    Daemon(
        "mate-notification-daemon",
        LIBRARIES + "/mate-notification-daemon/mate-notification-daemon",
        window="mate-notification-daemon",
        choose=((100, 30), 1),
        close=((-32, 26), 1),
    ),
    Daemon(
        "lxqt-notificationd",
        "lxqt-notificationd",
        window="lxqt-notificationd",
        choose=((100, 30), 1),
        close=((-23, 24), 1),
        loud="<font color='#ff00ff'>\u2588\u2588\u2588</font>",
    ),
]


async def copied(desk, daemon, probe, picture):
    """Each program for the clipboard gets the text of a button, while the other fails."""
    for number, (program, other) in enumerate([("xclip", "xsel"), ("xsel", "xclip")], 6):
        probe.active([])
        await eventually(lambda: not desk.paints(picture, "00FFFF"), f"{daemon.name} has room for the next")
        desk.tell("/usr/bin/xsel", "--clipboard", "--clear")
        with desk.without(other):
            probe.active([push(number, "to copy", "door", icon=icon(0, 0xFF, 0xFF), actions=BUTTONS)])
            await eventually(lambda: desk.paints(picture, "00FFFF"), f"{daemon.name} shows a button that copies")
            daemon.click(desk, daemon.copy)
            await eventually(
                lambda: desk.tell("/usr/bin/xsel", "--clipboard", "--output") == "4711",
                f"a button of {daemon.name} copies with {program}",
            )


async def real(desk, folder, daemon):
    """A real server under Xvfb: pictures, clicks that come back, an edit, and restarts in between."""
    name = daemon.name
    command = daemon.words(desk)
    picture = f"{folder}/{name}.png"
    process = await desk.serve(*command)
    subprocess.run(
        ["notify-send", "-t", "60000", "control", daemon.loud + " <b>not bold</b>"], env=desk.environment, check=True
    )
    await eventually(lambda: desk.paints(picture, "FF00FF"), f"{name} can render markup")
    desk.end(process)
    process = await desk.serve(*command)
    await eventually(lambda: desk.screenshot(picture) == 1, f"{name} shows nothing")
    probe = Probe(desk)
    strange = f"\u202e{daemon.loud} & gr\u00fc\u00dfe"
    probe.group([push(1, "before"), push(2, strange, f"{name} shows this")])
    await eventually(lambda: desk.screenshot(picture) > 1, f"{name} draws it")
    probe.tell(
        {
            "@type": "updateNotification",
            "notification_group_id": 1,
            "notification": push(1, strange, f"{name} shows this"),
        }
    )
    await asyncio.sleep(0.7)
    check(not desk.paints(picture, "FF00FF"), f"{name} renders no markup from a payload")
    if daemon.window:
        check(len(daemon.popups(desk)) <= 2, f"{name} shows an edit in its place")

    async def clicked(place, button, requests):
        """Clicks until the click arrives, because the window may still be moving."""
        before = len(probe.requests)
        end = time.monotonic() + 20
        while len(probe.requests) == before and time.monotonic() < end:
            daemon.click(desk, place, button)
            await asyncio.sleep(0.7)
        check(len(probe.requests) == before + 1, f"{name} reports a click")
        request = probe.requests[-1]
        check((request["@type"], request.get("action")) in requests, f"the request names what was clicked: {request}")
        check(request["notification_id"] in (1, 2), "the request names the notification")
        probe.group(removed=[request["notification_id"]])

    removal = ("removeNotification", None)
    opening = ("bellwire.invokeNotificationAction", "default")
    await clicked(*daemon.close, [removal])
    if daemon.choose:
        await clicked(*daemon.choose, [opening])
    probe.active([push(3, "second", "before the restart", icon=icon(0xFF, 0, 0xFF))])
    await eventually(lambda: desk.paints(picture, "FF00FF"), f"{name} draws the next notification with its icon")
    desk.end(process)
    await eventually(lambda: desk.screenshot(f"{folder}/{name}-gone.png") == 1, f"the window goes when {name} ends")
    process = await desk.serve(*command)
    await eventually(
        lambda: desk.screenshot(f"{folder}/{name}-again.png") > 1, f"{name} shows it again after a restart"
    )
    probe.kill()
    asked = []
    async with gallery(asked, 0, 0xFF, 0) as (port, released):
        probe = Probe(desk, "engine", f"ws://127.0.0.1:{port}/u/s3cret", "script", "door")
        probe.active([push(3, "changed", "after our own restart"), push(4, "rings", "door", picture="AbCdEf012345")])
        await eventually(
            lambda: asked == [("/api/v1/messages/AbCdEf012345/picture", "Bearer s3cret")],
            f"{name} shows a text whose picture is asked for once",
        )
        check(not desk.paints(f"{folder}/{name}-after.png", "00FF00"), "the text does not wait for its picture")
        windows = len(daemon.popups(desk)) if daemon.window else 0
        released.set()
        await eventually(
            lambda: desk.paints(f"{folder}/{name}-picture.png", "00FF00"), f"{name} draws a picture that came later"
        )
        if daemon.window:
            check(len(daemon.popups(desk)) == windows, f"{name} shows it in the place of its text")
        check(len(asked) == 1, "a picture is asked for once")
    door = push(5, "**three** _buttons_", "door", icon=icon(0, 0xFF, 0xFF), actions=BUTTONS, markdown=True)
    probe.active([door])
    picture = f"{folder}/{name}-buttons.png"
    await eventually(lambda: desk.paints(picture, "00FFFF"), f"{name} shows three buttons and Markdown")
    if daemon.copy:
        await copied(desk, daemon, probe, picture)
    probe.active([])
    # Some servers leave closed notifications on the screen for some seconds.
    await eventually(
        lambda: desk.screenshot(f"{folder}/{name}-empty.png") == 1, f"nothing is left on the screen of {name}"
    )
    desk.end(probe.process)
    desk.end(process)


DUNSTRC = """[global]
    {markup}
    width = 400
    offset = 20x20
    origin = top-right
    mouse_left_click = do_action, close_current
    mouse_right_click = close_current
    idle_threshold = 0
    font = DejaVu Sans 12
[urgency_normal]
    timeout = 0
"""


async def main(*words):
    folder = await with_each(DAEMONS, real, DUNSTRC, *words)
    print(f"servers: {check.passed} checks passed; pictures in {folder}")


if __name__ == "__main__":
    checked(main, *sys.argv[1:])
