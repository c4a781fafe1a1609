/// All groups by their ids, which are small numbers given one after the other.
package struct GroupTable: Sendable, Equatable {
    private var slots: [NotificationGroup?] = []

    package subscript(id: NotificationGroup.ID) -> NotificationGroup? {
        get { id > 0 && Int(id) <= slots.count ? slots[Int(id) - 1] : nil }
        _modify {
            precondition(id > 0, "group ids are positive")
            if Int(id) > slots.count {
                slots.append(contentsOf: repeatElement(nil, count: Int(id) - slots.count))
            }
            yield &slots[Int(id) - 1]
        }
    }

    /// In the order of their ids.
    package var all: [NotificationGroup] { slots.compactMap { $0 } }

    package var ids: [NotificationGroup.ID] {
        slots.indices.filter { slots[$0] != nil }.map { NotificationGroup.ID($0 + 1) }
    }

    /// Places that stand empty behind the last group make no difference.
    package static func == (left: Self, right: Self) -> Bool { left.all == right.all }
}
