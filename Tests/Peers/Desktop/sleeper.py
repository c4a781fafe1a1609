"""An application that the bus starts: it takes its messages, writes them to a file, and ends.

usage: sleeper.py NAME FILE DELAY CRASHES
"""

import asyncio
import os
import sys

from dbus_fast import Message, MessageType
from dbus_fast.aio import MessageBus

name, path, delay, crashes = sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4])


def note(line):
    with open(path, "a") as file:
        file.write(line + "\n")


def starts():
    with open(path) as file:
        return file.read().split("\n").count("start")


def handle(message):
    if message.message_type != MessageType.METHOD_CALL:
        return None
    if message.interface != "org.unifiedpush.Connector2":
        return None
    if starts() <= crashes:
        os._exit(1)
    values = {key: value.value for key, value in message.body[0].items()}
    if message.member == "Message":
        note(bytes(values["message"]).decode())
    return Message.new_method_return(message, "a{sv}", [{}])


async def main():
    note("start")
    await asyncio.sleep(delay)
    bus = await MessageBus().connect()
    bus.add_message_handler(handle)
    await bus.request_name(name)
    await asyncio.sleep(5)


asyncio.run(main())
