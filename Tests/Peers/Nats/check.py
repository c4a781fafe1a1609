"""deploy/cluster --servers, deploy/nats/server.conf and deploy/nats/permissions.conf: the nats-server that they start,
asked by the NATS client for Python for everything that a node does, and for what it must not do.

usage: check.py      nothing else may use the ports of deploy/cluster: run it under tools/lib/alone
"""

import asyncio
import json
import logging
import pathlib
import re
import signal
import ssl
import subprocess
import sys
import tempfile
import time

sys.path.append(__file__.rsplit("/", 3)[0])

import nats
from kit.checks import Checks, checked

CHECKOUT = pathlib.Path(__file__).resolve().parents[3]
SERVERS = [f"tls://127.0.0.1:{port}" for port in (4222, 4223, 4224)]
STREAMS = {"BW_LOG": "bw.log", "BW_CLUSTER": "bw.cluster.>", "BW_SNAPSHOT": "bw.snapshot.>"}
check = Checks("nats")

REFUSED_REQUESTS = [
    *("STREAM.DELETE.BW_LOG", "STREAM.UPDATE.BW_LOG", "STREAM.NAMES", "STREAM.LIST", "STREAM.SNAPSHOT.BW_LOG"),
    *("STREAM.RESTORE.BW_LOG", "STREAM.MSG.GET.BW_LOG", "STREAM.MSG.DELETE.BW_LOG", "STREAM.LEADER.STEPDOWN.BW_LOG"),
    *("META.LEADER.STEPDOWN", "ACCOUNT.PURGE.BELLWIRE", "INFO", "DIRECT.GET.BW_LOG.bw.log"),
    *(
        "CONSUMER.CREATE.BW_LOG",
        "CONSUMER.CREATE.BW_LOG.a.b",
        "CONSUMER.DURABLE.CREATE.BW_LOG.a",
        "CONSUMER.LIST.BW_LOG",
    ),
]
REFUSED_SUBJECTS = [
    *("bw.file", "bw.file.a.b"),
    *("other", "bw.other", "bw.log.a", "bw.told.log", "$KV.a.b", "_INBOX.a", "$SYS.REQ.ACCOUNT.BELLWIRE.INFO"),
    *("$SYS.REQ.SERVER.PING", "$SYS.REQ.SERVER.PING.JSZ", "$SYS.REQ.SERVER.NATS.RELOAD", "$SYS.REQ.ACCOUNT.PING.CONNZ"),
]
REFUSED_INTEREST = [">", "bw.>", "bw.log", "bw.cluster.>", "other", "$JS.>", "$SYS.>", "$JS.EVENT.>"]


class Cluster:
    """What deploy/cluster --servers starts. Leaves nothing running."""

    def __init__(self, folder):
        self.folder = folder
        self.said = folder / "said"

    def __enter__(self):
        command = [CHECKOUT / "deploy/cluster", "--servers", "--keep", self.folder / "kept"]
        with self.said.open("wb") as said:
            # A shell in the background hands on that Control-C is ignored; a terminal does not.
            self.process = subprocess.Popen(
                command,
                stdout=said,
                stderr=said,
                start_new_session=True,
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
            )
        try:
            self.wait_for("it is ready", lambda: "Control-C" in self.said.read_text())
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        self.result = self.process.wait(60)

    def wait_for(self, what, is_so, seconds=60):
        end = time.monotonic() + seconds
        while not is_so() and self.process.poll() is None and time.monotonic() < end:
            time.sleep(0.1)
        check(is_so(), f"{what}: {self.said.read_text()}")

    def number(self, name):
        return int(re.findall(rf"{name}(?:: process| runs again as process) (\d+)", self.said.read_text())[-1])

    @property
    def password(self):
        return (self.folder / "kept/nats/password").read_text().strip()

    @property
    def context(self):
        return ssl.create_default_context(cafile=self.folder / "kept/nats/ca.pem")


