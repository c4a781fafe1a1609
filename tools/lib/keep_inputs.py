"""Adds inputs of a fuzzer to the seeds of a target: those that reach most of what the seeds do not.

usage: keep_inputs.py CONTROL_FILE SEEDS FILES BYTES

The control file is that of libFuzzer's -set_cover_merge=1: what each input reaches. At most so many files and bytes are
in SEEDS afterwards. What was there before stays.
"""

import hashlib
import pathlib
import sys


def reached(control):
    """The features that each input reaches, by its path."""
    lines = control.read_text().splitlines()
    count = int(lines[0])
    paths, features = [pathlib.Path(line) for line in lines[2 : 2 + count]], {}
    for line in lines[2 + count :]:
        kind, index, *numbers = line.split()
        if kind == "FT":
            features[paths[int(index)]] = set(numbers)
    return features


def chosen(features, seeds, files, room):
    """One input after the other: the one that reaches most, and of two the smaller one."""
    known = set().union(*(found for path, found in features.items() if path.parent == seeds))
    rest = {path: found for path, found in features.items() if path.parent != seeds}
    while files > 0:
        rest = {path: found - known for path, found in rest.items() if path.stat().st_size <= room}
        if not rest:
            return
        best = max(rest, key=lambda path: (len(rest[path]), -path.stat().st_size))
        if not rest[best]:
            return
        yield best
        known |= rest.pop(best)
        files, room = files - 1, room - best.stat().st_size


def main():
    control, seeds, files, room = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), *map(int, sys.argv[3:])
    present = list(seeds.iterdir())
    room -= sum(path.stat().st_size for path in present)
    for path in chosen(reached(control), seeds, files - len(present), room):
        data = path.read_bytes()
        (seeds / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)


if __name__ == "__main__":
    main()
