"""The power cuts can lose something: a program that is not careful enough, and what is left of its files.

Each story is a program that a server could be. It runs with power.c, and then the power fails.
"""

import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.append(__file__.rsplit("/", 3)[0])

from machine.disk import NEVER, Cut, File, write
from machine.power import HEAD, MARK, WRITE, Power, is_under_way, records

BEGIN = """
import os
os.mkdir("state")
root, state = os.open(".", os.O_RDONLY), os.open("state", os.O_RDONLY)
os.fsync(root)
def make(name, text="new"):
    file = os.open(os.getcwd() + "/state/" + name, os.O_WRONLY | os.O_CREAT, 0o600)
    os.write(file, text.encode())
    return file
def move(old, new):
    os.rename(os.getcwd() + "/state/" + old, os.getcwd() + "/state/" + new)
former = make("former", "old")
os.fsync(former)
os.fsync(state)
""".replace('os.mkdir("state")', 'os.mkdir(os.getcwd() + "/state")')


def die(operation):
    """A kill at that moment: it is in the journal, and what became of it is not."""
    return f'os.pwrite(os.open(os.environ["POWER"], os.O_WRONLY), (1).to_bytes(8, "little"), 0); {operation}'


# What it is, the program, whether the disk is ext4, and what each cut may leave in the folder.
STORIES = [
    ("everything is synced", 'os.fsync(make("a")); os.fsync(state)', False, [{"a": "new", "former": "old"}]),
    (
        "a file without a sync",
        'make("a"); os.fsync(state)',
        False,
        [{"a": "new", "former": "old"}, {"a": "", "former": "old"}, {"a": "\0\0\0", "former": "old"}],
    ),
    ("a name without a sync", 'os.fsync(make("a"))', False, [{"a": "new", "former": "old"}, {"former": "old"}]),
    ("a name that comes with its file", 'os.fsync(make("a"))', True, [{"a": "new", "former": "old"}]),
    (
        "a file that replaces another, with care",
        'os.fsync(make("a")); move("a", "former"); os.fsync(state)',
        False,
        [{"former": "new"}],
    ),
    (
        "a file that replaces another, without a sync of the folder",
        'os.fsync(make("a")); os.fsync(state); move("a", "former")',
        True,
        [{"former": "new"}, {"a": "new", "former": "old"}],
    ),
    ("a file that is removed", 'os.unlink(os.getcwd() + "/state/former")', False, [{}, {"former": "old"}]),
    (
        "a file that is written twice and synced once",
        'os.pwrite(former, b"1", 0); os.fsync(former); os.pwrite(former, b"2", 0)',
        False,
        [{"former": "1ld"}, {"former": "2ld"}],
    ),
    (
        "a file that is cut off and written again",
        'os.ftruncate(former, 0); os.pwrite(former, b"x", 1)',
        False,
        [{"former": one} for one in ("old", "", "\0x", "\0\0\0", "\0\0", "ol", "\0x\0")],
    ),
    (
        "a file that grows and is cut off before its sync",
        'os.pwrite(former, b"x" * 2000, 0); os.ftruncate(former, 1); os.fsync(former)',
        False,
        [{"former": "x"}],
    ),
    (
        "two names of a file",
        'os.link(os.getcwd() + "/state/former", os.getcwd() + "/state/b"); os.fsync(state)',
        False,
        [{"former": "old", "b": "old"}],
    ),
    (
        "a sync that never ends",
        'make("a"); os.fsync(state); os.kill(os.getpid(), 9)',
        False,
        [{"a": "new", "former": "old"}, {"a": "", "former": "old"}, {"a": "\0\0\0", "former": "old"}],
    ),
    (
        "a kill while a folder is made that is there",
        die("os.mkdir(os.getcwd() + '/state')"),
        False,
        [{"former": "old"}],
    ),
    ("a kill while the folder above it is made", die("os.mkdir(os.getcwd())"), False, [{"former": "old"}]),
]


def play(program, is_ext4):
    """What is left after each of some cuts."""
    with tempfile.TemporaryDirectory() as folder:
        folder, found = pathlib.Path(folder), []
        power = Power(folder)
        power.is_ext4 = is_ext4
        environment = {**os.environ, "LD_PRELOAD": str(power.library), **power.environment()}
        done = subprocess.run([sys.executable, "-c", BEGIN + program], cwd=folder, env=environment)
        if done.returncode not in (0, -9):
            raise SystemExit(f"the program failed: {program}")
        power.fold()
        power.compare()
        for seed in range(60):
            cut, left = Cut(random.Random(seed), power.moment, is_ext4), folder / str(seed)
            write(left, power.root.after(cut)["state"], cut, {})
            found.append({one.name: one.read_text() for one in left.iterdir()})
        return found


def is_lost_after_a_failed_sync():
    """Whether bytes that the disk refused may be lost although a later sync succeeded, and newer ones may not."""
    file, cut = File(b"old"), Cut(random.Random(1), 9)
    cut.moment = NEVER
    file.write(1, 0, b"new")
    file.sync_failed(2)
    file.synced(3)
    refused = file.after(cut)
    file.write(4, 0, b"New" * 1000)
    file.resize(5, 3)
    file.synced(6)
    return (refused, file.after(cut)) == (b"old", b"New")


def skips_what_was_torn():
    """Whether of two processes' records those are found that are whole, wherever one was killed while it wrote."""
    whole = [HEAD.pack(MARK, WRITE, 2, serial, 7, 0, 3) + b"/aabc" for serial in (1, 2, 3)]
    serials = [
        [record[1] for record in records(whole[0] + whole[1][:cut] + rest)]
        for cut in range(len(whole[1]))
        for rest in (whole[2], b"")
    ]
    return serials == [[1, 3], [1]] * len(whole[1])


def takes_a_part_of_a_write():
    """Whether a file may end between two pages of the last write, and may not hold anything else."""
    file = File(b"a" * 100)
    file.write(1, 100, b"b" * 8_000)
    part = file.whole()[:4_096]
    return [is_under_way(file, one) for one in (part, b"a" * 100, b"a" * 99, b"c" + part[1:])] == [
        True,
        True,
        False,
        False,
    ]


def main():
    wrong = 0
    if not takes_a_part_of_a_write():
        wrong += 1
        print("MISS  a write that was cut off")
    if not skips_what_was_torn():
        wrong += 1
        print("MISS  a record that was torn")
    for name, program, is_ext4, expected in STORIES:
        found = play(program, is_ext4)
        for one in found:
            if one not in expected:
                wrong += 1
                print(f"MISS  {name}: {one}")
        missing = [one for one in expected if one not in found]
        if len(missing) > max(0, len(expected) - 2):
            wrong += 1
            print(f"MISS  {name}: never left {missing}")
    if not is_lost_after_a_failed_sync():
        wrong += 1
        print("MISS  a sync that failed")
    print(f"power cuts: {len(STORIES)} programs, {len(Cut.SHAPES)} kinds of loss, {wrong} wrong")
    return 1 if wrong else 0


sys.exit(main())
