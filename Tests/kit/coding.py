"""Bytes as the protocols write them."""

import base64


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def path_of(endpoint):
    """The path to push to."""
    return "/" + endpoint.split("/", 3)[3]


def content(notification):
    """What was pushed, as it came to a user agent."""
    return decode(notification.get("data", ""))
