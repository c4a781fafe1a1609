"""The presenter against a notification server that records its calls.

usage: presenter.py PATH_OF_PRESENTER_PROBE
"""

import asyncio
import contextlib
import json
import os
import random
import sys

sys.path.append(__file__.rsplit("/", 3)[0])

import websockets
from dbus_fast import Variant
from kit import bus
from kit.checks import checked
from kit.screen import NAME, PATH, PLASMA, Recorder
from screen import Desk, Probe, check, eventually, push

HOSTILE = "<b>bold</b> <a href='https://x'>&amp;</a> \u202eevil\u2066 a\x00b\x1b[0m\u200f\r\nnext"


async def exact(desk):
    server = await Recorder(desk).appear()
    probe = Probe(desk)
    probe.group([push(1, HOSTILE, HOSTILE, sound="bell.ogg")])
    await eventually(lambda: server.calls, "a notification is shown")
    check(server.signatures == ["susssasa{sv}i"], "the signature of Notify")
    app, replaces, icon, summary, body, actions, hints, expiry = server.calls[0]
    check((app, replaces, icon, expiry) == ("Probe", 0, "", -1), "the plain arguments of Notify")
    check(
        summary == "<b>bold</b> <a href='https://x'>&amp;</a> evil ab[0m next",
        "the summary is plain, in one line, without characters that reorder text",
    )
    check(
        body == "&lt;b&gt;bold&lt;/b&gt; &lt;a href=&#39;https://x&#39;&gt;&amp;amp;&lt;/a&gt; evil ab[0m\nnext",
        "the body is escaped",
    )
    check(actions == ["default", "Open", "mark-read", "Mark as read"], "the actions")
    tag = hints.pop("x-dunst-stack-tag")
    check(tag.signature == "s" and "probe" not in tag.value, "the tag names no account")
    check(
        {name: (value.signature, value.value) for name, value in hints.items()}
        == {
            "urgency": ("y", 1),
            "category": ("s", "im.received"),
            "sound-name": ("s", "bell"),
            "desktop-entry": ("s", "org.example.Probe"),
        },
        "the hints and their types",
    )
    probe.tell({"@type": "updateNotification", "notification_group_id": 1, "notification": push(1, "Changed")})
    await eventually(lambda: len(server.calls) == 2, "an edit is shown")
    check(server.calls[1][1] == 1 and server.calls[1][4] == "Changed", "an edit replaces the notification")
    check(server.calls[1][6]["suppress-sound"].value is True, "an edit makes no sound")
    probe.group(removed=[1])
    await eventually(lambda: not server.visible, "a removed notification is closed")
    probe.tell({"@type": "bellwire.updateUnreadBadge", "count": 3})
    await eventually(
        lambda: server.badges == [("application://org.example.Probe.desktop", {"count": 3, "count-visible": True})],
        "the launcher shows the count",
    )
    desk.end(probe.process)
    # A server that starts later clears the count and announces it to new listeners.
    probe = Probe(desk)
    probe.tell({"@type": "bellwire.updateUnreadBadge", "count": 0})
    await eventually(lambda: len(server.badges) == 2, "a restarted desktop sends the count")
    check(server.badges[1][1] == {"count": 0, "count-visible": False}, "the count that is sent again is 0")
    probe.tell({"@type": "bellwire.updateUnreadBadge", "count": 4, "missed_calls": 1})
    launcher = await Recorder(desk).appear("com.canonical.Unity")
    await eventually(
        lambda: [b[1]["count"] for b in launcher.badges] in ([5], [5, 5]), "a launcher that appears gets the count"
    )
    launcher.disappear()
    desk.end(probe.process)
    server.disappear()


