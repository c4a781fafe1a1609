import Base

/// An answer without its body: status and fields, independent of the HTTP version.
package struct ResponseHead: Sendable {
    package var status: Int
    /// All fields, except those about the connection and the length of the body.
    package var fields: ResponseFields

    package init(status: Int) { self.init(status: status, fields: ResponseFields()) }

    init(status: Int, fields: consuming ResponseFields) {
        self.status = status
        self.fields = fields
    }
}

/// The fields of an answer, in the order in which they were added.
///
/// They are stored as HTTP/1.1 sends them, so that an answer needs one copy. HTTP/2 takes them
/// apart.
package struct ResponseFields: Sendable {
    private struct Line: Sendable {
        let name: HTTPFields.ByteRange
        let value: HTTPFields.ByteRange
    }

    /// Complete lines.
    private(set) var text: [UInt8] = []
    private var lines: [Line] = []

    package init() {}

    var count: Int { lines.count }

    func name(at index: Int) -> Range<Int> { lines[index].name.range }

    func value(at index: Int) -> Range<Int> { lines[index].value.range }

    /// Adds a field. Bytes that would end its line become spaces (RFC 9110 section 5.5).
    package mutating func append(_ name: StaticString, _ value: Span<UInt8>) {
        append(name) { $0.append(contentsOf: value) }
        guard let range = lines.last?.value.range, value.endOfFieldValue(from: 0) < value.count
        else { return }
        for index in range where Self.endsLine(text[index]) { text[index] = 0x20 }
    }

    /// Adds a field whose value is appended by `write`; it must have no line breaks.
    package mutating func append(_ name: StaticString, _ write: (inout [UInt8]) -> Void) {
        let start = text.count
        text.append(contentsOf: name)
        text.append(contentsOf: Self.colon)
        let middle = text.count
        write(&text)
        lines.append(
            Line(
                name: HTTPFields.ByteRange(start..<start + name.utf8CodeUnitCount),
                value: HTTPFields.ByteRange(middle..<text.count)))
        text.append(contentsOf: Self.lineEnd)
    }

    package mutating func append(_ name: StaticString, decimal value: Int) {
        append(name) { $0.append(decimal: value) }
    }

    package mutating func append(_ name: StaticString, _ value: StaticString) {
        let value = UnsafeBufferPointer(start: value.utf8Start, count: value.utf8CodeUnitCount)
        append(name, Span(_unsafeElements: value))
    }

    @_disfavoredOverload
    package mutating func append(_ name: StaticString, _ value: String) {
        var value = value
        value.withUTF8 { append(name, Span(_unsafeElements: $0)) }
    }

    /// Removes all fields and keeps the memory for the next ones.
    mutating func removeAll() {
        text.removeAll(keepingCapacity: true)
        lines.removeAll(keepingCapacity: true)
    }

    private static let colon: StaticString = ": "
    private static let lineEnd: StaticString = "\r\n"

    private static func endsLine(_ byte: UInt8) -> Bool {
        byte == .carriageReturn || byte == .lineFeed || byte == 0
    }
}
