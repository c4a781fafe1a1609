import Base

/// Reads the requests of one HTTP/1.1 connection (RFC 9112) from pieces of any size.
///
/// Strict where two readers could see two different requests in the same bytes. Pure: no clock and
/// no socket. After a refusal it stays refused.
package struct HTTP1Parser: Sendable {
    enum Phase: Equatable {
        /// Nothing of the next request has come; `head` is still the last one's.
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

    /// The request that is being read: whole from the event `head` on, until the next one starts.
    package private(set) var head = RequestHead()
    /// What the body may hold. Set anew to the usual limit by each head.
    package var bodyLimit: Int
    /// Requests that were read to their end.
    package private(set) var requestCount = 0

    private let limits: HTTPLimits
    private var phase = Phase.start
    private var cursor = HTTP1HeadReader(isFirst: true)
    /// A chunk or trailer line that came in pieces.
    private var line: [UInt8] = []
    /// What the rest of a chunked body may still spend: on data, extensions and trailers.
    private var bodyAllowance = 0
    private var extensionAllowance = 0
    private var trailerAllowance = 0

    package init(limits: HTTPLimits = HTTPLimits()) {
        self.limits = limits
        bodyLimit = limits.bodyBytes
    }

    /// No byte of a further request has been read.
    package var isBetweenRequests: Bool { phase == .start }

    /// Moves the head out, to outlive the request or to lend its memory to another connection: one
    /// that waits for its next request then holds none.
    package mutating func takeHead() -> RequestHead {
        precondition(phase != .head, "a head cannot be taken while it is read")
        var taken = RequestHead()
        swap(&taken, &head)
        return taken
    }

    /// Has the next head written into the memory of `used`, when no request is under way.
    package mutating func reuse(_ used: consuming RequestHead) {
        guard phase == .start else { return }
        head = used
    }

    /// The bytes that `http2Preface` stands for.
    package static let http2PrefaceStart: StaticString = "PRI * HTTP/2.0\r\n"

    /// Reads on at `position` up to the next event and moves `position` behind what it used.
    ///
    /// Call it until it answers `needsMore`; what is then left of the input is nothing.
    package mutating func next(
        in input: Span<UInt8>, from position: inout Int
    ) -> HTTP1Event {
        do throws(HTTPRefusal) {
            return try advance(input, &position)
        } catch {
            // Ranges of a head that never became whole would point nowhere.
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
                let piece = take(remaining, of: input, &position)
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

    private func take(_ limit: Int, of input: Span<UInt8>, _ position: inout Int) -> Range<Int> {
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
    /// A head in one piece is read where it lies; otherwise it is gathered in `head` first.
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
            // Only a line feed ends a line, so a long line is not read again for each byte of it.
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

    /// Answers whether the sender waits for "100 Continue".
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

extension HTTP1Parser {
    private mutating func advanceInChunks(
        _ input: Span<UInt8>, _ position: inout Int
    ) throws(HTTPRefusal) -> HTTP1Event? {
        switch phase {
        case .chunk(let remaining):
            let piece = take(remaining, of: input, &position)
            guard !piece.isEmpty else { return .needsMore }
            phase =
                piece.count == remaining ? .chunkEnd : .chunk(remaining: remaining - piece.count)
            return .body(piece)
        case .chunkEnd:
            guard let isEmpty = try withLine(input, &position, 2, .missingChunkEnd, Self.isEmpty)
            else { return .needsMore }
            guard isEmpty else { throw .missingChunkEnd }
            phase = .chunkLine
        case .trailers:
            guard
                let read = try withLine(
                    input, &position, trailerAllowance, .trailersTooLarge, Self.checkTrailer)
            else { return .needsMore }
            trailerAllowance -= read.count
            if read.isLast { phase = .end }
        default:
            let limit = HTTP1ChunkLine.digitLimit + extensionAllowance + 2
            guard
                let line = try withLine(
                    input, &position, limit, .chunkExtensionsTooLong, HTTP1ChunkLine.init)
            else { return .needsMore }
            try begin(line)
        }
        return nil
    }

    private mutating func begin(_ chunk: HTTP1ChunkLine) throws(HTTPRefusal) {
        guard chunk.extensionBytes <= extensionAllowance else { throw .chunkExtensionsTooLong }
        guard chunk.size <= bodyAllowance else { throw .bodyTooLarge }
        extensionAllowance -= chunk.extensionBytes
        bodyAllowance -= chunk.size
        phase = chunk.size == 0 ? .trailers : .chunk(remaining: chunk.size)
    }

    /// Hands the next whole line, its line feed included, to `read`; nil until there is one.
    private mutating func withLine<Result>(
        _ input: Span<UInt8>, _ position: inout Int, _ limit: Int, _ tooLong: HTTPRefusal,
        _ read: (Span<UInt8>) throws(HTTPRefusal) -> Result
    ) throws(HTTPRefusal) -> Result? {
        let room = min(limit - line.count, input.count - position)
        let piece = input.extracting(position..<position + room)
        guard let lineFeed = piece.firstIndex(of: .lineFeed) else {
            guard line.count + room < limit else { throw tooLong }
            line.append(contentsOf: piece)
            position += room
            return nil
        }
        let end = piece.extracting(0..<lineFeed + 1)
        position += end.count
        guard !line.isEmpty else { return try read(end) }
        line.append(contentsOf: end)
        let whole = line
        line = []
        return try read(whole.span)
    }

    private static func isEmpty(_ line: Span<UInt8>) -> Bool { line.elementsEqual("\r\n") }

    /// Trailers are checked as any field and dropped: merged into the head they could change what
    /// was decided by it (RFC 9110 section 6.5.1).
    private static func checkTrailer(
        _ line: Span<UInt8>
    ) throws(HTTPRefusal) -> (count: Int, isLast: Bool) {
        if isEmpty(line) { return (line.count, true) }
        guard try HTTP1FieldLine(line, at: 0) != nil else { throw .bareCarriageReturn }
        return (line.count, false)
    }
}
