"""Certificates where certbot, lego and Caddy put them: who may read them, links, and renewal while serving.

usage: certificates.py PATH_OF_BELLWIRE
"""

import asyncio
import contextlib
import os
import socket
import ssl
import subprocess
import sys
import tempfile
import time

sys.path.append(__file__.rsplit("/", 3)[0])

from client import judged
from kit.certificate import certificate, free_port
from kit.checks import Checks
from kit.process import ended, wait_for

NAME = "push.example.org"
# The user of the service, where these are root's files.
USER = 10001
BECOME = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups"]


def put(path, text, mode):
    """As these programs write: over what is there, with the permissions that it has."""
    is_new = not os.path.exists(path)
    with open(path, "w") as file:
        file.write(text)
    if is_new:
        os.chmod(path, mode)


class Layout:
    """A folder as one of these programs leaves it. Its `name` says which."""

    def __init__(self, folder):
        self.folder, self.number = folder, 0
        self.new = f"{folder}/new"
        os.mkdir(self.new)

    def renew(self):
        self.number += 1
        certificate(self.new, NAME, serial=self.number)
        self.install(*(open(f"{self.new}/{part}.pem").read() for part in ("chain", "key")))


class Certbot(Layout):
    """Numbered files in archive; links to the newest in live. It keeps the group and the mode of a key."""

    name = "certbot"

    def __init__(self, folder):
        super().__init__(folder)
        self.live, self.archive = f"{folder}/live/{NAME}", f"{folder}/archive/{NAME}"
        for place in (self.live, self.archive):
            os.makedirs(place)
        self.chain, self.key = f"{self.live}/fullchain.pem", f"{self.live}/privkey.pem"
        self.private = [f"{folder}/live", f"{folder}/archive"]
        for place in self.private:
            os.chmod(place, 0o700)

    def install(self, chain, key):
        before = None if self.number == 1 else os.stat(self.key)
        for kind, text, mode in (("privkey", key, 0o600), ("fullchain", chain, 0o644)):
            file = f"{self.archive}/{kind}{self.number}.pem"
            put(file, text, mode)
            if before and kind == "privkey":
                os.chown(file, -1, before.st_gid)
                os.chmod(file, before.st_mode & 0o777)
        for kind in ("privkey", "fullchain"):
            link = f"{self.live}/{kind}.pem"
            with contextlib.suppress(FileNotFoundError):
                os.unlink(link)
            os.symlink(f"../../archive/{NAME}/{kind}{self.number}.pem", link)


class Lego(Layout):
    """Two files in one folder, written in place."""

    name = "lego"

    def __init__(self, folder):
        super().__init__(folder)
        self.place = f"{folder}/certificates"
        os.mkdir(self.place, 0o700)
        self.private = [self.place]
        self.chain, self.key = f"{self.place}/{NAME}.crt", f"{self.place}/{NAME}.key"

    def install(self, chain, key):
        put(self.chain, chain, 0o600)
        put(self.key, key, 0o600)


class Caddy(Layout):
    """A folder for each authority and each name in it; key first."""

    name = "Caddy"

    def __init__(self, folder):
        super().__init__(folder)
        whole = f"{folder}/caddy/certificates/acme-v02.api.letsencrypt.org-directory/{NAME}"
        os.makedirs(whole, 0o700)
        self.private = []
        place = whole
        while place != folder:
            os.chmod(place, 0o700)
            self.private.append(place)
            place = os.path.dirname(place)
        self.chain, self.key = f"{whole}/{NAME}.crt", f"{whole}/{NAME}.key"

    def install(self, chain, key):
        put(self.key, key, 0o600)
        # It writes one after the other. A server that looks in between finds a pair that does not match.
        time.sleep(6)
        put(self.chain, chain, 0o600)


def allow(layout):
    """What docs/server.md says: the group of the service may read."""
    subprocess.run(["chgrp", "-R", str(USER), *layout.private], check=True)
    subprocess.run(["chmod", "-R", "g+rX", *layout.private], check=True)


def serial(port):
    """The number of the certificate that the server shows."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    with socket.create_connection(("127.0.0.1", port), timeout=10) as plain:
        with context.wrap_socket(plain, server_hostname=NAME) as secure:
            shown = ssl.DER_cert_to_PEM_cert(secure.getpeercert(binary_form=True))
    read = subprocess.run(
        ["openssl", "x509", "-noout", "-serial"], input=shown, capture_output=True, text=True, check=True
    )
    return int(read.stdout.split("=")[1], 16)


def trial(bellwire, kind, folder):
    check = Checks(f"certificates of {kind.name}")
    layout = kind(folder)
    layout.renew()
    state, port = f"{folder}/state", free_port()
    os.mkdir(state, 0o700)
    root = os.getuid() == 0
    if root:
        os.chown(state, USER, USER)
    log = f"{folder}/bellwire.log"
    command = [*(BECOME if root else []), bellwire, "serve", "--state", state, "--listen", f"127.0.0.1:{port}"]
    command += ["--base-url", f"https://{NAME}:{port}", "--tls-certificate", layout.chain, "--tls-key", layout.key]
    if root:
        # As the program leaves them, only root may read.
        refused = subprocess.run(command, capture_output=True, text=True, timeout=60)
        said = refused.stderr
        check(
            refused.returncode not in (0, None) and refused.returncode > 0,
            "without the right to read it does not start",
        )
        check(layout.chain in said or layout.key in said, f"it says which file it cannot read: {said}")
        check("Permission denied" in said or "permission" in said, f"it says why: {said}")
        allow(layout)
    process = subprocess.Popen(command, stderr=open(log, "w"), stdout=subprocess.DEVNULL)
    with ended(process, 0):
        wait_for(check.name, ("127.0.0.1", port), process)
        check(serial(port) == 1, "it serves the certificate")
        for number in (2, 3):
            before = time.monotonic()
            layout.renew()
            while (shown := serial(port)) != number:
                check(shown == number - 1, "it serves a whole certificate at any time")
                check(time.monotonic() < before + 30, f"it serves certificate {number} while it runs")
                time.sleep(0.5)
    return check.passed


async def main():
    bellwire = os.path.abspath(sys.argv[1])
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        trials = []
        for kind in (Certbot, Lego, Caddy):
            own = f"{folder}/{kind.name}"
            os.mkdir(own)
            trials.append(asyncio.to_thread(trial, bellwire, kind, own))
        results = await asyncio.gather(*trials, return_exceptions=True)
    passed = judged(results)
    print(f"certificates: {passed} checks passed in {time.monotonic() - began:.0f} s")


asyncio.run(main())
