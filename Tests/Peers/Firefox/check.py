"""Debian's Firefox against bellwire: no accepted push is lost or arrives twice.

usage: check.py PATH_OF_BELLWIRE
"""

import collections
import os
import pathlib
import re
import sys
import tempfile
import time

sys.path.append(__file__.rsplit("/", 3)[0])

from browser import Firefox
from kit.checks import Checks
from kit.server import Server
from page import Page, Proxy
from sender import Key, Sender

# Long enough for a browser to reconnect on a busy machine.
SOON = 20


check = Checks("firefox")


class Run:
    def __init__(self, bellwire, folder):
        self.folder = pathlib.Path(folder)
        self.service = Server(bellwire, self.folder, is_secure=True)
        self.firefox = Firefox(self.folder, self.service.authority)
        self.sender = Sender(bellwire, self.folder, self.service.authority)
        self.key = Key(bellwire, self.folder / "vapid.json")
        self.other_key = Key(bellwire, self.folder / "other.json")
        self.proxy = Proxy()
        self.page = None
        self.subscriptions = {}
        # The pushes that the page must see, and how often.
        self.accepted = collections.Counter()

    def end(self):
        self.firefox.end()
        self.service.kill()

    def in_page(self, expression, *arguments):
        return self.firefox.marionette.run(expression, *arguments)

    def push(self, scope, body=None, encoding="aes128gcm", send=None):
        """Sends a push that the service must accept and the page must see."""
        key = self.key if scope == "bound" else None
        status = (send or self.sender.pywebpush)(self.subscriptions[scope], body, encoding, key)
        check(status == 201, f"{encoding} of {body and len(body)} bytes to {scope}: {status}")
        self.accepted[scope, "empty" if body is None else "message", body or b""] += 1

    def push_all(self, *scopes):
        """Sends a push of each kind."""
        for scope in scopes:
            for encoding in ("aes128gcm", "aesgcm"):
                self.push(scope, os.urandom(100), encoding)  # No two bodies are the same.
            self.push(scope)

    def check_arrived(self, when):
        """Every push so far arrived exactly once."""
        self.page.wait_for(self.accepted, SOON)
        for what, pushes in (("lost", self.accepted - self.page.seen), ("too many", self.page.seen - self.accepted)):
            check(
                not pushes,
                f"{when}: {what}: "
                + ", ".join(
                    f"{scope} {kind} of {len(body)} bytes, {count} times"
                    for (scope, kind, body), count in pushes.items()
                ),
            )

    def messages(self):
        """How many waited in the store at the last start."""
        return int(re.findall(r"store-opened .*\bmessages=(\d+)", self.service.said())[-1])

    def start(self):
        self.service.start()
        self.page = Page(self.service.certificate)
        self.firefox.make_profile(self.service.base.replace("https", "wss", 1), self.proxy.server.server_port)
        self.firefox.start()

    def subscribe(self):
        self.firefox.marionette.open(self.page.url)
        self.subscriptions = {
            "open": self.in_page("subscribe('open')"),
            "bound": self.in_page("subscribe('bound', given[0])", self.key.public),
        }
        for scope, version in (("open", "v1"), ("bound", "v2")):
            start = f"{self.service.base}/wpush/{version}/"
            endpoint = self.subscriptions[scope]["endpoint"]
            check(endpoint.startswith(start), f"the endpoint of {scope} begins with {start}")

    def receive(self):
        for scope in ("open", "bound"):
            for send in (self.sender.pywebpush, self.sender.bellwire_send):
                for encoding in ("aes128gcm", "aesgcm"):
                    for body in (b"x", "grüße 😀".encode(), os.urandom(3993)):
                        self.push(scope, body, encoding, send)
                self.push(scope, send=send)
        self.check_arrived("received while connected")

    def refuse(self):
        """Sends pushes that must not reach the page; the next step checks that."""
        bound = self.subscriptions["bound"]
        for send in (self.sender.pywebpush, self.sender.bellwire_send):
            for encoding in ("aes128gcm", "aesgcm"):
                for key in (self.other_key, None):
                    status = send(bound, b"forged", encoding, key)
                    check(
                        status == 401,
                        f"{encoding} signed by {'another' if key else 'no'} key to a bound endpoint: {status}",
                    )
        status = self.sender.put(bound)
        check(status == 401, f"PUT without a signature to a bound endpoint: {status}")

    def restart(self):
        """Restarts the service in good order and with SIGKILL; the browser reconnects."""
        for end in (self.service.stop, self.service.kill):
            before = time.monotonic()
            end()
            check(time.monotonic() - before < 5, "the service does not wait for the browser")
            self.service.start()
            self.push_all("open", "bound")
            self.check_arrived(f"received after {end.__name__}")
        for scope, subscription in self.subscriptions.items():
            now = self.in_page("subscription(given[0])", scope)
            check(now == subscription, f"the subscription of {scope} has not changed")

    def wait_offline(self):
        """The browser is away while the service is killed."""
        self.firefox.stop()
        self.push_all("open", "bound")
        self.service.kill()
        self.service.start()
        check(self.messages() == 6, "waiting messages survive SIGKILL")
        self.push_all("open", "bound")
        self.firefox.start()
        self.check_arrived("received after the browser was away")
        self.firefox.marionette.open(self.page.url)

    def unsubscribe(self):
        gone = dict(self.subscriptions)
        for scope in gone:
            check(self.in_page("unsubscribe(given[0])", scope), f"{scope} is unsubscribed")
        self.check_gone(gone, SOON)
        self.subscriptions["open"] = self.in_page("subscribe('open')")
        check(
            self.subscriptions["open"]["endpoint"] != gone["open"]["endpoint"], "a new subscription has a new endpoint"
        )
        self.push_all("open")
        self.check_arrived("received by a new subscription")
        self.service.kill()
        self.service.start()
        self.check_gone(gone, 0)

    def check_gone(self, subscriptions, limit):
        for scope, subscription in subscriptions.items():
            key = self.key if scope == "bound" else None
            status = self.wait_until(lambda: self.sender.pywebpush(subscription, None, key=key), 410, limit)
            check(status == 410, f"a push to {scope} after it was unsubscribed: {status}")

    def leave_nothing(self):
        """Everything was acknowledged, and the acknowledgements were stored."""

        def waiting():
            self.service.stop()
            self.service.start()
            return self.messages()

        check(self.wait_until(waiting, 0, SOON) == 0, "nothing is left in the store")
        self.push_all("open")
        self.check_arrived("received at last")
        self.firefox.stop()
        self.service.stop()
        check(not self.proxy.hosts, f"Firefox asks for other hosts: {sorted(self.proxy.hosts)}")

    @staticmethod
    def wait_until(value, wanted, limit):
        deadline = time.monotonic() + limit
        while (got := value()) != wanted and time.monotonic() < deadline:
            time.sleep(0.2)
        return got


STEPS = (
    Run.start,
    Run.subscribe,
    Run.receive,
    Run.refuse,
    Run.restart,
    Run.wait_offline,
    Run.unsubscribe,
    Run.leave_nothing,
)


def print_end(path):
    if path.exists():
        print(f"---- {path.name} of {path.parent.name}", *path.read_text(errors="replace").splitlines()[-80:], sep="\n")


def main():
    started = time.monotonic()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        run = Run(sys.argv[1], folder)
        try:
            for step in STEPS:
                before = time.monotonic()
                step(run)
                print(f"firefox: {step.__name__} {time.monotonic() - before:.1f} s", flush=True)
        except Exception as error:
            run.end()
            for path in (run.folder / "firefox/log", run.service.log):
                print_end(path)
            print(f"firefox: FAILED in {step.__name__}: {error!r}")
            return 1
        finally:
            run.end()
    print(f"firefox: {run.accepted.total()} pushes seen, each once, in {time.monotonic() - started:.1f} s")
    return 0


sys.exit(main())
