"""The parts of the report, a function for each: its title, its text and its plots, from the figures of one tool."""

from plots import lines, table
from report_bench import cluster, push, quick, sweep
from report_tests import coverage, mutants, planted, torture


def models(figures):
    rows = [
        (
            one["model"],
            f"{one['events']:,}",
            f"{one['sequences']:,}",
            f"{one['states']:,}",
            f"{one['milliseconds'] / 1000:.0f}",
            one["findings"],
        )
        for one in figures["models"]
    ]
    text = (
        f"State machines beside plain models of their promise ([proof.md](../proof.md)), with random events from seed "
        f"{figures['seed']} and all sequences of {figures['sequence_length']} events over a small alphabet.\n"
    )
    heads = ("model", "events", "sequences", "states visited", "seconds", "findings")
    return "Models", text + "\n" + table(heads, rows), {}


def soak(figures):
    curves = figures["curves"]
    pictures = {
        "soak-memory.svg": ("MiB", ("memory", "log of changes")),
        "soak-latency.svg": ("ms", ("answer, 99 %", "delivery, 99 %", "answer, middle")),
        "soak-work.svg": ("% of a core", ("processor",)),
    }
    text = (
        f"{figures['minutes']} minutes of moderate use ([torture.md](../torture.md#a-long-day)): {figures['pushes']:,} "
        "pushes.\n"
    )
    rows = [(name, *(f"{value:.1f}" for value in values)) for name, values in figures["quantities"].items()]
    images = "\n".join(f"![{unit}]({name})" for name, (unit, _) in pictures.items()) + "\n"
    plots = {
        name: lines({one: curves[one] for one in shown}, unit, f"{figures['minutes']} minutes")
        for name, (unit, shown) in pictures.items()
    }
    return "A long day", text + "\n" + table(("", "least", "middle", "most"), rows) + "\n" + images, plots


def suites(figures):
    rows = [
        (
            one["suite"],
            one["version"],
            one["what"],
            f"{one['cases']:,}",
            f"{one['passed']:,}",
            len(one["explained"]),
            len(one["failed"]),
            one["seconds"],
        )
        for one in figures["suites"]
    ]
    text = (
        f"Test programs and test cases of other people ([interop.md](../interop.md)), in the "
        f"{'long' if figures['long'] else 'short'} form.\n\n"
    )
    text += table(("suite", "version", "against", "cases", "passed", "explained", "failed", "seconds"), rows)
    reasons = {}
    for one in figures["suites"]:
        for case in one["explained"]:
            reasons.setdefault((one["suite"], case["why"]), []).append(case["case"])
    text += "\nWhat fails and is no mistake of ours:\n\n"
    cases = [(suite, ", ".join(sorted(set(names))), why) for (suite, why), names in reasons.items()]
    return "Other people's suites", text + table(("suite", "case", "why"), cases), {}


def fuzz(figures):
    targets = figures["targets"]
    columns = ("inputs", "processor", "edges", "features", "corpus")
    rows = [(one["target"], *(f"{one[name]:,}" for name in columns)) for one in targets]
    inputs, minutes = (sum(one[name] for one in targets) / unit for name, unit in (("inputs", 1), ("processor", 60)))
    text = (
        f"{inputs:,.0f} mutated inputs for {len(targets)} parsers in {minutes:.0f} minutes of processor time, under "
        "the address sanitizer, and with that for undefined behaviour in C. Edges are places of the code that were "
        f"reached; features also count how often. Targets that were broken: {figures['broken']}.\n\n"
    )
    heads = ("target", "inputs", "seconds of the processor", "edges", "features", "inputs that add to them")
    return "Fuzzing", text + table(heads, rows), {}


def attack(figures):
    columns = ("attack", "done", "bounds", "missed", "others")
    rows = [tuple(one[name] for name in columns) for one in figures["attacks"]]
    text = (
        f"Attacks and their bounds ([attacks.md](../attacks.md)), in the {'long' if figures['long'] else 'short'} "
        "form. The last column says how long 99 of 100 requests of others took meanwhile.\n\n"
    )
    heads = ("attack", "what was done", "bounds", "missed", "others")
    text += table(heads, rows)
    missed = [(one["bound"], one["measured"]) for one in figures["missed"]]
    return "Attacks", text + ("\n" + table(("bound that was missed", "measured"), missed) if missed else ""), {}


def broken(figures):
    rows = [(one["tool"], one["broken"], one["said"], one["date"]) for one in figures["rows"]]
    text = "A test that cannot fail proves nothing. Each of these was broken once, seen failing, and mended.\n\n"
    return "Each was broken on purpose once", text + table(("tool", "what was broken", "what it said", "day"), rows), {}


def long_forms(figures):
    rows = [
        (
            f"`{one['form']}`",
            f"{one['date']}, `{one['commit']}`",
            gate["gate"],
            f"{gate['seconds']:,}",
            f"{gate['processor']:,.0f}",
            "passed" if gate["passed"] else "failed",
        )
        for one in sorted(figures["forms"], key=lambda row: row["form"])
        for gate in one["gates"]
    ]
    text = "What `.ci/run --long FORM` found, which takes too long for each change.\n\n"
    heads = ("form", "when, which commit", "gate", "seconds", "of the processor", "how it ended")
    return "The long forms of the gates", text + table(heads, rows), {}


# In the order of the page.
PARTS = {
    "long": long_forms,
    "torture": torture,
    "planted": planted,
    "models": models,
    "soak": soak,
    "attack": attack,
    "suites": suites,
    "fuzz": fuzz,
    "mutants": mutants,
    "coverage": coverage,
    "push": push,
    "sweep": sweep,
    "cluster": cluster,
    "quick": quick,
    "broken": broken,
}
