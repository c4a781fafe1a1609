"""Stands between the homeserver and the push service and changes an exchange as a test wants."""

import http.client
import random
import threading
import time

from kit.webserver import Handler, Listening


class Between(Listening):
    """`passed` has the status of each answer. `trap` is called once with the request and says whether the homeserver
    gets the answer.
    """

    def __init__(self, port):
        super().__init__(Exchange)
        self.url = self.url.rstrip("/")
        self.behind, self.passed, self.trap = port, [], None
        self.changed = threading.Condition()

    def note(self, status):
        with self.changed:
            self.passed.append(status)
            self.changed.notify_all()

    def wait(self, status, count, since, limit=30):
        """Waits for that many answers with a status, after the first `since` answers."""
        with self.changed:
            if not self.changed.wait_for(lambda: self.passed[since:].count(status) >= count, limit):
                raise TimeoutError(f"{count} answers {status}: {self.passed[since:]}")


class Exchange(Handler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.body()
        trap, self.server.trap = self.server.trap, None
        upstream = http.client.HTTPConnection("127.0.0.1", self.server.behind, timeout=20)
        try:
            upstream.request("POST", self.path, body, {"Content-Type": self.headers["Content-Type"]})
            answer = trap(upstream) if trap else upstream.getresponse()
            content = answer.read() if answer else b""
        except OSError:
            answer = None
        if answer is None:
            self.close_connection = True
            return
        self.server.note(answer.status)
        told = {name: answer.headers[name] for name in ("Content-Type", "Retry-After") if answer.headers[name]}
        self.answer(answer.status, content, **told)


def kill_after_answer(service):
    def trap(upstream):
        upstream.getresponse().read()
        service.kill()

    return trap


def kill_meanwhile(service):
    def trap(upstream):
        time.sleep(random.random() * 0.003)
        service.kill()

    return trap
