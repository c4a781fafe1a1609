"""A plugin of pytest: writes down what the tests of wsproto feed to this library, and what it says to it.

Frames are written as a client sends them. Where a test feeds a client, each frame changes sides: what had no mask gets
one. Where a test only makes frames, or feeds a part of the library that does not see bytes, the library then reads the
frames as a server, and that is its word.
"""

import contextlib
import json
import os

from websocket_client import head, keyed, turned
from wsproto.extensions import PerMessageDeflate
from wsproto.frame_protocol import CloseReason, FrameDecoder, FrameProtocol, MessageDecoder, Opcode, ParseFailed
from wsproto.handshake import H11Handshake
from wsproto.utilities import RemoteProtocolError

# The library and this plugin take masks and keys from here. Each run writes the same bytes, so equal cases are equal.
os.urandom = lambda count: bytes(range(1, count + 1))
records = []
# What tests make without feeding it to anybody: the test, its frames, and whether an extension changes them.
made = []


def test_name():
    return os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0].removeprefix("tests/").replace(".py", "", 1)


class Record:
    def __init__(self, kind, is_client=False, is_extended=False):
        self.kind, self.test, self.is_client, self.is_extended = kind, test_name(), is_client, is_extended
        self.pieces, self.events, self.opcode = [], [], Opcode.CONTINUATION
        records.append(self)

    def line(self):
        pieces = turned(self.pieces) if self.is_client else self.pieces
        return json.dumps([self.kind, self.test, self.is_extended, [piece.hex() for piece in pieces], self.events])

    def read(self, frame):
        """Writes down what a frame, or a part of one, means. Messages are told by their length."""
        if frame.opcode == Opcode.CLOSE:
            code = int.from_bytes(frame.payload[:2], "big")
            return self.events.append(["close", code or int(CloseReason.NO_STATUS_RCVD)])
        if frame.opcode in (Opcode.PING, Opcode.PONG):
            return self.events.append([frame.opcode.name.lower(), bytes(frame.payload).hex()])
        if frame.opcode != Opcode.CONTINUATION:
            self.opcode = frame.opcode
        is_whole = frame.frame_finished and frame.message_finished
        self.events.append([self.opcode.name.lower() if is_whole else "part", len(frame.payload)])


def framed(opcode, payload, is_final, rsv=0):
    return head(opcode, len(payload), is_final, rsv) + keyed(bytes(payload))


def made_with(part, is_extended=False):
    """The frames that a test makes with a part of the library."""
    if not hasattr(part, "frames_made"):
        part.frames_made = []
        made.append((test_name(), part.frames_made, is_extended))
    return part.frames_made


def replaced(kind, name):
    """Replaces a method by a function that gets the former one first."""

    def replace(function):
        former = getattr(kind, name)
        setattr(kind, name, lambda *arguments, **named: function(former, *arguments, **named))

    return replace


@replaced(H11Handshake, "receive_data")
def hear_handshake(receive, self, data):
    if self.client:
        return receive(self, data)
    record = Record("handshake")
    record.pieces, record.events = [bytes(data)], [["accepted"]]
    try:
        return receive(self, data)
    except RemoteProtocolError as error:
        record.events = [["refused", error.event_hint.status_code]]
        raise


@replaced(H11Handshake, "_initiate_connection")
def make_handshake(initiate, self, request):
    record = Record("handshake")
    record.pieces, record.events = [initiate(self, request)], [["accepted"]]
    return record.pieces[0]


@replaced(FrameDecoder, "__init__")
def make_decoder(initialise, self, client, extensions=None):
    initialise(self, client, extensions)
    self.record = Record("frames", is_client=client, is_extended=bool(extensions))


@replaced(FrameDecoder, "receive_bytes")
def hear_bytes(receive, self, data):
    if data:
        self.record.pieces.append(bytes(data))
    return receive(self, data)


@replaced(FrameDecoder, "process_buffer")
def read_frame(process, self):
    try:
        frame = process(self)
    except ParseFailed as error:
        self.record.events.append(["failed", int(error.code)])
        raise
    if frame is not None:
        self.record.read(frame)
    return frame


def judged(decoder, judge, *arguments):
    """What is wrong with a frame in its place: the frame by itself was good."""
    try:
        return judge(*arguments)
    except ParseFailed as error:
        decoder.record.events[-1] = ["failed", int(error.code)]
        raise


@replaced(FrameProtocol, "__init__")
def make_protocol(initialise, self, client, extensions):
    initialise(self, client, extensions)
    self._message_decoder.frames = self._frame_decoder


@replaced(FrameProtocol, "_process_close")
def read_close(process, self, frame):
    return judged(self._frame_decoder, process, self, frame)


@replaced(MessageDecoder, "process_frame")
def read_data(process, self, frame):
    if hasattr(self, "frames"):
        return judged(self.frames, process, self, frame)
    frames = made_with(self)
    if self.opcode and not frames:
        # The test begins inside a message, perhaps inside a character.
        frames.append(framed(self.opcode, self.decoder.getstate()[0] if self.decoder else b"", False))
    frames.append(framed(frame.opcode, frame.payload, frame.frame_finished and frame.message_finished))
    return process(self, frame)


@replaced(FrameProtocol, "_serialize_frame")
def write_frame(serialize, self, *arguments):
    data = serialize(self, *arguments)
    made_with(self, bool(self.extensions)).append(bytes(data) if self.client else turned([data])[0])
    return data


def compressed(extension, is_final):
    opcode, rsv = extension.begun
    return framed(opcode, extension.payload, is_final, rsv)


# A FrameDecoder calls an extension with itself; a test that calls it has made a FrameProtocol for it.
@replaced(PerMessageDeflate, "frame_inbound_header")
def begin_compressed(begin, self, caller, opcode, bits, length):
    if isinstance(caller, FrameProtocol):
        self.begun, self.payload = (opcode, bits.rsv1 << 2 | bits.rsv2 << 1 | bits.rsv3), bytes(length)
        made_with(self, True).append(compressed(self, True))
    return begin(self, caller, opcode, bits, length)


@replaced(PerMessageDeflate, "frame_inbound_payload_data")
def read_compressed(read, self, caller, data):
    if isinstance(caller, FrameProtocol):
        self.payload = data
        made_with(self)[-1] = compressed(self, True)
    return read(self, caller, data)


@replaced(PerMessageDeflate, "frame_inbound_complete")
def end_compressed(end, self, caller, is_final):
    if isinstance(caller, FrameProtocol):
        made_with(self)[-1] = compressed(self, is_final)
    return end(self, caller, is_final)


def let_read(test, frames, is_extended):
    """Lets the library read as a server what a test made."""
    extension = PerMessageDeflate()
    extension._enabled = is_extended
    protocol = FrameProtocol(False, [extension])
    record = protocol._frame_decoder.record
    record.test, record.is_extended = test, is_extended
    for frame in frames:
        protocol.receive_bytes(frame)
    with contextlib.suppress(ParseFailed):
        list(protocol.received_frames())


def pytest_sessionfinish():
    heard = {record.test for record in records if record.kind == "frames" and record.pieces}
    for test, frames, is_extended in made:
        if test not in heard:
            let_read(test, frames, is_extended)
    with open(os.environ["RECORDED"], "w") as file:
        for record in records:
            if any(record.pieces):
                print(record.line(), file=file)
