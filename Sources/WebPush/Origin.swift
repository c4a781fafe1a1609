import Base

/// Scheme, host and port of a URL, the port left out where it is the scheme's own (RFC 6454).
package struct Origin: Hashable, Sendable, CustomStringConvertible {
    package let scheme: String
    /// Lower case; an IPv6 literal keeps its brackets.
    package let host: String
    package let port: Int?

    /// Nil unless `url` is an http or https URL with a host.
    package init?(url: String) {
        guard let colon = url.firstIndex(of: ":"), url[colon...].hasPrefix("://") else {
            return nil
        }
        scheme = url[..<colon].lowercased()
        guard let defaultPort = Self.defaultPorts[scheme] else { return nil }
        let authority = url[colon...].dropFirst(3).prefix { !"/?#\\".contains($0) }
        guard !authority.contains(where: { $0 == "@" || $0.isWhitespace }) else { return nil }
        let hostEnd = Self.hostEnd(authority)
        host = authority[..<hostEnd].lowercased()
        guard !host.isEmpty, host.allSatisfy(\.isASCII) else { return nil }
        let rest = authority[hostEnd...]
        guard !rest.isEmpty, rest != ":" else {
            port = nil
            return
        }
        let digits = Array(rest.dropFirst().utf8)
        guard rest.first == ":", let number = Int(decimalDigits: digits.span),
            (1...65535).contains(number)
        else { return nil }
        port = number == defaultPort ? nil : number
    }

    package var description: String {
        "\(scheme)://\(host)" + (port.map { ":\($0)" } ?? "")
    }

    private static let defaultPorts = ["http": 80, "https": 443]

    private static func hostEnd(_ authority: Substring) -> Substring.Index {
        if authority.first == "[", let bracket = authority.firstIndex(of: "]") {
            return authority.index(after: bracket)
        }
        return authority.firstIndex(of: ":") ?? authority.endIndex
    }
}
