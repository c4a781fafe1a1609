"""A fresh Debian for each recipe. It has what deploy/run installs, what a desktop session has, and what the page tells
its reader to install, and no more: a page that needs a package and does not name it fails.
"""

import contextlib
import os
import pathlib
import re
import shutil
import subprocess

CHECKOUT = pathlib.Path(__file__).resolve().parents[3]

# Every desktop session of Debian has these, but `.ci/bare make` leaves them out.
SESSION = ["dbus-user-session", "systemd"]

# Who is not in the fresh system, and why. All that a reader types, starts or saves is there, and so is the service.
OUTSIDE = {
    "the screen and the buses": "the test looks at them and clicks there",
    "Firefox": "the test drives its windows; the page needs nothing of Debian but Firefox itself",
    "Synapse": "Debian 12 has none; the page talks to it as to another machine",
    "phones, Mastodon, Telegram, Nextcloud, MollySocket, services with webhooks": "they are other machines, and played",
    "KUnifiedPush, NeoChat, Tokodon": "Debian 12 has none that fits, and they are played",
    "cron and systemd": "a system without an init starts none; the test runs what they would run, in the fresh system",
}

# Read by apt and by programs that it starts.
PROXIES = {name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}


def named(page):
    """The packages that a page tells its reader to install."""
    text = " ".join(pathlib.Path(page).read_text(encoding="utf-8").split())
    lists = re.findall(r"Debian's packages? ((?:`[a-z0-9.+-]+`(?:, | and )?)+)", text)
    return sorted({name for words in lists for name in re.findall("`(.*?)`", words)})


class Systems:
    """Fresh systems in layers: the bare Debian, what is on every desktop, and one layer for each list of packages."""

    def __init__(self, bare, folder):
        self.bare, self.folder = pathlib.Path(bare), pathlib.Path(folder)
        self.root = self.folder / "root"

    def prepare(self, pages):
        """Installs what the pages name. This takes a network, and the rest takes none."""
        script = 'source deploy/lib/prepare.sh && echo "${BUILD_PACKAGES[@]}"'
        build = subprocess.run(["bash", "-c", script], check=True, capture_output=True, text=True, cwd=CHECKOUT).stdout
        with self.mounted(self.folder / "session", [self.bare]):
            for name in ("/etc/resolv.conf", "/etc/hosts"):
                shutil.copy(name, f"{self.root}{name}")
            self.apt("update")
            self.install(*build.split(), *SESSION)
        for packages in sorted({tuple(named(page)) for page in pages} - {()}):
            with self.mounted(self.layer(packages), [self.folder / "session", self.bare]):
                self.install(*packages)

    def layer(self, packages):
        return self.folder / ("with-" + "+".join(packages) if packages else "session")

    def install(self, *packages):
        self.apt("install", "--no-install-recommends", *packages)

    def apt(self, *words):
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8", **PROXIES}
        # Packages start no service at this level.
        environment |= {"RUNLEVEL": "1", "DEBIAN_FRONTEND": "noninteractive"}
        options = ["-qq", "-y", "-o", "Dpkg::Use-Pty=0", "-o", "Dpkg::Options::=--force-unsafe-io"]
        words = ["chroot", self.root, "apt-get", *options, *words]
        done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            raise RuntimeError(f"{words}\n{done.stdout}{done.stderr}")

    @contextlib.contextmanager
    def mounted(self, upper, lower):
        """A system at `root`. What is written there goes to the upper folder."""
        work = self.folder / "work"
        shutil.rmtree(work, ignore_errors=True)
        for folder in (upper, work, self.root):
            os.makedirs(folder, exist_ok=True)
        layers = f"lowerdir={':'.join(map(str, lower))},upperdir={upper},workdir={work}"
        mount("-t", "overlay", "fresh", "-o", layers, self.root)
        try:
            for name in ("dev", "proc"):
                mount("--rbind", f"/{name}", self.root / name)
            yield self.root
        finally:
            subprocess.run(["umount", "--recursive", "--lazy", self.root], check=True)

    @contextlib.contextmanager
    def reader(self, page, home):
        """The system for the reader of a page. Gives the words that run a command there, in the home folder."""
        layers = [self.layer(named(page)), self.folder / "session", self.bare]
        upper = self.folder / "typed"
        shutil.rmtree(upper, ignore_errors=True)
        with self.mounted(upper, list(dict.fromkeys(layers))):
            # They have the same place there as here, so that sockets and links do.
            for folder in (CHECKOUT, home):
                os.makedirs(f"{self.root}{folder}", exist_ok=True)
                mount("--bind", folder, f"{self.root}{folder}")
            yield ["unshare", f"--root={self.root}", f"--wd={home}"]


def mount(*words):
    subprocess.run(["mount", *words], check=True)
