"""The machines of a cluster: servers of NATS, as deploy/ starts them, and nodes, each with clocks of its own."""

import asyncio
import os
import pathlib
import signal
import subprocess

from clients.signing import HOUR, Keyring
from kit.meddler import Meddler
from kit.process import send
from nodes.gates import Gate

# The first node has the right time of day, the others are ahead and behind, in seconds.
OFFSETS = [0, 420, -420]
# How long the machine of a node is up already, in days at most. Nodes start with clocks that nobody can set apart.
UP = 30
# Valid by the right time, and not by a clock that is some minutes off; the same of one that has expired.
SOON, LATEST, JUST = 120, 24 * HOUR - 120, -120


def yesterday(folder):
    """The environment of a command that runs a day ago."""
    folder.mkdir(mode=0o700, exist_ok=True)
    meddler = Meddler(folder)
    meddler.set(offset=-86_400)
    return meddler.environment(folder)


def set_apart(node, folder, random):
    """What the environment of this node says from now on."""
    folder.mkdir(mode=0o700, exist_ok=True)
    meddler = Meddler(folder)
    up = random.randrange(1, UP) * 86_400 + random.randrange(86_400)
    # The machine has been up for longer, which also moves the time of day; that is put right, but for some minutes.
    meddler.set(slept=up, offset=OFFSETS[node.number] - up)
    return meddler.environment(folder)


class EdgeKeyring(Keyring):
    """Some signatures are valid for a short while, or were until a moment ago, so that minutes matter."""

    def sign(self, one, fields, chance, may_be_wrong=True):
        self.is_edge = False
        signed = super().sign(one, fields, chance, may_be_wrong)
        return signed | {"edge": True} if self.is_edge else signed

    def field(self, one, wrong, chance):
        self.is_edge = wrong in (None, "expired") and chance.random() < 0.4
        if not self.is_edge:
            return super().field(one, wrong, chance)
        signer = one.signer or chance.choice(self.signers)
        lifetime = JUST if wrong else chance.choice([SOON, LATEST])
        return signer.field(self.audience, lifetime, False, self.note)


CHECKOUT = pathlib.Path(__file__).resolve().parents[4]
COUNT = 3
# Of one's own, beside those of deploy/cluster. Each of our node's ways to a server of NATS has a port, too.
NATS, NATS_CLUSTER, NATS_MONITORING, NODE, NODE_TLS, BALANCER, WAYS = 9220, 9230, 9240, 9250, 9260, 9270, 9300


class Machine:
    """A process that is started, killed and stopped."""

    def __init__(self, name, folder):
        self.name, self.folder = name, folder
        self.said = folder / f"{name}.log"
        self.process, self.is_frozen = None, False

    @property
    def is_up(self):
        return self.process is not None and self.process.returncode is None and not self.is_frozen

    async def begin(self):
        with self.said.open("ab") as said:
            self.process = await asyncio.create_subprocess_exec(
                *self.command(), stdout=said, stderr=said, env=self.environment(), start_new_session=True
            )

    def send(self, how):
        send(self.process, how)

    def freeze(self):
        self.is_frozen = True
        self.send(signal.SIGSTOP)

    def thaw(self):
        self.is_frozen = False
        self.send(signal.SIGCONT)

    async def end(self, how=signal.SIGKILL, within=15):
        """The exit code. Who does not end in time is killed."""
        self.send(how)
        self.thaw()
        try:
            return await asyncio.wait_for(self.process.wait(), within)
        except TimeoutError:
            self.send(signal.SIGKILL)
            await self.process.wait()
            return None


class NatsServer(Machine):
    def __init__(self, number, servers):
        super().__init__(f"nats{number}", servers.folder)
        self.servers, self.number = servers, number
        self.settings = servers.shell(f'nats_settings {number}; printf "%s\\0" "$nats_server"; env -0').split("\0")

    def command(self):
        return [self.settings[0], "--config", CHECKOUT / "deploy/nats/server.conf"]

    def environment(self):
        return dict(line.split("=", 1) for line in self.settings[1:] if "=" in line)


