"""A server's stream, as another program joins it with its standard streams."""

import fcntl
import os
import select
import socket
import subprocess
import termios
import time

from kit.checks import Failed

PATIENCE = 60
PIECE = 1 << 16


class Joined:
    """What the program prints is always read, or both ends would wait for each other."""

    def __init__(self, command, environment, log):
        self.log = log
        # NSS's program never notices the end of a pipe.
        self.input, theirs = socket.socketpair()
        self.input.setblocking(False)
        with open(log, "wb") as errors, theirs:
            self.process = subprocess.Popen(
                command, stdin=theirs, stdout=subprocess.PIPE, stderr=errors, env=os.environ | environment
            )
        self.output = self.process.stdout.fileno()
        self.data, self.end, self.is_told = b"", time.monotonic() + PATIENCE, False

    def said(self):
        with open(self.log, errors="replace") as file:
            return file.read()[-2_000:]

    def failed(self, what):
        return Failed(
            f"{self.process.args}: {what}, {len(self.data)} bytes unread, exit {self.process.poll()}: {self.said()}"
        )

    def turn(self, inputs=(), seconds=PATIENCE):
        """Waits and takes what has come. Whether the input has room."""
        readable, writable, _ = select.select([self.output], inputs, [], seconds)
        if time.monotonic() > self.end:
            raise self.failed("it takes too long")
        if readable:
            piece = os.read(self.output, PIECE)
            self.data += piece
            if not piece:
                raise self.failed("it has ended")
        return bool(writable)

    def write(self, data):
        if self.is_told:
            self.rest()
        data, self.is_told = memoryview(data), False
        while data:
            if self.turn([self.input]):
                data = data[self.input.send(data) :]

    def tell(self, word):
        """A command. Programs look for one where a piece of their input begins, and drop the piece."""
        self.rest()
        self.write(word.encode())
        self.is_told = True

    def rest(self):
        """Until the program has taken its whole input."""
        waiting = bytearray(4)
        while fcntl.ioctl(self.input, termios.TIOCOUTQ, waiting) or any(waiting):
            self.turn(seconds=0.002)

    def read(self, count):
        while len(self.data) < count:
            self.turn()
        data, self.data = self.data[:count], self.data[count:]
        return data

    def body(self):
        """That of the next answer."""
        while b"\r\n\r\n" not in self.data:
            self.turn()
        head, _, self.data = self.data.partition(b"\r\n\r\n")
        return self.read(int(head.lower().partition(b"content-length: ")[2].split()[0]))

    def finish(self):
        """Ends the input."""
        self.input.close()

    def code(self):
        """The exit code, after the end of the output."""
        while select.select([self.output], [], [], PATIENCE)[0]:
            piece = os.read(self.output, PIECE)
            self.data += piece
            if not piece:
                return self.process.wait(PATIENCE)
        raise self.failed("it does not end")

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.input.close()
