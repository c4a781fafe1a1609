"""Other WebSocket decoders behind one interface: Verdict(events, code); code is None if all is well."""

import codecs
import ctypes
import logging
from dataclasses import dataclass, field

from websockets.frames import Opcode
from websockets.protocol import CLIENT, OPEN, SERVER, Protocol
from wsproto.frame_protocol import FrameProtocol, ParseFailed
from wsproto.frame_protocol import Opcode as WSOpcode

LIMIT = 1 << 20


@dataclass
class Verdict:
    events: list = field(default_factory=list)
    code: int | None = None
    word: str = ""

    @property
    def is_over(self):
        return self.code is not None or any(event[0] == "close" for event in self.events)


class WSProto:
    name = "wsproto"

    def __init__(self, is_server):
        self.protocol = FrameProtocol(client=not is_server, extensions=[])
        self.verdict = Verdict()
        self.gathered = []

    def feed(self, data):
        if self.verdict.is_over:
            return
        self.protocol.receive_bytes(data)
        try:
            for frame in self.protocol.received_frames():
                self.take(frame)
        except ParseFailed as failure:
            self.verdict.code = int(failure.code)
            self.verdict.word = str(failure)

    def take(self, frame):
        events = self.verdict.events
        if frame.opcode is WSOpcode.CLOSE:
            code, reason = frame.payload
            events.append(("close", None if code == 1005 else int(code), reason or ""))
        elif frame.opcode.iscontrol():
            events.append((frame.opcode.name.lower(), bytes(frame.payload)))
        else:
            data = frame.payload
            self.gathered.append(data.encode() if isinstance(data, str) else bytes(data))
            if frame.message_finished:
                events.append((frame.opcode.name.lower(), b"".join(self.gathered)))
                self.gathered = []


class WebSockets:
    """Its protocol layer leaves the decoding of text to the layer above, so we do it here."""

    name = "websockets"

    def __init__(self, is_server):
        logger = logging.getLogger("quiet")
        logger.setLevel(logging.CRITICAL + 1)
        self.protocol = Protocol(SERVER if is_server else CLIENT, state=OPEN, max_size=LIMIT, logger=logger)
        self.verdict = Verdict()
        self.gathered = []

    def feed(self, data):
        if self.verdict.is_over:
            return
        self.protocol.receive_data(data)
        for frame in self.protocol.events_received():
            if not self.verdict.is_over:
                self.take(frame)
        if self.protocol.parser_exc is not None and self.verdict.code is None:
            self.verdict.code = int(self.protocol.close_sent.code)
            self.verdict.word = str(self.protocol.parser_exc)

    def take(self, frame):
        events = self.verdict.events
        data = bytes(frame.data)
        if frame.opcode is Opcode.CLOSE:
            code = int.from_bytes(data[:2]) if data else None
            events.append(("close", code, data[2:].decode()))
        elif frame.opcode in (Opcode.PING, Opcode.PONG):
            events.append((frame.opcode.name.lower(), data))
        else:
            if frame.opcode is not Opcode.CONT:
                self.kind = frame.opcode.name.lower()
            self.gathered.append(data)
            if frame.fin:
                whole, self.gathered = b"".join(self.gathered), []
                if self.kind == "text" and not is_text(whole):
                    self.verdict.code, self.verdict.word = 1007, "text"
                else:
                    events.append((self.kind, whole))


def is_text(data):
    try:
        codecs.decode(data, "utf-8")
        return True
    except UnicodeDecodeError:
        return False


class Message(ctypes.Structure):
    _fields_ = [
        ("rsv", ctypes.c_uint8),
        ("opcode", ctypes.c_uint8),
        ("data", ctypes.POINTER(ctypes.c_uint8)),
        ("length", ctypes.c_size_t),
        ("code", ctypes.c_uint16),
    ]


POINTER = ctypes.c_void_p
RECEIVE = ctypes.CFUNCTYPE(ctypes.c_ssize_t, POINTER, POINTER, ctypes.c_size_t, ctypes.c_int, POINTER)
SEND = ctypes.CFUNCTYPE(ctypes.c_ssize_t, POINTER, POINTER, ctypes.c_size_t, ctypes.c_int, POINTER)
MASK = ctypes.CFUNCTYPE(ctypes.c_int, POINTER, POINTER, ctypes.c_size_t, POINTER)
ON_MESSAGE = ctypes.CFUNCTYPE(None, POINTER, ctypes.POINTER(Message), POINTER)
WOULD_BLOCK = -401


class Callbacks(ctypes.Structure):
    _fields_ = [
        ("receive", RECEIVE),
        ("send", SEND),
        ("mask", MASK),
        ("start", POINTER),
        ("chunk", POINTER),
        ("end", POINTER),
        ("message", ON_MESSAGE),
    ]


class Wslay:
    name = "wslay"
    library = None

    @classmethod
    def load(cls):
        try:
            cls.library = ctypes.CDLL("libwslay.so.1")
        except OSError:
            return False
        for name in ["recv", "send", "get_status_code_sent", "get_close_received", "get_read_enabled", "context_free"]:
            getattr(cls.library, f"wslay_event_{name}").argtypes = [POINTER]
        cls.library.wslay_event_context_free.restype = None
        cls.library.wslay_event_set_error.argtypes = [POINTER, ctypes.c_int]
        cls.library.wslay_event_config_set_max_recv_msg_length.argtypes = [POINTER, ctypes.c_uint64]
        return True

    def __init__(self, is_server):
        self.verdict = Verdict()
        self.input = b""
        self.is_done = False
        self.callbacks = Callbacks(
            RECEIVE(self.receive),
            SEND(lambda c, d, length, f, u: length),
            MASK(self.mask),
            None,
            None,
            None,
            ON_MESSAGE(self.message),
        )
        self.context = POINTER()
        make = getattr(self.library, f"wslay_event_context_{'server' if is_server else 'client'}_init")
        make(ctypes.byref(self.context), ctypes.byref(self.callbacks), None)
        self.library.wslay_event_config_set_max_recv_msg_length(self.context, LIMIT)

    def __del__(self):
        self.library.wslay_event_context_free(self.context)

    def mask(self, context, buffer, length, user):
        ctypes.memset(buffer, 0, length)
        return 0

    def receive(self, context, buffer, length, flags, user):
        piece, self.input = self.input[:length], self.input[length:]
        if not piece:
            self.library.wslay_event_set_error(POINTER(context), WOULD_BLOCK)
            return -1
        ctypes.memmove(buffer, piece, len(piece))
        return len(piece)

    def message(self, context, message, user):
        message = message.contents
        data = ctypes.string_at(message.data, message.length) if message.length else b""
        if message.opcode == 8:
            code = message.code if message.length else None
            event = ("close", code, data[2:].decode("utf-8", "replace"))
        else:
            event = ({1: "text", 2: "binary", 9: "ping", 10: "pong"}[message.opcode], data)
        self.verdict.events.append(event)

    def feed(self, data):
        if self.is_done:
            return
        self.input += data
        result = self.library.wslay_event_recv(self.context)
        self.library.wslay_event_send(self.context)
        if self.library.wslay_event_get_close_received(self.context):
            self.is_done = True
        elif result != 0 or not self.library.wslay_event_get_read_enabled(self.context):
            self.is_done = True
            code = self.library.wslay_event_get_status_code_sent(self.context)
            self.verdict.code, self.verdict.word = code, f"error {result}"
