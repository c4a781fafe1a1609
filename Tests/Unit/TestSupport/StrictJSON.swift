/// Checks JSON against the grammar of RFC 8259 and shares no code with the readers under test.
package struct StrictJSON {
    private var rest: Substring.UnicodeScalarView

    /// Whether bytes are one JSON value in a single line, valid UTF-8, without anything that can
    /// deceive a reader.
    package static func isLine(_ bytes: [UInt8]) -> Bool {
        guard let text = String(validating: bytes, as: UTF8.self),
            text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        else { return false }
        var reader = StrictJSON(rest: text[...].unicodeScalars)
        return reader.value(depth: 0) && reader.rest.isEmpty
    }

    private mutating func skipBlanks() { while rest.first == " " { rest.removeFirst() } }

    private mutating func takes(_ scalar: Unicode.Scalar) -> Bool {
        guard rest.first == scalar else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func value(depth: Int) -> Bool {
        // As deep as our own readers accept.
        guard depth <= 100 else { return false }
        skipBlanks()
        defer { skipBlanks() }
        switch rest.first {
        case "{": return list("{", "}", depth) { $0.member(depth: depth + 1) }
        case "[": return list("[", "]", depth) { $0.value(depth: depth + 1) }
        case "\"": return string()
        case "t": return word("true")
        case "f": return word("false")
        case "n": return word("null")
        default: return number()
        }
    }

    private mutating func list(
        _ open: Unicode.Scalar, _ close: Unicode.Scalar, _ depth: Int,
        _ element: (inout StrictJSON) -> Bool
    ) -> Bool {
        guard takes(open) else { return false }
        skipBlanks()
        if takes(close) { return true }
        repeat {
            guard element(&self) else { return false }
        } while takes(",")
        return takes(close)
    }

    private mutating func member(depth: Int) -> Bool {
        skipBlanks()
        guard string() else { return false }
        skipBlanks()
        return takes(":") && value(depth: depth)
    }

    private mutating func word(_ word: String) -> Bool {
        word.unicodeScalars.allSatisfy { takes($0) }
    }

    private mutating func string() -> Bool {
        guard takes("\"") else { return false }
        while let scalar = rest.popFirst() {
            if scalar == "\"" { return true }
            guard scalar == "\\" else { continue }
            switch rest.popFirst() {
            case "\"", "\\", "/", "b", "f", "n", "r", "t": break
            case "u":
                for _ in 0..<4 {
                    guard let digit = rest.popFirst(), digit.properties.isASCIIHexDigit else {
                        return false
                    }
                }
            default: return false
            }
        }
        return false
    }

    private mutating func number() -> Bool {
        _ = takes("-")
        if !takes("0"), !digits() { return false }
        if takes("."), !digits() { return false }
        guard takes("e") || takes("E") else { return true }
        if !takes("+") { _ = takes("-") }
        return digits()
    }

    private mutating func digits() -> Bool {
        let count = rest.prefix { ("0"..."9").contains($0) }.count
        rest.removeFirst(count)
        return count > 0
    }
}
