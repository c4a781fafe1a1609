"""Whether the stores of all nodes have the same rows."""

import collections
import contextlib
import sqlite3

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
