"""Builds the copy that holds the mutants, without those that do not compile."""

import os
import pathlib
import re
import subprocess

from mutant_tree import FOLDER, ROOT, TREE, copy

ERROR = re.compile(r"^(/\S[^:\n]*\.swift):(\d+):\d+: error: (.*)$", re.M)


def build(those, say, tries=20):
    """Builds the tests with these mutants. Those that do not compile are left out; returns the others."""
    command = ["swift", "build", "--build-tests", "--disable-xctest", "-Xswiftc", "-gnone"]
    command += ["-Xswiftc", "-continue-building-after-errors", "--scratch-path", FOLDER / "build"]
    for attempt in range(tries):
        lines = copy(those)
        # The compiler alone finds all that does not compile at once; a build ends with the first module.
        broken = checked(those, lines) if attempt == 0 else set()
        if not broken:
            made = subprocess.run(command, cwd=TREE, capture_output=True, text=True, timeout=3600)
            if made.returncode == 0:
                return those
            broken = blamed(made.stdout + made.stderr, lines)
        if not broken:
            text = "\n".join(errors(made.stdout + made.stderr)[:20])
            raise RuntimeError(f"the copy in {TREE} does not build:\n{text}")
        say(f"{len(broken)} mutants do not compile and are left out")
        those = [place for place in those if place["number"] not in broken]
    raise RuntimeError(f"too many mutants do not compile after {tries} builds")


def checked(those, lines):
    """The mutants that do not compile, as far as the modules of a former build let us know."""
    builds = [(TREE, FOLDER / "build/debug"), (ROOT, ROOT / ".build/debug")]
    found = next(((package, folder) for package, folder in builds if (folder / "Modules").exists()), None)
    if found is None:
        return set()
    package, folder = found
    words = ["swiftc", "-frontend", "-emit-sil", "-o", "/dev/null", "-swift-version", "6", "-enable-testing"]
    words += ["-D", "DEBUG", "-D", "PLANTED", "-package-name", package.name.lower(), "-I", folder / "Modules"]
    for feature in ("ExistentialAny", "InternalImportsByDefault"):
        words += ["-enable-upcoming-feature", feature]
    made = [folder / f"{name}.build/module.modulemap" for name in ("CNats", "CShims")]
    for file in [*ROOT.glob("Sources/C*/module.modulemap"), *filter(pathlib.Path.exists, made)]:
        words += ["-Xcc", f"-fmodule-map-file={file}"]
    broken = set()
    for module in sorted({place["module"] for place in those}):
        files = sorted((TREE / "Sources" / module).rglob("*.swift"))
        made = subprocess.run([*words, "-module-name", module, *files], capture_output=True, text=True, timeout=900)
        # An error where no mutant is means that the build is an old one, and tells nothing.
        broken |= blamed(made.stdout + made.stderr, lines, nearest=False)
    return broken


def errors(output):
    return [line for line in output.splitlines() if "error:" in line and not line.lstrip().startswith(("|", "`"))]


def blamed(output, lines, nearest=True):
    """The mutants on whose lines the compiler found errors. If none is there, the nearest above is, or none at all."""
    numbers = set()
    for path, line, _ in ERROR.findall(output):
        spans = lines.get(os.path.relpath(path, TREE), {})
        there = {number for number, (first, last) in spans.items() if first <= int(line) <= last}
        if not there and not nearest:
            return set()
        above = sorted((first, number) for number, (first, _) in spans.items() if first <= int(line))
        numbers |= there or {number for _, number in above[-1:]}
    return numbers
