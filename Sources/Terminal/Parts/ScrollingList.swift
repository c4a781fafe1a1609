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
