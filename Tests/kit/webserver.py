"""Small HTTP servers of a test: the program behind a callback, a page, a proxy."""

import http.server
import ssl
import threading


class Handler(http.server.BaseHTTPRequestHandler):
    """Reads bodies, answers, and logs nothing."""

    timeout = 30

    def body(self):
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def answer(self, status, body=b"", **fields):
        """An underscore of a field's name stands for a hyphen."""
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def consent(self, status=200):
        """What the program behind a callback answers."""
        challenge = self.headers.get("webhook-challenge")
        self.answer(status, **({"webhook_challenge": challenge} if challenge else {}))

    def log_message(self, *_):
        pass


class Listening(http.server.ThreadingHTTPServer):
    """Has a thread for each connection, until the program ends. With a certificate it speaks TLS."""

    daemon_threads = True
    request_queue_size = 512

    def __init__(self, handler, certificate=None):
        super().__init__(("127.0.0.1", 0), handler)
        self.url = (
            f"http{'s' if certificate else ''}://{'localhost' if certificate else '127.0.0.1'}:{self.server_port}/"
        )
        if certificate:
            context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            context.load_cert_chain(certificate)
            # Each connection shakes hands in its own thread.
            self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        """The other side may have been killed, or have ended the connection on purpose."""
