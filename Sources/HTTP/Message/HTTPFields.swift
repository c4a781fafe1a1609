import Base

/// Header fields as ranges of one buffer, in the order of arrival.
///
/// HTTP/1.1 and HTTP/2 use it.
package struct HTTPFields: Sendable {
    /// 32 bits are enough for any head and keep idle connections small.
    struct ByteRange: Sendable {
        private let start: UInt32
        private let end: UInt32

        init(_ range: Range<Int>) {
            (start, end) = (UInt32(range.lowerBound), UInt32(range.upperBound))
        }

        var range: Range<Int> { Int(start)..<Int(end) }

        func moved(by offset: Int) -> ByteRange {
            ByteRange(range.lowerBound + offset..<range.upperBound + offset)
        }
    }

    private struct Line: Sendable {
        let name: ByteRange
        let value: ByteRange
    }

    /// The buffer of all ranges.
    package internal(set) var bytes: [UInt8] = []
    private var lines: [Line] = []

    package init() {}

    package var count: Int { lines.count }

    package func name(at index: Int) -> Range<Int> { lines[index].name.range }

    package func value(at index: Int) -> Range<Int> { lines[index].value.range }

    /// The value of the first field with that name; `name` in any case.
    package func firstValue(of name: StaticString) -> Range<Int>? {
        firstLine(of: name, from: 0).map { lines[$0].value.range }
    }

    /// The value of a field, with several lines joined by commas (RFC 9110 section 5.3).
    package func joinedValue(of name: StaticString) -> [UInt8]? {
        guard var index = firstLine(of: name, from: 0) else { return nil }
        var joined = Array(bytes[lines[index].value.range])
        while let next = firstLine(of: name, from: index + 1) {
            joined.append(contentsOf: [UInt8(ascii: ","), UInt8(ascii: " ")])
            joined.append(contentsOf: bytes[lines[next].value.range])
            index = next
        }
        return joined
    }

    package func contains(_ name: StaticString) -> Bool { firstLine(of: name, from: 0) != nil }

    package func forEach(_ body: (_ name: Span<UInt8>, _ value: Span<UInt8>) -> Void) {
        let bytes = bytes.span
        for line in lines {
            body(bytes.extracting(line.name.range), bytes.extracting(line.value.range))
        }
    }

    /// The bytes of `range` as text; invalid UTF-8 is replaced.
    package func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }

    private func firstLine(of name: StaticString, from start: Int) -> Int? {
        let bytes = bytes.span
        var index = start
        while index < lines.count {
            let range = lines[index].name.range
            if range.count == name.utf8CodeUnitCount,
                bytes.extracting(range).equalsIgnoringCase(name)
            {
                return index
            }
            index += 1
        }
        return nil
    }
}

extension HTTPFields {
    /// Removes all fields and keeps the memory for the next ones.
    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        lines.removeAll(keepingCapacity: true)
    }

    /// Adds a field whose bytes are, or will be, in the buffer.
    mutating func addLine(name: Range<Int>, value: Range<Int>) {
        lines.append(Line(name: ByteRange(name), value: ByteRange(value)))
    }

    /// Adds a field with its bytes.
    mutating func append(_ name: Span<UInt8>, _ value: Span<UInt8>) -> Range<Int> {
        let start = bytes.count
        bytes.append(contentsOf: name)
        let middle = bytes.count
        bytes.append(contentsOf: value)
        addLine(name: start..<middle, value: middle..<bytes.count)
        return middle..<bytes.count
    }

    /// Adds bytes that are not a field, such as the path of a request.
    mutating func store(_ piece: UnsafeBufferPointer<UInt8>) -> Range<Int> {
        let start = bytes.count
        bytes.append(contentsOf: piece)
        return start..<bytes.count
    }
}
