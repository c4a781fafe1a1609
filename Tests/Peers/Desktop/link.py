"""Messages reach an application over the link from our receiver and from another push service.

usage: link.py PATH_OF_BELLWIRE
"""

import asyncio
import os
import shutil
import signal
import stat
import statistics
import sys
import time

sys.path.append(__file__.rsplit("/", 3)[0])

from autopush import PushService
from dbus_fast import Message, MessageType, Variant
from kit import bus
from kit.checks import Checks, Failed, checked
from kit.coding import encode
from kit.desktop import Application, Session
from kit.sender import pushed

check = Checks("link")


async def our_receiver(session):
    receiver, base = session.serve()
    device = session.device()
    desktop = session.desktop(device["websocket"])
    app = await Application(session, "org.example.One").appear()
    check((await app.register())["success"] == "REGISTRATION_SUCCEEDED", "the application registers")
    endpoint = await app.endpoint()
    check(endpoint.startswith(base), "the receiver makes the endpoint")

    times = []
    for number in range(50):
        start = time.monotonic()
        await pushed(endpoint, b"hello %d" % number)
        moment, body = await asyncio.wait_for(app.messages.get(), 5)
        times.append(moment - start)
        check(body == b"hello %d" % number, "the body is as it was sent")
    print(f"link: from POST to the application: {statistics.median(times) * 1000:.2f} ms (p50)")

    app.disappear()
    for number in range(5):
        await pushed(endpoint, b"kept %d" % number)
    await pushed(endpoint, b"too late", ttl=1)
    await asyncio.sleep(1.5)
    session.end(desktop, signal.SIGKILL)
    desktop = session.desktop(device["websocket"])
    await app.appear()
    for number in range(5):
        check(await app.message() == b"kept %d" % number, "after a kill the messages arrive in order")
    check(await app.nothing(0.5), "each message arrives only once")

    await sleeping_application(session, app, endpoint)

    session.end(receiver, signal.SIGKILL)
    port = int(base.rsplit(":", 1)[1])
    receiver, base = session.serve(port=port)
    await pushed(endpoint, b"after the kill")
    check(await app.message(20) == b"after the kill", "a receiver that was killed comes back")

    session.end(receiver)
    offline = await Application(session, "org.example.Offline").appear()
    start = time.monotonic()
    check((await offline.register())["success"] == "REGISTRATION_SUCCEEDED", "an application registers offline")
    check(time.monotonic() - start < 5, "registering offline is answered within 5 s")
    # Long enough for the wait between attempts to grow.
    await asyncio.sleep(8)
    receiver, base = session.serve(port=port)
    start = time.monotonic()
    check((await offline.endpoint(20)).startswith(base), "the endpoint comes when the receiver is back")
    check(time.monotonic() - start < 1, "the endpoint comes within a second of the receiver's return")
    check(session.end(desktop) == 0, "the desktop ends when it is asked to")
    no_secrets(session, device, endpoint, app)
    for application in (app, offline):
        application.disappear()
    session.end(receiver)


async def sleeping_application(session, app, endpoint):
    """An application that takes a message and never answers does not delay others."""
    sleeper = await Application(session, "org.example.Sleeper").appear()
    await sleeper.register()
    far = await sleeper.endpoint()
    sleeper.answers = False
    for number in range(200):
        await pushed(far, b"asleep %d" % number)
    times = []
    for number in range(50):
        start = time.monotonic()
        await pushed(endpoint, b"awake %d" % number)
        moment, body = await asyncio.wait_for(app.messages.get(), 5)
        check(body == b"awake %d" % number, "other applications get their messages")
        times.append(moment - start)
    check(max(times) < 0.05, f"others wait at most 50 ms, not {max(times) * 1000:.1f}")
    print(f"link: beside a sleeping application: {max(times) * 1000:.2f} ms (worst of 50)")
    sleeper.disappear()
    sleeper.answers = True
    await sleeper.appear()
    for number in range(200):
        check(await sleeper.message(30) == b"asleep %d" % number, "all messages arrive in order")
    check(await sleeper.nothing(0.3), "each message arrives only once")
    sleeper.disappear()