class NatsServers:
    """Made by deploy/lib/nats.sh, on ports of our own."""

    def __init__(self, folder):
        self.folder = folder
        # A day ago, so that they are valid for a node whose clock is behind.
        self.shell("make_nats_secrets", yesterday(folder / "secrets.clock"))
        self.password = (folder / "nats/password").read_text().strip()
        self.all = [NatsServer(number, self) for number in range(1, COUNT + 1)]

    def shell(self, commands, environment=()):
        script = (
            'set -euo pipefail; fail() { printf "%s\\n" "$@" >&2; exit 1; }; say() { :; }\n'
            f"source deploy/lib/nats.sh; folder=$1\n"
            f"NATS_PORT={NATS} NATS_CLUSTER_PORT={NATS_CLUSTER} NATS_MONITORING_PORT={NATS_MONITORING}\n"
            f"find_nats_server\n{commands}\n"
        )
        done = subprocess.run(
            ["bash", "-c", script, "cluster", self.folder],
            cwd=CHECKOUT,
            check=True,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **dict(environment)},
        )
        return done.stdout

    def are_ready(self):
        return (
            subprocess.run(
                [
                    "bash",
                    "-c",
                    "source deploy/lib/nats.sh; NATS_MONITORING_PORT=$1; nats_is_ready",
                    "cluster",
                    str(NATS_MONITORING),
                ],
                cwd=CHECKOUT,
            ).returncode
            == 0
        )

    async def begin(self):
        for server in self.all:
            await server.begin()
        for _ in range(300):
            if await asyncio.to_thread(self.are_ready):
                return
            await asyncio.sleep(0.1)
        raise SystemExit(f"torture: the servers of NATS find no leader: {self.folder}")


class Node(Machine):
    """A bellwire whose connections to NATS go through gates, which can be shut. Without servers it is alone. `keys` is
    where its master key is, if it does not share that of the others.
    """

    def __init__(self, number, program, folder, servers, files, is_gated=True, keys=None):
        super().__init__(f"node{number + 1}", folder)
        self.number, self.program, self.port, self.tls_port = number, program, NODE + number, NODE_TLS + number
        # How its clocks differ from those of this machine.
        self.state, self.clock = folder / self.name, {}
        self.gates = [Gate(WAYS + 10 * number + place, NATS + place) for place in range(COUNT if is_gated else 0)]
        ports = [gate.port for gate in self.gates] or range(NATS, NATS + COUNT)
        certificate, key = files
        keys = keys or folder / "keys"
        self.configuration = folder / f"{self.name}.conf"
        self.configuration.touch(mode=0o600)
        self.configuration.write_text(
            f"listen = http://127.0.0.1:{self.port}\nlisten = 127.0.0.1:{self.tls_port}\n"
            f"base-url = https://localhost:{BALANCER}\nregistration = open\n"
            f"tls-certificate = {certificate}\ntls-key = {key}\nstate = {self.state}\nkeys = {keys}\n"
            "callback-allow = 127.0.1.0/24\n"
        )
        if servers:
            ways = ", ".join(f"tls://bellwire:{servers.password}@127.0.0.1:{port}" for port in ports)
            with self.configuration.open("a") as file:
                file.write(f"store = {ways}\nstore-authorities = {folder / 'nats/ca.pem'}\nnode = {self.name}\n")

    def command(self):
        return [self.program, "serve", "--config", self.configuration]

    def environment(self):
        return {**os.environ, "SWIFT_BACKTRACE": "enable=no", "HOME": str(self.folder), **self.clock}

    def cut(self, is_reset):
        for gate in self.gates:
            gate.shut(is_reset)

    def join(self):
        for gate in self.gates:
            gate.open()

    async def health(self, patience=1.0):
        """The status of /health, or 0 if there is no answer."""
        try:
            async with asyncio.timeout(patience):
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
                try:
                    writer.write(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                    return int((await reader.readline()).split()[1])
                finally:
                    writer.transport.abort()
        except (OSError, TimeoutError, IndexError, ValueError):
            return 0

    async def is_healthy(self, within):
        loop = asyncio.get_running_loop()
        end = loop.time() + within
        while loop.time() < end and self.process.returncode is None:
            if await self.health() == 200:
                return True
            await asyncio.sleep(0.05)
        return False
