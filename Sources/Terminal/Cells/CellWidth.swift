/// How many columns of a terminal a character takes.
///
/// Terminals disagree about some characters, so `ScreenPainter` says where to go on after each one
/// that is not ASCII.
package enum CellWidth {
    /// Wide or full width by Unicode's EastAsianWidth, except characters that are emoji by default.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x3247, 0x3250...0x4DBF,
        0x4E00...0xA4C6, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE6B,
        0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x1_6FE0...0x1_B2FB, 0x1_F200...0x1_F265,
        0x2_0000...0x3_FFFD,
    ]

    /// Format characters that are seen: signs of Arabic and others, which enclose a number.
    private static let seenFormats: Set<UInt32> = [
        0x0600, 0x0601, 0x0602, 0x0603, 0x0604, 0x0605, 0x06DD, 0x070F, 0x0890, 0x0891, 0x08E2,
        0x1_10BD, 0x1_10CD,
    ]

    private static let joiner: Unicode.Scalar = "\u{200D}"
    private static let asEmoji: Unicode.Scalar = "\u{FE0F}"
    private static let regionalIndicators: ClosedRange<UInt32> = 0x1_F1E6...0x1_F1FF

    package static func of(_ scalar: Unicode.Scalar) -> Int {
        let value = scalar.value
        if value < 0x300 { return value == 0xAD || value < 0x20 ? 0 : 1 }
        if isZero(scalar) { return 0 }
        if wide.contains(where: { $0.contains(value) }) { return 2 }
        let isFlag = regionalIndicators.contains(value)
        return scalar.properties.isEmojiPresentation && !isFlag ? 2 : 1
    }

    private static func isZero(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .lineSeparator, .paragraphSeparator: true
        case .format: !seenFormats.contains(scalar.value)
        // Vowels and final consonants of Hangul join the consonant before them.
        default:
            (0x1160...0x11FF).contains(scalar.value) || (0xD7B0...0xD7FF).contains(scalar.value)
        }
    }

    /// A whole character, which may have several scalars: at most 2.
    package static func of(_ character: Character) -> Int {
        let scalars = character.unicodeScalars
        guard let first = scalars.first else { return 0 }
        if scalars.count == 1 { return of(first) }
        if first.properties.isEmoji, scalars.contains(where: { $0 == asEmoji || $0 == joiner }) {
            return 2
        }
        return min(scalars.reduce(0) { $0 + of($1) }, 2)
    }
}
