/// Makes of a group's waiting updates the shortest sequence with the same end.
struct UpdateMerger {
    private var items: [UpdateQueue.Item]
    /// What each touched notification was before the first update, and is after the last.
    private var fates: [Notification.ID: Fate] = [:]

    private struct Fate {
        let wasShown: Bool
        var isShown: Bool
        var latest: Notification?
        var isChanged = false
    }

    static func merge(_ items: [UpdateQueue.Item]) -> [UpdateQueue.Item] {
        // The common case: one update, as a push makes it.
        if items.count == 1 { return items.map(silencedIfEmpty) }
        var merger = UpdateMerger(items: items)
        merger.follow()
        merger.rewrite()
        return merger.joined().map(silencedIfEmpty)
    }

    private init(items: [UpdateQueue.Item]) { self.items = items }

    private mutating func follow() {
        for item in items {
            switch item {
            case .group(let update):
                for notification in update.added { added(notification) }
                for id in update.removed {
                    fates[id, default: Fate(wasShown: true, isShown: true)].isShown = false
                }
            case .edit(let notification):
                fates[notification.id, default: Fate(wasShown: true, isShown: true)].latest =
                    notification
                fates[notification.id]?.isChanged = true
            }
        }
    }

    private mutating func added(_ notification: Notification) {
        var fate = fates[notification.id] ?? Fate(wasShown: false, isShown: true)
        // Removed and added again: the client has it, though perhaps with older words.
        if fate.wasShown { fate.isChanged = true }
        fate.isShown = true
        fate.latest = notification
        fates[notification.id] = fate
    }

    /// Leaves each addition and change at its first place, with its last words, and moves the
    /// removals to the front.
    private mutating func rewrite() {
        var announced: Set<Notification.ID> = []
        var removals = fates.filter { $0.value.wasShown && !$0.value.isShown }.map(\.key).sorted()
        var result: [UpdateQueue.Item] = []
        for item in items {
            switch item {
            case .group(var update):
                let touched = !update.added.isEmpty || !update.removed.isEmpty
                var changed: [Notification] = []
                update.added = update.added.compactMap { notification in
                    guard let fate = fates[notification.id], fate.isShown,
                        announced.insert(notification.id).inserted
                    else { return nil }
                    let latest = fate.latest ?? notification
                    if fate.wasShown {
                        changed.append(latest)
                        return nil
                    }
                    return latest
                }
                update.removed = removals
                removals = []
                let isLeftEmpty = touched && update.added.isEmpty && update.removed.isEmpty
                append(update, isLeftEmpty: isLeftEmpty, to: &result)
                result += changed.map(UpdateQueue.Item.edit)
            case .edit(let notification):
                guard let fate = fates[notification.id], fate.isShown, fate.wasShown,
                    announced.insert(notification.id).inserted
                else { continue }
                result.append(.edit(fate.latest ?? notification))
            }
        }
        items = result
    }

    /// An update with nothing left leaves its count to the one before it.
    private func append(
        _ update: GroupUpdate, isLeftEmpty: Bool, to result: inout [UpdateQueue.Item]
    ) {
        guard isLeftEmpty else { return result.append(.group(update)) }
        let last = result.lastIndex { if case .group = $0 { true } else { false } }
        guard let last, case .group(var previous) = result[last] else { return }
        previous.kind = update.kind
        previous.totalCount = update.totalCount
        result[last] = .group(previous)
    }

    /// Neighbours that sound alike become one.
    private func joined() -> [UpdateQueue.Item] {
        var result: [UpdateQueue.Item] = []
        for item in items.map(Self.silencedIfEmpty) {
            if case .group(let next) = item, case .group(var last) = result.last,
                last.soundID == next.soundID,
                last.settingsChatID == next.settingsChatID || last.added.isEmpty
            {
                last.kind = next.kind
                last.settingsChatID = next.settingsChatID
                last.totalCount = next.totalCount
                last.added = (last.added + next.added).sorted { $0.id < $1.id }
                last.removed = (last.removed + next.removed).sorted()
                result[result.count - 1] = .group(last)
            } else {
                result.append(item)
            }
        }
        return result
    }

    private static func silencedIfEmpty(_ item: UpdateQueue.Item) -> UpdateQueue.Item {
        guard case .group(var update) = item, update.added.isEmpty else { return item }
        update.soundID = 0
        return .group(update)
    }
}
