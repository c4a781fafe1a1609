"""Receivers, accounts and applications of other distributors come and go while the desktop runs.

usage: changes.py PATH_OF_BELLWIRE
"""

import asyncio
import json
import os
import signal
import socket
import sys
import time

sys.path.append(__file__.rsplit("/", 3)[0])

from kit import sender
from kit.checks import Checks, checked
from kit.desktop import Application, Session, telegram
from kit.screen import PLASMA, Recorder
from kit.sender import pushed

check = Checks("changes")


def register(session, state, **options):
    words = [f"--{name}={value}" for name, value in {"account": "me", **options}.items()]
    return json.loads(session.run("register", "--app=telegram", "--clear=yes", "--json", *words, state=state))


async def sent(endpoint, body, method="POST"):
    await asyncio.to_thread(sender.push, endpoint, body, method)


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


def connections(session, base):
    name = base.rsplit("/", 1)[1]
    return session.log("desktop").count(f"event=receiver-connected receiver={name}\n")


async def receivers(session):
    _, first = session.serve(state="first")
    _, second = session.serve(state="second")
    addresses = [session.device("first")["websocket"], session.device("second")["websocket"]]
    account = register(session, "second")
    manager = Manager(session)
    screen = await Recorder(session).appear()
    desktop = session.desktop(addresses[0])
    await manager.told("READY=1")
    app = await Application(session, "org.example.App").appear()
    await app.register()
    old = await app.endpoint()
    check(old.startswith(first), "the first receiver makes the endpoint")
    # Once to see that it works, and once for the application, unless that came before the first ended.
    connected = connections(session, first)
    check(connected in (1, 2), "the first receiver is connected")

    # The file gets a second receiver, with an account.
    app.answers = False
    await pushed(old, b"under way")
    await check.eventually(lambda: app.unanswered == 1, "a call is under way")
    await reload(session, desktop, manager, addresses[0], addresses[1] + " telegram/me")
    await check.eventually(
        lambda: connections(session, second) == 1, "the new receiver is tried without an application"
    )
    states = {known["receiver"]: known["state"] for known in session.applications()[1]}
    names = [base.rsplit("/", 1)[1] for base in (first, second)]
    check(states == dict(zip(names, ("connected", "idle"), strict=True)), f"apps tells the receivers' states: {states}")
    await sent(account["endpoint"], telegram("hello", 1))
    await check.eventually(lambda: "hello" in str(screen.bodies), "a message from the new receiver is shown")
    other = await Application(session, "org.example.Other").appear()
    await other.register()
    check((await other.endpoint()).startswith(first), "new applications go to the first receiver")
    app.answers = True
    check(app.unanswered == 1, "the call that was under way is still under way")
    app.disappear()
    await app.appear()
    check(await app.message() == b"under way", "the message of that call arrives")
    check(app.endpoints.empty(), "the endpoint stays the same")
    check(connections(session, first) == connected, "the first receiver is still connected")

    # The file has a typing mistake.
    await reload(session, desktop, manager, "not an address")
    check("receivers-refused" in session.log("desktop"), "the log names the mistake in the file")
    await pushed(old, b"still here")
    check(await app.message() == b"still here", "after a mistake in the file everything stays as it was")

    # The file no longer has the account, and then no longer the first receiver.
    await reload(session, desktop, manager, addresses[0], addresses[1])
    await check.eventually(lambda: not screen.visible, "the notifications of a removed account leave the screen")
    other.disappear()
    await reload(session, desktop, manager, addresses[1])
    new = await app.endpoint()
    check(new.startswith(second), "the applications of the first receiver move to the second")
    await pushed(old, b"to nobody")
    await pushed(new, b"there")
    check(await app.message() == b"there", "the messages arrive through the second receiver")
    check(await app.nothing(0.5), "nothing more arrives from the first receiver")
    # An application that was away is told when it is back.
    await other.appear()
    check((await other.endpoint()).startswith(second), "an application that was closed gets its new endpoint later")

    # The first receiver is back in the file: the application is not told again.
    await reload(session, desktop, manager, addresses[1], addresses[0])
    await pushed(new, b"and on")
    check(await app.message() == b"and on", "the applications stay with the second receiver")
    check(app.endpoints.empty() and await app.nothing(0.3), "the applications get no new endpoint")
    check(session.end(desktop) == 0, "the service ends with exit code 0")
    for secret in (*addresses, app.token):
        check(secret not in session.log("desktop"), "no secret is in the log")
    app.disappear()
    other.disappear()
    screen.disappear()