async def user(desk):
    server = await Recorder(desk, PLASMA).appear()
    application = await Recorder(desk).appear("org.example.Prog-ram")
    probe = Probe(desk, "service", "org.example.Prog-ram")
    probe.group(
        [
            push(1),
            push(2, link="https://x/y?a=b"),
            push(3, link="file:///etc/passwd"),
            push(4, actions=[{"action": "go", "title": "Go"}]),
            push(5),
            push(6, clear=True),
            push(7),
            push(8),
        ]
    )
    await eventually(lambda: len(server.visible) == 8, "eight notifications are shown")
    check(not any("inline-reply" in call[5] for call in server.calls), "no application allows replies yet")
    probe.tell({"@type": "bellwire.updateSource", "replies": True, "link_schemes": ["matrix", "file"]})
    await eventually(lambda: len(server.calls) == 15, "all notifications change, except the one that came in clear")
    check(
        all("inline-reply" in call[5] and "suppress-sound" in call[6] for call in server.calls[8:]),
        "replies are offered without a sound",
    )
    check(len(server.visible) == 8 and server.calls[5][5] == [], "all notifications stay in their places")
    server.user_chooses(1, "default", "token-1")
    await eventually(lambda: len(probe.requests) == 1, "the engine gets the user's choice")
    check(probe.requests[0]["activation_token"] == "token-1", "the choice carries the token")
    probe.action("1", "default", service="org.example.Prog-ram", activation_token="token-1")
    await eventually(lambda: application.activations, "the application is activated")
    path, member, body = application.activations[0]
    check((path, member) == ("/org/example/Prog_ram", "Activate"), "the call has the application's path")
    check(body[0]["activation-token"].value == "token-1", "the call carries the token")
    server.user_chooses(2, "default", "token-2")
    await eventually(
        lambda: desk.opened() == ["1|https://x/y?a=b|token-2"], "the link is opened, as one argument, with its token"
    )
    server.user_chooses(3, "default")
    server.user_chooses(4, "action-0")
    # We opened it, so nobody else is asked to.
    probe.action("2", "default", message=2 << 20, chat_id=0, service="org.example.Prog-ram")
    server.signal("NotificationReplied", "us", [5, "Yes \u2713"])
    server.user_chooses(6, "default")
    server.user_closes(6)
    server.user_closes(7, 1)
    server.user_chooses(8, "mark-read")
    expected = [
        ("bellwire.invokeNotificationAction", 1, "default", None),
        ("bellwire.actionTaken", "1", None, None),
        ("bellwire.invokeNotificationAction", 2, "default", None),
        ("bellwire.invokeNotificationAction", 3, "default", None),
        ("bellwire.invokeNotificationAction", 4, "go", None),
        ("bellwire.actionTaken", "2", None, None),
        ("bellwire.invokeNotificationAction", 5, "reply", "Yes \u2713"),
        ("removeNotification", 6, None, None),
        ("bellwire.invokeNotificationAction", 8, "mark_read", None),
    ]
    await eventually(lambda: len(probe.requests) == len(expected), "the engine gets every choice")
    told = [(r["@type"], r.get("notification_id", r.get("id")), r.get("action"), r.get("text")) for r in probe.requests]
    check(sorted(told, key=str) == sorted(expected, key=str), f"the engine gets exactly what the user did: {told}")
    check(len(desk.opened()) == 1 and len(application.activations) == 1, "only the https link is opened")
    stranger = await bus.connected(desk.address)
    server.signal("NotificationClosed", "uu", [7, 2], stranger)
    server.signal("ActionInvoked", "us", [7, "default"], stranger)
    probe.group(removed=list(range(1, 9)))
    await eventually(lambda: not server.visible, "all notifications are closed in the end")
    check(len(probe.requests) == len(expected), "signals of another program have no effect")
    server.inhibited = True
    changed = {"Inhibited": Variant("b", True)}
    bus.signal(server.bus, PATH, "org.freedesktop.DBus.Properties", "PropertiesChanged", "sa{sv}as", NAME, changed, [])
    await asyncio.sleep(0.2)
    probe.group([push(20)])
    await eventually(
        lambda: any(c[4] == "Hello" for c in server.visible.values()),
        "a notification is shown in spite of do not disturb",
    )
    check("suppress-sound" in server.calls[-1][6], "do not disturb suppresses the sound")
    stranger.disconnect()
    desk.end(probe.process)
    server.disappear()
    application.disappear()


