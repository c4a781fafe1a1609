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
