"""A headless Firefox whose profile knows one push service and no other host, and its remote protocol: JSON after its
length, over a TCP connection to this machine.
"""

import json
import os
import signal
import socket
import subprocess
import time


class Marionette:
    """One session. Every call ends within `limit` seconds, with an answer or an exception."""

    limit = 30

    def __init__(self, port):
        self.connection = socket.create_connection(("127.0.0.1", port), self.limit)
        self.stream = self.connection.makefile("rb")
        self.count = 0
        self.receive()
        # Firefox gives up earlier and says why.
        patience = (self.limit - 5) * 1000
        self.call(
            "WebDriver:NewSession",
            {"capabilities": {"alwaysMatch": {"timeouts": {"script": patience, "pageLoad": patience}}}},
        )

    def call(self, name, parameters=None):
        self.count += 1
        message = json.dumps([0, self.count, name, parameters or {}]).encode()
        self.connection.sendall(b"%d:%s" % (len(message), message))
        _, number, error, result = self.receive()
        if error or number != self.count:
            raise RuntimeError(f"{name}: {error}")
        return result

    def receive(self):
        length = b""
        while not length.endswith(b":"):
            byte = self.stream.read(1)
            if not byte:
                raise ConnectionError("Firefox ended the connection")
            length += byte
        return json.loads(self.stream.read(int(length[:-1])))

    def open(self, url):
        self.call("WebDriver:Navigate", {"url": url})

    def run(self, expression, *arguments):
        """The result of a promise in the page; `expression` sees the arguments as `given`."""
        script = (
            "const done = arguments[arguments.length - 1], given = arguments;"
            f"Promise.resolve().then(() => {expression})"
            ".then(value => done({value}), error => done({error: String(error)}))"
        )
        answer = self.call("WebDriver:ExecuteAsyncScript", {"script": script, "args": arguments})["value"]
        if "error" in answer:
            raise RuntimeError(f"{expression}: {answer['error']}")
        return answer.get("value")

    def quit(self):
        self.call("Marionette:Quit", {"flags": ["eForceQuit"]})
        self.connection.close()


# docs/desktop.md has the preferences that a user sets; these are for the test.
# What would ask other machines, or wait for them, is off.
OFF = """
    network.prefetch-next network.captive-portal-service.enabled network.connectivity-service.enabled
    app.update.enabled app.update.auto app.update.checkInstallTime app.normandy.enabled
    app.shield.optoutstudies.enabled browser.aboutwelcome.enabled browser.contentblocking.report.lockwise.enabled
    browser.discovery.enabled browser.newtabpage.enabled browser.newtabpage.activity-stream.feeds.section.topstories
    browser.newtabpage.activity-stream.feeds.system.topstories
    browser.newtabpage.activity-stream.discoverystream.enabled browser.newtabpage.activity-stream.showSponsored
    browser.newtabpage.activity-stream.showSponsoredTopSites browser.ping-centre.telemetry
    browser.region.update.enabled browser.safebrowsing.malware.enabled browser.safebrowsing.phishing.enabled
    browser.safebrowsing.downloads.enabled browser.safebrowsing.blockedURIs.enabled browser.search.update
    browser.search.geoSpecificDefaults browser.sessionstore.resume_from_crash browser.shell.checkDefaultBrowser
    browser.topsites.contile.enabled browser.urlbar.quicksuggest.enabled browser.urlbar.merino.enabled
    datareporting.healthreport.uploadEnabled datareporting.policy.dataSubmissionEnabled
    datareporting.usage.uploadEnabled dom.private-attribution.submission.enabled extensions.blocklist.enabled
    extensions.getAddons.cache.enabled extensions.systemAddon.update.enabled extensions.update.enabled geo.enabled
    identity.fxaccounts.enabled media.gmp-manager.updateEnabled security.remote_settings.crlite_filters.enabled
    security.remote_settings.intermediates.enabled services.sync.enabled toolkit.telemetry.enabled
    toolkit.telemetry.unified toolkit.telemetry.updatePing.enabled toolkit.telemetry.newProfilePing.enabled
    toolkit.telemetry.shutdownPingSender.enabled
"""
EMPTY = """
    browser.region.network.url browser.safebrowsing.provider.mozilla.updateURL
    browser.safebrowsing.provider.google4.updateURL browser.safebrowsing.provider.google5.updateURL
    extensions.systemAddon.update.url media.gmp-manager.url toolkit.telemetry.server
"""
PREFERENCES = {
    **dict.fromkeys(OFF.split(), False),
    **dict.fromkeys(EMPTY.split(), ""),
    # Marionette would switch push off and much else.
    "remote.prefs.recommended": False,
    "marionette.port": 0,
    "permissions.default.desktop-notification": 1,
    # A headless browser has shown no page and shows no notification.
    "dom.push.maxQuotaPerSubscription": 10000,
    "dom.push.retryBaseInterval": 300,
    "dom.push.loglevel": "All",
    "devtools.console.stdout.chrome": True,
    "browser.dom.window.dump.enabled": True,
    # Requests to other machines go to a proxy that records and refuses them.
    "network.proxy.type": 1,
    "network.proxy.http": "127.0.0.1",
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.no_proxies_on": "localhost, 127.0.0.1",
    "network.proxy.failover_direct": False,
    "network.dns.disablePrefetch": True,
    "network.trr.mode": 5,
    "app.update.disabledForTesting": True,
    "browser.startup.homepage": "about:blank",
    "browser.startup.homepage_override.mstone": "ignore",
    "browser.startup.page": 0,
    "security.OCSP.enabled": 0,
    "services.settings.server": "data:,#remote-settings-dummy/v1",
}


