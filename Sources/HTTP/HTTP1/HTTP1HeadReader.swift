import Base

/// Reads a request line and its fields (RFC 9112 sections 2 to 5), line by line.
struct HTTP1HeadReader: Sendable {
    enum Progress { case incomplete, whole, http2Preface }

    private enum Step { case requestLine, fields }

    /// Where the next unread line starts.
    private(set) var position = 0
    private var step = Step.requestLine
    private var emptyLines = 0
    private var framing = HTTP1Framing()
    private let isFirst: Bool

    /// Empty lines to accept before a request: RFC 9112 section 2.2 requires one, and old clients
    /// send one after each body.
    private static let emptyLineLimit = 2
    static let methodLimit = 32

    /// `isFirst`: nothing was read on the connection before.
    init(isFirst: Bool) { self.isFirst = isFirst }

    /// Continues at `position`. Ranges stored in `head` refer to `source`, which must begin with
    /// the first byte of the request in each call.
    mutating func read(
        _ source: Span<UInt8>, into head: inout RequestHead, _ limits: HTTPLimits
    ) throws(HTTPRefusal) -> Progress {
        while position < source.count {
            switch step {
            case .requestLine where source[position] == .carriageReturn:
                guard try skipEmptyLine(source) else { return .incomplete }
            case .requestLine:
                guard let version = try requestLine(source, &head, limits) else {
                    return .incomplete
                }
                guard version != .http2 else { return .http2Preface }
                step = .fields
            case .fields where source[position] == .carriageReturn:
                guard try skipEmptyLine(source) else { return .incomplete }
                try framing.finish(&head)
                return .whole
            case .fields:
                guard let line = try HTTP1FieldLine(source, at: position) else {
                    return .incomplete
                }
                guard head.fields.count < limits.fieldCount else { throw .tooManyFields }
                head.fields.addLine(name: line.name, value: line.value)
                try framing.read(line, source, &head)
                position = line.end
            }
        }
        return .incomplete
    }

    private mutating func skipEmptyLine(_ source: Span<UInt8>) throws(HTTPRefusal) -> Bool {
        guard
            let end = try HTTP1FieldLine.endOfLine(source, at: position, else: .badRequestLine)
        else { return false }
        guard step == .fields || emptyLines < Self.emptyLineLimit else { throw .tooManyEmptyLines }
        emptyLines += 1
        position = end
        return true
    }

    /// `method SP request-target SP HTTP-version CRLF`, with single spaces.
    private mutating func requestLine(
        _ source: Span<UInt8>, _ head: inout RequestHead, _ limits: HTTPLimits
    ) throws(HTTPRefusal) -> HTTPVersion? {
        guard let methodEnd = try endOfMethod(source),
            let targetEnd = try Self.endOfTarget(source, methodEnd + 1, limits.targetBytes),
            targetEnd + 9 <= source.count
        else { return nil }
        let method = source.extracting(position..<methodEnd)
        let version = source.extracting(targetEnd + 1..<targetEnd + 9)
        guard Self.isVersion(version) else { throw .badRequestLine }
        guard
            let end = try HTTP1FieldLine.endOfLine(
                source, at: targetEnd + 9, else: .badRequestLine)
        else { return nil }

        let isPreface = source.extracting(position..<end)
            .elementsEqual(HTTP1Parser.http2PrefaceStart)
        let isFirstLine = isFirst && position == 0
        position = end
        if isPreface, isFirstLine { return .http2 }
        guard version[5] == UInt8(ascii: "1") else { throw .unsupportedVersion }
        head.version = version[7] == UInt8(ascii: "0") ? .http10 : .http11
        head.method = HTTPMethod(method)
        try HTTP1Target(source, methodEnd + 1..<targetEnd, head.method).store(in: &head)
        return head.version
    }

    private func endOfMethod(_ source: Span<UInt8>) throws(HTTPRefusal) -> Int? {
        var end = position
        while end < source.count, source[end].isTokenCharacter { end += 1 }
        guard end - position <= Self.methodLimit else { throw .methodTooLong }
        guard end < source.count else { return nil }
        guard source[end] == UInt8(ascii: " "), end > position else { throw .badRequestLine }
        return end
    }

    private static func endOfTarget(
        _ source: Span<UInt8>, _ start: Int, _ limit: Int
    ) throws(HTTPRefusal) -> Int? {
        var end = source.endOfTargetPart(from: start)
        while end < source.count, source[end] == UInt8(ascii: "?") {
            end = source.endOfTargetPart(from: end + 1)
        }
        guard end - start <= limit else { throw .targetTooLong }
        guard end < source.count else { return nil }
        guard source[end] == UInt8(ascii: " "), end > start else { throw .badTarget }
        return end
    }

    private static func isVersion(_ text: Span<UInt8>) -> Bool {
        text.extracting(0..<5).elementsEqual("HTTP/") && text[5].isDigit
            && text[6] == UInt8(ascii: ".") && text[7].isDigit
    }
}
