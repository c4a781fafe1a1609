"""The servers that are measured: ours as it is shipped, nginx with nchan, and mosquitto."""

import pathlib
import re
import signal
import socket
import subprocess
import sys
import time

from kit import control
from kit.process import Watched

# The body is read before the answer, as a push service has to: a mirror is the only way without an upstream.
NGINX = """
worker_processes 1;
worker_rlimit_nofile 19900;
daemon off;
pid {folder}/{service}.pid;
error_log {folder}/{service}.err warn;
load_module /usr/lib/nginx/modules/ngx_nchan_module.so;
events {{ worker_connections 16384; }}
http {{
  access_log off;
  client_body_buffer_size 16k;
  keepalive_requests 1000000000;
  keepalive_timeout 300s;
  client_body_temp_path {folder}/client;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  nchan_shared_memory_size 512M;
  ssl_certificate {folder}/chain.pem;
  ssl_certificate_key {folder}/key.pem;
  ssl_protocols TLSv1.3;
  server {{
    listen 127.0.0.1:{port} ssl http2 backlog=4096 reuseport;
    location /wpush/ {{
      mirror /nothing;
      mirror_request_body on;
      try_files /nothing @created;
    }}
    location = /nothing {{
      internal;
      return 204;
    }}
    location @created {{
      add_header Location https://localhost/m/0123456789abcdef012345;
      add_header TTL 60;
      return 201;
    }}
    location ~ ^/pub/(\\w+)$ {{
      nchan_publisher;
      nchan_channel_id $1;
      nchan_message_buffer_length 20;
      nchan_message_timeout 1h;
    }}
    location ~ ^/sub/(\\w+)$ {{
      nchan_subscriber websocket;
      nchan_channel_id $1;
      nchan_subscriber_first_message newest;
      nchan_websocket_ping_interval 0;
    }}
  }}
}}
"""

MOSQUITTO = """
listener {port} 127.0.0.1
certfile {folder}/chain.pem
keyfile {folder}/key.pem
tls_version tlsv1.3
allow_anonymous true
persistence false
max_queued_messages 10000
max_inflight_messages 1000
set_tcp_nodelay true
user root
log_type error
"""


class Server(Watched):
    """A process that ends with the block."""

    def __init__(self, place, command, log, cores=None, **options):
        self.place = place
        words = ["taskset", "-c", cores or place.server_core, *map(str, command)]
        with open(log, "ab") as file:
            self.process = subprocess.Popen(words, stderr=file, **{"stdout": file} | options)
        self.pid, self.log = self.process.pid, log

    def wait_until_open(self):
        for _ in range(100):
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return
            except OSError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.1)
        self.end()
        sys.exit(f"bench: {self.service} did not start:\n{self.log.read_text()}")

    @property
    def proc(self):
        return pathlib.Path(f"/proc/{self.pid}")

    def figure(self, name):
        """A figure of the kernel in KiB, such as VmRSS or VmHWM."""
        return int(re.search(rf"{name}:\s+(\d+)", (self.proc / "status").read_text())[1])

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(30)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()


class Nginx(Server):
    """Accepts pushes and forgets them."""

    port, service = 18543, "nginx"

    def __init__(self, place):
        path = place.folder / f"{self.service}.conf"
        path.write_text(NGINX.format(folder=place.folder, port=self.port, service=self.service))
        super().__init__(place, ["/usr/sbin/nginx", "-c", path], place.folder / f"{self.service}.log")
        self.wait_until_open()
        # The worker, not the master, which listens before it has one.
        children = pathlib.Path(f"/proc/{self.pid}/task/{self.pid}/children")
        while not (workers := children.read_text().split()):
            time.sleep(0.01)
        self.pid = int(workers[0])


class Nchan(Nginx):
    """Hands messages to subscribers, by a WebSocket."""

    port, service = 18544, "nchan"


class Mosquitto(Server):
    port, service = 18883, "mosquitto"

    def __init__(self, place):
        path = place.folder / "mosquitto.conf"
        path.write_text(MOSQUITTO.format(folder=place.folder, port=self.port))
        super().__init__(place, ["/usr/sbin/mosquitto", "-c", path], place.folder / "mosquitto.log")
        self.wait_until_open()


class Bellwire(Server):
    """`bellwire serve` for devices with a credential. It has one loop for each of its cores.

    `clients`: for how many of them devices are added; one owner may have 500.
    """

    port, service = 18555, "bellwire"

    def __init__(self, place, clients=0, cores=None, state=None, keys=None, port=None, options=(), prefix=(), more=()):
        self.port = port or self.port
        self.state = state or place.new("state")
        self.keys = keys or place.new("keys")
        # Keeps it from reading this machine's configuration.
        (place.folder / "none.conf").write_text("")
        command = [
            *(*prefix, place.bellwire, "serve", "--config", place.folder / "none.conf"),
            *(options or self.with_tls(place)),
            *("--state", self.state, "--keys", self.keys, "--registration", "token", *more),
        ]
        log = place.folder / "bellwire.log"
        start = time.monotonic()
        super().__init__(place, command, log, cores, stdout=subprocess.PIPE, text=True)
        self.ready = self.process.stdout.readline()
        self.start_seconds = time.monotonic() - start
        if not self.ready.startswith("bellwire: ready"):
            sys.exit(f"bench: bellwire did not start:\n{log.read_text()}")
        self.agents = None
        self.bearers = place.new("bearers")
        self.bearers.write_text("\n".join(self.add_device(f"owner{n}") for n in range(-(-clients // 500))))

    def with_tls(self, place):
        return (
            *("--listen", f"127.0.0.1:{self.port}", "--base-url", f"https://localhost:{self.port}"),
            *("--tls-certificate", place.certificate, "--tls-key", place.key),
        )

    def add_device(self, owner):
        return control.ask(self.state / "control.sock", "POST", "devices", {"name": owner, "owner": owner})["bearer"]

    def register(self, count):
        """The file that names this many clients that are away now."""
        agents = self.place.new("agents")
        self.place.load(self, 1, mode="register", subscribers=count, bearers=self.bearers, agents=agents)
        return agents

    def commits(self):
        """How many transactions the database has committed, modulo 2^32: the counter in the head of the index of its
        write-ahead log (https://www.sqlite.org/walformat.html, section 2.1)."""
        with open(self.state / "bellwire.db-shm", "rb") as file:
            return int.from_bytes(file.read(12)[8:], "little")
