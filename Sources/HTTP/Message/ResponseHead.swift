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

        func moved(by offset: Int) -> Line {
            Line(name: name.moved(by: offset), value: value.moved(by: offset))
        }
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
        text.append(UInt8(ascii: ":"))
        text.append(UInt8(ascii: " "))
        let middle = text.count
        write(&text)
        lines.append(
            Line(
                name: HTTPFields.ByteRange(start..<start + name.utf8CodeUnitCount),
                value: HTTPFields.ByteRange(middle..<text.count)))
        text.append(.carriageReturn)
        text.append(.lineFeed)
    }

    /// Adds all of these, at the price of one field.
    package mutating func append(_ others: ResponseFields) {
        let offset = text.count
        text.append(contentsOf: others.text)
        for line in others.lines { lines.append(line.moved(by: offset)) }
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

    private static func endsLine(_ byte: UInt8) -> Bool {
        byte == .carriageReturn || byte == .lineFeed || byte == 0
    }
}

/// Why a request is refused. Each case is one answer, after which the connection ends.
///
/// The raw value is the name in logs and metrics.
package enum HTTPRefusal: String, Error, Sendable, CaseIterable {
    case badRequestLine = "bad-request-line"
    case badTarget = "bad-target"
    case targetTooLong = "target-too-long"
    case methodTooLong = "method-too-long"
    case unsupportedVersion = "unsupported-version"
    case tunnel

    case bareLineFeed = "bare-line-feed"
    case bareCarriageReturn = "bare-carriage-return"
    case tooManyEmptyLines = "too-many-empty-lines"
    case foldedLine = "folded-line"
    case spaceBeforeColon = "space-before-colon"
    case badFieldName = "bad-field-name"
    case badFieldValue = "bad-field-value"
    case tooManyFields = "too-many-fields"
    case headTooLarge = "head-too-large"

    case missingHost = "missing-host"
    case repeatedHost = "repeated-host"
    case badHost = "bad-host"

    case badContentLength = "bad-content-length"
    case repeatedContentLength = "repeated-content-length"
    case lengthAndTransferEncoding = "length-and-transfer-encoding"
    case badTransferEncoding = "bad-transfer-encoding"
    case unsupportedTransferCoding = "unsupported-transfer-coding"
    case transferEncodingInHTTP10 = "transfer-encoding-in-http-1.0"
    case unsupportedExpectation = "unsupported-expectation"

    case bodyTooLarge = "body-too-large"
    case badChunkSize = "bad-chunk-size"
    case badChunkExtension = "bad-chunk-extension"
    case chunkExtensionsTooLong = "chunk-extensions-too-long"
    case missingChunkEnd = "missing-chunk-end"
    case trailersTooLarge = "trailers-too-large"

    // Detected by the server around the parser.
    case timeout
    case lengthRequired = "length-required"
    case methodNotAllowed = "method-not-allowed"
    case misdirected
    case upgradeRequired = "upgrade-required"
    case overloaded
    case badUpgrade = "bad-upgrade"
    /// The port expects TLS.
    case withoutTLS = "without-tls"

    package var status: Int {
        switch self {
        case .badRequestLine, .badTarget, .bareLineFeed, .bareCarriageReturn, .tooManyEmptyLines,
            .foldedLine, .spaceBeforeColon, .badFieldName, .badFieldValue, .missingHost,
            .repeatedHost, .badHost, .badContentLength, .repeatedContentLength,
            .lengthAndTransferEncoding, .badTransferEncoding, .transferEncodingInHTTP10,
            .badChunkSize, .badChunkExtension, .chunkExtensionsTooLong, .missingChunkEnd,
            .badUpgrade:
            400
        case .methodNotAllowed: 405
        case .timeout: 408
        case .lengthRequired: 411
        case .bodyTooLarge: 413
        case .targetTooLong: 414
        case .unsupportedExpectation: 417
        case .misdirected: 421
        case .upgradeRequired: 426
        case .tooManyFields, .headTooLarge, .trailersTooLarge: 431
        case .methodTooLong, .tunnel, .unsupportedTransferCoding: 501
        // A proxy may ask in this way for a while, and its senders must not forget anything for it.
        case .overloaded, .withoutTLS: 503
        case .unsupportedVersion: 505
        }
    }
}

/// How much a peer may send before it is refused.
package struct HTTPLimits: Equatable, Sendable {
    /// A longer target is answered with 414.
    package var targetBytes = 8 * 1024
    /// The most bytes from the start of a request to its empty line; more is answered with 431.
    package var headBytes = 16 * 1024
    package var fieldCount = 100
    /// The most bytes of a body if the route sets no other limit; more is answered with 413.
    package var bodyBytes = 64 * 1024
    /// All chunk extensions of one message together.
    package var chunkExtensionBytes = 1024
    /// The whole trailer section of one message.
    package var trailerBytes = 4 * 1024

    package init() {}
}
