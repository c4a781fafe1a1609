import Base

/// One field line (RFC 9112 section 5) of a head or a trailer section.
struct HTTP1FieldLine {
    let name: Range<Int>
    let value: Range<Int>
    /// Where the next line starts.
    let end: Int

    /// Reads the line at `start`; nil if the source ends before the line does.
    // It is inlined, so that the ranges stay in registers.
    @inline(__always)
    init?(_ source: Span<UInt8>, at start: Int) throws(HTTPRefusal) {
        var index = start
        while index < source.count, source[index].isTokenCharacter { index += 1 }
        guard index < source.count else { return nil }
        guard source[index] == UInt8(ascii: ":"), index > start else {
            throw Self.refusal(ofNameEnding: source[index], isFirst: index == start)
        }
        name = start..<index
        index += 1
        while index < source.count, source[index].isBlank { index += 1 }
        let valueEnd = source.endOfFieldValue(from: index)
        guard let end = try Self.endOfLine(source, at: valueEnd, else: .badFieldValue) else {
            return nil
        }
        value = source.trimmed(index..<valueEnd)
        self.end = end
    }

    /// The position after the CRLF expected at `index`; nil if the source ends before.
    static func endOfLine(
        _ source: Span<UInt8>, at index: Int, else refusal: HTTPRefusal
    ) throws(HTTPRefusal) -> Int? {
        guard index < source.count else { return nil }
        switch source[index] {
        case .carriageReturn:
            guard index + 1 < source.count else { return nil }
            guard source[index + 1] == .lineFeed else { throw .bareCarriageReturn }
            return index + 2
        case .lineFeed: throw .bareLineFeed
        default: throw refusal
        }
    }

    private static func refusal(ofNameEnding byte: UInt8, isFirst: Bool) -> HTTPRefusal {
        switch byte {
        case .lineFeed: .bareLineFeed
        case .carriageReturn: .badFieldName
        // RFC 9112 sections 2.2 and 5.2: a folded line, or white space after the first line.
        case _ where byte.isBlank && isFirst: .foldedLine
        case _ where byte.isBlank: .spaceBeforeColon
        default: .badFieldName
        }
    }
}
