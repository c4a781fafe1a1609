/// Makes of a group's waiting updates the shortest sequence with the same end.
struct UpdateMerger {
    /// The touched notifications that are shown at the end, with their last words.
    private var survivors: [Notification.ID: Notification] = [:]
    /// Survivors that the client has been told of.
    private var announced: Set<Notification.ID> = []
    /// Added for nothing: neither the addition nor its removal is told.
    private var cancelled: Set<Notification.ID> = []
    /// An update with nothing but a count, before any other update of the group.
    private var leadingCount: GroupUpdate?
    private var result: [UpdateQueue.Item] = []

    /// `isVisible`: whether the group has a place in the list. Of one that has none only its end
    /// is of interest.
    static func merge(_ items: [UpdateQueue.Item], isVisible: Bool) -> [UpdateQueue.Item] {
        // The common case: one update, as a push makes it.
        if items.count == 1, case .group(let update) = items[0], !update.added.isEmpty {
            return items
        }
        var merger = UpdateMerger()
        for item in items { merger.follow(item) }
        for item in items { merger.tell(item) }
        merger.tellCount(isVisible: isVisible)
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

    private mutating func tell(_ item: UpdateQueue.Item) {
        switch item {
        case .group(var update):
            update.added = update.added.compactMap { announcement(of: $0.id, isAddition: true) }
            if update.added.isEmpty { update.soundID = 0 }
            update.removed = update.removed.filter { isRemovalTold($0) }
            tell(update)
        case .edit(let notification):
            guard let latest = announcement(of: notification.id, isAddition: false) else { return }
            result.append(.edit(latest))
        }
    }

    /// The first mention of a survivor has its last words; it may have a sound, too.
    private mutating func announcement(
        of id: Notification.ID, isAddition: Bool
    ) -> Notification? {
        guard let latest = survivors[id] else {
            if isAddition { cancelled.insert(id) }
            return nil
        }
        return announced.insert(id).inserted ? latest : nil
    }

    /// Whether a removal stays where it is.
    private mutating func isRemovalTold(_ id: Notification.ID) -> Bool {
        if cancelled.contains(id) { return false }
        // Of one that comes back the client must hear, unless it has the new one already.
        if survivors[id] != nil { return !announced.contains(id) }
        // At the front, so that there are never more than may be shown.
        guard let index = firstGroup, case .group(var first) = result[index] else { return true }
        first.removed.append(id)
        result[index] = .group(first)
        return false
    }

    private var firstGroup: Int? {
        result.firstIndex { if case .group = $0 { true } else { false } }
    }

    /// What is left with nothing leaves its count to the one before it.
    private mutating func tell(_ update: GroupUpdate) {
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

    /// A count alone is told of a group that can be seen, and of one that has come to its end.
    private mutating func tellCount(isVisible: Bool) {
        guard let leadingCount, firstGroup == nil, isVisible || leadingCount.totalCount == 0 else {
            return
        }
        result.append(.group(leadingCount))
    }

    /// Neighbours that sound alike become one, if neither adds what the other removes.
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
