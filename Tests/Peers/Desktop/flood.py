"""A program on the session bus floods the desktop service while another one is served.

usage: flood.py PATH_OF_BELLWIRE
"""

import asyncio
import os
import select
import socket
import statistics
import sys
import time
import uuid

sys.path.append(__file__.rsplit("/", 3)[0])

from dbus_fast import Message, MessageFlag, Variant
from kit.bus import BUS, DISTRIBUTOR, OBJECT
from kit.checks import Checks, checked
from kit.desktop import Application, Session
from kit.process import Running
from kit.sender import pushed

check = Checks("flood")
DISTRIBUTOR2 = "org.unifiedpush.Distributor2"
SECONDS, PUSHES = 5, 60
# Others may wait three times as long as in quiet, and always up to 20 ms: the flood also keeps the bus busy.
SLOWER, WAIT = 3, 0.02
GROWTH = 16 << 20


def strings(**values):
    return {name: Variant("s", value) for name, value in values.items()}


def call(member, signature="a{sv}", body=None, interface=DISTRIBUTOR2, path=OBJECT):
    return Message(
        destination=DISTRIBUTOR,
        path=path,
        interface=interface,
        member=member,
        signature=signature,
        body=body or [],
        flags=MessageFlag.NO_REPLY_EXPECTED,
    )


def calls():
    """Each round makes a call of another kind."""
    number = 0
    while True:
        number += 1
        token = str(uuid.uuid4())
        yield call("Register", body=[strings(service="org.example.Worst", token=token, description="d" * 200)])
        yield call("Register", body=[strings(service="org.example.Worst", token="t" * 60_000)])
        yield call("Unregister", body=[strings(token=token)])
        yield call("Register", "sss", ["org.example.Worst", token, "x"], "org.unifiedpush.Distributor1")
        yield call(f"Method{number}", "s", ["\u202e" * 20_000])
        yield call("Register", "s", ["no dictionary"])
        yield call("Introspect", "", interface="org.freedesktop.DBus.Introspectable")
        yield call("GetAll", "s", [DISTRIBUTOR2], "org.freedesktop.DBus.Properties")
        yield call("List", "", interface="org.bellwire.Desktop1", path="/org/bellwire/Desktop")
        yield call("Register", body=[strings()], path=f"/nowhere/{number}")


def connected(address):
    """A connection that accepts any amount of data."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(dict(item.split("=") for item in address.split(":", 1)[1].split(","))["path"])
    connection.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")
    connection.recv(1_024)
    connection.sendall(b"BEGIN\r\n")
    hello = Message(**BUS, member="Hello", serial=1)
    connection.sendall(bytes(hello._marshall(False)))
    return connection


def flood(address, end):
    """Calls as fast as the bus allows, and connects again when it is cut off. Answers are dropped."""
    sent = cuts = 0
    kinds = calls()
    while time.monotonic() < end:
        connection = connected(address)
        try:
            while time.monotonic() < end:
                message = next(kinds)
                message.serial = sent % 1_000_000 + 2
                connection.sendall(bytes(message._marshall(False)))
                sent += 1
                while select.select([connection], [], [], 0)[0]:
                    if not connection.recv(65_536):
                        raise ConnectionResetError
        except OSError:
            cuts += 1
        connection.close()
    return sent, cuts


async def waits(application, endpoint, count):
    """The seconds that pushes take to reach the application."""
    times = []
    for number in range(count):
        start = time.monotonic()
        await pushed(endpoint, f"{number}".encode())
        arrived, text = await asyncio.wait_for(application.messages.get(), 20)
        check(text == f"{number}".encode(), "pushes come in order")
        times.append(arrived - start)
    return times


async def main(bellwire):
    with Session(bellwire) as session:
        session.serve()
        desktop = session.desktop(session.device()["websocket"])
        application = await Application(session, "org.example.Neighbour").appear()
        await application.register()
        endpoint = await application.endpoint()
        quiet = await waits(application, endpoint, PUSHES)
        before = Running(desktop).memory()
        flooding = asyncio.create_task(flood_apart(session))
        await asyncio.sleep(0.5)
        busy = await waits(application, endpoint, PUSHES)
        sent, cuts = await flooding
        check(desktop.poll() is None, "the desktop service stays up")
        limit = max(SLOWER * statistics.quantiles(quiet, n=100)[98], WAIT)
        median = statistics.median(busy)
        # The bus is one process for everybody, so messages that wait there are not the service's fault.
        check(median <= limit + WAIT, f"others waited {median:.3f} s, and the limit is {limit:.3f}")
        other = await Application(session, "org.example.Late").appear()
        await other.register()
        check(await other.endpoint(), "another application is registered afterwards")
        start = time.monotonic()
        while Running(desktop).memory() > before + GROWTH and time.monotonic() - start < 10:
            await asyncio.sleep(0.1)
        grown = Running(desktop).memory() - before
        check(grown <= GROWTH, f"memory does not return: {grown >> 20} MB more")
        check(session.end(desktop) == 0, "the service ends with exit code 0")
        print(
            f"flood: {check.passed} checks; {sent} calls, {cuts} cuts; others {median * 1e3:.1f} ms in the median,"
            f" {statistics.median(quiet) * 1e3:.1f} in quiet; {grown >> 20} MB more"
        )


async def flood_apart(session):
    """Floods from another process, so that this one can measure time."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, __file__, "--flood", env=session.environment, stdout=asyncio.subprocess.PIPE
    )
    output, _ = await process.communicate()
    check(process.returncode == 0, "the flooding process ends with exit code 0")
    return map(int, output.split())


if sys.argv[1] == "--flood":
    print(*flood(os.environ["DBUS_SESSION_BUS_ADDRESS"], time.monotonic() + SECONDS))
else:
    checked(main, sys.argv[1])
