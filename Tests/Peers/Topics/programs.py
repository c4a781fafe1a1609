"""Programs that push when something happens, each started as its documents say: what they send can be read.

Those of Debian are where LENT says, those of Python beside the interpreter that runs this.
"""

import contextlib
import json
import os
import pathlib
import smtplib
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from email.message import EmailMessage

from expected import about, differs
from kit.certificate import free_port
from kit.checks import Failed
from kit.process import ended, wait_for
from place import name
from table import PNG, an_attachment, buttons

HERE = pathlib.Path(sys.prefix)
LENT = pathlib.Path(os.environ.get("LENT", "/"))
LINK = "https://example.org/a"
VIEW = {"action": "view", "label": "Open", "url": LINK}


class Programs:
    def __init__(self, place, judge):
        self.place, self.judge = place, judge
        self.environment = os.environ | {"HOME": "/nonexistent", "REQUESTS_CA_BUNDLE": str(place.server.authority)}

    def run(self):
        with tempfile.TemporaryDirectory() as folder:
            self.folder = pathlib.Path(folder)
            for part in (self.apprise_of_debian, self.apprise, self.ntfyr, self.netdata, self.borgmatic):
                self.judge.attempt(part)
            for part in (self.mailrise, self.alertmanager):
                self.judge.attempt(part)

    def done(self, what, words, codes=(0,), **environment):
        ran = subprocess.run(
            [str(word) for word in words],
            env=self.environment | environment,
            capture_output=True,
            text=True,
            timeout=60,
        )
        said = (ran.stdout + ran.stderr)[-2000:]
        self.judge(ran.returncode in codes, f"{what} ends with {ran.returncode}", said)

    def arrived(self, topic, what, seconds=0, **wanted):
        """One message is there, and is as it was sent. Programs that wait for something need a moment."""
        end = time.monotonic() + seconds
        while not (found := self.place.wire.poll(topic, "&sched=1")) and time.monotonic() < end:
            time.sleep(0.05)
        wrong = list(differs(found[0], wanted)) if found else ["it is not there"]
        self.judge(len(found) == 1 and not wrong, f"{what}: {wrong}", found)

    def received(self, what, **wanted):
        """The newest message of the application."""
        path = f"/application/{self.place.application['id']}/message?limit=1"
        found = self.place.wire.ask("GET", path, X_Gotify_Key=self.place.client["token"], Authorization=None).members
        wrong = list(differs(found["messages"][0], wanted)) if found["messages"] else ["it is not there"]
        self.judge(not wrong, f"{what}: {wrong}", found["messages"])

    def apprise(self):
        program = HERE / "bin/apprise"
        self.push_by_apprise("apprise", [program], {})
        picture, topic = self.folder / "a.png", name()
        picture.write_bytes(PNG)
        button = f"view, Open, {LINK}"
        sent = dict(delay="30m", tags="a,b", priority="high", click=LINK, actions=button, format="markdown")
        address = f"ntfys://{self.secure()}/{topic}?{urllib.parse.urlencode(sent, quote_via=urllib.parse.quote)}"
        self.done("apprise with all", [program, "-t", "Später", "-b", "text", "-i", "markdown", address])
        wanted = dict(title="Später", time=about(1800, within=60), tags=["a", "b"], priority=4, click=LINK)
        wanted |= dict(actions=buttons(VIEW), content_type="text/markdown")
        self.arrived(topic, "apprise sends all", message="text", **wanted)
        topic = name()
        address = f"ntfys://{self.secure()}/{topic}"
        self.done("apprise with a file", [program, "-t", "T", "-b", "look", "-a", picture, address])
        self.arrived(topic, "apprise sends a file", title="T", attachment=an_attachment("a.png", "image/png", len(PNG)))
        topic, long = name(), "long " * 1400
        address = f"ntfys://{self.secure()}/{topic}"
        self.done("apprise with a long text", [HERE / "bin/apprise", "-b", long, address])
        held = an_attachment("attachment.txt", "text/plain", len(long.strip()))
        self.arrived(topic, "apprise sends a long text", attachment=held)

    def apprise_of_debian(self):
        words = ["/usr/bin/python3", LENT / "usr/bin/apprise"]
        self.push_by_apprise("Debian's apprise", words, {"PYTHONPATH": str(LENT / "usr/lib/python3/dist-packages")})

    def secure(self):
        return f"me:{self.place.both}@localhost:{self.place.server.port}"

    def push_by_apprise(self, program, words, environment):
        topic = name()
        plain = f"localhost:{self.place.port}"
        for address in (
            f"ntfys://{self.secure()}/{topic}?priority=max&tags=disk,warning&click={LINK}",
            f"gotifys://localhost:{self.place.server.port}/gotify/{self.place.application['token']}?priority=high",
        ):
            self.done(program, [*words, "-t", "Größe", "-b", "text ä", address], **environment)
        wanted = dict(title="Größe", priority=5, tags=["disk", "warning"], click=LINK)
        self.arrived(topic, f"{program} sends to ntfy", message="text ä", **wanted)
        self.received(f"{program} sends to Gotify", message="text ä", title="Größe", priority=8)
        topic = name()
        # In clear, to nobody's topic and to Gotify's usual path.
        for address in (f"ntfy://{plain}/{topic}", f"gotify://{plain}/{self.place.application['token']}"):
            self.done(program, [*words, "-b", "plain", address], **environment)
        self.arrived(topic, f"{program} sends without a credential", message="plain")
        self.received(f"{program} sends to Gotify in clear", message="plain", priority=5)

    def ntfyr(self):
        topic = name()
        words = [
            HERE / "bin/ntfyr",
            "-s",
            self.place.url,
            "-t",
            topic,
            "-o",
            self.place.both,
            "-m",
            "text ä",
            "-T",
            "T",
        ]
        words += ["-P", "urgent", "-C", LINK, "-D", "30m", "-A", f"view, Open, {LINK}", "-X", f"{LINK}.jpg"]
        self.done("ntfyr", [*words, "-G", "warning", "disk"])
        wanted = dict(title="T", priority=5, tags=["warning", "disk"], click=LINK, time=about(1800, within=60))
        wanted |= dict(actions=buttons(VIEW), attachment=an_attachment("a.jpg"))
        self.arrived(topic, "ntfyr sends", message="text ä", **wanted)
        words = [HERE / "bin/ntfyr", "-s", self.place.url, "-t", topic, "-o", "tk_wrong", "-m", "no"]
        self.done("ntfyr with a wrong token", words, codes=(1,))

    def hook(self, face):
        """A new topic, and the address to which what sends to Slack or Discord sends."""
        topic = name()
        self.place.server.tell("topic", "add", topic)
        made = self.place.server.tell("token", "add", topic, "--topic", topic, "--write")
        return topic, made[f"{face}_address"]

    def netdata(self):
        settings = ["SEND_GOTIFY=YES", f"GOTIFY_APP_URL={self.place.url}"]
        settings += [
            f"GOTIFY_APP_TOKEN={self.place.application['token']}",
            "SEND_EMAIL=NO",
            "role_recipients_gotify[x]=x",
        ]
        hooks = {face: self.hook(face) for face in ("slack", "discord")}
        for face, (_, address) in hooks.items():
            settings += [f"SEND_{face.upper()}=YES", f"{face.upper()}_WEBHOOK_URL={address}"]
            settings.append(f'role_recipients_{face}[x]="#"')
        (self.folder / "health_alarm_notify.conf").write_text("\n".join([*settings, ""]))
        now = int(time.time())
        # As netdata's health calls it; its numbers are those of one alarm that was raised.
        event = ["x", "host1", 1, 2, 3, now, "disk_full", "disk.space", "disk", "CRITICAL", "CLEAR", 95, 20]
        event += ["line 1", 60, 60, "%", "space is low", "95 %", "20 %", "", "", 0, 1, "", "disk_full", "Errors"]
        folders = dict(NETDATA_USER_CONFIG_DIR=str(self.folder), NETDATA_CACHE_DIR=str(self.folder))
        own = LENT / "usr/lib/netdata"
        folders |= dict(NETDATA_STOCK_CONFIG_DIR=str(own / "conf.d"), CURL_CA_BUNDLE=str(self.place.server.authority))
        self.done("netdata's notifier", ["bash", own / "plugins.d/alarm-notify.sh", *event], **folders)
        wanted = dict(title="CRITICAL, disk_full = 95 %, on host1", message=lambda text: "disk.space 95 %" in text)
        self.received("netdata's notifier sends", **wanted, priority=10)
        for face, (topic, _) in hooks.items():
            told = dict(title=lambda text: "disk full" in text, content_type="text/markdown")
            told |= dict(message=lambda text: "host1 " in text and "`disk.space` (_disk_)" in text)
            told |= dict(
                click=lambda link: link.startswith("http"), attachment=lambda picture: ".png" in picture["url"]
            )
            self.arrived(topic, f"netdata's notifier sends to {face}", **told)

    def borgmatic(self):
        topic, settings = name(), self.folder / "borgmatic.yaml"
        fails = {"title": "Backup fails", "message": "Nothing was kept", "priority": "urgent", "tags": "skull,backup"}
        sent = {"topic": topic, "server": self.place.url, "access_token": self.place.both, "fail": fails}
        # A backup for which there is no program.
        whole = {"source_directories": ["/etc"], "repositories": [{"path": "/nonexistent"}], "local_path": "/bin/false"}
        settings.write_text(json.dumps(whole | {"ntfy": sent | {"states": ["fail"]}}))
        self.done("borgmatic", [HERE / "bin/borgmatic", "--config", settings, "create"], codes=(1,))
        wanted = dict(title="Backup fails", message="Nothing was kept", priority=5, tags=["skull", "backup"])
        self.arrived(topic, "borgmatic sends", **wanted)

    def mailrise(self):
        topic, port, settings = name(), free_port(), self.folder / "mailrise.yaml"
        ways = {
            "ntfy": {"urls": [f"ntfy://me:{self.place.both}@localhost:{self.place.port}/{topic}"]},
            "gotify": {"urls": [f"gotify://localhost:{self.place.port}/{self.place.application['token']}"]},
        }
        settings.write_text(json.dumps({"configs": ways, "listen": {"host": "127.0.0.1", "port": port}}))
        # It wants an apprise of its own.
        program = [sys.executable, "-c", "from mailrise.skeleton import run; run()", settings]
        with self.started("mailrise", program, port, codes=(0, -15), PYTHONPATH=str(HERE / "mailrise")):
            letter = EmailMessage()
            letter["From"], letter["To"] = "nas@example.org", "ntfy@mailrise.xyz, gotify.failure@mailrise.xyz"
            letter["Subject"] = "A disk of Größe 3"
            letter.set_content("It fails soon")
            with smtplib.SMTP("127.0.0.1", port, timeout=20) as way:
                way.send_message(letter)
            subject = lambda text: "A disk of Größe 3" in text  # noqa: E731
            body = lambda text: "It fails soon" in text  # noqa: E731
            self.arrived(topic, "mailrise sends to ntfy", 10, title=subject, message=body)
            self.received("mailrise sends to Gotify", title=subject, message=body)

    @contextlib.contextmanager
    def started(self, what, words, port, codes=(0,), **environment):
        with open(self.folder / f"{what}.log", "w") as log:
            program = subprocess.Popen(
                [str(word) for word in words], env=self.environment | environment, stdout=log, stderr=log
            )
        with ended(program, *codes):
            try:
                wait_for(what, ("127.0.0.1", port), program)
            except Failed as failure:
                raise Failed(f"{failure}: {(self.folder / f'{what}.log').read_text()[-1000:]}") from failure
            yield program

    def alertmanager(self):
        named, known, port, settings = name(), name(), free_port(), self.folder / "alertmanager.yml"
        credential = {"authorization": {"type": "Bearer", "credentials": self.place.both}}
        hooks = [
            {"url": f"{self.place.url}/{topic}{query}", "send_resolved": True, "http_config": credential}
            for topic, query in ((named, "?template=alertmanager"), (known, ""))
        ]
        slack, discord = self.hook("slack"), self.hook("discord")
        trusting = {"http_config": {"tls_config": {"ca_file": str(self.place.server.authority)}}}
        ways = {"webhook_configs": hooks}
        ways |= {"slack_configs": [{"api_url": slack[1], "channel": "#ops", **trusting}]}
        ways |= {"discord_configs": [{"webhook_url": discord[1], **trusting}]}
        route = {"receiver": "us", "group_wait": "0s", "group_interval": "1s", "group_by": ["alertname"]}
        settings.write_text(json.dumps({"route": route, "receivers": [{"name": "us", **ways}]}))
        # It looks for its templates where its package has them.
        words = ["unshare", "--mount", "bash", "-c", 'mount --bind "$0/usr/share" /usr/share && exec "$@"', LENT]
        words += [LENT / "usr/bin/prometheus-alertmanager", f"--config.file={settings}", "--cluster.listen-address="]
        words += [f"--storage.path={self.folder / 'alerts'}", f"--web.listen-address=127.0.0.1:{port}"]
        with self.started("alertmanager", words, port):
            labels = {"alertname": "DiskFull", "instance": "db1", "severity": "critical"}
            notes = {"summary": "90 % used", "description": "It is nearly full"}
            alert = json.dumps([{"labels": labels, "annotations": notes, "generatorURL": LINK}]).encode()
            asked = urllib.request.Request(
                f"http://127.0.0.1:{port}/api/v2/alerts", alert, {"Content-Type": "application/json"}
            )
            urllib.request.urlopen(asked, timeout=10).close()
            for topic in (named, known):
                told = dict(title=lambda text: "90 % used" in text)
                self.arrived(
                    topic, f"alertmanager sends to {'a template' if topic == named else 'a topic'}", 10, **told
                )
            firing = lambda text: "[FIRING:1] DiskFull" in text  # noqa: E731
            alerts = lambda link: "/#/alerts" in link  # noqa: E731
            told = dict(title="Alertmanager", message=firing, click=alerts)
            self.arrived(slack[0], "alertmanager sends to slack", 10, **told)
            told = dict(title=firing, message=lambda text: "90 % used" in text, content_type="text/markdown")
            self.arrived(discord[0], "alertmanager sends to discord", 10, **told)
            log = (self.folder / "alertmanager.log").read_text()
            self.judge("level=error" not in log and "level=warn" not in log, "alertmanager is content", log[-1000:])
