/// Updates on their way out.
extension Engine {
    /// Queues what a group has to tell; a client that does not want notifications hears nothing.
    mutating func enqueue(_ item: UpdateQueue.Item, for id: NotificationGroup.ID) {
        guard isStarted, order.limit > 0 else { return }
        if queue.append(item, for: id, now: now, isFetching: isFetching) { tellPending() }
    }

    mutating func enqueue(
        _ group: NotificationGroup, added: [Notification], removed: [Notification.ID]
    ) {
        enqueue(
            .group(
                GroupUpdate(
                    groupID: group.id, kind: group.kind, chatID: group.chatID,
                    settingsChatID: group.chatID, soundID: 0, totalCount: group.totalCount,
                    added: added, removed: removed)),
            for: group.id)
    }

    /// The title of a chat for those that have none of their own. TDLib's clients ask for it.
    func title(of chatID: ChatID, for shown: ArraySlice<Notification>) -> String {
        guard account.policy == .learn, shown.contains(where: { !$0.hasTitle }) else { return "" }
        return account.chats[chatID]?.title ?? ""
    }

    /// All that is shown of a group appears without a sound.
    mutating func enqueueAppearance(of group: NotificationGroup) {
        let shown = Array(group.shown(limit: sizeLimit))
        if !shown.isEmpty { enqueue(group, added: shown, removed: []) }
    }

    /// All that is shown of a group disappears.
    mutating func enqueueDisappearance(of id: NotificationGroup.ID) {
        guard let group = account.groups[id] else { return }
        let shown = group.shown(limit: sizeLimit).map(\.id)
        if !shown.isEmpty { enqueue(group, added: [], removed: shown) }
    }

    mutating func flush(_ id: NotificationGroup.ID) {
        guard let items = queue.take(id) else { return }
        for item in UpdateMerger.merge(items, isVisible: order.isVisible(id)) {
            switch item {
            case .group(let update): add(update)
            case .edit(let notification):
                updates.append(.notification(groupID: id, notification))
            }
        }
        tellPending()
    }

    /// Passes the queue by.
    mutating func tell(_ update: GroupUpdate) {
        if isStarted, order.limit > 0 { add(update) }
    }

    private mutating func add(_ update: consuming GroupUpdate) {
        update.chatTitle = title(of: update.chatID, for: update.added[...])
        updates.append(.group(update))
    }

    /// From the last group to the first, so that never more are visible than may be.
    mutating func flushAll() {
        let keys = queue.entries.keys.compactMap { account.groups[$0]?.key }
        for key in keys.sorted().reversed() { flush(key.id) }
    }

    /// Says whether something is on its way, if that has changed.
    mutating func tellPending() {
        let pending = (
            delayed: !queue.isEmpty || !delayedGroups.isEmpty, unreceived: isFetching
        )
        guard isStarted, toldPending.map({ $0 != pending }) ?? true else { return }
        toldPending = pending
        updates.append(.havePending(delayed: pending.delayed, unreceived: pending.unreceived))
    }
}
