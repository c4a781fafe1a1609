"""What a process uses, as the kernel counts it."""

import os
import pathlib


def usage(process, stored):
    """Wake-ups, CPU seconds, resident bytes and descriptors, beside the bytes that it has stored."""
    folder, wakes = pathlib.Path(f"/proc/{process.pid}"), 0
    for status in folder.glob("task/*/status"):
        wakes += int(status.read_text().partition("nonvoluntary")[0].rsplit(":", 1)[1])
    times = (folder / "stat").read_text().rpartition(")")[2].split()
    return {
        "wakes": wakes,
        "cpu": (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK"),
        "resident": int((folder / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE"),
        "descriptors": len(os.listdir(folder / "fd")),
        "stored": stored,
    }
