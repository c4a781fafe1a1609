"""TDLib itself, as far as it goes without an account and without a network: it reads payloads.

    .venv/bin/python -m pip install tdjson
    tools/conformance --adapter tdlib

So it shows whether the recorded receivers are still those of today's TDLib.
"""

import importlib.util
import json
import subprocess
import sys

from adapter import Adapter

# A process of its own for each payload, because some of them end it.
ASKING = """
import sys, tdjson
tdjson.td_execute(b'{"@type":"setLogVerbosityLevel","new_verbosity_level":0}')
sys.stdout.buffer.write(tdjson.td_execute(sys.stdin.buffer.read()))
"""


class Server(Adapter):
    name = "tdlib"

    def __init__(self):
        if importlib.util.find_spec("tdjson") is None:
            raise ImportError("install it with .venv/bin/python -m pip install tdjson")

    def version(self):
        words = [sys.executable, "-m", "pip", "show", "tdjson"]
        lines = subprocess.run(words, capture_output=True, text=True).stdout.splitlines()
        return "TDLib " + next((line.split()[1] for line in lines if line.startswith("Version:")), "of unknown version")

    def receiver(self, payload):
        request = json.dumps({"@type": "getPushReceiverId", "payload": payload}).encode()
        done = subprocess.run([sys.executable, "-c", ASKING], input=request, capture_output=True, timeout=10)
        if done.returncode != 0 or not done.stdout:
            raise OSError("the process has ended")
        answer = json.loads(done.stdout)
        if answer["@type"] == "error":
            return {"error": {"code": answer["code"], "message": answer["message"]}}
        return {"id": answer["id"]}
