"""Power cuts: after a server was killed, its disk forgets what was not synced.

power.c notes what every process of ours writes, and this module keeps a model of the disk from it (disk.py).
"""

import itertools
import mmap
import os
import pathlib
import shutil
import stat
import struct
import subprocess

from machine.disk import NEVER, SECTOR, Cut, File, Folder, read, write

HERE = pathlib.Path(__file__).parent
WRITE, SIZE, MAKE, FOLDER, LINK, UNLINK, RENAME, SYNC, MAP, RESULT = range(1, 11)
HEAD, MARK = struct.Struct("8sIIQQqQ"), 0x7B9E41D35AC8F206.to_bytes(8, "little")


def records(data):
    """Kind, serial number, node, place, path and bytes of each. Of a process that was killed, the end of the last one
    may be missing, and then it was not done.
    """
    at = data.find(MARK)
    while at >= 0:
        later = data.find(MARK, at + len(MARK))
        limit = later if later >= 0 else len(data)
        if at + HEAD.size <= limit:
            _, kind, path, serial, node, place, size = HEAD.unpack_from(data, at)
            end = at + HEAD.size + path + size
            if end <= limit:
                yield kind, serial, node, place, data[end - path - size : end - size].decode(), data[end - size : end]
        at = later


def last_syncs(found, results, moment):
    """For each file the moment of its last sync that succeeded; the journal begins after `moment`. Of a file with a
    sync that failed, or whose number another file had before, nothing is known beforehand.
    """
    last, unknown = {}, set()
    for at, (kind, serial, node, *_) in enumerate(found, moment + 1):
        made, result = results.get(serial, (0, None))
        if kind == MAKE and made in last or kind == SYNC and result not in (0, None):
            unknown |= {made, node}
        if kind == MAKE:
            last[made] = NEVER
        elif kind == SYNC and result == 0:
            last[node] = at
        elif kind in (WRITE, SIZE):
            last.setdefault(node, NEVER)
    return {node: at for node, at in last.items() if node not in unknown}


