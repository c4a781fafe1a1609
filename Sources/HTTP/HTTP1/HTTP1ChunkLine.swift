import Base

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
