"""The parts of the report about what a push costs."""

from plots import lines, table


def push(figures):
    rows = [(one["name"], measured(one), bar(one), verdict(one)) for one in figures["figures"]]
    text = (
        f"The program as it is shipped beside others ([performance.md](../performance.md)), in {figures['rounds']} "
        f"rounds of {figures['seconds']:g} seconds: the medians, and the least and the most of a ratio.\n\n"
    )
    return "What a push costs", text + table(("figure", "measured", "bar", ""), rows), {}


def measured(one):
    around = " ({:.3g} to {:.3g})".format(*one["spread"]) if "spread" in one else ""
    return f"{amount(one['value'])} {one['unit']}".strip() + around


def amount(value):
    return f"{value:,.0f}" if value >= 1_000 else f"{value:.3g}"


def bar(one):
    if one["most"] is not None:
        return f"at most {one['most']:,g}"
    return f"at least {one['least']:,g}" if one["least"] is not None else ""


def verdict(one):
    if one["most"] is None and one["least"] is None:
        return ""
    is_reached = one["value"] <= one["most"] if one["most"] is not None else one["value"] >= one["least"]
    return "reached" if is_reached else "missed"


def sweep(figures):
    """A plot for each; the values of its axis are no even steps, so they are named below it."""
    text, plots = f"The CPU time of a push in microseconds, the median of {figures['rounds']} runs.\n", {}
    for one in figures["sweeps"]:
        name = f"sweep-{one['sweep']}.svg"
        values = ", ".join(f"{value:,}" for value in one["values"])
        plots[name] = lines(one["series"], "\u00b5s", f"{values} {one['axis']}")
        text += f"\n![by {one['axis']}]({name})\n"
    return "Cost against size", text, plots


def quick(figures):
    """What takes the instructions of each path, and the picture that was drawn when they were counted."""
    text = (
        "The instructions of the main paths, counted by `tools/bench quick` in a simulated processor, without "
        "the kernel's. A picture shows functions below their callers, each as wide as its share of the instructions. "
        "Blue are our modules; Swift is its runtime and its standard library.\n"
    )
    for name, one in figures["paths"].items():
        file = f"flame-{name.replace('_', '-')}.svg"
        takes = ", ".join(f"{part} {share:.0%}" for part, share in one["parts"].items() if share >= 0.01)
        title = one["title"][0].upper() + one["title"][1:]
        text += f"\n**{title}**: {one['thousands']:,.1f} thousand instructions.\n\n{takes}.\n"
        text += f"\n![{one['title']}]({file})\n"
    return "Where the instructions go", text, {}