class Node:
    """Signed in as a node is."""

    def __init__(self, cluster):
        self.cluster, self.errors = cluster, []

    async def connect(self, servers=SERVERS, **other):
        async def note(error):
            self.errors.append(str(error))

        options = {"user": "bellwire", "password": self.cluster.password, "tls": self.cluster.context} | other
        self.bus = await nats.connect(servers, error_cb=note, connect_timeout=3, **options)
        return self

    async def ask(self, subject, body=None, timeout=5, **headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        given = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        answer = await self.bus.request(subject, given, timeout=timeout, headers=headers or None)
        return json.loads(answer.data)

    async def api(self, subject, body=None):
        answer = await self.ask("$JS.API." + subject, body)
        check("error" not in answer, f"{subject}: {answer.get('error')}")
        return answer

    async def answers(self, subject, body, count):
        inbox = self.bus.new_inbox()
        heard = await self.bus.subscribe(inbox)
        await self.bus.publish(subject, json.dumps(body).encode(), reply=inbox)
        found = [await heard.next_msg(timeout=5) for _ in range(count)]
        await heard.unsubscribe()
        return found

    async def is_refused(self, act):
        self.errors.clear()
        await act()
        await self.bus.flush()
        for _ in range(20):
            if any("permissions violation" in error for error in self.errors):
                return True
            await asyncio.sleep(0.05)
        return False


def settings(name, subject):
    """As Sources/Cluster/Nats/JetStreamRequests.swift writes them."""
    made = {"name": name, "subjects": [subject], "num_replicas": 3, "storage": "file", "discard": "new"}
    made |= {"retention": "limits", "allow_direct": True, "duplicate_window": 120_000_000_000}
    match name:
        case "BW_LOG":
            made |= {"allow_atomic": True, "republish": {"src": "bw.log", "dest": "bw.told.log"}}
        case "BW_CLUSTER":
            made |= {"allow_msg_ttl": True, "max_msgs_per_subject": 1}
        case _:
            made |= {"max_msgs_per_subject": 1}
    return made


async def allowed(node):
    for name, subject in STREAMS.items():
        made = await node.api(f"STREAM.CREATE.{name}", settings(name, subject))
        check(len(made["cluster"]["replicas"]) == 2, f"{name} has a leader and two others")
    await log(node)
    await record(node)
    await snapshot(node)
    alive = await node.bus.subscribe("bw.alive.*")
    await node.bus.publish("bw.alive.61")
    check((await alive.next_msg(timeout=5)).subject == "bw.alive.61", "a sign of life is heard")
    passed = await node.bus.subscribe("bw.now")
    await node.bus.publish("bw.now", b"x")
    check((await passed.next_msg(timeout=5)).data == b"x", "a message that nobody stores is heard")
    asked = await node.bus.subscribe("bw.file.*")
    inbox = node.bus.new_inbox()
    heard = await node.bus.subscribe(inbox)
    await node.bus.publish("bw.file.61", b"x", reply=inbox)
    await node.bus.publish((await asked.next_msg(timeout=5)).reply, b"y")
    check((await heard.next_msg(timeout=5)).data == b"y", "a question to a node is heard, and answered")
    check(await node.is_refused(lambda: node.bus.publish(inbox, b"y")), "it is answered once")
    figures = [json.loads(answer.data) for answer in await node.answers("bw.servers", {}, 3)]
    names = {figure["server"]["name"] for figure in figures}
    check(names == {"nats1", "nats2", "nats3"}, f"all servers answer: {names}")
    check(all(figure["data"]["config"].get("sync_always") for figure in figures), "all servers sync each write")


async def log(node):
    told = await node.bus.subscribe("bw.told.log")
    stored = await node.ask("bw.log", b"entry", Nats_Expected_Last_Sequence="0", Nats_Msg_Id="one")
    check(stored.get("seq") == 1, f"an entry of the log is stored: {stored}")
    heard = await told.next_msg(timeout=5)
    check((heard.data, heard.headers["Nats-Sequence"]) == (b"entry", "1"), "the servers tell of it")
    repeated = await node.ask("bw.log", b"entry", Nats_Expected_Last_Sequence="0", Nats_Msg_Id="one")
    check(repeated.get("duplicate") is True, "a repetition is recognised")
    refused = await node.ask("bw.log", b"entry", Nats_Expected_Last_Sequence="0")
    check(refused["error"]["err_code"] == 10071, "an entry that comes too late is refused")
    first = {"Nats-Batch-Id": "a", "Nats-Batch-Sequence": "1", "Nats-Expected-Last-Sequence": "1"}
    await node.bus.publish("bw.log", b"part", headers=first)
    stored = await node.ask("bw.log", b"part", Nats_Batch_Id="a", Nats_Batch_Sequence="2", Nats_Batch_Commit="1")
    check(stored.get("seq") == 3, f"an entry of two messages is stored: {stored}")
    found = await node.answers("$JS.API.DIRECT.GET.BW_LOG", {"seq": 1, "batch": 8, "max_bytes": 4 << 20}, 4)
    check([answer.data for answer in found[:3]] == [b"entry", b"part", b"part"], "entries are read")
    check(found[3].headers["Status"] == "204", "the end of them is told")
    await node.api("STREAM.PURGE.BW_LOG", {"seq": 3})
    about = await node.api("STREAM.INFO.BW_LOG")
    check("ts" in about, "a stream tells the time")
    check((about["state"]["first_seq"], about["state"]["last_seq"]) == (3, 3), "the log is shortened")


async def record(node):
    taken = {"Nats_TTL": "15s", "Nats_Expected_Last_Subject_Sequence": "0"}
    stored = await node.ask("bw.cluster.lead", b"node", **taken)
    check(stored.get("seq") == 1, f"the lead is taken: {stored}")
    refused = await node.ask("bw.cluster.lead", b"other", **taken)
    check(refused["error"]["err_code"] == 10071, "nobody else takes it")
    await node.api("STREAM.PURGE.BW_CLUSTER", {"filter": "bw.cluster.lead", "seq": 2})
    stored = await node.ask("bw.cluster.lead", b"other", **taken)
    check(stored.get("seq") == 2, f"it is given back: {stored}")


async def snapshot(node):
    for piece in ("0", "manifest"):
        stored = await led(lambda: node.ask(f"bw.snapshot.a.{piece}", b"piece", Nats_Msg_Id=piece))
        check("seq" in stored, f"a copy of the store is kept: {stored}")
    request = {"multi_last": ["bw.snapshot.*.manifest"], "batch": 64}
    found = await node.answers("$JS.API.DIRECT.GET.BW_SNAPSHOT", request, 2)
    check(found[0].data == b"piece", "it is found")


async def refused(node):
    for request in REFUSED_REQUESTS:
        subject, inbox = "$JS.API." + request, node.bus.new_inbox()
        act = lambda: node.bus.publish(subject, b"{}", reply=inbox)  # noqa: E731
        check(await node.is_refused(act), f"{subject} is refused")
    for subject in REFUSED_SUBJECTS:
        check(await node.is_refused(lambda: node.bus.publish(subject, b"")), f"writing to {subject} is refused")
    for subject in REFUSED_INTEREST:
        check(await node.is_refused(lambda: node.bus.subscribe(subject)), f"listening to {subject} is refused")
    answer = await node.ask("$JS.API.STREAM.CREATE.S", settings("S", "other"))
    check(answer.get("error", {}).get("err_code") == 10027, f"there are at most three streams: {answer}")


async def strangers(cluster):
    wrong = {
        "a wrong password": {"password": "wrong"},
        "nobody": {"user": None, "password": None},
        "another authority": {"tls": ssl.create_default_context()},
    }
    for who, other in wrong.items():
        try:
            await Node(cluster).connect(SERVERS[:1], allow_reconnect=False, **other)
        except (nats.errors.Error, ssl.SSLError):
            check(True, who)
        else:
            check(False, f"{who} is let in")
    reader, writer = await asyncio.open_connection("127.0.0.1", 4222)
    greeting = json.loads((await reader.readline()).removeprefix(b"INFO "))
    check(greeting["tls_required"] and "connect_urls" not in greeting, "TLS is required, and no address is advertised")
    writer.write(b'CONNECT {"user":"bellwire","pass":"%s"}\r\nPING\r\n' % cluster.password.encode())
    check(b"PONG" not in await asyncio.wait_for(reader.read(), 5), "nobody is let in without TLS")
    writer.close()


async def kills(cluster, node):
    leader = (await node.api("STREAM.INFO.BW_LOG"))["cluster"]["leader"]
    former = cluster.number(leader)
    subprocess.run(["kill", "-KILL", str(former)], check=True)
    began, sequence = time.monotonic(), None
    while sequence is None and time.monotonic() < began + 30:
        try:
            sequence = (await node.ask("bw.log", b"entry", timeout=0.5, Nats_Msg_Id="two")).get("seq")
        except nats.errors.Error:
            pass
        await asyncio.sleep(0.1)
    check(sequence == 4, "the others go on after the leader was killed")
    gap = time.monotonic() - began
    cluster.wait_for("it starts again", lambda: cluster.number(leader) != former, 30)
    return gap


async def led(ask):
    """Nobody answers before a stream has a leader, which takes some seconds."""
    for _ in range(6):
        try:
            return await ask()
        except nats.errors.TimeoutError:
            pass
        except nats.errors.NoRespondersError:
            await asyncio.sleep(1)
    check(False, "an answer")


async def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        with Cluster(folder) as cluster:
            node = await Node(cluster).connect()
            await allowed(node)
            await refused(node)
            await strangers(cluster)
            gap = await kills(cluster, node)
            await node.bus.close()
            numbers = [cluster.number(server) for server in ("nats1", "nats2", "nats3")]
        check(cluster.result == 0, f"it ends by itself: {cluster.result}")
        check(not any(pathlib.Path(f"/proc/{number}").exists() for number in numbers), "no server is left")
        with Cluster(folder) as cluster:
            node = await Node(cluster).connect()
            about = await led(lambda: node.api("STREAM.INFO.BW_LOG"))
            check(about["state"]["last_seq"] == 4, "another start finds everything")
            await node.bus.close()
        return gap


# Connections that a killed server closes are no news.
logging.getLogger("asyncio").setLevel(logging.ERROR)
gap = checked(main)
print(f"nats: {check.passed} checks; the others went on {gap:.1f} s after the leader was killed")
