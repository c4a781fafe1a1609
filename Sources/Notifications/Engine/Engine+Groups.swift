/// How notifications enter and leave groups, and how groups enter and leave the list.
extension Engine {
    /// Moves the pending notifications of a group to the shown ones; `former` is removed in the
    /// same update. `isForced` sends the updates at once.
    mutating func flushPending(
        _ id: NotificationGroup.ID, isForced: Bool, inPlaceOf former: Notification.ID? = nil
    ) {
        guard var group = account.groups.remove(id) else { return }
        guard !group.pending.isEmpty else {
            account.groups[id] = group
            return
        }
        let leaving = former.flatMap { group.give(up: $0, limit: sizeLimit) }
        let pending = group.pending
        group.pending = []
        group.date = pending.reduce(group.date) { max($0, $1.notification.date) }
        let key = group.key
        let isShown = order.shows(key)
        var evicted: NotificationGroup.ID?
        if isShown {
            let wasVisible = order.isVisible(id)
            evicted = order.place(key)
            if let evicted { enqueueDisappearance(of: evicted) }
            if !wasVisible { enqueueAppearance(of: group) }
            let runs = runs(of: pending)
            // A single update with nothing to merge can skip the queue.
            let isAlone = wasVisible && evicted == nil && runs.count == 1 && !queue.holds(id)
            for (number, run) in runs.enumerated() {
                show(
                    run, in: &group, after: wasVisible && number == 0 ? leaving : nil,
                    atOnce: isForced && isAlone)
            }
        } else {
            _ = order.place(key)
            group.notifications += pending.map(\.notification)
            group.totalCount += pending.count
        }
        trim(&group)
        account.groups[id] = group
        delayedGroups.remove(id)
        sendPending()
        // A hidden group sends no updates.
        guard isForced, isShown else { return }
        if let evicted { flush(evicted) }
        flush(id)
    }

    /// Splits the notifications into runs of neighbours that have the same settings and sound.
    private func runs(of pending: [PendingNotification]) -> [ArraySlice<PendingNotification>] {
        var runs: [ArraySlice<PendingNotification>] = []
        var start = 0
        for index in 1..<pending.count + 1 {
            let isEnd = index == pending.count
            if isEnd || pending[index].settingsChatID != pending[start].settingsChatID
                || pending[index].soundID != pending[start].soundID
            {
                runs.append(pending[start..<index])
                start = index
            }
        }
        return runs
    }

    private mutating func show(
        _ run: ArraySlice<PendingNotification>, in group: inout NotificationGroup,
        after leaving: Notification.ID?, atOnce: Bool
    ) {
        guard let first = run.first else { return }
        let oldCount = group.notifications.count
        // The notification that leaves was one of the shown ones.
        let limit = leaving == nil ? sizeLimit : sizeLimit - 1
        let oldFirst = max(oldCount - limit, 0)
        for item in run { group.notifications.append(item.notification) }
        group.totalCount += run.count
        let after = group.shown(limit: sizeLimit)
        let pushedOut = oldFirst..<min(max(after.startIndex, oldFirst), oldCount)
        let update = GroupUpdate(
            groupID: group.id, kind: group.kind, chatID: group.chatID,
            settingsChatID: first.settingsChatID, soundID: first.soundID,
            totalCount: group.totalCount, added: Array(after.suffix(run.count)),
            removed: (group.notifications[pushedOut].map(\.id) + [leaving].compactMap(\.self))
                .sorted())
        if atOnce { send(update) } else { enqueue(.group(update), for: group.id) }
    }

    /// How many notifications are kept beyond the shown ones, and how many more may gather before
    /// the group is trimmed.
    private static let extra = 10

    /// Forgets the oldest notifications when there are far more than can be shown.
    mutating func trim(_ group: inout NotificationGroup) {
        let kept = sizeLimit + min(max(sizeLimit, Self.extra / 2), Self.extra)
        guard group.kind != .calls, group.notifications.count > kept + Self.extra else { return }
        let surplus = group.notifications.count - kept
        for notification in group.notifications.prefix(surplus) { forgetName(of: notification) }
        group.notifications.removeFirst(surplus)
    }

    /// Announces that notifications have left a group, and shows another group if this one loses
    /// its place.
    mutating func notificationsLeft(
        _ id: NotificationGroup.ID, added: [Notification], removed: [Notification.ID],
        isForced: Bool
    ) {
        guard var group = account.groups[id] else { return }
        group.date = min(group.date, group.latestDate)
        account.groups[id] = group
        if order.isVisible(id) {
            leaveOrStay(group, added: added, removed: removed)
        } else {
            _ = order.place(group.key)
            if group.notifications.isEmpty, group.totalCount == 0 {
                enqueue(group, added: [], removed: [])
            }
        }
        if isForced { flush(id) }
    }

