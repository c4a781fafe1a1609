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
