"""Where the code may be mutated, and the copy of the project that holds the mutants."""

import collections
import json
import os
import pathlib
import random
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / ".build-mutants"
TREE = FOLDER / "tree"

# Whole modules, and the folders of others whose values open nothing and read no clock.
PURE = {
    "Base": ["Base"],
    "WebPush": ["WebPush"],
    "Notifications": ["Notifications"],
    "Topics": ["Topics"],
    "Delivery": ["Delivery"],
    "Pictures": ["Pictures"],
    "Terminal": ["Terminal"],
    "Configuration": ["Configuration"],
    "StatusPage": ["StatusPage"],
    "Crypto": ["Crypto/TLS/Records"],
    "HTTP": ["HTTP/HTTP1", "HTTP/HTTP2", "HTTP/Message", "HTTP/WebSocket"],
    "Desktop": ["Desktop/Messages", "Desktop/Distributor", "Desktop/Link", "Desktop/Presenter"],
}

# A file of those folders that imports one of these is a shell around a value. It is mutated where tests hold both ends
# of its sockets.
SHELL = re.compile(r"^(\w+ )?import (System|Glibc|SQLite|Bus|C[A-Z]\w*|Synchronization)$", re.M)
WITH_SHELLS = {"Crypto"}

# Tests see what the modules import that they test, so this file imports nothing.
SWITCH = """/// Which mutant is on. It is read once.
enum Mutant {
    static let chosen = environment("BELLWIRE_MUTANT").flatMap { Int(String(cString: $0)) } ?? 0

    @_silgen_name("getenv")
    private static func environment(_ name: UnsafePointer<CChar>) -> UnsafePointer<CChar>?

    static func on(_ number: Int) -> Bool { chosen == number }

    static func never<Value>() -> Value { fatalError("the value is needed") }
}
"""


def sources():
    """The files that may be mutated."""
    return [
        file
        for module, folders in PURE.items()
        for folder in folders
        for file in sorted((ROOT / "Sources" / folder).rglob("*.swift"))
        if module in WITH_SHELLS or not SHELL.search(file.read_text())
    ]


def build_finder():
    """Builds the program that finds the places; the parser is that of the Swift that is installed."""
    source, program = ROOT / "tools/lib/mutant_places.swift", FOLDER / "places"
    if program.exists() and program.stat().st_mtime > source.stat().st_mtime:
        return program
    FOLDER.mkdir(exist_ok=True)
    text = subprocess.check_output(["swiftc", "-print-target-info"], text=True)
    host = pathlib.Path(json.loads(text)["paths"]["runtimeResourcePath"]) / "host"
    words = ["-I", host, "-L", host, "-lSwiftSyntax", "-lSwiftParser", "-lSwiftOperators"]
    words += ["-Xlinker", "-rpath", "-Xlinker", host]
    subprocess.run(["swiftc", "-O", source, *words, "-o", program], check=True, timeout=600)
    return program


def places():
    """All places that may be mutated."""
    command = [build_finder(), *(file.relative_to(ROOT) for file in sources())]
    text = subprocess.check_output(command, cwd=ROOT, text=True, timeout=300)
    found, lines = [json.loads(line) for line in text.splitlines()], {}
    for place in found:
        file = place["file"]
        lines[file] = lines.get(file) or (ROOT / file).read_text().split("\n")
        place |= {"module": file.split("/")[1], "code": lines[file][place["line"] - 1].strip()}
    return found


def sample(found, count, seed, modules):
    """As many places of each kind, if there are as many, that do not overlap. They get numbers from 1."""
    dice = random.Random(seed)
    kinds = collections.defaultdict(list)
    for place in found:
        if not modules or place["module"] in modules:
            kinds[place["kind"]].append(place)
    for those in kinds.values():
        dice.shuffle(those)
    taken, spans = [], collections.defaultdict(list)
    while any(kinds.values()) and len(taken) < count:
        for kind in sorted(kinds):
            place = next_free(kinds[kind], spans)
            if place and len(taken) < count:
                taken.append(place | {"number": len(taken) + 1})
    return taken


def next_free(those, spans):
    """Takes the next place that overlaps none that was taken."""
    while those:
        place = those.pop()
        span = (place["start"], place["end"])
        if all(span[1] <= start or end <= span[0] for start, end in spans[place["file"]]):
            spans[place["file"]].append(span)
            return place
    return None


def mutated(text, those):
    """The file's bytes with its mutants, and the lines on which each of them now is."""
    lines, end = {}, len(text)
    for place in sorted(those, key=lambda place: -place["start"]):
        new = place["text"].replace("§", f"Mutant.on({place['number']})").encode()
        text = text[: place["start"]] + new + text[place["end"] :]
    shift = 0
    for place in sorted(those, key=lambda place: place["start"]):
        length = len(place["text"].replace("§", f"Mutant.on({place['number']})").encode())
        start = place["start"] + shift
        first = text.count(b"\n", 0, start) + 1
        lines[place["number"]] = (first, first + text.count(b"\n", start, start + length))
        shift += length - (place["end"] - place["start"])
    assert end + shift == len(text)
    return text, lines


def write(path, content):
    """Writes the file if it has to change, so that what did not change need not be built."""
    if path.exists() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def link(path, target):
    """Makes the path a symbolic link, if it is no such link."""
    if path.is_symlink() and os.readlink(path) == target:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.symlink_to(target)


def copy(those):
    """Makes the copy, and returns the lines of each mutant by file."""
    names = subprocess.check_output(["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=ROOT, text=True)
    names = {name for name in names.split("\0") if name and ((ROOT / name).is_file() or (ROOT / name).is_symlink())}
    lines, by_file = {}, collections.defaultdict(list)
    for place in those:
        by_file[place["file"]].append(place)
    for name in names:
        if (ROOT / name).is_symlink():
            link(TREE / name, os.readlink(ROOT / name))
            continue
        content = (ROOT / name).read_bytes()
        if name == "Package.swift":
            # A mutant may well leave something unused.
            content = content.replace(b".treatAllWarnings(as: .error),", b"")
        if name in by_file:
            content, lines[name] = mutated(content, by_file[name])
        write(TREE / name, content)
        (TREE / name).chmod((ROOT / name).stat().st_mode & 0o777)
    for module in PURE:
        write(TREE / "Sources" / module / "Mutant.swift", SWITCH.encode())
        names.add(f"Sources/{module}/Mutant.swift")
    for folder in ("Sources", "Tests"):
        for file in (TREE / folder).rglob("*"):
            if (file.is_file() or file.is_symlink()) and str(file.relative_to(TREE)) not in names:
                file.unlink()
    return lines
