"""Debian's Firefox and Chromium without a screen, each with a profile that trusts one authority.

Both speak WebDriver BiDi. Firefox does so itself, at the port that it writes to its profile; Debian 12 has no
geckodriver. Chromium needs the program of Debian's package chromium-driver between.
"""

import json
import os
import pathlib
import subprocess
import time
import urllib.request

import websockets.sync.client
from browser import PREFERENCES, end


class BrowserError(Exception):
    pass


class Bidi:
    """One session. Every call ends within `limit` seconds, with an answer or an exception."""

    limit = 30

    def __init__(self, url):
        self.socket = websockets.sync.client.connect(url, max_size=None, open_timeout=self.limit, proxy=None)
        self.count, self.events = 0, []

    def call(self, name, **parameters):
        self.count += 1
        self.socket.send(json.dumps({"id": self.count, "method": name, "params": parameters}))
        deadline = time.monotonic() + self.limit
        while True:
            message = self.receive(deadline - time.monotonic())
            if message is None:
                raise BrowserError(f"{name}: no answer within {self.limit} s to {str(parameters)[:300]}")
            if message.get("id") != self.count:
                continue
            if message["type"] == "error":
                raise BrowserError(f"{name}: {message['error']}: {message['message'][:500]}")
            return message["result"]

    def receive(self, limit):
        """The next answer or event. Events are also kept."""
        try:
            message = json.loads(self.socket.recv(max(limit, 0)))
        except TimeoutError:
            return None
        if message["type"] == "event":
            self.events.append(message)
        return message

    def catch_up(self):
        """Takes the events that have arrived; an answer comes after the events before it."""
        self.call("browsingContext.getTree", maxDepth=0)

    def close(self):
        self.socket.close()


class Browser:
    limit = 40

    def __init__(self, folder, preferences):
        self.folder = pathlib.Path(folder) / self.name
        self.profile = self.folder / "profile"
        self.profile.mkdir(parents=True)
        self.log = self.folder / "log"
        self.preferences = preferences
        self.process = self.bidi = None

    def trust(self, authority):
        database = self.trusted()
        database.mkdir(parents=True, exist_ok=True)
        for arguments in (["-N", "--empty-password"], ["-A", "-t", "C,,", "-n", "Bellwire", "-i", authority]):
            subprocess.run(["certutil", "-d", f"sql:{database}", *arguments], check=True, timeout=30)

    def spawn(self, *command):
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=open(self.log, "ab"),
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env={
                "HOME": str(self.folder),
                "PATH": os.environ["PATH"],
                "LANG": "C.UTF-8",
                "MOZ_CRASHREPORTER_DISABLE": "1",
            },
        )

    def wait_for(self, value):
        deadline = time.monotonic() + self.limit
        while not (got := value()):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise BrowserError(f"{self.name} does not start")
            time.sleep(0.05)
        return got

    def end(self):
        if self.bidi:
            self.bidi.close()
        end(self.process, self.limit)


class Firefox(Browser):
    name = "firefox"

    def trusted(self):
        return self.profile

    def start(self):
        preferences = PREFERENCES | {
            "intl.accept_languages": "en-US, en",
            # Nothing is in between: the test hears of every request.
            "network.proxy.type": 0,
            "network.dns.localDomains": "evil.test",
            "devtools.console.stdout.chrome": False,
        }
        preferences |= self.preferences
        (self.profile / "user.js").write_text(
            "".join(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in preferences.items())
        )
        self.spawn(
            "firefox-esr", "--headless", "--no-remote", "--new-instance", "--remote-debugging-port=0",
            "--profile", str(self.profile), "about:blank",
        )  # fmt: skip
        file = self.profile / "WebDriverBiDiServer.json"

        def port():
            return file.exists() and (text := file.read_text()) and json.loads(text)["ws_port"]

        self.bidi = Bidi(f"ws://127.0.0.1:{self.wait_for(port)}/session")
        self.version = self.bidi.call("session.new", capabilities={})["capabilities"]["browserVersion"]


class Chromium(Browser):
    name = "chromium"

    def trusted(self):
        return self.folder / ".pki/nssdb"

    def start(self):
        self.spawn("chromedriver", "--port=0")

        def port():
            text = self.log.read_text() if self.log.exists() else ""
            return "successfully on port " in text and text.split("successfully on port ")[1].split(".")[0]

        options = {
            "args": [
                "--headless=new",
                # Chromium refuses to run as root with its own sandbox.
                "--no-sandbox",
                f"--user-data-dir={self.profile}",
                "--accept-lang=en-US,en",
                "--host-resolver-rules=MAP evil.test 127.0.0.1",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--disable-dev-shm-usage",
            ]
        }
        wanted = {"alwaysMatch": {"webSocketUrl": True, "goog:chromeOptions": options}}
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.wait_for(port)}/session",
            json.dumps({"capabilities": wanted}).encode(),
            {"Content-Type": "application/json"},
        )
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with direct.open(request, timeout=self.limit) as answer:
            capabilities = json.load(answer)["value"]["capabilities"]
        self.version = capabilities["browserVersion"]
        self.bidi = Bidi(capabilities["webSocketUrl"])
