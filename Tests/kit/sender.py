"""What a sender does that knows an endpoint."""

import asyncio

import requests
from kit.checks import Failed

http = requests.Session()
http.trust_env = False
# The body counts as encrypted, whatever it is: only its owner could tell.
ENCRYPTED = {"Content-Encoding": "aes128gcm"}


def push(endpoint, body=None, method="POST", ttl=600, **fields):
    """A push that must be accepted."""
    answer = http.request(method, endpoint, data=body, headers={"TTL": str(ttl), **fields}, timeout=20)
    if answer.status_code != 201:
        raise Failed(f"FAILED: a push was answered {answer.status_code}")


async def pushed(endpoint, body=None, **terms):
    """The same on a loop, for an application."""
    await asyncio.to_thread(push, endpoint, body, **{**ENCRYPTED, **terms})


def register(base, bearer, **members):
    """A registration by the secret of a device."""
    fields = {"Authorization": f"Bearer {bearer}"}
    answer = http.post(f"{base}/api/v1/registrations", json=members, headers=fields, timeout=20)
    if answer.status_code != 201:
        raise Failed(f"FAILED: a registration was answered {answer.status_code}")
    return answer.json()
