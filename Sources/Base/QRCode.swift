/// A QR code (ISO/IEC 18004): byte mode, level L, any version.
package struct QRCode: Sendable {
    /// Modules on each side, without the quiet zone of four around it.
    package let size: Int
    private let grid: QRCodeGrid

    /// Nil for more than 2,953 bytes. Chooses the mask that is easiest to read.
    package init?(_ bytes: [UInt8]) { self.init(bytes, mask: nil) }

    init?(_ bytes: [UInt8], mask: Int?) {
        guard let version = QRCodeVersion(holding: bytes.count) else { return nil }
        var grid = QRCodeGrid(version)
        grid.place(version.codewords(of: bytes))
        let candidates = (mask.map { [$0] } ?? Array(0..<8)).map { grid.masked(by: $0) }
        guard let best = candidates.min(by: { $0.penalty < $1.penalty }) else { return nil }
        self.grid = best
        size = version.size
    }

    package func isDark(row: Int, column: Int) -> Bool { grid[row, column] }

    /// The code for a terminal. A line of text shows two rows of modules; light modules are blocks.
    package var text: String {
        let quiet = 2
        var text = ""
        for row in stride(from: -quiet, to: size + quiet, by: 2) {
            for column in -quiet..<size + quiet {
                switch (isLight(row, column), isLight(row + 1, column)) {
                case (true, true): text += "█"
                case (true, false): text += "▀"
                case (false, true): text += "▄"
                case (false, false): text += " "
                }
            }
            text += "\n"
        }
        return text
    }

    private func isLight(_ row: Int, _ column: Int) -> Bool {
        let isInside = (0..<size).contains(row) && (0..<size).contains(column)
        return !isInside || !isDark(row: row, column: column)
    }
}

/// A symbol size, and how its codewords are made (ISO/IEC 18004 sections 7.4 to 7.6).
struct QRCodeVersion {
    let number: Int

    /// The smallest version with room for `count` bytes; nil if there is none.
    init?(holding count: Int) {
        let fitting = (1...40).lazy.map(QRCodeVersion.init(number:)).first { version in
            version.headerBits + 8 * count <= 8 * version.dataCodewords
        }
        guard let fitting else { return nil }
        self = fitting
    }

    private init(number: Int) { self.number = number }

    var size: Int { 17 + 4 * number }

    /// The bits of mode and length.
    private var headerBits: Int { number < 10 ? 12 : 20 }

    /// Table 9, level L: correction codewords of one block, and the number of blocks.
    private static let correction = [
        7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28,
        28, 28, 30, 30, 26, 28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
    ]
    private static let blocks = [
        1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8,
        8, 9, 9, 10, 12, 12, 12, 13, 14, 15, 16, 17, 18, 19, 19, 20, 21, 22, 24, 25,
    ]

    private var correctionCodewords: Int { Self.correction[number - 1] }
    private var blockCount: Int { Self.blocks[number - 1] }
    private var dataCodewords: Int { allCodewords - blockCount * correctionCodewords }

    /// The codewords that fit beside the function patterns.
    private var allCodewords: Int {
        var modules = (16 * number + 128) * number + 64
        if number >= 2 {
            let rows = number / 7 + 2
            modules -= (25 * rows - 10) * rows - 55
        }
        if number >= 7 { modules -= 36 }
        return modules / 8
    }

    /// The centres of the alignment patterns, in both directions (Annex E).
    var alignment: [Int] {
        guard number > 1 else { return [] }
        let count = number / 7 + 2
        let step = number == 32 ? 26 : (number * 4 + count * 2 + 1) / (count * 2 - 2) * 2
        return [6] + (0..<count - 1).reversed().map { size - 7 - $0 * step }
    }

    /// Data and correction, interleaved block by block.
    func codewords(of bytes: [UInt8]) -> [UInt8] {
        let data = dataStream(bytes)
        let code = ReedSolomonCode(correctionCodewords)
        let shortLength = data.count / blockCount
        let shortBlocks = blockCount - data.count % blockCount
        var blocks: [ArraySlice<UInt8>] = []
        var start = 0
        for index in 0..<blockCount {
            let end = start + shortLength + (index < shortBlocks ? 0 : 1)
            blocks.append(data[start..<end])
            start = end
        }
        let corrections = blocks.map { code.correction(of: $0) }
        var result: [UInt8] = []
        for index in 0...shortLength {
            for block in blocks where index < block.count {
                result.append(block[block.startIndex + index])
            }
        }
        for index in 0..<correctionCodewords { result += corrections.map { $0[index] } }
        return result
    }

    private func dataStream(_ bytes: [UInt8]) -> [UInt8] {
        // Byte mode, then the length in 8 or 16 bits; everything after is shifted by half a byte.
        var nibbles: [UInt8] = [0b0100]
        let length = bytes.count
        for shift in stride(from: headerBits - 8, through: 0, by: -4) {
            nibbles.append(UInt8(length >> shift & 15))
        }
        for byte in bytes { nibbles += [byte >> 4, byte & 15] }
        // The terminator, if there is room, completes the last byte.
        if nibbles.count < 2 * dataCodewords { nibbles.append(0) }
        var data = stride(from: 0, to: nibbles.count - 1, by: 2).map { index in
            nibbles[index] << 4 | nibbles[index + 1]
        }
        var padding: UInt8 = 0xEC
        while data.count < dataCodewords {
            data.append(padding)
            padding ^= 0xEC ^ 0x11
        }
        return data
    }
}

/// Reed-Solomon codes over the field of 256 elements that QR codes use (polynomial 0x11D).
struct ReedSolomonCode {
    /// Coefficients of the generator without the leading one, the highest power first.
    private let generator: [UInt8]

    /// A code with `count` correction codewords.
    init(_ count: Int) {
        var generator = [UInt8](repeating: 0, count: count - 1) + [1]
        var root: UInt8 = 1
        for _ in 0..<count {
            // Multiplies by (x - root).
            for index in generator.indices {
                generator[index] = Self.product(generator[index], root)
                if index + 1 < count { generator[index] ^= generator[index + 1] }
            }
            root = Self.product(root, 2)
        }
        self.generator = generator
    }

    /// The remainder of `data` after division by the generator.
    func correction(of data: ArraySlice<UInt8>) -> [UInt8] {
        var rest = [UInt8](repeating: 0, count: generator.count)
        for byte in data {
            let factor = byte ^ rest.removeFirst()
            rest.append(0)
            for index in rest.indices { rest[index] ^= Self.product(generator[index], factor) }
        }
        return rest
    }

    private static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
        var product: UInt8 = 0
        for bit in (0..<8).reversed() {
            let carry = product >> 7
            product = product << 1 ^ (carry == 1 ? 0x1D : 0)
            if right >> bit & 1 == 1 { product ^= left }
        }
        return product
    }
}