def no_secrets(session, device, endpoint, app):
    logs = session.log("desktop") + session.log("serve")
    for secret in (device["bearer"], endpoint.rsplit("/", 1)[1], app.token):
        check(secret not in logs, "no secret is in a log")
    for folder, _, files in os.walk(session.folder + "/desk"):
        for name in files:
            mode = os.stat(os.path.join(folder, name), follow_symlinks=False).st_mode
            check(stat.S_IMODE(mode) & 0o077 == 0 or stat.S_ISSOCK(mode), f"{name} is private")


async def lost_state(session):
    """A receiver has lost everything: applications get other endpoints, never empty ones."""
    receiver, base = session.serve(state="lost")
    port = int(base.rsplit(":", 1)[1])
    desktop = session.desktop(base.replace("http", "ws") + "/", log="lost")
    app = await Application(session, "org.example.Lost").appear()
    await app.register()
    first = await app.endpoint()
    session.end(receiver)
    shutil.rmtree(session.folder + "/lost")
    receiver, base = session.serve(state="lost", port=port)
    second = await app.endpoint(20)
    check(second.startswith(base) and second != first, "the application gets a new endpoint")
    await pushed(second, b"there")
    check(await app.message() == b"there", "the new endpoint works")
    app.disappear()
    session.end(desktop)
    session.end(receiver)


async def moved_house(session):
    """A receiver goes on from its backup under another name; the former one still leads to it."""
    receiver, old = session.serve(state="house")
    port = old.rsplit(":", 1)[1]
    device = session.device(state="house")
    desktop = session.desktop(device["websocket"], log="house")
    app = await Application(session, "org.example.House").appear()
    await app.register()
    first = await app.endpoint()
    check(first.startswith(old), "the endpoint has the former name")
    backup = session.folder + "/house.backup"
    session.run("backup", "--with-keys", backup, state="house")
    session.end(receiver, signal.SIGKILL)
    session.run("restore", "--former", session.folder + "/house", backup, state="moved")
    new = f"http://127.0.0.1:{port}"
    receiver, base = session.serve("--base-url", new, "--alias", old, state="moved", port=port)
    check(base == new != old, "the receiver has another name")
    second = await app.endpoint(20)
    check(second == first.replace(old, new), "the application gets the same endpoint under the new name")
    for number, endpoint in enumerate((first, second)):
        await pushed(endpoint, b"moved %d" % number)
        check(await app.message() == b"moved %d" % number, "both endpoints work")
    app.disappear()
    session.end(desktop)
    session.end(receiver)


async def another_service(session):
    service = PushService()
    address = await service.start()
    desktop = session.desktop(address, log="foreign")
    app = await Application(session, "org.example.Foreign").appear()
    await app.register()
    first = await app.endpoint()
    check(first.startswith("https://push.example/"), "the other service makes the endpoint")
    [channel] = service.channels()
    app.disappear()
    await service.push(channel, encode(b"kept here"), "v1")
    await check.eventually(lambda: "v1" in service.acknowledged, "the message is acknowledged when it is on the disk")
    session.end(desktop, signal.SIGKILL)
    await service.stop()
    desktop = session.desktop(address, log="foreign")
    await app.appear()
    check(await app.message() == b"kept here", "the message arrives after a kill, without the service")
    check(await app.nothing(0.3), "the message arrives only once")

    # The service has lost its state.
    service.forget()
    await service.start(service.port)
    second = await app.endpoint(20)
    check(second != first, "the application gets a new endpoint when the service has lost its state")
    check(service.endpoints == 2, "the desktop asked for each endpoint only once")
    await wake(session, service)
    await app.call("Unregister", token=app.token)
    await check.eventually(lambda: not service.channels(), "the service has no channel any more")
    app.disappear()
    session.end(desktop)
    await service.stop()


