"""A year in minutes: each half second the machine has slept for a day. Pushes, callbacks, reminders, expiry, backups,
new certificates, new master keys and the desktop of a session go on, and nothing grows, is missed, or keeps the
processor awake.

usage: year.py PATH_OF_BELLWIRE [DAYS]
"""

import asyncio
import calendar
import json
import os
import pathlib
import ssl
import subprocess
import sys
import tempfile
import time

sys.path.append(__file__.rsplit("/", 3)[0])
sys.path += [f"{sys.path[-1]}/Torture/Promise"]

from clients.sender import Client
from desk import Desk, Relay, usage
from kit import agent, control
from kit.checks import Checks, checked
from kit.coding import path_of
from kit.meddler import Meddler
from kit.server import Server
from kit.webserver import Handler, Listening

BELLWIRE = os.path.abspath(sys.argv[1])
DAYS = int(sys.argv[2]) if len(sys.argv) > 2 else 365
DAY, SECONDS = 86_400, 0.5
# As certbot does it: 90 days, renewed a month before the end.
LIFETIME, RENEWAL = 90, 60
ROTATION = 30
BACKUPS = 7
EXPIRES = 30
# The user agent comes every third day. The pushes of two days in three are there for longer than that.
VISIT, SHORT, LONG = 3, 1, 10
# A quiet day: what the timers of one day may cost.
WAKES, CPU = 600, 0.05
DESKTOP_WAKES = 60
GROWTH = 1.15
check = Checks("year")


class Receiver:
    """The program behind a callback: it consents, and counts what comes."""

    def __init__(self):
        self.events, receiver = [], self

        class Callback(Handler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = json.loads(self.body())
                receiver.events.append((self.headers["webhook-id"], body["type"], body["data"]["account"]))
                self.consent()

        self.url = Listening(Callback).url

    def count(self, kind, account):
        return len({name for name, type_, of in [*self.events] if (type_, of) == (kind, account)})


class Service(Server):
    def __init__(self, folder, *options):
        self.meddler = Meddler(folder)
        own = ["--listen", "http://127.0.0.1:0"]
        own += ["--tls-certificate", folder / "chain.pem", "--tls-key", folder / "key.pem"]
        environment = self.meddler.environment(folder / "state") | {"HOME": str(folder), "TZ": "UTC"}
        super().__init__(BELLWIRE, folder, *own, *options, is_secure=True, environment=environment)
        self.day, self.began = 0, time.time()
        (folder / "backups").mkdir(mode=0o700)
        self.renew()

    def sleep_a_day(self):
        self.day += 1
        self.meddler.set(slept=self.day * DAY)

    @property
    def now(self):
        return time.time() + self.day * DAY

    def certify(self, *words, days):
        """A new key and a certificate that begins today. Its name is that of the key."""
        begins = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(self.now - 3_600))
        command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes".split()
        subprocess.run(
            ["faketime", begins, *command, "-days", str(days), *words],
            check=True,
            capture_output=True,
            env=os.environ | {"TZ": "UTC"},
        )

    def renew(self):
        """Another certificate for the server, by an authority that outlasts all of them."""
        authority, own = self.folder / "ca.pem", self.folder / "ca-key.pem"
        if not authority.exists():
            self.certify("-subj", "/CN=year", "-keyout", own, "-out", authority, days=3_650)
        made = [self.folder / "next-key.pem", self.folder / "next.pem"]
        name = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
        use = ["-addext", "basicConstraints=critical,CA:false", "-CA", authority, "-CAkey", own]
        self.certify(*name, *use, "-keyout", made[0], "-out", made[1], days=LIFETIME)
        made[0].replace(self.folder / "key.pem")
        made[1].replace(self.folder / "chain.pem")

    def start(self):
        super().start()
        self.tls = self.port
        self.plain = self.other_port()
        return self

    async def call(self, *words):
        return await asyncio.to_thread(
            subprocess.run,
            [BELLWIRE, *words, "--state", self.state],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=60,
        )

    async def control(self, method, path, body=None):
        return await control.asked(self.socket, method, path, body)

    def usage(self):
        return usage(self.process, sum(file.stat().st_size for file in self.state.glob("bellwire.db*")))

    async def certificate_ends(self):
        """When the certificate ends that a client is given."""

        def asked():
            text = ssl.get_server_certificate(("127.0.0.1", self.tls))
            seen = subprocess.run(
                ["openssl", "x509", "-noout", "-enddate"], input=text, capture_output=True, text=True, check=True
            ).stdout
            return calendar.timegm(time.strptime(seen.strip().removeprefix("notAfter="), "%b %d %H:%M:%S %Y %Z"))

        return await asyncio.to_thread(asked)


async def register(service, url, account):
    body = {"token_type": 10, "app": "plain", "account": account, "callback": url, "expires": EXPIRES * DAY}
    status, answer = await service.control("POST", "registrations", body)
    check(status == 201, f"{account} is registered", str(answer))
    return answer


async def push(client, path, text, days):
    status, answer = await client.ask(
        "POST", path, [("TTL", days * DAY), ("Content-Encoding", "aes128gcm")], text.encode()
    )
    return status


