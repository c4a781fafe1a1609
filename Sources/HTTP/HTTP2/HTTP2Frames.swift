/// The nine bytes before each frame (RFC 9113 section 4.1).
struct HTTP2FrameHeader: Equatable, Sendable {
    /// The numbers of RFC 9113 section 6 and RFC 9218 section 7.1.
    enum Kind {
        static let data: UInt8 = 0x0
        static let headers: UInt8 = 0x1
        static let priority: UInt8 = 0x2
        static let reset: UInt8 = 0x3
        static let settings: UInt8 = 0x4
        static let ping: UInt8 = 0x6
        static let goAway: UInt8 = 0x7
        static let windowUpdate: UInt8 = 0x8
        static let continuation: UInt8 = 0x9
        static let priorityUpdate: UInt8 = 0x10
    }

    static let byteCount = 9

    let length: Int
    let kind: UInt8
    let flags: UInt8
    let stream: HTTP2StreamID

    init(_ bytes: Span<UInt8>) {
        length = Int(bytes[0]) << 16 | Int(bytes[1]) << 8 | Int(bytes[2])
        kind = bytes[3]
        flags = bytes[4]
        let number =
            UInt32(bytes[5]) << 24 | UInt32(bytes[6]) << 16 | UInt32(bytes[7]) << 8
            | UInt32(bytes[8])
        stream = HTTP2StreamID(number & 0x7FFF_FFFF)
    }

    /// END_STREAM of DATA and HEADERS.
    var endsStream: Bool { flags & 0x1 != 0 }
    /// END_HEADERS of HEADERS and CONTINUATION.
    var endsHeaders: Bool { flags & 0x4 != 0 }

    /// Whether a frame that should carry something carries nothing. `hasBody`: it brought data. The
    /// length of padding is one byte, so a longer frame costs the peer real traffic.
    func isEmpty(hasBody: Bool) -> Bool {
        switch kind {
        case Kind.data: !endsStream && (length == 0 || isPadded && length <= 256 && !hasBody)
        case Kind.headers, Kind.continuation: length == 0
        default: false
        }
    }

    private var isPadded: Bool { flags & 0x8 != 0 }
}

/// Finds frames in the bytes of a connection, so that each can be checked before it is read.
struct HTTP2FrameScanner: Sendable {
    /// Consecutive bytes of the input.
    struct Piece {
        /// Where the piece ends in the input.
        let end: Int
        /// The frame whose header was completed in this piece.
        let begun: HTTP2FrameHeader?
        /// The frame that ends with this piece.
        let ended: HTTP2FrameHeader?
    }

    /// RFC 9113 section 3.4.
    static let preface: StaticString = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

    private var prefaceLeft = Self.preface.utf8CodeUnitCount
    private var headerBytes = InlineArray<9, UInt8>(repeating: 0)
    private var headerCount = 0
    private var payloadLeft = 0
    private var frame: HTTP2FrameHeader?
    private var isInHeaderBlock = false
    private var hasSettings = false

    /// The preface or a head has begun and is not complete. A new connection is in its preface.
    var isInHead: Bool { !hasSettings || isInHeaderBlock }

    /// The next piece of `input`, which has bytes at `start`. A piece never spans two frames.
    mutating func next(in input: Span<UInt8>, from start: Int) -> Piece {
        guard prefaceLeft == 0 else {
            let count = min(prefaceLeft, input.count - start)
            prefaceLeft -= count
            return Piece(end: start + count, begun: nil, ended: nil)
        }
        var position = start
        var begun: HTTP2FrameHeader?
        if frame == nil {
            while headerCount < HTTP2FrameHeader.byteCount, position < input.count {
                headerBytes[headerCount] = input[position]
                headerCount += 1
                position += 1
            }
            guard headerCount == HTTP2FrameHeader.byteCount else {
                return Piece(end: position, begun: nil, ended: nil)
            }
            begun = begin()
        }
        let count = min(payloadLeft, input.count - position)
        payloadLeft -= count
        return Piece(end: position + count, begun: begun, ended: payloadLeft == 0 ? end() : nil)
    }

    private mutating func begin() -> HTTP2FrameHeader {
        let header = HTTP2FrameHeader(headerBytes.span)
        headerCount = 0
        payloadLeft = header.length
        frame = header
        if header.kind == HTTP2FrameHeader.Kind.headers { isInHeaderBlock = true }
        return header
    }

    private mutating func end() -> HTTP2FrameHeader? {
        guard let frame else { return nil }
        switch frame.kind {
        case HTTP2FrameHeader.Kind.headers, HTTP2FrameHeader.Kind.continuation:
            if frame.endsHeaders { isInHeaderBlock = false }
        case HTTP2FrameHeader.Kind.settings: hasSettings = true
        default: break
        }
        self.frame = nil
        return frame
    }
}

/// Which streams a peer may still open: their numbers only rise (RFC 9113 section 5.1.1).
///
/// A stream that was reset may still get trailers that were on their way. A stream whose number was
/// skipped was never opened and gets none.
struct HTTP2StreamOrder: Sendable {
    /// Few clients skip numbers. Beyond this the oldest gaps are forgotten, and their streams
    /// ignored.
    private static let gapLimit = 8

    private var last: HTTP2StreamID = -1
    /// The skipped numbers between opened streams.
    private var gaps: [ClosedRange<HTTP2StreamID>] = []

    /// Whether a header block may begin on `stream`.
    mutating func allows(_ stream: HTTP2StreamID) -> Bool {
        guard stream > last else { return !gaps.contains { $0.contains(stream) } }
        // Zero and even numbers are always wrong; nghttp2 checks that.
        guard stream % 2 == 1 else { return true }
        if stream > last + 2 {
            if gaps.count == Self.gapLimit { gaps.removeFirst() }
            gaps.append(last + 1...stream - 1)
        }
        last = stream
        return true
    }
}
