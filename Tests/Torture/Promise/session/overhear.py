"""Somebody who listens to everything on the session bus, as every program of the session can.

usage: overhear.py ADDRESS REPORTS BUS
"""

import asyncio
import sys

# A program of its own.
sys.path += [__file__.rsplit("/", 2)[0], __file__.rsplit("/", 4)[0]]

from dbus_fast import Message, MessageType
from dbus_fast.aio import MessageBus
from session.reports import Reporter

BUS, PATH = "org.freedesktop.DBus", "/org/freedesktop/DBus"
KINDS = {MessageType.METHOD_CALL: "call", MessageType.SIGNAL: "signal"}


async def main(address, path, number):
    reporter, bus = Reporter(path), await MessageBus(bus_address=address).connect()

    def hear(message):
        reporter.note(
            "overheard",
            bus=number,
            kind=KINDS.get(message.message_type, "answer"),
            source=message.sender,
            to=message.destination,
            member=message.member,
            text=flat(message.body).hex(),
        )
        # A monitor must not answer.
        return True

    become = Message(
        destination=BUS, path=PATH, interface=f"{BUS}.Monitoring", member="BecomeMonitor", signature="asu", body=[[], 0]
    )
    await bus.call(become)
    bus.add_message_handler(hear)
    print("ready", flush=True)
    await bus.wait_for_disconnect()


def flat(value):
    """All texts and bytes in it."""
    if isinstance(value, (bytes, bytearray)):
        return bytes(value)
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, dict):
        value = [part for pair in value.items() for part in pair]
    if isinstance(value, list):
        return b"\n".join(flat(part) for part in value)
    return flat(value.value) if hasattr(value, "value") else b""


asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
