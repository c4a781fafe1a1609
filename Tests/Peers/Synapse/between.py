"""Stands between the homeserver and the push service and changes an exchange as a test wants."""

import http.client
import http.server
import random
import threading
import time


class Between(http.server.ThreadingHTTPServer):
    """`passed` has the status of each answer. `trap` is called once with the request and says whether the homeserver
    gets the answer.
    """

    daemon_threads = True

    def __init__(self, port):
        super().__init__(("127.0.0.1", 0), Exchange)
        self.behind, self.passed, self.trap = port, [], None
        self.changed = threading.Condition()
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def note(self, status):
        with self.changed:
            self.passed.append(status)
            self.changed.notify_all()

    def wait(self, status, count, since, limit=30):
        """Waits for that many answers with a status, after the first `since` answers."""
        with self.changed:
            if not self.changed.wait_for(lambda: self.passed[since:].count(status) >= count, limit):
                raise TimeoutError(f"{count} answers {status}: {self.passed[since:]}")

    def handle_error(self, request, client_address):
        """The test ended the connection on purpose."""


class Exchange(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
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
        self.send_response(answer.status)
        for name in ("Content-Type", "Retry-After"):
            if answer.headers[name]:
                self.send_header(name, answer.headers[name])
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


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
