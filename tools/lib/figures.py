"""Keeps the figures of a run as JSON, with the day, the commit and the machine they are from.

python3 tools/lib/figures.py NAME FILE [KEY] < figures.json

With KEY, rows that the file has stay, unless there is a new one with the same value of KEY.
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
    path.write_text(written(text | figures) + "\n")


def written(value, indent="\n"):
    """JSON in lines: one for each row, and for each list of numbers."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    parts = [one for each in inside for one in (each if isinstance(each, list) else [each])]
    if not inside or not any(isinstance(one, (dict, list)) for one in parts):
        return json.dumps(value, ensure_ascii=False)
    deeper = indent + " "
    if isinstance(value, dict):
        rows = [f"{json.dumps(name)}: {written(one, deeper)}" for name, one in value.items()]
        return "{" + deeper + f",{deeper}".join(rows) + indent + "}"
    return "[" + deeper + f",{deeper}".join(written(one, deeper) for one in value) + indent + "]"


def beside_former(path, figures, key):
    """The figures, whose lists also have what the file has of others. Each row names its own day and commit."""
    former = json.loads(path.read_text()) if path.exists() else {}
    origin = {"date": time.strftime("%Y-%m-%d", time.gmtime()), "commit": commit()}
    merged = {}
    for name, rows in figures.items():
        new = {one[key] for one in rows}
        older = [one for one in former.get(name, []) if one[key] not in new]
        merged[name] = older + [one | origin for one in rows]
    return merged


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    name, path, *key = sys.argv[1:]
    found = json.load(sys.stdin)
    keep(name, path, beside_former(pathlib.Path(path), found, key[0]) if key else found)


if __name__ == "__main__":
    main()