async def wake(session, service):
    """After sleep or when the network is back, the desktop connects at once, however long it would have waited."""
    logind = session.mock("--template", "logind")
    network = session.mock("--template", "networkmanager")
    system = await bus.connected(session.environment["DBUS_SYSTEM_BUS_ADDRESS"])

    async def call(name, path, interface, member, signature, *body):
        await owned(system, name)
        reply = await system.call(
            Message(
                destination=name, path=path, interface=interface, member=member, signature=signature, body=list(body)
            )
        )
        check(reply.message_type == MessageType.METHOD_RETURN, f"{member}: {reply.body}")

    async def slept():
        await call(
            "org.freedesktop.login1",
            "/org/freedesktop/login1",
            "org.freedesktop.DBus.Mock",
            "EmitSignal",
            "sssav",
            "org.freedesktop.login1.Manager",
            "PrepareForSleep",
            "b",
            [Variant("b", False)],
        )

    async def connected(state):
        await call(
            "org.freedesktop.NetworkManager",
            "/org/freedesktop/NetworkManager",
            "org.freedesktop.DBus.Mock",
            "SetGlobalConnectionState",
            "u",
            state,
        )

    for what, event in (("sleep", slept), ("a new network", lambda: connected(70))):
        await connected(20)
        await service.stop()
        # Long enough for the wait between attempts to grow.
        await asyncio.sleep(8)
        await service.start(service.port)
        hellos = service.hellos
        start = time.monotonic()
        await event()
        await check.eventually(lambda: service.hellos > hellos, f"the desktop connects after {what}")
        check(time.monotonic() - start < 1, f"the desktop connects within a second after {what}")
    system.disconnect()
    session.end(logind)
    session.end(network)


async def owned(system, name):
    for _ in range(500):
        if (await bus.ask(system, "NameHasOwner", "s", name)).body[0]:
            return
        await asyncio.sleep(0.01)
    check(False, f"{name} appears")


async def power(session):
    """On a low battery only urgent messages come; the others follow when there is power."""
    upower = session.mock("--template", "upower", "--parameters", '{"OnBattery": true}')
    receiver, base = session.serve(state="power")
    desktop = session.desktop(base.replace("http", "ws") + "/", log="power")
    app = await Application(session, "org.example.Power").appear()
    await app.register()
    endpoint = await app.endpoint()
    await asyncio.sleep(1)
    await pushed(endpoint, b"may wait", urgency="very-low")
    await pushed(endpoint, b"may not", urgency="high")
    check(await app.message() == b"may not", "an urgent message arrives at once")
    check(await app.nothing(0.3), "a less urgent message waits")
    session.end(upower)
    check(await app.message() == b"may wait", "the less urgent message arrives when there is power again")
    app.disappear()
    session.end(desktop)
    session.end(receiver)


async def together(session):
    """serve --desktop needs neither an address nor a credential."""
    process, base = session.start(
        "serve", "--desktop", "--listen", "http://127.0.0.1:0", "--state", session.folder + "/together", log="together"
    )
    app = Application(session, "org.example.Together")
    await app.appear()
    end = time.monotonic() + 10
    while True:
        try:
            if (await app.register())["success"] == "REGISTRATION_SUCCEEDED":
                break
        except (IndexError, AttributeError):
            pass
        check(time.monotonic() < end, "the application registers")
        await asyncio.sleep(0.1)
    endpoint = await app.endpoint()
    check(endpoint.startswith(base), "the server makes the endpoint")
    await pushed(endpoint, b"one process")
    check(await app.message() == b"one process", "the message arrives")
    session.end(process)
    process, base = session.start(
        "serve",
        "--desktop",
        "--listen",
        "http://127.0.0.1:" + base.rsplit(":", 1)[1],
        "--state",
        session.folder + "/together",
        log="together",
    )
    await pushed(endpoint, b"again")
    check(await app.message() == b"again", "a message arrives after a restart")
    app.disappear()
    check(session.end(process) == 0, "the server ends with exit code 0")


async def taken_name(session):
    desktop = session.desktop(log="first")
    try:
        session.start("desktop", "--state", session.folder + "/other", log="second")
        check(False, "a second desktop service must not start")
    except Failed as failure:
        check("bellwire: hint: " in str(failure), "the second desktop service says what to do")
    app = await Application(session, "org.example.Nowhere").appear()
    reply = await app.register()
    check(
        reply.get("reason") == "ACTION_REQUIRED", "without a receiver the application is told that the user has to act"
    )
    app.disappear()
    session.end(desktop)


async def main():
    cases = (our_receiver, lost_state, moved_house, another_service, power, together, taken_name)
    wanted = sys.argv[2:]
    for case in cases:
        if wanted and case.__name__ not in wanted:
            continue
        with Session(sys.argv[1]) as session:
            await case(session)
            print(f"link: {case.__name__} passed")
    print(f"link: {check.passed} checks passed")


checked(main)
