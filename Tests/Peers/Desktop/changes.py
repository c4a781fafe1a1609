"""Receivers and accounts come and go while the desktop runs.

usage: changes.py PATH_OF_BELLWIRE
"""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys

import requests
from screen import PLASMA, Recorder, eventually
from session import Application, Checks, Failed, Session, telegram

check = Checks("changes")
http = requests.Session()


def register(session, state, **options):
    words = [f"--{name}={value}" for name, value in {"account": "me", **options}.items()]
    return json.loads(session.run("register", "--app=telegram", "--clear=yes", "--json", *words, state=state))


async def sent(endpoint, body, method="POST", **fields):
    answer = await asyncio.to_thread(http.request, method, endpoint, data=body, headers={"TTL": "600", **fields})
    check(answer.status_code == 201, f"a push was answered {answer.status_code}")


async def pushed(endpoint, body):
    await sent(endpoint, body, **{"Content-Encoding": "aes128gcm"})


class Manager:
    """Records what systemd is asked to do."""

    def __init__(self, session):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        path = session.folder + "/notify"
        self.socket.bind(path)
        self.socket.settimeout(10)
        session.environment["NOTIFY_SOCKET"] = path

    async def told(self, word):
        while True:
            text = (await asyncio.to_thread(self.socket.recv, 4096)).decode()
            if text.startswith("WATCHDOG"):
                continue
            check(text.startswith(word), f"systemd was told {text} in place of {word}")
            return


async def reload(session, desktop, manager, *lines):
    with open(session.folder + "/receivers", "w") as file:
        file.write("".join(line + "\n" for line in lines))
    desktop.send_signal(signal.SIGHUP)
    await manager.told("RELOADING=1\nMONOTONIC_USEC=")
    await manager.told("READY=1")


def connections(session):
    return session.log("desktop").count("event=receiver-connected")


async def receivers(session):
    _, first = session.serve(state="first")
    _, second = session.serve(state="second")
    addresses = [session.device("first")["websocket"], session.device("second")["websocket"]]
    account = register(session, "second")
    manager = Manager(session)
    session.address = session.environment["DBUS_SESSION_BUS_ADDRESS"]
    screen = await Recorder(session).appear()
    desktop = session.desktop(addresses[0])
    await manager.told("READY=1")
    app = await Application(session, "org.example.App").appear()
    await app.register()
    old = await app.endpoint()
    check(old.startswith(first), "the endpoint is of the first receiver")

    # A second receiver, with an account.
    app.answers = False
    await pushed(old, b"under way")
    await eventually(lambda: app.unanswered == 1, "a call is under way")
    await reload(session, desktop, manager, addresses[0], addresses[1] + " telegram/me")
    await sent(account["endpoint"], telegram("hello", 1))
    await eventually(lambda: "hello" in str(screen.bodies), "what the new one has is shown")
    other = await Application(session, "org.example.Other").appear()
    await other.register()
    check((await other.endpoint()).startswith(first), "the first one takes new applications")
    app.answers = True
    check(app.unanswered == 1, "and what was under way still is")
    app.disappear()
    await app.appear()
    check(await app.message() == b"under way", "and comes")
    check(app.endpoints.empty(), "under the same endpoint")
    check(connections(session) == 1, "the first one is still connected, and not once more")

    # A typing mistake.
    await reload(session, desktop, manager, "not an address")
    check("receivers-refused" in session.log("desktop"), "a mistake is told")
    await pushed(old, b"still here")
    check(await app.message() == b"still here", "and everything stays as it was")

    # Without the account, then without the first receiver.
    await reload(session, desktop, manager, addresses[0], addresses[1])
    await eventually(lambda: not screen.visible, "what an account had on the screen goes with it")
    other.disappear()
    await reload(session, desktop, manager, addresses[1])
    new = await app.endpoint()
    check(new.startswith(second), "the other one has the applications of the first")
    await pushed(old, b"to nobody")
    await pushed(new, b"there")
    check(await app.message() == b"there", "and their messages")
    check(await app.nothing(0.5), "what is left behind says nothing any more")
    # An application that was away is told when it is back.
    await other.appear()
    check((await other.endpoint()).startswith(second), "who was closed is told later")

    # Back again: the application is not told twice.
    await reload(session, desktop, manager, addresses[1], addresses[0])
    await pushed(new, b"and on")
    check(await app.message() == b"and on", "the applications stay where they are")
    check(app.endpoints.empty() and await app.nothing(0.3), "and are told nothing")
    check(session.end(desktop) == 0, "it ends well")
    for secret in (*addresses, app.token):
        check(secret not in session.log("desktop"), "no secret is in the log")
    app.disappear()
    other.disappear()
    screen.disappear()


