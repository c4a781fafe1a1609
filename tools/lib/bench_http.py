"""CPU time for each request of our server and of nginx: same certificate, same load program, in turn.

usage: bench_http.py PATH_OF_BENCH [--rounds N]

The server has one core, the load another; loopback only. A ratio above 1 means that nginx takes more.
"""

import argparse
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

NGINX = """
worker_processes 1;
worker_rlimit_nofile 20000;
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/nginx.err warn;
events {{ worker_connections 16384; }}
http {{
  access_log off;
  keepalive_requests 1000000000;
  keepalive_timeout 300s;
  client_body_temp_path {folder}/client;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  ssl_certificate {folder}/certificate.pem;
  ssl_certificate_key {folder}/key.pem;
  ssl_protocols TLSv1.3;
  server {{
    listen 127.0.0.1:{port} ssl http2 backlog=4096 reuseport;
    location = /push {{
      add_header Location https://localhost/m/0123456789abcdef012345;
      add_header TTL 60;
      return 201;
    }}
  }}
}}
"""

# Name, options of h2load, requests, and the ratio to reach.
LOADS = [
    ("HTTP/1.1, 64 connections", ["--h1", "-c", "64"], 200_000, 1.0),
    ("HTTP/2, 64 connections, 16 streams", ["-c", "64", "-m", "16"], 400_000, 2.0),
    ("HTTP/2, 64 connections, 1 stream", ["-c", "64", "-m", "1"], 100_000, 1.0),
    ("new connection and one request", ["--h1", "-c", "2000"], 2_000, 1.0),
]


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def child_of(pid):
    return int(subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=True).stdout.split()[0])


class Servers:
    """Both servers on the first core; they end with the block."""

    def __init__(self, bench, folder):
        self.bench, self.folder, self.started = bench, folder, []

    def __enter__(self):
        subprocess.run(
            [
                *"openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes".split(),
                *"-days 30 -subj /CN=localhost -keyout".split(),
                f"{self.folder}/key.pem",
                "-out",
                f"{self.folder}/certificate.pem",
            ],
            check=True,
            capture_output=True,
        )
        configuration = self.folder / "nginx.conf"
        configuration.write_text(NGINX.format(folder=self.folder, port=18443))
        nginx = self.start(["/usr/sbin/nginx", "-c", str(configuration)])
        ours = self.start(
            [
                self.bench,
                "serve",
                "--port",
                "18444",
                "--certificate",
                f"{self.folder}/certificate.pem",
                "--key",
                f"{self.folder}/key.pem",
            ]
        )
        time.sleep(1)
        for process in self.started:
            if process.poll() is not None:
                sys.exit("bench: a server did not start")
        return {"nginx": (18443, child_of(nginx.pid)), "ours": (18444, ours.pid)}

    def start(self, command):
        process = subprocess.Popen(["taskset", "-c", "0", *command], stdout=subprocess.DEVNULL)
        self.started.append(process)
        return process

    def __exit__(self, *_):
        for process in self.started:
            process.send_signal(signal.SIGTERM)
            process.wait(10)


def measure(server, options, count, body):
    """Microseconds of the server's CPU time for each request."""
    port, pid = server
    before = cpu_seconds(pid)
    output = subprocess.run(
        [
            *"taskset -c 1 h2load -n".split(),
            str(count),
            "-d",
            str(body),
            "-H",
            "TTL: 60",
            "-H",
            "Content-Encoding: aes128gcm",
            "-H",
            f"Authorization: vapid t={'a' * 230}, k={'b' * 87}",
            *options,
            f"https://127.0.0.1:{port}/push",
        ],
        capture_output=True,
        text=True,
        timeout=300,
    ).stdout
    answered = re.search(r"(\d+) 2xx", output)
    if not answered or int(answered[1]) != count:
        sys.exit(f"bench: {count} requests were sent, but:\n{output}")
    return (cpu_seconds(pid) - before) / count * 1e6


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bench")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    missed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        body = folder / "payload"
        body.write_bytes(os.urandom(200))
        with Servers(arguments.bench, folder) as servers:
            for label, options, count, bar in LOADS:
                times = {"nginx": [], "ours": []}
                for _ in range(arguments.rounds):
                    for server, values in times.items():
                        values.append(measure(servers[server], options, count, body))
                ratios = [a / b for a, b in zip(times["nginx"], times["ours"])]
                ratio = statistics.median(ratios)
                missed += ratio < bar
                print(
                    f"{'pass' if ratio >= bar else 'MISS'}  {label:36}"
                    f" nginx {statistics.median(times['nginx']):7.2f} us"
                    f"  ours {statistics.median(times['ours']):7.2f} us"
                    f"  ratio {ratio:.2f} ({min(ratios):.2f}-{max(ratios):.2f}), bar {bar}",
                    flush=True,
                )
        memory = pathlib.Path(__file__).with_name("bench_memory.py")
        missed += subprocess.run([sys.executable, memory, arguments.bench, folder]).returncode
    return 1 if missed else 0


sys.exit(main())
