/// Which item of a list is selected, and which items are on the screen.
package struct ScrollingList<ID: Hashable & Sendable>: Sendable {
    package private(set) var items: [ID] = []
    /// Zero if there are no items.
    package private(set) var index = 0
    private var top = 0

    package init() {}

    package var selected: ID? { items.isEmpty ? nil : items[index] }

    /// The selection stays on its item, or on the place of an item that is gone.
    package mutating func update(_ items: [ID]) {
        let former = selected
        self.items = items
        let found = former.flatMap { items.firstIndex(of: $0) }
        index = found ?? min(index, max(items.count - 1, 0))
    }

    package mutating func move(by count: Int) {
        index = min(max(index + count, 0), max(items.count - 1, 0))
    }

    /// True if the key moved the selection. `page` is the number of rows.
    package mutating func take(_ key: Key, page: Int) -> Bool {
        switch key {
        case .up, .text("k"): move(by: -1)
        case .down, .text("j"): move(by: 1)
        case .pageUp, .control("b"): move(by: -max(page - 1, 1))
        case .pageDown, .control("f"): move(by: max(page - 1, 1))
        case .home, .text("g"): move(by: -items.count)
        case .end, .text("G"): move(by: items.count)
        default: return false
        }
        return true
    }

    /// The items to draw; the selected one is among them.
    package mutating func visible(_ height: Int) -> Range<Int> {
        let height = max(height, 1)
        top = min(max(top, index - height + 1), index)
        top = min(top, max(items.count - height, 0))
        return top..<min(top + height, items.count)
    }
}

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

/// A row of small bars.
package enum Sparkline {
    private static let bars = Array("▁▂▃▄▅▆▇█")

    /// The last values, scaled to the largest of them. Nothing is the lowest bar.
    package static func text(_ values: some BidirectionalCollection<Double>, width: Int) -> String {
        let shown = values.suffix(max(width, 0))
        let largest = shown.max() ?? 0
        return String(
            shown.map { value in
                guard largest > 0, value > 0, value.isFinite, largest.isFinite else {
                    return bars[0]
                }
                let step = Int((value / largest * Double(bars.count - 1)).rounded(.up))
                return bars[min(max(step, 0), bars.count - 1)]
            })
    }
}
