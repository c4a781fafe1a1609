"""What nodes say, at control sockets or to the secret of a device, and whether their stores have the same rows."""

import asyncio
import collections
import contextlib
import sqlite3
import uuid

from kit import control

PATIENCE = 3.0


async def ask_node(node, method, path, body=None, bearer=None, key=None):
    """Status and answer of one node. Raises OSError or TimeoutError."""
    fields = {"Authorization": f"Bearer {bearer}"} if bearer else {}
    fields |= {"Idempotency_Key": key} if key else {}
    async with asyncio.timeout(PATIENCE):
        place = node.port if bearer else node.state / "control.sock"
        return await control.asked(place, method, path, body, **fields)


class Callers:
    """What the peers take for their server: asks one node after the other, until one answers."""

    TRIES = 40

    def __init__(self, nodes, random):
        self.nodes, self.random = nodes, random

    async def control(self, method, path, body=None, bearer=None):
        """What was perhaps done already is found done: a registration has a key by which it is known again, and
        what was perhaps removed may be missing.
        """
        key, is_doubtful = uuid.UUID(int=self.random.getrandbits(128), version=4).hex, False
        status, answer = 503, None
        for attempt in range(self.TRIES):
            node = self.random.choice(self.nodes)
            try:
                status, answer = await ask_node(
                    node, method, path, body, bearer, key if path == "registrations" else None
                )
                if status < 500:
                    break
            except (OSError, TimeoutError) as error:
                is_doubtful = True
                if method == "POST" and path != "registrations":
                    raise ConnectionResetError from error
            await asyncio.sleep(min(1, 0.05 * 2**attempt))
        if method == "DELETE" and is_doubtful and status == 404:
            return 204, None
        return status, answer

    async def everywhere(self, method, path, bearer=None):
        """What each node answers, 0 for none."""

        async def ask(node):
            with contextlib.suppress(OSError, TimeoutError):
                return (await ask_node(node, method, path, None, bearer))[0]
            return 0

        return await asyncio.gather(*(ask(node) for node in self.nodes))


# What each node has for itself.
OWN = {"state"}


def rows(path):
    """The rows of each table, and what SQLite says about the file."""
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=5)) as store:
        store.execute("BEGIN")
        names = [name for (name,) in store.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        found = {
            name: collections.Counter(store.execute(f'SELECT * FROM "{name}"'))
            for name in names
            if name not in OWN and not name.startswith("sqlite_")
        }
        return found, [line for (line,) in store.execute("PRAGMA integrity_check")]


def differences(paths):
    """Sentences, none if all are alike."""
    (first, whole), *others = [rows(path) for path in paths]
    said = [] if whole == ["ok"] else [f"{paths[0]}: {whole[:2]}"]
    for path, (other, whole) in zip(paths[1:], others):
        if whole != ["ok"]:
            said.append(f"{path}: {whole[:2]}")
        for name in sorted(first.keys() | other.keys()):
            here, there = first.get(name, collections.Counter()), other.get(name, collections.Counter())
            if here != there:
                ours, theirs = here - there, there - here
                samples = [*map(short, ours)][:2], [*map(short, theirs)][:2]
                said.append(
                    f"table {name}: {ours.total()} rows only in {paths[0].parent.name} and {theirs.total()} only in"
                    f" {path.parent.name}, of {here.total()}: {samples[0]} {samples[1]}"
                )
    return said


def short(row):
    return tuple(value[:8].hex() if isinstance(value, bytes) else value for value in row)


def count(path):
    """How many rows of each table there are."""
    return {name: found.total() for name, found in rows(path)[0].items()}
