/// Removing notifications: by the user, by deletion, by reading.
extension Engine {
    /// `isPermanent`: the message itself is gone, so the total count is lowered too.
    mutating func remove(
        _ id: Notification.ID, from groupID: NotificationGroup.ID, isPermanent: Bool,
        isForced: Bool
    ) {
        guard var group = account.groups[groupID] else { return }
        if removePending(groupID, where: { $0.id == id }) { return }
        let limit = sizeLimit
        let oldCount = group.notifications.count
        let index = group.firstIndex(of: id)
        var isCountChanged = false
        if group.isComplete ? index != nil : isPermanent, group.totalCount > 0 {
            group.totalCount -= 1
            isCountChanged = true
        }
        var added: [Notification] = []
        var removed: [Notification.ID] = []
        if let index {
            forgetName(of: group.notifications.remove(at: index))
            if index + limit >= oldCount {
                removed = [id]
                // The newest notification that did not fit takes its place.
                if oldCount > limit { added = [group.notifications[oldCount - limit - 1]] }
            }
        }
        account.groups[groupID] = group
        guard isCountChanged || !removed.isEmpty else { return }
        notificationsLeft(groupID, added: added, removed: removed, isForced: isForced)
    }

    /// Removes everything that matches. `totalCount` is the new total, if known.
    mutating func removeAll(
        in groupID: NotificationGroup.ID, isForced: Bool, totalCount: ((NotificationGroup) -> Int)?,
        where isGone: (Notification) -> Bool
    ) {
        _ = removePending(groupID, where: isGone)
        guard var group = account.groups[groupID] else { return }
        let limit = sizeLimit
        let before = group.notifications
        let shown = before.suffix(limit)
        group.notifications = before.filter { !isGone($0) }
        for notification in before where isGone(notification) { forgetName(of: notification) }
        let oldTotal = group.totalCount
        if group.isComplete {
            group.totalCount = group.notifications.count
        } else if let totalCount {
            group.totalCount = totalCount(group)
        }
        account.groups[groupID] = group
        let removed = shown.filter(isGone).map(\.id)
        guard !removed.isEmpty || group.totalCount != oldTotal else {
            if isForced { flush(groupID) }
            return
        }
        let oldestShown = shown.first?.id ?? 0
        let added = group.shown(limit: limit).filter { $0.id < oldestShown }
        notificationsLeft(groupID, added: added, removed: removed, isForced: isForced)
    }

    private mutating func removePending(
        _ groupID: NotificationGroup.ID, where isGone: (Notification) -> Bool
    ) -> Bool {
        guard let count = account.groups[groupID]?.pending.count, count > 0 else { return false }
        account.groups[groupID]?.pending.removeAll { isGone($0.notification) }
        let left = account.groups[groupID]?.pending.count ?? 0
        if left == 0 {
            delayedGroups.remove(groupID)
            sendPending()
        }
        return left < count
    }

    /// Removes sleeping notifications too. TDLib would wake them at the next start.
    mutating func removeSleeping(
        in groupID: NotificationGroup.ID, where isGone: (Notification) -> Bool
    ) {
        guard account.policy == .learn, account.groups[groupID]?.sleeping.isEmpty == false else {
            return
        }
        account.groups[groupID]?.sleeping.removeAll(where: isGone)
    }

    /// Removes the notification of a message in either group of its chat.
    mutating func removeMessage(
        _ messageID: ChatMessageID, in chatID: ChatID, level: TrustLevel, isForced: Bool
    ) {
        guard let chat = account.chats[chatID] else { return }
        for groupID in [chat.messageGroupID, chat.mentionGroupID] {
            removeSleeping(in: groupID) { $0.messageID == messageID && $0.level <= level }
            let found = notification(of: messageID, in: groupID)
            guard let found else { continue }
            guard found.level <= level else {
                outranked += 1
                return
            }
            remove(found.id, from: groupID, isPermanent: true, isForced: isForced)
        }
        if chat.pinnedNotification == messageID {
            account.chats[chatID]?.pinnedNotification = .none
        }
    }

    func notification(
        of messageID: ChatMessageID, in groupID: NotificationGroup.ID
    ) -> Notification? {
        guard let group = account.groups[groupID], !messageID.isNone else { return nil }
        return group.notifications.last { $0.messageID == messageID }
            ?? group.pending.last { $0.notification.messageID == messageID }?.notification
    }
}

/// Messages that the user has read, here or elsewhere.
extension Engine {
    /// Removes the notifications of read messages. TDLib keeps those of chats in none of its lists.
    mutating func markRead(
        _ chatID: ChatID, upTo last: ChatMessageID, level: TrustLevel, isForced: Bool? = nil
    ) {
        guard let chat = account.chats[chatID], last > chat.lastRead,
            level == .mtproto || !holdsBack(chat, upTo: last, level)
        else { return }
        account.chats[chatID]?.lastRead = last
        let isRemoving = account.policy == .learn || chat.hasPlaceInList
        if isRemoving {
            removeRead(chat, upTo: last, level, isForced ?? (account.policy == .learn))
        }
        updates.append(.chatReadInbox(chatID: chatID, lastRead: last))
        if isRemoving { openGate(of: chatID) }
    }

    /// Whether a notification that would be removed has a higher trust level. Then nothing is
    /// removed, because the reading could not be applied again later.
    private mutating func holdsBack(
        _ chat: Chat, upTo last: ChatMessageID, _ level: TrustLevel
    ) -> Bool {
        let isBetter = { (notification: Notification) in
            notification.level > level && !notification.messageID.isNone
                && notification.messageID <= last
        }
        let group = account.groups[chat.messageGroupID]
        let pinned = notification(of: chat.pinnedNotification, in: chat.mentionGroupID)
        guard
            group?.notifications.contains(where: isBetter) == true
                || group?.sleeping.contains(where: isBetter) == true
                || pinned.map(isBetter) == true
        else { return false }
        outranked += 1
        return true
    }

    private mutating func removeRead(
        _ chat: Chat, upTo last: ChatMessageID, _ level: TrustLevel, _ isForced: Bool
    ) {
        let isStrict = account.policy == .strict
        let before = account.groups[chat.messageGroupID]
        // In TDLib, a chat without unread messages has no notifications from pushes either.
        let isNothingUnread =
            isStrict
            && before?.notifications.contains { !$0.isTemporary && $0.messageID > last } == false
        let isRead = { (notification: Notification) in
            notification.level <= level
                && (isNothingUnread && notification.isTemporary
                    || !notification.messageID.isNone && notification.messageID <= last)
        }
        removeAll(
            in: chat.messageGroupID, isForced: isForced,
            totalCount: {
                let removed = (before?.notifications.count ?? 0) - $0.notifications.count
                return isStrict ? $0.notifications.count : max($0.totalCount - removed, 0)
            }, where: isRead)
        removeSleeping(in: chat.messageGroupID, where: isRead)
        guard !chat.pinnedNotification.isNone, chat.pinnedNotification <= last,
            let pinned = notification(of: chat.pinnedNotification, in: chat.mentionGroupID)
        else { return }
        remove(pinned.id, from: chat.mentionGroupID, isPermanent: true, isForced: isForced)
    }
}
