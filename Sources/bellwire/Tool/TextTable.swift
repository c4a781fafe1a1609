/// Renders rows as columns of equal width.
enum TextTable {
    static func text(_ rows: [[String]]) -> String {
        guard let first = rows.first else { return "" }
        let widths = first.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row, widths).map { cell, width in
                cell + String(repeating: " ", count: width - cell.count)
            }
            return trimmed(cells.joined(separator: "  ")) + "\n"
        }.joined()
    }

    private static func trimmed(_ line: String) -> Substring {
        line[..<(line.lastIndex { $0 != " " }.map(line.index(after:)) ?? line.startIndex)]
    }
}
