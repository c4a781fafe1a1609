"""A TLS client of tlslite-ng whose messages can be changed and replaced."""

import socket

from tlslite.api import HandshakeSettings, TLSConnection
from tlslite.errors import BaseTLSException, TLSRemoteAlert
from tlslite.messages import Message

REQUEST = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: %s\r\n\r\n"
UNEXPECTED, MAC, OVERFLOW, ILLEGAL, DECODE, DECRYPT = 10, 20, 22, 47, 50, 51
CCS, ALERT, HANDSHAKE, DATA, HEARTBEAT = 20, 21, 22, 23, 24
TLS12, TLS13 = (3, 3), (3, 4)


class Client(TLSConnection):
    """A client whose messages can be changed on their way."""

    def __init__(self, port):
        super().__init__(socket.create_connection(("127.0.0.1", port), timeout=5))
        # Returns the messages to send instead of one.
        self.change = lambda message: [message]

    def _sendMsg(self, msg, *arguments, **named):
        for message in self.change(msg):
            yield from super()._sendMsg(message, *arguments, **named)

    def handshake(self, version, session=None, **changes):
        settings = HandshakeSettings()
        settings.minVersion = settings.maxVersion = version
        for name, value in changes.items():
            setattr(settings, name, value)
        self.handshakeClientCert(settings=settings, session=session, serverName="localhost")
        return self

    def put(self, kind, data):
        """A record of this kind and content, encrypted."""
        for _ in self._sendMsg(Message(kind, bytearray(data)), False, False):
            pass

    def put_raw(self, data):
        self.sock.sendall(data)

    def ask(self, connection=b"keep-alive"):
        self.write(REQUEST % connection)
        return self.answer()

    def answer(self):
        """`200`, the number of an alert, or `closed`."""
        text = bytearray()
        while b"}" not in text:
            piece = self.read(min=1, max=4_096)
            if not piece:
                return "closed"
            text += piece
        return "200" if text.startswith(b"HTTP/1.1 200 ") else text[:20].decode()


def what_comes(act, port):
    """What the server says to `act`."""
    client = Client(port)
    try:
        return act(client)
    except TLSRemoteAlert as alert:
        return alert.description
    except TimeoutError:
        return "silence"
    except (BaseTLSException, OSError):
        return "closed"
    finally:
        client.sock.close()
