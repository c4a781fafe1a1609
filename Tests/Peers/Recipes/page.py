"""A page of docs/recipes as a list of steps: what a reader types and sees, and what a person does."""

import re
from dataclasses import dataclass, field

COMMENT = re.compile(r"<!-- (\w+): (.*?) -->")


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


def steps(text):
    found, block = [], None
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            block = None if block is not None else line[3:]
        elif block == "console":
            read(line, number, found)
        elif block is None:
            found += [Doing(number, verb, words) for verb, words in COMMENT.findall(line)]
    return found


def read(line, number, found):
    if line.startswith("$ "):
        found.append(Command(number, line[2:]))
    elif line.startswith("> ") or line == ">":
        found[-1].text += "\n" + line[2:]
    else:
        found[-1].output.append(line)
