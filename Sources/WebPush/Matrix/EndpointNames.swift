import Base

/// The ways to write one of our endpoints as a pushkey: its URL, its path, or its token.
package struct EndpointNames: Sendable {
    private let origins: Set<Origin>
    /// Our origins as text, each with a trailing slash.
    private let usual: [[UInt8]]
    /// The path before `/wpush` in our URLs.
    private let path: [UInt8]

    package init(origins: [Origin], path: String) {
        self.origins = Set(origins)
        usual = origins.map { Array("\($0)/".utf8) }
        self.path = Array("\(path)/".utf8)
    }

    /// What may be a token of one of our endpoints; nil for a URL of somebody else.
    package func token(of pushkey: String) -> ArraySlice<UInt8>? {
        let bytes = Array(pushkey.utf8)
        guard let start = pathStart(bytes, pushkey) else { return nil }
        var rest = bytes[start...]
        guard rest.first == UInt8(ascii: "/") else { return Self.segment(rest) }
        if rest.starts(with: path) { rest = rest.dropFirst(path.count - 1) }
        for kind in ["/wpush/v1/", "/wpush/v2/", "/wpush/"] where rest.starts(with: kind.utf8) {
            return Self.segment(rest.dropFirst(kind.utf8.count))
        }
        return nil
    }

    private func pathStart(_ bytes: [UInt8], _ pushkey: String) -> Int? {
        for origin in usual where bytes.starts(with: origin) { return origin.count - 1 }
        guard let authority = pushkey.place(of: "://") else { return 0 }
        guard let origin = Origin(url: pushkey), origins.contains(origin) else { return nil }
        let rest = pushkey[authority.upperBound...]
        guard let end = rest.firstIndex(where: { "/?#\\".contains($0) }), rest[end] == "/" else {
            return nil
        }
        return pushkey.utf8.distance(from: pushkey.startIndex, to: end)
    }

    private static func segment(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        bytes.contains(UInt8(ascii: "/")) ? nil : bytes
    }
}
