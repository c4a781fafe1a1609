"""Crafted requests against the forms of the status page: what no browser sends, and what other people's pages would.

Each row of the printed table is a request with the status that it must get. After each one, nothing may have changed
and nobody may be logged out, and no answer shows a secret. The forms are used as they are meant first, so that a
refusal means something.

usage: tools/lib/alone crafted.py PATH_OF_BELLWIRE
"""

import pathlib
import sys
import tempfile
import time

sys.path.append(__file__.rsplit("/", 3)[0])

import attempts_forms
import attempts_login
import attempts_passkeys
import attempts_topics
import attempts_wire
from kit.checks import Failed
from kit.meddler import Meddler
from people import Case, Stage
from served import Server

GROUPS = (
    attempts_forms.meant,
    attempts_topics.meant,
    attempts_login.codes,
    attempts_login.cookies,
    attempts_forms.tokens,
    attempts_forms.others,
    attempts_forms.questions,
    attempts_passkeys.passkeys,
    attempts_topics.others,
    attempts_forms.values,
    attempts_topics.values,
    attempts_wire.origins,
    attempts_wire.methods,
    attempts_wire.paths,
    attempts_wire.headers,
    attempts_wire.http2,
    attempts_login.times,
    attempts_topics.old_sign_in,
    attempts_login.rights_end,
)
FEWEST = 300


def main():
    began, failure = time.monotonic(), None
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        meddler = Meddler(folder)
        server = Server(sys.argv[1], folder, meddler.environment(folder / "state"))
        try:
            server.start()
            stage = Stage(server, meddler)
            for group in GROUPS:
                case = Case(stage, group.__name__)
                try:
                    group(stage, case)
                    case.unchanged()
                except Exception as error:
                    # The other groups still tell something, while the server runs.
                    case.finding("the group ends early", f"{type(error).__name__}: {error}")
            server.stop()
        except Failed as error:
            failure = error
            print(server.log.read_text()[-3000:] if server.log.exists() else "no log")
        finally:
            server.kill()
    if failure:
        print(f"page-requests: FAILED: {failure}")
        return 1
    for text in stage.findings:
        print(f"page-requests: FAILED: {text}")
    if stage.count < FEWEST:
        print(f"page-requests: FAILED: only {stage.count} requests")
        return 1
    print(f"page-requests: {stage.count} requests in {time.monotonic() - began:.0f} s")
    return 1 if stage.findings else 0


sys.exit(main())