async def opening(session, base, screen):
    """A click on a notification opens the application that one of the account's registrations names."""
    chat = await Recorder(session).appear("org.example.Chat")
    fetch = await Recorder(session).appear("org.example.Fetch.Window")

    def taken():
        return session.log("desktop").count("receivers-taken")

    async def opened(registration, number):
        changes = taken()
        made = register(session, "one", **registration)
        # One that names no application changes nothing for the desktop.
        if "service" in registration:
            await check.eventually(lambda: taken() > changes, "the desktop takes the new registration")
        send(session, made, f"open {number}", number)
        await check.eventually(lambda: f"open {number}" in str(screen.bodies), "the notification is shown")
        [(shown, call)] = [(n, c) for n, c in screen.visible.items() if f"open {number}" in c[4]]
        screen.user_chooses(shown, "default", f"token-{number}")
        await check.eventually(lambda: shown not in screen.visible, "the notification was opened and is gone")
        return made, call[6]["desktop-entry"].value

    # The application that fetches was registered first.
    one, entry = await opened({"service": "org.example.Chat"}, 40)
    check(
        entry == "org.example.Fetch" and not chat.activations, "the first registration that names an application counts"
    )
    session.run("registration", "revoke", one["id"], state="one")
    # Somebody else's account of the same name.
    session.run("owner", "add", "bob", state="one")
    bob = json.loads(session.run("device", "add", "his", "--owner", "bob", "--json", state="one"))["bearer"]
    terms = {"token_type": 10, "app": "telegram", "account": "other", "service": "org.example.Bob"}
    await asyncio.to_thread(sender.register, base, bob, **terms)
    other = {"account": "other", "service": "org.example.Chat"}
    made, entry = await opened(other, 41)
    check(entry == "org.example.Chat", "each account has its own application")
    await check.eventually(lambda: chat.activations, "the application is activated")
    path, member, body = chat.activations[0]
    check((path, member) == ("/org/example/Chat", "Activate"), "the call has the path and method of the specification")
    check(body[0]["activation-token"].value == "token-41", "the call carries the token")
    later, entry = await opened(dict(other, service="org.example.Fetch.Window"), 42)
    check(entry == "org.example.Chat", "a later registration does not change the application")
    await check.eventually(lambda: len(chat.activations) == 2, "the same application is activated again")
    changes = taken()
    session.run("registration", "revoke", made["id"], state="one")
    await check.eventually(lambda: taken() > changes, "the desktop notices that the first registration is gone")
    last, entry = await opened({"account": "other"}, 43)
    check(entry == "org.example.Fetch.Window", "when the first registration is gone, the next one counts")
    await check.eventually(lambda: fetch.activations, "the application of the next registration is activated")
    for registration in (later, last):
        session.run("registration", "revoke", registration["id"], state="one")
    chat.disappear()
    fetch.disappear()


