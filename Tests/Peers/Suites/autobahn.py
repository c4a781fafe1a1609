"""Autobahn's test suite for WebSocket servers, against our echoing server.

The suite's own driver needs a Python that is gone, and libraries of that time. Its cases are classes that say which
frames to send and what to expect, and they run here, each on a connection of its own.
"""

import asyncio
import binascii
import builtins
import pathlib
import re
import subprocess
import time
import types

import websocket_peer
from outcome import Outcome
from sdists import unpacked
from websocket_client import binary

# Cases of a compression that we do not offer, and one that the suite itself does not run.
LEFT_OUT = {
    "case12_x_x": {
        "Case12_X_X": [],
        "Case13_X_X": [],
        "Case12_X_X_CaseSubCategories": {},
        "Case13_X_X_CaseSubCategories": {},
    },
    "case9_9_1": {},
}
ACCEPTED = ("OK", "NON-STRICT", "INFORMATIONAL")
EXPLAINED = {}
AT_ONCE = 24


class Cases:
    """Reads modules of the suite, whose texts are bytes, as texts of one byte each."""

    def __init__(self, folder):
        self.folder, self.modules = folder, {}
        protocol = types.SimpleNamespace(WebSocketProtocol=constants())
        validator = types.SimpleNamespace(Utf8Validator=Validator)
        self.foreign = {
            "autobahn.websocket.protocol": protocol,
            "autobahn.websocket.utf8validator": validator,
            "binascii": types.SimpleNamespace(b2a_hex=lambda data: binascii.b2a_hex(binary(data)).decode()),
        }
        for name, members in LEFT_OUT.items():
            self.modules[name] = types.SimpleNamespace(__all__=list(members), **members)

    def imported(self, name, *arguments):
        if name in self.foreign:
            return self.foreign[name]
        if re.match(r"case\d*(_|$)", name):
            return self.module(name)
        return builtins.__import__(name, *arguments)

    def module(self, name):
        if name not in self.modules:
            text = (self.folder / f"{name}.py").read_text(encoding="latin-1")
            text = re.sub(r"^(\s*)print\b.*$", r"\1pass", text, flags=re.M)
            text = text.replace("(object, Case, )", "(Case, )").replace(" / self.p.", " // self.p.")
            module = types.ModuleType(name)
            vars(module)["__builtins__"] = vars(builtins) | {
                "__import__": self.imported,
                "xrange": range,
                "unichr": chr,
            }
            self.modules[name] = module
            exec(compile(text, name, "exec"), vars(module))
        return self.modules[name]

    def all(self):
        cases = self.module("__init__").Cases
        # It compares them pickled, which depends on which of equal texts are the same one.
        self.module("case").Case.compare = lambda self, one, other: one == other
        return cases


def constants():
    names = "NORMAL GOING_AWAY PROTOCOL_ERROR UNSUPPORTED_DATA RESERVED1 NULL ABNORMAL_CLOSE INVALID_PAYLOAD"
    names += " POLICY_VIOLATION MESSAGE_TOO_BIG MANDATORY_EXTENSION INTERNAL_ERROR"
    codes = {f"CLOSE_STATUS_CODE_{name}": 1000 + number for number, name in enumerate(names.split())}
    return types.SimpleNamespace(STATE_OPEN=websocket_peer.OPEN, STATE_CLOSED=websocket_peer.CLOSED, **codes)


class Validator:
    """The suite asks which beginnings of a text are whole."""

    def reset(self):
        pass

    def validate(self, text):
        try:
            text.encode("latin-1").decode()
        except UnicodeDecodeError:
            return False, False
        return True, True


def number(case):
    return case.__name__.removeprefix("Case").replace("_", ".")


async def play(case, port, turn):
    async with turn:
        loop = asyncio.get_running_loop()
        ended = loop.create_future()
        _, peer = await loop.create_connection(
            lambda: websocket_peer.Peer(case, f"127.0.0.1:{port}", ended), "127.0.0.1", port
        )
        try:
            await asyncio.wait_for(ended, 110)
        except TimeoutError:
            peer.transport.abort()
            return case, "TIMEOUT", "no end"
        close = peer.case.behaviorClose
        result = peer.case.behavior if close in ("OK", "INFORMATIONAL") else close
        return case, result, f"{peer.case.result} {peer.case.resultClose}"


async def play_all(cases, port):
    turn = asyncio.Semaphore(AT_ONCE)
    return await asyncio.gather(*(play(case, port, turn) for case in cases))


def run(programs, is_long):
    with unpacked("autobahntestsuite") as (folder, version):
        folder = next(pathlib.Path(folder).glob("*/autobahntestsuite/case"))
        cases = Cases(folder).all()
        # Those of megabytes and thousands of messages measure; one of each kind shows that the limits are right.
        if not is_long:
            cases = [case for case in cases if not re.match(r"9\.([3-6]\.[2-9]|[78]\.[2-6])", number(case))]
        outcome = Outcome("Autobahn", version, "our WebSocket server, which echoes")
        process = subprocess.Popen([programs.websocket, "serve"], stdout=subprocess.PIPE, text=True)
        try:
            port = int(process.stdout.readline().split()[1])
            started = time.monotonic()
            for case, result, seen in asyncio.run(play_all(cases, port)):
                known = EXPLAINED.get(number(case))
                outcome.judge(number(case), result in ACCEPTED, f"{result}: {seen}", known)
            outcome.seconds = time.monotonic() - started
            outcome.judge("the server stays up", process.poll() is None, "it has ended")
        finally:
            process.kill()
            process.wait()
        return outcome
