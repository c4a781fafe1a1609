"""Texts with every kind of markup, entities and control characters on Debian's notification servers. None of them
interprets a tag, and all of them leave out the same text.

usage: markup.py PATH_OF_PRESENTER_PROBE [FOLDER_FOR_SCREENSHOTS [NAME...]]
"""

import asyncio
import subprocess
import sys
import time

sys.path.append(__file__.rsplit("/", 3)[0])

from kit.checks import Failed, checked
from screen import Probe, check, eventually, push, with_each
from servers import DAEMONS, DUNSTRC

BLOCK = "\u2588\u2588\u2588"
SPAN = f"<span background='#ff00ff' foreground='#ff00ff'>{BLOCK}</span>"
FONT = f"<font color='#ff00ff'>{BLOCK}</font>"
# If a server interprets one of these, it paints something in a colour that nothing else has.
LOUD = {
    "tags": f"{SPAN} {FONT} {SPAN.upper()}",
    "entities": SPAN.replace("<", "&lt;").replace(">", "&gt;") + FONT.replace("<", "&#60;").replace(">", "&#x3e;"),
    "entities twice": SPAN.replace("<", "&amp;lt;").replace(">", "&amp;gt;"),
    "apart from an entity that there is not": f"&nothing; &#0; &#xFFFFFFFF; {SPAN}",
    "in a section": f"<![CDATA[{SPAN}]]><!-- {SPAN} --><?xml {FONT} ?>",
    "behind an end": f"</body></p></span>{SPAN}{FONT}",
    "unclosed": f"{SPAN[:-7]} {FONT[:-7]}",
    "with controls inside": SPAN.replace("<", "<\u0000").replace("span", "s\u0007pan") + FONT.replace("<", "<\u202e"),
    "in quotes": f"<a href=\"x'>{SPAN}<img src='/usr/share/pixmaps/debian-logo.png' alt=\"'/>{FONT}",
    "by other letters": SPAN.replace("<", "\uff1c") + FONT.replace("<", "\u003c\u200d"),
}
# If interpreted, these would look like the plain words.
WORDS = "bold italic under link"
QUIET = {
    "tags": "<b>bold</b> <i>italic</i> <u>under</u> <a href='https://localhost/'>link</a>",
    "entities": "&#98;old italic under lin&#107;",
}
# All servers leave out what cannot be shown.
HIDDEN = {
    "controls": "bo\u0007ld \u001bitalic \u0085under link",
    "marks": "\u202ebold ita\u2066lic under\u2069 link\u200f",
}


def picture(desk):
    """The screen, with three bytes for each pixel."""
    return subprocess.run(
        ["import", "-window", "root", "-depth", "8", "rgb:-"], capture_output=True, check=True, env=desk.environment
    ).stdout


class Shown:
    """One notification whose text is replaced again and again, and pictures of it."""

    def __init__(self, desk, folder, name):
        self.desk, self.name = desk, name
        self.path = f"{folder}/{name}-markup.png"
        self.probe = Probe(desk)
        self.count = 0
        self.before = b""
        self.empty = picture(self.desk)
        self.probe.group([push(1, "before")])

    async def compared(self, text):
        """The current picture, which may still show the text before."""
        self.count += 1
        await self.text(f"text {self.count}")
        return await self.text(text)

    async def text(self, text):
        """The picture once the server has drawn the text."""
        self.probe.tell({"@type": "updateNotification", "notification_group_id": 1, "notification": push(1, text)})
        end = time.monotonic() + 15
        last = b""
        while time.monotonic() < end:
            await asyncio.sleep(0.05)
            now = picture(self.desk)
            if now == last and now not in (self.before, self.empty):
                self.before = now
                return now
            last = now
        raise Failed(f"markup: FAILED: {self.name} does not draw {text!r}")


def is_painted(picture):
    """Whether a pixel has the colour."""
    start = picture.find(b"\xff\x00\xff")
    while start % 3 and start >= 0:
        start = picture.find(b"\xff\x00\xff", start + 1)
    return start >= 0


async def one(desk, folder, daemon):
    command = daemon.words(desk)
    process = await desk.serve(*command)
    subprocess.run(["notify-send", "-t", "60000", "control", daemon.loud], env=desk.environment, check=True)
    # A server that never renders markup would prove nothing.
    await eventually(lambda: is_painted(picture(desk)), f"{daemon.name} renders markup for others")
    desk.end(process)
    process = await desk.serve(*command)
    shown = Shown(desk, folder, daemon.name)
    # This server interprets markup without announcing it, and may drop tags that it cannot read.
    is_unknown = daemon.name == "dunst-silent"
    for kind, text in LOUD.items():
        seen = await (shown.compared if is_unknown else shown.text)(text)
        if is_painted(seen):
            desk.screenshot(shown.path)
        check(not is_painted(seen), f"{daemon.name} interprets markup: {kind}")
    plain = await shown.compared(WORDS)
    for kind, text in QUIET.items():
        check(is_unknown or await shown.compared(text) != plain, f"{daemon.name} interprets {kind}")
    for kind, text in HIDDEN.items():
        check(await shown.compared(text) == plain, f"{daemon.name} does not leave out {kind}")
    desk.end(shown.probe.process)
    desk.end(process)


async def main(*words):
    await with_each(DAEMONS, one, DUNSTRC, *words)
    print(f"markup: {check.passed} checks passed")


checked(main, *sys.argv[1:])
