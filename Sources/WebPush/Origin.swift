import Base

/// Scheme, host and port of a URL; the scheme's default port is left out (RFC 6454).
package struct Origin: Hashable, Sendable, CustomStringConvertible {
    package let scheme: String
    /// The host in lower case; an IPv6 address in brackets and in canonical form (RFC 5952).
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
        guard let host = Self.host(authority[..<hostEnd]) else { return nil }
        self.host = host
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

    var defaultPort: Int { Self.defaultPorts[scheme] ?? 0 }

    private static func host(_ text: Substring) -> String? {
        guard text.first == "[" else {
            let host = text.lowercased()
            return host.isEmpty || !host.allSatisfy(\.isASCII) ? nil : host
        }
        return IPAddress(String(text.dropFirst().dropLast())).map { address in
            // A mapped address prints as IPv4, which takes no brackets.
            address.v4 == nil ? "[\(address)]" : text.lowercased()
        }
    }

    private static func hostEnd(_ authority: Substring) -> Substring.Index {
        if authority.first == "[", let bracket = authority.firstIndex(of: "]") {
            return authority.index(after: bracket)
        }
        return authority.firstIndex(of: ":") ?? authority.endIndex
    }
}

/// The spellings of a push service in `aud`.
extension Origin {
    /// Every spelling accepted for this origin: the origin itself, and what real senders write.
    /// Some add the default port, some omit the port, some end in a slash.
    package var audiences: [[UInt8]] {
        let bare = "\(scheme)://\(host)"
        let spelled = port == nil ? [bare, "\(bare):\(defaultPort)"] : [description, bare]
        return (spelled + spelled.map { $0 + "/" }).map { Array($0.utf8) }
    }
}
