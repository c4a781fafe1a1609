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

    /// What may be the name of a topic of ours, by its address with or without a query; nil for a URL
    /// of somebody else.
    package func topic(of pushkey: String) -> String? {
        guard pushkey.place(of: "://") != nil else { return nil }
        let bytes = Array(pushkey.utf8)
        guard let start = pathStart(bytes, pushkey) else { return nil }
        var rest = bytes[start...].prefix { $0 != UInt8(ascii: "?") }
        if rest.starts(with: path) { rest = rest.dropFirst(path.count - 1) }
        return Self.segment(rest.dropFirst()).map { String(decoding: $0, as: UTF8.self) }
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