def end(process, limit):
    """Ends a browser in any state, with all its processes."""
    # After the wait, the process group could belong to somebody else.
    if process is None or process.returncode is not None:
        return
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait(limit)


class Firefox:
    limit = 40

    def __init__(self, folder, authority):
        self.folder, self.authority = folder / "firefox", authority
        self.profile = self.folder / "profile"
        self.profile.mkdir(parents=True)
        self.log = open(self.folder / "log", "ab")
        self.process = self.marionette = None

    def make_profile(self, service, proxy):
        """Writes the authority and the address of a push service, and the port of a proxy."""
        for arguments in (["-N", "--empty-password"], ["-A", "-t", "C,,", "-n", "Bellwire", "-i", self.authority]):
            subprocess.run(["certutil", "-d", f"sql:{self.profile}", *arguments], check=True, timeout=30)
        preferences = PREFERENCES | {
            "dom.push.serverURL": service,
            "network.proxy.http_port": proxy,
            "network.proxy.ssl_port": proxy,
        }
        (self.profile / "user.js").write_text(
            "".join(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in preferences.items())
        )

    def start(self):
        port = self.profile / "MarionetteActivePort"
        port.unlink(missing_ok=True)
        self.process = subprocess.Popen(
            ["firefox-esr", "--headless", "--no-remote", "--new-instance", "--marionette", "--profile", self.profile],
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=self.log,
            start_new_session=True,
            env={
                "HOME": str(self.folder),
                "PATH": os.environ["PATH"],
                "LANG": "C.UTF-8",
                "MOZ_CRASHREPORTER_DISABLE": "1",
                "MOZ_REMOTE_SETTINGS_DEVTOOLS": "1",
            },
        )
        deadline = time.monotonic() + self.limit
        while not (port.exists() and port.read_text().strip()):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("Firefox does not start")
            time.sleep(0.05)
        self.marionette = Marionette(int(port.read_text()))

    def stop(self):
        self.marionette.quit()
        self.marionette = None
        self.process.wait(self.limit)
        self.process = None

    def end(self):
        end(self.process, self.limit)
