"""Rule 25: the server shows and writes no token, uaid or body of the run."""

import pathlib
import re

from verdict.hooked import Hooks
from verdict.served import Served

# Anything that can be base64url or hex of a secret.
WORD = re.compile(rb"[A-Za-z0-9_-]{20,}")


def words(story):
    secrets = {}
    for sub in story.subs.values():
        if sub.token:
            secrets[sub.token.encode()] = "an endpoint token"
    for connection in story.connections.values():
        if connection.uaid:
            secrets[connection.uaid.encode()] = "a uaid"
    for push in story.pushes.values():
        if push.location:
            secrets[push.location.rsplit("/", 1)[1].encode()] = "the capability to withdraw"
    for one in Hooks(story.events).applications.values():
        secrets |= {token.encode(): "an endpoint token" for token, _ in one.tokens}
        secrets |= {secret.encode(): "the secret of a callback" for secret in one.secrets}
    for event in story.secrets:
        secrets[event["text"].encode()] = event["what"]
    served = Served(story)
    secrets |= dict.fromkeys(served.own_words(), "a token or an endpoint of an application")
    return secrets | served.secrets


def raw(story):
    """Secrets as bytes, and a part of each body."""
    pushes = [*story.pushes.values(), *Hooks(story.events).pushes.values()]
    samples = [bytes.fromhex(push.sample) for push in pushes]
    served = Served(story)
    samples += [*(bytes.fromhex(push.sample) for push in served.pushes.values()), *served.texts]
    bodies = {sample for sample in samples if len(sample) >= 16}
    names = {bytes.fromhex(one.uaid) for one in story.connections.values() if one.uaid}
    return bodies, names


def rule(story, findings):
    secrets = words(story)
    for event in story.shown:
        text = event["text"].encode()
        findings.case(25)
        for word in WORD.findall(text):
            if word in secrets:
                findings.violation(25, f"{event['where']} shows {secrets[word]}")
    bodies, names = raw(story)
    starts = {sample[:8]: sample for sample in bodies} | {name[:8]: name for name in names}
    for folder in story.folders:
        for path in pathlib.Path(folder).rglob("*"):
            if path.is_file():
                findings.case(25)
                search(path, starts, secrets, findings)


def search(path, starts, secrets, findings):
    data = path.read_bytes()
    for at in range(len(data) - 8):
        whole = starts.get(data[at : at + 8])
        if whole and data.startswith(whole, at):
            return findings.violation(25, f"{path.name} has a body or a uaid in clear")
    for word in WORD.findall(data):
        if word in secrets:
            return findings.violation(25, f"{path.name} has {secrets[word]} in clear")
