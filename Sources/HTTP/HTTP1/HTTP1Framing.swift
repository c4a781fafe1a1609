import Base

/// What the fields of a head say about host, body and connection.
struct HTTP1Framing: Sendable {
    /// The transfer codings named so far (RFC 9112 section 6.1).
    private enum Codings: UInt8, Sendable {
        case none
        case chunked
        case other
        case otherThenChunked
    }

    private var codings = Codings.none
    private var host: HTTPFields.ByteRange?
    private var closes = false
    private var keepsAlive = false
    private var namesUpgrade = false
    private var hasUpgrade = false

    mutating func read(
        _ line: HTTP1FieldLine, _ source: Span<UInt8>, _ head: inout RequestHead
    ) throws(HTTPRefusal) {
        let name = source.extracting(line.name)
        let value = source.extracting(line.value)
        switch name.count {
        case 4 where name.equalsIgnoringCase("host"):
            guard host == nil else { throw .repeatedHost }
            guard HTTPAuthority.isValid(value) else { throw .badHost }
            host = HTTPFields.ByteRange(line.value)
        case 6 where name.equalsIgnoringCase("expect"):
            guard value.equalsIgnoringCase("100-continue") else { throw .unsupportedExpectation }
            head.expectsContinue = true
        case 7 where name.equalsIgnoringCase("upgrade"):
            hasUpgrade = true
        case 10 where name.equalsIgnoringCase("connection"):
            readConnection(value)
        case 14 where name.equalsIgnoringCase("content-length"):
            guard head.contentLength == nil else { throw .repeatedContentLength }
            head.contentLength = try Self.length(value)
        case 17 where name.equalsIgnoringCase("transfer-encoding"):
            try readTransferEncoding(value)
        default: break
        }
    }

    /// Checks that need all fields.
    func finish(_ head: inout RequestHead) throws(HTTPRefusal) {
        let isHTTP10 = head.version == .http10
        guard codings == .none || !isHTTP10 else { throw .transferEncodingInHTTP10 }
        guard codings == .none || head.contentLength == nil else {
            throw .lengthAndTransferEncoding
        }
        switch codings {
        case .none: break
        case .chunked: head.isChunked = true
        case .other: throw .badTransferEncoding
        case .otherThenChunked: throw .unsupportedTransferCoding
        }
        guard host != nil || isHTTP10 else { throw .missingHost }
        // RFC 9112 section 3.2.2: the authority of a target in absolute form replaces Host.
        if head.authority == nil { head.authority = host?.range }
        if isHTTP10 { head.expectsContinue = false }
        head.asksForUpgrade = hasUpgrade && namesUpgrade && !isHTTP10
        head.keepsAlive = !closes && (keepsAlive || !isHTTP10)
    }

    private mutating func readConnection(_ value: Span<UInt8>) {
        var position = 0
        while let range = value.nextListElement(from: &position) {
            let option = value.extracting(range)
            closes = closes || option.equalsIgnoringCase("close")
            keepsAlive = keepsAlive || option.equalsIgnoringCase("keep-alive")
            namesUpgrade = namesUpgrade || option.equalsIgnoringCase("upgrade")
        }
    }

    private mutating func readTransferEncoding(_ value: Span<UInt8>) throws(HTTPRefusal) {
        var position = 0
        while let range = value.nextListElement(from: &position) {
            let coding = value.extracting(range)
            // With a coding after chunked, or chunked twice, the end of the body is unknown.
            guard codings == .none || codings == .other, Self.isToken(coding) else {
                throw .badTransferEncoding
            }
            if coding.equalsIgnoringCase("chunked") {
                codings = codings == .none ? .chunked : .otherThenChunked
            } else {
                codings = .other
            }
        }
    }

    private static func isToken(_ text: Span<UInt8>) -> Bool {
        for index in text.indices where !text[index].isTokenCharacter { return false }
        return !text.isEmpty
    }

    /// Digits only; a number that does not fit is too large rather than malformed.
    private static func length(_ digits: Span<UInt8>) throws(HTTPRefusal) -> Int {
        guard !digits.isEmpty else { throw .badContentLength }
        var isBeyondInt = false
        var length = 0
        for index in digits.indices {
            guard digits[index].isDigit else { throw .badContentLength }
            let (tens, hasCarry) = length.multipliedReportingOverflow(by: 10)
            let (sum, hasOverflow) = tens.addingReportingOverflow(Int(digits[index] - 48))
            isBeyondInt = isBeyondInt || hasCarry || hasOverflow
            length = sum
        }
        guard !isBeyondInt else { throw .bodyTooLarge }
        return length
    }
}
