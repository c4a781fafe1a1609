/// Byte strings that are UTF-8, or almost.
package struct ConformanceText: Sendable, CustomStringConvertible {
    package enum Verdict: Equatable, Sendable {
        case valid
        /// From this position on no valid text is possible.
        case bad(Int)
        /// Ends inside a character.
        case truncated
    }

    package let name: String
    package let bytes: [UInt8]
    package let verdict: Verdict

    package init(_ name: String, _ bytes: [UInt8], _ verdict: Verdict) {
        self.name = name
        self.bytes = bytes
        self.verdict = verdict
    }

    package var description: String { name }

    func behind(_ prefix: String) -> Self {
        let name = "\(name) behind \(prefix.utf8.count) letters"
        let bytes = Array(prefix.utf8) + bytes
        guard case .bad(let place) = verdict else { return Self(name, bytes, verdict) }
        return Self(name, bytes, .bad(prefix.utf8.count + place))
    }

    package static let all = valid + invalid + afterASCII

    private static let valid: [Self] = [
        "Hello-µ@ßöäüàá-UTF-8!!", "κόσμε", "\0", "\u{7F}", "\u{80}", "\u{7FF}", "\u{800}",
        "\u{FFF}", "\u{1000}", "\u{D7FF}", "\u{E000}", "\u{FFFD}", "\u{FFFE}", "\u{FFFF}",
        "\u{10000}", "\u{1FFFE}", "\u{3FFFF}", "\u{40000}", "\u{FFFFF}", "\u{100000}",
        "\u{10FFFE}", "\u{10FFFF}", "🔔 ring", "\u{FEFF}mark",
    ].map { text in
        let scalars = text.unicodeScalars.map { String($0.value, radix: 16) }
        return Self("valid \(scalars.prefix(4).joined(separator: " "))", Array(text.utf8), .valid)
    }

    private static let invalid: [Self] = [
        Self("lone continuation 80", [0x80], .bad(0)),
        Self("lone continuation BF", [0xBF], .bad(0)),
        Self("two continuations", [0x80, 0xBF], .bad(0)),
        Self("seven continuations", [0x80, 0xBF, 0x80, 0xBF, 0x80, 0xBF, 0x80], .bad(0)),
        Self("all 64 continuations", [UInt8](0x80...0xBF), .bad(0)),
        Self("two-byte start and space", [0xC2, 0x20], .bad(1)),
        Self("three-byte start and space", [0xE1, 0x20], .bad(1)),
        Self("three-byte start, one more and space", [0xE1, 0x80, 0x20], .bad(2)),
        Self("four-byte start and space", [0xF1, 0x20], .bad(1)),
        Self("four-byte start, two more and space", [0xF1, 0x80, 0x80, 0x20], .bad(3)),
        Self("start behind a start", [0xC2, 0xC2], .bad(1)),
        Self("two bytes, cut", [0xC2], .truncated),
        Self("three bytes, cut after one", [0xE0], .truncated),
        Self("three bytes, cut after two", [0xE0, 0xA0], .truncated),
        Self("four bytes, cut after one", [0xF0], .truncated),
        Self("four bytes, cut after two", [0xF4, 0x8F], .truncated),
        Self("four bytes, cut after three", [0xF0, 0x90, 0x80], .truncated),
        Self("byte FE", [0xFE], .bad(0)),
        Self("byte FF", [0xFF], .bad(0)),
        Self("FE FE FF FF", [0xFE, 0xFE, 0xFF, 0xFF], .bad(0)),
        Self("overlong slash in two", [0xC0, 0xAF], .bad(0)),
        Self("overlong slash in three", [0xE0, 0x80, 0xAF], .bad(1)),
        Self("overlong slash in four", [0xF0, 0x80, 0x80, 0xAF], .bad(1)),
        Self("overlong slash in five", [0xF8, 0x80, 0x80, 0x80, 0xAF], .bad(0)),
        Self("overlong slash in six", [0xFC, 0x80, 0x80, 0x80, 0x80, 0xAF], .bad(0)),
        Self("longest overlong in two", [0xC1, 0xBF], .bad(0)),
        Self("longest overlong in three", [0xE0, 0x9F, 0xBF], .bad(1)),
        Self("longest overlong in four", [0xF0, 0x8F, 0xBF, 0xBF], .bad(1)),
        Self("overlong zero in two", [0xC0, 0x80], .bad(0)),
        Self("overlong zero in three", [0xE0, 0x80, 0x80], .bad(1)),
        Self("overlong zero in four", [0xF0, 0x80, 0x80, 0x80], .bad(1)),
        Self("surrogate D800", [0xED, 0xA0, 0x80], .bad(1)),
        Self("surrogate DB7F", [0xED, 0xAD, 0xBF], .bad(1)),
        Self("surrogate DBFF", [0xED, 0xAF, 0xBF], .bad(1)),
        Self("surrogate DC00", [0xED, 0xB0, 0x80], .bad(1)),
        Self("surrogate DFFF", [0xED, 0xBF, 0xBF], .bad(1)),
        Self("surrogate pair", [0xED, 0xA0, 0x80, 0xED, 0xB0, 0x80], .bad(1)),
        Self("U+110000", [0xF4, 0x90, 0x80, 0x80], .bad(1)),
        Self("U+13FFFF", [0xF4, 0xBF, 0xBF, 0xBF], .bad(1)),
        Self("U+140000", [0xF5, 0x80, 0x80, 0x80], .bad(0)),
        Self("U+1FFFFF", [0xF7, 0xBF, 0xBF, 0xBF], .bad(0)),
        Self("five bytes", [0xF8, 0x88, 0x80, 0x80, 0x80], .bad(0)),
        Self("six bytes", [0xFD, 0xBF, 0xBF, 0xBF, 0xBF, 0xBF], .bad(0)),
    ]

    /// Around the steps of 8 and 32 bytes in which ASCII is checked.
    private static let afterASCII: [Self] = [1, 7, 8, 9, 31, 32, 33].flatMap { count in
        let prefix = String(repeating: "a", count: count)
        return [
            Self("κόσμε then surrogate", Array("κόσμε".utf8) + [0xED, 0xA0, 0x80, 0x61], .bad(11)),
            Self("lone continuation", [0x80, 0x61], .bad(0)),
            Self("bell", Array("🔔".utf8), .valid),
        ].map { $0.behind(prefix) }
    }
}