async def accounts(session):
    screen = await Recorder(session).appear()

    def serve(port):
        words = ("--listen", f"http://127.0.0.1:{port}", "--state", session.folder + "/one")
        return session.start("serve", "--desktop", *words, log="desktop")

    process, base = serve(0)
    # This application is registered from the start, which shows that the desktop is ready.
    account = register(session, "one")
    await sent(account["endpoint"], telegram("later", 1))
    await check.eventually(lambda: "later" in str(screen.bodies), "an account that is registered later is shown")
    app = await Application(session, "org.example.Fetch").appear()
    await app.register()
    await app.endpoint()
    signalled = register(session, "one", type=4, service="org.example.Fetch")
    await sent(signalled["endpoint"], b"version=7", "PUT")
    check(await app.message() == b"version=7", "the application that fetches gets the signal")
    await opening(session, base, screen)
    # The log has each event only so often, and a new process begins to count anew.
    session.end(process)
    process, base = serve(base.rsplit(":", 1)[1])
    for _ in range(3):
        await sent(account["endpoint"], telegram("more", 2))
    for registration in (account, signalled):
        session.run("registration", "revoke", registration["id"], state="one")
    await check.eventually(lambda: not screen.visible, "the notifications of revoked registrations leave the screen")
    # Its notifications start at 1 again, whether or not the desktop noticed the end.
    for text in ("anew", "at once"):
        if text == "anew":
            await check.eventually(
                lambda: session.log("desktop").count("accounts=0") > 0, "the desktop notices the end of the account"
            )
        account = register(session, "one")
        await sent(account["endpoint"], telegram(text, 1))
        await check.eventually(lambda: text in str(screen.bodies), f"an account registered {text} is shown")
        call = screen.calls[-1]
        check("suppress-sound" not in call[6], "the notification makes a sound")
        session.run("registration", "revoke", account["id"], state="one")
    await check.eventually(lambda: not screen.visible, "in the end no notification is left")
    app.disappear()
    screen.disappear()
    check(session.end(process) == 0, "the service ends with exit code 0")


def send(session, registration, text, number):
    """Sends an encrypted push, because a push in clear can only be dismissed."""
    path = session.folder + "/subscription"
    with open(path, "w") as file:
        file.write(registration["token"])
    os.chmod(path, 0o600)
    session.command("send", "--to", path, telegram(text, number).decode(), check=True)


async def consent(session):
    """An application agrees to the account's links as long as it is registered."""
    screen = await Recorder(session, PLASMA).appear()
    process, _ = session.start(
        "serve", "--desktop", "--listen", "http://127.0.0.1:0", "--state", session.folder + "/one", log="desktop"
    )
    plain = register(session, "one")
    send(session, plain, "first", 1)
    await check.eventually(lambda: len(screen.calls) == 1, "the notification is shown")
    check("inline-reply" not in screen.calls[0][5], "no registration allows replies")
    presentation = json.dumps({"replies": True, "link_schemes": ["matrix"]})
    willing = register(session, "one", presentation=presentation)
    await check.eventually(lambda: len(screen.calls) == 2, "the shown notification changes at once")
    check("inline-reply" in screen.calls[1][5] and len(screen.visible) == 1, "the notification takes replies")
    session.run("registration", "revoke", willing["id"], state="one")
    await check.eventually(lambda: len(screen.calls) == 3, "the shown notification changes back")
    check("inline-reply" not in screen.calls[2][5], "when that registration ends, replies are gone")
    willing = register(session, "one", presentation=presentation)
    await check.eventually(lambda: len(screen.calls) == 4, "the shown notification changes once more")
    # The desktop is told even if it starts later.
    session.end(process, signal.SIGKILL)
    process, _ = session.start(
        "serve", "--desktop", "--listen", "http://127.0.0.1:0", "--state", session.folder + "/one", log="desktop"
    )
    await check.eventually(lambda: len(screen.calls) > 4, "after a restart the notification is sent again")
    await asyncio.sleep(0.5)
    [(number, call)] = screen.visible.items()
    check("inline-reply" in call[5], "after a restart the notification takes replies")
    watch = session.watch("me", "one")
    said = json.loads(watch.stdout.readline())
    check(
        said == {"@type": "bellwire.updateSource", "replies": True, "link_schemes": ["matrix"]},
        f"other clients are told too: {said}",
    )
    await asyncio.sleep(0.3)
    screen.signal("NotificationReplied", "us", [number, "Yes"])
    await check.eventually(lambda: not screen.visible, "a notification with a reply leaves the screen")
    while said["@type"] != "bellwire.updateNotificationAction":
        said = json.loads(await asyncio.to_thread(watch.stdout.readline))
    check((said["action"], said["text"]) == ("reply", "Yes"), "the reply reaches the client")
    session.end(watch, signal.SIGKILL)
    screen.disappear()
    check(session.end(process) == 0, "the service ends with exit code 0")


