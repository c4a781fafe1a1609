"""Programs that push to ntfy or Gotify push to us, their clients read from us, and each row of requests is answered.

usage: check.py PATH_OF_BELLWIRE [PART...]

Without parts, all of them but the tray, which wants a process of its own.
"""

import sys
import tempfile
import time

sys.path.append(__file__.rsplit("/", 3)[0])
sys.path.append(f"{sys.path[-1]}/Peers/Desktop")

import callers
import gotify_rows
import hooks
import table
from expected import Told, kept
from gotify_rows import Gotify
from imported import Imported
from kit.checks import Failed, checked
from libraries import Libraries
from place import Judge, place
from programs import Programs
from replay import Replay
from streams import Streams
from tray import Tray


class Rows:
    """Each is answered as it has to be, and what was told can be read."""

    def __init__(self, rows):
        self.rows = rows

    def __call__(self, place, judge):
        self.place, self.judge = place, judge
        return self

    def run(self):
        # Anybody may push to a name of UnifiedPush that was read by somebody who may.
        self.place.wire.ask("GET", "/upmatrix1234ab/json?poll=1")
        for part, request, expected in self.rows(self.place):
            topic = f"row-{part}"
            answer = self.place.wire.send(request, t=topic, d="dropped")
            wrong = list(expected.wrong(answer))
            if not wrong and isinstance(expected, Told) and answer.members["topic"] == topic:
                wrong = list(self.unlike(answer.members))
            what = f"{part} {request.method} {request.target[:80]}: {'; '.join(wrong)}"
            self.judge(not wrong, what, f"{request.bytes(names={'t': topic})[:400]!r}\n    {answer}")

    def unlike(self, told):
        """What is different of it when it is read."""
        read = self.place.wire.ask("GET", f"/{told['topic']}/json?poll=1&sched=1")
        found = [event for event in read.lines if event.get("id") == told["id"]]
        wanted = [told] if "expires" in told else []
        if [kept(event) for event in found] != [kept(event) for event in wanted]:
            yield f"it reads {found}"


# Streams are opened before all else, because what keeps a quiet one open comes late.
PARTS = {
    "tray": Tray,
    "ntfy": Rows(table.rows),
    "callers": Rows(callers.rows),
    "gotify": Rows(gotify_rows.rows),
    "hooks": Rows(hooks.rows),
    "applications": Gotify,
    "replay": Replay,
    "libraries": Libraries,
    "programs": Programs,
    "imported": Imported,
    "streams": Streams,
}


def main(program, *names):
    parts = []
    with tempfile.TemporaryDirectory() as folder, place(program, folder) as here:
        for name in names or [name for name in PARTS if name != "tray"]:
            judge = Judge(f"topics {name}")
            parts.append((PARTS[name](here, judge), judge))
        for part, judge in parts:
            judge.attempt(part.run)
    failures = [failure for _, judge in parts for failure in judge.end()]
    if failures:
        raise Failed("\n".join(failures))
    return sum(judge.passed for _, judge in parts)


if __name__ == "__main__":
    began = time.monotonic()
    count = checked(main, *sys.argv[1:])
    print(f"topics: {count} checks passed in {time.monotonic() - began:.0f} s")
