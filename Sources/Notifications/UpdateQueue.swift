/// Updates that wait a moment, group by group, because later ones may merge with them.
struct UpdateQueue: Sendable {
    enum Item: Sendable {
        case group(GroupUpdate)
        case edit(Notification)
    }

    struct Entry: Sendable {
        var items: [Item] = []
        var due: Double
    }

    private(set) var entries: [NotificationGroup.ID: Entry] = [:]

    /// How long updates wait for others, and how long while the client is fetching; in seconds.
    static let mergeWindow = 0.05
    static let longestWait = 60.0

    var isEmpty: Bool { entries.isEmpty }

    func holds(_ id: NotificationGroup.ID) -> Bool { entries[id] != nil }

    /// True when it is the first of its group.
    mutating func append(
        _ item: Item, for id: NotificationGroup.ID, now: Double, isFetching: Bool
    ) -> Bool {
        let isFirst = entries[id] == nil
        // While fetching each new update starts the wait again; otherwise the first one sets it.
        let due = now + (isFetching ? Self.longestWait : Self.mergeWindow)
        entries[id, default: Entry(due: due)].items.append(item)
        if isFetching { entries[id]?.due = due }
        return isFirst
    }

    mutating func take(_ id: NotificationGroup.ID) -> [Item]? {
        entries.removeValue(forKey: id)?.items
    }

    var nextDue: Double? { entries.isEmpty ? nil : entries.values.lazy.map(\.due).min() }
}
