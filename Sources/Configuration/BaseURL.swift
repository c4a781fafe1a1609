import Base
package import WebPush

/// The address under which senders and clients reach this server, normalized: a canonical origin,
/// and a path without a trailing slash.
package struct BaseURL: Hashable, Sendable, CustomStringConvertible {
    package let origin: Origin
    /// Empty, or starts with a slash.
    package let path: String

    package var description: String { origin.description + path }

    /// Telegram's token has no room for a longer endpoint, and reads it up to the first comma.
    static let endpointLimit = 1000
    /// `/wpush/v1/` and 28 bytes in base64url.
    static let endpointTail = 10 + 38

    package init(_ text: String) throws(ConfigurationError) {
        let url = try Self.parts(text)
        guard url.origin.scheme == "https" || url.origin.isLoopback else {
            throw ConfigurationError("begins with http:, which is for this machine only")
        }
        (origin, path) = url
        guard !description.contains(",") else {
            throw ConfigurationError("has a comma, which endpoints must not have")
        }
        guard description.utf8.count + Self.endpointTail <= Self.endpointLimit else {
            throw ConfigurationError("makes endpoints longer than \(Self.endpointLimit) bytes")
        }
    }

    /// Another name of the server: an origin without a path.
    package init(alias text: String) throws(ConfigurationError) {
        (origin, path) = try Self.parts(text)
        guard path.isEmpty else { throw ConfigurationError("has a path, but an origin has none") }
    }

    private static func parts(
        _ text: String
    ) throws(ConfigurationError) -> (origin: Origin, path: String) {
        guard let origin = Origin(url: text) else {
            throw ConfigurationError("is not an https:// or http:// address")
        }
        let rest = text.place(of: "://").map { text[$0.upperBound...] } ?? ""
        var path = rest.drop { $0 != "/" && $0 != "?" && $0 != "#" && $0 != "\\" }
        while path.last == "/" { path = path.dropLast() }
        guard path.utf8.allSatisfy(isPathByte) else {
            throw ConfigurationError("has more than a scheme, host, port and path")
        }
        return (origin, String(path))
    }

    /// `pchar` and the slash (RFC 3986 section 3.3).
    private static func isPathByte(_ byte: UInt8) -> Bool {
        byte.isIn(0x2FFF_FFF2_0000_0000, 0x47FF_FFFE_87FF_FFFF)
    }
}

extension Origin {
    package var isLoopback: Bool {
        if host == "localhost" || host.hasSuffix(".localhost") { return true }
        let literal = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        return IPAddress(literal)?.isLoopback ?? false
    }
}
