"""The nginx samples of deploy/nginx in front of bellwire: push, WebSocket, sub-path, logs.

usage: nginx.py PATH_OF_BELLWIRE
"""

import asyncio
import base64
import json
import os
import re
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.request
import uuid

import websockets

bellwire = sys.argv[1]
passed = 0


def check(condition, what):
    global passed
    if not condition:
        sys.exit(f"nginx: FAILED: {what}")
    passed += 1


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as s:
        return s.getsockname()[1]


def sample(name, folder, port, backend):
    """The sample, with only addresses and paths changed for this test."""
    text = open(f"deploy/nginx/{name}").read()
    for pattern, place in [
        (r"listen 443 ssl", f"listen 127.0.0.1:{port} ssl"),
        (r".*listen \[::\].*\n", ""),
        (r"/etc/letsencrypt/live/[^;]*fullchain.pem", f"{folder}/chain.pem"),
        (r"/etc/letsencrypt/live/[^;]*privkey.pem", f"{folder}/key.pem"),
        (r"/var/log/nginx/bellwire.log", f"{folder}/access.log"),
        (r"/var/log/nginx/bellwire-error.log", f"{folder}/error-bellwire.log"),
        (r"server_name push.example.org", "server_name localhost"),
        (r"127.0.0.1:8080", f"127.0.0.1:{backend}"),
    ]:
        text = re.sub(pattern, place, text)
    check(not re.search(r":443\b|/etc/", text), f"{name} was adapted")
    return text


def configuration(folder, port, backend, path):
    whole = sample("bellwire.conf", folder, port, backend)
    if path:
        # The sub-path sample takes the place of the root in the site's server block.
        part = sample("bellwire-subpath.conf", folder, port, backend)
        whole = re.sub(r"    access_log off;\n.*\n}\n", f"{part}\n}}\n", whole, flags=re.S)
        check("location /push/" in whole and "location / " not in whole, "the sub-path is in place")
    temporary = "".join(
        f"{kind}_temp_path {folder}/{kind};\n" for kind in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    )
    return (
        f"pid {folder}/nginx.pid;\nerror_log {folder}/error.log warn;\ndaemon off;\n"
        f"worker_processes 1;\nevents {{}}\nhttp {{\naccess_log {folder}/other.log;\n"
        f"{temporary}{whole}\n}}\n"
    )


def context(folder):
    return ssl.create_default_context(cafile=f"{folder}/chain.pem")


def request(folder, method, url, body=None, **fields):
    request = urllib.request.Request(url, body, fields, method=method)
    try:
        with urllib.request.urlopen(request, context=context(folder), timeout=10) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


async def use(folder, base, bearer):
    """What a client and a sender do."""
    address = base.replace("https", "wss", 1) + f"/u/{bearer}"
    async with websockets.connect(address, ssl=context(folder), subprotocols=["push-notification"]) as client:

        async def ask(message):
            await client.send(json.dumps(message))
            return json.loads(await asyncio.wait_for(client.recv(), 10))

        hello = await ask({"messageType": "hello", "uaid": "", "use_webpush": True})
        check(hello["status"] == 200, "hello is answered through the proxy")
        channel = str(uuid.uuid4())
        registered = await ask({"messageType": "register", "channelID": channel})
        endpoint = registered["pushEndpoint"]
        check(endpoint.startswith(base + "/wpush/"), "the endpoint has the address of the proxy")
        status, fields, _ = await asyncio.to_thread(
            request, folder, "POST", endpoint, b"secret", TTL="60", **{"Content-Encoding": "aes128gcm"}
        )
        check(status == 201, f"a push is taken through the proxy: {status}")
        check(fields["Location"].startswith(base + "/m/"), "so is the address to withdraw it by")
        pushed = json.loads(await asyncio.wait_for(client.recv(), 10))
        check(pushed["messageType"] == "notification", "the push arrives")
        await client.send(
            json.dumps(
                {"messageType": "ack", "updates": [{"channelID": channel, "version": pushed["version"], "code": 100}]}
            )
        )
        await tell_by_gateway(folder, base, endpoint, client)
        status, _, _ = await asyncio.to_thread(request, folder, "DELETE", fields["Location"])
        check(status == 204, "a message can be withdrawn through the proxy")
    return [endpoint.rsplit("/", 1)[1], fields["Location"].rsplit("/", 1)[1], bearer]


