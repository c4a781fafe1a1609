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