class Power:
    # Of the folders in the stage's folder, these are the server's.
    NAMES = ("state", "keys", "safe")
    is_ext4 = False

    def __init__(self, folder):
        self.folder = folder
        self.library, self.page_file, self.journal = folder / "power.so", folder / "power", folder / "journal"
        source = HERE / "power.c"
        subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", self.library, source, "-ldl"], check=True)
        self.page_file.write_bytes(bytes(8))
        with open(self.page_file, "r+b") as file:
            self.page = mmap.mmap(file.fileno(), 8)
        self.settle()

    def environment(self):
        return {"POWER": str(self.page_file), "POWER_JOURNAL": str(self.journal), "POWER_FOLDER": str(self.folder)}

    def fail_after(self, operations):
        """A process dies after that many operations on the files; zero for never."""
        self.page[:8] = struct.pack("q", operations)

    def settle(self):
        """Everything on the disk is there to stay. Nobody may be writing."""
        self.journal.write_bytes(b"")
        self.moment, self.root, self.by_number, self.folders = 0, Folder(), {}, []
        # Syncs without a result; and what each process did last, which may not have happened.
        self.syncs, self.latest = {}, {}
        for name in self.NAMES:
            if (self.folder / name).exists():
                self.root.sure[name] = read(self.folder / name, self.by_number, self.folders)
        self.root.now = dict(self.root.sure)
        self.folders.append(self.root)

    def adopt(self, name):
        """The test itself has made a folder, which is there to stay."""
        self.root.sure[name] = self.root.now[name] = read(self.folder / name, self.by_number, self.folders)

    def cut(self, random):
        """The power fails, after the processes were killed. What is lost of the unsynced, and the files concerned."""
        self.fail_after(0)
        self.fold()
        self.compare()
        self.read_mapped()
        cut, written = Cut(random, self.moment, self.is_ext4), {}
        before = {name: file.whole() for name, file in self.files()}
        for name in self.NAMES:
            shutil.rmtree(self.folder / name, ignore_errors=True)
        for name, one in self.root.after(cut).items():
            write(self.folder / name, one, cut, written)
        self.settle()
        after = {name: file.whole() for name, file in self.files()}
        return cut.shape, sorted(name for name in before | after if before.get(name) != after.get(name))

    def remove(self, path):
        """The test itself removes a file."""
        self.fold()
        self.moment += 1
        self.change_folder(UNLINK, 0, path, "")
        path.unlink(missing_ok=True)

    def files(self, folder=None, path=""):
        """Everything that the system shows, with its path."""
        for name, one in (folder or self.root).now.items():
            if isinstance(one, Folder):
                yield from self.files(one, f"{path}{name}/")
            else:
                yield path + name, one

    def read_mapped(self):
        for name, file in self.files():
            if file.is_mapped and (self.folder / name).exists():
                data = (self.folder / name).read_bytes()
                file.resize(self.moment, len(data))
                file.write(self.moment, 0, data)

    def fold(self):
        """Moves the journal into the model."""
        found = list(records(self.journal.read_bytes()))
        self.journal.write_bytes(b"")
        results = {serial: (node, place) for kind, serial, node, place, *_ in found if kind == RESULT}
        self.sure = last_syncs(found, results, self.moment)
        for kind, serial, node, place, path, data in found:
            self.moment += 1
            self.latest[serial >> 32] = None
            # There is a result if it was not done, or only in part; and the number of a new file.
            made, result = results.get(serial, (0, len(data)))
            if kind == RESULT:
                self.finish_sync(serial, place)
            elif kind == SYNC:
                self.syncs[serial] = (self.look(path) if path else self.by_number.get(node), self.moment)
            elif kind in (WRITE, SIZE, MAP) and result >= 0:
                self.latest[serial >> 32] = self.change_file(kind, node, place, data[:result])
            elif result >= 0:
                self.latest[serial >> 32] = self.change_folder(kind, made, path, data.decode())

    def finish_sync(self, serial, result):
        one, until = self.syncs.pop(serial, (None, 0))
        if one and result == 0:
            one.synced(until)
            named = until if isinstance(one, Folder) else one.named
            for folder in self.folders if self.is_ext4 else []:
                folder.synced(named)
        elif isinstance(one, File):
            one.sync_failed(until)

    def change_file(self, kind, node, place, data):
        file = self.by_number.get(node)
        if file and kind == MAP:
            file.is_mapped = True
        elif file and self.sure.get(node, NEVER) > self.moment:
            file.synced(self.moment)
            file.write_surely(place, data) if kind == WRITE else file.resize_surely(place)
        elif file:
            file.write(self.moment, place, data) if kind == WRITE else file.resize(self.moment, place)
        return file

    def change_folder(self, kind, node, path, former):
        """What it was done to: the paths."""
        path, former = pathlib.Path(path), pathlib.Path(former or path)
        folder = self.look(path.parent)
        if folder is None or (folder is self.root and path.name not in self.NAMES):
            return None
        if kind in (MAKE, FOLDER, LINK) and path.name in folder.now:
            # It was refused, and the process was killed before it could note that.
            return None
        if kind == UNLINK:
            folder.change(self.moment, {path.name: None})
        elif kind in (LINK, RENAME):
            one = self.look(former)
            entries = {path.name: one}
            if kind == RENAME and former.parent == path.parent:
                entries[former.name] = None
            elif kind == RENAME:
                self.look(former.parent).change(self.moment, {former.name: None})
            if one:
                folder.change(self.moment, entries)
        else:
            one = File() if kind == MAKE else Folder()
            folder.change(self.moment, {path.name: one})
            self.folders += [one] if kind == FOLDER else []
            self.by_number |= {node: one} if kind == MAKE else {}
        return {str(path.relative_to(self.folder)), str(former.relative_to(self.folder))}

    def look(self, path):
        """What the system shows there; None if it is not the server's."""
        path, one = pathlib.Path(os.path.normpath(path)), self.root
        if not path.is_relative_to(self.folder):
            return None
        for name in path.relative_to(self.folder).parts:
            one = one.now.get(name) if isinstance(one, Folder) else None
        return one

    def compare(self):
        """Fails if something has changed the files that power.c did not see."""
        doubtful = [one for one in self.latest.values() if one]
        paths = set().union(*(one for one in doubtful if isinstance(one, set)))
        shown, found = dict(self.files()), dict(self.on_disk())
        for name in (shown.keys() | found.keys()) - paths:
            file, data = shown.get(name), found.get(name)
            if file is None or data is None:
                raise SystemExit(f"torture: {name}: the journal says {file}, and there is {data and len(data)}")
            if not file.is_mapped and data != file.whole() and not (file in doubtful and is_under_way(file, data)):
                raise SystemExit(
                    f"torture: {name} was changed by something that is not in the journal: {difference(file, data)}"
                )

    def on_disk(self):
        for name in self.NAMES:
            for path in (self.folder / name).rglob("*"):
                if stat.S_ISREG(path.lstat().st_mode):
                    yield str(path.relative_to(self.folder)), path.read_bytes()


def difference(file, data):
    """Sizes, and the sectors that are not as the journal says."""
    expected = file.whole()
    sectors = [
        at // SECTOR
        for at in range(0, max(len(expected), len(data)), SECTOR)
        if expected[at : at + SECTOR] != data[at : at + SECTOR]
    ]
    return f"{len(data)} bytes instead of {len(expected)}, {len(sectors)} sectors: {sectors[:20]}"


def is_under_way(file, data):
    """The last change has happened, or nothing, or a part of it: a kill can end a write between two pages."""
    moments = [one[0] for one in itertools.chain(file.sizes, *file.sectors.values())]
    versions = [file.whole(), file.whole(max(moments, default=NEVER) - 1)]
    sizes = [len(one) for one in versions]
    return min(sizes) <= len(data) <= max(sizes) and all(
        any(data[at : at + SECTOR] == one[at : at + SECTOR][: len(data) - at] for one in versions)
        for at in range(0, len(data), SECTOR)
    )
