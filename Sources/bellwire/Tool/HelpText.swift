/// Help in lines that fit a terminal.
enum HelpText {
    static let width = 80
    /// Longer terms have a line of their own.
    private static let termWidth = 26

    /// A paragraph, or lines that are printed as they are.
    struct Block {
        let lines: [Substring]
        /// Indented lines are neither joined nor broken.
        let isLiteral: Bool
        /// Whether an empty line comes before it.
        let hasGap: Bool

        var words: String { lines.joined(separator: " ") }
    }

    static func blocks(_ text: String) -> [Block] {
        var blocks: [Block] = []
        var lines: [Substring] = []
        var (isLiteral, hasGap) = (false, false)
        func end() {
            guard !lines.isEmpty else { return }
            blocks.append(Block(lines: lines, isLiteral: isLiteral, hasGap: hasGap))
            (lines, hasGap) = ([], false)
        }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.isEmpty {
                end()
                hasGap = !blocks.isEmpty
                continue
            }
            if line.hasPrefix("  ") != isLiteral { end() }
            isLiteral = line.hasPrefix("  ")
            lines.append(line)
        }
        end()
        return blocks
    }

    static func paragraphs(_ text: String) -> [String] {
        blocks(text).flatMap { block in
            (block.hasGap ? [""] : [])
                + (block.isLiteral ? block.lines.map { String($0) } : wrapped(block.words))
        }
    }

    /// Begins with `start`; further lines are indented.
    static func wrapped(
        _ words: some StringProtocol, after start: String = "", indent: Int = 0
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

    /// Terms in a column, and next to each what it means.
    static func table(_ rows: [(term: String, meaning: String)]) -> [String] {
        let longest = rows.map(\.term.count).filter { $0 <= termWidth }.max() ?? 0
        let indent = longest + 4
        return rows.flatMap { term, meaning in
            let term = "  " + term
            let gap = indent - term.count
            guard gap >= 2 else {
                let start = String(repeating: " ", count: indent)
                return [term] + wrapped(meaning, after: start, indent: indent)
            }
            let start = term + String(repeating: " ", count: gap)
            return wrapped(meaning, after: start, indent: indent)
        }
    }
}
