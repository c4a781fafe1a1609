/// Hosts that somebody named, to be compared with those of URLs.
package struct NamedHosts: Equatable, Sendable {
    package static let most = 16
    /// RFC 1035 section 2.3.4.
    private static let longest = 253

    package let names: [String]

    package init() { names = [] }

    /// Nil if one is no host, or if there are too many.
    package init?(_ texts: [String]) {
        var names: [String] = []
        for text in texts {
            guard let name = Self.name(text) else { return nil }
            if !names.contains(name) { names.append(name) }
        }
        guard names.count <= Self.most else { return nil }
        self.names = names
    }

    package var isEmpty: Bool { names.isEmpty }

    package func contains(_ host: String) -> Bool {
        Self.name(host).map { names.contains($0) } ?? false
    }

    /// A name in lower case, or an address in its usual form.
    private static func name(_ text: String) -> String? {
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
        if let address = IPAddress(isBracketed ? String(text.dropFirst().dropLast()) : text) {
            return address.description
        }
        let name = text.hasSuffix(".") ? text.dropLast() : text[...]
        guard (1...longest).contains(name.utf8.count), name.utf8.allSatisfy(isNamed) else {
            return nil
        }
        return name.lowercased()
    }

    private static func isNamed(_ byte: UInt8) -> Bool {
        byte.isWordCharacter || byte == UInt8(ascii: ".")
    }
}
