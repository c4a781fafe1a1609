"""The part of a Mastodon server that a recipe talks to."""

import http.server
import json
import threading
import urllib.parse


class Mastodon:
    """The part of a Mastodon server that knows subscriptions: `POST /api/v1/push/subscription`."""

    def __init__(self, vapid):
        self.given = given = {}

        class Handler(http.server.BaseHTTPRequestHandler):
            timeout = 10

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                given.update(urllib.parse.parse_qsl(body))
                good = self.path == "/api/v1/push/subscription" and self.headers["Authorization"] == "Bearer secret"
                answer = {"id": 1, "endpoint": given.get("subscription[endpoint]"), "server_key": vapid}
                answer = json.dumps(answer if good else {"error": "refused"}).encode()
                self.send_response(200 if good else 401)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def subscription(self):
        keys = {name: self.given[f"subscription[keys][{name}]"] for name in ("p256dh", "auth")}
        return {"endpoint": self.given["subscription[endpoint]"], "keys": keys}

    @property
    def encoding(self):
        return "aes128gcm" if self.given.get("subscription[standard]") == "true" else "aesgcm"