class Year:
    def __init__(self, service, desk):
        self.service, self.desk, self.receiver = service, desk, Receiver()
        self.waiting = []
        self.quiet, self.seen = {"server": [], "desktop": []}, {"server": [], "desktop": []}

    async def begin(self):
        service = self.service
        url = self.receiver.url
        self.client = Client(service.plain)
        # One whose application reads it every week, and one that is forgotten.
        self.kept = await register(service, url, "kept")
        self.forgotten = await register(service, url, "forgotten")
        self.forgotten_path = path_of(self.forgotten["endpoint"])
        self.agent = agent.Visitor(f"http://127.0.0.1:{service.plain}/", hello={"use_webpush": True})
        await self.agent.visit(lambda _: True)
        for account in ("kept", "forgotten"):
            await check.eventually(
                lambda account=account: self.receiver.count("registration.created", account), "created"
            )
        await self.desk.begin(service)

    def usages(self):
        return {"server": self.service.usage(), "desktop": self.desk.usage()}

    async def run(self):
        await self.begin()
        for day in range(1, DAYS + 1):
            began = time.monotonic()
            await self.desk.fall_asleep(is_cut_off=day % VISIT == 1)
            self.service.sleep_a_day()
            self.desk.wake_up()
            await asyncio.gather(self.pass_day(day), self.desk.pass_day(day, is_read=day % VISIT == 0))
            before, at = self.usages(), time.monotonic()
            await asyncio.sleep(max(0.2, began + SECONDS - at))
            for name, after in self.usages().items():
                self.quiet[name].append([after[what] - before[name][what] for what in ("wakes", "cpu")])
                self.seen[name].append(after)
        await self.judge()

    async def pass_day(self, day):
        service = self.service
        lifetime = LONG if day % VISIT else SHORT
        check(await push(self.client, self.agent.path, str(day), lifetime) == 201, "a push is accepted")
        self.waiting.append((day, day + lifetime))
        status = await push(self.client, self.forgotten_path, "not for us", 1)
        # Its last sign of life was on the first day.
        check(status == (201 if day < EXPIRES else 410), f"the forgotten registration on day {day}", str(status))
        if day % VISIT == VISIT - 1:
            # A push lives for its days and no longer; what comes on the last day may come or not.
            due = {number for number, end in self.waiting if end > day}
            taken = await self.agent.visit(lambda taken: due <= set(taken))
            check(set(taken) == due and taken == sorted(taken), f"day {day}: {sorted(due)} wait", str(taken))
            self.waiting = []
        if day % 7 == 0:
            status, _ = await service.control("GET", f"registrations/{self.kept['id']}")
            check(status == 200, "the kept registration is there", str(status))
            status, _ = await service.control("GET", f"registrations/{self.desk.account}")
            check(status == 200, "the registration of the desktop is there", str(status))
        if day % ROTATION == 0:
            rotated = await service.call("keys", "rotate-master")
            check(rotated.returncode == 0, "a new master key", rotated.stderr)
        backups = service.folder / "backups"
        copied = await service.call("backup", "--keep", str(BACKUPS), "--without-keys", backups)
        check(copied.returncode == 0, f"the backup of day {day}", copied.stderr)
        check(len(os.listdir(backups)) == min(day, BACKUPS), "the newest backups are kept", str(os.listdir(backups)))
        if day % RENEWAL == 0:
            await asyncio.to_thread(service.renew)
        check(await service.certificate_ends() > service.now, f"day {day}: the certificate is valid")
        # The reminder of each day, for each that is there.
        await check.eventually(
            lambda: self.receiver.count("registration.refresh", "kept") >= day,
            f"day {day}: the reminder of the day, after {self.receiver.count('registration.refresh', 'kept')}",
        )

    async def judge(self):
        receiver, service = self.receiver, self.service
        reminders = receiver.count("registration.refresh", "kept")
        check(reminders <= DAYS + 2, f"{reminders} reminders in {DAYS} days")
        if DAYS > EXPIRES:
            for kind in ("registration.expiring", "registration.expired"):
                check(receiver.count(kind, "forgotten") == 1, f"{kind} is sent once", str(receiver.events[-5:]))
                check(receiver.count(kind, "kept") == 0, f"{kind} is not sent for the other one")
        await self.desk.judge(DAYS)
        told = [self.stays_small("server", WAKES), self.stays_small("desktop", DESKTOP_WAKES)]
        bad = [line for line in service.said().splitlines() if "expire" in line or line.startswith(("<3>", "<2>"))]
        check(not bad, "the log has no error", "\n".join(bad))
        print(f"year: {DAYS} days, {check.passed} checks", *told, sep="; ")

    def stays_small(self, who, most):
        """What its quiet days cost, in words."""
        wakes, cpu = (sorted(values)[len(values) * 9 // 10] for values in zip(*self.quiet[who]))
        check(wakes <= most and cpu <= CPU, f"{who}: a quiet day takes {wakes} wake-ups and {cpu:.3f} s of CPU")
        first, last = self.seen[who][len(self.seen[who]) // 3], self.seen[who][-1]
        for name in first.keys() - {"wakes", "cpu"}:
            check(last[name] <= first[name] * GROWTH + 2, f"{who}: {name}: {first[name]} became {last[name]}")
        return (
            f"{who}: a quiet day takes {wakes} wake-ups and {cpu * 1000:.0f} ms of CPU; "
            f"{last['resident'] >> 20} MiB resident, {last['stored'] >> 10} KiB stored"
        )


async def main():
    with tempfile.TemporaryDirectory() as name:
        relay = Relay()
        await relay.begin()
        service = Service(pathlib.Path(name), "--alias", f"https://localhost:{relay.port}").start()
        relay.target = service.tls
        desk = Desk(BELLWIRE, relay, check)
        try:
            await Year(service, desk).run()
            desk.end()
        except BaseException:
            service.kill()
            print(service.said()[-3000:], desk.said()[-3000:], sep="\n", file=sys.stderr)
            raise
        finally:
            desk.close()
            relay.end()
            # Its connections notice it.
            await asyncio.sleep(0.1)
        service.stop()


checked(main)
