"""Many connections at once, in one thread with timers or in several processes."""

import os
import select
import selectors
import sys
import time
import traceback


class Peer:
    """A connection of a crowd. It says what to do next and when the server has cut it."""

    def __init__(self, client, begin=b"", drip=b"", reads=True, reads_at_most=65_536):
        self.client, self.drip, self.next_drop = client, drip, 0
        self.reads, self.reads_at_most = reads, reads_at_most
        self.received = b""
        self.total = 0
        self.cut_after = None
        client.send(begin)
        client.socket.setblocking(False)
        self.began = time.monotonic()

    def end(self):
        if self.cut_after is None:
            self.cut_after = time.monotonic() - self.began

    def send_drop(self):
        if not self.drip or self.cut_after is not None:
            return
        try:
            self.client.socket.send(self.drip[self.next_drop : self.next_drop + 1])
            self.next_drop = (self.next_drop + 1) % len(self.drip)
        except BlockingIOError:
            pass
        except OSError as error:
            if "WANT" not in type(error).__name__.upper():
                self.end()

    def take(self):
        try:
            data = self.client.socket.recv(self.reads_at_most)
        except OSError as error:
            name = type(error).__name__.upper()
            if "WANT" in name or "BLOCKING" in name:
                return
            data = b""
        if not data:
            return self.end()
        self.total += len(data)
        if len(self.received) < 65_536:
            self.received += data


def drip(peers, seconds, every=0.1):
    """Every peer sends a byte now and then, until all are cut or the time is over."""
    selector = selectors.DefaultSelector()
    for peer in peers:
        if peer.reads:
            selector.register(peer.client.socket, selectors.EVENT_READ, peer)
    end, next_drop = time.monotonic() + seconds, 0
    while time.monotonic() < end and any(peer.cut_after is None for peer in peers):
        for key, _ in selector.select(every / 5):
            key.data.take()
            if key.data.cut_after is not None:
                selector.unregister(key.data.client.socket)
        if time.monotonic() >= next_drop:
            next_drop = time.monotonic() + every
            for peer in peers:
                peer.send_drop()
    selector.close()


def sip(peers, seconds, every=0.1):
    """Every peer reads a little now and then, until all are cut or the time is over."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and any(peer.cut_after is None for peer in peers):
        for peer in peers:
            if peer.cut_after is None:
                peer.take()
        time.sleep(every)


class Workers:
    """Processes that do their part of the work, report it, and wait until they may end."""

    def __init__(self, count, work):
        """`work(index)` returns what the process must keep alive."""
        self.workers = []
        for index in range(count):
            told, tell = os.pipe()
            wait, go = os.pipe()
            process = os.fork()
            if process == 0:
                os.close(go)
                os.close(told)
                for _, _, other in self.workers:
                    os.close(other)
                self.run(work, index, tell, wait)
            os.close(tell)
            os.close(wait)
            self.workers.append((process, told, go))

    @staticmethod
    def run(work, index, tell, wait):
        os.nice(10)  # Programs that are measured meanwhile have priority.
        try:
            held = work(index)
            os.write(tell, b"done")
            os.read(wait, 1)
            del held
            os._exit(0)
        except BaseException:
            traceback.print_exc(file=sys.stderr)
            os._exit(1)

    def done(self, seconds):
        """Whether all have done their part in time."""
        end = time.monotonic() + seconds
        for _, told, _ in self.workers:
            ready, _, _ = select.select([told], [], [], max(0, end - time.monotonic()))
            if not ready or os.read(told, 4) != b"done":
                return False
        return True

    def let_go(self):
        for process, told, go in self.workers:
            os.close(go)
            os.close(told)
            os.waitpid(process, 0)


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
