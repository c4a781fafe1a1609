"""An application that the bus starts for a message. It answers in some way, stays for a moment, and ends.

usage: started.py NUMBER VERSION REPORTS
"""

import asyncio
import os
import random
import signal
import sys

# A program of its own.
sys.path += [__file__.rsplit("/", 2)[0], __file__.rsplit("/", 4)[0]]

from session.connector import LOST, MODES, Connection
from session.reports import Reporter


def began():
    """The time since boot at which this process began: the call that it was started for is older."""
    with open("/proc/self/stat") as file:
        return int(file.read().rsplit(")", 1)[1].split()[19]) / os.sysconf("SC_CLK_TCK")


async def main(number, version, path):
    reporter, dice = Reporter(path), random.Random()
    start, mode = began(), dice.choices(list(MODES), list(MODES.values()))[0]

    def note(event, **facts):
        reporter.note(event, x=number, start=start, **facts)

    one = Connection(f"org.example.Torture{number}", version, f"p{os.getpid()}", mode, dice, note, lambda *words: None)
    try:
        if dice.random() < 0.1 or not await one.appear(os.environ["DBUS_STARTER_ADDRESS"]):
            return
        for _ in range(int(dice.uniform(2, 25))):
            if not one.is_open:
                break
            await asyncio.sleep(0.1)
    except LOST:
        pass
    finally:
        one.leave()


# Whatever happens to the bus.
signal.alarm(30)
asyncio.run(main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]))
