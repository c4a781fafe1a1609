/// Updates that wait a moment, by group, so that later ones can be merged with them.
struct UpdateQueue: Sendable {
    enum Item: Sendable {
        case group(GroupUpdate)
        case edit(Notification)
    }

    struct Entry: Sendable {
        var items: [Item] = []
        var due: Double
        var bytes = 0
    }

    private(set) var entries: [NotificationGroup.ID: Entry] = [:]

    /// How long updates wait, normally and while the client is fetching; in seconds.
    static let mergeWindow = 0.05
    static let longestWait = 60.0
    /// A group with this many updates, or bytes of messages, waits no longer.
    private static let itemLimit = 256
    private static let byteLimit = 1 << 20

    var isEmpty: Bool { entries.isEmpty }

    func holds(_ id: NotificationGroup.ID) -> Bool { entries[id] != nil }

    /// True if it is the first of its group.
    mutating func append(
        _ item: Item, for id: NotificationGroup.ID, now: Double, isFetching: Bool
    ) -> Bool {
        let isFirst = entries[id] == nil
        // While the engine fetches, each new update restarts the wait. Otherwise, only the first
        // update of the group starts it.
        let due = now + (isFetching ? Self.longestWait : Self.mergeWindow)
        var entry = entries.removeValue(forKey: id) ?? Entry(due: due)
        entry.items.append(item)
        entry.bytes += item.bytes
        if entry.items.count >= Self.itemLimit || entry.bytes >= Self.byteLimit {
            entry.due = now
        } else if isFetching {
            entry.due = due
        }
        entries[id] = entry
        return isFirst
    }

    mutating func dequeue(_ id: NotificationGroup.ID) -> [Item]? {
        entries.removeValue(forKey: id)?.items
    }

    var nextDue: Double? { entries.isEmpty ? nil : entries.values.lazy.map(\.due).min() }
}

extension UpdateQueue.Item {
    /// Only messages loaded by a client are large enough to count.
    fileprivate var bytes: Int {
        switch self {
        case .group(let update): update.added.reduce(0) { $0 + $1.bytes }
        case .edit(let notification): notification.bytes
        }
    }
}

extension Notification {
    fileprivate var bytes: Int {
        if case .newMessage(let message, _) = content { message.source.count } else { 0 }
    }
}
