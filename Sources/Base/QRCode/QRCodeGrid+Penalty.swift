/// How hard a symbol is to read; decides on the mask (ISO/IEC 18004 section 7.8.3).
extension QRCodeGrid {
    var penalty: Int {
        let lines = (0..<size).flatMap { index in
            [(0..<size).map { self[index, $0] }, (0..<size).map { self[$0, index] }]
        }
        return lines.reduce(0) { $0 + Self.runs($1) + Self.finders($1) } + blocks + imbalance
    }

    /// Five or more equal modules in a line.
    private static func runs(_ line: [Bool]) -> Int {
        var penalty = 0
        var length = 0
        for (index, isDark) in line.enumerated() {
            length = index > 0 && line[index - 1] == isDark ? length + 1 : 1
            if length == 5 { penalty += 3 } else if length > 5 { penalty += 1 }
        }
        return penalty
    }

    /// Patterns that look like a finder, with four light modules before or after.
    private static func finders(_ line: [Bool]) -> Int {
        let pattern = [true, false, true, true, true, false, true]
        func isLight(_ range: Range<Int>) -> Bool {
            range.allSatisfy { !line.indices.contains($0) || !line[$0] }
        }
        var penalty = 0
        for start in 0...line.count - 7 where line[start..<start + 7].elementsEqual(pattern) {
            if isLight(start - 4..<start) || isLight(start + 7..<start + 11) { penalty += 40 }
        }
        return penalty
    }

    /// Squares of four equal modules.
    private var blocks: Int {
        var penalty = 0
        for row in 1..<size {
            for column in 1..<size {
                let isDark = self[row, column]
                if self[row - 1, column] == isDark, self[row, column - 1] == isDark,
                    self[row - 1, column - 1] == isDark
                {
                    penalty += 3
                }
            }
        }
        return penalty
    }

    /// Counts every 5 % by which the dark modules are more or less than half.
    private var imbalance: Int {
        var count = 0
        for row in 0..<size { for column in 0..<size where self[row, column] { count += 1 } }
        return abs(count * 20 - size * size * 10) / (size * size) * 10
    }
}
