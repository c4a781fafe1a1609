import Base

/// Reads a request line and its fields (RFC 9112 sections 2 to 5), one whole line after the other.
struct HTTP1HeadReader: Sendable {
    enum Progress { case incomplete, whole, http2Preface }

    private enum Step { case requestLine, fields }

    /// Where the next unread line starts.
    private(set) var position = 0
    private var step = Step.requestLine
    private var emptyLines = 0
    private var framing = HTTP1Framing()
    private let isFirst: Bool

    /// RFC 9112 section 2.2 asks for one; old clients send one after each body.
    private static let emptyLineLimit = 2
    private static let methodLimit = 32

    /// `isFirst`: nothing was read on the connection before.
    init(isFirst: Bool) { self.isFirst = isFirst }

    /// Reads on at `position`. The ranges that go into `head` are those of `source`, which
    /// each call gets from the first byte of the request.
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
                head.fields.note(name: line.name, value: line.value)
                try framing.note(line, source, &head)
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

    /// `method SP request-target SP HTTP-version CRLF`, single spaces and nothing else.
    private mutating func requestLine(
        _ source: Span<UInt8>, _ head: inout RequestHead, _ limits: HTTPLimits
    ) throws(HTTPRefusal) -> HTTPVersion? {
        var index = position
        while index < source.count, source[index].isTokenByte {
            index += 1
            guard index - position <= Self.methodLimit else { throw .methodTooLong }
        }
        let method = position..<index
        guard index < source.count else { return nil }
        guard source[index] == UInt8(ascii: " "), !method.isEmpty else { throw .badRequestLine }
        index += 1
        let start = index
        while index < source.count, source[index].isTargetByte {
            index += 1
            guard index - start <= limits.targetBytes else { throw .targetTooLong }
        }
        guard index < source.count else { return nil }
        guard source[index] == UInt8(ascii: " "), index > start else { throw .badTarget }
        let target = start..<index
        index += 1
        guard index + 8 <= source.count,
            let end = try HTTP1FieldLine.endOfLine(source, at: index + 8, else: .badRequestLine)
        else { return nil }

        let isPreface = source.extracting(position..<end)
            .elementsEqual(HTTP1Parser.http2PrefaceStart)
        let isFirstLine = isFirst && position == 0
        position = end
        if isPreface, isFirstLine { return .http2 }
        head.version = try Self.version(source.extracting(index..<index + 8))
        head.method = HTTPMethod(source.extracting(method))
        try HTTP1Target(source, target, head.method).store(in: &head)
        return head.version
    }

    private static func version(_ text: Span<UInt8>) throws(HTTPRefusal) -> HTTPVersion {
        guard text.extracting(0..<5).elementsEqual("HTTP/"), text[5].isDigit,
            text[6] == UInt8(ascii: "."), text[7].isDigit
        else { throw .badRequestLine }
        guard text[5] == UInt8(ascii: "1") else { throw .unsupportedVersion }
        return text[7] == UInt8(ascii: "0") ? .http10 : .http11
    }
}
