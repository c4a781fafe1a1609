"""Programs that push to ntfy or Gotify push to us, their clients read from us, and each row of requests is answered.

usage: check.py PATH_OF_BELLWIRE [PART...]
"""

import sys
import tempfile
import time

sys.path.append(__file__.rsplit("/", 3)[0])
sys.path.append(f"{sys.path[-1]}/Peers/Desktop")

import callers
import gotify_rows
import table
from expected import Told, kept
from gotify_rows import Gotify
from kit.checks import Failed, checked
from libraries import Libraries
from place import Judge, place
from programs import Programs
from replay import Replay
from streams import Streams
from tray import Tray


def judge_rows(place, judge, rows):
    """Each is answered as it has to be, and what was told can be read."""
    place.wire.ask("GET", "/upmatrix1234ab/json?poll=1")
    for part, request, expected in rows(place):
        topic = f"row-{part}"
        answer = place.wire.send(request, t=topic, d="dropped")
        wrong = list(expected.wrong(answer))
        if not wrong and isinstance(expected, Told) and answer.members["topic"] == topic:
            wrong = list(unlike(place.wire, answer.members, expected))
        shown = request.bytes(names={"t": topic})[:400]
        judge(
            not wrong, f"{part} {request.method} {request.target[:80]}: {'; '.join(wrong)}", f"{shown!r}\n    {answer}"
        )


def unlike(wire, told, expected):
    """What is different of it when it is read."""
    read = wire.ask("GET", f"/{told['topic']}/json?poll=1&sched=1")
    found = [event for event in read.lines if event.get("id") == told["id"]]
    wanted = [told] if "expires" in told else []
    if [kept(event) for event in found] != [kept(event) for event in wanted]:
        yield f"it reads {found}"


PARTS = {
    "ntfy": lambda place, judge: judge_rows(place, judge, table.rows),
    "callers": lambda place, judge: judge_rows(place, judge, callers.rows),
    "gotify": lambda place, judge: judge_rows(place, judge, gotify_rows.rows),
    "streams": lambda place, judge: Streams(place, judge).run(),
    "applications": lambda place, judge: Gotify(place, judge).run(),
    "replay": lambda place, judge: Replay(place, judge).run(),
    "libraries": lambda place, judge: Libraries(place, judge).run(),
    "programs": lambda place, judge: Programs(place, judge).run(),
    "tray": lambda place, judge: Tray(place, judge).run(),
}


def main(program, *parts):
    judges = []
    with tempfile.TemporaryDirectory() as folder, place(program, folder) as here:
        for name in parts or PARTS:
            judges.append(Judge(f"topics {name}"))
            judges[-1].attempt(PARTS[name], here, judges[-1])
    failures = [failure for judge in judges for failure in judge.end()]
    if failures:
        raise Failed("\n".join(failures))
    return sum(judge.passed for judge in judges)


if __name__ == "__main__":
    began = time.monotonic()
    count = checked(main, *sys.argv[1:])
    print(f"topics: {count} checks passed in {time.monotonic() - began:.0f} s")
