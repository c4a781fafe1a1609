import Base

/// Chunked bodies and their trailers (RFC 9112 section 7.1).
extension HTTP1Parser {
    mutating func advanceInChunks(
        _ input: Span<UInt8>, _ position: inout Int
    ) throws(HTTPRefusal) -> HTTP1Event? {
        switch phase {
        case .chunk(let remaining):
            let piece = consume(remaining, of: input, &position)
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

    /// Passes the next complete line, with its line feed, to `read`; nil if there is none yet.
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

    /// Trailers are checked like any field and dropped: merged into the head they could change
    /// decisions made earlier (RFC 9110 section 6.5.1).
    private static func checkTrailer(
        _ line: Span<UInt8>
    ) throws(HTTPRefusal) -> (count: Int, isLast: Bool) {
        if isEmpty(line) { return (line.count, true) }
        guard try HTTP1FieldLine(line, at: 0) != nil else { throw .bareCarriageReturn }
        return (line.count, false)
    }
}

/// The line before the data of a chunk (RFC 9112 section 7.1): its size and its extensions.
struct HTTP1ChunkLine {
    let size: Int
    /// Extensions are ignored, but their length per message is limited.
    let extensionBytes: Int

    /// More digits are leading zeros or exceed every limit.
    static let digitLimit = 16

    /// `line` is complete, with its line feed.
    init(_ line: Span<UInt8>) throws(HTTPRefusal) {
        guard line.count >= 2, line[line.count - 2] == .carriageReturn else { throw .bareLineFeed }
        let line = line.extracting(0..<line.count - 2)
        var index = 0
        var size: UInt64 = 0
        while index < line.count, let digit = line[index].hexValue {
            guard index < Self.digitLimit else { throw .badChunkSize }
            size = size << 4 | UInt64(digit)
            index += 1
        }
        guard index > 0 else { throw .badChunkSize }
        self.size = Int(clamping: size)
        extensionBytes = line.count - index
        while index < line.count { index = try Self.endOfExtension(line, at: index) }
    }

    /// `BWS ";" BWS name [ BWS "=" BWS value ]` (RFC 9112 section 7.1.1).
    private static func endOfExtension(
        _ line: Span<UInt8>, at start: Int
    ) throws(HTTPRefusal) -> Int {
        let semicolon = skipBlanks(line, start)
        guard semicolon < line.count, line[semicolon] == UInt8(ascii: ";") else {
            throw semicolon == start ? .badChunkSize : .badChunkExtension
        }
        let nameEnd = try endOfToken(line, skipBlanks(line, semicolon + 1))
        let equals = skipBlanks(line, nameEnd)
        guard equals < line.count, line[equals] == UInt8(ascii: "=") else { return nameEnd }
        let value = skipBlanks(line, equals + 1)
        guard value < line.count, line[value] == UInt8(ascii: "\"") else {
            return try endOfToken(line, value)
        }
        return try endOfQuotedString(line, value + 1)
    }

    private static func skipBlanks(_ line: Span<UInt8>, _ start: Int) -> Int {
        var index = start
        while index < line.count, line[index].isBlank { index += 1 }
        return index
    }

    private static func endOfToken(
        _ line: Span<UInt8>, _ start: Int
    ) throws(HTTPRefusal) -> Int {
        var index = start
        while index < line.count, line[index].isTokenCharacter { index += 1 }
        guard index > start else { throw .badChunkExtension }
        return index
    }

    /// `start` is behind the opening quote (RFC 9110 section 5.6.4).
    private static func endOfQuotedString(
        _ line: Span<UInt8>, _ start: Int
    ) throws(HTTPRefusal) -> Int {
        var index = start
        while index < line.count {
            switch line[index] {
            case UInt8(ascii: "\""): return index + 1
            case UInt8(ascii: "\\"): index += 1
            default: break
            }
            guard index < line.count, line[index] >= 0x20 || line[index] == 0x09,
                line[index] != 0x7F
            else { throw .badChunkExtension }
            index += 1
        }
        throw .badChunkExtension
    }
}
