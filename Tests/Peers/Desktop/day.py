"""An application comes back after a day, for part of which the machine was asleep. clocks.c moves the clocks of
receiver and desktop; the machine's own clocks stay as they are.

usage: day.py PATH_OF_BELLWIRE
"""

import asyncio
import mmap
import os
import struct
import subprocess
import sys
import time

sys.path.append(__file__.rsplit("/", 3)[0])

from kit.checks import Checks, checked
from kit.desktop import Application, Session
from kit.sender import pushed

check = Checks("day")
HOUR = 3_600
WEEK = 7 * 24 * HOUR


class Slow(Application):
    """Takes a message and answers only when the test says so."""

    held = None

    def handle(self, message):
        answer = super().handle(message)
        if message.member != "Message" or answer is None:
            return answer
        self.held = answer
        return True

    def answer(self):
        self.bus.send(self.held)
        self.held = None


class Clocks:
    """The time that receiver and desktop see."""

    def __init__(self, session):
        library = session.folder + "/clocks.so"
        source = os.path.dirname(os.path.abspath(__file__)) + "/clocks.c"
        subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
        self.path = session.folder + "/clocks"
        with open(self.path, "wb") as file:
            file.write(bytes(24))
        with open(self.path, "r+b") as file:
            self.memory = mmap.mmap(file.fileno(), 24)
        session.environment.update(LD_PRELOAD=library, BELLWIRE_CLOCKS=self.path)

    def move(self, *seconds):
        now = struct.unpack("3q", self.memory)
        self.memory[:] = struct.pack("3q", *(a + b for a, b in zip(now, seconds)))

    def pass_hour(self):
        self.move(HOUR, HOUR, HOUR)

    def sleep_hour(self):
        self.move(HOUR, HOUR, 0)

    def set_date(self, seconds):
        self.move(seconds, 0, 0)


async def sent(endpoint, body, ttl=WEEK):
    await pushed(endpoint, body, ttl=ttl, Connection="close")


async def leave(app):
    """Registers and disconnects."""
    await app.appear()
    await app.register()
    endpoint = await app.endpoint()
    app.disappear()
    return endpoint


async def expect(app, *bodies):
    """Comes back and gets all messages once, in order, and no others."""
    await app.appear()
    for body in bodies:
        found = await app.message(20)
        check(found == body, f"{app.name} got {found} instead of {body}")
    check(await app.nothing(0.3), f"{app.name} gets each message only once")


async def served(app, *bodies):
    for body in bodies:
        found = await app.message(20)
        check(found == body, f"the running application got {found} instead of {body}")
    # While the desktop waits for this answer, its connection would count as silent.
    await asyncio.sleep(0.05)


async def a_day(session):
    clocks = Clocks(session)
    receiver, base = session.serve()
    device = session.device()
    desktop = session.desktop(device["websocket"])
    other = await Application(session, "org.example.Other").appear()
    await other.register()
    near = await other.endpoint()
    # One application is not installed, one does not start, and one has messages only at the receiver.
    away, broken, late = (Application(session, "org.example." + name) for name in ("Away", "Broken", "Late"))
    session.install(broken.name, "/bin/false")
    endpoints = {app: await leave(app) for app in (away, broken, late)}
    for app in (away, broken):
        await sent(endpoints[app], b"one")
        await sent(endpoints[app], b"for an hour", HOUR)
        await sent(endpoints[app], b"two")

    for hour in range(1, 11):
        clocks.pass_hour()
        await sent(near, b"hour %d" % hour)
        await served(other, b"hour %d" % hour)
    session.end(desktop)
    await sent(endpoints[late], b"one")
    await sent(endpoints[late], b"for an hour", HOUR)
    await sent(endpoints[late], b"two")
    for hour in range(11, 13):
        clocks.pass_hour()
        await sent(near, b"hour %d" % hour)
    desktop = session.desktop(device["websocket"])
    await served(other, b"hour 11", b"hour 12")
    # The machine falls asleep while a call is under way.
    slow = await Slow(session, "org.example.Slow").appear()
    await slow.register()
    far = await slow.endpoint()
    await sent(far, b"before the sleep")
    await served(slow, b"before the sleep")
    for hour in range(13, 25):
        clocks.sleep_hour()
        await sent(near, b"hour %d" % hour)
        await served(other, b"hour %d" % hour)
    check(slow.held and await slow.nothing(0), "an application that has not answered yet is not called again")
    slow.answer()
    await sent(far, b"after it")
    await served(slow, b"after it")
    slow.answer()
    check(receiver.poll() is None and desktop.poll() is None, "receiver and desktop run through the whole day")

    await expect(late, b"one", b"two")
    await sent(endpoints[away], b"three")
    await expect(away, b"one", b"two", b"three")
    start = time.monotonic()
    await sent(near, b"still there")
    await served(other, b"still there")
    check(time.monotonic() - start < 1, "a running application gets its message at once")

    # Both start again after a day because they were killed, not because they were asked to end.
    desktop.kill()
    receiver.kill()
    receiver.wait()
    session.serve(port=int(base.rsplit(":", 1)[1]))
    session.desktop(device["websocket"])
    await sent(endpoints[broken], b"three")
    await expect(broken, b"one", b"two", b"three")
    for app in (away, late, other):
        check(await app.nothing(0), f"{app.name} gets no message a second time")


async def another_date(session):
    """Setting the machine's clock expires no message."""
    clocks = Clocks(session)
    receiver, base = session.serve()
    address = base.replace("http", "ws") + "/"
    desktop = session.desktop(address)
    away = Application(session, "org.example.Away")
    endpoint = await leave(away)
    await sent(endpoint, b"before", HOUR)
    clocks.set_date(24 * HOUR)
    await sent(endpoint, b"after", HOUR)
    session.end(desktop)
    session.desktop(address)
    clocks.set_date(-48 * HOUR)
    await expect(away, b"before", b"after")
    check(receiver.poll() is None, "the receiver keeps running")


async def main(bellwire):
    start = time.monotonic()
    for case in (a_day, another_date):
        with Session(bellwire) as session:
            await case(session)
    print(f"day: {check.passed} checks passed in {time.monotonic() - start:.1f} s")


checked(main, sys.argv[1])
