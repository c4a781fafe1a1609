import Base

/// Makes a request of the fields of a header block (RFC 9113 section 8.3).
///
/// nghttp2 has checked before that pseudo-header fields come first and once, that all needed are
/// there, and that no field speaks of the connection. The first refusal stays.
struct HTTP2HeadReader {
    private(set) var head = RequestHead()
    private(set) var refusal: HTTPRefusal?

    private let limits: HTTPLimits
    private var spentBytes = 0
    private var path: Range<Int>?
    private var authority: Range<Int>?
    private var host: Range<Int>?
    private var cookies: [UInt8] = []

    /// What each field costs beside its bytes (RFC 9113 section 6.5.2).
    private static let fieldOverhead = 32

    init(limits: HTTPLimits) { self.limits = limits }

    mutating func takeHead() -> RequestHead {
        var taken = RequestHead()
        swap(&taken, &head)
        return taken
    }

    mutating func reuse(_ used: consuming RequestHead) { head = used }

    mutating func begin() {
        head.reset()
        head.version = .http2
        refusal = nil
        spentBytes = 0
        (path, authority, host) = (nil, nil, nil)
        cookies.removeAll(keepingCapacity: true)
    }

    /// A trailer section begins. It is checked and dropped, as with HTTP/1.1.
    mutating func beginTrailers() {
        refusal = nil
        spentBytes = 0
    }

    mutating func addTrailer(_ name: Span<UInt8>, _ value: Span<UInt8>) {
        spentBytes += name.count + value.count + Self.fieldOverhead
        if spentBytes > limits.trailerBytes { refuse(.trailersTooLarge) }
    }

    mutating func refuse(_ reason: HTTPRefusal) {
        if refusal == nil { refusal = reason }
    }

    mutating func add(_ name: Span<UInt8>, _ value: Span<UInt8>) {
        guard refusal == nil else { return }
        spentBytes += name.count + value.count + Self.fieldOverhead
        do throws(HTTPRefusal) {
            if !name.isEmpty, name[0] == UInt8(ascii: ":") {
                try addPseudoField(name, value)
            } else {
                try addField(name, value)
            }
        } catch {
            refuse(error)
        }
    }

    /// `endsStream`: no body follows.
    mutating func finish(endsStream: Bool) {
        guard refusal == nil else { return }
        // Without a length the end of the stream is the end of the body.
        head.isChunked = !endsStream && head.contentLength == nil
        head.expectsContinue = head.expectsContinue && head.hasBody
        joinCookies()
        do throws(HTTPRefusal) {
            try finishAuthority()
            try finishTarget()
        } catch {
            refuse(error)
        }
    }

    private mutating func addPseudoField(
        _ name: Span<UInt8>, _ value: Span<UInt8>
    ) throws(HTTPRefusal) {
        switch name.count {
        case 5 where name.elementsEqual(":path"):
            guard value.count <= limits.targetBytes else { throw .targetTooLong }
            path = try store(value)
        case 7 where name.elementsEqual(":method"):
            guard value.count <= HTTP1HeadReader.methodLimit else { throw .methodTooLong }
            head.method = HTTPMethod(value)
        case 7 where name.elementsEqual(":scheme"):
            // Of another scheme nghttp2 lets any path pass.
            guard value.equalsIgnoringCase("https") || value.equalsIgnoringCase("http") else {
                throw .badTarget
            }
        case 10 where name.elementsEqual(":authority"):
            authority = try store(value)
        default: throw .badFieldName
        }
    }

    private mutating func addField(
        _ name: Span<UInt8>, _ value: Span<UInt8>
    ) throws(HTTPRefusal) {
        guard head.fields.count < limits.fieldCount else { throw .tooManyFields }
        if name.count == 6, name.elementsEqual("cookie") { return try addCookie(value) }
        let nameRange = try store(name)
        let valueRange = try store(value)
        head.fields.note(name: nameRange, value: valueRange)
        switch name.count {
        case 4 where name.elementsEqual("host"):
            host = valueRange
        case 6 where name.elementsEqual("expect"):
            guard value.equalsIgnoringCase("100-continue") else { throw .unsupportedExpectation }
            head.expectsContinue = true
        case 14 where name.elementsEqual("content-length"):
            guard head.contentLength == nil else { throw .repeatedContentLength }
            guard let length = Int(decimalDigits: value) else { throw .badContentLength }
            head.contentLength = length
        default: break
        }
    }

    /// A cookie may come in several fields (RFC 9113 section 8.2.3).
    private mutating func addCookie(_ value: Span<UInt8>) throws(HTTPRefusal) {
        guard spentBytes <= limits.headBytes else { throw .headTooLarge }
        if !cookies.isEmpty {
            cookies.append(UInt8(ascii: ";"))
            cookies.append(UInt8(ascii: " "))
        }
        cookies.append(contentsOf: value)
    }

    private mutating func joinCookies() {
        let joined = cookies
        if !joined.isEmpty { head.fields.append("cookie", joined.span) }
    }

    /// RFC 9113 section 8.3.1: `host` may only repeat what `:authority` says.
    private mutating func finishAuthority() throws(HTTPRefusal) {
        let held = head.bytes
        let bytes = held.span
        guard let range = authority ?? host else { throw .missingHost }
        guard HTTPAuthority.isValid(bytes.extracting(range)) else { throw .badHost }
        if let host, let authority {
            let isSame = bytes.extracting(host).equalsIgnoringCase(bytes.extracting(authority))
            guard isSame else { throw .badHost }
        }
        head.authority = range
    }

    private mutating func finishTarget() throws(HTTPRefusal) {
        guard head.method != .connect else { throw .tunnel }
        guard let path else { throw .badTarget }
        let bytes = head.bytes
        let target = bytes.span.extracting(path)
        guard target.isTarget else { throw .badTarget }
        try HTTP1Target(bytes.span, path, head.method).store(in: &head)
        head.authority = authority ?? host
    }

    private mutating func store(_ piece: Span<UInt8>) throws(HTTPRefusal) -> Range<Int> {
        guard spentBytes <= limits.headBytes else { throw .headTooLarge }
        return piece.withUnsafeBufferPointer { head.fields.store($0) }
    }
}

extension Span<UInt8> {
    /// Whether this is a path with its query, or the "*" of OPTIONS, and not one of the forms
    /// that only HTTP/1.1 has.
    fileprivate var isTarget: Bool {
        guard !isEmpty, self[0] == UInt8(ascii: "/") || elementsEqual("*") else { return false }
        var end = endOfTargetPart(from: 0)
        while end < count, self[end] == UInt8(ascii: "?") { end = endOfTargetPart(from: end + 1) }
        return end == count
    }

    fileprivate func equalsIgnoringCase(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for index in indices where self[index].lowercased != other[index].lowercased {
            return false
        }
        return true
    }
}