async def applications(desk):
    """The user's action reaches an application that is closed, killed or missing. It arrives once, unless a break
    came before the application confirmed it.
    """
    server = await Recorder(desk).appear()
    name = "org.example.Opened"
    here = os.path.dirname(os.path.abspath(__file__))
    desk.install(
        name,
        f"{sys.executable} {here}/opened.py {name} {desk.folder}",
        "new-window;open-notification;reply-notification;",
    )
    probe = Probe(desk, "service", name)

    def told():
        with contextlib.suppress(FileNotFoundError), open(desk.folder + "/told") as file:
            return [json.loads(line) for line in file]
        return []

    def taken(probe):
        return [r["id"] for r in probe.requests if r["@type"] == "bellwire.actionTaken"]

    def opening(data):
        return ["/org/example/Opened", "ActivateAction", "open-notification", [data], {}]

    room = {"room_id": "!r:x", "ümlaut": [1, 2.5, None]}
    probe.action("1", "default", service=name, data=room, activation_token="token")
    await eventually(lambda: taken(probe) == ["1"], "a closed application is started")
    path, member, action, (data,), platform = told()[0]
    check(
        (path, member, action) == ("/org/example/Opened", "ActivateAction", "open-notification"),
        "the call names the action",
    )
    check(json.loads(data) == room, "the call carries the payload's own data")
    check(platform == {"activation-token": "token", "desktop-startup-id": "token"}, "the call carries the token")
    probe.action("2", "reply", service=name, text="Yes \u2713", data=room)
    await eventually(lambda: taken(probe) == ["1", "2"], "the application takes a reply")
    check(
        json.loads(told()[1][3][0]) == {"chat_id": 5, "message_id": 1, "text": "Yes \u2713", "data": room},
        "the call carries the text of the reply",
    )
    # The application is killed during the call. It is called again after a pause until it answers, and then no more.
    open(desk.folder + "/die", "w").close()
    probe.action("3", "default", service=name, data={"n": 3})
    await eventually(lambda: len(told()) == 3, "the application is called")
    check(taken(probe) == ["1", "2"], "a call without an answer is not confirmed")
    probe.action("3", "default", service=name, data={"n": 3})
    await eventually(lambda: taken(probe) == ["1", "2", "3"], "the application is called again")
    check(told()[2:] == [opening('{"n":3}')] * 2, "both calls are the same")
    probe.action("3", "default", service=name, data={"n": 3})
    await eventually(lambda: len(taken(probe)) == 4, "an engine that repeats the action is told that it was taken")
    check(len(told()) == 4, "the application is not called again")
    # The desktop is killed while it waits for the answer.
    open(desk.folder + "/sleep", "w").close()
    probe.action("4", "default", service=name, data={"n": 4})
    await eventually(lambda: len(told()) == 5, "the application is called")
    probe.kill()
    probe = Probe(desk, "service", name)
    probe.action("4", "default", service=name, data={"n": 4})
    await eventually(lambda: taken(probe) == ["4"], "the next process calls the application again")
    check(told()[4:] == [opening('{"n":4}')] * 2, "both calls are the same")
    # The application is not running and cannot be started.
    probe.action("5", "default", service="org.example.Absent", data={})
    probe.action("6", "reply", service="org.example.Absent", text="later")
    await asyncio.sleep(0.3)
    application = await Recorder(desk).appear("org.example.Absent")
    await eventually(lambda: len(application.activations) == 2, "an application that appears is called")
    check([call[1] for call in application.activations] == ["Activate"] * 2, "the calls name no action")
    check(taken(probe) == ["4", "5"], "the reply is not confirmed; a client of the engine gets it")
    # A receiver cannot start a program that is not an application.
    desk.install("org.example.Other", f"{sys.executable} {here}/opened.py org.example.Other {desk.folder}")
    probe.action("7", "default", service="org.example.Other", data={})
    await asyncio.sleep(0.5)
    check(len(told()) == 6, "no other program is started")
    desk.end(probe.process)
    server.disappear()
    application.disappear()


async def links(desk):
    """An opened link is one argument that begins with a letter, and of a kind that the application agreed to."""
    server = await Recorder(desk).appear()
    probe = Probe(desk)
    number = 0

    async def chosen(*links):
        nonlocal number
        for link in links:
            number += 1
            probe.group([push(number, link=link)], group=number)
            await eventually(lambda: server.last == number, "the notification is shown")
            server.user_chooses(number, "default")
            await eventually(lambda: len(probe.requests) == number, "the engine gets the choice")

    await chosen("-h", "--help", "-x:y", "https://x\n-h", "matrix:u/a", "file:///x", "https://x/-h")
    probe.tell({"@type": "bellwire.updateSource", "link_schemes": ["matrix", "file", "-x"]})
    await chosen("-x:y", "file:///x", "matrix:u/a")
    expected = ["1|https://x/-h|", "1|matrix:u/a|"]
    await eventually(lambda: len(desk.opened()) == 2, "links are opened")
    check(sorted(desk.opened()) == expected, f"only allowed links are opened: {desk.opened()}")
    desk.end(probe.process)
    server.disappear()


