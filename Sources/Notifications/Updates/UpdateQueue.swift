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

/// Merges a group's waiting updates into the shortest sequence with the same result.
struct UpdateMerger {
    /// The notifications that were touched and are still shown at the end, in their final form.
    private var survivors: [Notification.ID: Notification] = [:]
    /// Survivors that have been announced.
    private var announced: Set<Notification.ID> = []
    /// Notifications that were added and removed again. Neither update is announced.
    private var cancelled: Set<Notification.ID> = []
    /// An update of the count alone, before any other update of the group.
    private var leadingCount: GroupUpdate?
    private var result: [UpdateQueue.Item] = []

    /// `isVisible`: whether the group has a place in the list. For a hidden group only its end
    /// matters.
    static func merge(_ items: [UpdateQueue.Item], isVisible: Bool) -> [UpdateQueue.Item] {
        // The common case: one update, from one push.
        if items.count == 1, case .group(let update) = items[0], !update.added.isEmpty {
            return items
        }
        var merger = UpdateMerger()
        for item in items { merger.follow(item) }
        for item in items { merger.emit(item) }
        merger.emitCount(isVisible: isVisible)
        return merger.joined()
    }

    private mutating func follow(_ item: UpdateQueue.Item) {
        switch item {
        case .group(let update):
            for notification in update.added { survivors[notification.id] = notification }
            for id in update.removed { survivors[id] = nil }
        case .edit(let notification): survivors[notification.id] = notification
        }
    }

    private mutating func emit(_ item: UpdateQueue.Item) {
        switch item {
        case .group(var update):
            update.added = update.added.compactMap { announcement(of: $0.id, isAddition: true) }
            if update.added.isEmpty { update.soundID = 0 }
            update.removed = update.removed.filter { keepsRemoval($0) }
            emit(update)
        case .edit(let notification):
            guard let latest = announcement(of: notification.id, isAddition: false) else { return }
            result.append(.edit(latest))
        }
    }

    /// A survivor is announced once, in its final form. An addition may sound.
    private mutating func announcement(
        of id: Notification.ID, isAddition: Bool
    ) -> Notification? {
        guard let latest = survivors[id] else {
            if isAddition { cancelled.insert(id) }
            return nil
        }
        return announced.insert(id).inserted ? latest : nil
    }

    /// Whether a removal stays in its own update.
    private mutating func keepsRemoval(_ id: Notification.ID) -> Bool {
        if cancelled.contains(id) { return false }
        // If a notification comes back, the client must see its removal first, unless it has the
        // new one already.
        if survivors[id] != nil { return !announced.contains(id) }
        // It is removed in the first update, so that no more are shown than allowed.
        guard let index = firstGroup, case .group(var first) = result[index] else { return true }
        first.removed.append(id)
        result[index] = .group(first)
        return false
    }

    private var firstGroup: Int? {
        result.firstIndex { if case .group = $0 { true } else { false } }
    }

    /// An update that became empty passes its count to the previous one.
    private mutating func emit(_ update: GroupUpdate) {
        guard update.added.isEmpty, update.removed.isEmpty else {
            return result.append(.group(update))
        }
        let last = result.lastIndex { if case .group = $0 { true } else { false } }
        guard let last, case .group(var previous) = result[last] else {
            leadingCount = update
            return
        }
        previous.kind = update.kind
        previous.totalCount = update.totalCount
        result[last] = .group(previous)
    }

    /// A count alone is announced for a visible group, or for one that became empty.
    private mutating func emitCount(isVisible: Bool) {
        guard let leadingCount, firstGroup == nil, isVisible || leadingCount.totalCount == 0 else {
            return
        }
        result.append(.group(leadingCount))
    }

    /// Merges neighbours with the same sound, if neither adds what the other removes.
    private func joined() -> [UpdateQueue.Item] {
        var joined: [UpdateQueue.Item] = []
        for item in result {
            guard case .group(let next) = item, case .group(var last) = joined.last,
                last.soundID == next.soundID,
                last.settingsChatID == next.settingsChatID || last.added.isEmpty,
                !last.added.contains(where: { next.removed.contains($0.id) }),
                !next.added.contains(where: { last.removed.contains($0.id) })
            else {
                joined.append(item)
                continue
            }
            last.kind = next.kind
            last.settingsChatID = next.settingsChatID
            last.totalCount = next.totalCount
            last.added += next.added
            last.removed += next.removed
            joined[joined.count - 1] = .group(last)
        }
        return joined.map(Self.sorted)
    }

    private static func sorted(_ item: UpdateQueue.Item) -> UpdateQueue.Item {
        guard case .group(var update) = item else { return item }
        update.added.sort { $0.id < $1.id }
        update.removed.sort()
        return .group(update)
    }
}
