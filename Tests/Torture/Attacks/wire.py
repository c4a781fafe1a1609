"""Connections that can misbehave: raw bytes, TLS, and handwritten HTTP/2 frames."""

import socket
import ssl
import struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RESET, SETTINGS = 0, 1, 2, 3, 4
PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = 6, 7, 8, 9
END_STREAM, ACK, END_HEADERS = 1, 1, 4
PROTOCOL_ERROR, FLOW_CONTROL_ERROR, FRAME_SIZE_ERROR = 1, 3, 6
REFUSED_STREAM, CANCEL, COMPRESSION_ERROR, ENHANCE_YOUR_CALM = 7, 8, 9, 11

GET = b"GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n"


def context(alpn=None):
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    made.check_hostname = False
    made.verify_mode = ssl.CERT_NONE
    if alpn:
        made.set_alpn_protocols([alpn])
    return made


CONTEXTS = {alpn: context(alpn) for alpn in ("http/1.1", "h2")}


def frame(kind, flags=0, stream=0, payload=b""):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def literal(name, value):
    """A field that is not indexed. Its numbers have seven bits and their continuation."""

    def string(text):
        if len(text) < 127:
            return bytes([len(text)]) + text
        rest, digits = len(text) - 127, b""
        while rest > 127:
            digits += bytes([rest & 127 | 128])
            rest >>= 7
        return b"\x7f" + digits + bytes([rest]) + text

    return b"\x00" + string(name) + string(value)


def head(path=b"/a", method=b"GET", fields=b""):
    """A block of fields for https and localhost."""
    return (
        literal(b":method", method) + b"\x87" + literal(b":path", path) + literal(b":authority", b"localhost") + fields
    )


def request(stream, path=b"/a"):
    return frame(HEADERS, END_STREAM | END_HEADERS, stream, head(path))


class Client:
    """One connection, through TLS if a protocol is named, otherwise in clear."""

    def __init__(self, port, alpn=None, timeout=10, host="127.0.0.1", receive_buffer=None):
        self.alpn = alpn
        self.socket = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
        self.socket.settimeout(timeout)
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.connect((host, port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if alpn:
            self.socket = CONTEXTS[alpn].wrap_socket(self.socket)
        self.buffer = b""
        self.is_open = True

    def send(self, data):
        """Whether the other side still accepts the data."""
        try:
            self.socket.sendall(data)
            return True
        except OSError:
            return False

    def receive(self):
        """Some bytes; none at any kind of end."""
        try:
            data = self.socket.recv(65_536)
            self.is_open = bool(data)
            return data
        except TimeoutError:
            return b""
        except OSError:
            self.is_open = False
            return b""

    def read_all(self):
        data = b""
        while piece := self.receive():
            data += piece
        return data

    def ask(self, data=GET):
        """The status of the first answer, or 0 without one. Also reads the body."""
        self.send(data)
        answer = b""
        while b"\r\n\r\n" not in answer:
            piece = self.receive()
            if not piece:
                return 0
            answer += piece
        fields, body = answer.split(b"\r\n\r\n", 1)
        length = next(
            (int(line.split(b":")[1]) for line in fields.lower().split(b"\r\n") if line.startswith(b"content-length:")),
            0,
        )
        while len(body) < length and (piece := self.receive()):
            body += piece
        return int(fields.split()[1])

    def open(self, settings=b"", acknowledges=True):
        """Begins HTTP/2."""
        acknowledgement = frame(SETTINGS, ACK) if acknowledges else b""
        self.send(PREFACE + frame(SETTINGS, payload=settings) + acknowledgement)
        return self

    def frames(self):
        """The frames from the other side until its end, as (kind, flags, stream, payload)."""
        while True:
            while len(self.buffer) >= 9:
                length = int.from_bytes(self.buffer[:3])
                if len(self.buffer) < 9 + length:
                    break
                kind, flags, stream = struct.unpack(">BBI", self.buffer[3:9])
                payload, self.buffer = self.buffer[9 : 9 + length], self.buffer[9 + length :]
                yield kind, flags, stream, payload
            piece = self.receive()
            if not piece:
                return
            self.buffer += piece

    def ending(self):
        """The code of the GOAWAY before the end, "end" without one, "open" if there was no end."""
        code = "end"
        for kind, _, _, payload in self.frames():
            if kind == GOAWAY:
                code = int.from_bytes(payload[4:8])
        return "open" if self.is_open else code

    def close(self):
        self.socket.close()

    def abort(self):
        """Closes with a reset."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()


STATUSES = {8: 200, 9: 204, 10: 206, 11: 304, 12: 400, 13: 404, 14: 500}


def status(block):
    """The status at the front of a block of fields, as the server writes it."""
    block = block.lstrip(bytes(range(0x20, 0x40)))  # A change of the table size.
    if block[0] & 0x80:
        return STATUSES.get(block[0] & 0x7F, 0)
    if block[0] & 0x0F == 8 and len(block) > 4:  # A literal value with an indexed name.
        size = block[1] & 0x7F
        return huffman_number(block[2 : 2 + size]) if block[1] & 0x80 else int(block[2 : 2 + size])
    return 0


def huffman_number(data):
    """Digits in the code of RFC 7541, appendix B: five bits for 0 to 2, six for the others."""
    bits = "".join(f"{byte:08b}" for byte in data)
    digits = ""
    while len(bits) >= 5 and not all(bit == "1" for bit in bits):
        if int(bits[:5], 2) <= 2:
            digits, bits = digits + str(int(bits[:5], 2)), bits[5:]
        else:
            digits, bits = digits + str(int(bits[:6], 2) - 25 + 3), bits[6:]
    return int(digits)
