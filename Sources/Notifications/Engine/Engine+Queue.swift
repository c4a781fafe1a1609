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

/// Delays messages, so that a user who reads them elsewhere is not disturbed here.
extension Engine {
    mutating func setOnline(isOnline: Bool, othersOnlineSince: Double?) {
        if presence.isOnline, !isOnline { presence.offlineSince = now }
        presence.isOnline = isOnline
        if let othersOnlineSince { presence.othersOnlineUntil = othersOnlineSince }
        guard isOnline else { return }
        recordActivity()
        for id in delayedGroups.sorted() { flushPending(id, isForced: false) }
    }

    /// When a message of the given date has to be shown.
    func dueTime(of date: Int64, in chatID: ChatID, isQuietChange: Bool) -> Double {
        let wait = max(minimumDelay(in: chatID, isQuietChange: isQuietChange), presenceDelay)
        let passed = max(now - (Double(date) + 1), 0)
        return now + max(wait - passed, 0.001)
    }

    /// Changes of a chat's title, photo or members can wait. In an open chat nothing has to.
    private func minimumDelay(in chatID: ChatID, isQuietChange: Bool) -> Double {
        if isQuietChange { return 3 }
        return openChats[chatID] != nil && presence.isOnline ? 1 : 0
    }

    private var presenceDelay: Double {
        let timeout = seconds(OptionName.onlineCloudTimeout)
        let areOthersOnline = presence.othersOnlineUntil > now
        let wereOthersOnlineSince =
            presence.othersOnlineUntil > presence.offlineSince
            && presence.othersOnlineUntil > now - timeout
        if !presence.isOnline, areOthersOnline || wereOthersOnlineSince {
            return seconds(OptionName.cloudDelay)
        }
        return areOthersOnline ? seconds(OptionName.defaultDelay) : 0
    }

    private func seconds(_ name: String) -> Double {
        guard case .integer(let milliseconds) = option(name) else { return 0 }
        return Double(milliseconds) / 1000
    }

    /// Call it for an account whose client is fetching from the start.
    package mutating func beginFetching() { isFetching = true }

    /// While the client fetches messages, updates wait longer so that the fetched messages can be
    /// merged in. A client that went away (`isAbandoned`) has fetched nothing, so temporary
    /// notifications stay.
    mutating func setFetching(_ isActive: Bool, isAbandoned: Bool = false) {
        guard isFetching != isActive else { return }
        isFetching = isActive
        if !isActive {
            if !isAbandoned { removeTemporary() }
            flushAll()
        }
        sendPending()
    }
}
