"""Where a path spends its instructions: a tree of functions, from what callgrind counted with the callers of each."""

import collections
import pathlib
import re
import subprocess

# So many callers of a function make it another one for callgrind.
OPTIONS = ("--separate-callers=99",)
# Smaller parts of the whole are left out, and so are functions that do hardly anything but call one other.
LEAST, ALONE = 0.008, 0.98


def stacks(text):
    """The instructions of each stack, the outermost function first, and the library of each function."""
    names, libraries = {"ob": {}, "fn": {}}, {}
    costs = collections.Counter()
    is_call, library, stack = False, "", ()
    for line in text.splitlines():
        word, _, rest = line.partition("=")
        if word in ("ob", "fn", "cob", "cfn"):
            # A name is written once, behind its number.
            number, _, name = rest.partition(" ")
            known = names[word[-2:]]
            known.setdefault(number, name)
            if word == "ob":
                library = known[number]
            elif word == "fn":
                # A number tells how often a function is in its own stack.
                stack = tuple(one for one in reversed(known[number].split("'")) if not one.isdigit())
                libraries.setdefault(stack[-1], library)
        elif word == "calls":
            is_call = True
        elif line[:1].isdigit() or line[:1] in "+-*":
            if not is_call:
                costs[stack] += int((line.split() + ["0", "0"])[1])
            is_call = False
    return costs, libraries


def cost_below(text, start):
    """The instructions of functions without names that are called by those whose names start so."""
    names, cost, caller, called, is_call = {}, 0, "", "", False
    for line in text.splitlines():
        word, _, rest = line.partition("=")
        if word in ("fn", "cfn"):
            number, _, name = rest.partition(" ")
            name = names.setdefault(number, name)
            caller, called = (name, called) if word == "fn" else (caller, name)
        elif is_call and caller.startswith(start) and called.startswith("0x"):
            cost += int(line.split()[1])
        is_call = word == "calls"
    return cost


def tree(costs, libraries):
    """What each function takes in each stack, as parts of the whole."""
    whole = sum(costs.values())
    root = {"name": "all", "part": "", "share": 0, "of": {}}
    for stack, cost in costs.items():
        node = root
        node["share"] += cost / whole
        for name in stack:
            new = {"name": name, "part": part(libraries.get(name, ""), name), "share": 0, "of": {}}
            node = node["of"].setdefault(name, new)
            node["share"] += cost / whole
    return pruned(root)


def pruned(node):
    parts = [pruned(one) for one in node["of"].values() if one["share"] >= LEAST]
    if len(parts) == 1 and parts[0]["share"] >= ALONE * node["share"] and node["part"]:
        return parts[0]
    parts.sort(key=lambda one: -one["share"])
    return node | {"share": round(node["share"], 4), "of": parts}


def shares(costs, libraries):
    """What each library and each of our modules takes itself."""
    whole, takes = sum(costs.values()), collections.Counter()
    for stack, cost in costs.items():
        if stack:
            takes[part(libraries.get(stack[-1], ""), stack[-1])] += cost / whole
    return {name: round(share, 4) for name, share in takes.most_common()}


LIBRARIES = {
    "libcrypto": "OpenSSL",
    "libssl": "OpenSSL",
    "libsqlite": "SQLite",
    "libnghttp2": "nghttp2",
    "libc.": "libc",
    "ld-": "libc",
    "lib": "other libraries",
}


def part(library, name):
    """The library of a function, or its module if it is one of ours."""
    file = pathlib.Path(library).name
    found = next((title for start, title in LIBRARIES.items() if file.startswith(start)), None)
    if found:
        return found
    mangled = re.match(r"\$s(\d+)(\w+)", name)
    module = mangled[2][: int(mangled[1])] if mangled else ""
    return module or ("Swift" if name.startswith(("$s", "swift_", "_swift_")) else "C")


def walk(node):
    yield node
    for one in node["of"]:
        yield from walk(one)


def make_readable(trees):
    """Names as people write them, in place."""
    nodes = [node for one in trees for node in walk(one)]
    command, names = ["swift", "demangle", "--simplified"], "\n".join(node["name"] for node in nodes)
    found = subprocess.run(command, input=names, capture_output=True, text=True, check=True).stdout.splitlines()
    for node, name in zip(nodes, found, strict=True):
        node["name"] = re.sub(r"^specialized |^merged |\([\w:]*\)", "", name)[:80]


def profile(texts):
    """For each of the named texts of callgrind its tree, and what each library and module takes."""
    found = {}
    for name, text in texts.items():
        counted = stacks(text)
        found[name] = {"tree": tree(*counted), "parts": shares(*counted)}
    make_readable([one["tree"] for one in found.values()])
    return found
