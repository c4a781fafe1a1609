"""Applications in sandboxes like Flatpak's: a mount namespace with /.flatpak-info, and the bus only through a filtering
proxy that runs in another such namespace.

usage: sandbox.py PATH_OF_BELLWIRE
"""

import asyncio
import json
import os
import shutil
import subprocess
import sys

sys.path.append(__file__.rsplit("/", 3)[0])

import dbus_fast
import requests
from dbus_fast import Message
from kit.bus import DISTRIBUTOR, ask
from kit.checks import Checks, Failed, checked
from kit.desktop import Application, Session

check = Checks("sandbox")
http = requests.Session()
NOBODY = 65534
CHAT = "org.example.Chat"
DESKTOP = ("/org/bellwire/Desktop1", "org.bellwire.Desktop1", "ListApplications")
PACKAGES = os.path.dirname(os.path.dirname(dbus_fast.__file__))
SCRIPT = os.path.abspath(__file__)
TESTS = SCRIPT.rsplit("/", 3)[0]
# The bus that an ordinary user can start, too.
PYTHON = "/usr/bin/python3"


def root(how):
    """The host's files, under the root of a namespace."""
    words = []
    for name in sorted(os.listdir("/")):
        path = "/" + name
        if os.path.islink(path):
            words += ["--symlink", os.readlink(path), path]
        elif os.path.isdir(path) and name != "lost+found":
            words += [how, path, path]
    return words


class Flatpak:
    """An application in its sandbox, with its proxy."""

    def __init__(self, session, name, *rules, info=None):
        self.session = session
        self.name = name
        self.folder = f"{session.folder}/{name}"
        os.makedirs(self.folder)
        self.info = self.folder + "/info"
        with open(self.info, "w") as file:
            file.write(
                info
                or f"[Application]\nname={name}\n"
                "runtime=runtime/org.example.Platform/x86_64/1\n[Instance]\ninstance-id=1\n"
            )
        self.start_proxy(rules)
        self.start()

    def start_proxy(self, rules):
        ready, write = os.pipe()
        bus = self.session.address
        words = ["bwrap", *root("--dev-bind"), "--ro-bind", self.info, "/.flatpak-info", "--die-with-parent", "--"]
        words += ["xdg-dbus-proxy", f"--fd={write}", bus, self.folder + "/bus", "--filter", f"--own={self.name}.*"]
        words += ["--talk=org.unifiedpush.Distributor.*", *rules]
        self.proxy = self.session.spawn(words, stdout=None, pass_fds=[write])
        os.close(write)
        check(os.read(ready, 1), "the proxy listens")
        # The sandbox lives as long as this is open.
        self.ready = ready

    def start(self):
        environment = dict(
            self.session.environment,
            PYTHONPATH="/app/packages",
            PYTHONDONTWRITEBYTECODE="1",
            DBUS_SESSION_BUS_ADDRESS="unix:path=/run/flatpak/bus",
        )
        words = ["bwrap", *root("--ro-bind"), *"--proc /proc --dev /dev --tmpfs /tmp --tmpfs /run".split()]
        words += ["--bind", self.folder + "/bus", "/run/flatpak/bus", "--ro-bind", TESTS, "/app/tests"]
        words += ["--ro-bind", PACKAGES, "/app/packages", "--ro-bind", self.info, "/.flatpak-info"]
        words += ["--unshare-pid", "--unshare-ipc", "--die-with-parent", "--"]
        words += [PYTHON, "/app/tests" + SCRIPT.removeprefix(TESTS), "--inside", self.name]
        self.process = self.session.spawn(words, stdin=subprocess.PIPE, env=environment)

    async def ask(self, what, **values):
        self.process.stdin.write(json.dumps({"what": what, **values}) + "\n")
        self.process.stdin.flush()
        line = await asyncio.to_thread(self.process.stdout.readline)
        if not line:
            raise Failed(f"sandbox: FAILED: {self.name} ended at {what}")
        return json.loads(line)

    async def management(self, destination):
        """The result of a call of the management interface."""
        return await self.ask("call", words=[destination, *DESKTOP])


class Inside(Application):
    """Runs in the sandbox and obeys the lines that it reads."""

    async def serve(self):
        await self.appear()
        while line := await asyncio.to_thread(sys.stdin.readline):
            print(json.dumps(await self.answer(**json.loads(line))), flush=True)

    async def answer(self, what, token=None, service=None, words=()):
        self.token = token or self.token
        if what == "register":
            self.name = service or self.name
            return await self.register()
        if what == "unregister":
            return str((await self.call("Unregister", token=self.token)).message_type)
        if what == "endpoint":
            return await self.endpoint()
        if what == "message":
            return (await self.message()).decode()
        path = [name for name in os.listdir("/") if name.startswith(".flatpak")]
        if what == "root":
            return {"info": path, "temporary": os.listdir("/tmp"), "processes": os.getpid()}
        destination, path, interface, member = words
        reply = await self.bus.call(Message(destination=destination, path=path, interface=interface, member=member))
        return reply.error_name or "answered"


async def sent(endpoint, body):
    answer = await asyncio.to_thread(
        http.post, endpoint, data=body, headers={"TTL": "600", "Content-Encoding": "aes128gcm"}
    )
    return answer.status_code


async def process_behind(app, name):
    """The process that the bus reports as owner of a name."""
    reply = await ask(app.bus, "GetConnectionUnixProcessID", "s", name)
    with open(f"/proc/{reply.body[0]}/comm") as file:
        return file.read().strip()


