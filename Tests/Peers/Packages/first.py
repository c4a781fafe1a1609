"""What docs/install.md promises a stranger: install the packages, and a curl is a notification on the screen.

Its commands are taken from that page as they stand there, and run by a new user in the installed system: with a session
bus, an X server and a notification daemon that the bus starts.
"""

import contextlib
import os
import re
import shlex
import subprocess
import time

# A session, and what looks at its screen.
PACKAGES = ["curl", "dbus-daemon", "dbus-bin", "dunst", "x11-apps", "xvfb"]
USER = "ben"
NAME = "org.unifiedpush.Distributor.bellwire"
SHOWN = "The build is green"


def commands(heading):
    """The commands of a section of the page: indented lines, with those that continue them."""
    section = open("docs/install.md", encoding="utf-8").read().split(f"\n{heading}\n")[1].split("\n#")[0]
    blocks = re.findall(r"(?:^    .+\n)+", section, re.M)
    return [re.sub(r"^    ", "", block, flags=re.M).strip() for block in blocks]


class Session:
    """The desktop session of a user in the installed system."""

    def __init__(self, root):
        self.root = root
        self.processes = []
        self.environment = {
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": f"/home/{USER}",
            "LC_ALL": "C.UTF-8",
            "XDG_RUNTIME_DIR": f"/run/{USER}",
            "DISPLAY": ":7",
        }

    def __enter__(self):
        for words in [
            ["useradd", "--create-home", USER],
            ["install", "-d", "-m", "700", "-o", USER, f"/run/{USER}"],
            ["install", "-d", "-m", "1777", "/tmp/.X11-unix"],
        ]:
            subprocess.run(["chroot", self.root, *words], check=True, env=self.environment)
        self.start("Xvfb", ":7", "-screen", "0", "640x360x24", "-nolisten", "tcp")
        self.wait(lambda: os.path.exists(f"{self.root}/tmp/.X11-unix/X7"), "the X server")
        bus = self.start("dbus-daemon", "--session", "--nofork", "--print-address=1")
        self.environment["DBUS_SESSION_BUS_ADDRESS"] = bus.stdout.readline().strip()
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.terminate()
            process.wait(20)
        # The daemon that the bus started ends with the X server.
        self.wait(lambda: not self.alive(), "the session ends")
        subprocess.run(["chroot", self.root, "userdel", "--remove", USER], check=True, capture_output=True)

    def alive(self):
        """Whether the user has a process that is not a zombie."""
        user = os.stat(f"{self.root}/home/{USER}").st_uid
        for name in filter(str.isdigit, os.listdir(f"{self.root}/proc")):
            with contextlib.suppress(OSError):
                folder = f"{self.root}/proc/{name}"
                if os.stat(folder).st_uid == user and open(f"{folder}/cmdline", "rb").read():
                    return True
        return False

    def words(self, *words):
        return [
            "chroot",
            f"--userspec={USER}:{USER}",
            "--groups=",
            self.root,
            "/bin/sh",
            "-c",
            "cd && exec " + shlex.join(words),
        ]

    def start(self, *words):
        process = subprocess.Popen(
            self.words(*words), env=self.environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.processes.append(process)
        return process

    def tell(self, *words):
        done = subprocess.run(self.words(*words), env=self.environment, capture_output=True, text=True, timeout=60)
        return done.stdout if done.returncode == 0 else None

    def wait(self, condition, what, seconds=20):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise AssertionError(f"{what}: not within {seconds} s")
            time.sleep(0.05)

    def bus(self, member, *arguments):
        return self.tell(
            *[
                "dbus-send",
                "--session",
                "--print-reply=literal",
                "--dest=org.freedesktop.DBus",
                "/org/freedesktop/DBus",
            ],
            f"org.freedesktop.DBus.{member}",
            *arguments,
        )

    def picture(self, path):
        """The screen as PNG, and the number of its colours."""
        made = subprocess.run(
            self.words("xwd", "-root", "-silent"), env=self.environment, capture_output=True, check=True
        )
        subprocess.run(["convert", "xwd:-", path], input=made.stdout, check=True)
        return int(subprocess.run(["identify", "-format", "%k", path], capture_output=True, check=True).stdout)


def activated(session, check):
    """The session bus starts the service for the first application that looks for a distributor."""
    reply = session.tell(
        *["dbus-send", "--session", "--print-reply", f"--dest={NAME}", "/org/unifiedpush/Distributor"],
        "org.freedesktop.DBus.Peer.Ping",
    )
    check(reply is not None, "the bus starts the distributor by its name")
    process = int(session.bus("GetConnectionUnixProcessID", f"string:{NAME}").split()[-1])
    program = os.readlink(f"{session.root}/proc/{process}/exe")
    check(program.endswith("/usr/bin/bellwire"), "and it is the installed program", program)
    session.tell("sh", "-c", f"kill {process}")
    session.wait(lambda: "true" not in session.bus("NameHasOwner", f"string:{NAME}"), "the service ends")


def first_notification(root, check, picture):
    serve, *others = commands("### A first notification from a script")
    check(serve == "bellwire serve --desktop" and len(others) == 2, "the page has three steps", f"{serve} {others}")
    with Session(root) as session:
        activated(session, check)
        os.makedirs(os.path.dirname(picture), exist_ok=True)
        empty = session.picture(picture)
        server = session.start(*serve.split())
        check(server.stdout.readline() == "bellwire: ready https://localhost:8443\n", "the service is ready")
        began = time.monotonic()
        address = ""
        for command in others:
            done = subprocess.run(
                session.words("sh", "-c", command.replace("ADDRESS", address)),
                env=session.environment,
                capture_output=True,
                text=True,
                timeout=60,
            )
            check(done.returncode == 0, command, done.stdout + done.stderr)
            address = address or re.search(r"https://\S+", done.stdout)[0]
        session.wait(lambda: (session.tell("dunstctl", "count", "displayed") or "").strip() == "1", "one notification")
        session.wait(lambda: session.picture(picture) > empty, "it can be seen")
        seconds = time.monotonic() - began
        check(seconds < 10, "two commands lead to a notification within ten seconds", f"{seconds:.1f} s")
        session.tell("dunstctl", "close")
        session.wait(lambda: SHOWN in (session.tell("dunstctl", "history") or ""), "it says what curl sent")
    print(f"packages: the first notification is on the screen after {seconds:.1f} s")
