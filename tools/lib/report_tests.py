"""The parts of the report about the tests: how much of the code they reach, what they would not notice, and torture."""

import json
import pathlib

from plots import table

RULES = {
    1: "what was accepted is delivered",
    2: "it arrives as it was sent",
    3: "nobody gets what is not theirs",
    4: "each push has one id, and no other has it",
    5: "nothing arrives after its time",
    6: "what was refused is not repeated",
    7: "no repetition without a break",
    8: "an acknowledgement is final",
    9: "a repetition is the same again",
    10: "in the order of acceptance",
    11: "silent clients delay nobody",
    12: "a topic replaces",
    13: "what is withdrawn does not come",
    14: "gone stays gone, and what lives is never gone",
    15: "a failing disk is said to be one, and is survived",
    16: "now or never, with TTL 0",
    17: "what has no room is refused",
    18: "callbacks: each event, once, in order, signed",
    19: "the updates of an engine lead to what it has",
    20: "updates come before the answer",
    21: "a fetch signal after each PUT",
    22: "a notification sounds once, and leaves the screen",
    23: "a restored backup has all that it must have",
    24: "wrong clocks change nothing",
    25: "no secret shows",
    26: "what was used is given back",
    27: "a topic has each message once, in order, and so do its readers",
    28: "what is scheduled comes in its time, and a question has one result",
    29: "what was deleted or closed is gone everywhere",
    "alive": "each start succeeds, and nothing ends by itself",
    "answered": "each push is answered",
    "restart": "a desktop whose bus ends is started again by its unit",
    "ring": "a button sends one request for each press",
}


def torture(figures):
    scenarios = figures["scenarios"]
    rows = []
    for one in scenarios:
        counts = ", ".join(f"{count:,} {what}" for what, count in one["counts"].items())
        origin = f"{one['date']}, `{one['commit']}`, seed {one['seed']}"
        verdict = "kept" if one["is_good"] else "**broken**"
        rows.append((one["scenario"], origin, one["seconds"], counts, verdict))
    heads = ("scenario", "when, which commit", "seconds", "what happened", "the promise was")
    text = (
        "The program under load, while everything around it fails ([torture.md](../torture.md)).\n\n"
        f"{table(heads, rows)}\nThe rules of the promise, and how often the checker could ask whether they hold:\n\n"
    )
    rules = []
    for number, what in RULES.items():
        cases = sum(one["cases"].get(str(number), 0) for one in scenarios)
        broken = sum(len(one["violations"].get(str(number), ())) for one in scenarios)
        rules.append((number, what, f"{cases:,}", broken))
    return "Torture", text + table(("rule", "", "cases", "broken"), rules), {}


def planted(figures):
    rows = [
        (f"`{one['mistake']}`", one["scenario"], RULES[one["rule"]], f"{one['violations']:,}", one["seconds"])
        if one["is_good"]
        else (f"`{one['mistake']}`", one["scenario"], RULES[one["rule"]], "**not found**", one["seconds"])
        for one in sorted(figures["mistakes"], key=lambda one: one["mistake"])
    ]
    text = (
        "Known mistakes that the server makes on purpose, one at a time, and whether the short torture finds each.\n\n"
    )
    heads = ("mistake", "scenario", "the rule that it breaks", "how often it was seen", "seconds")
    return "Mistakes that were planted", text + table(heads, rows), {}


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
