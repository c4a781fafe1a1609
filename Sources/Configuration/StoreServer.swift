import Base

/// The address of one server of the cluster's store: `nats://` or `tls://`, perhaps a user and a
/// password, a host and perhaps a port.
struct StoreServer: Equatable, Sendable, CustomStringConvertible {
    let isEncrypted: Bool
    /// `USER:PASSWORD` or a token; nil if there is none.
    let user: String?
    /// In lower case; an IPv6 address in brackets.
    let host: String
    let port: UInt16

    /// The port of NATS.
    private static let usualPort: UInt16 = 4222

    init(_ text: String) throws(ConfigurationError) {
        let rest: Substring
        if text.hasPrefix("nats://") {
            (isEncrypted, rest) = (false, text.dropFirst(7))
        } else if text.hasPrefix("tls://") {
            (isEncrypted, rest) = (true, text.dropFirst(6))
        } else {
            throw ConfigurationError("is neither sqlite nor nats://HOST:PORT nor tls://HOST:PORT")
        }
        let place: Substring
        if let at = rest.lastIndex(of: "@") {
            user = try Self.user(rest[..<at])
            place = rest[rest.index(after: at)...]
        } else {
            user = nil
            place = rest
        }
        (host, port) = try Self.hostAndPort(place)
    }

    var description: String {
        "\(isEncrypted ? "tls" : "nats")://" + (user.map { $0 + "@" } ?? "") + "\(host):\(port)"
    }

    /// The client takes the text as it stands, so it must mean the same to everybody.
    private static func user(_ text: Substring) throws(ConfigurationError) -> String {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let isPlain = parts.allSatisfy { part in
            !part.isEmpty && part.utf8.allSatisfy(\.isUnreserved)
        }
        guard isPlain, parts.count <= 2 else {
            throw ConfigurationError(
                "has a user or password with other characters than letters, digits and - . _ ~")
        }
        return String(text)
    }

    private static func hostAndPort(
        _ text: Substring
    ) throws(ConfigurationError) -> (String, UInt16) {
        let end = text.first == "[" ? text.firstIndex(of: "]").map(text.index(after:)) : nil
        let host = text[..<(end ?? text.firstIndex(of: ":") ?? text.endIndex)]
        guard isHost(host) else { throw ConfigurationError("has no host, or a wrong one") }
        let rest = text[host.endIndex...]
        if rest.isEmpty { return (host.lowercased(), usualPort) }
        let digits = Array(rest.dropFirst().utf8)
        guard rest.first == ":", let port = UInt16(decimalDigits: digits.span), port > 0 else {
            throw ConfigurationError("has more than a host and a port")
        }
        return (host.lowercased(), port)
    }

    private static func isHost(_ text: Substring) -> Bool {
        guard text.first == "[" else {
            return !text.isEmpty && text.utf8.allSatisfy(\.isUnreserved)
        }
        let address = IPAddress(String(text.dropFirst().dropLast()))
        return text.last == "]" && address != nil && address?.v4 == nil
    }
}

extension UInt8 {
    /// A letter, a digit, or one of `-._~` (RFC 3986 section 2.3).
    fileprivate var isUnreserved: Bool { isIn(0x03FF_6000_0000_0000, 0x47FF_FFFE_87FF_FFFE) }
}