def applications(session):
    return session.applications()[0]


async def emptied(session):
    """The file is emptied by mistake: a restart and a day pass before a registration ends."""
    session.serve()
    address = session.device()["websocket"]
    manager = Manager(session)
    desktop = session.desktop(address)
    await manager.told("READY=1")
    app = await Application(session, "org.example.App").appear()
    await app.register()
    endpoint = await app.endpoint()
    check("end" not in applications(session)[app.name], "with a receiver nothing ends")
    await reload(session, desktop, manager)
    await check.eventually(lambda: "event=registrations-kept" in session.log("desktop"), "the log says what is kept")
    end = applications(session)[app.name]["end"]
    check(86_000 < end - time.time() < 86_401, "apps says that the registration is kept for a day")
    await pushed(endpoint, b"meanwhile")
    check(session.end(desktop) == 0, "the service ends with exit code 0")
    desktop = session.desktop()
    await manager.told("STOPPING=1")
    await manager.told("READY=1")
    await check.eventually(lambda: app.name in applications(session), "a restart keeps the registration")
    check(applications(session)[app.name]["end"] <= end + 1, "a restart does not begin the day anew")
    check(app.endpoints.empty(), "the application is not told anything")
    await reload(session, desktop, manager, address)
    check(await app.message() == b"meanwhile", "the message that waited at the receiver arrives")
    await pushed(endpoint, b"and on")
    check(await app.message() == b"and on", "the endpoint is the same as before")
    check("end" not in applications(session)[app.name], "nothing ends any more")
    check(app.endpoints.empty(), "the application got no new endpoint")
    check(session.end(desktop) == 0, "the service ends with exit code 0")
    app.disappear()


KUNIFIEDPUSH = """[Clients]
Tokens="{token}", other

[PushProvider]
Type=Ntfy

[{section}]
Description=An app
Endpoint=https://ntfy.example/up1
RemoteId=up1
ServiceName=org.example.App
VAPIDKey=
Version=2

[other]
Description=Gone
ServiceName=org.example.Gone
Version=1
"""


async def imported(session):
    """An application that is registered with KUnifiedPush gets an endpoint here, under the same token."""
    session.serve()
    manager = Manager(session)
    desktop = session.desktop(session.device()["websocket"])
    await manager.told("READY=1")
    app = await Application(session, "org.example.App").appear()
    path = session.environment["XDG_CONFIG_HOME"] + "/KDE/kunifiedpush-distributor.conf"
    os.makedirs(os.path.dirname(path))
    section = app.token.replace("{", "%7B").replace("}", "%7D")
    with open(path, "w") as file:
        file.write(KUNIFIEDPUSH.format(token=app.token, section=section))

    async def run(*words):
        return await asyncio.to_thread(session.command, "import", "kunifiedpush", *words)

    tried = await run("--dry-run")
    check(tried.returncode == 3, f"one of them cannot be taken over: {tried.stderr}")
    check("org.example.App   An app  would be taken over" in tried.stdout, tried.stdout)
    check("not taken over: no program of this name is installed" in tried.stdout, tried.stdout)
    check(not applications(session) and app.endpoints.empty(), "a dry run changes nothing")
    done = await run()
    check("org.example.App   An app  taken over" in done.stdout, done.stdout)
    endpoint = await app.endpoint()
    await pushed(endpoint, b"here")
    check(await app.message() == b"here", "the messages arrive through our receiver")
    again = json.loads((await run("--json")).stdout)
    check(again["registrations"][0]["result"] == "known", "a second time changes nothing")
    check(app.endpoints.empty(), "and tells nobody anything")
    check(app.token not in tried.stdout + done.stdout + session.log("desktop"), "no token is printed")
    check(session.end(desktop) == 0, "the service ends with exit code 0")
    app.disappear()


async def main(bellwire):
    for case in (receivers, accounts, consent, emptied, imported):
        with Session(bellwire) as session:
            await case(session)
    print(f"changes: {check.passed} checks passed")


checked(main, sys.argv[1])
