"""Firefox's remote protocol: JSON after its length, over a TCP connection to this machine."""

import json
import socket


class Marionette:
    """One session. Every call ends within `limit` seconds, with an answer or an exception."""

    limit = 30

    def __init__(self, port):
        self.connection = socket.create_connection(("127.0.0.1", port), self.limit)
        self.stream = self.connection.makefile("rb")
        self.count = 0
        self.receive()
        # Firefox gives up earlier and says why.
        patience = (self.limit - 5) * 1000
        self.call(
            "WebDriver:NewSession",
            {"capabilities": {"alwaysMatch": {"timeouts": {"script": patience, "pageLoad": patience}}}},
        )

    def call(self, name, parameters=None):
        self.count += 1
        message = json.dumps([0, self.count, name, parameters or {}]).encode()
        self.connection.sendall(b"%d:%s" % (len(message), message))
        _, number, error, result = self.receive()
        if error or number != self.count:
            raise RuntimeError(f"{name}: {error}")
        return result

    def receive(self):
        length = b""
        while not length.endswith(b":"):
            byte = self.stream.read(1)
            if not byte:
                raise ConnectionError("Firefox ended the connection")
            length += byte
        return json.loads(self.stream.read(int(length[:-1])))

    def open(self, url):
        self.call("WebDriver:Navigate", {"url": url})

    def run(self, expression, *arguments):
        """The result of a promise in the page; `expression` sees the arguments as `given`."""
        script = (
            "const done = arguments[arguments.length - 1], given = arguments;"
            f"Promise.resolve().then(() => {expression})"
            ".then(value => done({value}), error => done({error: String(error)}))"
        )
        answer = self.call("WebDriver:ExecuteAsyncScript", {"script": script, "args": arguments})["value"]
        if "error" in answer:
            raise RuntimeError(f"{expression}: {answer['error']}")
        return answer.get("value")

    def quit(self):
        self.call("Marionette:Quit", {"flags": ["eForceQuit"]})
        self.connection.close()
