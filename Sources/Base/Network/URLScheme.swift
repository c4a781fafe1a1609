/// The scheme of a URL (RFC 3986 section 3.1). It starts with a letter, so it cannot be taken for a
/// command's option.
package enum URLScheme {
    /// In lower case; nil if the text does not start with a scheme and a colon.
    package static func of(_ url: String) -> String? {
        guard let colon = url.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let scheme = url[..<colon].lowercased()
        return isScheme(scheme) ? scheme : nil
    }

    /// Whether it is a scheme in lower case.
    package static func isScheme(_ text: String) -> Bool {
        guard let first = text.utf8.first, isLetter(first) else { return false }
        return text.utf8.allSatisfy { byte in
            isLetter(byte) || byte.isDigit || "+-.".utf8.contains(byte)
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }
}
