import Base

/// Builds a request from the fields of a header block (RFC 9113 section 8.3).
///
/// A violation of HTTP/2 is a stream error (section 8.1.1); a violation of HTTP itself is answered.
/// The first one found counts.
struct HTTP2HeadReader {
    private(set) var head = RequestHead()
    private(set) var refusal: HTTPRefusal?
    private(set) var isMalformed = false

    private let limits: HTTPLimits
    private var spentBytes = 0
    /// A field that is not a pseudo-header field has come.
    private var hasField = false
    private var hasMethod = false
    private var hasScheme = false
    private var path: Range<Int>?
    private var authority: Range<Int>?
    private var host: Range<Int>?
    private var cookies: [UInt8] = []

    /// The cost of each field in addition to its bytes (RFC 9113 section 6.5.2).
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
        (refusal, isMalformed) = (nil, false)
        spentBytes = 0
        (hasField, hasMethod, hasScheme) = (false, false, false)
        (path, authority, host) = (nil, nil, nil)
        cookies.removeAll(keepingCapacity: true)
    }

    /// Begins a trailer section. It is checked and dropped, as with HTTP/1.1.
    mutating func beginTrailers() {
        (refusal, isMalformed) = (nil, false)
        spentBytes = 0
    }

    mutating func addTrailer(_ name: Span<UInt8>, _ value: Span<UInt8>) {
        guard !isJudged else { return }
        spentBytes += name.count + value.count + Self.fieldOverhead
        do throws(HTTP2HeadFault) {
            try HTTP2Field.check(name, value)
            guard spentBytes <= limits.trailerBytes else { throw .refused(.trailersTooLarge) }
        } catch {
            record(error)
        }
    }

    mutating func add(_ name: Span<UInt8>, _ value: Span<UInt8>) {
        guard !isJudged else { return }
        spentBytes += name.count + value.count + Self.fieldOverhead
        do throws(HTTP2HeadFault) {
            if !name.isEmpty, name[0] == UInt8(ascii: ":") {
                try addPseudoField(name, value)
            } else {
                try HTTP2Field.check(name, value)
                try addField(name, value)
            }
        } catch {
            record(error)
        }
    }

    /// `endsStream`: no body follows.
    mutating func finish(endsStream: Bool) {
        guard !isJudged else { return }
        // Without a length the body ends with the stream.
        head.isChunked = !endsStream && head.contentLength == nil
        head.expectsContinue = head.expectsContinue && head.hasBody
        joinCookies()
        do throws(HTTP2HeadFault) {
            try finishAuthority()
            try finishTarget()
        } catch {
            record(error)
        }
    }

    private var isJudged: Bool { isMalformed || refusal != nil }

    private mutating func record(_ fault: HTTP2HeadFault) {
        switch fault {
        case .malformed: isMalformed = true
        case .refused(let reason): refusal = reason
        }
    }

    /// Each may come once, and only before all other fields (RFC 9113 section 8.3).
    private mutating func addPseudoField(
        _ name: Span<UInt8>, _ value: Span<UInt8>
    ) throws(HTTP2HeadFault) {
        guard !hasField else { throw .malformed }
        switch name.count {
        case 5 where path == nil && name.elementsEqual(":path"):
            guard value.count <= limits.targetBytes else { throw .refused(.targetTooLong) }
            path = try store(value)
        case 7 where !hasMethod && name.elementsEqual(":method"):
            hasMethod = true
            try setMethod(value)
        case 7 where !hasScheme && name.elementsEqual(":scheme"):
            hasScheme = true
            guard value.equalsIgnoringCase("https") || value.equalsIgnoringCase("http") else {
                throw .refused(.badTarget)
            }
        case 10 where authority == nil && name.elementsEqual(":authority"):
            authority = try store(value)
        default: throw .malformed
        }
    }

    private mutating func setMethod(_ value: Span<UInt8>) throws(HTTP2HeadFault) {
        guard value.count <= HTTP1HeadReader.methodLimit else { throw .refused(.methodTooLong) }
        for index in value.indices where !value[index].isTokenCharacter { throw .malformed }
        guard !value.isEmpty else { throw .malformed }
        head.method = HTTPMethod(value)
    }

    private mutating func addField(
        _ name: Span<UInt8>, _ value: Span<UInt8>
    ) throws(HTTP2HeadFault) {
        hasField = true
        guard head.fields.count < limits.fieldCount else { throw .refused(.tooManyFields) }
        if name.count == 6, name.elementsEqual("cookie") { return try addCookie(value) }
        guard spentBytes <= limits.headBytes else { throw .refused(.headTooLarge) }
        let valueRange = head.fields.append(name, value)
        switch name.count {
        case 4 where name.elementsEqual("host"):
            guard host == nil else { throw .malformed }
            host = valueRange
        case 6 where name.elementsEqual("expect"):
            guard value.equalsIgnoringCase("100-continue") else {
                throw .refused(.unsupportedExpectation)
            }
            head.expectsContinue = true
        case 14 where name.elementsEqual("content-length"):
            guard head.contentLength == nil, let length = Int(decimalDigits: value) else {
                throw .malformed
            }
            head.contentLength = length
        default: break
        }
    }

    /// Cookies may come in several fields (RFC 9113 section 8.2.3).
    private mutating func addCookie(_ value: Span<UInt8>) throws(HTTP2HeadFault) {
        guard spentBytes <= limits.headBytes else { throw .refused(.headTooLarge) }
        if !cookies.isEmpty {
            cookies.append(UInt8(ascii: ";"))
            cookies.append(UInt8(ascii: " "))
        }
        cookies.append(contentsOf: value)
    }

    private mutating func joinCookies() {
        guard !cookies.isEmpty else { return }
        let (name, joined) = (Array("cookie".utf8), cookies)
        _ = head.fields.append(name.span, joined.span)
    }

    /// RFC 9113 section 8.3.1: `host` may only repeat `:authority`.
    private mutating func finishAuthority() throws(HTTP2HeadFault) {
        guard let range = authority ?? host else { throw .malformed }
        let held = head.bytes
        let bytes = held.span
        guard HTTPAuthority.isValid(bytes.extracting(range)) else { throw .refused(.badHost) }
        if let host, let authority {
            let isSame = bytes.extracting(host).equalsIgnoringCase(bytes.extracting(authority))
            guard isSame else { throw .refused(.badHost) }
        }
    }

    private mutating func finishTarget() throws(HTTP2HeadFault) {
        guard hasMethod else { throw .malformed }
        if head.method == .connect {
            throw path == nil && !hasScheme ? .refused(.tunnel) : .malformed
        }
        guard hasScheme, let path else { throw .malformed }
        let held = head.bytes
        let bytes = held.span
        let target = bytes.extracting(path)
        // The other forms exist only in HTTP/1.1.
        guard target.isPath || head.method == .options && target.elementsEqual("*") else {
            throw .malformed
        }
        guard target.isVisibleTarget else { throw .refused(.badTarget) }
        do throws(HTTPRefusal) {
            try HTTP1Target(bytes, path, head.method).store(in: &head)
        } catch {
            throw .refused(error)
        }
        head.authority = authority ?? host
    }

    private mutating func store(_ piece: Span<UInt8>) throws(HTTP2HeadFault) -> Range<Int> {
        guard spentBytes <= limits.headBytes else { throw .refused(.headTooLarge) }
        return piece.withUnsafeBufferPointer { head.fields.store($0) }
    }
}

extension Span<UInt8> {
    fileprivate var isPath: Bool { !isEmpty && self[0] == UInt8(ascii: "/") }

    /// A path with its query, and nothing that a path cannot contain.
    fileprivate var isVisibleTarget: Bool {
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