async def manager(desk):
    """The user's service manager, where there is one, starts the program for links, so our limits do not bind it."""
    server = await Recorder(desk).appear()
    manager = await Recorder(desk).appear("org.freedesktop.systemd1")
    probe = Probe(desk)
    probe.group([push(1, link="https://x/$HOME/${PATH}"), push(2, link="https://y")])
    await eventually(lambda: len(server.visible) == 2, "two notifications are shown")
    server.user_chooses(1, "default", "token-1")
    await eventually(lambda: manager.units, "the service manager is asked")
    signature, (name, mode, properties, others) = manager.units[0]
    check(
        signature == "ssa(sv)a(sa(sv))" and mode == "fail" and others == [],
        "the call has the arguments that the service manager needs",
    )
    check(name.startswith("app-bellwire-link-") and name.endswith(".service"), "the link gets its own unit")
    values = {key: value.value for key, value in properties}
    ((path, words, _),) = values["ExecStart"]
    check(
        path == "/usr/bin/env" and words == ["env", "xdg-open", "https://x/$$HOME/$${PATH}"],
        "no variable is expanded in the link",
    )
    check("XDG_ACTIVATION_TOKEN=token-1" in values["Environment"], "the unit gets the token")
    check(desk.opened() == [], "no other program opens the link")
    manager.answers = "org.freedesktop.DBus.Error.PropertyReadOnly"
    server.user_chooses(2, "default")
    await eventually(
        lambda: desk.opened() == ["1|https://y|"], "if the service manager refuses, the desktop opens the link itself"
    )
    desk.end(probe.process)
    manager.disappear()
    server.disappear()


async def comings_and_goings(desk):
    probe = Probe(desk)
    probe.group([push(1, "early")])
    await asyncio.sleep(0.3)
    server = await Recorder(desk).appear()
    await eventually(lambda: server.bodies == ["early"], "a notification that waited is shown")
    check(len(server.sounding) == 1, "it makes a sound")
    server.disappear()
    other = await Recorder(desk, [], "1.1").appear()
    await eventually(lambda: len(other.calls) == 1, "another server shows the notification again")
    check(
        other.calls[0][3] == "Alice: early" and other.calls[0][4] == "",
        "a server without bodies gets the text in the summary",
    )
    check(not other.sounding, "the other server makes no sound")
    # Without tags, a notification whose answer was lost would be shown twice.
    await asyncio.sleep(0.3)
    probe.kill()
    probe = Probe(desk)
    probe.active([push(1, "early"), push(2, "missed")])
    await eventually(
        lambda: len(other.visible) == 2 and len(other.calls) == 3, "after a restart nothing is shown twice"
    )
    check(
        [call[1] for call in other.calls] == [0, 1, 0] or [call[1] for call in other.calls] == [0, 0, 1],
        "the old notification is sent again in its place",
    )
    # Without tags, a notification whose answer was lost would be shown twice.
    await asyncio.sleep(0.3)
    probe.kill()
    probe = Probe(desk)
    probe.active([push(2, "missed")])
    await eventually(lambda: len(other.visible) == 1, "a notification that ended meanwhile is closed")
    for number in range(3, 33):
        probe.group([push(number)], group=number)
    await eventually(
        lambda: any("more notifications" in c[3] for c in other.calls), "one notification counts those that do not fit"
    )
    await asyncio.sleep(1.3)
    check(len(other.visible) <= 13, "not all notifications are shown one by one")
    probe.active([])
    await eventually(lambda: not other.visible, "all notifications leave the screen together")
    desk.end(probe.process)
    other.disappear()


