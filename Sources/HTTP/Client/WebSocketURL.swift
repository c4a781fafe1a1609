import Base

/// The URL that a client connects to: `ws://` or `wss://`, host, port, path and query (RFC 6455
/// section 3).
package struct WebSocketURL: Equatable, Sendable, Confidential {
    package let isEncrypted: Bool
    /// A name, or an address without brackets.
    package let host: String
    package let port: UInt16
    /// Path and query; may hold a credential.
    let target: String

    /// Nil for anything else: other schemes, user names, fragments, invalid characters.
    package init?(_ text: String) {
        let isVisible = text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        guard isVisible, !text.utf8.contains(UInt8(ascii: "#")),
            let schemeEnd = text.place(of: "://")
        else { return nil }
        switch text[..<schemeEnd.lowerBound].lowercased() {
        case "wss": isEncrypted = true
        case "ws": isEncrypted = false
        default: return nil
        }
        let rest = text[schemeEnd.upperBound...]
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        guard
            let authority = HostAndPort(
                String(rest[..<end]), defaultPort: isEncrypted ? 443 : 80)
        else { return nil }
        host = authority.host
        port = authority.port
        target = rest[end...].hasPrefix("/") ? String(rest[end...]) : "/" + rest[end...]
    }

    /// The value of the field Host; it leaves out the default port.
    package var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isEncrypted ? 443 : 80) ? name : "\(name):\(port)"
    }
}

/// The authority of a URL without a user name.
struct HostAndPort: Equatable {
    let host: String
    let port: UInt16

    init?(_ text: String, defaultPort: UInt16) {
        let bytes = Array(text.utf8)
        guard HTTPAuthority.isValid(bytes.span) else { return nil }
        let isLiteral = text.hasPrefix("[")
        let hostEnd =
            isLiteral ? text.firstIndex(of: "]") : text.firstIndex(of: ":") ?? text.endIndex
        guard let hostEnd else { return nil }
        let digits = text[hostEnd...].drop { $0 == "]" }.dropFirst()
        let port = digits.isEmpty ? defaultPort : UInt16(digits)
        guard let port, port > 0 else { return nil }
        self.port = port
        host = String(isLiteral ? text[..<hostEnd].dropFirst() : text[..<hostEnd])
        guard !isLiteral || IPAddress(host) != nil else { return nil }
    }
}
