/// The modules of a symbol, and which of them belong to function patterns.
struct QRCodeGrid: Sendable {
    let size: Int
    private var dark: [Bool]
    private var isFunction: [Bool]

    subscript(row: Int, column: Int) -> Bool {
        get { dark[row * size + column] }
        set { dark[row * size + column] = newValue }
    }

    init(_ version: QRCodeVersion) {
        size = version.size
        dark = [Bool](repeating: false, count: size * size)
        isFunction = dark
        for index in 0..<size {
            set(6, index, index % 2 == 0)
            set(index, 6, index % 2 == 0)
        }
        for (row, column) in [(3, 3), (3, size - 4), (size - 4, 3)] { finder(row, column) }
        let centres = version.alignment
        for row in centres {
            for column in centres where !isAtFinder(row, column) { alignment(row, column) }
        }
        format(mask: 0)
        if version.number >= 7 { versionInformation(version.number) }
    }

    /// Places the bits in columns of two, from the right, alternately up and down (section 7.7.3).
    mutating func place(_ codewords: [UInt8]) {
        var position = 0
        var isUpward = true
        for right in stride(from: size - 1, through: 1, by: -2) {
            // Skips the column of the timing pattern.
            let right = right <= 6 ? right - 1 : right
            for step in 0..<size {
                let row = isUpward ? size - 1 - step : step
                for column in [right, right - 1] where !isFunction[row * size + column] {
                    guard position < 8 * codewords.count else { continue }
                    let bit = codewords[position / 8] >> UInt8(7 - position % 8) & 1
                    self[row, column] = bit == 1
                    position += 1
                }
            }
            isUpward.toggle()
        }
    }

    /// Applies one of the eight masks to the data (section 7.8.2).
    func masked(by mask: Int) -> QRCodeGrid {
        var result = self
        for row in 0..<size {
            for column in 0..<size where !isFunction[row * size + column] {
                if Self.isInverted(row, column, mask) { result[row, column].toggle() }
            }
        }
        result.format(mask: mask)
        return result
    }

    private static func isInverted(_ row: Int, _ column: Int, _ mask: Int) -> Bool {
        switch mask {
        case 0: (row + column) % 2 == 0
        case 1: row % 2 == 0
        case 2: column % 3 == 0
        case 3: (row + column) % 3 == 0
        case 4: (row / 2 + column / 3) % 2 == 0
        case 5: row * column % 2 + row * column % 3 == 0
        case 6: (row * column % 2 + row * column % 3) % 2 == 0
        default: ((row + column) % 2 + row * column % 3) % 2 == 0
        }
    }

    private mutating func set(_ row: Int, _ column: Int, _ isDark: Bool) {
        guard (0..<size).contains(row), (0..<size).contains(column) else { return }
        self[row, column] = isDark
        isFunction[row * size + column] = true
    }

    /// Includes its light border.
    private mutating func finder(_ row: Int, _ column: Int) {
        for down in -4...4 {
            for across in -4...4 {
                let ring = max(abs(down), abs(across))
                set(row + down, column + across, ring != 2 && ring != 4)
            }
        }
    }

    private func isAtFinder(_ row: Int, _ column: Int) -> Bool {
        (row == 6 && column == 6) || (row == 6 && column == size - 7)
            || (row == size - 7 && column == 6)
    }

    private mutating func alignment(_ row: Int, _ column: Int) {
        for down in -2...2 {
            for across in -2...2 {
                set(row + down, column + across, max(abs(down), abs(across)) != 1)
            }
        }
    }

    /// Writes level L and the mask twice, with error correction (section 7.9).
    private mutating func format(mask: Int) {
        let data = 0b01 << 3 | mask
        let bits = (data << 10 | Self.remainder(data, generator: 0x537, degree: 10)) ^ 0x5412
        for index in 0..<15 {
            let isDark = bits >> index & 1 == 1
            switch index {
            case 0..<6: set(index, 8, isDark)
            case 6: set(7, 8, isDark)
            case 7: set(8, 8, isDark)
            case 8: set(8, 7, isDark)
            default: set(8, 14 - index, isDark)
            }
            if index < 8 {
                set(8, size - 1 - index, isDark)
            } else {
                set(size - 15 + index, 8, isDark)
            }
        }
        set(size - 8, 8, true)
    }

    /// Writes the version twice, with error correction (section 7.10).
    private mutating func versionInformation(_ number: Int) {
        let bits = number << 12 | Self.remainder(number, generator: 0x1F25, degree: 12)
        for index in 0..<18 {
            let isDark = bits >> index & 1 == 1
            set(index / 3, size - 11 + index % 3, isDark)
            set(size - 11 + index % 3, index / 3, isDark)
        }
    }

    private static func remainder(_ data: Int, generator: Int, degree: Int) -> Int {
        var rest = data
        for _ in 0..<degree { rest = rest << 1 ^ (rest >> (degree - 1)) * generator }
        return rest
    }
}

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