    private mutating func leaveOrStay(
        _ group: NotificationGroup, added: [Notification], removed: [Notification.ID]
    ) {
        let key = group.key
        order.forget(group.id)
        let isOvertaken = order.nextHidden().map { $0 < key } ?? false
        if key.date != 0, !isOvertaken {
            _ = order.place(key)
            return enqueue(group, added: added, removed: removed)
        }
        let rest = max(sizeLimit - removed.count, 0)
        let gone = removed + group.shown(limit: rest).map(\.id)
        enqueue(group, added: [], removed: gone.sorted())
        let next = order.fill()
        _ = order.place(key)
        if let next = next.flatMap({ account.groups[$0] }) { enqueueAppearance(of: next) }
    }
}

/// At every start, stored notifications are checked against the current settings.
extension Engine {
    /// Only TDLib reuses identifiers, and only on request.
    mutating func beginCountingAnew() {
        if account.forgetsNotificationID { account.lastNotificationID = 0 }
        if account.forgetsGroupID { account.lastGroupID = 0 }
    }

    /// Sleeping and pending notifications are shown again, if they still would be today.
    mutating func wake() {
        if account.policy == .strict, account.groupCountMax == 0 { return sleepOn() }
        var kept: [NotificationGroup.ID: [Notification]] = [:]
        // They are judged in the order in which they came, because some may need a new group.
        for (id, notification) in takeEverything() {
            guard let group = account.groups[id], let place = place(of: notification, in: group)
            else {
                forgetName(of: notification)
                continue
            }
            kept[place, default: []].append(notification)
            if place != id { account.names[notification.name]?.groupID = place }
        }
        for id in account.groups.ids { fill(id, with: kept[id] ?? []) }
    }

    /// Empties all groups.
    private mutating func takeEverything() -> [(NotificationGroup.ID, Notification)] {
        var all: [(NotificationGroup.ID, Notification)] = []
        for id in account.groups.ids {
            guard var group = account.groups[id] else { continue }
            all += group.everything.map { (id, $0) }
            (group.sleeping, group.notifications, group.pending) = ([], [], [])
            account.groups[id] = group
        }
        return all.sorted { ($0.1.id, $0.0) < ($1.1.id, $1.0) }
    }

    /// TDLib leaves notifications asleep if they are switched off at the start, but loses the first
    /// one.
    private mutating func sleepOn() {
        var first: (group: NotificationGroup.ID, notification: Notification.ID)?
        for id in account.groups.ids {
            guard var group = account.groups[id] else { continue }
            (group.sleeping, group.notifications, group.pending) = (group.everything, [], [])
            (group.totalCount, group.date) = (0, 0)
            account.groups[id] = group
            if let oldest = group.sleeping.first(where: \.isTemporary)?.id,
                first.map({ oldest < $0.notification }) ?? true
            {
                first = (id, oldest)
            }
        }
        guard let first else { return }
        account.groups[first.group]?.sleeping.removeAll { $0.id == first.notification }
    }

    private mutating func fill(_ id: NotificationGroup.ID, with notifications: [Notification]) {
        guard var group = account.groups[id] else { return }
        // After identifiers have started again, two may be equal: the older one stays.
        group.notifications = notifications.sorted {
            ($0.id, $0.messageID) < ($1.id, $1.messageID)
        }.reduce(into: []) { if $0.last?.id != $1.id { $0.append($1) } }
        group.totalCount = group.notifications.count
        // Keeps the group's place in the list. TDLib computes it again.
        let before = account.policy == .learn && !notifications.isEmpty ? group.date : 0
        group.date = max(before, group.latestDate)
        trim(&group)
        account.groups[id] = group
    }

    /// The group that a notification belongs to by today's settings; nil if it would not be shown.
    private mutating func place(
        of notification: Notification, in group: NotificationGroup
    ) -> NotificationGroup.ID? {
        guard case .newPushMessage(let message) = notification.content,
            let chat = account.chats[group.chatID]
        else { return group.id }
        if message.isScheduled, group.chatID.rawValue != account.userID,
            account.boolean(OptionName.ignoresSentScheduled)
        {
            return nil
        }
        if isDealtWith(message.id, in: chat) { return nil }
        let isMention =
            !chat.isPrivate
            && (message.isPin
                ? !disablesPinned(chat) : message.isMention && !disablesMentions(chat))
        let isNamed = message.sender != unknownSender(in: group.chatID)
        let settingsChatID = isMention && isNamed ? message.sender.chatID : group.chatID
        let mutedUntil = muteEnd(of: settingsChatID)
        if isMuted(message.subject, until: mutedUntil, at: notification.date, in: chat) {
            return nil
        }
        return self.group(of: group.chatID, isMention: isMention)
    }

    /// Notifications read here have been removed already; TDLib may leave that to the next start.
    private func isDealtWith(_ id: ChatMessageID, in chat: Chat) -> Bool {
        guard !id.isNone else { return false }
        return id <= chat.lastMessage || account.policy == .strict && id <= chat.lastRead
    }
}

extension NotificationGroup {
    fileprivate var everything: [Notification] {
        (sleeping + notifications + pending.map(\.notification)).sorted { $0.id < $1.id }
    }
}
