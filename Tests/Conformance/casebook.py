"""What a case is, and what it may say about a server."""

import dataclasses
import inspect
import json
import pathlib
import re
from collections.abc import Callable

VECTORS = pathlib.Path(__file__).resolve().parents[1] / "Vectors"

# Where the expected results come from.
PARAGRAPH = "the paragraph"
TDLIB = "recorded from TDLib 1.8.69"
SYNAPSE = "recorded from Synapse 1.163"
TEMPLATE = "the document's own sentence"
MADE = "encrypted here, by other code than the server's"


class NotOffered(Exception):
    """The server has no such operation."""


class Failed(Exception):
    """The server did something else than the paragraph says."""


@dataclasses.dataclass
class Case:
    paragraph: str
    name: str
    title: str
    oracle: str
    run: Callable

    @property
    def id(self):
        return f"{self.paragraph}/{self.name}"


CASES = []
checks = 0


def expect(condition, what):
    """One thing that the paragraph says. A case that checks nothing fails."""
    global checks
    checks += 1
    if not condition:
        raise Failed(what)


def equal(found, expected, what):
    expect(same(found, expected), f"{what}: {short(found)} instead of {short(expected)}")


def same(one, other):
    """Equal as JSON: true is not 1."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def short(value):
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 120 else text[:117] + "…"


def case(paragraph, title, oracle=PARAGRAPH, name=None):
    """Makes a case of a function that takes a server, and perhaps what is made there."""

    def add(function):
        add_case(paragraph, name or function.__name__.strip("_").replace("_", "-"), title, oracle, function)
        return function

    return add


# The dialect and the terms of an account, by the document that a case belongs to.
USUAL = {
    "telegram": ("telegram", {}),
    "tdlib": ("telegram", {}),
    "matrix": ("matrix", {}),
    "icq": ("icq", {"mode": "applePushNotification"}),
    "zego": ("zpns", {}),
}


def given(paragraph, function):
    """A function that asks for something made gets a usual endpoint beside the server."""
    if "made" not in inspect.signature(function).parameters:
        return function
    dialect, terms = USUAL[paragraph.partition(".")[0]]
    return lambda server: function(server, server.register(dialect, **terms))


def add_case(paragraph, name, title, oracle, function):
    name = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    number = sum(1 for other in CASES if other.paragraph == paragraph and re.fullmatch(f"{name}(-[0-9]+)?", other.name))
    run = given(paragraph, function)
    CASES.append(Case(paragraph, name + (f"-{number + 1}" if number else ""), title, oracle, run))


def lines(file):
    with open(VECTORS / file, encoding="utf-8") as stream:
        return [json.loads(line) for line in stream]


def judge(one, server):
    """Runs one case: the word for its result, and why."""
    global checks
    checks = 0
    try:
        one.run(server)
        return ("pass", "") if checks else ("FAIL", "the case checks nothing")
    except NotOffered as reason:
        return "not offered", str(reason)
    except Failed as reason:
        return "FAIL", str(reason)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        # An answer that does not have the form it must have. The line says where the case noticed.
        frames = inspect.trace()
        line = next((frame.lineno for frame in reversed(frames) if "/sources/" in frame.filename), 0)
        return "FAIL", f"an answer has another form (line {line}: {type(error).__name__} {error})"
    except OSError as error:
        return "FAIL", f"no answer: {type(error).__name__} {error}"
