/// Queueing and sending of updates.
extension Engine {
    /// Queues an update of a group, unless the client wants no notifications.
    mutating func enqueue(_ item: UpdateQueue.Item, for id: NotificationGroup.ID) {
        guard isStarted, order.limit > 0 else { return }
        if queue.append(item, for: id, now: now, isFetching: isFetching) { sendPending() }
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

    /// The chat's title, if one of the notifications has none of its own. TDLib's clients look the
    /// title up themselves.
    func title(of chatID: ChatID, for shown: ArraySlice<Notification>) -> String {
        guard account.policy == .learn, shown.contains(where: { !$0.hasTitle }) else { return "" }
        return account.chats[chatID]?.title ?? ""
    }

    /// Announces the shown notifications of a group, without a sound.
    mutating func enqueueAppearance(of group: NotificationGroup) {
        let shown = Array(group.shown(limit: sizeLimit))
        if !shown.isEmpty { enqueue(group, added: shown, removed: []) }
    }

    /// Removes the shown notifications of a group.
    mutating func enqueueDisappearance(of id: NotificationGroup.ID) {
        guard let group = account.groups[id] else { return }
        let shown = group.shown(limit: sizeLimit).map(\.id)
        if !shown.isEmpty { enqueue(group, added: [], removed: shown) }
    }

    mutating func flush(_ id: NotificationGroup.ID) {
        guard let items = queue.dequeue(id) else { return }
        for item in UpdateMerger.merge(items, isVisible: order.isVisible(id)) {
            switch item {
            case .group(let update): add(update)
            case .edit(let notification):
                updates.append(.notification(groupID: id, notification))
            }
        }
        sendPending()
    }

    /// Sends an update without queueing it.
    mutating func send(_ update: GroupUpdate) {
        if isStarted, order.limit > 0 { add(update) }
    }

    private mutating func add(_ update: consuming GroupUpdate) {
        update.chatTitle = title(of: update.chatID, for: update.added[...])
        updates.append(.group(update))
    }

    /// Sends from the last group to the first, so that the client never shows more groups than
    /// allowed.
    mutating func flushAll() {
        let keys = queue.entries.keys.compactMap { account.groups[$0]?.key }
        for key in keys.sorted().reversed() { flush(key.id) }
    }

    /// Sends `havePending` if it has changed.
    mutating func sendPending() {
        let pending = (
            delayed: !queue.isEmpty || !delayedGroups.isEmpty, unreceived: isFetching
        )
        guard isStarted, sentPending.map({ $0 != pending }) ?? true else { return }
        sentPending = pending
        updates.append(.havePending(delayed: pending.delayed, unreceived: pending.unreceived))
    }
}
