"""While nothing happens, nothing wakes up: a server with a registration of each dialect, a watching client, a desktop
and an application on its bus.

usage: idle.py PATH_OF_BELLWIRE
"""

import asyncio
import os
import sys
import time

sys.path.append(__file__.rsplit("/", 3)[0])

from kit.checks import Checks, checked
from kit.desktop import Application, Session
from kit.process import Running
from kit.screen import Recorder
from kit.sender import http, push, pushed, register

check = Checks("idle")
SECONDS = 10
# The supervisor checks every five seconds whether the event loops are alive.
BEATS = SECONDS // 5 + 1
PAYLOADS = {
    "telegram": '{"loc_key":"MESSAGE_TEXT","loc_args":["Ada","x"],"custom":{"from_id":"5","msg_id":"1"}}',
    "matrix": '{"notification":{"event_id":"$1","room_id":"!r:x","sender":"@a:x","content":{"body":"x"}}}',
    "icq": '{"aps":{"alert":{"loc-key":"IM2","loc-args":["111","222","x"]},"badge":3}}',
    "zpns": '{"title":"a","content":"x"}',
    "declarative": '{"web_push":8030,"notification":{"title":"a"}}',
    "plain": "x",
}


def account(name):
    return {"token_type": 10, "app": name, "account": name, "dialect": name, "clear": True}


async def measure(processes):
    before = {name: (process.wakes(), process.ticks()) for name, process in processes.items()}
    await asyncio.sleep(SECONDS)
    for name, process in processes.items():
        (counts, time_used), most = before[name], BEATS if name == "server" else 0
        grown = {thread: count - counts.get(thread, 0) for thread, count in process.wakes().items()}
        time_used = process.ticks() - time_used
        print(
            f"      {name}: {sum(grown.values())} wake-ups of {len(grown)} threads, {time_used * 10} ms"
            f" of CPU in {SECONDS} s"
        )
        often = {thread: count for thread, count in grown.items() if count > most}
        check(not often, f"{name} wakes more than {most} times in {SECONDS} s: {often}")
        check(time_used <= 2, f"{name} uses CPU time while nothing happens")


def watch(session, account):
    process = session.watch(account)
    check("updateActiveNotifications" in process.stdout.readline(), f"somebody watches {account}")
    return process


async def scene(bellwire, is_one_process):
    with Session(bellwire) as session:
        server, base = session.serve(*["--desktop"] * is_one_process)
        device = session.device()
        endpoints = {name: register(base, device["bearer"], **account(name)) for name in PAYLOADS}
        await Recorder(session).appear()
        processes = {"server": server}
        if not is_one_process:
            processes["desktop"] = session.desktop(
                device["websocket"] + "".join(f" {name}/{name}" for name in PAYLOADS)
            )
        # Each account has a watching client; otherwise nobody would notice that a session ends.
        processes |= {f"watch {name}": watch(session, name) for name in PAYLOADS}
        app = await Application(session, "org.example.Idle").appear()
        await app.register()
        await pushed(await app.endpoint(), "x")
        await app.message()
        for dialect, payload in PAYLOADS.items():
            await asyncio.to_thread(push, endpoints[dialect]["endpoint"], payload)
        # The work that follows the last push is done.
        http.close()
        await asyncio.sleep(8)
        await measure({name: Running(process) for name, process in processes.items()})


async def main(bellwire):
    start = time.monotonic()
    for is_one_process in (False, True):
        print("     ", "serve --desktop" if is_one_process else "serve and desktop")
        await scene(os.path.realpath(bellwire), is_one_process)
    print(f"idle: {check.passed} checks passed in {time.monotonic() - start:.0f} s")


checked(main, sys.argv[1])
