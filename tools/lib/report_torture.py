"""The parts of the report about torture."""

from markdown_table import table

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
    "alive": "each start succeeds, and nothing ends by itself",
    "answered": "each push is answered",
    "restart": "a desktop whose bus ends is started again by its unit",
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
