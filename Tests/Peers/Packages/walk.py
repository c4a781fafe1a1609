"""Installs the packages on a Debian that has nothing else, starts the service as its unit says and as the unit's user,
pushes a message, upgrades, removes and purges. Each step checks what is there and what is not.

usage: walk.py ROOT FOLDER_OF_FORMER_PACKAGES FOLDER_OF_PACKAGES

ROOT is a fresh system, as `.ci/bare make` leaves it; it is changed. Run it as root.
"""

import glob
import os
import shlex
import shutil
import subprocess
import sys
import time

sys.path.append(__file__.rsplit("/", 3)[0])

import first
from kit.checks import Checks, checked

ROOT, FORMER, PACKAGES = (os.path.abspath(path) for path in sys.argv[1:4])
UNIT = "/lib/systemd/system/bellwire.service"
STATE = "/var/lib/bellwire"
AUTHORITY = f"{STATE}/keys/development-ca.pem"
ENDPOINT = "/root/endpoint.json"
KEPT = {
    "/etc/bellwire/metrics-token": "made by the administrator\n",
    "/home/ann/.config/bellwire/receivers": "made by Ann\n",
    "/home/ann/.local/state/bellwire/store": "made by Ann's server\n",
}
check = Checks("packages")


def variables(**more):
    """Of a shell there, with the proxies of this one."""
    proxies = {name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}
    return {
        "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": "/root",
        "LC_ALL": "C.UTF-8",
        "DEBIAN_FRONTEND": "noninteractive",
        **proxies,
        **more,
    }


# Programs there live in namespaces of their own, which end with this one.
INSIDE = ["chroot", ROOT]


def run(*words, fails=False, text=None):
    done = subprocess.run([*INSIDE, *words], env=variables(), capture_output=True, text=True, input=text, timeout=300)
    if not fails:
        check(done.returncode == 0, shlex.join(words), done.stdout + done.stderr)
    return done


def path(name):
    return ROOT + name


def present(name):
    return os.path.lexists(path(name))


def files():
    """What a person would call left over: not dpkg's own books, logs and caches."""
    found = set()
    for folder, names, ends in os.walk(ROOT):
        here = folder.removeprefix(ROOT) or "/"
        names[:] = [
            name
            for name in names
            if os.path.join(here, name)
            not in ("/proc", "/sys", "/dev", "/tmp", "/run", "/packages", "/var/log", "/var/cache", "/var/lib/apt")
            and not os.path.ismount(os.path.join(folder, name))
        ]
        found.update(os.path.join(here, name) for name in names + ends)
    return {name for name in found if not name.startswith("/var/lib/dpkg")}


def unit():
    """The settings of the installed unit, each a list."""
    settings = {}
    for line in open(path(UNIT), encoding="utf-8"):
        name, mark, value = line.strip().partition("=")
        if mark and not name.startswith("#"):
            settings.setdefault(name, []).append(value)
    return settings


class Service:
    """The command line of the unit, run as systemd would run it: as its user, in its folders, without rights."""

    def __enter__(self):
        settings = unit()
        [command], [user], [group] = settings["ExecStart"], settings["User"], settings["Group"]
        [folder], [mode] = settings["StateDirectory"], settings["StateDirectoryMode"]
        state = f"/var/lib/{folder}"
        check(state == STATE, "the unit has the state folder of the packages")
        run("install", "-d", "-o", user, "-g", group, "-m", mode, state)
        self.log = open(ROOT + ".log", "a+", encoding="utf-8")
        environment = variables(STATE_DIRECTORY=state, INVOCATION_ID="0" * 32, HOME=state)
        self.process = subprocess.Popen(
            [
                *INSIDE,
                *["setpriv", f"--reuid={user}", f"--regid={group}", "--init-groups", "--no-new-privs"],
                *["--bounding-set=-all", "--inh-caps=-all", *shlex.split(command)],
            ],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
        )
        line = self.process.stdout.readline()
        check(line == "bellwire: ready https://localhost:8443\n", "the service is ready", line + self.said())
        return self

    def said(self):
        self.log.seek(0)
        return self.log.read()

    def __exit__(self, *_):
        self.process.terminate()
        check(self.process.wait(20) == 0, "the service ends by itself", self.said())
        self.log.close()


def bellwire(*words, text=None):
    """A command of an administrator, who names the folder of the service."""
    return run("/usr/bin/bellwire", words[0], "--state", STATE, *words[1:], text=text).stdout


def push(title):
    send = ["/usr/bin/bellwire", "send", "--ca-file", AUTHORITY, "--to", ENDPOINT, "--title", title, "It is green"]
    check(run(*send).stdout.startswith("201 "), f"the push {title} is accepted")


def install(folder):
    """As a person does it with files, once what they need is there."""
    for file in glob.glob(path("/packages/*")):
        os.remove(file)
    os.makedirs(path("/packages"), exist_ok=True)
    names = sorted(glob.glob(folder + "/*.deb"))
    check(len(names) == 2, "there are two packages", str(names))
    inside = [shutil.copy(name, path("/packages")).removeprefix(ROOT) for name in names]
    done = run("apt-get", "-y", "-q", "-o", "Dpkg::Use-Pty=0", "--no-install-recommends", "install", *inside)
    return done.stdout + done.stderr


def version(package):
    return run("dpkg-query", "-W", "-f", "${db:Status-Abbrev} ${Version}", package, fails=True).stdout


