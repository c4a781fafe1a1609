package import Base
import Outbound

package struct CallbackTarget: Equatable, Sendable, Confidential {
    package enum Refusal: String, Error, Sendable {
        case notAURL = "is not a URL"
        case scheme = "is neither https:// nor, for programs on this machine, http:// or unix:/"
        case userInfo = "contains a user or a password"
        case port = "has a port below 1024 that is not 443 or 80"
        case tooLong = "is too long"
    }

    package enum Way: Equatable, Sendable {
        case encrypted
        /// HTTP without TLS, to a loopback address only.
        case clear
        /// HTTP over this socket.
        case unix(path: String)
    }

    /// The URL in the form that `ParsedURL` gives it.
    package let url: String
    /// The host name, or the path of the socket. `HostLanes` limits requests by it.
    package let host: String
    package let port: UInt16
    package let way: Way

    private static let limit = 2_000
    private static let unixPrefix = "unix:"
    /// The length of `sun_path` on Linux.
    private static let pathLimit = 107

    package init(_ text: String) throws(Refusal) {
        guard text.utf8.count <= Self.limit else { throw .tooLong }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw .notAURL }
        if text.hasPrefix(Self.unixPrefix) {
            let path = String(text.dropFirst(Self.unixPrefix.count))
            guard path.hasPrefix("/"), path.count > 1 else { throw .notAURL }
            guard path.utf8.count <= Self.pathLimit else { throw .tooLong }
            (url, host, port, way) = ("http://localhost/", path, 0, .unix(path: path))
            return
        }
        let parsed: ParsedURL
        do throws(ParsedURL.Failure) {
            parsed = try ParsedURL(text, schemes: ["https", "http"])
        } catch {
            switch error {
            case .notAURL: throw .notAURL
            case .otherScheme: throw .scheme
            case .hasUser: throw .userInfo
            }
        }
        guard DialGuard.isUsual(parsed.port) else { throw .port }
        way = parsed.scheme == "https" ? .encrypted : .clear
        (url, host, port) = (parsed.text, parsed.host, parsed.port)
    }

    /// Whether this is `url` or a path below it.
    func isInside(_ url: String) -> Bool {
        guard self.url.hasPrefix(url) else { return false }
        return self.url.dropFirst(url.count).first.map { "/?".contains($0) } ?? true
    }

    /// Nil if the host is a name.
    package var address: IPAddress? {
        IPAddress(host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host)
    }
}
