"""Keeps the figures of a run as JSON, with the day, the commit and the machine they are from.

python3 tools/lib/figures.py NAME FILE < figures.json
"""

import json
import os
import pathlib
import platform
import subprocess
import sys
import time


def machine():
    """The processor, its cores, the memory and the system."""
    model = platform.machine()
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "processor": model,
        "cores": os.cpu_count(),
        "memory_gib": round(pages / 2**30),
        "system": f"{platform.system()} {platform.release()}",
    }


def commit():
    """The commit that was measured, or an empty text outside of a repository."""
    command = ["git", "rev-parse", "--short=12", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def keep(name, path, figures):
    """Writes the figures of the tool of that name."""
    text = {"tool": name, "date": time.strftime("%Y-%m-%d", time.gmtime()), "commit": commit(), "machine": machine()}
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(text | figures, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    keep(sys.argv[1], sys.argv[2], json.load(sys.stdin))
