import Base

/// Reads the requests of one HTTP/1.1 connection (RFC 9112) from pieces of any size.
///
/// It is strict wherever two readers could see two different requests in the same bytes. It is a
/// pure value, without clock or socket. After a refusal it refuses everything.
package struct HTTP1Parser: Sendable {
    enum Phase: Equatable {
        /// No byte of the next request has come; `head` is still the last one's.
        case start
        case head
        case bodyStart
        case body(remaining: Int)
        case chunkLine
        case chunk(remaining: Int)
        case chunkEnd
        case trailers
        case end
        case handedOver
        case refused(HTTPRefusal)
    }

    /// The current request: complete from the event `head` on, until the next request starts.
    package private(set) var head = RequestHead()
    /// The most bytes of the body. Each head resets it to the default.
    package var bodyLimit: Int
    /// Requests that were read to their end.
    package private(set) var requestCount = 0

    private let limits: HTTPLimits
    var phase = Phase.start
    private var cursor = HTTP1HeadReader(isFirst: true)
    /// A chunk or trailer line that came in pieces.
    var line: [UInt8] = []
    /// How much of a chunked body may still come: data, extensions and trailers.
    var bodyAllowance = 0
    var extensionAllowance = 0
    var trailerAllowance = 0

    package init(limits: HTTPLimits = HTTPLimits()) {
        self.limits = limits
        bodyLimit = limits.bodyBytes
    }

    /// No byte of another request has been read.
    package var isBetweenRequests: Bool { phase == .start }

    /// Moves the head out, to keep it longer than the request, or to reuse its memory for another
    /// connection: an idle connection then holds none.
    package mutating func takeHead() -> RequestHead {
        precondition(phase != .head, "the head is still being read")
        var taken = RequestHead()
        swap(&taken, &head)
        return taken
    }

    /// Uses the memory of `used` for the next head, if no request is under way.
    package mutating func reuse(_ used: consuming RequestHead) {
        guard phase == .start else { return }
        head = used
    }

    /// The bytes read at the event `http2Preface`.
    package static let http2PrefaceStart: StaticString = "PRI * HTTP/2.0\r\n"

    /// Reads from `position` up to the next event and advances `position`.
    ///
    /// Call it until it returns `needsMore`; then all input is used up.
    package mutating func next(
        in input: Span<UInt8>, from position: inout Int
    ) -> HTTP1Event {
        do throws(HTTPRefusal) {
            return try advance(input, &position)
        } catch {
            // The ranges of an incomplete head would be invalid.
            if phase == .head { head.reset() }
            phase = .refused(error)
            return .refused(error)
        }
    }

    private mutating func advance(
        _ input: Span<UInt8>, _ position: inout Int
    ) throws(HTTPRefusal) -> HTTP1Event {
        while true {
            switch phase {
            case .start:
                guard position < input.count else { return .needsMore }
                head.reset()
                cursor = HTTP1HeadReader(isFirst: requestCount == 0)
                phase = .head
            case .head:
                guard let event = try readHead(input, &position) else { return .needsMore }
                return event
            case .bodyStart:
                if try startBody() { return .continueExpected }
            case .body(let remaining):
                guard remaining > 0 else { return endOfRequest() }
                let piece = consume(remaining, of: input, &position)
                guard !piece.isEmpty else { return .needsMore }
                phase = .body(remaining: remaining - piece.count)
                return .body(piece)
            case .end: return endOfRequest()
            case .chunkLine, .chunk, .chunkEnd, .trailers:
                if let event = try advanceInChunks(input, &position) { return event }
            case .handedOver: return .needsMore
            case .refused(let refusal): return .refused(refusal)
            }
        }
    }

    func consume(_ limit: Int, of input: Span<UInt8>, _ position: inout Int) -> Range<Int> {
        let start = position
        position += min(limit, input.count - start)
        return start..<position
    }

    private mutating func endOfRequest() -> HTTP1Event {
        phase = .start
        requestCount += 1
        return .end
    }
}

extension HTTP1Parser {
    /// A head in one piece is read in place; otherwise it is collected in `head` first.
    private mutating func readHead(
        _ input: Span<UInt8>, _ position: inout Int
    ) throws(HTTPRefusal) -> HTTP1Event? {
        let held = head.bytes.count
        let room = min(limits.headBytes - held, input.count - position)
        let piece = input.extracting(position..<position + room)
        let progress: HTTP1HeadReader.Progress
        if held == 0 {
            progress = try cursor.read(piece, into: &head, limits)
            keep(progress == .incomplete ? piece : piece.extracting(0..<cursor.position))
        } else {
            keep(piece)
            // A line ends only at a line feed, so a long line is not read again for each byte.
            let isWorthReading =
                held + room == limits.headBytes || piece.firstIndex(of: .lineFeed) != nil
            progress = isWorthReading ? try readHeldHead() : .incomplete
        }
        guard progress != .incomplete else {
            position += room
            guard head.bytes.count < limits.headBytes else { throw .headTooLarge }
            return nil
        }
        position += cursor.position - held
        phase = progress == .whole ? .bodyStart : .handedOver
        bodyLimit = limits.bodyBytes
        return progress == .whole ? .head : .http2Preface
    }

    private mutating func readHeldHead() throws(HTTPRefusal) -> HTTP1HeadReader.Progress {
        var bytes: [UInt8] = []
        swap(&bytes, &head.fields.bytes)
        let progress = try cursor.read(bytes.span, into: &head, limits)
        if progress != .incomplete { bytes.removeLast(bytes.count - cursor.position) }
        swap(&bytes, &head.fields.bytes)
        return progress
    }

    private mutating func keep(_ piece: Span<UInt8>) {
        head.fields.bytes.append(contentsOf: piece)
    }

    /// Returns whether the sender waits for "100 Continue".
    private mutating func startBody() throws(HTTPRefusal) -> Bool {
        if head.isChunked {
            bodyAllowance = bodyLimit
            extensionAllowance = limits.chunkExtensionBytes
            trailerAllowance = limits.trailerBytes
            phase = .chunkLine
        } else {
            let length = head.contentLength ?? 0
            guard length <= bodyLimit else { throw .bodyTooLarge }
            phase = .body(remaining: length)
        }
        return head.expectsContinue && head.hasBody
    }
}

/// The meaning of the next bytes of a connection.
package enum HTTP1Event: Equatable, Sendable {
    /// All input is used up.
    case needsMore
    /// The parser's `head` is complete. The caller may now set the limit for the body.
    case head
    /// The sender waits for "100 Continue", and so far its body can be accepted.
    case continueExpected
    /// A piece of the body, as a range of the input.
    case body(Range<Int>)
    /// The request has ended; the next one follows.
    case end
    /// HTTP/2 without negotiation: the first 16 bytes of its preface were read (RFC 9113 section
    /// 3.4), the rest of the input is unread.
    case http2Preface
    /// Nothing more can be read from the connection.
    case refused(HTTPRefusal)
}