def listed(session):
    return {name: each.get("sandbox", "") for name, each in session.applications()[0].items()}


async def registering(session, outside):
    chat = Flatpak(session, CHAT)
    seen = await chat.ask("root")
    check(
        seen["info"] == [".flatpak-info"] and not seen["temporary"] and seen["processes"] < 10,
        f"the application runs in a sandbox: {seen}",
    )
    check(await process_behind(outside, CHAT) == "xdg-dbus-proxy", "the bus reports the proxy as owner of the name")
    check(
        await chat.ask("register", token=outside.token) == {"success": "REGISTRATION_SUCCEEDED"},
        "the application registers",
    )
    endpoint = await chat.ask("endpoint")
    check(await sent(endpoint, b"hello") == 201, "a push to the application is accepted")
    check(await chat.ask("message") == "hello", "the push reaches the application")

    # The same token outside the sandbox is a different registration.
    check(
        (await outside.register())["success"] == "REGISTRATION_SUCCEEDED",
        "an application outside the sandbox registers too",
    )
    other = await outside.endpoint()
    check(other != endpoint, "the application outside has its own endpoint")
    await outside.call("Unregister", token=outside.token)
    check(listed(session) == {CHAT: CHAT}, "the registration in the sandbox outlives the one outside")
    check(
        await sent(endpoint, b"still") == 201 and await chat.ask("message") == "still",
        "messages still reach the sandbox",
    )
    for service in ("org.example.Outside", "org.example.Chats", "org.freedesktop.Notifications"):
        answer = await chat.ask("register", token="another", service=service)
        check(answer.get("reason") in ("UNAUTHORIZED", None), f"{service}: {answer}")
        check(service not in listed(session), f"the application cannot register as {service}")
    check(
        await chat.ask("register", token="agent", service=CHAT + ".Agent") == {"success": "REGISTRATION_SUCCEEDED"},
        "the application may register under a name below its own",
    )
    await chat.ask("endpoint")

    # The application is closed, gets a push, and is started again.
    chat.session.end(chat.process)
    check(await sent(endpoint, b"later") == 201, "a push to a closed application is accepted")
    chat.start()
    await chat.ask("register", token=outside.token, service=CHAT)
    check(await chat.ask("endpoint") == endpoint, "the application keeps its endpoint")
    check(await chat.ask("message") == "later", "the application gets the message that came meanwhile")
    return chat, endpoint


async def managing(session, chat):
    check(await chat.management("org.bellwire.Desktop1") != "answered", "the proxy hides the management interface")
    check(
        await chat.management(DISTRIBUTOR) == "org.freedesktop.DBus.Error.AccessDenied",
        "management through the distributor's own name is refused",
    )
    bold = Flatpak(session, "org.example.Bold", "--talk=org.bellwire.Desktop1")
    for name in ("org.bellwire.Desktop1", DISTRIBUTOR):
        check(
            await bold.management(name) == "org.freedesktop.DBus.Error.AccessDenied",
            "management is refused even if the proxy allows it",
        )
    # A caller that cannot be identified sees only its own registrations.
    odd = Flatpak(session, "org.example.Odd", info="[Instance]\ninstance-id=2\n")
    check(
        await odd.management(DISTRIBUTOR) == "org.freedesktop.DBus.Error.AccessDenied",
        "a caller without a name is refused",
    )
    check(
        await odd.ask("register", token="odd", service="org.example.Outside") == {"success": "REGISTRATION_SUCCEEDED"},
        "a caller without a name registers",
    )
    check(listed(session).get("org.example.Odd") == "?", f"it is registered under its own name: {listed(session)}")


async def main(bellwire):
    with Session(bellwire) as session:
        session.serve()
        session.desktop(session.device()["websocket"])
        outside = await Application(session, "org.example.Outside").appear()
        chat, endpoint = await registering(session, outside)
        await managing(session, chat)
        await chat.ask("unregister", token=outside.token)
        for _ in range(100):
            if await sent(endpoint, b"gone") == 410:
                break
            await asyncio.sleep(0.05)
        check(await sent(endpoint, b"gone") == 410, "after the end of the registration the endpoint answers 410")
        outside.disappear()
    user = "an ordinary user" if os.getuid() else "root"
    print(f"sandbox: {check.passed} checks passed, as {user}")


def as_ordinary(program):
    """Runs as an ordinary user, because looking into other namespaces takes a privilege that desktops lack. None if
    an ordinary user cannot start all this.
    """
    user = {"user": NOBODY, "group": NOBODY, "extra_groups": [], "cwd": "/"}
    words = ["bwrap", "--ro-bind", "/", "/", program, "version"]
    if subprocess.run(words, capture_output=True, **user).returncode:
        return None
    return subprocess.run([PYTHON, SCRIPT, program], env=dict(os.environ, PYTHONPATH=PACKAGES), **user).returncode


def start():
    if not shutil.which("bwrap") or not shutil.which("xdg-dbus-proxy"):
        sys.exit("sandbox: FAILED: bubblewrap and xdg-dbus-proxy are missing")
    program = os.path.abspath(sys.argv[1])
    code = as_ordinary(program) if os.getuid() == 0 else None
    checked(main, program) if code is None else sys.exit(code)


if __name__ == "__main__":
    if sys.argv[1] == "--inside":
        asyncio.run(Inside(type("Here", (), {"environment": os.environ}), sys.argv[2]).serve())
    else:
        start()