async def tell_by_gateway(folder, base, endpoint, client):
    """Where Matrix clients look for the gateway, which is not always under the path of the address."""
    for number, start in enumerate((base, "/".join(base.split("/")[:3]))):
        gateway = start + "/_matrix/push/v1/notify"
        status, _, answer = await asyncio.to_thread(request, folder, "GET", gateway)
        check(status == 200 and b'"matrix"' in answer, "the gateway is found through the proxy")
        notification = {
            "event_id": f"${number}",
            "devices": [{"app_id": "a", "pushkey": endpoint, "data": {"x": "x" * 6_000}}],
        }
        status, _, answer = await asyncio.to_thread(
            request,
            folder,
            "POST",
            gateway,
            json.dumps({"notification": notification}).encode(),
            **{"Content-Type": "application/json"},
        )
        check((status, answer) == (200, b'{"rejected":[]}'), "a homeserver tells through the proxy")
        pushed = json.loads(await asyncio.wait_for(client.recv(), 10))
        data = base64.urlsafe_b64decode(pushed["data"] + "==")
        check(json.loads(data) == {"notification": {"event_id": f"${number}"}}, "it arrives")


def wait_for(what, condition, process):
    deadline = time.monotonic() + 20
    while not condition():
        if time.monotonic() > deadline or process.poll() is not None:
            sys.exit(f"nginx: FAILED: {what} did not start")
        time.sleep(0.05)


def answers(port):
    with socket.socket() as s:
        return s.connect_ex(("127.0.0.1", port)) == 0


def run(path):
    with tempfile.TemporaryDirectory() as folder:
        run_in(folder, path)


def run_in(folder, path):
    subprocess.run(
        [
            *"openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes".split(),
            *"-days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout".split(),
            f"{folder}/key.pem",
            "-out",
            f"{folder}/chain.pem",
        ],
        check=True,
        capture_output=True,
    )
    port, backend = free_port(), free_port()
    base = f"https://localhost:{port}{path}"
    with open(f"{folder}/nginx.conf", "w") as file:
        file.write(configuration(folder, port, backend, path))
    server = subprocess.Popen(
        [
            bellwire,
            "serve",
            "--state",
            f"{folder}/state",
            "--base-url",
            base,
            "--listen",
            f"http://127.0.0.1:{backend} trusted-proxies=127.0.0.1",
            "--registration",
            "token",
        ],
        stderr=open(f"{folder}/bellwire.log", "w"),
        stdout=subprocess.DEVNULL,
    )
    proxy = subprocess.Popen(["/usr/sbin/nginx", "-p", folder, "-c", f"{folder}/nginx.conf"])
    try:
        wait_for("bellwire", lambda: answers(backend), server)
        wait_for("nginx", lambda: answers(port), proxy)
        device = subprocess.run(
            [bellwire, "device", "add", "test", "--state", f"{folder}/state", "--json"], check=True, capture_output=True
        )
        secrets = asyncio.run(use(folder, base, json.loads(device.stdout)["bearer"]))
        if not path:
            check(request(folder, "GET", base + "/health")[0] == 200, "health is answered")
        server.terminate()
        check(server.wait(30) == 0, "bellwire ends in good order")
        status, _, _ = request(folder, "POST", f"{base}/wpush/v1/{secrets[0]}", b"", TTL="1")
        check(status == 502, "nginx answers while bellwire is away")
    finally:
        for process in [proxy, server]:
            process.terminate()
        ends = [process.wait(30) for process in [proxy, server]]
    check(ends == [0, 0], "both end in good order")
    for name in ["access.log", "other.log", "error.log", "error-bellwire.log", "bellwire.log"]:
        text = open(f"{folder}/{name}").read() if os.path.exists(f"{folder}/{name}") else ""
        for secret in secrets:
            check(secret not in text, f"{name} has no endpoint, message or device in it")
    if not path:
        check("/health" in open(f"{folder}/access.log").read(), "health is logged")


for path in ["", "/push"]:
    run(path)
print(f"nginx: {passed} checks passed")
