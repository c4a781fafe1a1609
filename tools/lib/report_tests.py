"""The parts of the report about the tests: how much of the code they reach, and what they would not notice."""

import json
import pathlib

from markdown_table import table

EXPLAINED = pathlib.Path(__file__).resolve().parents[2] / "docs" / "report" / "data" / "mutants-explained.json"

KINDS = {
    "arithmetic": "`+` ↔ `-`",
    "boundary": "`<` ↔ `<=`, `>` ↔ `>=`",
    "call": "a call is left out",
    "condition": "a condition is negated",
    "default": "after `??`: always, or never",
    "end": "`first` ↔ `last`, `min` ↔ `max` and the like",
    "equality": "`==` ↔ `!=`",
    "jump": "`continue` ↔ `break`",
    "logic": "`&&` ↔ `||`",
    "not": "`!` is left out",
    "number": "a number, one more or less",
    "truth": "`true` ↔ `false`",
}


def mutants(figures):
    names = ("mutants", "own", "others", "late", "explained", "survived")
    heads = ("mutants", "killed by its tests", "by other tests", "did not end", "explained", "survived")
    rows = [(one["module"], *(one[name] for name in names)) for one in figures["modules"]]
    rows.append(("together", *(sum(one[name] for one in figures["modules"]) for name in names)))
    kinds = [(KINDS[one["kind"]], *(one[name] for name in names)) for one in figures["kinds"]]
    text = (
        f"The code, changed in {len(figures['mutants'])} small ways of seed {figures['seed']}, one at a time, and "
        f"whether a test notices ([proof.md](../proof.md#mutants)). Building them took "
        f"{figures['building'] / 60:.0f} minutes, the tests {figures['running'] / 60:.0f}.\n\n"
    )
    known = json.loads(EXPLAINED.read_text())
    shown = {(one["file"], one["was"], one["becomes"]) for one in figures["mutants"] if one["outcome"] == "explained"}
    reasons = [
        (f"[{pathlib.Path(one['file']).name}](../../{one['file']})", code(one["was"]), code(one["becomes"]), one["why"])
        for one in known
        if (one["file"], one["was"], one["becomes"]) in shown
    ]
    text += f"{table(('module', *heads), rows)}\n{table(('what is changed', *heads), kinds)}"
    if reasons:
        text += f"\nWhat is explained:\n\n{table(('file', 'instead of', 'stands', 'why no test notices'), reasons)}"
    return "Mutants", text, {}


def code(text):
    """Code in a cell of a table."""
    return "`" + " ".join(text.split()).replace("|", "\\|") + "`"


def coverage(figures):
    pure = set(figures["pure"])
    rows = [
        (one["module"], "pure" if one["module"] in pure else "", f"{one['lines']:,}", percent(one))
        for one in figures["modules"]
    ]
    whole = {name: sum(one[name] for one in figures["modules"]) for name in ("lines", "reached")}
    rows.append(("together", "", f"{whole['lines']:,}", percent(whole)))
    text = (
        "The lines that the unit tests reach ([proof.md](../proof.md#coverage)). What the program does when tests "
        "start it counts, unless it is killed.\n\n"
    )
    return "Coverage", text + table(("module", "", "lines", "reached"), rows), {}


def percent(lines):
    return f"{100 * lines['reached'] / lines['lines']:.1f} %"
