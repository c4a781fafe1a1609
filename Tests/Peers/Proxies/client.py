"""What clients, senders and strangers do through a proxy."""

import asyncio
import http.client
import json
import ssl
import sys
import time
import urllib.parse

import websockets
from kit import agent
from kit.checks import Failed
from kit.coding import content

# Addresses that a stranger claims to have, and the one that a proxy sees.
CLAIMED = "203.0.113.9"
SEEN = "127.0.0.7"


def judged(results):
    """How many checks passed in trials that ran side by side. Ends the program if one of them failed."""
    for result in results:
        if isinstance(result, Failed):
            print(result)
        elif isinstance(result, BaseException):
            raise result
    if any(isinstance(result, Failed) for result in results):
        sys.exit(1)
    return sum(results)


class Client:
    """Requests to one base URL, whose certificate is in `authority`."""

    def __init__(self, base, authority):
        self.base = base
        parts = urllib.parse.urlsplit(base)
        self.host, self.port, self.path = parts.hostname, parts.port, parts.path
        self.context = ssl.create_default_context(cafile=authority)

    def connection(self):
        return http.client.HTTPSConnection(
            self.host, self.port, context=self.context, timeout=15, source_address=(SEEN, 0)
        )

    def ask(self, method, url, body=None, connection=None, **fields):
        """Status, fields and body of the answer to a request; the path of `url` is sent as it is."""
        path = url if url.startswith("/") else "/" + url.split("/", 3)[3]
        own = connection or self.connection()
        own.request(method, path, body, {name.replace("_", "-"): value for name, value in fields.items()})
        answer = own.getresponse()
        text = answer.read()
        if not connection:
            own.close()
        return answer.status, answer.headers, text

    def socket_terms(self):
        # Nothing but what the server sends keeps the connection alive.
        return dict(ssl=self.context, subprotocols=["push-notification"], ping_interval=None, local_addr=(SEEN, 0))

    def socket(self, path, **options):
        return websockets.connect(self.base.replace("https", "wss", 1) + path, **self.socket_terms(), **options)


class UserAgent:
    """A device that is connected, with one subscription."""

    def __init__(self, client, check):
        self.client, self.check = client, check

    async def connect(self, bearer):
        hello = {"use_webpush": True}
        self.agent = agent.UserAgent(f"{self.client.base}/u/{bearer}", hello=hello, **self.client.socket_terms())
        await self.agent.connect()
        self.connection = self.agent.socket
        self.endpoint = (await self.agent.register())["pushEndpoint"]
        start = self.client.base + "/wpush/"
        self.check(self.endpoint.startswith(start), "the endpoint has the address of the proxy")

    async def take(self):
        """The next notification, acknowledged."""
        return content(await self.agent.take(code=100))

    async def push(self, body, **fields):
        return await asyncio.to_thread(
            self.client.ask, "POST", self.endpoint, body, TTL="60", Content_Encoding="aes128gcm", **fields
        )

    async def pushed(self, body, what, **fields):
        """Pushes, and takes it; returns the fields of the answer."""
        status, fields, _ = await self.push(body, **fields)
        self.check(status == 201, f"{what}: {status}")
        self.check(fields["Location"].startswith(self.client.base + "/m/"), "so is the address to withdraw it by")
        self.check(await self.take() == body, f"{what}, and arrives whole")
        return fields["Location"]


async def use(client, bearer, check):
    """Connects, and is pushed to; returns the user agent, and the secrets that no log may have."""
    user = UserAgent(client, check)
    await user.connect(bearer)
    location = await user.pushed(b"secret", "a push is taken through the proxy")
    await user.pushed(b"x" * 4096, "a push of the full size is taken")
    await user.pushed(b"large", "a push with a large header is taken", X_Large="y" * 7_000)
    status, _, _ = await user.push(b"x" * 100_000)
    check(status == 413, f"too large a push is refused: {status}")
    try:
        status, _, _ = await asyncio.to_thread(client.ask, "GET", client.path + "/health", X_Large="y" * 40_000)
    except OSError:
        # A proxy may answer, and close, before it has read it all.
        status = 431
    check(status in (400, 413, 431), f"too large a header is refused: {status}")
    await gateway(client, user, check)
    status, _, _ = await asyncio.to_thread(client.ask, "DELETE", location)
    check(status == 204, "a message can be withdrawn through the proxy")
    status, _, _ = await asyncio.to_thread(client.ask, "GET", client.path + "/health")
    check(status == 200, "health is answered")
    return user, [part.rsplit("/", 1)[1] for part in (user.endpoint, location)] + [bearer]


