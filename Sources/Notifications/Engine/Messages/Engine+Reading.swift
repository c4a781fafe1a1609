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
