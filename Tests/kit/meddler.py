"""A machine whose clocks and disk are as a test wants them, for the programs that the test starts."""

import mmap
import pathlib
import struct
import subprocess

SOURCE = pathlib.Path(__file__).with_name("meddle.c")


class Meddler:
    """Changes the results of a program's system calls: another time of day, a failing disk."""

    NOTHING, READ_ONLY, BROKEN, FULL, BROKEN_ONCE, UNREADABLE, NO_NAMES, SHORT, NO_MEMORY = range(9)

    def __init__(self, folder):
        self.library = folder / "meddle.so"
        if not self.library.exists():
            subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", self.library, SOURCE, "-ldl"], check=True)
        self.path = folder / "meddle"
        self.path.write_bytes(bytes(24))
        with open(self.path, "r+b") as file:
            self.page = mmap.mmap(file.fileno(), 24)

    def set(self, offset=None, fault=None, slept=None):
        """How many seconds the time of day is ahead, how the disk fails, and how many seconds the machine slept. The
        rest stays as it is.
        """
        for place, value, unit in ((0, offset, 1e9), (8, fault, 1), (16, slept, 1e9)):
            if value is not None:
                self.page[place : place + 8] = struct.pack("q", int(value * unit))

    def environment(self, folder):
        return {"LD_PRELOAD": str(self.library), "MEDDLE": str(self.path), "MEDDLE_FOLDER": str(folder)}
