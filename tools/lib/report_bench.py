"""The parts of the report about what a push costs, alone and in a cluster."""

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
        count = f"{one['thousands']:,.1f} thousand instructions, {one['hash']:,.1f} of them SHA-256"
        text += f"\n**{title}**: {count}.\n\n{takes}.\n"
        text += f"\n![{one['title']}]({file})\n"
    return "Where the instructions go", text, {}


LOADS = {
    "alone": "one after the other",
    "many": "256 under way",
    "pace": "200 a second",
    "all nodes": "85 under way at each node",
    "forgotten": "256 under way, with TTL 0",
    "removed": "delivered and acknowledged",
}
# For so many nodes the whole is calculated.
NODES = (1, 2, 3, 5, 8, 12)


def cluster(figures):
    terms = f"{figures['rounds']} rounds of {figures['seconds']:g} seconds"
    text = (
        "One server with SQLite, and nodes over three servers of NATS with three replicas, each write synced. Nodes, "
        "servers and senders share all cores. \u00b5s are those of the processor for each message, the medians of "
        f"{terms}.\n\n"
    )
    text += table(("figure", "measured", "bar", ""), [bar_row(one) for one in figures["figures"]])
    text += "\nPushes of 200 bytes to 200 absent clients, TLS and HTTP included, all sent to one node unless it says "
    text += "otherwise. After them the clients connect to that node and acknowledge everything:\n\n"
    heads = ("store", "load", "pushes a second", "the node that takes it", "each other node", "all nodes")
    text += table((*heads, "all of NATS", "half within", "99 % within"), [push_row(one) for one in figures["pushes"]])
    text += "\nA node with so many subscriptions, after `bellwire migrate` moved its store from SQLite, the medians "
    text += f"of {figures['growth'][0]['rounds']} rounds; then a new node with an empty folder"
    text += f"{origin(figures['growth'])}:\n\n"
    heads = ("subscriptions", "one after the other", "256 under way", "half within, 200 a second")
    heads += ("memory of the node", "its store", "memory of a server of NATS", "its disk")
    text += table((*heads, "the move", "nothing stored for", "the new node is ready after"), rows_of_growth(figures))
    return "What a cluster costs", text + "\n" + divided(figures), {}


def origin(rows):
    """What was measured on its own names its commit."""
    return f" (at commit `{rows[0]['commit']}`)" if "commit" in rows[0] else ""


def bar_row(one):
    return one["name"].removeprefix("cluster: ") + origin([one]), measured(one), bar(one), verdict(one)


def push_row(one):
    times = [f"{one[name]:.1f} ms" if name in one else "" for name in ("p50_ms", "p99_ms")]
    rate = f"{one['rate']:,.0f}" if "rate" in one else ""
    costs = [micro(one[name]) for name in ("taker_us", "follower_us", "nodes_us", "nats_us")]
    return (one["setup"], LOADS[one["load"]], rate, *costs, *times)


def micro(value):
    return f"{value:,.0f} \u00b5s" if value else ""


def rows_of_growth(figures):
    for one in figures["growth"]:
        yield (
            f"{one['subscriptions']:,}",
            micro(one["alone_us"]),
            micro(one["many_us"]),
            f"{one['p50_ms']:.1f} ms",
            *(f"{one[name]:,.0f} MiB" for name in ("rss_mib", "store_mib", "nats_mib", "nats_disk_mib")),
            f"{one['move_s']:.1f} s",
            f"{one['paused_ms'] / 1_000:.1f} s",
            f"{one['join_s']:.1f} s",
        )


def divided(figures):
    """What streams with a subject for each message would cost instead, and the sum of both ways by nodes."""
    text = (
        "The servers of NATS alone: messages of 200 bytes, each put into one of several streams on a subject of its "
        "own and then deleted; and the same messages, with 200 bytes more for the row, as entries of one log, 100 in "
        "each and one entry after the other. A small program in Python sends them, which limits the rates"
        f"{origin(figures['streams'])}:\n\n"
    )
    heads = ("where", "under way", "servers for a put", "puts a second", "servers for its removal", "removals a second")
    text += table(heads, [stream_row(one) for one in figures["streams"]])
    log, spread, streams = sums(figures)
    text += (
        "\nWhat all machines together use to store a message and to remove it, without TLS, HTTP and WebSockets, by "
        "the number of nodes. For the log: the node that takes it, less what a push with TTL 0 costs; the other nodes, "
        "which follow when it is stored; all nodes, as if they followed, when it is removed; and the servers. For "
        "streams: the cheapest row above, and nothing for the nodes, whose part was not measured.\n\n"
    )
    rows = [(count, micro(log(count)), micro(streams)) for count in NODES]
    rows.insert(NODES.index(3) + 1, ("3, each of which takes pushes", micro(spread), micro(streams)))
    return text + table(("nodes", "one log", "streams"), rows)


def stream_row(one):
    where = {"log": "one log", 1: "one stream"}.get(one["streams"], f"{one['streams']} streams")
    removal = (micro(one["delete_us"]), f"{one['deletes']:,.0f}") if "deletes" in one else ("", "")
    return (where, f"{one['window']:,}", micro(one["put_us"]), f"{one['puts']:,.0f}", *removal)


def sums(figures):
    """What a message costs in the log, by the number of nodes and if three take pushes at once, and in streams."""
    found = {(one["setup"], one["load"]): one for one in figures["pushes"]}
    stored, removed = found["three nodes", "many"], found["three nodes", "removed"]
    forgotten, at_all = found["sqlite", "forgotten"]["taker_us"], found["three nodes", "all nodes"]
    taking = found["one node", "many"]["taker_us"] - forgotten
    servers = stored["nats_us"] + removed["nats_us"]
    spread = at_all["nodes_us"] - forgotten + at_all["nats_us"] + 3 * removed["follower_us"] + removed["nats_us"]
    cheapest = min(one["put_us"] + one["delete_us"] for one in figures["streams"] if "delete_us" in one)

    def log(count):
        return taking + servers + (count - 1) * stored["follower_us"] + count * removed["follower_us"]

    return log, spread, cheapest
