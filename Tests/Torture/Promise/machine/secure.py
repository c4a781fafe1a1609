"""A server with TLS and a configuration that changes, and the many ways to it."""

import asyncio
import signal
import ssl

from clients.authority import Authority
from clients.http2 import Http2Client
from clients.proxy import Proxy
from clients.sender import Client
from clients.world import Route
from machine.server import Server, free_port


class SecureServer(Server):
    """Listens with and without TLS, as a file says that is read again when it changes."""

    def __init__(self, folder, log, state=None, is_meddled=False):
        super().__init__(folder, log, state, is_meddled)
        self.tls_port, self.metrics_port, self.authority = free_port(), free_port(), Authority(folder)
        self.certificate, self.key = self.authority.certify("127.0.0.1", "server")
        self.configuration = folder / "bellwire.conf"
        self.configure()

    @property
    def origin(self):
        return f"https://localhost:{self.tls_port}"

    def configure(self, **changes):
        """Writes the file anew. An underscore of a name stands for a hyphen."""
        settings = {
            "tls_certificate": self.certificate,
            "tls_key": self.key,
            "state": self.state,
            "keys": self.folder / "keys",
            "registration": "open",
            "callback_allow": "127.0.1.0/24",
            "callback_authorities": self.authority.path,
            "metrics_listen": f"http://127.0.0.1:{self.metrics_port}",
            **changes,
        }
        lines = [f"listen = http://127.0.0.1:{self.port}", f"listen = 127.0.0.1:{self.tls_port}"]
        lines += [f"{name.replace('_', '-')} = {value}" for name, value in settings.items()]
        draft = self.configuration.with_suffix(".new")
        draft.write_text("\n".join(lines) + "\n")
        draft.replace(self.configuration)

    def command(self):
        return [self.program, "serve", "--config", str(self.configuration)]

    async def reload(self, within=20):
        """Whether it has read its configuration again in time."""
        path = self.folder / "output"
        with open(path, "rb") as said:
            said.seek(path.stat().st_size)
            self.process.send_signal(signal.SIGHUP)
            text = b""
            for _ in range(int(within / 0.02)):
                await asyncio.sleep(0.02)
                text += said.read()
                if b"event=configuration-read" in text:
                    return True
        return False

    async def served(self):
        """The certificate that a client gets."""
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", self.tls_port, ssl=self.authority.trusted(), server_hostname="localhost"
        )
        found = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
        writer.transport.abort()
        return ssl.DER_cert_to_PEM_cert(found)


class Ways:
    """A network: with and without TLS, HTTP/1.1 and HTTP/2, directly and through faulty proxies."""

    # How many senders share a connection, and how many of all connections are faulty.
    SHARED, FAULTY = 4, 0.25

    def __init__(self, server):
        self.server = server
        self.tls, self.http2 = server.authority.trusted("http/1.1"), server.authority.trusted("h2")

    async def begin(self, world):
        self.proxies = {port: await Proxy(world, port).begin() for port in (self.server.port, self.server.tls_port)}
        self.shared = {
            is_faulty: [
                Http2Client(self.port(True, is_faulty), self.http2, world.branch(), is_faulty) for _ in range(2)
            ]
            for is_faulty in (False, True)
        }
        world.network = self

    def port(self, is_secure, is_faulty):
        port = self.server.tls_port if is_secure else self.server.port
        return self.proxies[port].port if is_faulty else port

    def to_agents(self, chance, is_calm):
        is_secure, is_faulty = chance.random() < 0.6, not is_calm and chance.random() < self.FAULTY
        return Route(self.port(is_secure, is_faulty), self.tls if is_secure else None, is_faulty)

    def client(self, chance):
        dice, is_faulty = chance.random(), chance.random() < self.FAULTY
        if dice < 0.45:
            return chance.choice(self.shared[is_faulty])
        is_secure = dice < 0.75
        return Client(self.port(is_secure, is_faulty), self.tls if is_secure else None, is_faulty)
