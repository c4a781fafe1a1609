"""How the long forms of the gates ended.

python3 tools/lib/long_forms.py keep FILE          keeps a run: lines "FORM GATE SECONDS PROCESSOR PASSED"
python3 tools/lib/long_forms.py tell FILE FORM…    says how each ended last, and how many commits ago
"""

import json
import pathlib
import subprocess
import sys

import figures


def keep(path):
    """Each form that was run is one row, with the day and the commit."""
    forms = {}
    for line in sys.stdin:
        form, gate, seconds, processor, passed = line.split()
        row = forms.setdefault(form, {"form": form, "gates": []})
        row["gates"].append(
            {"gate": gate, "seconds": int(seconds), "processor": float(processor), "passed": passed == "1"}
        )
    figures.keep("long", path, figures.beside_former(path, {"forms": list(forms.values())}, "form"))


def age(commit):
    """How many commits ago, or nothing if this history does not have it."""
    command = ["git", "rev-list", "--count", f"{commit}..HEAD"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def tell(path, names):
    rows = json.loads(path.read_text())["forms"] if path.exists() else []
    known = {row["form"]: row for row in rows}
    for name in names:
        row = known.get(name)
        if row is None:
            print(f"--long {name}: never run")
            continue
        failed = [one["gate"] for one in row["gates"] if not one["passed"]]
        ended = f"failed in {' '.join(failed)}" if failed else "passed"
        commits = age(row["commit"])
        when = f"{commits} commits ago" if commits else "in another history"
        print(f"--long {name}: {ended} {when} ({row['commit']}, {row['date']})")


if __name__ == "__main__":
    if sys.argv[1:2] == ["keep"]:
        keep(pathlib.Path(sys.argv[2]))
    elif sys.argv[1:2] == ["tell"]:
        tell(pathlib.Path(sys.argv[2]), sys.argv[3:])
    else:
        sys.exit(__doc__)
