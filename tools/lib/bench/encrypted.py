"""Bodies as `bellwire send` encrypts them, taken by a server of our own, so that they can be sent at another time."""

import subprocess

from kit.webserver import Handler, Listening


class Taking(Handler):
    def do_POST(self):
        self.server.bodies.append(self.body())
        self.answer(201, Location="/m/taken")


def encrypted(bellwire, keys, texts):
    """A body for each of the texts, by aes128gcm."""
    server = Listening(Taking)
    server.bodies = []
    words = ["--endpoint", f"{server.url}taken", "--p256dh", keys["p256dh"], "--auth", keys["auth"]]
    for text in texts:
        subprocess.run([bellwire, "send", *words, text], check=True, capture_output=True)
    server.shutdown()
    return server.bodies
