"""Whole sessions of other WebSocket programs with our server and our client, over sockets.

    python3 Tests/Peers/Differential/websocket_sessions.py .build/debug/WebSocketProbe

Each session ends within its time or fails; each check is counted.
"""

import asyncio
import contextlib
import random
import socket
import ssl
import subprocess
import sys
import tempfile

sys.path.append(__file__.rsplit("/", 3)[0])

import websockets
from kit import certificate as certificates
from kit.checks import Checks, checked
from websockets.asyncio.client import connect
from websockets.asyncio.server import serve
from wslay_session import WslaySession
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, BytesMessage, CloseConnection, Ping, Pong, Request, TextMessage

LENGTHS = [0, 1, 125, 126, 127, 65535, 65536, 65537, 300_000, 5_000_000]
LIMIT = 1 << 24
check = Checks("websocket sessions")


def messages(rng):
    for length in LENGTHS:
        yield "ä" * (length // 2)
        yield rng.randbytes(length)


async def echoes(peer):
    """Checks that fit both the client and the server of websockets, with an echoing other end."""
    rng = random.Random(1)
    for message in messages(rng):
        await peer.send(message)
        check(await peer.recv() == message, f"echo of {len(message)}")
    for message in ["ab€🔔" * 2000, rng.randbytes(20_000)]:
        step = rng.randrange(1, 900)
        parts = [message[i : i + step] for i in range(0, len(message), step)]

        # Sent as fragments, with a ping in between.
        async def fragments():
            for index, part in enumerate(parts):
                if index == 3:
                    await peer.ping()
                yield part

        await peer.send(fragments())
        check(await peer.recv() == message, "echo of fragments")
    for payload in [b"", b"x" * 125]:
        await (await peer.ping(payload))
        check(True, "pong")

    async def send():
        for number in range(20_000):
            await peer.send(str(number))

    sender = asyncio.create_task(send())
    order = [await peer.recv() for _ in range(20_000)]
    await sender
    check(order == [str(number) for number in range(20_000)], "order")
    await peer.send("!count 20000")
    order = [await peer.recv() for _ in range(20_000)]
    check(order == [str(number) for number in range(20_000)], "a burst")


async def closed(peer):
    try:
        await peer.recv()
    except websockets.ConnectionClosed as end:
        return end
    raise AssertionError("not closed")


async def against_server(url, context):
    def open():
        return connect(
            url, ssl=context, subprotocols=["unknown", "echo"], compression="deflate", max_size=LIMIT, proxy=None
        )

    async with open() as client:
        check(client.subprotocol == "echo", "subprotocol")
        check(client.response.headers.get("Sec-WebSocket-Extensions") is None, "no extension")
        await echoes(client)
        await client.close(4000, "bye")
        check(client.close_code == 4000, "our answer repeats the code")
    async with open() as client:
        await client.send("!close 4001 good-bye")
        end = await closed(client)
        check((end.rcvd.code, end.rcvd.reason) == (4001, "good-bye"), "closed by us")
        check(end.rcvd_then_sent, "closed by us first")
    for frame, code in [(b"\x83\x80abcd", 1002), (b"\x81\x81abcd\x9e", 1007)]:
        async with open() as client:
            client.transport.write(frame)
            check((await closed(client)).rcvd.code == code, f"failed with {code}")
    with contextlib.suppress(ConnectionError):
        async with open() as client:
            client.transport.abort()
    many = [await open() for _ in range(50)]
    for client in many:
        await client.send("x" * 1000)
    for client in many:
        check(await client.recv() == "x" * 1000, "one of many")
        await client.close()


async def against_client(probe, certificate, context):
    rounds = [
        ("echo", "closed 4002 done"),
        ("!close 4003 enough", "closed 4003 "),
        ("bad", "failed"),
        ("abort", "lost"),
    ]
    for kind, expected in rounds:
        ends = asyncio.Queue()

        async def session(server):
            try:
                if kind == "echo":
                    check(server.subprotocol == "echo", "subprotocol")
                    check("Origin" not in server.request.headers, "no Origin")
                    await echoes(server)
                    await server.close(4002, "done")
                elif kind == "bad":
                    server.transport.write(b"\x81\x81abcd\x00")
                    check((await closed(server)).rcvd.code == 1002, "a masked frame")
                elif kind == "abort":
                    server.transport.abort()
                else:
                    await server.send(kind)
                    end = await closed(server)
                    check((end.rcvd.code, end.rcvd.reason) == (4003, "enough"), "closed by us")
                ends.put_nowait(None)
            except BaseException as error:
                ends.put_nowait(error)

        async with serve(session, "127.0.0.1", 0, ssl=context, subprotocols=["echo"], max_size=LIMIT) as server:
            outcome = await run_client(probe, server, certificate)
            error = await ends.get()
            if error:
                raise error
            check(outcome.startswith(expected), f"{kind}: {outcome}")

    def refuse(connection, request):
        answer = connection.respond(503, "busy\n")
        answer.headers["Retry-After"] = "7"
        return answer

    async with serve(None, "127.0.0.1", 0, ssl=context, process_request=refuse) as server:
        outcome = await run_client(probe, server, certificate)
        check("refused(status: 503" in outcome and "7.0 seconds" in outcome, outcome)


async def run_client(probe, server, certificate):
    port = server.sockets[0].getsockname()[1]
    arguments = (f"wss://localhost:{port}/x", certificate) if certificate else (f"ws://localhost:{port}/x",)
    process = await asyncio.create_subprocess_exec(probe, "connect", *arguments, stdout=asyncio.subprocess.PIPE)
    output, _ = await process.communicate()
    return output.decode()


def wsproto_session(port, context, certificate):
    """A client with wsproto and a blocking socket."""
    client = socket.create_connection(("127.0.0.1", port), timeout=10)
    if context:
        client = context.wrap_socket(client, server_hostname="localhost")
    protocol = WSConnection(ConnectionType.CLIENT)
    client.sendall(protocol.send(Request(host="localhost", target="/", subprotocols=["echo"])))
    received = []

    def until(condition):
        while not condition():
            data = client.recv(1 << 16)
            protocol.receive_data(data or None)
            received.extend(protocol.events())

    until(lambda: received)
    check(isinstance(received[0], AcceptConnection) and received[0].subprotocol == "echo", "accepted")
    for message in messages(random.Random(2)):
        received.clear()
        event = TextMessage if isinstance(message, str) else BytesMessage
        half = len(message) // 2
        # A client that keeps writing and never reads could wait for ever.
        client.settimeout(10)
        data = (
            protocol.send(event(data=message[:half], message_finished=False))
            + protocol.send(Ping(payload=b"in between"))
            + protocol.send(event(data=message[half:]))
        )
        client.sendall(data)
        until(lambda: received and getattr(received[-1], "message_finished", False))
        pongs = [event for event in received if isinstance(event, Pong)]
        check([bytes(pong.payload) for pong in pongs] == [b"in between"], "pong")
        parts = [event.data for event in received if not isinstance(event, Pong)]
        check((b"" if isinstance(message, bytes) else "").join(parts) == message, "echo")
    received.clear()
    client.sendall(protocol.send(CloseConnection(code=4004)))
    until(lambda: received)
    check(received[0].code == 4004, "close")
    check(client.recv(1) == b"", "the end")


@contextlib.contextmanager
def our_server(probe, *arguments):
    process = subprocess.Popen([probe, "serve", *arguments], stdout=subprocess.PIPE, text=True)
    try:
        yield int(process.stdout.readline().split()[1])
        check(process.poll() is None, "the server is still there")
    finally:
        process.terminate()
        process.wait()


async def run(probe):
    with tempfile.TemporaryDirectory() as folder:
        certificate, key, _ = certificates.certificate(folder)
        client_context = ssl.create_default_context(cafile=certificate)
        server_context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        server_context.load_cert_chain(certificate, key)
        for name, files, trusted, ours, theirs in [
            ("ws", (), None, None, None),
            ("wss", (certificate, key), certificate, client_context, server_context),
        ]:
            with our_server(probe, *files) as port:
                await against_server(f"{name}://localhost:{port}/", ours)
                print(f"{name}: websockets with our server: {check.passed} checks so far")
                await asyncio.to_thread(wsproto_session, port, ours, trusted)
                print(f"{name}: wsproto with our server: {check.passed} checks so far")
                if not ours and WslaySession.load():
                    await asyncio.to_thread(WslaySession(port, check).run)
                    print(f"{name}: wslay with our server: {check.passed} checks so far")
            await against_client(probe, trusted, theirs)
            print(f"{name}: our client with websockets: {check.passed} checks so far")


async def main():
    await asyncio.wait_for(run(sys.argv[1]), 120)
    print(f"{check.passed} passed, 0 failed")


checked(main)
