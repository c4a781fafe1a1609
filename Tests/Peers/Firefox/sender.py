"""Two application servers: pywebpush, and `bellwire send`."""

import json
import subprocess

import requests
from py_vapid import Vapid01, Vapid02
from pywebpush import WebPusher


class Key:
    """A key to sign pushes with, in a file that bellwire made."""

    def __init__(self, bellwire, path):
        self.path = path
        subprocess.run([bellwire, "keys", "new", "vapid", path], check=True, capture_output=True, timeout=30)
        parts = json.loads(path.read_text())
        self.public, self.private = parts["pub"], parts["priv"].encode()

    def sign(self, endpoint, encoding):
        # Each encoding had its own signature scheme.
        scheme = Vapid02 if encoding == "aes128gcm" else Vapid01
        origin = "/".join(endpoint.split("/")[:3])
        return scheme.from_raw(self.private).sign({"aud": origin, "sub": "mailto:a@example.net"})


class Sender:
    limit = 20

    def __init__(self, bellwire, folder, authority):
        self.bellwire, self.folder, self.authority = bellwire, folder, authority
        self.session = requests.Session()
        self.session.trust_env = False
        self.session.verify = str(authority)

    def pywebpush(self, subscription, body=None, encoding="aes128gcm", key=None):
        """The status of the answer."""
        headers = key.sign(subscription["endpoint"], encoding) if key else {}
        return (
            WebPusher(subscription, requests_session=self.session)
            .send(body, headers, ttl=3600, content_encoding=encoding, timeout=self.limit)
            .status_code
        )

    def bellwire_send(self, subscription, body=None, encoding="aes128gcm", key=None):
        target = self.folder / "subscription.json"
        target.touch(0o600)
        target.write_text(json.dumps(subscription))
        command = [self.bellwire, "send", "--json", "--to", target, "--encoding", encoding, "--ca-file", self.authority]
        if key:
            command += ["--vapid-key", key.path, "--subject", "mailto:a@example.net"]
        if body is not None:
            command += ["--file", "-"]
        answer = subprocess.run(command, input=body, stdout=subprocess.PIPE, timeout=self.limit)
        return json.loads(answer.stdout)["status"]

    def put(self, subscription):
        return self.session.put(subscription["endpoint"], data=b"version=1", timeout=self.limit).status_code