async def gateway(client, user, check):
    """Where Matrix clients look for the gateway, which is not always under the path of the address."""
    for number, start in enumerate((client.path, "")):
        path = start + "/_matrix/push/v1/notify"
        status, _, answer = await asyncio.to_thread(client.ask, "GET", path)
        check(status == 200 and b'"matrix"' in answer, "the gateway is found through the proxy")
        devices = [{"app_id": "a", "pushkey": user.endpoint, "data": {"x": "x" * 6_000}}]
        told = json.dumps({"notification": {"event_id": f"${number}", "devices": devices}}).encode()
        status, _, answer = await asyncio.to_thread(client.ask, "POST", path, told, Content_Type="application/json")
        check((status, answer) == (200, b'{"rejected":[]}'), "a homeserver tells through the proxy")
        data = json.loads(await user.take())
        check(data == {"notification": {"event_id": f"${number}"}}, "what it tells arrives")


async def silence(user, seconds, check):
    """The WebSocket outlives a silence of ours, and a push finds it afterwards."""
    began = time.monotonic()
    try:
        said = await asyncio.wait_for(user.connection.recv(), seconds)
    except TimeoutError:
        said = None
    except websockets.ConnectionClosed as error:
        raise Failed(
            f"{check.name}: FAILED: silent for {time.monotonic() - began:.0f} s, the WebSocket ends: {error}"
        ) from None
    check(said is None, "nothing is said that was not asked for")
    await user.pushed(b"after silence", "after a silence a push is taken")


PRIVATE = [
    ("GET", "/api/v1/registrations"),
    ("POST", "/api/v1/registrations"),
    ("GET", "/api/v1/devices"),
    ("POST", "/api/v1/devices"),
    ("DELETE", "/api/v1/devices/1"),
    ("POST", "/api/v1/devices/1/export"),
    ("POST", "/api/v1/owners/1/export"),
    ("POST", "/api/v1/exports/1"),
    ("GET", "/api/v1/owners"),
    ("POST", "/api/v1/owners"),
    ("POST", "/api/v1/master-key"),
    ("GET", "/api/v1/pending"),
    ("GET", "/api/v1/engine"),
    ("POST", "/api/v1/fetched"),
    ("GET", "/metrics"),
    ("GET", "/u/AAAAAAAAAAAAAAAAAAAAAA"),
    ("POST", "/wpush/v1/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
    ("POST", "//api/v1/devices"),
    ("POST", "/x/../api/v1/devices"),
    ("POST", "/%2e%2e/api/v1/devices"),
    ("POST", "/..;/api/v1/devices"),
    ("POST", "/health/../api/v1/devices"),
]
CLAIMS = [
    {},
    {"X_Forwarded_For": "127.0.0.1", "X_Real_IP": "127.0.0.1", "Forwarded": "for=127.0.0.1"},
    {"X_Forwarded_For": f"127.0.0.1, {CLAIMED}"},
    {"Authorization": "Bearer AAAAAAAAAAAAAAAAAAAAAA"},
]


async def stranger(client, check, is_site):
    """Without a credential, nothing that is not public is answered. `is_site` knows answers of somebody else's."""
    for claim in CLAIMS:
        for method, path in PRIVATE:
            body = b'{"name":"stranger"}' if method == "POST" else None
            status, _, text = await asyncio.to_thread(client.ask, method, client.path + path, body, **claim)
            check(status >= 300 or is_site(text), f"a stranger gets {status} for {method} {path}")
            check(status < 500 or status == 501, f"a stranger breaks nothing with {method} {path}: {status}")
        for path in ["/", "/u/AAAAAAAAAAAAAAAAAAAAAA", "/api/v1/engine"]:
            fields = {name.replace("_", "-"): value for name, value in claim.items()}
            try:
                async with client.socket(path, additional_headers=fields):
                    check(False, f"a stranger gets a WebSocket at {path}")
            except websockets.InvalidStatus as error:
                check(error.response.status_code in (401, 403, 404, 429), f"a stranger is refused at {path}")
