"""Runs the tests with one mutant on, until the first of them fails."""

import json
import math
import os
import re
import resource
import subprocess
import tempfile
import threading
import time

from mutant_tree import FOLDER, TREE

# Modules whose tests also use this one.
NEIGHBOURS = {
    "Base": ["WebPush", "Notifications", "Pictures", "Crypto"],
    "WebPush": ["Delivery", "Crypto", "Configuration"],
    "Notifications": ["Topics"],
    "Topics": [],
    "Delivery": ["Models"],
    "Pictures": ["Desktop"],
    "Terminal": [],
    "Configuration": [],
    "StatusPage": ["API"],
    "Crypto": [],
    "HTTP": ["API"],
    "Desktop": ["Models"],
}

# A test that takes more seconds is slow: it comes after all the others, and only for mutants of its own module. The
# models are worth their time.
SLOW, WORTH_IT = 1.0, {"Models"}
MEMORY = 4 << 30
# What a run ends with that finds no test, and one that used up its time of the processor (128 + SIGXCPU).
NO_TESTS, USED_UP = 69, 152
FAILED = re.compile(r"✘ Test (.*?) (?:recorded|failed)")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class Outcome:
    """How a run ended, the first test that failed, and the seconds it took: of the clock and of the processor."""

    def __init__(self, how, test, clock, processor):
        self.how, self.test, self.clock, self.processor = how, test, clock, processor


class Stage:
    """Tests that run together: a name, what selects them, and how long they take without a mutant."""

    def __init__(self, name, words):
        self.name, self.words = name, words
        self.clock = self.processor = 0.0

    def measured(self):
        outcome = run(self.words, 0, 600, 600)
        if outcome.how != "passed":
            raise RuntimeError(f"without a mutant, tests of {self.name}: {outcome.how} {outcome.test}")
        self.clock, self.processor = outcome.clock, outcome.processor
        return self

    def against(self, number):
        """The clock also counts what other programs take from us, so it gets more patience than the processor."""
        return run(self.words, number, self.clock * 6 + 20, self.processor * 3 + 5)


def filters(modules):
    return ["--filter", f"^({'|'.join(modules)})Tests[.]"]


def skips(tests):
    return [word for test in tests for word in ("--skip", f"^{re.escape(test)}")]


class Suites:
    """The stages of each module. A pattern replaces them all by the tests that match it."""

    def __init__(self, modules, pattern):
        self.stages = {}
        if pattern is not None:
            stage = Stage("the filter", ["--filter", pattern]).measured()
            self.stages = {module: [stage] for module in modules}
            return
        every = sorted(set(modules).union(*(NEIGHBOURS[module] for module in modules)))
        self.slow = known_slow_tests(every)
        for module in modules:
            self.stages[module] = list(self.of(module))

    def of(self, module):
        slow, others = self.slow[module], NEIGHBOURS[module]
        yield Stage(module, filters([module]) + skips(slow)).measured()
        if slow:
            words = [word for test in slow for word in ("--filter", f"^{re.escape(test)}")]
            yield Stage(module, words).measured()
        if others:
            tests = [test for other in set(others) - WORTH_IT for test in self.slow[other]]
            yield Stage("others", filters(others) + skips(tests)).measured()


def known_slow_tests(modules):
    """The slow tests of these modules. They are measured once for a copy: only time depends on them."""
    file = FOLDER / "slow.json"
    known = json.loads(file.read_text()) if file.exists() else {}
    for module in modules:
        if module not in known:
            known[module] = slow_tests(module)
            file.write_text(json.dumps(known))
    return {module: known[module] for module in modules}


def slow_tests(module):
    """The tests of a module that take long, by their names."""
    with tempfile.NamedTemporaryFile() as file:
        outcome = run([*filters([module]), "--event-stream-output-path", file.name], 0, 900, 900)
        if outcome.how != "passed":
            raise RuntimeError(f"without a mutant, tests of {module}: {outcome.how} {outcome.test}")
        records = [json.loads(line) for line in file.read().splitlines()]
    began, slow = {}, []
    for record in records:
        event = record["payload"]
        if record["kind"] != "event" or "testID" not in event or "(" not in event["testID"]:
            continue
        now = event["instant"]["absolute"]
        if event["kind"] == "testStarted":
            began[event["testID"]] = now
        elif event["kind"] == "testEnded" and now - began[event["testID"]] > SLOW:
            slow.append(event["testID"].rsplit("/", 1)[0])
    return slow


def run(words, number, clock, processor):
    """Runs the tests that these words select. Without a mutant, the number is 0."""
    # The namespace ends with the run, and with it every program that a test has started.
    alone = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
    alone += [] if os.getuid() == 0 else ["--map-root-user"]
    program = FOLDER / "build/debug/bellwirePackageTests.xctest"
    used = math.ceil(processor)

    def limit():
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (used, used + 5))

    started = time.monotonic()
    process = subprocess.Popen(
        [*alone, program, "--testing-library", "swift-testing", "--no-parallel", *words],
        cwd=TREE,
        env=os.environ | {"BELLWIRE_MUTANT": str(number), "SWIFT_BACKTRACE": "enable=no", "NO_COLOR": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        preexec_fn=limit,
    )
    late = threading.Event()
    timer = threading.Timer(clock, lambda: (late.set(), process.kill()))
    timer.start()
    failed, ran = None, False
    for line in process.stdout:
        ran = ran or "Test run with" in line
        found = FAILED.search(COLOUR.sub("", line))
        if found:
            failed = found[1]
            process.kill()
            break
    process.stdout.close()
    _, status, usage = os.wait4(process.pid, 0)
    code = process.returncode = os.waitstatus_to_exitcode(status)
    timer.cancel()
    how = verdict(failed, late.is_set() or code == USED_UP, code, ran)
    return Outcome(how, failed or "", time.monotonic() - started, usage.ru_utime + usage.ru_stime)


def verdict(failed, late, code, ran):
    """What the end of the process says about the mutant."""
    if failed:
        return "failed"
    if late:
        return "late"
    # A run that comes to its end has said so, or that it found no test.
    return "passed" if code == NO_TESTS or (code == 0 and ran) else "crashed"
