"""An application that the bus starts: it writes down what it is asked to open, and ends after a minute.

usage: opened.py NAME FOLDER

A file "die" in FOLDER makes the next call kill the application before it answers; a file "sleep" makes it answer too
late.
"""

import asyncio
import json
import os
import signal
import sys

from dbus_fast import Message, MessageType
from dbus_fast.aio import MessageBus


def handle(message):
    if message.message_type != MessageType.METHOD_CALL:
        return None
    if message.interface != "org.freedesktop.Application":
        return None
    *values, platform = message.body
    if len(values) == 2:
        values[1] = [value.value for value in values[1]]
    line = [message.path, message.member, *values, {k: v.value for k, v in platform.items()}]
    with open(sys.argv[2] + "/told", "a") as file:
        file.write(json.dumps(line) + "\n")
    for name in ("die", "sleep"):
        path = f"{sys.argv[2]}/{name}"
        if os.path.exists(path):
            os.remove(path)
            if name == "die":
                os.kill(os.getpid(), signal.SIGKILL)
            return True
    return Message.new_method_return(message)


async def main():
    bus = await MessageBus().connect()
    bus.add_message_handler(handle)
    await bus.request_name(sys.argv[1])
    await asyncio.sleep(60)


asyncio.run(main())