def installed():
    for name in [
        "/usr/bin/bellwire",
        "/usr/share/man/man1/bellwire.1.gz",
        "/usr/share/man/man1/bellwire-serve.1.gz",
        "/usr/share/man/man5/bellwire.conf.5.gz",
        "/usr/share/bash-completion/completions/bellwire",
        "/usr/share/zsh/vendor-completions/_bellwire",
        "/usr/share/fish/vendor_completions.d/bellwire.fish",
        "/usr/share/doc/bellwire/copyright",
        "/usr/share/bellwire/monitoring/bellwire.rules.yaml",
        "/usr/share/bellwire/monitoring/bellwire.dashboard.json",
        "/lib/systemd/system/bellwire.socket",
        "/lib/systemd/system/bellwire-backup.timer",
        "/usr/lib/systemd/user/bellwire-desktop.service",
        "/usr/share/dbus-1/services/org.unifiedpush.Distributor.bellwire.service",
        "/etc/xdg/autostart/bellwire-autostart.desktop",
    ]:
        check(present(name), f"{name} is installed")
    check(run("stat", "-c", "%U:%G %a", "/etc/bellwire").stdout == "root:bellwire 750\n", "rights of /etc/bellwire")
    check(run("getent", "passwd", "bellwire").stdout.split(":")[5] == STATE, "the user bellwire has its home")
    wanted = glob.glob(path("/etc/systemd/system/*.wants/bellwire*"))
    check(not wanted, "the service waits for the administrator", str(wanted))


def prepare():
    """Installs the former packages, and what they need, which takes a network."""
    for name in ("/etc/resolv.conf", "/etc/hosts"):
        shutil.copy(name, path(name))
    run("apt-get", "-q", "update")
    run("apt-get", "-y", "-q", "-o", "Dpkg::Use-Pty=0", "--no-install-recommends", "install", *first.PACKAGES)
    said = install(FORMER)
    check(version("bellwire").startswith("ii "), "bellwire is installed", said)
    installed()
    for name, text in KEPT.items():
        os.makedirs(os.path.dirname(path(name)), exist_ok=True)
        with open(path(name), "w", encoding="utf-8") as file:
            file.write(text)


def use():
    """Only what is on this machine is there."""
    former = version("bellwire")
    with Service():
        made = bellwire("register", "--app", "demo", "--account", "ann", "--dialect", "zpns", "--json")
        with open(path(ENDPOINT), "w", encoding="utf-8", opener=private) as file:
            file.write(made)
        push("before the upgrade")
        check("demo" in bellwire("registration", "list"), "the registration is listed")

    with open(path("/etc/bellwire/bellwire.conf"), "a", encoding="utf-8") as file:
        file.write("access-log = yes\n")
    said = install(PACKAGES)
    check(version("bellwire") != former and version("bellwire").startswith("ii "), "a newer package is there", said)
    settings = open(path("/etc/bellwire/bellwire.conf"), encoding="utf-8").read()
    check("access-log = yes" in settings, "the configuration stays")
    installed()
    needed = run("dpkg-query", "-W", "-f", "${Depends}", "bellwire").stdout
    check("libnats" not in needed, "only nodes of clusters need libnats", needed)
    said = run("/usr/bin/bellwire", "check").stdout
    check("\nnext: this machine has no desktop, " in said, "check names the next step", said)
    with Service():
        push("after the upgrade")
        shown = watched()
        check("before the upgrade" in shown and "after the upgrade" in shown, "both messages are shown", shown)
        bellwire("test", "--ca-file", AUTHORITY)
    os.remove(path(ENDPOINT))


def private(name, flags):
    return os.open(name, flags, 0o600)


def remove():
    before = files()
    run("dpkg", "--remove", "bellwire-desktop", "bellwire")
    check(not present("/usr/bin/bellwire"), "the program is removed")
    for name in [*KEPT, f"{STATE}/keys/master.json", "/etc/bellwire/bellwire.conf"]:
        check(present(name), f"{name} outlives a removal")
    run("dpkg", "--purge", "bellwire-desktop", "bellwire")
    for name, text in KEPT.items():
        check(open(path(name), encoding="utf-8").read() == text, f"{name} outlives a purge")
    left = {name for name in files() if "bellwire" in name and name not in KEPT}
    left -= {folder for kept in KEPT for folder in parents(kept)}
    check(not left, "nothing is left over", str(sorted(left)))
    gone = {name for name in before - files() if "bellwire" not in name.lower()}
    gone -= {folder for name in before if "bellwire" in name.lower() for folder in parents(name)}
    check(not gone, "nothing else is taken", str(sorted(gone)))
    check(version("bellwire") in ("", "un "), "dpkg knows of no package", version("bellwire"))
    print(f"packages: {check.passed} checks passed in the installed system")


def parents(name):
    while (name := os.path.dirname(name)) != "/":
        yield name


def watched():
    """What `bellwire watch` shows within a few seconds."""
    process = subprocess.Popen(
        [*INSIDE, "/usr/bin/bellwire", "watch", "--state", STATE, "--json"], env=variables(), stdout=subprocess.PIPE
    )
    os.set_blocking(process.stdout.fileno(), False)
    shown, end = b"", time.monotonic() + 20
    while time.monotonic() < end and not (b"before the upgrade" in shown and b"after the upgrade" in shown):
        shown += process.stdout.read() or b""
        time.sleep(0.1)
    process.terminate()
    process.wait(10)
    return shown.decode()


def main():
    if sys.argv[4:] != ["alone"]:
        prepare()
        os.execv("tools/lib/alone", ["alone", sys.executable, *sys.argv, "alone"])
    use()
    first.first_notification(ROOT, check, ".build/screenshots/first-notification.png")
    remove()


checked(main)
