"""A page of docs/recipes as a list of steps: what a reader types, saves and sees, and what a person does."""

import re
from dataclasses import dataclass, field

COMMENT = re.compile(r"<!-- ([a-z ]+): (.*?) -->")


@dataclass
class Command:
    """`$ ` begins a command, `> ` continues it, and the output follows."""

    line: int
    text: str
    output: list = field(default_factory=list)

    def matches(self, printed):
        """… matches anything within a line; alone on a line it matches any lines."""
        pattern = ""
        for line in self.output:
            if line == "…":
                pattern += "(?:.*\n)*"
            else:
                pattern += ".*".join(re.escape(part) for part in line.split("…")) + "\n"
        return re.fullmatch(pattern, printed) is not None


@dataclass
class Doing:
    """An action at the screen, named in a comment that readers do not see."""

    line: int
    verb: str
    words: str


@dataclass
class Saved:
    """A block that the reader saves as a file: `<!-- file: NAME -->` is above it."""

    line: int
    name: str
    text: str = ""


@dataclass
class Skipped:
    """A block that cannot be run here: `<!-- not run: WHY -->` is above it."""

    line: int
    why: str


def steps(text):
    """The steps of a page. Each block is a console, a file, or says why it is not run."""
    found, block, mark = [], None, None
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            if block is not None:
                block = None
                continue
            block = begin(number, line[3:], mark)
            mark = None
            if isinstance(block, (Saved, Skipped)):
                found.append(block)
        elif block == "console":
            read(line, number, found)
        elif isinstance(block, Saved):
            block.text += line + "\n"
        elif block is None:
            if line.count("<!--") != len(COMMENT.findall(line)):
                raise ValueError(f"line {number}: this comment cannot be read")
            for verb, words in COMMENT.findall(line):
                if verb in ("file", "not run"):
                    mark = verb, words
                else:
                    found.append(Doing(number, verb, words))
    return found


def begin(number, kind, mark):
    if mark is None:
        if kind != "console":
            raise ValueError(f"line {number}: nothing says what is done with this block")
        return kind
    verb, words = mark
    return Saved(number, words) if verb == "file" else Skipped(number, words)


def read(line, number, found):
    if line.startswith("$ "):
        found.append(Command(number, line[2:]))
    elif line.startswith("> ") or line == ">":
        found[-1].text += "\n" + line[2:]
    else:
        found[-1].output.append(line)