async def opening(session, base, screen):
    """A click on a notification opens the application that one of the account's registrations names."""
    chat = await Recorder(session).appear("org.example.Chat")
    fetch = await Recorder(session).appear("org.example.Fetch.Window")

    async def opened(registration, number):
        changes = session.log("desktop").count("receivers-taken")
        made = register(session, "one", **registration)
        await eventually(lambda: session.log("desktop").count("receivers-taken") > changes, "the desktop hears of it")
        send(session, made, f"open {number}", number)
        await eventually(lambda: f"open {number}" in str(screen.bodies), "it is shown")
        [(shown, call)] = [(n, c) for n, c in screen.visible.items() if f"open {number}" in c[4]]
        screen.user_chooses(shown, "default", f"token-{number}")
        await eventually(lambda: shown not in screen.visible, "and opened")
        return made, call[6]["desktop-entry"].value

    # The application that fetches was registered first.
    one, entry = await opened({"service": "org.example.Chat"}, 40)
    check(entry == "org.example.Fetch" and not chat.activations, "the first that names one counts")
    session.run("revoke", one["id"], state="one")
    # Somebody else's account of the same name.
    session.run("owner", "add", "bob", state="one")
    bob = json.loads(session.run("device", "add", "his", "--owner", "bob", "--json", state="one"))["bearer"]
    answer = await asyncio.to_thread(
        http.post,
        base + "/api/v1/registrations",
        headers={"Authorization": f"Bearer {bob}"},
        json={"token_type": 10, "app": "telegram", "account": "other", "service": "org.example.Bob"},
    )
    check(answer.status_code == 201, f"bob's registration was answered {answer.status_code}")
    other = {"account": "other", "service": "org.example.Chat"}
    made, entry = await opened(other, 41)
    check(entry == "org.example.Chat", "each account has its own")
    await eventually(lambda: chat.activations, "the application is activated")
    path, member, body = chat.activations[0]
    check((path, member) == ("/org/example/Chat", "Activate"), "as the specification has it")
    check(body[0]["activation-token"].value == "token-41", "with the token")
    later, entry = await opened(dict(other, service="org.example.Fetch.Window"), 42)
    check(entry == "org.example.Chat", "a later one changes nothing")
    await eventually(lambda: len(chat.activations) == 2, "the same is activated")
    session.run("revoke", made["id"], state="one")
    last, entry = await opened({"account": "other"}, 43)
    check(entry == "org.example.Fetch.Window", "until the first is gone")
    await eventually(lambda: fetch.activations, "then that one is")
    for registration in (later, last):
        session.run("revoke", registration["id"], state="one")
    chat.disappear()
    fetch.disappear()


async def accounts(session):
    session.address = session.environment["DBUS_SESSION_BUS_ADDRESS"]
    screen = await Recorder(session).appear()
    process, base = session.start(
        "serve", "--desktop", "--listen", "http://127.0.0.1:0", "--state", session.folder + "/one", log="desktop"
    )
    # This application is registered from the start, which shows that the desktop is ready.
    account = register(session, "one")
    await sent(account["endpoint"], telegram("later", 1))
    await eventually(lambda: "later" in str(screen.bodies), "what is registered later is shown")
    app = await Application(session, "org.example.Fetch").appear()
    await app.register()
    await app.endpoint()
    signalled = register(session, "one", type=4, service="org.example.Fetch")
    await sent(signalled["endpoint"], b"version=7", "PUT")
    check(await app.message() == b"version=7", "and who fetches is told to")
    await opening(session, base, screen)
    for _ in range(3):
        await sent(account["endpoint"], telegram("more", 2))
    for registration in (account, signalled):
        session.run("revoke", registration["id"], state="one")
    await eventually(lambda: not screen.visible, "what is revoked is on the screen no more")
    # Its notifications start at 1 again, whether or not the desktop noticed the end.
    for text in ("anew", "at once"):
        if text == "anew":
            await eventually(lambda: session.log("desktop").count("accounts=0") > 0, "it is noticed")
        account = register(session, "one")
        await sent(account["endpoint"], telegram(text, 1))
        await eventually(lambda: text in str(screen.bodies), f"registered {text} it is shown")
        call = screen.calls[-1]
        check("suppress-sound" not in call[6], "and heard")
        session.run("revoke", account["id"], state="one")
    await eventually(lambda: not screen.visible, "and gone in the end")
    app.disappear()
    screen.disappear()
    check(session.end(process) == 0, "it ends well")


