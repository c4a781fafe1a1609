"""One end of a WebSocket as the cases of Autobahn's suite use it: they decide about each frame."""

import asyncio
import base64
import collections
import os
import struct

from websocket_client import Frames, binary, head, keyed

OPEN, CLOSING, CLOSED = range(3)
# The cases give a server a second to end a connection. On a busy machine this has nothing to do with the server.
PATIENCE = 5


class Peer(asyncio.Protocol):
    """A client that plays one case."""

    CLOSE_STATUS_CODE_NORMAL = 1000
    CLOSE_STATUS_CODE_PROTOCOL_ERROR = 1002
    CLOSE_STATUS_CODE_INVALID_PAYLOAD = 1007

    def __init__(self, make_case, address, ended):
        self.address, self.ended = address, ended
        self.frames, self.output = Frames(), collections.deque()
        self.is_upgraded = self.is_writing = False
        self.state, self.autoFragmentSize, self.txFrameStats = OPEN, 0, collections.Counter()
        self.connectionWasOpen = self.closedByMe = self.droppedByMe = self.failedByMe = self.wasClean = False
        self.remoteCloseCode = self.remoteCloseReason = self.localCloseReason = None
        self.factory = type("Factory", (), {"isServer": False})
        self.timers = []
        self.case = make_case(self)

    # What asyncio calls.

    def connection_made(self, transport):
        self.transport, self.loop = transport, asyncio.get_running_loop()
        key = base64.b64encode(os.urandom(16)).decode()
        transport.write(
            f"GET / HTTP/1.1\r\nHost: {self.address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )

    def data_received(self, data):
        self.frames.buffer += data
        if not self.is_upgraded:
            head, found, rest = bytes(self.frames.buffer).partition(b"\r\n\r\n")
            if not found:
                return
            if b" 101 " not in head.split(b"\r\n")[0]:
                return self.transport.abort()
            self.frames.buffer[:] = rest
            self.is_upgraded = self.connectionWasOpen = True
            self.case.onOpen()
        while self.state != CLOSED and (event := self.frames.next()):
            self.heard(*event)

    def connection_lost(self, error):
        self.state = CLOSED
        for timer in self.timers:
            timer.cancel()
        self.case.onConnectionLost(self.failedByMe)
        self.ended.set_result(None)

    def heard(self, opcode, payload):
        if opcode == 8:
            return self.heard_close(payload)
        text = payload.decode("latin-1")
        if opcode == 9:
            if self.state == OPEN:
                self.sendFrame(10, text)
            self.case.onPing(text)
        elif opcode == 10:
            self.case.onPong(text)
        else:
            self.case.onMessage(text, opcode == 2)

    def heard_close(self, payload):
        self.wasClean = True
        if len(payload) >= 2:
            self.remoteCloseCode = struct.unpack(">H", payload[:2])[0]
        if self.state == OPEN:
            self.write(self.framed(8, payload, True, 0))
            self.state = CLOSING
        self.case.onClose(True, self.remoteCloseCode, "")

    # What the cases call.

    def sendFrame(self, opcode, payload="", fin=True, rsv=0, mask=None, payload_len=None, chopsize=None, sync=False):
        payload = binary(payload)
        if payload_len is not None:
            payload = (payload * (payload_len // len(payload) + 1))[:payload_len] if payload_len else b""
        data = self.framed(opcode, payload, fin, rsv)
        for start in range(0, len(data), chopsize) if chopsize else ():
            self.write(data[start : start + chopsize])
        if not chopsize:
            self.write(data)

    def framed(self, opcode, payload, fin, rsv):
        self.txFrameStats[opcode] += 1
        return head(opcode, len(payload), fin, rsv) + keyed(payload)

    def sendMessage(self, payload, isBinary=False, fragmentSize=None, **_):
        payload, size = binary(payload), fragmentSize or self.autoFragmentSize or len(payload) or 1
        starts = range(0, max(1, len(payload)), size)
        for start in starts:
            part = payload[start : start + size]
            opcode = 0 if start else (2 if isBinary else 1)
            self.write(self.framed(opcode, part, start == starts[-1], 0))

    def beginMessage(self, isBinary=False, **_):
        self.opcode = 2 if isBinary else 1

    def beginMessageFrame(self, length):
        # A key of zeros leaves the parts as they are.
        self.write(head(self.opcode, length, fin=False) + bytes(4))
        self.opcode = 0

    def sendMessageFrameData(self, payload, **_):
        self.write(binary(payload))

    def endMessage(self):
        self.sendFrame(0)

    def sendClose(self, code=None, reason=None):
        if self.state == OPEN:
            self.sendCloseFrame(code, reason and reason.encode())

    def sendCloseFrame(self, code=None, reasonUtf8=None, isReply=False):
        payload = struct.pack(">H", code) + binary(reasonUtf8 or b"") if code is not None else b""
        self.write(self.framed(8, payload, True, 0))
        self.state, self.closedByMe, self.localCloseReason = CLOSING, not isReply, reasonUtf8

    def continueLater(self, delay, function, tag=None):
        self.timers.append(self.loop.call_later(delay, lambda: self.state != CLOSED and function()))

    def closeAfter(self, delay):
        self.continueLater(delay, self.sendClose)

    def killAfter(self, delay):
        self.continueLater(delay * PATIENCE, self.fail)

    def fail(self):
        """The server has not ended the connection, which most cases hold against it."""
        self.failedByMe = True
        if self.state == OPEN:
            self.sendCloseFrame(1000)
            self.timers.append(self.loop.call_later(PATIENCE, self.fail))
        else:
            self.droppedByMe, self.wasClean = True, False
            self.transport.abort()

    def enableWirelog(self, _):
        pass

    # The parts of a frame go out one by one, so that they arrive as such.

    def write(self, data):
        self.output.append(data)
        if not self.is_writing:
            self.is_writing = True
            self.flush()

    def flush(self):
        if not self.output or self.transport.is_closing():
            self.is_writing = False
            return
        self.transport.write(self.output.popleft())
        self.loop.call_soon(self.flush)
