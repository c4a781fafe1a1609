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

/// The parts of a request target in any of its four forms (RFC 9112 section 3.2).
struct HTTP1Target {
    private let whole: Range<Int>
    private let path: Range<Int>
    private var query: Range<Int>?
    private var authority: Range<Int>?

    init(
        _ source: Span<UInt8>, _ target: Range<Int>, _ method: HTTPMethod
    ) throws(HTTPRefusal) {
        whole = target
        let text = source.extracting(target)
        if method == .connect {
            guard HTTPAuthority.isValidWithPort(text) else { throw .badTarget }
            // The bytes of a tunnel must not be read as further requests.
            throw .tunnel
        }
        if text[0] == UInt8(ascii: "/") {
            (path, query) = Self.split(source, target)
        } else if method == .options, text.elementsEqual("*") {
            path = target
        } else {
            let start = try Self.startOfAuthority(text) + target.lowerBound
            var end = start
            while end < target.upperBound, !Self.endsAuthority(source[end]) { end += 1 }
            guard HTTPAuthority.isValid(source.extracting(start..<end)) else { throw .badTarget }
            authority = start..<end
            let (path, query) = Self.split(source, end..<target.upperBound)
            // An absent path is "/", and there is one in front of the authority.
            self.path = path.isEmpty ? start - 1..<start : path
            self.query = query
        }
    }

    func store(in head: inout RequestHead) {
        head.target = whole
        head.path = path
        head.query = query
        head.authority = authority
    }

    private static func startOfAuthority(_ text: Span<UInt8>) throws(HTTPRefusal) -> Int {
        for scheme in ["http://", "https://"] as [StaticString]
        where text.count > scheme.utf8CodeUnitCount
            && text.extracting(0..<scheme.utf8CodeUnitCount).equalsIgnoringCase(scheme)
        {
            return scheme.utf8CodeUnitCount
        }
        throw .badTarget
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?")
    }

    private static func split(
        _ source: Span<UInt8>, _ range: Range<Int>
    ) -> (path: Range<Int>, query: Range<Int>?) {
        // The range has only bytes of a target, so only "?" or the end stops the search.
        let mark = source.extracting(0..<range.upperBound)
            .endOfTargetPart(from: range.lowerBound)
        let path = range.lowerBound..<mark
        return (path, mark < range.upperBound ? mark + 1..<range.upperBound : nil)
    }
}

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
