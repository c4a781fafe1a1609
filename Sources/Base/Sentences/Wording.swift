/// Words as help, manual and the commented configuration put them.
package enum Wording {
    /// In lines of at most so many characters. The first begins with `start`; further ones are
    /// indented.
    package static func lines(
        _ words: some StringProtocol, width: Int = 80, after start: String = "", indent: Int = 0
    ) -> [String] {
        var lines: [String] = []
        var line = start
        var hasWord = false
        for word in words.split(separator: " ") {
            if hasWord, line.count + 1 + word.count > width {
                lines.append(line)
                line = String(repeating: " ", count: indent)
                hasWord = false
            }
            line += (hasWord ? " " : "") + word
            hasWord = true
        }
        return lines + [line]
    }

    /// With a capital letter and a full stop.
    package static func sentence(_ words: String) -> String {
        let sentence = words.prefix(1).uppercased() + words.dropFirst()
        return sentence.hasSuffix(".") ? sentence : sentence + "."
    }

    /// Such as `a, b or c`.
    package static func list(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " or " + last
    }
}
