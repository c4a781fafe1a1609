"""What a disk holds: what is surely on it, and what was written since then and may be lost when the power fails.

A file is seen in sectors. While nothing syncs it, the system may write any of its pages at any time, so after a power
cut each page shows a moment of its own, and so does the size. An entry of a folder is sure once the folder was synced
(`strict`), or also once a file was synced that got this name or a later one (`ext4`, whose journal keeps the order).
"""

import itertools
import os
import stat

SECTOR, PAGE = 512, 8
NEVER = -1


class Cut:
    """What a power cut loses. After `moment` nothing survives. If it is None, each page and each entry has a moment of
    its own, which is the newest with the probability `luck`; on ext4 all entries have the same moment.
    """

    SHAPES = ("all of it", "none of it", "its end", "parts of it")

    def __init__(self, random, last, is_ext4=False):
        self.random, self.shape = random, random.choice(self.SHAPES)
        end = random.randint(0, max(0, last))
        self.moment = dict(zip(self.SHAPES, [NEVER, last, end, None]))[self.shape]
        self.luck, self.is_torn = random.choice([0.1, 0.5, 0.9]), random.random() < 0.5
        self.entries = end if is_ext4 and self.moment is None else self.moment

    def pick(self, moments):
        """The moment that something shows, of which there are versions from these moments."""
        if self.moment is not None:
            return self.moment
        return max(moments) if self.random.random() < self.luck else self.random.choice([NEVER, *moments])

    def keeps(self, moment):
        return moment <= self.entries if self.entries is not None else self.random.random() < self.luck


class File:
    def __init__(self, data=b"", mode=0o600):
        self.data, self.mode = bytearray(data), mode
        # The versions of each sector and of the size since the last sync, with their moments.
        self.sectors, self.sizes = {}, []
        # Versions that a sync failed to write.
        self.refused = {}
        self.is_mapped, self.named = False, NEVER

    def size(self, until=None):
        for moment, size in reversed(self.sizes):
            if until is None or moment <= until:
                return size
        return len(self.data)

    def versions(self, number):
        return self.refused.get(number, []) + self.sectors.get(number, [])

    def sector(self, number, until=None):
        newer, older = self.sectors.get(number, []), self.refused.get(number, [])
        # Where nothing is synced there are thousands of versions, and mostly the newest is asked for.
        for moment, version in itertools.chain(reversed(newer), reversed(older)):
            if until is None or moment <= until:
                return version
        return bytes(self.data[number * SECTOR : (number + 1) * SECTOR]).ljust(SECTOR, b"\0")

    def write(self, moment, at, data):
        end = at + len(data)
        if end > self.size():
            self.sizes.append((moment, end))
        for number in range(at // SECTOR, -(-end // SECTOR)):
            start = number * SECTOR - at
            piece = data[max(0, start) : start + SECTOR]
            if len(piece) < SECTOR:
                old, skipped = self.sector(number), max(0, -start)
                piece = old[:skipped] + piece + old[skipped + len(piece) :]
            self.sectors.setdefault(number, []).append((moment, piece))

    def resize(self, moment, size):
        before = self.size()
        self.sizes.append((moment, size))
        for number in range(size // SECTOR, -(-before // SECTOR)):
            rest = self.sector(number)[: max(0, size - number * SECTOR)]
            self.sectors.setdefault(number, []).append((moment, rest.ljust(SECTOR, b"\0")))

    def write_surely(self, at, data):
        """For what a later sync will have written."""
        self.data.extend(bytes(max(0, at - len(self.data))))
        self.data[at : at + len(data)] = data

    def resize_surely(self, size):
        del self.data[size:]
        self.data.extend(bytes(size - len(self.data)))

    def synced(self, until):
        """What was written until then is on the disk, unless an earlier sync failed to write it."""
        self.resize_surely(self.size(until))
        self.sizes = [one for one in self.sizes if one[0] > until]
        sectors, self.sectors = self.sectors, {}
        for number, versions in sectors.items():
            rest = [one for one in versions if one[0] > until]
            if rest:
                self.sectors[number] = rest
            if len(rest) < len(versions):
                self.refused.pop(number, None)
                at = number * SECTOR
                if at < len(self.data):
                    self.write_surely(at, versions[-len(rest) - 1][1][: len(self.data) - at])

    def sync_failed(self, until):
        """The system says so once, and then takes its pages for written."""
        sectors, self.sectors = self.sectors, {}
        for number, versions in sectors.items():
            self.refused.setdefault(number, []).extend(one for one in versions if one[0] <= until)
            rest = [one for one in versions if one[0] > until]
            if rest:
                self.sectors[number] = rest

    def whole(self, until=None):
        return self.shown(lambda _: float("inf") if until is None else until, True)

    def after(self, cut):
        return self.shown(cut.pick, cut.is_torn)

    def shown(self, pick, is_torn):
        size = self.size(pick([one[0] for one in self.sizes])) if self.sizes else len(self.data)
        data = bytearray(self.data[:size].ljust(size, b"\0"))
        group, pages = 1 if is_torn else PAGE, {}
        for number in self.sectors | self.refused:
            pages.setdefault(number // group, []).append(number)
        for numbers in pages.values():
            until = pick([one[0] for number in numbers for one in self.versions(number)])
            for number in numbers:
                at = number * SECTOR
                if at < size:
                    piece = self.sector(number, until)[: size - at]
                    data[at : at + len(piece)] = piece
        return bytes(data)


class Folder:
    def __init__(self, mode=0o700):
        self.mode, self.named = mode, NEVER
        # What is surely on the disk, the changes since then, and what the system shows.
        self.sure, self.changes, self.now = {}, [], {}

    def change(self, moment, entries):
        """Sets entries at once: None for those that end."""
        self.changes.append((moment, entries))
        apply(self.now, entries)
        for one in entries.values():
            if one:
                one.named = moment

    def synced(self, until):
        for moment, entries in self.changes:
            if moment <= until:
                apply(self.sure, entries)
        self.changes = [one for one in self.changes if one[0] > until]

    def after(self, cut):
        entries = dict(self.sure)
        for moment, more in self.changes:
            if cut.keeps(moment):
                apply(entries, more)
        return entries


def apply(entries, more):
    for name, one in more.items():
        if one:
            entries[name] = one
        else:
            entries.pop(name, None)


def read(path, by_number, folders):
    """What is there counts as on the disk. Adds the files by their numbers, and the folders."""
    folder = Folder(stat.S_IMODE(path.stat().st_mode))
    folders.append(folder)
    for one in path.iterdir():
        status = one.lstat()
        if stat.S_ISDIR(status.st_mode):
            folder.sure[one.name] = read(one, by_number, folders)
        elif stat.S_ISREG(status.st_mode):
            if status.st_ino not in by_number:
                by_number[status.st_ino] = File(one.read_bytes(), stat.S_IMODE(status.st_mode))
            folder.sure[one.name] = by_number[status.st_ino]
    folder.now = dict(folder.sure)
    return folder


def write(path, folder, cut, written):
    """Makes the folder as it is after the cut."""
    path.mkdir(mode=folder.mode)
    for name, one in folder.after(cut).items():
        if isinstance(one, Folder):
            write(path / name, one, cut, written)
        elif one in written:
            os.link(written[one], path / name)
        else:
            (path / name).write_bytes(one.after(cut))
            (path / name).chmod(one.mode)
            written[one] = path / name
