"""Joins its standard streams with a server, through a library that is like Python's ssl.

usage: through.py MODULE PORT GROUP again|once

The end of the input is a close_notify. The library chooses the suite, and the group if that is empty. With `again` a
first connection leaves a session to the second one. The suite goes to the standard error, with "new" or "resumed".
"""

import importlib
import select
import socket
import sys

READ = 1 << 16
REQUEST = b"GET /bytes/10 HTTP/1.1\r\nHost: localhost\r\n\r\n"
library = importlib.import_module(sys.argv[1])


def client(group):
    context = library.SSLContext(library.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, library.CERT_NONE
    context.minimum_version = library.TLSVersion.TLSv1_3
    if group:
        context.set_ecdh_curve(group)
    return context


class Connection:
    """The library reads and writes memory, and this class the socket."""

    def __init__(self, context, port, session=None):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.incoming, self.outgoing = library.MemoryBIO(), library.MemoryBIO()
        words = {"session": session} if session else {}
        self.tls = context.wrap_bio(self.incoming, self.outgoing, server_hostname="localhost", **words)
        while self.outcome(self.tls.do_handshake) is False:
            self.receive()

    def outcome(self, act, *words):
        """What the library says, or False if more has to come first. What it has to send goes out."""
        try:
            return act(*words)
        except library.SSLWantReadError:
            return False
        except library.SSLZeroReturnError:
            return b""
        except library.SSLEOFError:
            # This module does not tell a close_notify from the end of the socket.
            if library.__name__ == "rtls":
                return b""
            raise
        finally:
            self.socket.sendall(self.outgoing.read())

    def receive(self):
        data = self.socket.recv(READ)
        self.incoming.write(data) if data else self.incoming.write_eof()

    def pieces(self):
        """What has come whole; an empty piece is the end."""
        while (piece := self.outcome(self.tls.read, READ)) is not False:
            yield piece
            if not piece:
                return

    def session(self):
        self.outcome(self.tls.write, REQUEST)
        while not any(self.pieces()):
            self.receive()
        session = self.tls.session
        self.outcome(self.tls.unwrap)
        self.socket.close()
        return session


def join(connection):
    descriptors = [connection.socket, 0]
    while True:
        ready, _, _ = select.select(descriptors, [], [])
        if 0 in ready:
            if data := sys.stdin.buffer.read1(READ):
                connection.outcome(connection.tls.write, data)
            else:
                connection.outcome(connection.tls.unwrap)
                descriptors.remove(0)
        if connection.socket in ready:
            connection.receive()
            for piece in connection.pieces():
                if not piece:
                    return
                sys.stdout.buffer.write(piece)
                sys.stdout.buffer.flush()


def main():
    _, _, port, group, times = sys.argv
    context = client(group)
    session = Connection(context, int(port)).session() if times == "again" else None
    connection = Connection(context, int(port), session)
    word = "resumed" if connection.tls.session_reused else "new"
    print(connection.tls.cipher()[0], word, file=sys.stderr, flush=True)
    join(connection)


main()