def send(session, registration, text, number):
    """Sends an encrypted push, because a push in clear can only be dismissed."""
    path = session.folder + "/subscription"
    with open(path, "w") as file:
        file.write(registration["token"])
    os.chmod(path, 0o600)
    subprocess.run(
        [session.bellwire, "send", "--to", path, telegram(text, number).decode()],
        check=True,
        capture_output=True,
        env=session.environment,
    )


async def consent(session):
    """An application agrees to the account's links as long as it is registered."""
    session.address = session.environment["DBUS_SESSION_BUS_ADDRESS"]
    screen = await Recorder(session, PLASMA).appear()
    process, _ = session.start(
        "serve", "--desktop", "--listen", "http://127.0.0.1:0", "--state", session.folder + "/one", log="desktop"
    )
    plain = register(session, "one")
    send(session, plain, "first", 1)
    await eventually(lambda: len(screen.calls) == 1, "it is shown")
    check("inline-reply" not in screen.calls[0][5], "nobody has asked for replies")
    presentation = json.dumps({"replies": True, "link_schemes": ["matrix"]})
    willing = register(session, "one", presentation=presentation)
    await eventually(lambda: len(screen.calls) == 2, "what is shown changes at once")
    check("inline-reply" in screen.calls[1][5] and len(screen.visible) == 1, "and takes replies")
    session.run("revoke", willing["id"], state="one")
    await eventually(lambda: len(screen.calls) == 3, "and changes back")
    check("inline-reply" not in screen.calls[2][5], "with the end of that registration")
    willing = register(session, "one", presentation=presentation)
    await eventually(lambda: len(screen.calls) == 4, "and once more")
    # The desktop is told even if it starts later.
    session.end(process, signal.SIGKILL)
    process, _ = session.start(
        "serve", "--desktop", "--listen", "http://127.0.0.1:0", "--state", session.folder + "/one", log="desktop"
    )
    await eventually(lambda: len(screen.calls) > 4, "after a restart it is said again")
    await asyncio.sleep(0.5)
    [(number, call)] = screen.visible.items()
    check("inline-reply" in call[5], "with replies")
    watch = subprocess.Popen(
        [session.bellwire, "watch", "--json", "--state", session.folder + "/one"],
        stdout=subprocess.PIPE,
        text=True,
        env=session.environment,
    )
    session.processes.append(watch)
    said = json.loads(watch.stdout.readline())
    check(
        said == {"@type": "bellwire.updateSource", "replies": True, "link_schemes": ["matrix"]},
        f"other clients are told, too: {said}",
    )
    await asyncio.sleep(0.3)
    screen.signal("NotificationReplied", "us", [number, "Yes"])
    await eventually(lambda: not screen.visible, "a reply is taken")
    while said["@type"] != "bellwire.updateNotificationAction":
        said = json.loads(await asyncio.to_thread(watch.stdout.readline))
    check((said["action"], said["text"]) == ("reply", "Yes"), "and handed on")
    session.end(watch, signal.SIGKILL)
    screen.disappear()
    check(session.end(process) == 0, "it ends well")


async def main(bellwire):
    for case in (receivers, accounts, consent):
        session = Session(bellwire)
        try:
            await case(session)
        except BaseException:
            print(session.log("desktop")[-3000:], file=sys.stderr)
            raise
        finally:
            session.close()
    print(f"changes: {check.passed} checks passed")


if __name__ == "__main__":
    try:
        asyncio.run(main(sys.argv[1]))
    except Failed as failure:
        sys.exit(str(failure))
