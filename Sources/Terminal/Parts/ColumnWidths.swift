/// How wide the columns of a table become.
package enum ColumnWidths {
    /// Between two columns.
    package static let gap = 2
    /// A column that has to shrink keeps this much, if there is room for it at all.
    private static let least = 4

    /// Shrinks the widest columns until all fit. Of those that do not fit even then, the last ones
    /// are 0.
    package static func fit(_ natural: [Int], into width: Int) -> [Int] {
        var widths = natural
        while total(widths) > width {
            guard let widest = widths.indices.max(by: { widths[$0] < widths[$1] }),
                widths[widest] > least
            else { break }
            widths[widest] -= 1
        }
        var last = widths.count - 1
        while last > 0, total(widths) > width {
            widths[last] = 0
            last -= 1
        }
        if total(widths) > width, !widths.isEmpty { widths[0] = max(width, 0) }
        return widths
    }

    private static func total(_ widths: [Int]) -> Int {
        let used = widths.filter { $0 > 0 }
        return used.reduce(0, +) + gap * max(used.count - 1, 0)
    }
}
