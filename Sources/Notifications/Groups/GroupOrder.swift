/// Which groups are visible, in order, and which of the hidden ones comes next.
///
/// The few visible ones are sorted. The hidden ones may be many: they are kept in a heap, and an
/// entry whose group has moved since is skipped.
struct GroupOrder: Sendable {
    private(set) var visible: [GroupKey] = []
    private var hidden: [GroupKey] = []
    /// The current key of each hidden group.
    private var hiddenKeys: [NotificationGroup.ID: GroupKey] = [:]
    let limit: Int

    init(limit: Int) { self.limit = limit }

    var isFull: Bool { visible.count >= limit }

    func isVisible(_ id: NotificationGroup.ID) -> Bool { visible.contains { $0.id == id } }

    /// Whether a group with this key would be among the visible ones.
    func shows(_ key: GroupKey) -> Bool {
        guard limit > 0, key.date != 0 else { return false }
        guard let last = visible.last, isFull else { return true }
        return key < last || visible.contains { $0.id == key.id }
    }

    /// Puts a group in its place; returns the group that is pushed out.
    mutating func place(_ key: GroupKey) -> NotificationGroup.ID? {
        forget(key.id)
        guard key.date != 0 else { return nil }
        guard shows(key) else {
            hide(key)
            return nil
        }
        visible.insert(key, at: visible.partitioningIndex { key < $0 })
        guard visible.count > limit else { return nil }
        let evicted = visible.removeLast()
        hide(evicted)
        return evicted.id
    }

    /// Removes a group, visible or hidden.
    mutating func forget(_ id: NotificationGroup.ID) {
        if let index = visible.firstIndex(where: { $0.id == id }) {
            visible.remove(at: index)
        } else {
            hiddenKeys[id] = nil
        }
    }

    /// The first of the hidden groups.
    mutating func nextHidden() -> GroupKey? {
        while let first = hidden.first {
            if hiddenKeys[first.id] == first { return first }
            removeFirst()
        }
        return nil
    }

    /// Moves the first hidden group up if there is room for it.
    mutating func fill() -> NotificationGroup.ID? {
        guard !isFull, let key = nextHidden() else { return nil }
        removeFirst()
        hiddenKeys[key.id] = nil
        visible.insert(key, at: visible.partitioningIndex { key < $0 })
        return key.id
    }

    private mutating func hide(_ key: GroupKey) {
        hiddenKeys[key.id] = key
        hidden.append(key)
        var index = hidden.count - 1
        while index > 0, hidden[index] < hidden[(index - 1) / 2] {
            hidden.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
        // Skipped entries must not pile up.
        if hidden.count > 2 * hiddenKeys.count + 64 {
            hidden = hiddenKeys.values.sorted()
        }
    }

    private mutating func removeFirst() {
        let last = hidden.removeLast()
        guard !hidden.isEmpty else { return }
        hidden[0] = last
        var index = 0
        while true {
            var smallest = index
            for child in [2 * index + 1, 2 * index + 2] where child < hidden.count {
                if hidden[child] < hidden[smallest] { smallest = child }
            }
            guard smallest != index else { return }
            hidden.swapAt(index, smallest)
            index = smallest
        }
    }
}

/// A group's place in the list: newest first, then greater chat, then greater id.
package struct GroupKey: Equatable, Comparable, Sendable {
    package let date: Int64
    package let chatID: ChatID
    package let id: NotificationGroup.ID

    package static func < (left: Self, right: Self) -> Bool {
        if left.date != right.date { return left.date > right.date }
        if left.chatID != right.chatID { return left.chatID > right.chatID }
        return left.id > right.id
    }
}
