"""A raw connection of an attacker."""


class Flow:
    """A connection over which as much goes as the other side takes; made anew when it has ended.

    `begin` opens it; `pieces` are sent round and round; `reads` says whether answers are taken.
    """

    def __init__(self, begin, pieces, reads=True):
        self.begin, self.pieces, self.reads = begin, pieces, reads
        self.socket, self.rest, self.index = None, b"", 0
        self.ends = 0

    def open(self):
        self.socket = self.begin()
        self.socket.setblocking(False)
        self.rest = b""

    def turn(self):
        """Sends and reads as much as possible; returns whether anything moved."""
        moved = False
        try:
            if self.socket is None:
                self.open()
            if self.reads:
                try:
                    while self.socket.recv(262_144):
                        moved = True
                    raise ConnectionResetError
                except BlockingIOError:
                    pass
            if not self.rest:
                piece = self.pieces[self.index % len(self.pieces)]
                self.rest = piece() if callable(piece) else piece
                self.index += 1
            sent = self.socket.send(self.rest)
            self.rest = self.rest[sent:]
            return moved or sent > 0
        except BlockingIOError:
            return moved
        except OSError:
            self.ends += 1
            if self.socket:
                self.socket.close()
            self.socket = None
            return False

    def close(self):
        if self.socket:
            self.socket.close()