async def kills(desk, rounds=25):
    """The rules of the screen hold with kills at any moment: at most one sound for a notification, at most one silent
    repetition for each kill, and removed notifications stay away.
    """
    choice = random.Random(8)
    server = await Recorder(desk).appear()
    alive, number, killed = {}, 100, 0
    probe = Probe(desk)
    for _ in range(rounds):
        for _ in range(choice.randrange(1, 4)):
            number += 1
            alive[number] = push(number, f"body {number}")
            probe.group([alive[number]])
        if alive and choice.random() < 0.6:
            gone = choice.choice(sorted(alive))
            del alive[gone]
            probe.group(removed=[gone])
        if choice.random() < 0.2:
            probe.tell({"@type": "nothing"})
        await asyncio.sleep(choice.choice([0, 0.002, 0.004, 0.008, 0.02]))
        probe.kill()
        killed += 1
        probe = Probe(desk)
        if alive and choice.random() < 0.5:
            del alive[choice.choice(sorted(alive))]
        probe.active(alive.values())
        await asyncio.sleep(choice.choice([0, 0.01, 0.05]))
    await asyncio.sleep(2)
    left = {call[4] for call in server.visible.values() if call[4].startswith("body ")}
    check(left <= {f"body {n}" for n in alive}, "no removed notification is on the screen")
    for n in range(101, number + 1):
        calls = [c for c in server.calls if c[4] == f"body {n}"]
        check(sum("suppress-sound" not in c[6] for c in calls) <= 1, f"notification {n} makes at most one sound")
        check(len(calls) <= 1 + killed, f"notification {n} is repeated at most once for each kill")
    bodies = [c[4] for c in server.visible.values()]
    check(len(bodies) == len(set(bodies)), "nothing is on the screen twice")
    probe.active([])
    await eventually(lambda: not server.visible, "all notifications leave the screen at the end")
    desk.end(probe.process)
    server.disappear()


async def engine(desk):
    """The engine of a receiver, as its WebSocket shows it."""
    heard, paths, open_sockets = [], [], []
    first = json.dumps(
        {"@type": "updateActiveNotifications", "groups": [{"id": 1, "notifications": [push(1, "by socket")]}]}
    )
    status = [None]

    async def serve(socket):
        paths.append((socket.request.path, socket.request.headers.get("Authorization")))
        open_sockets.append(socket)
        await socket.send(first)
        async for text in socket:
            heard.append(json.loads(text))

    def refuse(connection, request):
        return connection.respond(status[0], "") if status[0] else None

    server = await Recorder(desk).appear()
    async with websockets.serve(serve, "127.0.0.1", 0, process_request=refuse) as socket_server:
        port = socket_server.sockets[0].getsockname()[1]
        probe = Probe(desk, "engine", f"ws://127.0.0.1:{port}/base/u/s3cret", "tele gram", "m\u00e9")
        await eventually(lambda: server.bodies == ["by socket"], "the notification of the engine is shown")
        check(
            paths == [("/base/api/v1/engine?app=tele%20gram&account=m%C3%A9&role=viewer", "Bearer s3cret")],
            "the path, and the credential of the device",
        )
        server.user_closes(1)
        await eventually(
            lambda: (
                heard
                == [
                    {
                        "@type": "removeNotification",
                        "notification_group_id": 1,
                        "notification_id": 1,
                        "@extra": {"group": 1, "notification": 1},
                    }
                ]
            ),
            "the engine gets what the user did",
        )
        await open_sockets[0].close()
        await eventually(lambda: len(paths) == 2, "a lost connection is opened again")
        await eventually(lambda: len(heard) == 2, "a request that was not confirmed is sent again")
        check(heard[1] == heard[0] and len(server.calls) == 1, "the notification is not shown again")
        await open_sockets[1].send(
            json.dumps(
                {
                    "@type": "updateNotificationGroup",
                    "notification_group_id": 1,
                    "notification_sound_id": "-1",
                    "added_notifications": [push(2, "last")],
                    "removed_notification_ids": [1],
                }
            )
        )
        await eventually(lambda: server.bodies == ["last"], "updates are shown")
        status[0] = 404
        await open_sockets[1].close()
        await eventually(lambda: not server.visible, "all notifications of a removed account leave the screen", 20)
        check("s3cret" not in open(desk.folder + "/errors").read(), "no secret is in the log")
        desk.end(probe.process)
    server.disappear()


async def main(probe):
    for story in (exact, user, applications, links, manager, comings_and_goings, kills, engine):
        with Desk(probe) as desk:
            await story(desk)
    print(f"presenter: {check.passed} checks passed")


checked(main, sys.argv[1])
