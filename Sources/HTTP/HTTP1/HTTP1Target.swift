import Base

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
