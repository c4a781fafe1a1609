/// Makes text from outside safe for a terminal, log line, page or D-Bus string.
///
/// Anything that could move a cursor, hide or reorder text becomes a visible escape.
package enum Printable {
    package static func text(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if isUnsafe(scalar) {
                result += "\\u{" + String(scalar.value, radix: 16) + "}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Like `text`, but returns at most `limit` scalars (a character may have any number of them);
    /// a longer text ends in an ellipsis.
    package static func text(_ text: String, limit: Int) -> String {
        let scalars = text.unicodeScalars
        let end = scalars.index(scalars.startIndex, offsetBy: limit, limitedBy: scalars.endIndex)
        guard let end, end < scalars.endIndex else { return self.text(text) }
        return self.text(String(scalars[..<end])) + "…"
    }

    /// Makes text safe for notifications on the screen. It leaves out unsafe characters, because an
    /// escape means nothing there, and line breaks unless `keepsLines`. It returns at most `limit`
    /// scalars, including an ellipsis; characters are not counted, because one may have any number
    /// of scalars.
    package static func onScreen(_ text: String, limit: Int, keepsLines: Bool = false) -> String {
        var result = ""
        var count = 0
        // The start of the last character that still leaves room for an ellipsis.
        var cut = result.endIndex
        for character in text {
            let start = result.endIndex
            if count < limit { cut = start }
            for scalar in character.unicodeScalars {
                guard let shown = shown(scalar, keepsLines: keepsLines) else { continue }
                guard count < limit else { return String(result[..<cut]) + "…" }
                result.unicodeScalars.append(shown)
                count += 1
            }
        }
        return result
    }

    private static func shown(_ scalar: Unicode.Scalar, keepsLines: Bool) -> Unicode.Scalar? {
        switch scalar {
        case "\n", "\u{2028}", "\u{2029}": keepsLines ? "\n" : " "
        case "\t": " "
        default: isUnsafe(scalar) ? nil : scalar
        }
    }

    /// Control characters, and invisible marks that set direction or break lines.
    package static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F: true  // C0, DEL, C1
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true  // bidi controls
        case 0x2028, 0x2029: true  // line and paragraph separator
        case 0xFEFF: true  // a byte order mark in the middle of text is invisible
        default: false
        }
    }
}

/// Text inside HTML and its relatives.
extension Printable {
    /// Neither an element nor the end of an attribute can begin in it.
    package static func markup(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

/// Text as one word for a shell.
package enum ShellWord {
    package static func quoted(_ text: String) -> String {
        let isPlain = text.allSatisfy {
            $0.isASCII && ($0.isLetter || $0.isNumber || "/._-".contains($0))
        }
        guard !isPlain || text.isEmpty else { return text }
        let parts = text.split(separator: "'", omittingEmptySubsequences: false)
        return "'" + parts.joined(separator: "'\\''") + "'"
    }
}

/// RFC 3986 section 2.1.
package enum PercentEncoding {
    /// The text as one component of a URL.
    package static func encoded(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            if isUnreserved(byte) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                result += "%" + byte.hexadecimal.uppercased()
            }
        }
        return result
    }

    /// RFC 3986 section 2.3.
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        byte.isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte.lowercased)
            || "-._~".utf8.contains(byte)
    }

    /// Nil if a percent sign is not followed by two hexadecimal digits. In forms a plus is a blank.
    package static func decoded(
        _ text: some Sequence<UInt8>, inForm: Bool = false
    ) -> [UInt8]? {
        decoded(text, escape: UInt8(ascii: "%"), blank: inForm ? UInt8(ascii: "+") : nil)
    }

    /// The names and values of a query or a form. What is not encoded well stands as it is.
    package static func pairs(_ form: Span<UInt8>) -> [(name: [UInt8], value: [UInt8])] {
        form.array(form.indices).split(separator: UInt8(ascii: "&")).map { item in
            let end = item.firstIndex(of: UInt8(ascii: "=")) ?? item.endIndex
            let (name, value) = (item[..<end], item[end...].dropFirst())
            return (
                decoded(name, inForm: true) ?? Array(name),
                decoded(value, inForm: true) ?? Array(value)
            )
        }
    }

    /// The same with another sign before the digits.
    package static func decoded(
        _ text: some Sequence<UInt8>, escape: UInt8, blank: UInt8?
    ) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.underestimatedCount)
        var rest = text.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case blank: bytes.append(UInt8(ascii: " "))
            case escape:
                guard let high = rest.next()?.hexValue, let low = rest.next()?.hexValue else {
                    return nil
                }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return bytes
    }
}

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
