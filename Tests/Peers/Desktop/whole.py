"""The whole way in both directions: a push to a registration becomes a notification on the screen, and the user's
action comes back; a fetch signal wakes the application that the registration names.

usage: whole.py PATH_OF_BELLWIRE
"""

import asyncio
import contextlib
import json
import os
import signal
import sys

sys.path.append(__file__.rsplit("/", 3)[0])

from kit import control, sender
from kit.checks import Checks, checked
from kit.desktop import Application, Session, telegram
from kit.screen import Recorder

check = Checks("whole")
APPLICATION = "org.example.Fetch"
OPENED = "org.example.Opened"


async def push(registration, text, number):
    await asyncio.to_thread(sender.push, registration["endpoint"], telegram(text, number))


def active(session):
    """The notifications that the engine reports to a new client."""
    watch = session.watch("me")
    line = watch.stdout.readline()
    session.end(watch, signal.SIGKILL)
    return line


async def notifications(session, registration, server, recorder):
    await push(registration, "hello", 1)
    await check.eventually(lambda: "hello" in str(recorder.bodies), "the notification appears")
    # Neither side forgets the shown notifications.
    session.end(server, signal.SIGKILL)
    session.serve(port=int(session.base.rsplit(":", 1)[1]))
    await push(registration, "again", 2)
    await check.eventually(lambda: "again" in str(recorder.bodies), "after a kill the next notification appears")
    check(len(recorder.visible) == 2, f"each notification is there once: {recorder.bodies}")
    check("hello" in active(session), "the engine has the notification")
    recorder.user_closes(min(recorder.visible))
    await check.eventually(
        lambda: "hello" not in active(session), "a notification that the user closed is gone from the engine"
    )
    check("again" in active(session), "the other notification is still there")


def install(session, name, actions):
    """An application that the bus starts, with its desktop entry."""
    here = os.path.dirname(os.path.abspath(__file__))
    session.install(name, sys.executable, f"{here}/opened.py", name, session.folder)
    os.makedirs(session.folder + "/data/applications", exist_ok=True)
    with open(f"{session.folder}/data/applications/{name}.desktop", "w") as file:
        file.write(
            f"[Desktop Entry]\nType=Application\nName=Chat\nExec=chat\nDBusActivatable=true\nActions={actions}\n"
        )


async def clicks(session, registration, server, desktop, recorder, address):
    """The user's action waits for its application and reaches it once, whatever is killed."""

    def told():
        with contextlib.suppress(FileNotFoundError), open(session.folder + "/told") as file:
            return [json.loads(line) for line in file]
        return []

    async def chosen(text, number, key="default", token=None):
        await push(registration, text, number)
        await check.eventually(lambda: any(text in str(call) for call in recorder.visible.values()), f"{text} appears")
        shown = next(n for n, call in recorder.visible.items() if text in str(call))
        recorder.user_chooses(shown, key, token)
        await check.eventually(lambda: shown not in recorder.visible, f"{text} leaves the screen")

    def owed():
        """The actions that an application would be told if it connected now."""
        client = control.Engine(
            session.folder + "/receiver/control.sock", app="telegram", account="clicked", role="viewer"
        )
        with contextlib.closing(client):
            client.say({"@type": "bellwire.getChats", "@extra": 1})
            lines = [client.next()]
            while lines[-1].get("@extra") != 1:
                lines.append(client.next())
        return [x["id"] for x in lines if x["@type"] == "bellwire.updateNotificationAction"]

    await chosen("one", 1, token="token")
    await check.eventually(lambda: len(told()) == 1, "a closed application is started", 20)
    path, member, action, (data,), platform = told()[0]
    check((member, action) == ("ActivateAction", "open-notification"), "the call names the action")
    check(json.loads(data) == {"from_id": "5", "msg_id": "1"}, f"the call carries the payload's own data: {data}")
    check(platform["activation-token"] == "token", "the call carries the token")
    await check.eventually(lambda: not owed(), "the engine knows that the action was taken")
    # Killed during the call: it is called again with the same id until it answers.
    open(session.folder + "/die", "w").close()
    await chosen("two", 2)
    await check.eventually(lambda: len(told()) == 2, "the application is called")
    check(len(owed()) == 1, "the action is still owed")
    await check.eventually(lambda: len(told()) == 3, "the application is called again after a pause", 20)
    check(told()[1] == told()[2], "both calls are the same")
    await check.eventually(lambda: not owed(), "the action was taken and is no longer owed")
    # All three are killed during the call.
    open(session.folder + "/sleep", "w").close()
    await chosen("three", 3)
    await check.eventually(lambda: len(told()) == 4, "the application is called")
    session.end(desktop, signal.SIGKILL)
    session.end(server, signal.SIGKILL)
    server = session.serve(port=int(session.base.rsplit(":", 1)[1]))[0]
    check(len(owed()) == 1, "after a kill the action is still owed")
    desktop = session.desktop(address)
    await check.eventually(lambda: len(told()) == 5, "after a kill the application is called again", 20)
    await check.eventually(lambda: not owed(), "the action was taken and is no longer owed")
    session.end(desktop, signal.SIGKILL)
    desktop = session.desktop(address)
    await chosen("four", 4)
    await check.eventually(lambda: len(told()) == 6, "the next action reaches the application", 20)
    check("4" in str(told()[5]) and len(recorder.visible) == 0, "nothing else is called or shown")
    return server


async def signals(session, registration):
    app = await Application(session, APPLICATION).appear()
    await app.register()
    await app.endpoint()
    for body, expected in (
        (b"version=7", b"version=7"),
        (b"version=9223372036854775807", b"version=9223372036854775807"),
    ):
        await asyncio.to_thread(sender.push, registration["endpoint"], body, "PUT")
        check(await app.message() == expected, "the application is told to fetch")
    await asyncio.to_thread(sender.push, registration["endpoint"], None, "PUT")
    check((await app.message()).startswith(b"version="), "a signal without a number reaches the application too")
    # An absent application is told when it is back.
    app.disappear()
    await asyncio.to_thread(sender.push, registration["endpoint"], b"version=8", "PUT")
    await asyncio.sleep(0.5)
    await app.appear()
    check(await app.message(20) == b"version=8", "an application that was away gets the signal later")
    check(await app.nothing(0.5), "the signal arrives only once")
    app.disappear()


async def main(bellwire):
    with Session(bellwire) as session:
        server, session.base = session.serve()
        device = session.device()
        terms = {"app": "telegram", "account": "me"}

        def register(**members):
            return sender.register(session.base, device["bearer"], **terms | members)

        pushed = register(token_type=10, clear=True)
        signalled = register(token_type=4, service=APPLICATION)
        recorder = await Recorder(session).appear()
        address = device["websocket"] + " telegram/me telegram/clicked"
        clicked = register(token_type=10, clear=True, trust_clear=True, account="clicked", service=OPENED)
        install(session, OPENED, "open-notification;")
        desktop = session.desktop(address)
        await signals(session, signalled)
        server = await clicks(session, clicked, server, desktop, recorder, address)
        await notifications(session, pushed, server, recorder)
    print(f"whole: {check.passed} checks passed")


checked(main, sys.argv[1])
