"""The whole way of both kinds: a push to a registration becomes a notification on the screen, and what
the user does with it comes back; a fetch signal wakes the application that the registration names.

usage: whole.py PATH_OF_BELLWIRE
"""

import asyncio
import signal
import subprocess
import sys

import requests
from screen import Recorder, eventually
from session import Application, Checks, Failed, Session, telegram

check = Checks("whole")
http = requests.Session()
APPLICATION = "org.example.Fetch"


def register(session, device, **members):
    answer = http.post(
        session.base + "/api/v1/registrations", json={"account": "me", **members},
        headers={"Authorization": "Bearer " + device["bearer"]})
    check(answer.status_code == 201, f"a registration was answered {answer.status_code}")
    return answer.json()


async def push(registration, text, number):
    answer = await asyncio.to_thread(
        http.post, registration["endpoint"], data=telegram(text, number), headers={"TTL": "600"})
    check(answer.status_code == 201, f"a push was answered {answer.status_code}")


def active(session):
    """What the engine shows, as a client that comes now is told."""
    watch = subprocess.Popen(
        [session.bellwire, "watch", "--json", "--state", session.folder + "/receiver"],
        stdout=subprocess.PIPE, text=True, env=session.environment)
    session.processes.append(watch)
    line = watch.stdout.readline()
    session.end(watch, signal.SIGKILL)
    return line


async def notifications(session, registration, server, recorder):
    await push(registration, "hello", 1)
    await eventually(lambda: "hello" in str(recorder.bodies), "the notification comes up")
    # Neither end forgets what is shown.
    session.end(server, signal.SIGKILL)
    session.serve(port=int(session.base.rsplit(":", 1)[1]))
    await push(registration, "again", 2)
    await eventually(lambda: "again" in str(recorder.bodies), "after a kill the next one comes")
    check(len(recorder.visible) == 2, f"each is there once: {recorder.bodies}")
    check("hello" in active(session), "the engine has it")
    recorder.user_closes(min(recorder.visible))
    await eventually(lambda: "hello" not in active(session), "what the user closed is gone there")
    check("again" in active(session), "and nothing else")


async def signals(session, registration):
    app = await Application(session, APPLICATION).appear()
    await app.register()
    await app.endpoint()
    for body, expected in ((b"version=7", b"version=7"), (b"version=9223372036854775807",
                                                          b"version=9223372036854775807")):
        answer = await asyncio.to_thread(http.put, registration["endpoint"], data=body)
        check(answer.status_code == 201, f"a signal was answered {answer.status_code}")
        check(await app.message() == expected, "the application is told to fetch")
    answer = await asyncio.to_thread(http.put, registration["endpoint"])
    check((await app.message()).startswith(b"version="), "without a number, too")
    # One that is away is told when it is back.
    app.disappear()
    await asyncio.to_thread(http.put, registration["endpoint"], data=b"version=8")
    await asyncio.sleep(0.5)
    await app.appear()
    check(await app.message(20) == b"version=8", "who was away is told later")
    check(await app.nothing(0.5), "and once")
    app.disappear()


async def main(bellwire):
    session = Session(bellwire)
    try:
        server, session.base = session.serve()
        device = session.device()
        pushed = register(session, device, token_type=10, app="telegram", clear=True)
        signalled = register(session, device, token_type=4, app="telegram", service=APPLICATION)
        session.address = session.environment["DBUS_SESSION_BUS_ADDRESS"]
        recorder = await Recorder(session).appear()
        session.desktop(device["websocket"] + " telegram/me")
        await signals(session, signalled)
        await notifications(session, pushed, server, recorder)
    except BaseException:
        print(session.log("serve")[-2000:], session.log("desktop")[-2000:], file=sys.stderr)
        raise
    finally:
        session.close()
    print(f"whole: {check.passed} checks passed")


if __name__ == "__main__":
    try:
        asyncio.run(main(sys.argv[1]))
    except Failed as failure:
        sys.exit(str(failure))
