"""Bodies as `bellwire send` encrypts them, taken by a server of our own, so that they can be sent at another time."""

import http.server
import subprocess
import threading


class Taking(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.server.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(201)
        self.send_header("Location", "/m/taken")
        self.end_headers()

    def log_message(self, *_):
        pass


def encrypted(bellwire, keys, texts):
    """A body for each of the texts, by aes128gcm."""
    with http.server.HTTPServer(("127.0.0.1", 0), Taking) as server:
        server.bodies = []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        place = f"http://127.0.0.1:{server.server_port}/taken"
        for text in texts:
            subprocess.run(
                [bellwire, "send", "--endpoint", place, "--p256dh", keys["p256dh"], "--auth", keys["auth"], text],
                check=True,
                capture_output=True,
            )
        server.shutdown()
        return server.bodies
