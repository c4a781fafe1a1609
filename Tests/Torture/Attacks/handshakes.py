"""Attacks before any HTTP, and a lack of file descriptors."""

import collections
import random
import socket
import ssl
import struct
import subprocess
import time

import wire
from crowd import Workers
from report import Attack
from target import Target
from wire import Client


def run(report, is_long):
    with Target() as target:
        if is_long:
            storm(report, target, 20)
        abandoned(report, target, 20_000 if is_long else 1_500)
        nonsense(report, target, 5_000 if is_long else 500)
        renegotiation(report, target)
        key_updates(report, target)
        small_records(report, target, 200 if is_long else 10)
    with Target(divisor=1, descriptors=64) as target:
        short_of_descriptors(report, target)


def client_hello():
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    connection = wire.CONTEXTS["http/1.1"].wrap_bio(incoming, outgoing)
    try:
        connection.do_handshake()
    except ssl.SSLWantReadError:
        pass
    return outgoing.read()


def storm(report, target, seconds):
    """As many ClientHellos as two processes can send, from another address than that of others."""
    hello = client_hello()

    def flood(_):
        end, peers = time.monotonic() + seconds, collections.deque()
        while time.monotonic() < end:
            peer = socket.socket()
            # The port is chosen at the connection, and free again at the reset.
            peer.setsockopt(socket.IPPROTO_IP, 24, 1)  # IP_BIND_ADDRESS_NO_PORT
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            peer.bind(("127.0.0.2", 0))
            try:
                peer.connect(("127.0.0.1", target.port))
                peer.send(hello)
            except OSError:
                pass
            peers.append(peer)
            if len(peers) > 500:
                peers.popleft().close()

    done = f"ClientHellos from one address for {seconds} s"
    with Attack(report, target, "handshake storm", done, p99=10) as attack:
        workers = Workers(2, flood)
        attack.exactly("the attack ends", workers.done(seconds + 60), True)
        workers.let_go()


def abandoned(report, target, count):
    """Half of them read the server's answer first, so its most expensive work was wasted."""
    hello = client_hello()

    def flood(_):
        for index in range(count // 2):
            client = Client(target.port)
            client.send(hello)
            if index % 2:
                client.receive()
            client.close()

    done = f"{count} ClientHellos, each abandoned"
    with Attack(report, target, "handshake flood", done) as attack:
        workers = Workers(2, flood)
        attack.exactly("all ClientHellos were sent", workers.done(120), True)
        workers.let_go()
        attack.at_most("CPU for each", attack.cpu() / count * 1e3, 1, "ms")


def nonsense(report, target, count):
    source = random.Random(1)
    with Attack(report, target, "no ClientHello", f"{count} connections of random bytes") as attack:
        longest = 0
        for index in range(count):
            client = Client(target.port)
            start = time.monotonic()
            record = b"\x16\x03\x01\x02\x00" if index % 2 else b""
            client.send(record + source.randbytes(600))
            client.read_all()
            longest = max(longest, time.monotonic() - start)
            client.close()
        attack.at_most("each is ended within", longest, target.limits.handshake + 0.5, "s")


def renegotiation(report, target):
    with Attack(report, target, "renegotiation", "asked for in TLS 1.2") as attack:
        process = subprocess.run(
            ["openssl", "s_client", "-tls1_2", "-connect", f"127.0.0.1:{target.port}"],
            input=b"R\n",
            capture_output=True,
            timeout=20,
        )
        output = process.stdout + process.stderr
        attack.exactly("was tried", b"RENEGOTIATING" in output, True)
        attack.exactly("refused", b"no renegotiation" in output, True)
    with Attack(report, target, "old versions", "TLS 1.0 and 1.1") as attack:
        for version in ("-tls1", "-tls1_1"):
            process = subprocess.run(
                ["openssl", "s_client", version, "-cipher", "ALL:@SECLEVEL=0", "-connect", f"127.0.0.1:{target.port}"],
                input=b"",
                capture_output=True,
                timeout=20,
            )
            attack.exactly(f"{version[1:]} fails", process.returncode != 0, True)


def key_updates(report, target):
    """OpenSSL's client changes its keys for each line that begins with k."""
    with Attack(report, target, "key updates", "one after the other in TLS 1.3") as attack:
        process = subprocess.Popen(
            ["openssl", "s_client", "-tls1_3", "-connect", f"127.0.0.1:{target.port}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        sent = 0
        try:
            while sent < 2_000 and process.poll() is None:
                process.stdin.write(b"k\n")
                process.stdin.flush()
                sent += 1
                time.sleep(0.002)
        except BrokenPipeError:
            pass
        attack.exactly("the connection is cut", process.poll() is not None, True)
        attack.bound("the cut comes after more updates than a client needs", str(sent), sent > 32)
        process.kill()
        process.wait()


def small_records(report, target, count):
    """Bodies in records of one byte each: much work for little data."""
    body = b"x" * 5_000
    with Attack(report, target, "records of one byte", f"{count} bodies of 5,000") as attack:
        client = Client(target.port, "http/1.1")
        answered = 0
        for _ in range(count):
            client.send(b"POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5000\r\n\r\n")
            for _ in body:
                client.send(b"x")
            answered += client.ask(b"") == 200
        attack.exactly("answered", answered, count)
        attack.at_most("CPU for each record", attack.cpu() / count / 5_000 * 1e6, 50, "us")
        client.close()


def short_of_descriptors(report, target):
    """Connected clients are served, new ones wait, and no loop spins."""
    with Attack(
        report, target, "no more descriptors", "200 connections, where 64 may be open", is_watched=False
    ) as attack:
        early = Client(target.port, "http/1.1")
        crowd = [Client(target.port, timeout=0.1) for _ in range(200)]
        time.sleep(0.5)
        attack.bound("all descriptors are in use", str(target.descriptors()), target.descriptors() >= 63)
        before = target.cpu()
        time.sleep(2)
        attack.at_most("CPU in 2 s", target.cpu() - before, 0.1, "s")
        attack.exactly("a client from before is answered", early.ask(), 200)
        for client in crowd:
            client.close()
        start = time.monotonic()
        late = Client(target.port, "http/1.1")
        attack.exactly("a new client is answered", late.ask(), 200)
        attack.at_most("the new client waits for", time.monotonic() - start, 1, "s")
        early.close()
        late.close()
