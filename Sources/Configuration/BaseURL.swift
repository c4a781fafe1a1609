import Base
package import WebPush

/// The address under which senders and clients reach this service, in one form whatever was written:
/// canonical origin, and a path without the slash at its end.
package struct BaseURL: Hashable, Sendable, CustomStringConvertible {
    package let origin: Origin
    /// Empty, or beginning with a slash.
    package let path: String

    package var description: String { origin.description + path }

    /// Telegram has no room for more in its token; a comma ends it there.
    static let endpointLimit = 1000
    /// `/wpush/v1/` and 28 bytes in base64url.
    static let endpointTail = 10 + 38

    package init(_ text: String) throws(ConfigurationError) {
        let url = try Self.parts(text)
        guard url.origin.scheme == "https" || url.origin.isLoopback else {
            throw ConfigurationError("begins with http: that is only for this machine alone")
        }
        (origin, path) = url
        guard !description.contains(",") else {
            throw ConfigurationError("has a comma, which no endpoint may have")
        }
        guard description.utf8.count + Self.endpointTail <= Self.endpointLimit else {
            throw ConfigurationError("makes endpoints of more than \(Self.endpointLimit) bytes")
        }
    }

    /// For another name of the service: an origin and nothing more.
    package init(alias text: String) throws(ConfigurationError) {
        (origin, path) = try Self.parts(text)
        guard path.isEmpty else { throw ConfigurationError("has a path: an origin has none") }
    }

    private static func parts(
        _ text: String
    ) throws(ConfigurationError) -> (origin: Origin, path: String) {
        guard let origin = Origin(url: text) else {
            throw ConfigurationError("is no https:// or http:// address")
        }
        let rest = text.firstRange(of: "://").map { text[$0.upperBound...] } ?? ""
        var path = rest.drop { $0 != "/" && $0 != "?" && $0 != "#" && $0 != "\\" }
        while path.last == "/" { path = path.dropLast() }
        guard path.utf8.allSatisfy(isPathByte) else {
            throw ConfigurationError("has more than scheme, host, port and path")
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
