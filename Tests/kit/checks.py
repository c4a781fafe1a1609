"""Checks that are counted, and how a program of checks ends."""

import asyncio
import inspect
import sys
import time


class Failed(Exception):
    """Something is not as it must be."""


class Checks:
    """Counts what holds, and says under a program's name what does not."""

    def __init__(self, name):
        self.name, self.passed = name, 0

    def __call__(self, condition, what, seen=""):
        if not condition:
            raise Failed(f"{self.name}: FAILED: {what}" + (f"\n{seen}" if seen else ""))
        self.passed += 1

    def soon(self, value, what, seconds=10):
        """The first result that is true. Programs need a moment for most things."""
        end = time.monotonic() + seconds
        while not (got := value()):
            if time.monotonic() > end:
                self(False, f"{what}: not within {seconds} s")
            time.sleep(0.05)
        self(True, what)
        return got

    async def eventually(self, condition, what, seconds=15):
        end = time.monotonic() + seconds
        while not condition():
            self(time.monotonic() < end, what)
            await asyncio.sleep(0.01)
        self(True, what)


def checked(main, *words):
    """Runs a program of checks, or a part that is a coroutine. What failed is the last that is printed."""
    try:
        made = main(*words)
        return asyncio.run(made) if inspect.iscoroutine(made) else made
    except (Failed, TimeoutError) as failure:
        sys.exit(str(failure) or "FAILED: no answer in time")
